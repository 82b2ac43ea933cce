"""Tables of the benchmark of turn credit, on the screen and as a page of the manual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import Any

import numpy as np

from agents.turn_credit.ascent import RATE, STEPS
from agents.turn_credit.estimators import ESTIMATORS, ROLLOUTS
from agents.turn_credit.exact import GROUP
from agents.turn_credit.learning import GROUPS
from agents.turn_credit.task import EPSILON
from benchmarks.report import grouped, machine, table
from benchmarks.turn_credit.direction import BLOCKS, Checks, Direction
from benchmarks.turn_credit.limits import Limit
from benchmarks.turn_credit.moves import AS_GOOD, CAP, CHOOSING, ENOUGH, SEEDS, MovesToLearn
from benchmarks.turn_credit.settings import ANYWHERE, FULL, POLICIES, SETTINGS

REFERENCE = "Q − V"
"""Estimator with whose cost the others are compared."""


def _of(directions: Iterable[Direction], kind: str, name: str) -> list[Direction]:
    return [each for each in directions if (each.policy, each.estimator) == (kind, name)]


def typical_cosine(directions: Sequence[Direction], kind: str, name: str) -> float:
    """Return the median cosine of an estimator over settings and policies of a kind."""
    return float(np.median([each.cosine for each in _of(directions, kind, name)]))


def relative_costs(directions: Sequence[Direction]) -> dict[tuple[str, str], float]:
    """Return costs as multiples of :data:`REFERENCE`'s, by kind of policy and estimator.

    Each is the geometric mean of the ratios at the same policies.
    """
    base = {
        (each.setting, each.policy, each.draw): each.cost
        for each in directions
        if each.estimator == REFERENCE
    }
    ratios: dict[tuple[str, str], list[float]] = {}
    for each in directions:
        ratio = each.cost / base[each.setting, each.policy, each.draw]
        ratios.setdefault((each.policy, each.estimator), []).append(ratio)
    return {key: float(np.exp(np.mean(np.log(values)))) for key, values in ratios.items()}


def span(numbers: Sequence[float]) -> str:
    """Return the least and the greatest of some numbers of at most 1; none is rounded up to 1."""

    def rounded(number: float) -> str:
        # What is 1 but for rounding errors is 1.
        if abs(number - 1) < 1e-9:
            return "1"
        decimals = 3
        while decimals < 8 and f"{number:.{decimals}f}".startswith("1.0"):
            decimals += 1
        return f"{number:.{decimals}f}"

    if not numbers:
        return "-"
    low, high = rounded(min(numbers)), rounded(max(numbers))
    return low if low == high else f"{low} to {high}"


def thousands(each: MovesToLearn) -> str:
    """Return the median of moves in thousands, and in how many seeds if not in all."""
    reached = sum(run.moves is not None for run in each.runs)
    if not reached:
        return "never"
    median = "mostly never" if np.isinf(each.median) else f"{each.median / 1000:.0f}"
    return median if reached == len(each.runs) else f"{median} ({reached} of {len(each.runs)})"


SUMMARY = (
    "estimator", "cosine, random", "half-trained", "ρ, random", "half-trained",
    "ends at J/J*", *(f"moves: {name.partition(',')[0]}" for name in ANYWHERE),
)  # fmt: skip


def summary(
    directions: Sequence[Direction], limits: Sequence[Limit], moves: Sequence[MovesToLearn]
) -> list[list[str]]:
    """Return a row for each estimator: direction, cost, where it ends, thousands of moves."""
    costs = relative_costs(directions)
    rows = []
    for name in ESTIMATORS:
        groups = [_of(directions, kind, name) for kind in POLICIES]
        ends = [each.share for each in limits if each.estimator == name]
        by_game = {each.setting: each for each in moves if each.estimator == name}
        if any(groups) or ends or by_game:
            rows.append(
                [
                    name,
                    *(span([each.cosine for each in group]) for group in groups),
                    *(f"{costs[kind, name]:.2f}" if (kind, name) in costs else "-"
                      for kind in POLICIES),
                    span(ends),
                    *(thousands(by_game[game]) if game in by_game else "-" for game in ANYWHERE),
                ]
            )  # fmt: skip
    return rows


CHECKED = ("check", "worst", "floor")


def checked(directions: Sequence[Direction], checks: Sequence[Checks]) -> list[list[str]]:
    """Return the checks behind the figures: the worst case of each, beside its limit."""
    unbiased = [each.off for each in directions if ESTIMATORS[each.estimator].unbiased]
    blocks = max(directions, key=lambda each: abs(each.standard_errors))

    def worst(name: str) -> str:
        return f"{max(getattr(each, name) for each in checks):.1e}"

    return [
        ["∇J against finite differences", worst("finite_differences"), "< 1e-10"],
        ["1 − cosine of unbiased estimators", f"{max(unbiased):.1e}", "< 1e-10"],
        ["Dr. GRPO against 7/8 RLOO, sampled", worst("seven_eighths"), "rounding"],
        ["formula of the bias by turn", worst("formula"), "< 1e-14"],
        ["estimate by turn where every reward is 1", worst("ones"), "rounding"],
        [
            f"sampled against exact, {len(directions):,} times {BLOCKS} blocks: standard errors "
            f"from 1 ({blocks.estimator}; {blocks.setting}; {blocks.policy})",
            f"{blocks.standard_errors:+.1f}",
            "within 4",
        ],
    ]


def by_setting(
    directions: Sequence[Direction], kind: str
) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """Return a header, rows of mean cosines and rows of relative costs, a column for each game.

    Args:
        directions: estimators at policies.
        kind: kind of policies.
    """
    there = grouped(directions, "setting")
    costs = {game: relative_costs(here) for game, here in there.items()}
    cosines, ratios = [], []
    for name in ESTIMATORS:
        means = [np.mean([e.cosine for e in _of(here, kind, name)]) for here in there.values()]
        cosines.append([name, *(f"{mean:.3f}" for mean in means)])
        ratios.append([name, *(f"{ratio[kind, name]:.2f}" for ratio in costs.values())])
    moves = [np.mean([e.cost for e in _of(here, kind, REFERENCE)]) for here in there.values()]
    ratios.append([f"{REFERENCE}, in moves", *(f"{mean:,.0f}" for mean in moves)])
    return ["estimator", *there], cosines, ratios


def ends_by_game(limits: Sequence[Limit]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of J / J* at the end of ascents."""
    games = [name for name in FULL if any(each.setting == name for each in limits)]
    shares = {(each.setting, each.estimator): each.share for each in limits}
    rows = [
        [name, *(f"{shares[game, name]:.3f}" if (game, name) in shares else "-" for game in games)]
        for name in ESTIMATORS
    ]
    return ["estimator", *games], rows


