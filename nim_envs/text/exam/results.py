"""Results of an exam: replies judged by setting, their means, and tables of them."""

import csv
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

import numpy as np

from nim_envs.errors import InvalidPolicyError
from nim_envs.text.exam.suite import RECITED, SUITE_VERSION, UNREAD, Setting, Suite
from nim_envs.text.prompts import PROMPT_VERSION
from nim_envs.text.reading import check_form
from nim_envs.text.scores import MOVE_KINDS

RESAMPLES = 10_000
"""Resamples of the bootstrap."""

PARTS: dict[str, tuple[str, Sequence[str]]] = {
    "all": ("all settings", ()),
    "recited": ("recited: plain Nim", RECITED),
    "unread": ("unread: octal codes, graphs, own rules", UNREAD),
}
"""Parts of the suite with a mean of their own: heading and groups, none for all of them."""

SCORES = {
    "percent": "% kept",
    "percent_of_moves": "of moves",
    "random_percent": "random",
    "illegal": "illegal %",
    "no_move": "no move %",
}
"""Headings of the attributes of rows in tables."""


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
    """Return the mean of values with the interval of means of samples of as many of them."""
    numbers = np.array(list(values))
    if not len(numbers):
        return Interval(math.nan, math.nan, math.nan)
    resamples = np.random.default_rng(0).integers(len(numbers), size=(RESAMPLES, len(numbers)))
    low, high = np.percentile(numbers[resamples].mean(axis=1), (2.5, 97.5))
    return Interval(float(numbers.mean()), float(low), float(high))


@dataclass(frozen=True)
class Row:
    """The score in one setting.

    Attributes:
        setting: its name.
        group: its group.
        replies: number of replies.
        percent: percent of the replies that keep the win.
        percent_of_moves: percent of the replies with a move that keep it; NaN if none has one.
        random_percent: percent for random legal moves.
        illegal: percent of replies with a move that is not allowed.
        no_move: percent of replies without a move in the form asked for.
    """

    setting: str
    group: str
    replies: int
    percent: float
    percent_of_moves: float
    random_percent: float
    illegal: float
    no_move: float

    @property
    def above_random(self) -> float:
        """Score of 0 for random moves and 100 for perfect ones."""
        return 100.0 * (self.percent - self.random_percent) / (100.0 - self.random_percent)


@dataclass(frozen=True)
class Results:
    """The results of an exam.

    Attributes:
        about: seed, versions and form of the answers, in words.
        rows: the settings.
        kinds: kind of the verdict by id of the position.
    """

    about: str
    rows: tuple[Row, ...]
    kinds: dict[str, str]

    def mean(self, groups: Collection[str] = ()) -> Interval:
        """Return the mean of :attr:`Row.above_random` over settings.

        Args:
            groups: those of these groups; empty for all.
        """
        return bootstrap(row.above_random for row in self.rows if not groups or row.group in groups)

    @property
    def summary(self) -> dict[str, Interval]:
        """The means over all settings, over those of plain Nim, and over random games."""
        return {part: self.mean(groups) for part, (_, groups) in PARTS.items()}

    def markdown(self) -> str:
        """Return tables in Markdown: the means, and a line for each setting."""
        means = [(PARTS[part][0], mean) for part, mean in self.summary.items()]
        rows = [
            [row.setting, row.group, row.replies, *(_number(getattr(row, name)) for name in SCORES)]
            for row in self.rows
        ]
        heading = "score from random 0 to perfect 100"
        tables = [
            _table([heading, "mean over settings (95 % interval)"], means),
            _table(["setting", "group", "replies", *SCORES.values()], rows),
        ]
        return "\n\n".join([f"{self.about}.", *tables]) + "\n"

    def csv(self) -> str:
        """Return a line for each setting as CSV."""
        table = io.StringIO()
        names = [each.name for each in fields(Row)]
        writer = csv.DictWriter(table, names, lineterminator="\n")
        writer.writeheader()
        for row in map(asdict, self.rows):
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
        return table.getvalue()


def judge(
    suite: Suite, replies: Mapping[str, str], *, answer: str = "tag", last_line: bool = False
) -> Results:
    """Return the results of the replies to a suite.

    Args:
        suite: the suite.
        replies: reply to the prompt of each position, by its id.
        answer: form of the answers, as in :func:`nim_envs.text.read_move`.
        last_line: likewise.

    Raises:
        InvalidGameError: an unknown ``answer``, or ``last_line`` that does not fit it.
        InvalidPolicyError: a reply to a position that is not in the suite, or none to one that is.

    Example:
        >>> from nim_envs.text.exam import Suite
        >>> suite = Suite(seed=0, only=("nim-3-4-5",))
        >>> print(judge(suite, dict.fromkeys(suite.items, "No idea.")).rows[0].no_move)
        100.0
    """
    check_form(answer, last_line)
    unknown, missing = replies.keys() - suite.items.keys(), suite.items.keys() - replies.keys()
    if unknown:
        raise InvalidPolicyError(
            f"{min(unknown)!r} is not a position of {suite}: give the seed and the settings with "
            "which the prompts were written"
        )
    if missing:
        raise InvalidPolicyError(
            f"{len(missing)} of the {len(suite.items)} positions of {suite} have no reply, such as "
            f"{min(missing)!r}"
        )
    kinds: dict[str, str] = {
        name: suite.verdict(name, replies[name], answer=answer, last_line=last_line).kind
        for name in suite.items
    }
    return Results(
        f"Suite version {SUITE_VERSION}: {suite}; prompts version {PROMPT_VERSION}; answers read "
        f"as {answer}{', from the last line' if last_line else ''}",
        tuple(
            _row(setting, [kinds[item.id] for item in setting.items]) for setting in suite.settings
        ),
        kinds,
    )


def _row(setting: Setting, kinds: list[str]) -> Row:
    def percent(kind: str, among: list[str] = kinds) -> float:
        return 100.0 * among.count(kind) / len(among) if among else math.nan

    return Row(
        setting.name,
        setting.group,
        len(kinds),
        percent=percent("kept_win"),
        percent_of_moves=percent("kept_win", [kind for kind in kinds if kind in MOVE_KINDS]),
        random_percent=setting.random_percent,
        illegal=percent("illegal"),
        no_move=percent("format"),
    )


def _table(headings: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1f}"
