"""Exact scores of replies in text, and the blunders among them."""

import dataclasses
import math
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidPolicyError
from nim_envs.game import Game
from nim_envs.scoring import (
    Decisive,
    in_words,
    not_lost,
    optimality,
    percent_interval,
    position_set,
)
from nim_envs.text.language import Language, as_language
from nim_envs.text.prompts import PROMPT_VERSION, STYLES, prompt
from nim_envs.text.reading import check_form
from nim_envs.text.verdicts import DRAW_KINDS, KINDS, Kind, Verdict, verdict
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

Speak = Callable[[list[str]], Sequence[str]]
"""A function from a list of prompts to the replies, one for each, in the same order."""

BATCH_SIZE = 64
"""Default maximum number of prompts in one call."""

LONGEST_REPLY_SHOWN = 1000
"""Maximum length of a reply in a ``Blunder``, in characters."""

MOVE_KINDS: tuple[Kind, ...] = ("kept_win", "threw_win", *DRAW_KINDS, "lost_position", "illegal")
"""The kinds of replies that held a move."""


@dataclass(frozen=True)
class Blunder:
    """A reply that did not keep a won or drawn position.

    Attributes:
        position: position of the prompt.
        reply: the reply, or its first ``LONGEST_REPLY_SHOWN`` characters.
        verdict: exact judgement of the reply.
    """

    position: tuple[int, ...]
    reply: str
    verdict: Verdict


@dataclass(frozen=True)
class TextScore:
    """Score of replies over the N-positions of a set.

    The shares by the kinds of :class:`Verdict` are percent of all replies, and add up to 100.

    In games with an outcome of their own, where draws exist, the positions are those that are not
    lost and leave a choice of moves, and a reply keeps the win or the draw.

    Attributes:
        percent: share of the replies at N-positions that keep the win, in percent; NaN if the set
            has no N-position.
        random_percent: the same for random moves.
        kept_win: share of replies of this kind; equals ``percent`` unless lost positions were
            included.
        threw_win: share of replies of this kind.
        lost_position: share of replies of this kind.
        illegal: share of replies of this kind.
        format: share of replies of this kind.
        percent_of_moves: ``percent`` among the replies that held a move, legal or not; NaN if none
            did.
        count: number of N-positions.
        replies: number of replies.
        positions: the set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        interval: 95 % confidence interval of the expectation of ``percent``, where ``samples`` was
            given; else ``None``.
        blunders: the replies at N-positions that did not keep the win.
        game: the game in short, with the seed of its disguise.
        style: ``"short"`` or ``"sentences"``.
        prompt_version: ``PROMPT_VERSION`` when the replies were scored.
        kept_draw: share of replies of this kind.
        threw_draw: share of replies of this kind.
        decisive: in games with an outcome of their own, ``percent`` over the *decisive* positions,
            at which some move loses value, and their number; else ``None``.
    """

    percent: float
    random_percent: float
    kept_win: float
    threw_win: float
    lost_position: float
    illegal: float
    format: float
    percent_of_moves: float
    count: int
    replies: int
    positions: str
    interval: tuple[float, float] | None
    blunders: tuple[Blunder, ...]
    game: str
    style: str
    prompt_version: int = PROMPT_VERSION
    kept_draw: float = 0.0
    threw_draw: float = 0.0
    decisive: Decisive | None = None

    @property
    def shares(self) -> dict[Kind, float]:
        """The shares by kind, in percent; those of draws only in games that have them."""
        kinds = KINDS if self.decisive is None else (*KINDS[:2], *DRAW_KINDS, *KINDS[2:])
        return {kind: getattr(self, kind) for kind in kinds}

    @property
    def counted(self) -> str:
        """Name of the positions that ``count`` counts."""
        if self.decisive is None:
            return "N-positions"
        return "positions that are not lost and leave a choice"

    def __repr__(self) -> str:
        """Return the score and the number of blunders in one line."""
        return f"TextScore({self}; {len(self.blunders)} blunders)"

    def __str__(self) -> str:
        """Return the score in one line."""
        lost = f"in lost positions {self.lost_position:.2f} %, " if self.lost_position else ""
        decisive = draws = ""
        if self.decisive is not None:
            decisive = f"{self.decisive}; "
            draws = f"kept the draw {self.kept_draw:.2f} %, threw it {self.threw_draw:.2f} %, "
        return (
            f"{self.percent:.2f} %{in_words(self.interval)} of {self.count} {self.counted}, "
            f"{self.positions}; random {self.random_percent:.2f} %; {decisive}"
            f"of {self.replies} replies: "
            f"kept the win {self.kept_win:.2f} %, threw it {self.threw_win:.2f} %, {draws}{lost}"
            f"illegal {self.illegal:.2f} %, no move {self.format:.2f} %; "
            f"{self.game}; {self.style} prompts, version {self.prompt_version}"
        )


