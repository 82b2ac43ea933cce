"""Grundy values per second beside the naive method in the same run; periods; misère quotients.

python -m benchmarks.solver --help explains every option.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import joblib
import numpy as np

from benchmarks.command_line import benchmark, count_option, names_option
from benchmarks.parallel import Runner
from benchmarks.report import (
    machine,
    middle_and_range,
    table,
    write_report,
)
from benchmarks.timing import timed
from nim_envs import Game, make_game
from nim_envs.cgt.misere_quotients import misere_quotient
from nim_envs.cgt.misere_quotients.quotient_solution import forget_quotients
from nim_envs.cgt.sequences import GrundySequence, checksum, grundy_sequence, octal_period
from nim_envs.cgt.sequences.naive_mex import convolve
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import heap_game
from nim_envs.solver import solve
from nim_envs.theory.memo_search import count_modulo_permutation


@dataclass(frozen=True)
class Setting:
    """Number of heaps to compute for a game.

    Args:
        size: number of heaps.
        quick_size: the same with ``--quick``.
    """

    size: int
    quick_size: int

    def heaps(self, quick: bool) -> int:
        """Return the number of heaps, with or without ``--quick``."""
        return self.quick_size if quick else self.size


RATES: dict[str, Setting] = {
    "0.6": Setting(1 << 22, 1 << 16),
    "grundy": Setting(1 << 21, 1 << 16),
    "0.16": Setting(1 << 19, 1 << 16),
    "0.376": Setting(1 << 22, 1 << 16),
    "0.354": Setting(1 << 22, 1 << 16),
}
"""Games whose values per second are measured."""

AUTO: dict[str, Setting] = dict.fromkeys(
    ("0.06", "0.04", "0.005", "4.327", "0.106", "0.6", "grundy", "0.16"),
    Setting(1 << 16, 1 << 14),
)
"""Games of which ``auto`` is compared with both methods; many values of the first are rare."""

PERIODS: dict[str, Setting] = {
    **{
        code: Setting(1 << 15, 1 << 13)
        for code in ("0.07", "0.77", "0.137", "0.15", "0.17", "0.45", "0.055", "0.115", "0.644")
    },
    **{code: Setting(1 << 15, 1 << 15) for code in ("0.156", "0.165", "0.356")},
    "0.16": Setting(1 << 20, 1 << 15),
    "0.376": Setting(1 << 23, 1 << 15),
    "0.354": Setting(1 << 25, 1 << 15),
}
"""Games whose periods are proven."""

SLOW_PERIODS = {"0.16", "0.376", "0.354"}
"""Those that ``--quick`` leaves out."""


DOUBLINGS: dict[str, Setting] = {
    **dict.fromkeys(
        ("0.6", "0.376", "0.354", "0.156", "0.644", "grundy"), Setting(1 << 22, 1 << 16)
    ),
    "0.106": Setting(1 << 18, 1 << 14),
}
"""Games whose time for a value is watched as the values double in number: no value may cost much
more than those before. 0.376 becomes periodic at heap 2,268,248."""


@dataclass(frozen=True)
class Quotient:
    """A misère quotient to find.

    Args:
        order: its number of elements.
        published: seconds that MisereSolver takes, the start of Java included, where known.
    """

    order: int
    published: str = ""


QUOTIENTS: dict[str, Quotient] = {
    "0.77:12": Quotient(24, "0.15"),
    "0.77:80": Quotient(40, "0.2"),
    "0.07:24": Quotient(24, "0.2"),
    "0.07:25": Quotient(144, "1.0"),
    "0.07:32": Quotient(552, "7.5"),
    "0.72:30": Quotient(24, "0.18"),
    "0.26:30": Quotient(98, "1.9"),
    "0.6:14": Quotient(48, "0.23"),
    "0.152:30": Quotient(34, "0.2 to 0.4"),
    "0.54:20": Quotient(42, "0.2 to 0.4"),
    "0.15:20": Quotient(20, "0.2 to 0.4"),
    **{
        f"{name}:": Quotient(order)
        for name, order in (
            ("0.77", 40), ("0.44", 40), ("0.15", 42), ("0.34", 12), ("0.53", 16), ("0.71", 36),
            ("0.72", 24), ("0.75", 8), ("0.123", 20), ("0.144", 30), ("0.152", 34), ("0.153", 16),
            ("0.241", 36), ("0.351", 22), ("4.12", 10), ("4.56", 8),
        )
    },
}  # fmt: skip
"""Misère quotients that are found: of heaps up to a size, or of all heaps."""

POSITIONS: tuple[str, ...] = (
    # Those of which a quotient was looked for long after a search would have ended.
    "0.04:50", "0.35:36", "0.16:20+20", "4.7:42", "0.26:20+20",
    # Games with small, large and infinite quotients, of heaps that a search can still do.
    "0.77:36", "0.77:50", "0.77:20+20", "0.77:12+12+12", "0.72:36", "0.15:50", "0.144:50",
    "0.152:50", "0.241:40", "0.351:40", "0.34:60", "0.54:48", "0.54:60", "0.07:60", "0.35:50",
    "0.16:50", "0.26:50", "0.644:30", "4.12:40", "4.7:36",
)  # fmt: skip
"""Misère positions that are solved from the start: a code, and the heaps."""

SLOW_POSITIONS = {*POSITIONS} - {"0.04:50", "0.35:36", "0.16:20+20", "0.26:20+20"}
"""All but those of which each method takes hundredths of a second."""

NAIVE_SIZE, QUICK_NAIVE_SIZE = 1 << 15, 1 << 13
"""Heaps that the naive method computes from the start."""

CHECKED_HEAPS, QUICK_CHECKED_HEAPS = 200, 20
"""Heaps near the end whose values the naive method computes anew, from all the others."""


def check(agrees: bool, what: str) -> None:
    """Stop the benchmark where methods disagree."""
    if not agrees:
        raise SystemExit(f"wrong values: {what}")


def sample_naively(name: str, values: Any, count: int) -> float:
    """Compute some of the last values anew from all options, compare them; return the seconds."""
    game = heap_game(name)
    work = values.copy()
    digits = np.array(game.digits, dtype=np.int64)
    bound = np.zeros(2 << int(values.max()).bit_length(), dtype=np.uint8)
    seconds = 0.0
    heaps = np.random.default_rng(0).integers(len(values) * 7 // 8, len(values), size=count)
    for heap in heaps.tolist():
        work[heap] = 0
        arguments = (work, heap, heap + 1, digits, game.repeating, game.unequal, bound, heap)
        spent, _ = timed(partial(convolve, *arguments))
        seconds += spent
        check(work[heap] == values[heap], f"heap {heap} of {name}")
    return seconds


HEADER = (
    "game", "values", "values/s (median)", "lowest", "highest", "naive at first", "faster by",
    "naive near the end", "faster by", "checked at first", "checked later", "SHA-256",
)  # fmt: skip


def rate_row(name: str, rounds: int, quick: bool) -> list[Any]:
    """Time and check the values of one game; ratios are medians of the ratios within a round."""
    size = RATES[name].heaps(quick)
    naive_size = min(QUICK_NAIVE_SIZE if quick else NAIVE_SIZE, size)
    checked_heaps = QUICK_CHECKED_HEAPS if quick else CHECKED_HEAPS
    # Compiled functions are loaded before anything is timed.
    for method in ("naive", "sparse"):
        grundy_sequence(name, 5_000, method=method)
    rates = np.zeros((rounds, 4))
    checksums = set()
    for rate in rates:
        naive_seconds, naive = timed(partial(grundy_sequence, name, naive_size, method="naive"))
        start_seconds, _ = timed(partial(grundy_sequence, name, naive_size, method="sparse"))
        seconds, values = timed(partial(grundy_sequence, name, size, method="sparse"))
        check(bool((values[:naive_size] == naive).all()), f"the first {naive_size} of {name}")
        end_seconds = sample_naively(name, values, checked_heaps)
        rate[0] = size / seconds
        rate[1] = naive_size / start_seconds
        rate[2] = naive_size / naive_seconds
        rate[3] = checked_heaps / end_seconds
        checksums.add(checksum(values))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "values.zip"
        grundy_sequence(name, size // 2, method="sparse", checkpoint=path)
        resumed = GrundySequence(name, method="sparse", checkpoint=path)
        resumed.extend(size)
        checksums.add(checksum(resumed.values[:size]))
    check(len(checksums) == 1, f"the checksums of {name}, the last one resumed from a file")
    whole, start, plain, end = rates.T
    return [
        name,
        size,
        *middle_and_range(whole),
        round(float(np.median(plain))),
        round(float(np.median(start / plain)), 1),
        round(float(np.median(end))),
        round(float(np.median(whole / end)), 1),
        naive_size,
        checked_heaps,
        checksums.pop()[:16],
    ]


AUTO_HEADER = ("game", "values", "auto/s", "naive/s", "sparse/s", "auto by better", "SHA-256")


def auto_row(name: str, rounds: int, quick: bool) -> list[Any]:
    """Return the row of one game: ``auto`` beside both methods; the medians of the rounds."""
    size = AUTO[name].heaps(quick)
    methods: tuple[Literal["auto", "naive", "sparse"], ...] = ("auto", "naive", "sparse")
    for method in methods:
        grundy_sequence(name, 5_000, method=method)
    seconds = np.zeros((rounds, len(methods)))
    checksums = set()
    for spent in seconds:
        for index, method in enumerate(methods):
            spent[index], values = timed(partial(grundy_sequence, name, size, method=method))
            checksums.add(checksum(values))
    check(len(checksums) == 1, f"the methods for {name}")
    rates = [round(rate) for rate in size / np.median(seconds, axis=0)]
    ratio = float(np.median(seconds[:, 1:].min(axis=1) / seconds[:, 0]))
    return [name, size, *rates, round(ratio, 2), checksums.pop()[:16]]


DOUBLING_HEADER = (
    "game", "values", "µs/value (median of doublings)", "slowest", "from heap", "by median",
)  # fmt: skip

FIRST_DOUBLING = 1 << 13
"""Values from which on doublings are timed."""


def doubling_row(name: str, rounds: int, quick: bool) -> list[Any]:
    """Return the row of one game: processor time for a value, doubling by doubling, once."""
    size = DOUBLINGS[name].heaps(quick)
    # Long enough that all compiled functions are loaded.
    grundy_sequence("0.6", 1 << 18, method="sparse")
    sequence = GrundySequence(name, method="sparse")
    sequence.extend(FIRST_DOUBLING)
    micros, begins = [], []
    while (begin := len(sequence.values)) < size:
        began = time.process_time()
        sequence.extend(min(2 * begin, size))
        spent = time.process_time() - began
        begins.append(begin)
        micros.append(1e6 * spent / (len(sequence.values) - begin))
    usual, worst = float(np.median(micros)), int(np.argmax(micros))
    slowest = micros[worst]
    return [
        name, size, round(usual, 2), round(slowest, 2), begins[worst], round(slowest / usual, 1)
    ]  # fmt: skip


PERIOD_HEADER = (
    "game", "period", "from heap", "last exception", "exceptions", "values of the proof", "seconds",
)  # fmt: skip


def period_row(name: str, rounds: int, quick: bool) -> list[Any]:
    """Prove a period, once; the compiled functions are loaded before the clock starts."""
    grundy_sequence(name, 5_000, method="sparse")
    seconds, period = timed(partial(octal_period, name, PERIODS[name].heaps(quick)))
    return [
        name,
        period.length,
        period.start,
        period.last_exception,
        len(period.exceptions()),
        period.needed,
        round(seconds, 2),
    ]


QUOTIENT_HEADER = (
    "game", "heaps", "order", "period", "from heap", "seconds (median)", "lowest", "highest",
    "MisereSolver, seconds",
)  # fmt: skip


def quotient_row(setting: str, rounds: int, quick: bool) -> list[Any]:
    """Find and prove a misère quotient, from the start each time; return its row."""
    name, _, largest = setting.partition(":")
    seconds = []
    for _ in range(rounds):
        spent, quotient = timed(partial(misere_quotient, name, int(largest) if largest else None))
        seconds.append(spent)
        check(quotient.order == QUOTIENTS[setting].order, f"order {quotient.order} of {setting}")
    period = None if largest else quotient.period
    return [
        name,
        f"to {largest}" if largest else "all",
        quotient.order,
        "" if period is None else period.length,
        "" if period is None else period.start,
        *(f"{each:.2f}" for each in (float(np.median(seconds)), min(seconds), max(seconds))),
        QUOTIENTS[setting].published,
    ]


SOLVE_HEADER = (
    "game", "heaps", "positions modulo permutation", "search, s", "quotient, s", "solve, s",
    "by better", "at most twice and 0.05 s", "answered by",
)  # fmt: skip


def timed_solution(
    game: Game, method: Literal["auto", "quotient", "search"]
) -> tuple[float, bool, str]:
    """Solve the initial position, with nothing remembered; return CPU seconds, answer and method.

    A method that finds nothing has infinite seconds.
    """
    forget_quotients()
    began = time.process_time()
    try:
        solution = solve(game, method=method)
        answer = solution.is_winning(game.rules.initial)
    except SearchTooLargeError:
        return math.inf, False, ""
    return time.process_time() - began, answer, solution.method


def position_row(setting: str, rounds: int, quick: bool) -> list[Any]:
    """Solve one position by either method and by what ``solve`` chooses; medians of the rounds."""
    code, _, heaps = setting.partition(":")
    sizes = tuple(map(int, heaps.split("+")))
    methods: tuple[Literal["auto", "quotient", "search"], ...] = ("search", "quotient", "auto")
    seconds = np.zeros((rounds, len(methods)))
    answers, how = set(), ""
    for each in seconds:
        for index, method in enumerate(methods):
            game = make_game("octal", code=code, heaps=sizes, misere=True)
            each[index], answer, how = timed_solution(game, method)
            if each[index] < math.inf:
                answers.add(answer)
    check(len(answers) == 1, f"who wins {setting}")
    search, quotient, auto = np.median(seconds, axis=0).tolist()
    better = min(search, quotient)
    return [
        code,
        heaps,
        count_modulo_permutation(game.rules),
        f"{search:.3f}",
        f"{quotient:.3f}" if quotient < math.inf else "none",
        f"{auto:.3f}",
        round(auto / better, 2),
        "yes" if auto <= 2 * better + 0.05 else "no",
        how,
    ]


NOTES = f"""\
- Values per second: one process, one thread, from the first value on, all work
  included; compiled functions are loaded before.
