"""Tables of the benchmark of a language model, on the screen and as a page of the manual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.report import grouped, machine, percents, table
from benchmarks.text.settings import (
    BETWEEN_SCORES,
    BOARDS,
    CHOOSING,
    HEAPS,
    IN_WORDS,
    LAST,
    MOVES,
    SAMPLES,
    SPOKEN,
)
from nim_envs.text import PROMPT_VERSION

if TYPE_CHECKING:  # what is run needs PyTorch, and its tables do not
    from benchmarks.text.runs import PlayResult, SpeechResult

FLOOR = 98.0
"""Percent that the last row is to come to in every seed."""

HEADER = (
    "board", "row", "seed", "sampled moves", "CPU seconds", "percent", "percent where learned",
    "legal %", "of", "random %",
)  # fmt: skip

CURVES = ("board", "row", "seed", "sampled moves", "percent")

SUMMARY = ("row", "replies are paid for", "percent", "CPU seconds", "98 % after")
SPEECH = ("board", "legal %", "CPU seconds", "greedy %", "random %", "positions")


def runs(spoken: Sequence[SpeechResult], learned: Sequence[PlayResult]) -> list[list[Any]]:
    """Return a row for each run, for CSV."""
    of = {(each.board, each.seed): (each.count, round(each.random, 4)) for each in spoken}
    rows: list[list[Any]] = [
        [
            each.board, SPOKEN, each.seed, 0, round(each.seconds, 2), round(each.percent, 4),
            round(each.learned, 4), round(each.legal, 4), *of[each.board, each.seed],
        ]
        for each in spoken
    ]  # fmt: skip
    return rows + [
        [
            each.board, each.row, each.seed, each.moves, round(each.seconds, 2),
            round(each.percent, 4), round(each.learned, 4), None, *of[each.board, each.seed],
        ]
        for each in learned
    ]  # fmt: skip


def curves(learned: Sequence[PlayResult]) -> list[tuple[Any, ...]]:
    """Return the points of all curves, for CSV."""
    return [
        (each.board, each.row, each.seed, moves, round(percent, 4))
        for each in learned
        for moves, percent in each.curve
    ]


def reached(learned: Sequence[PlayResult]) -> str:
    """Return after how many moves runs were scored at :data:`FLOOR` for the first time."""
    first = [
        next((moves for moves, percent in each.curve if percent >= FLOOR), None) for each in learned
    ]
    reached_moves = [moves for moves in first if moves is not None]
    if not reached_moves:
        return "never"
    least, most = (f"{round(moves / 1000):,}" for moves in (min(reached_moves), max(reached_moves)))
    thousands = least if least == most else f"{least} to {most}"
    seeds = "" if len(reached_moves) == len(first) else f" ({len(reached_moves)} of {len(first)})"
    return f"{thousands} thousand{seeds}"


def _seconds(values: Sequence[float]) -> str:
    low, high = round(min(values)), round(max(values))
    return str(low) if low == high else f"{low} to {high}"


def summary(
    board: str, spoken: Sequence[SpeechResult], learned: Sequence[PlayResult]
) -> list[list[str]]:
    """Return one row for each way of paying replies on a board, over its seeds."""
    before = [each for each in spoken if each.board == board]
    rows = []
    if before:
        rows = [
            ["random moves", "nothing", percents([each.random for each in before]), "-", "-"],
            [
                SPOKEN, IN_WORDS[SPOKEN], percents([each.percent for each in before]),
                _seconds([each.seconds for each in before]), "-",
            ],
        ]  # fmt: skip
    on_board = [each for each in learned if each.board == board]
    return rows + [
        [
            row,
            IN_WORDS[row],
            percents([each.percent for each in here]),
            _seconds([each.seconds for each in here]),
            reached(here),
        ]
        for row, here in grouped(on_board, "row").items()
    ]


def speech(spoken: Sequence[SpeechResult]) -> list[list[str]]:
    """Return one row for each board: what supervised training came to."""
    return [
        [
            board,
            percents([each.legal for each in here]),
            _seconds([each.seconds for each in here]),
            percents([each.percent for each in here]),
            percents([each.random for each in here]),
            str(here[0].count),
        ]
        for board, here in grouped(spoken, "board").items()
    ]


def both_sides(learned: Sequence[PlayResult]) -> list[list[str]]:
    """Return one row for each board with held-out positions: scores there, and where it learned."""
    held_out = [each for each in learned if BOARDS[each.board].held_out]
    return [
        [
            row,
            percents([each.learned for each in here]),
            percents([each.percent for each in here]),
        ]
        for (_, row), here in grouped(held_out, "board", "row").items()
    ]


def notes(spoken: Sequence[SpeechResult]) -> str:
    """Return what the figures mean."""
    size = f"{spoken[0].parameters:,} weights and {spoken[0].words} words" if spoken else ""
    return f"""\
