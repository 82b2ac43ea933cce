"""A decoder learns to speak and to play by text; its benchmark scores it exactly."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from agents.research.language_model import (
    Batch,
    Credit,
    Decoder,
    PolicyGradient,
    PolicyGradientSettings,
    SupervisedSettings,
    Words,
    advantages,
    learn_to_speak,
    log_probabilities,
    policy_loss,
    sample,
    speaker,
)

from benchmarks.text.__main__ import main as text
from benchmarks.text.__main__ import tasks
from benchmarks.text.picture import figure
from benchmarks.text.report import FLOOR, reached
from benchmarks.text.runs import PlayResult, split
from benchmarks.text.settings import BOARDS, CHOOSING, LAST, ROWS, SEEDS
from nim_envs import make_game
from nim_envs.text import prompt, read_move, reward, score, verdict
from tests.legible import check_legible

SMALL = make_game("nim", heaps=(1, 2))


@pytest.fixture(scope="module")
def words():
    torch.set_num_threads(1)
    return Words(SMALL)


@pytest.fixture(scope="module")
def reference(words):
    return learn_to_speak(words, 0, SupervisedSettings(updates=150, positions=5, moves=8))


def untrained(words, seed=0):
    return Decoder(words, seed)


def test_the_words_are_those_of_prompts_and_moves():
    full = Words(make_game("nim", heaps=(3, 4, 5)))
    assert len(full.words) == 13
    assert len(full.positions) == 119
    assert len(full.won) == 102
    asked = full.prompts_at(full.positions).tolist()
    assert len({tuple(numbers) for numbers in asked}) == 119
    for position in full.positions:
        texts = full.moves(position)
        assert len(set(texts)) == sum(position)
        for text_of_move, numbers in zip(texts, full.replies(texts).tolist(), strict=True):
            said = full.text(numbers)
            read = read_move(full.language, position, said)
            assert read.action == read_move(full.language, position, text_of_move).action
            assert read.kind == "legal"


def test_words_of_another_game_and_lengths_that_differ_are_refused(words):
    with pytest.raises(ValueError, match=r"'7': not among the words of .*heap"):
        words.prompts(["normal heaps 1 7 move"])
    with pytest.raises(ValueError, match="all moves of the game must have as many words"):
        Words(make_game("kayles", heaps=(3,)))


def test_arguments_that_credit_does_not_take_are_refused():
    with pytest.raises(ValueError, match="'random'"):
        Credit("random")
    with pytest.raises(ValueError, match="reference_replies must be 0"):
        Credit("self", reference_replies=2)


def test_it_has_the_stated_size():
    full = Words(make_game("nim", heaps=(3, 4, 5)))
    assert sum(each.numel() for each in untrained(full).parameters()) == 102_477


def test_words_after_a_word_change_nothing_and_the_cache_changes_nothing(words):
    model = untrained(words)
    rng = torch.Generator().manual_seed(0)
    length = words.prompt_length + words.reply_length - 1
    numbers = torch.randint(len(words.words), (6, length), generator=rng)
    logits, _ = model(numbers)
    other = numbers.clone()
    other[:, -1] = (other[:, -1] + 1) % len(words.words)
    torch.testing.assert_close(model(other)[0][:, :-1], logits[:, :-1])
    for first in range(1, length):
        _, cache = model(numbers[:, :first])
        rest, _ = model(numbers[:, first:], cache)
        torch.testing.assert_close(rest, logits[:, first:])


def test_log_probabilities_are_those_of_reading_prompt_and_reply_in_one_go(words, reference):
    prompts = words.prompts_at(words.positions * 3)
    drawn = sample(reference, prompts, words.reply_length, torch.Generator().manual_seed(1))
    replies = drawn.clone()  # as one that gradients may be taken of
    whole, _ = reference(torch.cat([prompts, replies[:, :-1]], 1))
    expected = whole[:, prompts.shape[1] - 1 :].log_softmax(2).gather(2, replies[..., None])
    torch.testing.assert_close(log_probabilities(reference, prompts, replies), expected[..., 0])


def test_replies_are_sampled_with_their_probabilities(words, reference):
    prompts = words.prompts_at([(1, 2)])
    drawn = sample(
        reference, prompts.expand(20_000, -1), words.reply_length, torch.Generator().manual_seed(0)
    )
    replies, counts = drawn.unique(dim=0, return_counts=True)
    chances = log_probabilities(reference, prompts.expand(len(replies), -1), replies).sum(1).exp()
    often = chances > 0.01
    assert often.sum() >= 3
    error = (counts / 20_000 - chances).abs() / (chances * (1 - chances) / 20_000).sqrt()
    assert error[often].max() < 4.5


def test_supervised_training_teaches_legal_moves(words, reference):
    spoken = score(
        speaker(words, reference, 0),
        words.language,
        words.positions,
        samples=100,
        lost_positions=True,
        style="short",
    )
    assert spoken.illegal + spoken.format < 10
    before = score(speaker(words, untrained(words), 0), words.language, samples=20, style="short")
    assert before.illegal + before.format > 90


def test_advantages_by_hand():
    rewards = torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, -1.0, -1.0, 1.0]])
    one, others = 0.75 / math.sqrt(3 / 16), -0.25 / math.sqrt(3 / 16)
    expected = torch.tensor([[one, others, others, others], [0.0] * 4, [1.0, -1.0, -1.0, 1.0]])
    torch.testing.assert_close(advantages(rewards), expected)


def test_an_update_goes_along_the_gradient_worked_out_by_hand(words):
    # With all weights 0 but the biases of the last layer, each word is drawn from one softmax.
    model = untrained(words)
    with torch.no_grad():
        for each in model.parameters():
            each.zero_()
    prompts = words.prompts_at([(1, 2), (1, 2), (0, 1)])
    replies = words.replies(["heap 0: take 1", "heap 1: take 2", "heap 1: take 1"])
    loss = policy_loss(model, Batch(prompts, replies, torch.tensor([2.0, -1.0, 0.0])))
    chance, length = 1 / len(words.words), words.reply_length
    assert loss.item() == pytest.approx(-(2 - 1) * length * math.log(chance) / 3, rel=1e-5)
    loss.backward()
    expected = np.zeros(len(words.words))
    for advantage, reply in ((2.0, replies[0]), (-1.0, replies[1])):
        for word in reply.tolist():
            expected -= advantage / 3 * (np.eye(len(expected))[word] - chance)
    bias = model.last[1].bias.grad
    np.testing.assert_allclose(bias.numpy(), expected, atol=1e-6)


def student(words, reference, seed=0, moves=4_000, **credit):
    settings = PolicyGradientSettings(moves=moves, groups=2, games=2, size=8, rate=3e-3)
    return PolicyGradient(words, reference, Credit(**credit), settings, seed)


@pytest.mark.parametrize("row", ROWS)
def test_rewards_are_the_verdicts_and_results_of_the_games_in_text(words, reference, row):
    learner = student(words, reference, **ROWS[row])
    batch = learner.by_result() if learner.credit.opponent else learner.by_turn()
    numbered = words.prompts_at(words.positions).tolist()
    places = dict(zip(map(tuple, numbered), words.positions, strict=True))
    asked = [places[tuple(numbers)] for numbers in batch.prompts.tolist()]
    said = [words.text(reply) for reply in batch.replies.tolist()]
    if learner.credit.opponent is None:
        assert len(batch.advantages) == 16
        earned = [
            reward(verdict(SMALL, here, reply)) for here, reply in zip(asked, said, strict=True)
        ]
        expected = advantages(torch.tensor(earned).view(2, 8)).flatten()
        torch.testing.assert_close(batch.advantages, expected)
        assert len(set(asked[:8])) == len(set(asked[8:])) == 1
        return
    won = [verdict(SMALL, here, "").winning for here in asked[:16]]
    assert all(won)  # all games begin where the first player can win
    transcripts = [play.transcript for play in learner.plays]
    assert sum(len(each.replies) for each in transcripts) == len(said)
    assert sorted(reply for each in transcripts for reply in each.replies) == sorted(said)
    assert [each.prompts[0] for each in transcripts] == [prompt(SMALL, here) for here in asked[:16]]
    if learner.credit.opponent == "self":
        # A game's replies are praised and blamed in turn.
        lengths = [len(each.replies) for each in transcripts]
        second = [number for number, length in enumerate(lengths) if length > 1]
        after = batch.advantages[16 : 16 + len(second)]
        torch.testing.assert_close(after, -batch.advantages[second])
    for each, advantage in zip(transcripts, batch.advantages[:16].tolist(), strict=True):
        last = verdict(SMALL, _position(each.prompts[-1]), each.replies[-1])
        finished = last.after == (0, 0)
        mine = learner.credit.opponent == "optimal" or len(each.replies) % 2 == 1
        if advantage:
            assert (advantage > 0) == (finished == mine)


def _position(text_of_prompt):
    return tuple(int(word) for word in text_of_prompt.split() if word.isdigit())


def test_the_reference_model_replies_last_in_a_group_and_is_never_changed(words, reference):
    before = {name: each.clone() for name, each in reference.state_dict().items()}
    learner = student(words, reference, positive=True, reference_replies=2)
    with torch.no_grad():  # a model that always says the same
        learner.model.last[1].bias[words.numbers["move"]] = 100.0
    batch = learner.by_turn()
    said = [words.text(reply) for reply in batch.replies.tolist()]
    own = " ".join(["move"] * words.reply_length)
    assert [text_of_reply == own for text_of_reply in said] == ([True] * 6 + [False] * 2) * 2
    learner.update()
    for name, each in reference.state_dict().items():
        torch.testing.assert_close(each, before[name], rtol=0, atol=0)


def test_with_positive_advantages_alone_no_reply_is_made_less_likely(words, reference, monkeypatch):
    told = []

    def recorded(model, batch):
        told.append(batch.advantages)
        return policy_loss(model, batch)

    monkeypatch.setattr("agents.research.language_model.policy_loss", recorded)
    for positive in (True, False):
        told.clear()
        learner = student(words, reference, positive=positive)
        for _ in range(5):
            learner.update()
        assert (min(each.min() for each in told) < 0) == (not positive)


def test_a_small_board_is_learned_and_the_same_seed_learns_the_same(words, reference):
    learners = [
        student(words, reference, seed, 1_600, positive=True, reference_replies=2)
        for seed in (3, 3, 4)
    ]
    for learner in learners:
        while learner.moves < learner.settings.moves:
            learner.update()
    assert learners[0].moves == 1_600
    assert score(speaker(words, learners[0].model), SMALL, style="short").percent == 100
    one, same, other = (
        torch.cat([each.flatten() for each in learner.model.state_dict().values()])
        for learner in learners
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    again = learn_to_speak(words, 0, SupervisedSettings(updates=150, positions=5, moves=8))
    for name, each in again.state_dict().items():
        assert torch.equal(each, reference.state_dict()[name])


def test_a_third_is_held_out_of_both_kinds_of_training():
    board = BOARDS["nim-3-4-5-held-out"]
    full = Words(board.make())
    use = split(full, board.held_out, 0)
    assert len(use.scored) == 34
    assert len(use.trained) == 68
    assert len(use.supervised) == 85
    assert not {*use.scored} & {*use.supervised}
    assert {*use.trained} < {*use.supervised}
    assert use != split(full, board.held_out, 1)
    everything = split(full, 0, 0)
    assert everything.scored == everything.trained == full.won


def test_seeds_that_choose_are_not_reported():
    assert not set(CHOOSING) & set(range(SEEDS))


def test_rows_and_boards_of_the_command():
    assert len(tasks(None, None, False, 5, False)) == 4 * 5
    everything = tasks(None, None, True, 5, False)
    assert len(everything) == 5 * (len(ROWS) + 2)
    assert {board for board, _, _ in everything} == set(BOARDS)
    assert tasks(None, None, False, 1, True) == [("nim-3-4-5", LAST, 0)]


def test_the_first_score_at_the_floor_is_told():
    def run(*percents):
        curve = tuple((10_000 * n, percent) for n, percent in enumerate(percents))
        return PlayResult("", "", 0, 0, 0.0, 0.0, 0.0, curve)

    assert reached([run(20, 50, FLOOR, 90), run(20, 99)]) == "10 to 20 thousand"
    assert reached([run(20, 99), run(20, 97)]) == "10 thousand (1 of 2)"
    assert reached([run(20, 97)]) == "never"


@pytest.mark.parametrize("everything", [False, True])
def test_the_picture_is_legible(everything):
    runs = [
        PlayResult(board, row, seed, 200_000, 1.0, 90.0, 90.0, ((0, 20.0), (200_000, 90.0 + seed)))
        for board, row, seed in tasks(None, None, everything, 2, False)
    ]
    check_legible(figure([], runs))


def test_the_benchmark_writes_what_it_prints(tmp_path, capsys):
    text(["--quick", "--jobs", "1", "--output", str(tmp_path)])
    printed = capsys.readouterr().out
    with (tmp_path / "text.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == ["speech", LAST]
    assert [row["of"] for row in rows] == ["102", "102"]
    assert int(rows[1]["sampled moves"]) >= 2_000
    with (tmp_path / "text_curves.csv").open(encoding="utf-8", newline="") as file:
        curve = list(csv.DictReader(file))
    assert curve[-1]["percent"] == rows[1]["percent"]
    assert curve[0]["percent"] == rows[0]["percent"]
    report = (tmp_path / "text.md").read_text(encoding="utf-8")
    for name in ("speech", LAST, "random moves"):
        assert name in printed
        assert name in report
    assert (tmp_path / "text.png").exists()
    with pytest.raises(SystemExit):
        text(["--all", "--rows", LAST, "--output", str(tmp_path)])
    assert "--all runs every row" in capsys.readouterr().err


def test_the_program_of_the_page_runs_alone(capsys):
    """With few moves: what stands below it takes a minute."""
    page = Path(__file__).resolve().parents[2] / "docs" / "language_model.md"
    text = page.read_text(encoding="utf-8")
    ((program, shown),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    shorter = program.replace("200_000", "200").replace("Settings()", "Settings(updates=5)", 1)
    assert shorter.count("200") == 1
    exec(compile(shorter, page.name, "exec"), {})
    printed = capsys.readouterr().out
    figures = r"\d+\.\d\d"
    assert re.sub(figures, "", printed) == re.sub(figures, "", shown)
