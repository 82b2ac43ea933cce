"""Exact verdicts on replies, and their rewards."""

from dataclasses import dataclass
from typing import Literal, cast

from nim_envs.game import Game
from nim_envs.text.language import GivenPosition, Language, as_language
from nim_envs.text.reading import read_move

Kind = Literal[
    "kept_win", "threw_win", "kept_draw", "threw_draw", "lost_position", "illegal", "format"
]

KINDS: tuple[Kind, ...] = ("kept_win", "threw_win", "lost_position", "illegal", "format")
"""The kinds of verdicts where no game is drawn."""

DRAW_KINDS: tuple[Kind, ...] = ("kept_draw", "threw_draw")
"""Further kinds, of legal moves in drawn positions: games with an outcome of their own."""


@dataclass(frozen=True)
class Verdict:
    """The exact judgement of a reply.

    Attributes:
        kind: ``"kept_win"`` or ``"threw_win"``: a legal move in a won position, to a P-position
            or not; ``"kept_draw"`` or ``"threw_draw"``: a legal move in a drawn position, after
            which it is still drawn or the opponent wins; ``"lost_position"``: a legal move where
            every move loses; ``"illegal"``: a move that is not allowed there; ``"format"``: the
            reply holds no move in the form asked for.
        action: the legal action that the reply names; ``None``: it names none.
        after: the position after it; ``None`` without a legal action.
        winning: whether the position was won for the player to move.
        kept_win: whether it was, and still is after the move.
        why: how the reply was read, or why it names no legal action.
        value: value of the position to the player to move: 1 won, 0 drawn, -1 lost.
    """

    kind: Kind
    action: int | None
    after: tuple[int, ...] | None
    winning: bool
    kept_win: bool
    why: str
    value: int

    @property
    def kept_value(self) -> bool:
        """Whether a legal move keeps the win or the draw."""
        return self.kind in ("kept_win", "kept_draw")


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
        position: ``(fields,)``.
        reply: any text.
        answer: form of the answer, as in :func:`read_move`.
        last_line: likewise.

    Raises:
        TypeError: ``reply`` is not a string, or ``game`` neither a game nor a language.
        InvalidGameError: an unknown ``answer``, or ``last_line`` that does not fit it.
        InvalidPositionError: not a position of the game.
        SearchTooLargeError: the game cannot be solved.

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
    value, won = truth.value, truth.value == 1
    if reading.action is None:
        return Verdict(cast(Kind, reading.kind), None, None, won, False, reading.why, value)
    keeps = reading.action in truth.keeping
    after = truth.after[reading.action]
    kind: Kind = "lost_position"
    if value >= 0:
        kinds: tuple[Kind, ...] = ("kept_win", "threw_win") if won else DRAW_KINDS
        kind = kinds[0] if keeps else kinds[1]
    return Verdict(kind, reading.action, after, won, won and keeps, reading.why, value)


def reward(verdict: Verdict) -> float | None:
    """Return the reward of a reply: 1 if it keeps a win, ½ if it keeps a draw, else 0.

    It is ``None`` for a legal move in a lost position, as every move loses there; a reply without a
    legal move gets 0 even there. A win thrown away gets 0, also where a draw is left.

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
    return {"kept_win": 1.0, "kept_draw": 0.5}.get(verdict.kind, 0.0)