- *Naive at first*: the compiled loop over all options, for as many values as were checked
  one by one; the ratio is to the sparse-space method for those values.
- *Naive near the end*: the same loop for single heaps in the last eighth, given the values of all
  smaller ones; these values too were compared. The ratio is to the sparse-space method's rate
  over all values.
- *Auto by better*: the rate of `auto` by that of the better of the two methods in the same round;
  the median of the rounds.
- All rounds, and a run resumed from a file half-way, gave the same checksum.
- Doublings: processor time of the sparse-space method for each value from one number of values to
  twice as many; the slowest doubling beside the median of all.
- Periods: proven by the theorem of Guy and Smith; several games at a time, one per core.
- Misère positions: CPU seconds of `solve(game)` and `is_winning` of the initial position, nothing
  remembered; a quotient that is too large or infinite answers nothing. *At most twice and 0.05 s*:
  whether `solve` took no more than twice the better method's time and 0.05 s.
- Misère quotients: found and proven from the start in each round, one process; of all heaps by the
  theorem of Plambeck and Siegel. MisereSolver's seconds include the start of Java, these not that
  of Python.
- Machine: {machine()}.
"""


@dataclass(frozen=True)
class Part:
    """A table of the report.

    Args:
        settings: its games or positions, by name.
        text: help text of the option that asks for it.
        header: titles of the columns.
        row: measures a setting; a function of its name, the number of rounds and ``--quick``.
        slow: settings that ``--quick`` leaves out.
        weight: relative time of a setting, where several are measured at the same time; ``None``:
            one after the other, for times that can be compared.
    """

    settings: Iterable[str]
    text: str
    header: tuple[str, ...]
    row: Callable[[str, int, bool], list[Any]]
    slow: Collection[str] = ()
    weight: Callable[[str], float] | None = None


PARTS: dict[str, Part] = {
    "rates": Part(RATES, "Games whose rate to measure", HEADER, rate_row),
    "auto": Part(AUTO, "Games of which to compare auto with both methods", AUTO_HEADER, auto_row),
    "doublings": Part(
        DOUBLINGS, "Games to time from doubling to doubling", DOUBLING_HEADER, doubling_row
    ),
    "periods": Part(
        PERIODS, "Games whose period to prove", PERIOD_HEADER, period_row, SLOW_PERIODS,
        weight=lambda name: PERIODS[name].size,
    ),
    "quotients": Part(QUOTIENTS, "Misère quotients to find", QUOTIENT_HEADER, quotient_row),
    "positions": Part(
        POSITIONS, "Misère positions to solve", SOLVE_HEADER, position_row, SLOW_POSITIONS
    ),
}  # fmt: skip
"""The tables by name, in the order of the report."""


def part_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each table to the command."""
    default = "all, or none where another table is asked for"
    for name, part in reversed(PARTS.items()):
        add = names_option(f"--{name}", part.settings, part.text, default, least=0)
        command = add(command)
    return command


