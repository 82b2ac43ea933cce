"""Whole games as TRL's rollouts: their tokens, and the rewards of games and turns."""

import re

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

from nim_envs import make_game
from nim_envs.adapters.trl import GameRollouts, game_result
from nim_envs.text import TextGame, move_text

NIM = make_game("nim", heaps=(1, 2, 3))
START = (1, 2, 2)
GAMES = 6
END = "<|im_end|>"


@pytest.fixture(scope="module")
def tokenizer():
    """One token for each byte, with a template that adds an empty thought to the last reply."""
    torch.set_num_threads(1)
    signs = {sign: i for i, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    core = Tokenizer(models.BPE(vocab=signs, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(["<pad>", "<|im_start|>", END])
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token=END, padding_side="left",
        chat_template=qwen3_chat_template,
    )  # fmt: skip


class Speaker(LlamaForCausalLM):
    """Model that replies with random moves and ignores its weights.

    Some replies have no move, and some end early.
    """

    def generate(self, input_ids, **_):
        replies = [self.say(text) for text in self.tokenizer.batch_decode(input_ids)]
        ids = self.tokenizer(replies, padding=True, padding_side="right", return_tensors="pt")
        return torch.cat([input_ids, ids["input_ids"]], dim=1)

    def say(self, text):
        shown = re.findall(r"heap \d has (\d)|heaps (\d) (\d) (\d) move", text)
        one = [here for last in shown[-3:] for here in last if here][-3:]
        position = tuple(map(int, one))
        move = move_text(NIM, position, int(self.rng.choice(NIM.actions(position))))
        cut = move.ljust(20)  # as long as the longest reply: the model did not come to an end
        return self.rng.choice([move + END, move + END, cut, "I do not know." + END])


def moves_kept(completions, kept, **_):
    """A reward function of one's own, from the rewards of the turns."""
    return [float(np.mean(each)) for each in kept]


def trainer_of(rollouts, tokenizer, folder):
    torch.manual_seed(0)
    speaker = Speaker(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
            num_attention_heads=1, max_position_embeddings=4096, bos_token_id=None,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip
    speaker.tokenizer, speaker.rng = tokenizer, np.random.default_rng(0)
    settings = GRPOConfig(
        output_dir=str(folder), use_cpu=True, bf16=False, max_steps=1, num_generations=GAMES // 2,
        per_device_train_batch_size=GAMES, report_to="none", save_strategy="no",
        logging_strategy="no", disable_tqdm=True, loss_type="dr_grpo", scale_rewards="none",
    )  # fmt: skip
    return GRPOTrainer(
        model=speaker, reward_funcs=[game_result, moves_kept], args=settings,
        rollout_func=rollouts, train_dataset=rollouts.rows, processing_class=tokenizer,
    )  # fmt: skip


def replies_of(ids, turn_of, tokenizer):
    """Return the replies of a game, by the turns of its tokens."""
    return [
        tokenizer.decode([token for token, of in zip(ids, turn_of, strict=True) if of == turn])
        for turn in range(max(turn_of) + 1)
    ]


@pytest.mark.parametrize("talks", [False, True], ids=["texts", "messages"])
def test_a_game_is_one_text_in_which_the_models_words_are_marked(tokenizer, tmp_path, talks):
    style = {"style": "sentences" if talks else "short", "conversational": talks}
    rollouts = GameRollouts(NIM, [START], retries=1, **style)
    trainer = trainer_of(rollouts, tokenizer, tmp_path)
    (row,) = rollouts.rows["prompt"]
    played = rollouts([row] * GAMES, trainer)
    assert played["logprobs"] is None
    first = row
    if talks:
        first = f"<|im_start|>user\n{row[0]['content']}{END}\n<|im_start|>assistant\n"
    lengths = set()
    for number in range(GAMES):
        turn_of, ids = played["turn_of"][number], played["completion_ids"][number]
        replies = replies_of(ids, turn_of, tokenizer)
        game = TextGame(
            NIM, seat=0, retries=1, style="conversation" if talks else "short", seed=number
        )
        game.reset(START)
        turns, said = [], []
        for reply in replies:
            turns.append(game.reply(reply.removesuffix(END)))
            between = ""
            if not turns[-1].over and talks:
                end = "" if reply.endswith(END) else END
                between = f"{end}\n<|im_start|>user\n{turns[-1].message}{END}\n"
                between += "<|im_start|>assistant\n"
            elif not turns[-1].over:
                between = f"\n{turns[-1].prompt}\n"
            said.append(reply + between)
        assert tokenizer.decode(played["prompt_ids"][number]) == first
        assert tokenizer.decode(ids) == "".join(said)
        assert turns[-1].over
        assert played["result"][number] == turns[-1].points
        assert played["kept"][number] == [turn.reward or 0.0 for turn in turns]
        assert played["env_mask"][number] == [int(turn >= 0) for turn in turn_of]
        lengths.add(len(replies))
    assert len(lengths) > 1
    assert any(1.0 in kept for kept in played["kept"])
    with pytest.raises(ValueError, match="no row of these rollouts has the prompt"):
        rollouts(["heaps 1 move"], trainer)


def test_games_and_turns_are_what_the_model_is_trained_on(tokenizer, tmp_path, monkeypatch):
    """The advantage of a game comes from its rewards; only the model's words are trained."""
    scored, own = [], GRPOTrainer._generate_and_score_completions

    def spied(self, inputs):
        output = own(self, inputs)
        scored.append((inputs, output))
        return output

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", spied)
    rollouts = GameRollouts(NIM, [START, (0, 0, 3)], opponent="random", retries=1)
    trainer = trainer_of(rollouts, tokenizer, tmp_path)
    trainer.train()
    ((games, output),) = scored
    earned = torch.tensor([game["result"] + float(np.mean(game["kept"])) for game in games])
    by_group = earned.reshape(-1, GAMES // 2)
    expected = (by_group - by_group.mean(dim=1, keepdim=True)).flatten()
    torch.testing.assert_close(output["advantages"].flatten(), expected)
    assert bool(expected.any())
    for row, game in enumerate(games):
        written = [turn >= 0 for turn in game["turn_of"]]
        assert output["tool_mask"][row, : len(written)].bool().tolist() == written
        assert not all(written) or len(game["kept"]) == 1
