"""Results of an exam: judged replies, their table, and the comparison of two."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nim_envs.text.exam.suite import RECITED, SUITE_VERSION, UNREAD, Suite
from nim_envs.text.replies import Answer, Request
from nim_envs.text.scores import WITH_A_MOVE
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


def bootstrap(values: Sequence[float]) -> Interval:
    """Return the mean of values with the interval of means of samples of as many of them.

    Args:
        values: one for each setting; NaN is left out.
    """
    known = np.array([value for value in values if not math.isnan(value)])
    if not len(known):
        return Interval(math.nan, math.nan, math.nan)
    drawn = np.random.default_rng(0).integers(len(known), size=(RESAMPLES, len(known)))
    low, high = np.percentile(known[drawn].mean(axis=1), (2.5, 97.5))
    return Interval(float(known.mean()), float(low), float(high))


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

    def mean(self, groups: Iterable[str] = ()) -> Interval:
        """Return the mean of :attr:`Row.above_random` over settings.

        Args:
            groups: those of these groups; empty for all.
        """
        wanted = tuple(groups)
        rows = [row for row in self.rows if not wanted or row.group in wanted]
        return bootstrap([row.above_random for row in rows])

    @property
    def summary(self) -> dict[str, Interval]:
        """The means over all settings, over those of plain Nim, and over games that are drawn."""
        return {part: self.mean(groups) for part, (_, groups) in PARTS.items()}

    def as_json(self) -> str:
        """Return the results as JSON; :meth:`from_json` reads them."""
        facts = {
            "format": FORMAT,
            "about": self.about,
            "summary": {name: each._asdict() for name, each in self.summary.items()},
            "rows": [vars(row) for row in self.rows],
            "kinds": self.kinds,
            "missing": self.missing,
        }
        return json.dumps(_without_nan(facts), indent=1, ensure_ascii=False) + "\n"

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
            rows = []
            for row in facts["rows"]:
                known: dict[str, Any] = {
                    name: math.nan if value is None else value for name, value in row.items()
                }
                rows.append(Row(**known))
            return cls(facts["about"], tuple(rows), facts["kinds"], facts["missing"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no results of an exam ({error})") from None

    def as_markdown(self) -> str:
        """Return the results as tables in Markdown."""
        about = self.about
        summary = self.summary
        replies = sum(row.replies for row in self.rows)
        failed = sum(row.failed for row in self.rows)
        facts = [
            f"suite version {about['suite_version']}, seed {about['seed']}",
            f"prompts version {about['prompt_version']}, {_form(about)}",
            f"{replies} replies",
            *([f"{failed} requests failed"] if failed else []),
            *([f"{self.missing} not asked yet"] if self.missing else []),
            *(["a part of the suite"] if about.get("only") else []),
        ]
        lines = [
            f"**{about['speaker']}**: {'; '.join(facts)}.",
            "",
            "| score from random 0 to perfect 100 | mean over settings (95 % interval) |",
            "|---|---|",
            *(f"| {heading} | {summary[part]} |" for part, (heading, _) in PARTS.items()),
            "",
            "| setting | group | replies | % kept | of moves | random | illegal % | no move % | "
            "tokens |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            numbers = (
                row.percent,
                row.percent_of_moves,
                row.random_percent,
                row.illegal,
                row.no_move,
            )
            lines.append(
                f"| {row.setting} | {row.group} | {row.replies}"
                f"{f' (+{row.failed} failed)' if row.failed else ''} | "
                f"{' | '.join(_number(each) for each in numbers)} | {_number(row.tokens, 0)} |"
            )
        return "\n".join(lines) + "\n"


def _form(about: dict[str, Any]) -> str:
    """The form of the prompts and the reading in words."""
    return ", ".join(
        f"{name} {value}" for name, value in {**about["form"], **about["reading"]}.items()
    )


def _number(value: float, digits: int = 1) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _without_nan(value: Any) -> Any:
    """Return data in which NaN, which JSON does not have, is ``None``."""
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def header(
    suite: Suite, speaker: str, settings: dict[str, Any], samples: int, form: dict[str, Any],
    prompt_version: int,
) -> dict[str, Any]:  # fmt: skip
    """Return the header of a file of replies to an exam.

    Args:
        suite: the suite.
        speaker: name of the model or program.
        settings: everything else that its replies depend on.
        samples: replies at each position.
        form: arguments of :func:`nim_envs.text.prompt`.
        prompt_version: version of the prompts.
    """
    return {
        "exam": SUITE_VERSION,
        "seed": suite.seed,
        "only": list(suite.only),
        "speaker": speaker,
        "settings": settings,
        "samples": samples,
        "form": form,
        "prompt_version": prompt_version,
    }


def judge(
    suite: Suite,
    said: Iterable[tuple[Request, Answer]],
    facts: dict[str, Any],
    reading: dict[str, Any],
) -> Results:
    """Return the results of answers.

    Args:
        suite: the suite.
        said: requests and their answers, those of a suite's ids alone.
        facts: header of the file of replies.
        reading: arguments of :func:`nim_envs.text.verdict`.

    Raises:
        ValueError: an id is not of this suite.
    """
    kinds: dict[str, str] = {}
    tokens: dict[str, int] = {}
    for request, answer in said:
        found = suite.items.get(request.id.rpartition("#")[0])
        if found is None:
            raise ValueError(f"{request.id!r} is not a position of the suite of seed {suite.seed}")
        if answer.reply is None:
            kinds[request.id] = FAILED
            continue
        setting, item = found
        kinds[request.id] = verdict(setting.language, item.position, answer.reply, **reading).kind
        tokens.pop(request.id, None)
        if answer.reply_tokens is not None:
            tokens[request.id] = answer.reply_tokens
    by_setting: dict[str, list[str]] = {}
    for name in kinds:
        by_setting.setdefault(name.partition("/")[0], []).append(name)
    rows = []
    for setting in suite.settings:
        ids = by_setting.get(setting.name, [])
        judged = [kinds[name] for name in ids if kinds[name] != FAILED]
        if not ids:
            continue
        kept = judged.count("kept_win")
        moves = sum(kind in WITH_A_MOVE for kind in judged)
        counted = [tokens[name] for name in ids if name in tokens]
        rows.append(
            Row(
                setting.name,
                setting.group,
                len(judged),
                len(ids) - len(judged),
                _percent(kept, len(judged)),
                _percent(kept, moves),
                setting.random_percent,
                _percent(judged.count("illegal"), len(judged)),
                _percent(len(judged) - moves, len(judged)),
                sum(counted) / len(counted) if counted else math.nan,
            )
        )
    about = {
        "suite_version": facts["exam"],
        **{name: value for name, value in facts.items() if name not in ("exam", "format")},
        "reading": reading,
    }
    return Results(about, tuple(rows), kinds, len(suite.items) * facts["samples"] - len(kinds))


def _percent(number: int, whole: int) -> float:
    return 100.0 * number / whole if whole else math.nan


def markdown_of(found: Sequence[Results]) -> str:
    """Return one table in Markdown of several results of a suite, a line for each speaker."""
    headings = " | ".join(heading for heading, _ in PARTS.values())
    lines = [
        f"| speaker | {headings} | illegal % | no move % | tokens |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in found:
        means = [_mean([getattr(row, name) for row in each.rows]) for name in COLUMNS]
        lines.append(
            f"| {each.about['speaker']} | "
            f"{' | '.join(map(str, each.summary.values()))} | "
            f"{_number(means[0])} | {_number(means[1])} | {_number(means[2], 0)} |"
        )
    return "\n".join(lines) + "\n"


COLUMNS = ("illegal", "no_move", "tokens")


def csv_of(found: Sequence[Results]) -> str:
    """Return the rows of several results as CSV, a line for each speaker and setting."""
    names = [each.name for each in fields(Row)]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["speaker", "seed", *names])
    for each in found:
        for row in each.rows:
            values = (getattr(row, name) for name in names)
            cells = (f"{value:.6g}" if isinstance(value, float) else value for value in values)
            writer.writerow([each.about["speaker"], each.about["seed"], *cells])
    return table.getvalue()


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def compare(one: Results, other: Results) -> str:
    """Return the paired differences of two results, the second less the first, in Markdown.

    Args:
        one: results of a suite.
        other: results of the same suite.

    Raises:
        ValueError: they are of different suites or prompts.
    """
    for name in ("suite_version", "seed", "samples", "prompt_version"):
        if one.about[name] != other.about[name]:
            raise ValueError(
                f"results of different suites: {name} {one.about[name]} and {other.about[name]}"
            )
    first, second = one.about["speaker"], other.about["speaker"]
    pairs: dict[tuple[str, str], list[int]] = {}
    groups = {row.setting: row.group for row in (*one.rows, *other.rows)}
    gained = lost = 0
    for name, kind in one.kinds.items():
        other_kind = other.kinds.get(name, FAILED)
        if FAILED in (kind, other_kind):
            continue
        difference = (other_kind == "kept_win") - (kind == "kept_win")
        gained += difference > 0
        lost += difference < 0
        setting = name.partition("/")[0]
        pairs.setdefault((setting, groups[setting]), []).append(difference)
    means = {key: 100.0 * sum(each) / len(each) for key, each in pairs.items()}
    parts = {
        heading: [mean for (_, group), mean in means.items() if not wanted or group in wanted]
        for heading, wanted in PARTS.values()
    }
    lines = [
        f"**{second}** less **{first}**, percent of wins kept at the same "
        f"{sum(map(len, pairs.values()))} prompts: {gained} by {second} alone, {lost} by {first} "
        "alone.",
        "",
        "| settings | mean difference (95 % interval) |",
        "|---|---|",
        *(f"| {name} | {bootstrap(values)} |" for name, values in parts.items() if values),
        "",
        "| setting | group | prompts | difference |",
        "|---|---|---|---|",
        *(
            f"| {setting} | {group} | {len(pairs[setting, group])} | {mean:+.1f} |"
            for (setting, group), mean in means.items()
        ),
    ]
    return "\n".join(lines) + "\n"
