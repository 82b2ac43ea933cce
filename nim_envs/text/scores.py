"""Exact scores of replies in text, and the blunders among them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nim_envs.game import Game
from nim_envs.rules.validation import checked_boolean, checked_integer
from nim_envs.scoring import optimality
from nim_envs.scoring.enumeration import with_progress
from nim_envs.scoring.intervals import in_words, percent_interval
from nim_envs.scoring.scores import n_positions, position_set
from nim_envs.text.language import Language, as_language
from nim_envs.text.prompts import PROMPT_VERSION
from nim_envs.text.speakers import BATCH_SIZE, Speak, Speaker
from nim_envs.text.verdicts import KINDS, Kind, Verdict, verdict

LONGEST_KEPT = 1000
"""Maximum length of a reply in a ``Blunder``, in characters."""


@dataclass(frozen=True)
class Blunder:
    """A reply that did not keep a won position.

    Attributes:
        position: position of the prompt.
        reply: the reply, or its first ``LONGEST_KEPT`` characters.
        verdict: exact judgement of the reply.
    """

    position: tuple[int, ...]
    reply: str
    verdict: Verdict


@dataclass(frozen=True)
class TextScore:
    """Score of replies over the N-positions of a set.

    The five shares, by the kinds of :class:`Verdict`, are percent of all replies, and add up to
    100.

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
    """

    percent: float
    random_percent: float
    kept_win: float
    threw_win: float
    lost_position: float
    illegal: float
    format: float
    count: int
    replies: int
    positions: str
    interval: tuple[float, float] | None
    blunders: tuple[Blunder, ...]
    game: str
    style: str
    prompt_version: int = PROMPT_VERSION

    @property
    def shares(self) -> dict[Kind, float]:
        """The five shares by kind, in percent."""
        return {kind: getattr(self, kind) for kind in KINDS}

    def __repr__(self) -> str:
        """Return the score and the number of blunders in one line."""
        return f"TextScore({self}; {len(self.blunders)} blunders)"

    def __str__(self) -> str:
        """Return the score in one line."""
        lost = f"in lost positions {self.lost_position:.2f} %, " if self.lost_position else ""
        return (
            f"{self.percent:.2f} %{in_words(self.interval)} of {self.count} N-positions, "
            f"{self.positions}; random {self.random_percent:.2f} %; of {self.replies} replies: "
            f"kept the win {self.kept_win:.2f} %, threw it {self.threw_win:.2f} %, {lost}"
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
    style: str = "short",
    last_line: bool = False,
    batch_size: int = BATCH_SIZE,
) -> TextScore:
    """Score a speaker, a function that answers prompts with text, by its replies at positions.

    As in :func:`nim_envs.optimality`, the score is over N-positions, as every move loses at a
    P-position. For a speaker that always gives the same reply to a prompt, ``percent`` is the
    optimality of its moves.

    Args:
        speak: function from a list of prompts to the replies, one for each.
        game: the game, or its language.
        positions: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or an array
            ``(n, components)``, as :func:`nim_envs.optimality` takes them.
        samples: replies at each position, for a confidence interval of a stochastic speaker;
            ``None``: one reply and no interval.
        lost_positions: whether to include P-positions that leave a move; they change the shares of
            the kinds, but not ``percent``.
        style: ``"short"`` or ``"sentences"``, as in :func:`prompt`.
        last_line: whether only the last line of a reply is read, as in :func:`read_move`.
        batch_size: maximum number of prompts in one call.

    Raises:
        TypeError: ``speak`` cannot be called, or ``game`` is neither a game nor a language.
        ValueError: an unknown set of positions.
        InvalidGameError: an unknown style, or ``samples`` or ``batch_size`` is not an integer of at
            least 1.
        InvalidPolicyError: the speaker returned something else than one string for each prompt.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate; or the game cannot be solved.

    Example:
        >>> import nim_envs
        >>> game = nim_envs.make_game("nim", heaps=(1, 2))
        >>> result = score(lambda prompts: ["heap 1: take 1"] * len(prompts), game)
        >>> print(result)
        50.00 % of 4 N-positions, all; random 70.83 %; of 4 replies: kept the win 50.00 %, threw it
        25.00 %, illegal 25.00 %, no move 0.00 %; nim, heaps 1-2, normal play; short prompts,
        version 2
        >>> [(blunder.position, blunder.verdict.kind) for blunder in result.blunders]
        [((0, 2), 'threw_win'), ((1, 0), 'illegal')]
    """
    language = as_language(game)
    speaker = Speaker(speak, language, style, batch_size)
    each = 1 if samples is None else checked_integer("samples", samples, 1)
    checked_boolean("lost_positions", lost_positions)
    rules = language.game.rules
    name, _, parts = position_set(language.game, positions)
    none = np.empty((0, len(rules.components)), dtype=np.int64)
    listed = np.concatenate([none, *(part[~rules.is_terminal(part)] for part in parts)])
    won = n_positions(language.game, listed)
    asked = np.repeat(listed if lost_positions else won, each, axis=0)
    counts = dict.fromkeys(KINDS, 0)
    kept = 0
    blunders: list[Blunder] = []
    for batch in with_progress(speaker.batches(asked), len(asked), "replies"):
        for place, reply in zip(batch.tolist(), speaker.replies(batch), strict=True):
            position = tuple(place)
            truth = verdict(language, position, reply, last_line=last_line)
            counts[truth.kind] += 1
            kept += truth.kept_win
            if truth.winning and not truth.kept_win:
                here = rules.coordinate_tuple(np.array(position))
                blunders.append(Blunder(here, reply[:LONGEST_KEPT], truth))

    def share(number: int, whole: int) -> float:
        return 100.0 * number / whole if whole else math.nan

    percent = share(kept, len(won) * each)
    interval = None
    if samples is not None and len(won):
        interval = percent_interval(percent, len(won) * each)
    return TextScore(
        percent=percent,
        random_percent=_random_percent(language.game, won),
        kept_win=share(counts["kept_win"], len(asked)),
        threw_win=share(counts["threw_win"], len(asked)),
        lost_position=share(counts["lost_position"], len(asked)),
        illegal=share(counts["illegal"], len(asked)),
        format=share(counts["format"], len(asked)),
        count=len(won),
        replies=len(asked),
        positions=name,
        interval=interval,
        blunders=tuple(blunders),
        game=language.name,
        style=style,
    )


def _random_percent(game: Game, positions: npt.NDArray[np.int64]) -> float:
    """Return the score of random moves at N-positions, which comes with that of any policy."""
    if not len(positions):
        return math.nan
    return optimality(lambda _, masks: masks.argmax(axis=1), game, positions).random_percent
