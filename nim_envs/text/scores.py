"""Exact scores of replies in text, and the blunders among them."""

from __future__ import annotations

import dataclasses
import math
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.files import write_somewhere
from nim_envs.game import Game
from nim_envs.rules.moves_between import legal_counts
from nim_envs.scoring import optimality
from nim_envs.scoring.intervals import in_words, percent_interval
from nim_envs.scoring.scores import Decisive, position_set, scored_positions
from nim_envs.text.language import Language, as_language
from nim_envs.text.prompts import PROMPT_VERSION, STYLES, prompt
from nim_envs.text.reading import check_form
from nim_envs.text.replies import Answer, Replies, Request
from nim_envs.text.runner import answers
from nim_envs.text.speakers import BATCH_SIZE, Speak, asking
from nim_envs.text.verdicts import DRAW_KINDS, KINDS, Kind, Verdict, verdict
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

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
        failed: number of requests without a reply, which no share counts.
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
    failed: int
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
            f"{f'{self.failed} requests failed; ' if self.failed else ''}"
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
    concurrency: int = 1,
    replies: str | Path | None = None,
) -> TextScore:
    """Score a speaker, a function that answers prompts with text, by its replies at positions.

    As in :func:`nim_envs.optimality`, the score is over N-positions, as every move loses at a
    P-position. For a speaker that always gives the same reply to a prompt, ``percent`` is the
    optimality of its moves. In games with an outcome of their own it is over the positions that are
    not lost; where only one move is legal, nothing is asked.

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
        answer: form of the answers, which prompts in sentences ask for, as in :func:`prompt`.
        last_line: whether only the last line of a reply is read, as in :func:`read_move`.
        batch_size: maximum number of prompts in one call.
        concurrency: number of calls at a time, each in a thread of its own where it is over 1.
        replies: file of JSON Lines to which replies are written before they are judged, and from
            which an earlier run goes on; ``None``: they are written only if ``speak`` raises, to a
            new file that a warning names.

    Raises:
        TypeError: ``speak`` cannot be called, or ``game`` is neither a game nor a language.
        ValueError: an unknown set of positions; or ``replies`` holds something else, or replies of
            other prompts.
        InvalidGameError: an unknown style, or ``samples``, ``batch_size`` or ``concurrency`` is not
            an integer of at least 1; or the rules have no words, which ``"sentences"`` needs.
        InvalidPolicyError: the speaker returned something else than one string for each prompt.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate; or the game cannot be solved.

    Warns:
        RuntimeWarning: ``speak`` raised, and its replies are in a new file.

    Example:
        >>> import nim_envs
        >>> game = nim_envs.make_game("nim", heaps=(1, 2))
        >>> result = score(lambda prompts: ["heap 1: take 1"] * len(prompts), game, style="short")
        >>> print(result)
        50.00 % of 4 N-positions, all; random 70.83 %; of 4 replies: kept the win 50.00 %, threw it
        25.00 %, illegal 25.00 %, no move 0.00 %; nim, heaps 1-2, normal play; short prompts,
        version 2
        >>> [(blunder.position, blunder.verdict.kind) for blunder in result.blunders]
        [((0, 2), 'threw_win'), ((1, 0), 'illegal')]
    """
    check_form(answer, last_line)
    questions = Questions(
        as_language(game), positions, samples=samples, lost_positions=lost_positions, style=style,
        answer=answer,
    )  # fmt: skip
    file = Replies(None if replies is None else Path(replies), questions.header)
    try:
        answered = answers(
            asking(speak),
            questions,
            file,
            total=len(questions),
            batch_size=checked_integer("batch_size", batch_size, 1),
            concurrency=checked_integer("concurrency", concurrency, 1),
        )
        return questions.score(answered, last_line=last_line)
    except BaseException:
        if replies is None and len(file):
            name = f"text_replies_{file.digest}_{os.getpid()}.jsonl"
            path = write_somewhere(name, file.content())
            warnings.warn(
                f"{len(file)} replies are in {path}: replies={str(path)!r} goes on from them",
                RuntimeWarning,
                stacklevel=2,
            )
        raise
    finally:
        file.close()


