"""TRL: whole games as one text each, by ``rollout_func``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from nim_envs.adapters.trl.moves import positions_dataset, text_of
from nim_envs.game import Game
from nim_envs.optional import imports_for
from nim_envs.players import AnyPlayer
from nim_envs.text import Language, TextGame, Turn

with imports_for("the adapter for TRL", "trl"):
    from trl import GRPOTrainer

OPPONENT = -1
"""Turn of a token that is not the model's."""


def game_result(completions: Sequence[Any], result: Sequence[float], **_: Any) -> list[float]:
    """Return the reward of each game: 1 if it was won, ½ if drawn, 0 if lost or forfeited."""
    return list(result)


@dataclass
class Rollout:
    """One game as tokens: prompt, and completion with the model's replies and what lies between.

    Attributes:
        play: the game.
        prompt_ids: tokens of the first prompt.
        turns: the turns so far, one for each reply, with their verdicts.
        completion_ids: tokens after the prompt.
        turn_of: turn of each of them, ``OPPONENT`` for those that the model did not write.
        logprobs: their log-probabilities when sampled, 0 for the others; ``None``: unknown.
    """

    play: TextGame
    prompt_ids: list[int]
    turns: list[Turn] = field(default_factory=list)
    completion_ids: list[int] = field(default_factory=list)
    turn_of: list[int] = field(default_factory=list)
    logprobs: list[float] | None = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.turns) and self.turns[-1].over

    def reply(self, ids: list[int], logprobs: list[float] | None, text: str) -> Turn:
        """Make the move that a reply names."""
        self._add(ids, len(self.turns), logprobs)
        self.turns.append(self.play.reply(text))
        return self.turns[-1]

    def answer(self, ids: list[int]) -> None:
        """Add the opponent's answer, and the next prompt."""
        self._add(ids, OPPONENT, [0.0] * len(ids))

    def _add(self, ids: list[int], turn: int, logprobs: list[float] | None) -> None:
        self.completion_ids += ids
        self.turn_of += [turn] * len(ids)
        if self.logprobs is not None:
            self.logprobs = None if logprobs is None else self.logprobs + logprobs