def score(
    speak: Speak,
    game: Game | Language,
    positions: str | npt.ArrayLike = "all",
    *,
    samples: int | None = None,
    lost_positions: bool = False,
    style: str = "sentences",
    answer: str = "line",
    last_line: bool = False,
    batch_size: int = BATCH_SIZE,
) -> TextScore:
    """Score a function that answers prompts with text, such as a model, by its replies.

    As in :func:`nim_envs.optimality`, the score is over N-positions, as every move loses at a
    P-position. For a function that always gives the same reply to a prompt, ``percent`` is the
    optimality of its moves. In games with an outcome of their own it is over the positions that are
    not lost; where only one move is legal, nothing is asked.

    Args:
        speak: function from a list of prompts to the replies, one for each.
        game: the game, or its language.
        positions: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or an array
            ``(n, fields)``, as :func:`nim_envs.optimality` takes them.
        samples: replies at each position, for a confidence interval of a stochastic function;
            ``None``: one reply and no interval.
        lost_positions: whether to include P-positions that leave a move; they change the shares of
            the kinds, but not ``percent``.
        style: ``"short"`` or ``"sentences"``, as in :func:`prompt`.
        answer: form of the answers, which prompts in sentences ask for, as in :func:`prompt`.
        last_line: whether only the last line of a reply is read, as in :func:`read_move`.
        batch_size: maximum number of prompts in one call.

    Raises:
        TypeError: ``speak`` cannot be called, or ``game`` is neither a game nor a language.
        ValueError: an unknown set of positions.
        InvalidGameError: an unknown style or form of answers, or ``samples`` or ``batch_size`` is
            not an integer of at least 1; or the rules have no words, which ``"sentences"`` needs.
        InvalidPolicyError: ``speak`` returned something else than one string for each prompt.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate; or the game cannot be solved.

    Example:
        >>> import nim_envs
        >>> game = nim_envs.make_game("nim", heaps=(1, 2))
        >>> result = score(lambda prompts: ["heap 1: take 1"] * len(prompts), game, style="short")
        >>> print(result)
        50.00 % of 4 N-positions, all; random 70.83 %; of 4 replies: kept the win 50.00 %, threw it
        25.00 %, illegal 25.00 %, no move 0.00 %; nim, heaps 1-2, normal play; short prompts,
        version 3
        >>> [(blunder.position, blunder.verdict.kind) for blunder in result.blunders]
        [((0, 2), 'threw_win'), ((1, 0), 'illegal')]
    """
    check_form(answer, last_line)
    if not callable(speak):
        raise TypeError(
            f"speak must be a function of a list of prompts that returns replies, not {speak!r}"
        )
    language = as_language(game)
    repeats = 1 if samples is None else checked_integer("samples", samples, 1)
    checked_integer("batch_size", batch_size, 1)
    checked_boolean("lost_positions", lost_positions)
    checked_choice("style", style, STYLES)
    prompt(language, language.game.start, style, answer=answer)  # raises errors now
    name = positions if isinstance(positions, str) else "given"
    listed = positions_to_ask(language.game, positions, lost_positions=True)
    counted = positions_to_ask(language.game, positions)
    repeated = np.repeat(listed if lost_positions else counted, repeats, axis=0)
    asked = [tuple(position) for position in repeated.tolist()]
    replies: list[str] = []
    for first in range(0, len(asked), batch_size):
        here = asked[first : first + batch_size]
        given = speak([prompt(language, position, style, answer=answer) for position in here])
        is_listing = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
        listed_replies = [*given] if is_listing else []
        if len(listed_replies) != len(here) or not all(isinstance(r, str) for r in listed_replies):
            raise InvalidPolicyError(
                f"speak must return one string for each of {len(here)} prompts, not "
                f"{reprlib.repr(given)}"
            )
        replies += listed_replies
    truths = [
        verdict(language, position, reply, answer=answer, last_line=last_line)
        for position, reply in zip(asked, replies, strict=True)
    ]
    decisive = [
        truth.kept_value
        for truth, found in zip(truths, map(language.outcomes, asked), strict=True)
        if 0 < len(found.keeping) < len(found.after)
    ]
    # The score of any policy comes with that of random moves.
    random = optimality(lambda _, masks: masks.argmax(axis=1), language.game, counted)
    moves = [truth for truth in truths if truth.value >= 0 and truth.kind in MOVE_KINDS]
    num_right, at_counted = sum(truth.kept_value for truth in truths), len(counted) * repeats
    percent = _percent(num_right, at_counted)
    shares: dict[str, Any] = {
        kind: _percent(sum(truth.kind == kind for truth in truths), len(truths))
        for kind in (*KINDS, *DRAW_KINDS)
    }
    return TextScore(
        percent=percent,
        random_percent=random.random_percent,
        percent_of_moves=_percent(num_right, len(moves)),
        count=len(counted),
        replies=len(replies),
        positions=name,
        interval=percent_interval(percent, at_counted) if samples and at_counted else None,
        blunders=tuple(
            Blunder(position, reply[:LONGEST_REPLY_SHOWN], truth)
            for position, reply, truth in zip(asked, replies, truths, strict=True)
            if truth.value >= 0 and not truth.kept_value
        ),
        game=language.name,
        style=style,
        decisive=None
        if random.decisive is None
        else dataclasses.replace(random.decisive, percent=_percent(sum(decisive), len(decisive))),
        **shares,
    )


def _percent(count: int, whole: int) -> float:
    return 100.0 * count / whole if whole else math.nan


def positions_to_ask(
    game: Game, positions: str | npt.ArrayLike = "all", *, lost_positions: bool = False
) -> IntArray:
    """Return the positions of a set about which a score asks, ``(n, fields)``.

    They leave a move; where draws exist, more than one, as forced moves are no question.
    """
    least = 2 if game.has_outcome else 1
    _, solution, states = position_set(game, positions)
    here = states if lost_positions else not_lost(solution, states)
    fits = solution.board.mask(here).sum(axis=-1, dtype=np.int64) >= least
    return solution.board.positions(here[fits])
