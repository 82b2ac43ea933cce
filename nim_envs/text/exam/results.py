"""Results of an exam: judged replies, by setting, and their means."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nim_envs.text.claims import Claim, check_claims
from nim_envs.text.exam.suite import RECITED, SUITE_VERSION, UNREAD, Item, Setting, Suite
from nim_envs.text.prompts import PROMPT_VERSION
from nim_envs.text.replies import Answer, Request
from nim_envs.text.scores import MOVE_KINDS
from nim_envs.text.verdicts import verdict

FORMAT = "nim_envs exam results, version 1"
RESAMPLES = 10_000
FAILED = "failed"
"""Kind of a request without a reply."""

PARTS: dict[str, tuple[str, Sequence[str]]] = {
    "all": ("all settings", ()),
    "recited": ("recited: plain Nim", RECITED),
    "unread": ("unread: octal codes, graphs, own rules", UNREAD),
}
"""Parts of the suite with a mean of their own: heading and groups, none for all of them."""


class Interval(NamedTuple):
    """A mean over settings with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as ``"12.3 (10.1 to 14.5)"``, or ``"-"`` where there is none."""
        if math.isnan(self.mean):
            return "-"
        return f"{self.mean:.1f} ({self.low:.1f} to {self.high:.1f})"


def bootstrap(values: Iterable[float]) -> Interval:
    """Return the mean of values with the interval of means of samples of as many of them.

    Args:
        values: one for each setting; NaN is left out.
    """
    numbers = np.array([value for value in values if not math.isnan(value)])
    if not len(numbers):
        return Interval(math.nan, math.nan, math.nan)
    resamples = np.random.default_rng(0).integers(len(numbers), size=(RESAMPLES, len(numbers)))
    low, high = np.percentile(numbers[resamples].mean(axis=1), (2.5, 97.5))
    return Interval(float(numbers.mean()), float(low), float(high))


def mean_over(values: Iterable[tuple[str, float]], groups: Collection[str]) -> Interval:
    """Return the mean over settings.

    Args:
        values: group and value of each setting.
        groups: groups of the settings that count; empty for all.
    """
    return bootstrap(value for group, value in values if not groups or group in groups)


@dataclass(frozen=True)
class Row:
    """The score in one setting.

    Attributes:
        setting: its name.
        group: its group.
        replies: number of replies; failed requests are not among them.
        failed: number of requests without a reply.
        percent: percent of the replies that keep the win.
        percent_of_moves: percent of the replies that held a move that keep it; NaN if none did.
        random_percent: percent for random legal moves.
        illegal: percent of replies with a move that is not allowed.
        no_move: percent of replies without a move in the form asked for.
        tokens: mean tokens of a reply; NaN where they are unknown.
        claims: mean number of claims in a reply; NaN if reasons were not asked for.
        true_claims: percent of the claims that are true; NaN if there are none.
        false_reasons: percent of the replies that keep the win and make a false claim; NaN if
            reasons were not asked for.
    """

    setting: str
    group: str
    replies: int
    failed: int
    percent: float
    percent_of_moves: float
    random_percent: float
    illegal: float
    no_move: float
    tokens: float
    claims: float = math.nan
    true_claims: float = math.nan
    false_reasons: float = math.nan

    @property
    def above_random(self) -> float:
        """Score of 0 for random moves and 100 for perfect ones."""
        return 100.0 * (self.percent - self.random_percent) / (100.0 - self.random_percent)


@dataclass(frozen=True)
class Results:
    """The results of an exam.

    Attributes:
        about: facts about the run and the reading: seed, versions, speaker, form of the answers.
        rows: the settings.
        kinds: kind of the verdict by id of the request, or ``"failed"``.
        missing: number of requests without an answer, as a run that was stopped leaves them.
    """

    about: dict[str, Any]
    rows: tuple[Row, ...]
    kinds: dict[str, str]
    missing: int = 0

    def mean(self, groups: Collection[str] = ()) -> Interval:
        """Return the mean of :attr:`Row.above_random` over settings.

        Args:
            groups: those of these groups; empty for all.
        """
        return mean_over(((row.group, row.above_random) for row in self.rows), groups)

    @property
    def summary(self) -> dict[str, Interval]:
        """The means over all settings, over those of plain Nim, and over random games."""
        return {part: self.mean(groups) for part, (_, groups) in PARTS.items()}

    @property
    def has_reasons(self) -> bool:
        """Whether the prompts asked for reasons."""
        return bool(self.about["form"].get("reasons"))

    def as_json(self) -> str:
        """Return the results as JSON; :meth:`from_json` reads them."""
        facts = {
            "format": FORMAT,
            "about": self.about,
            "summary": {name: _for_json(each._asdict()) for name, each in self.summary.items()},
            "rows": [_for_json(asdict(row)) for row in self.rows],
            "kinds": self.kinds,
            "missing": self.missing,
        }
        return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, path: Path) -> Results:
        """Return the results in a file.

        Raises:
            ValueError: it holds something else.
            OSError: it cannot be read.
        """
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            if facts["format"] != FORMAT:
                raise ValueError(f"its format is {facts['format']!r}")
            rows = tuple(Row(**_from_json(row)) for row in facts["rows"])
            return cls(facts["about"], rows, facts["kinds"], facts["missing"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} holds no results of an exam ({error})") from None


def _for_json(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts in which NaN, which JSON does not have, is ``None``."""
    return {name: None if value != value else value for name, value in facts.items()}