- *percent*: share of the scored N-positions of heaps {"-".join(map(str, HEAPS))} at which the
  greedy reply, word by word the most probable one, is a move that keeps the win, by
  `nim_envs.text.score`: mean, lowest and highest seed. Illegal and unreadable replies count as
  wrong. But for the held-out positions, what is scored is what was trained on.
- The model is a decoder of two layers with {size}, drawn at random: nothing is downloaded, and
  nothing here is a result of a large model. Prompts are short, of version {PROMPT_VERSION}.
- *{SPOKEN}*: supervised on random legal moves alone. *legal %*: of {SAMPLES} replies sampled at
  each position that leaves a move, those that name a legal one.
- *sampled moves*: replies drawn in training, {MOVES:,} in a run, or to the end of the batch of
  games in which that number is passed. Replies of the *reference model*, the one that speaks and
  is trained no further, are among them.
- The 16 replies or games of a group have the same prompt or start; a reply's advantage is its
  reward minus the mean of the group, divided by the standard deviation. Games begin at N-positions,
  and the model moves first; with results, every reply of a game has the advantage of its player.
- *98 % after*: sampled moves at the first score of at least 98 %, lowest and highest seed, and the
  number of seeds if it is not all. Scores are taken every {BETWEEN_SCORES:,} moves.
- *CPU seconds* are those of the process, one thread, without scoring: of supervised training for
  *{SPOKEN}*, and of policy gradient alone for the others, which start from it.
- Settings were chosen on the seeds {", ".join(map(str, CHOOSING))}, by the last row, `{LAST}`, and
  are the same for all rows: another row might do better with settings of its own.
- Machine: {machine()}.
"""


def report(spoken: Sequence[SpeechResult], learned: Sequence[PlayResult], command: str) -> str:
    """Return the whole report as Markdown."""
    parts = [
        f"# A language model from nothing: all figures\n\n`{command}`. "
        "[A language model from nothing](../language_model.md) explains them.\n\n"
        "![Percent of positions at which the win is kept, by sampled moves](text.png)\n"
    ]
    for board in BOARDS:
        rows = summary(board, spoken, learned)
        if rows:
            parts.append(f"## {board}\n\n{table(SUMMARY, rows, 'github')}\n")
    sides = both_sides(learned)
    if sides:
        header = ("row", "where it learned", "held out")
        parts.append(f"## Positions that were held out\n\n{table(header, sides, 'github')}\n")
    parts.append(f"## Speech\n\n{table(SPEECH, speech(spoken), 'github')}\n")
    return "\n".join([*parts, f"## Notes\n\n{notes(spoken)}"])


def floors(spoken: Sequence[SpeechResult], learned: Sequence[PlayResult]) -> list[str]:
    """Return lines that compare the worst seeds with what is asked for."""
    lines = []
    # At positions that were held out it has not learned to speak either.
    trained = [each for each in spoken if not BOARDS[each.board].held_out]
    if trained:
        lines.append(
            f"{SPOKEN}: at least {min(each.legal for each in trained):.1f} % of sampled replies "
            f"legal (asked: 98.5) in at most {max(each.seconds for each in trained):.0f} CPU s (40)"
        )
    last = [each for each in learned if each.row == LAST and each.board == next(iter(BOARDS))]
    if last:
        lines.append(
            f"{LAST}: at least {min(each.percent for each in last):.1f} % (asked: {FLOOR:.0f}) "
            f"after {max(each.moves for each in last):,} moves, in at most "
            f"{max(each.seconds for each in last):.0f} CPU s (60)"
        )
    return lines


def mean_curve(learned: Sequence[PlayResult]) -> tuple[list[float], list[float]]:
    """Return the mean over seeds of moves and of percents, point by point."""
    length = min(len(each.curve) for each in learned)
    points = np.array([each.curve[:length] for each in learned])
    moves, percent = points.mean(axis=0).T
    return moves.tolist(), percent.tolist()
