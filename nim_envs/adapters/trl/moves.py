"""TRL: datasets of positions, and reward functions of single moves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.game import Game
from nim_envs.optional import imports_for
from nim_envs.sums import states_at
from nim_envs.text import PROMPT_VERSION, Language, Verdict, prompt, reward
from nim_envs.text import verdict as verdict_of
from nim_envs.text.answers import ANSWERS
from nim_envs.text.language import as_language
from nim_envs.text.scores import positions_to_ask
from nim_envs.validation import checked_boolean, checked_choice

with imports_for("the adapter for TRL", "trl"):
    from datasets import Dataset

TextOrMessages = str | Sequence[dict[str, Any]]
"""Prompt or completion: a text, or the messages of a conversation."""

RewardFunction = Callable[..., list[float | None]]


def positions_dataset(
    game: Game | Language,
    positions: npt.ArrayLike | None = None,
    *,
    style: str = "short",
    answer: str = "line",
    conversational: bool = False,
) -> Dataset:
    """Return a dataset of positions, one row each, with the columns that the rewards read.

    Its columns: ``prompt``, a text or, for models with a chat template, a message of the user;
    ``position``, a list of integers; ``prompt_version``.

    Args:
        game: the game, or its language.
        positions: ``(n, fields)``; ``None``: all N-positions; in games with an outcome of their
            own, all positions that are not lost and leave a choice of moves.
        style: style of the prompts, as :func:`nim_envs.text.prompt` takes it.
        answer: form of the answers that prompts in sentences ask for.
        conversational: whether prompts are messages.

    Raises:
        InvalidPositionError: not positions of the game.
        ValueError: an unknown ``style``.
        SearchTooLargeError: too many positions to list; or the game cannot be solved.

    Example:
        >>> from nim_envs import make_game
        >>> rows = positions_dataset(make_game("nim", heaps=(1, 2)))
        >>> len(rows), rows[0]
        (4, {'prompt': 'normal heaps 0 1 move', 'position': [0, 1], 'prompt_version': 3})
    """
    language = as_language(game)
    if positions is None:
        listed = positions_to_ask(language.game)
    else:
        states_at(language.game.board, positions)  # raises errors
        listed = np.reshape(positions, (-1, len(language.game.fields)))
    texts = [prompt(language, position, style, answer=answer) for position in listed]
    prompts: list[Any] = [[{"role": "user", "content": text}] for text in texts]
    return Dataset.from_dict(
        {
            "prompt": prompts if conversational else texts,
            "position": listed.tolist(),
            "prompt_version": [PROMPT_VERSION] * len(listed),
        }
    )


def text_of(message: TextOrMessages) -> str:
    """Return the text of a prompt or completion, or the content of its last message."""
    if isinstance(message, str):
        return message
    return str(message[-1].get("content") or "") if message else ""


def _reward_function(
    name: str,
    reward_of: Callable[[Verdict], float | None],
    game: Game | Language,
    answer: str,
    last_line: bool,
) -> RewardFunction:
    """Return a reward function, from the reward of a verdict, under a name that TRL logs."""
    language = as_language(game)
    checked_choice("answer", answer, ANSWERS)
    checked_boolean("last_line", last_line)

    def rewards(
        completions: Sequence[TextOrMessages], position: Sequence[Sequence[int]], **_: Any
    ) -> list[float | None]:
        return [
            reward_of(
                verdict_of(
                    language,
                    tuple(here),
                    text_of(completion),
                    answer=answer,
                    last_line=last_line,
                )
            )
            for completion, here in zip(completions, position, strict=True)
        ]

    rewards.__name__ = name
    return rewards


def kept_win(
    game: Game | Language, *, answer: str = "line", last_line: bool = False
) -> RewardFunction:
    """Return a reward function: 1 where a reply keeps the win, ½ where it keeps a draw, else 0.

    ``None``, which TRL leaves out, for a legal move in a lost position.

    Args:
        game: the game, or the language of the prompts.
        answer: form of the answers, as :func:`nim_envs.text.read_move` takes it.
        last_line: as :func:`nim_envs.text.read_move` takes it.

    Returns:
        A function of the columns of :func:`positions_dataset` and the completions.

    Raises:
        InvalidGameError: an argument is not one of the values above.
    """
    return _reward_function("kept_win", reward, game, answer, last_line)


def legal_move(
    game: Game | Language, *, answer: str = "line", last_line: bool = False
) -> RewardFunction:
    """Return a reward function: 1 where a reply names a legal move, else 0.

    Arguments and return value: :func:`kept_win`.
    """
    return _reward_function(
        "legal_move", lambda truth: float(truth.action is not None), game, answer, last_line
    )