def _from_json(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: math.nan if value is None else value for name, value in facts.items()}


def header(
    suite: Suite, speaker: str, settings: dict[str, Any], samples: int, form: dict[str, Any]
) -> dict[str, Any]:
    """Return the header of a file of replies to an exam.

    Args:
        suite: the suite.
        speaker: name of the model or program.
        settings: everything else that its replies depend on.
        samples: replies at each position.
        form: arguments of :func:`nim_envs.text.prompt`.
    """
    return {
        "exam": SUITE_VERSION,
        "seed": suite.seed,
        "only": list(suite.only),
        "speaker": speaker,
        "settings": settings,
        "samples": samples,
        "form": form,
        "prompt_version": PROMPT_VERSION,
    }


class Judged(NamedTuple):
    """A judged answer.

    Attributes:
        kind: kind of the verdict, or ``"failed"``.
        tokens: tokens of the reply; ``None``: unknown.
        claims: its claims that are true or false.
    """

    kind: str
    tokens: int | None = None
    claims: tuple[Claim, ...] = ()

    @property
    def has_false_reason(self) -> bool:
        """Whether it keeps the win for a reason that is false."""
        return self.kind == "kept_win" and not all(claim.is_true for claim in self.claims)


def judge(
    suite: Suite,
    pairs: Iterable[tuple[Request, Answer]],
    facts: dict[str, Any],
    reading: dict[str, Any],
) -> Results:
    """Return the results of answers.

    Args:
        suite: the suite.
        pairs: requests and their answers, those of a suite's ids alone; of several answers to one
            request the last counts.
        facts: header of the file of replies.
        reading: arguments of :func:`nim_envs.text.verdict`.

    Raises:
        ValueError: an id is not of this suite.
    """
    reasons = bool(facts["form"].get("reasons"))
    judged: dict[str, Judged] = {}
    for request, answer in pairs:
        place = suite.items.get(request.id.rpartition("#")[0])
        if place is None:
            raise ValueError(f"{request.id!r} is not a position of the suite of seed {suite.seed}")
        judged[request.id] = _judged(*place, answer, reading, reasons)
    by_setting: dict[str, list[Judged]] = {}
    for name, each in judged.items():
        by_setting.setdefault(name.partition("/")[0], []).append(each)
    rows = tuple(
        _row(setting, by_setting[setting.name], reasons)
        for setting in suite.settings
        if setting.name in by_setting
    )
    about = {
        "suite_version": facts["exam"],
        **{name: value for name, value in facts.items() if name not in ("exam", "format")},
        "reading": reading,
    }
    kinds = {name: each.kind for name, each in judged.items()}
    return Results(about, rows, kinds, len(suite.items) * facts["samples"] - len(kinds))


def _judged(
    setting: Setting, item: Item, answer: Answer, reading: dict[str, Any], reasons: bool
) -> Judged:
    if answer.reply is None:
        return Judged(FAILED)
    claims = check_claims(setting.language, item.position, answer.reply) if reasons else ()
    return Judged(
        verdict(setting.language, item.position, answer.reply, **reading).kind,
        answer.reply_tokens,
        tuple(claim for claim in claims if claim.is_true is not None),
    )


def _row(setting: Setting, judged: list[Judged], reasons: bool) -> Row:
    replies = [each for each in judged if each.kind != FAILED]
    kinds = [each.kind for each in replies]
    moves = [kind for kind in kinds if kind in MOVE_KINDS]
    claims = [claim.is_true for each in replies for claim in each.claims]
    return Row(
        setting.name,
        setting.group,
        len(replies),
        len(judged) - len(replies),
        percent=percent(kind == "kept_win" for kind in kinds),
        percent_of_moves=percent(kind == "kept_win" for kind in moves),
        random_percent=setting.random_percent,
        illegal=percent(kind == "illegal" for kind in kinds),
        no_move=percent(kind == "format" for kind in kinds),
        tokens=mean(each.tokens for each in replies if each.tokens is not None),
        claims=mean(len(each.claims) for each in replies) if reasons else math.nan,
        true_claims=percent(map(bool, claims)),
        false_reasons=percent(each.has_false_reason for each in replies) if reasons else math.nan,
    )


def mean(values: Iterable[float]) -> float:
    """Return the mean of values; NaN if there are none."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else math.nan


def percent(flags: Iterable[bool]) -> float:
    """Return the percentage of flags that are true; NaN if there are none."""
    return mean(100.0 * flag for flag in flags)