class GameRollouts:
    """Whole games as texts, for ``GRPOTrainer(rollout_func=..., train_dataset=rollouts.rows)``.

    A completion holds the whole game: the model's replies, and between them the opponent's moves
    with the next prompts, which ``env_mask`` keeps out of the loss. Games of a group have the same
    start, at which the model is to move. The trainer's ``max_completion_length`` bounds each reply;
    the model needs room for the whole game.

    Args:
        game: the game, or its language.
        positions: starts, ``(n, fields)``; ``None``: all N-positions, as of
            :func:`positions_dataset`.
        opponent: as :class:`nim_envs.text.TextGame` takes it.
        retries: further replies allowed in a turn after one without a legal move.
        seed: seed of the opponents' moves.
        style: ``"short"`` or ``"sentences"``; later prompts in sentences have the position alone.
        answer: form of the answers, as in :func:`nim_envs.text.prompt`.
        last_line: as in :func:`nim_envs.text.read_move`.
        conversational: whether prompts are messages, for a model with a chat template.

    Raises:
        InvalidPositionError: not positions of the game.
        InvalidGameError: another argument is not one of the values above.
        SearchTooLargeError: too many positions to list; or the game cannot be solved.

    Example:
        >>> from nim_envs import make_game
        >>> rollouts = GameRollouts(make_game("nim", heaps=(1, 2)), opponent="random")
        >>> rollouts.rows[3]["prompt"]
        'normal heaps 1 2 move'
    """

    def __init__(
        self,
        game: Game | Language,
        positions: npt.ArrayLike | None = None,
        *,
        opponent: str | float | AnyPlayer = "optimal",
        retries: int = 0,
        seed: int = 0,
        style: str = "short",
        answer: str = "line",
        last_line: bool = False,
        conversational: bool = False,
    ) -> None:
        self.rows = positions_dataset(
            game, positions, style=style, answer=answer, conversational=conversational
        )
        self._starts = {
            text_of(prompt): tuple(position)
            for prompt, position in zip(self.rows["prompt"], self.rows["position"], strict=True)
        }
        self._game = game
        self._arguments: dict[str, Any] = {
            "opponent": opponent, "seat": 0, "retries": retries, "answer": answer,
            "last_line": last_line, "style": "conversation" if style == "sentences" else style,
        }  # fmt: skip
        self._seed = seed
        self._plays = [TextGame(game, seed=seed, **self._arguments)]

    def __call__(self, prompts: list[Any], trainer: GRPOTrainer) -> dict[str, Any]:
        """Play a game from each prompt, all at a time.

        Args:
            prompts: prompts of :attr:`rows`.
            trainer: the trainer whose model plays.

        Returns:
            The fields that TRL asks for, ``env_mask``, and for reward functions: ``result`` (1,
            ½ or 0), ``kept`` (the reward of each turn, 0 where it has none), ``turn_of`` (turn of
            each token, -1 where the model did not write it).

        Raises:
            ValueError: a prompt is none of the rows.
        """
        while len(self._plays) < len(prompts):
            self._plays.append(
                TextGame(self._game, seed=self._seed + len(self._plays), **self._arguments)
            )
        games = [
            self._begin(play, prompt, trainer)
            for play, prompt in zip(self._plays, prompts, strict=False)
        ]
        tokenizer, conversational = trainer.processing_class, not isinstance(prompts[0], str)
        while active := [game for game in games if not game.over]:
            so_far = [game.prompt_ids + game.completion_ids for game in active]
            ids, logprobs = trainer._generate_single_turn(so_far, None, {}, 1)
            texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
            for game, reply, each, text in zip(
                active, ids, logprobs or [None] * len(ids), texts, strict=True
            ):
                turn = game.reply(reply, each, text)
                if not turn.over and conversational:
                    game.answer(_between(trainer, reply, turn))
                elif not turn.over:  # a model without a chat template
                    asked = f"\n{turn.prompt}\n"
                    game.answer(tokenizer(asked, add_special_tokens=False)["input_ids"])
        known = all(game.logprobs is not None for game in games)
        return {
            "prompt_ids": [game.prompt_ids for game in games],
            "completion_ids": [game.completion_ids for game in games],
            "logprobs": [game.logprobs for game in games] if known else None,
            "env_mask": [[int(turn != OPPONENT) for turn in game.turn_of] for game in games],
            "result": [game.turns[-1].points for game in games],
            "kept": [[turn.reward or 0.0 for turn in game.turns] for game in games],
            "turn_of": [game.turn_of for game in games],
        }

    def _begin(self, play: TextGame, prompt: Any, trainer: GRPOTrainer) -> Rollout:
        """Return a new game at the position of a prompt."""
        start = self._starts.get(text_of(prompt))
        if start is None:
            raise ValueError(f"no row of these rollouts has the prompt {prompt!r}")
        play.reset(start)
        if isinstance(prompt, str):
            return Rollout(play, trainer.processing_class(prompt)["input_ids"])
        return Rollout(play, _templated(trainer, prompt, add_generation_prompt=True))


def _between(trainer: GRPOTrainer, reply: list[int], turn: Turn) -> list[int]:
    """Return the tokens from the end of a reply to the beginning of the next one."""
    before = [{"role": "user", "content": "-"}, {"role": "assistant", "content": "-"}]
    after = [*before, {"role": "user", "content": turn.message}]
    begin = _templated(trainer, before, add_generation_prompt=False)
    whole = _templated(trainer, after, add_generation_prompt=True)
    end = trainer.processing_class.eos_token_id
    if end not in begin:
        return whole[len(begin) :]
    # Templates may add tokens after the end of a message, and leave reasoning out of earlier ones:
    # what follows is found by the number of ends.
    ends = [place for place, token in enumerate(whole) if token == end]
    last = ends[begin.count(end) - 1]
    return whole[last + (reply[-1:] == [end]) :]


def _templated(trainer: GRPOTrainer, messages: list[Any], **options: Any) -> list[int]:
    ids: list[int] = trainer.processing_class.apply_chat_template(
        messages, tokenize=True, return_dict=False, chat_template=trainer.chat_template,
        **options, **trainer.chat_template_kwargs,
    )  # fmt: skip
    return ids