class Questions:
    """The prompts of a score, and the score of their answers.

    Args:
        language: game and words of the prompts.
        positions: as :func:`score` takes them.
        samples: likewise.
        lost_positions: likewise.
        style: likewise.
        answer: likewise.

    Attributes:
        positions: position of each prompt, ``(prompts, components)``.
        scored_positions: those that the score counts, each once, ``(n, components)``.

    Raises:
        ValueError: an unknown set of positions.
        InvalidGameError: an unknown style, or ``samples`` is not an integer of at least 1.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate; or the game cannot be solved.
    """

    def __init__(
        self,
        language: Language,
        positions: str | npt.ArrayLike = "all",
        *,
        samples: int | None = None,
        lost_positions: bool = False,
        style: str = "sentences",
        answer: str = "line",
    ) -> None:
        self.language = language
        self.samples = None if samples is None else checked_integer("samples", samples, 1)
        self.style = checked_choice("style", style, STYLES)
        checked_boolean("lost_positions", lost_positions)
        rules = language.game.rules
        self.answer = answer
        prompt(language, rules.initial, style, answer=answer)  # raises errors now
        self.name, _, parts = position_set(language.game, positions)
        none = np.empty((0, len(rules.components)), dtype=np.int64)
        listed = np.concatenate([none, *(_with_a_choice(language.game, part) for part in parts)])
        self.scored_positions = scored_positions(language.game, listed)
        self.positions = np.repeat(
            listed if lost_positions else self.scored_positions, self.samples or 1, axis=0
        )
        self.header = {
            "game": language.name,
            "rules": language.rules,
            "prompt_version": PROMPT_VERSION,
            "positions": self.name,
            "samples": samples,
            "lost_positions": lost_positions,
            "style": style,
            "answer": answer,
        }

    def __len__(self) -> int:
        """Return the number of prompts."""
        return len(self.positions)

    def __iter__(self) -> Iterator[Request]:
        """Yield the requests; an id is the index of the reply and the position."""
        for index, position in enumerate(self.positions.tolist()):
            text = prompt(self.language, tuple(position), self.style, answer=self.answer)
            yield Request(f"{index}/{'-'.join(map(str, position))}", text)

    def score(
        self, answered: Iterable[tuple[Request, Answer]], *, last_line: bool = False
    ) -> TextScore:
        """Return the score of the answers to all requests, in any order."""
        game, rules = self.language.game, self.language.game.rules
        counts: dict[Kind, int] = dict.fromkeys((*KINDS, *DRAW_KINDS), 0)
        num_right = num_moves = failed = failed_scored = num_decisive = kept_decisive = 0
        blunders: dict[int, Blunder] = {}
        for request, answer in answered:
            index = int(request.id.partition("/")[0])
            position = tuple(self.positions[index].tolist())
            outcomes = self.language.outcomes(position)
            if answer.reply is None:
                failed += 1
                failed_scored += outcomes.value >= 0
                continue
            truth = verdict(
                self.language, position, answer.reply, answer=self.answer, last_line=last_line
            )
            counts[truth.kind] += 1
            num_right += truth.kept_value
            num_moves += truth.value >= 0 and truth.kind in MOVE_KINDS
            num_decisive += outcomes.is_decisive
            kept_decisive += outcomes.is_decisive and truth.kept_value
            if truth.value >= 0 and not truth.kept_value:
                here = rules.coordinate_tuple(np.array(position))
                blunders[index] = Blunder(here, answer.reply[:LONGEST_REPLY_SHOWN], truth)

        def share(count: int, whole: int) -> float:
            return 100.0 * count / whole if whole else math.nan

        replies = len(self.positions) - failed
        at_scored = len(self.scored_positions) * (self.samples or 1) - failed_scored
        percent = share(num_right, at_scored)
        interval = None
        if self.samples is not None and at_scored:
            interval = percent_interval(percent, at_scored)
        # The score of any policy comes with that of random moves.
        random = optimality(lambda _, masks: masks.argmax(axis=1), game, self.scored_positions)
        decisive = None
        if random.decisive is not None:
            decisive = dataclasses.replace(
                random.decisive, percent=share(kept_decisive, num_decisive)
            )
        shares: dict[str, Any] = {kind: share(count, replies) for kind, count in counts.items()}
        return TextScore(
            percent=percent,
            random_percent=random.random_percent,
            percent_of_moves=share(num_right, num_moves),
            failed=failed,
            count=len(self.scored_positions),
            replies=replies,
            positions=self.name,
            interval=interval,
            blunders=tuple(blunders[index] for index in sorted(blunders)),
            game=self.language.name,
            style=self.style,
            decisive=decisive,
            **shares,
        )


def positions_to_ask(game: Game) -> IntArray:
    """Return all positions of a game about which a score asks, ``(n, components)``."""
    return scored_positions(game, _with_a_choice(game, game.rules.lattice()))


def _with_a_choice(game: Game, positions: IntArray) -> IntArray:
    """Return the positions that leave a move; where draws exist, more than one."""
    least = 2 if game.has_outcome else 1  # forced moves, such as passes, are no question
    here: IntArray = positions[legal_counts(game.rules, positions) >= least]
    return here
