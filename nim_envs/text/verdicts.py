"""Exact verdicts on replies, and their rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from nim_envs.game import Game
from nim_envs.text.language import GivenPosition, Language, as_language
from nim_envs.text.reading import read_move

Kind = Literal["kept_win", "threw_win", "lost_position", "illegal", "format"]

KINDS: tuple[Kind, ...] = ("kept_win", "threw_win", "lost_position", "illegal", "format")
"""The kinds of verdicts."""


@dataclass(frozen=True)
class Verdict:
    """The exact judgement of a reply.

    Attributes:
        kind: ``"kept_win"`` or ``"threw_win"``: a legal move in a won position, to a P-position
            or not; ``"lost_position"``: a legal move where none wins; ``"illegal"``: a move that
            is not allowed there; ``"format"``: the reply holds no move in the form asked for.
        action: the legal action that the reply names; ``None``: it names none.
        after: the position after it, in coordinates where the game has them; ``None`` without a
            legal action.
        winning: whether the position was won for the player to move.
        kept_win: whether it was, and still is after the move.
        why: how the reply was read, or why it names no legal action.
    """

    kind: Kind
    action: int | None
    after: tuple[int, ...] | None
    winning: bool
    kept_win: bool
    why: str


def verdict(
    game: Game | Language,
    position: GivenPosition,
    reply: str,
    *,
    answer: str = "line",
    last_line: bool = False,
) -> Verdict:
    """Return the exact verdict on a reply at a position.

    Args:
        game: the game, or its language.
        position: ``(components,)``.
        reply: any text.
        answer: form of the answer, as in :func:`read_move`.
        last_line: likewise.

    Raises:
        TypeError: ``reply`` is not a string, or ``game`` neither a game nor a language.
        InvalidGameError: an unknown ``answer``, or ``last_line`` that does not fit it.
        InvalidPositionError: not a position of the game.
        SearchTooLargeError: the game cannot be solved, or its moves cannot be listed.

    Example:
        >>> from nim_envs import make_game
        >>> game = make_game("nim")
        >>> verdict(game, (3, 4, 5), "heap 0: take 2").kind
        'kept_win'
        >>> verdict(game, (3, 4, 5), "heap 0: take 3").after
        (0, 4, 5)
        >>> verdict(game, (1, 4, 5), "heap 0: take 2").kind
        'illegal'
    """
    language = as_language(game)
    here = language.position(position)
    reading = read_move(language, here, reply, answer=answer, last_line=last_line)
    truth = language.outcomes(here)
    if reading.action is None:
        return Verdict(cast(Kind, reading.kind), None, None, truth.winning, False, reading.why)
    kept = truth.winning and reading.action in truth.lost_after
    after = language.game.rules.coordinate_tuple(np.array(truth.after[reading.action]))
    kind: Kind = "lost_position"
    if truth.winning:
        kind = "kept_win" if kept else "threw_win"
    return Verdict(kind, reading.action, after, truth.winning, kept, reading.why)


def reward(verdict: Verdict) -> float | None:
    """Return the reward of a reply: 1 if it kept a win, else 0; ``None`` where no move wins.

    A reply without a legal move gets 0 even where no move wins.

    Raises:
        TypeError: no verdict.

    Example:
        >>> from nim_envs import make_game
        >>> game = make_game("nim")
        >>> [reward(verdict(game, (2, 2, 0), text)) for text in ("heap 0: take 1", "pass")]
        [None, 0.0]
    """
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a Verdict is expected, not {verdict!r}")
    if verdict.kind == "lost_position":
        return None
    return 1.0 if verdict.kept_win else 0.0
