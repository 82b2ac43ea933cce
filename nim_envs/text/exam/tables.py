"""Tables of results of an exam: Markdown, CSV, and the comparison of two results."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields

from nim_envs.text.exam.results import FAILED, PARTS, Results, Row, mean, mean_over

SCORES = {
    "percent": "% kept",
    "percent_of_moves": "of moves",
    "random_percent": "random",
    "illegal": "illegal %",
    "no_move": "no move %",
    "tokens": "tokens",
}
"""Headings of the attributes of rows in tables."""

REASONS = {"claims": "claims", "true_claims": "true %", "false_reasons": "kept, false reason %"}
"""Those where reasons were asked for."""


def markdown(results: Results) -> str:
    """Return results as tables in Markdown: their means, and a line for each setting."""
    about, rows = results.about, results.rows
    failed = sum(row.failed for row in rows)
    form = {**about["form"], **about["reading"]}
    facts = [
        f"suite version {about['suite_version']}, seed {about['seed']}",
        f"prompts version {about['prompt_version']}, "
        + ", ".join(f"{name} {value}" for name, value in form.items()),
        f"{sum(row.replies for row in rows)} replies",
        f"{failed} requests failed" if failed else "",
        f"{results.missing} not asked yet" if results.missing else "",
        "a part of the suite" if about["only"] else "",
    ]
    columns = SCORES | (REASONS if results.has_reasons else {})
    means = zip([heading for heading, _ in PARTS.values()], results.summary.values(), strict=True)
    return "\n\n".join(
        [
            f"**{about['speaker']}**: {'; '.join(filter(None, facts))}.",
            _table(["score from random 0 to perfect 100", "mean over settings (95 % interval)"],
                   means),
            _table(["setting", "group", "replies", *columns.values()],
                   [_line(row, columns) for row in rows]),
        ]
    ) + "\n"  # fmt: skip


def _line(row: Row, columns: Iterable[str]) -> list[object]:
    failed = f" (+{row.failed} failed)" if row.failed else ""
    numbers = [_number(name, getattr(row, name)) for name in columns]
    return [row.setting, row.group, f"{row.replies}{failed}", *numbers]


def markdown_of_speakers(results: Sequence[Results]) -> str:
    """Return one table in Markdown of several results of a suite, a line for each speaker."""
    columns = ("illegal", "no_move", "tokens")
    rows = [
        [
            each.about["speaker"],
            *each.summary.values(),
            *(_number(name, _mean_of_known(each.rows, name)) for name in columns),
        ]
        for each in results
    ]
    parts = [heading for heading, _ in PARTS.values()]
    return _table(["speaker", *parts, *(SCORES[name] for name in columns)], rows) + "\n"


def csv_of_speakers(results: Sequence[Results]) -> str:
    """Return the rows of several results as CSV, a line for each speaker and setting."""
    names = [each.name for each in fields(Row) if each.name not in REASONS]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["speaker", "seed", *names])
    for each in results:
        for row in map(asdict, each.rows):
            cells = (f"{row[name]:.6g}" if isinstance(row[name], float) else row[name]
                     for name in names)  # fmt: skip
            writer.writerow([each.about["speaker"], each.about["seed"], *cells])
    return table.getvalue()


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
    groups = {row.setting: row.group for row in one.rows}
    differences: dict[str, list[int]] = {}
    for name, kind in one.kinds.items():
        other_kind = other.kinds.get(name, FAILED)
        if FAILED not in (kind, other_kind):
            difference = (other_kind == "kept_win") - (kind == "kept_win")
            differences.setdefault(name.partition("/")[0], []).append(difference)
    both = [difference for each in differences.values() for difference in each]
    means = {setting: 100.0 * mean(each) for setting, each in differences.items()}
    by_group = [(groups[setting], value) for setting, value in means.items()]
    parts = [(heading, mean_over(by_group, group)) for heading, group in PARTS.values()]
    rows = [
        (setting, groups[setting], len(differences[setting]), f"{value:+.1f}")
        for setting, value in means.items()
    ]
    return "\n\n".join(
        [
            f"**{second}** less **{first}**, percent of wins kept at the same {len(both)} prompts: "
            f"{both.count(1)} by {second} alone, {both.count(-1)} by {first} alone.",
            _table(["settings", "mean difference (95 % interval)"], parts),
            _table(["setting", "group", "prompts", "difference"], rows),
        ]
    ) + "\n"  # fmt: skip


def _table(headings: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _number(name: str, value: float) -> str:
    digits = 0 if name == "tokens" else 1
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _mean_of_known(rows: Iterable[Row], name: str) -> float:
    values = (getattr(row, name) for row in rows)
    return mean(value for value in values if not math.isnan(value))