def moves_by_game(moves: Sequence[MovesToLearn]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of the runs: learning rate, moves of every seed, and the median."""
    rows = [
        [
            each.setting.partition(",")[0],
            each.estimator,
            f"{each.rate:.2g}",
            f"{each.lowest:.2g} to {each.highest:.2g}",
            thousands(each),
            " ".join("-" if run.moves is None else f"{run.moves / 1000:.0f}" for run in each.runs),
            f"{np.mean([run.percent for run in each.runs]):.1f}",
        ]
        for each in moves
    ]
    header = [
        "game", "estimator", "learning rate", "grid", "thousand moves", "by seed", "last %",
    ]  # fmt: skip
    return header, rows


NOTES = f"""\
- The agent has one seat, by a fair coin, against an opponent that plays at random with probability
  {EPSILON}, else optimally. The result R is 1 or 0. Games of a group of K = {GROUP} have the same
  start and seat.
- *cosine* of the estimator's expectation E ĝ with ∇J, both exact, by dynamic programming over all
  positions. At *random* policies (logits from a standard normal distribution) and at *half-trained*
  ones, half-way from there to the best chance of winning, on the path of ∇J. The lowest and the
  highest over {len(SETTINGS)} games with their starts and three policies each.
- *ρ* = K·E[L]·tr Cov / ‖E ĝ‖², with L the agent's turns in a game: the moves after which the noise
  of the mean estimate is as large as the estimate. The covariance is measured on sampled groups
  against the exact mean. The summary has the geometric mean, as a multiple of that of Q − V.
- *ends at J/J\\**: the chance of winning where ascent along E ĝ itself ends ({STEPS} steps of Adam
  with a learning rate of {RATE}, falling to 0 in the second half), from equal chances of all moves,
  from the full boards, divided by the best possible against this opponent.
- *moves*: thousands of moves of the agent until its greedy policy plays {ENOUGH:.0f} % of all
  N-positions right for the first time, from uniform starts; median of {SEEDS} seeds, and the
  number of seeds if it is not all; never: in none by {CAP:,} moves, where runs end. {GROUPS} groups
  of {GROUP} games in an update, Adam. Learning rates are chosen on the seeds
  {", ".join(map(str, CHOOSING))}, which are not reported: the middle one of the rates that need at
  most {AS_GOOD} times the fewest moves in the mean, where a failure counts as the cap. The grid is
  widened until the choice is not at its edge.
- *std* is that of the population; where it is 0 the credit is 0. Φ is 1 where the player to move
  can win; k is `kept_win`, 1 where a move keeps the win.
- RLOO and Dr. GRPO differ by a factor, which Adam removes. Q − V and GAE use the exact V, as if
  from a perfect critic, which nobody has in practice.
- MT-GRPO follows its authors' code, for more than two turns: rewards of turns are centred over
  all games of the group, and the last turn has only the outcome. The variant centres among the
  games that reached the turn, and rewards the last turn too. GiGPO has ω = 1, a discount of 1 and,
  like its authors' code, the standard deviation of a sample. The running mean of SPIRAL begins each
  group at its limit. VinePPO plays {ROLLOUTS} games on from every position; their moves count, in ρ
  too. A fitted V is the mean result of the games that reached a position, one half if none did. For
  ρ each group has its own games; in learning all groups of an update share them, and their moves
  count there but not in ρ.
- Estimators of your own have a cosine and ρ from the sampled blocks alone, with their noise.
- Machine: {machine()}.
"""


def report(
    directions: Sequence[Direction],
    checks: Sequence[Checks],
    limits: Sequence[Limit],
    moves: Sequence[MovesToLearn],
    command: str,
) -> str:
    """Return the whole report as Markdown."""
    parts = [
        f"# Turn credit: all figures\n\n`{command}`. [Which turn earned it?](../turn_credit.md) "
        "explains the results.\n",
        "## Summary\n",
        table(SUMMARY, summary(directions, limits, moves), "github"),
        "\n## Estimators\n",
        table(
            ("estimator", "credit of a turn"),
            [(name, each.credit.replace("|", "\\|")) for name, each in ESTIMATORS.items()],
            "github",
        ),
    ]
    if directions:
        parts += ["\n![Direction against cost](turn_credit_direction.png)"]
        parts += ["\n## Checks\n", table(CHECKED, checked(directions, checks), "github")]
        # After Ctrl-C not every estimator has been at every kind of policy.
        kinds = grouped(directions, "policy")
        for kind, here in sorted(kinds.items(), key=lambda item: POLICIES.index(item[0])):
            header, cosines, ratios = by_setting(here, kind)
            parts += [f"\n## Cosine with ∇J, {kind} policies\n", table(header, cosines, "github")]
            parts += [f"\n## ρ, {kind} policies\n", table(header, ratios, "github")]
    if limits:
        parts += [
            "\n## Ends of the ascent, J/J*\n",
            "![Where the expected direction ends](turn_credit_ends.png)\n",
            table(*ends_by_game(limits), "github"),
        ]
    if moves:
        parts += [
            "\n## Learning\n",
            "![Sampled moves until it is learned](turn_credit_moves.png)\n",
        ]
        parts += [table(*moves_by_game(moves), "github")]
    return "\n".join([*parts, f"\n## Notes\n\n{NOTES}"])


def rows_of(records: Sequence[Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return header and rows of records of one dataclass, for CSV."""
    return [field.name for field in fields(records[0])], [astuple(each) for each in records]


def rows_of_moves(moves: Sequence[MovesToLearn]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return header and a row for each run, for CSV."""
    header = [
        "setting", "estimator", "rate", "lowest", "highest", "seed", "moves", "percent",
    ]  # fmt: skip
    rows = [
        (each.setting, each.estimator, each.rate, each.lowest, each.highest, seed, run.moves,
         run.percent)
        for each in moves
        for seed, run in enumerate(each.runs)
    ]  # fmt: skip
    return header, rows
