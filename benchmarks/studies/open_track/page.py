"""The page of the open track, as Markdown."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.entries import UNTRAINED
from benchmarks.report import folded, percent, table
from benchmarks.studies.open_track.runs import BOARDS
from benchmarks.studies.open_track.standings import (
    OBSERVED,
    OpenStanding,
    Row,
    best_by_task,
    standings,
)
from benchmarks.studies.open_track.tasks import (
    GAMES,
    OF_VERSION,
    PUBLIC_SEED,
    SAMPLE,
    SEEDS,
    TASKS,
    VERSION,
)

STANDING = (
    "learner", "knows", "score", "learned: area", "last", "larger: area", "last ", "learned boards",
    "larger boards",
)  # fmt: skip
"""The columns of the standings."""

PAGE = """\
# Open track

{summary}

![Scores by number of games on both boards](open_track.png)

Mean over the tasks; a line for each learner. Q-learning solves
[version 2 of the leaderboard](index.md#version-2), but not these tasks: few games, all from one
position; a larger, unseen board of the same game; and games with random octal codes, not chosen by
anybody.

`{command}`, tasks of version {version}, means of {seeds} seeds.
All figures are in [open_track.csv](open_track.csv).

{standings}

{notes}

{knowledge}

## Tasks

{tasks}

## Enter

```sh
cp docs/tutorials/my_learner.py .
python -m benchmarks.studies.open_track --learners my_learner:MyLearner --quick
```

This is a check. Without `--quick` the learner is trained on all tasks and shown in the table
above. To enter, open a pull request that adds `open_track.csv` as
`docs/results/open_entries/NAME.csv`, and the learner's code, so that its command can be run again
for the code of the next version; the last lines of the output say so too.

{enter}
"""

NOTES = """\
- A learner plays {games} games from the full position of a small board, and is trained
  from scratch for each number. Its greedy policy is scored by the percentage of N-positions at
  which it plays a winning move: over all N-positions of that board that games can reach, and over
  {sample:,} drawn from a larger board, the same ones for every learner.
- *Area*: the area under the curve of the score over the logarithm of games. *Score*: the mean of
  the areas over all tasks and both boards. *Last*: the score after {last:,} games.
- *Learned boards*, *larger boards*: the number that it plays. A learner may refuse a game or give
  it up, and a table has only the positions of its own board; then random moves are scored.
- `optimal` and `random` are not trained: they are the upper and the lower reference."""

KNOWLEDGE = """\
- *What it observes*: the position as numbers, which actions are legal, and rewards, in games from
  one start.
- *The rules*: the position after each move, before it is made.
- *The order of heaps*: that it does not matter, nor do empty heaps.
- *Bits*: heaps are read as binary numbers, column by column.
- *Starts*: games begin where the learner chooses.

Larger boards are played by

{larger}

No other learner plays any larger board{nobody}.
The AlphaZero of `agents.research` is no learner of the command line, so it is not in the table."""

ABOUT_TASKS = """\
{table}

*Observes*, *any*: the highest area among learners that know only what they observe, and among
all except `optimal`. Codes of `octal` games have three random digits, drawn with the seed {seed};
at least one lets a heap be split. The learned heap has a table of at most 100,000
rows. The code of `{of_version}` is drawn from the version of the
package, so nobody can prepare for the next one."""

ENTER = """\
`--learners MODULE:NAME` takes what the [leaderboard](index.md#enter-your-learner) takes. To play
larger boards,

- a learner has a method `greedy(game=None)`, which returns its policy on the board of `game`, or
  raises a `ValueError`; it may also choose its own games: see
  <autoref identifier="agents.GameChoosingLearner">the protocol</autoref>;
- a function of an environment, a number of games and a seed returns an object with that method;
- a function of observations and action masks is scored without training, on both boards.

An attribute `knows` says in words, as above, which information besides observations, masks and
rewards the learner uses."""


def standings_table(
    places: Iterable[OpenStanding], own: Sequence[str] = (), style: str = "simple"
) -> str:
    """Return standings as a table."""
    rows: list[list[Any]] = []
    for each in places:
        scores = (
            each.score, each.learned_area, each.learned_last, each.larger_area, each.larger_last,
        )  # fmt: skip
        name = f"`{each.learner}`" if style == "github" else each.learner
        name += " (yours)" if each.learner in own else ""
        rows.append([name, each.knows, *map(percent, scores), len(each.learned), len(each.larger)])
    return table(STANDING, rows, style=style)


def page(rows: Sequence[Row], command: str) -> str:
    """Return the page of the track."""
    places = standings(rows, list(TASKS))
    trained = [each for each in places if each.learner not in UNTRAINED]
    played = {task for each in trained for task in each.larger}
    nobody = [task for task in TASKS if task not in played]
    areas = [f"{who}: {board}" for who in ("observes", "any") for board in BOARDS]
    tasks = [
        [name, TASKS[name].game, *map(arguments, boards_of(name)), *map(percent, best)]
        for name, best in best_by_task(rows).items()
    ]
    notes = NOTES.format(
        games=", ".join(f"{number:,}" for number in GAMES[:-1]) + f" or {GAMES[-1]:,}",
        sample=SAMPLE,
        last=GAMES[-1],
    )
    knowledge = KNOWLEDGE.format(
        larger="\n".join(
            f"- `{each.learner}`: {', '.join(each.larger)}" for each in trained if each.larger
        ),
        nobody=f", and no learner that of {', '.join(nobody)}" if nobody else "",
    )
    of_tasks = ABOUT_TASKS.format(
        table=table(("task", "game", *BOARDS, *areas), tasks, style="github"),
        seed=PUBLIC_SEED,
        of_version=OF_VERSION,
    )
    return PAGE.format(
        summary=summary(trained),
        command=command,
        version=VERSION,
        seeds=len(SEEDS),
        standings=standings_table(places, style="github"),
        notes=folded("The columns", notes),
        knowledge=folded("Which learner knows what, and plays which larger board", knowledge),
        tasks=folded("Small boards and larger ones", of_tasks),
        enter=folded("Learners that are taken", ENTER),
    )


def boards_of(name: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the arguments of the board that is learned, and those in which the larger differs."""
    learned, larger = TASKS[name].learned, TASKS[name].larger
    return learned, {key: value for key, value in larger.items() if learned[key] != value}


def arguments(board: Mapping[str, Any]) -> str:
    """Return the arguments of a board as code."""
    return f"`{', '.join(f'{key}={value!r}' for key, value in board.items())}`"


def summary(places: Sequence[OpenStanding]) -> str:
    """Return the highest scores in a sentence; empty if there are none."""
    observing = [each for each in places if each.knows in OBSERVED]
    if not observing:
        return ""
    best, alone = places[0], observing[0]
    return textwrap.fill(
        f"No learner solves these tasks: of 100, `{best.learner}`, which knows {best.knows}, "
        f"scores {percent(best.score)}, and `{alone.learner}`, the best of those that know only "
        f"what they observe, {percent(alone.score)}.",
        width=98,
        break_on_hyphens=False,
    )