@benchmark(
    "solver",
    writes=f"solver.md, and {', '.join(PARTS)}, each as .csv",
    quick="Few values: a check, not a result.",
)
@part_options
@count_option("--rounds", "Rounds of each game (default: 3; quick: 1)")
@count_option(
    "--jobs", f"Periods to prove at the same time (default: all {joblib.cpu_count()} cores)"
)
def main(
    rounds: int | None, output: Path, quick: bool, runner: Runner, **chosen: list[str] | None
) -> None:
    """Measure Grundy values per second, prove periods, and find misère quotients.

    Octal games and Grundy's game by the sparse-space method, as ratios to the naive method in one
    run; periods with proof; misère quotients with proof, beside MisereSolver's published times.
    """
    rounds = rounds or (1 if quick else 3)
    everything = all(names is None for names in chosen.values())
    measured: dict[str, list[list[Any]]] = {}
    for name, part in PARTS.items():
        requested = part.settings if everything else chosen[name] or ()
        # After Ctrl-C the tables that were not begun keep their earlier results.
        if not requested or not runner.complete:
            continue
        settings = [each for each in requested if not (quick and each in part.slow)]
        rows: list[list[Any]] = []
        if settings:
            weights = [part.weight(each) for each in settings] if part.weight else None
            tasks = [(each, rounds, quick) for each in settings]
            rows = runner(part.row, tasks, weights, desc=name, alone=part.weight is None)
        if rows or runner.complete:
            measured[name] = rows
    runner.log.end_runs()
    tables = {name: (PARTS[name].header, rows) for name, rows in measured.items()}
    print(*(table(*each) for each in tables.values()), sep="\n\n")
    sections = [table(*each, style="github") for each in tables.values()]
    write_report(output, "solver", "\n\n".join(["# Solver", *sections, NOTES]), tables)


if __name__ == "__main__":
    main()
