"""The tasks of the leaderboard: boards, starts, games, seeds and the score, frozen by a version.

A task is a board with its starts and a number of self-play games. A learner is trained with each of
:data:`SEEDS`; its score is the optimality of its greedy policy in percent: the mean probability of
a winning move over N-positions, those that the player to move can win. One learner for both seats
is scored over all of them; with one learner for each seat, each is scored over those at which its
seat can be to move.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nim_envs import GameEnv
from nim_envs.registry import make_aec

SEEDS = (0, 1, 2)
"""Seeds; every learner is trained once with each."""


@dataclass(frozen=True)
class GameSetting:
    """A game of the benchmark; 0 games where the benchmark has its own numbers."""

    name: str
    arguments: Mapping[str, Any]
    games: int = 0
    quick_games: int = 0

    def make(self) -> GameEnv:
        """Return a new environment."""
        return make_aec(self.name, **self.arguments)

    @property
    def starts(self) -> str:
        """Start positions of the games, in words."""
        return str(self.arguments.get("start", "fixed"))


GAMES: dict[str, GameSetting] = {
    "addition-3-10": GameSetting("addition", {"k": 3, "n": 10}, 50_000, 5_000),
    "row-17-take-3": GameSetting(
        "subtraction",
        {"heaps": (17,), "subtraction_set": (1, 2, 3), "misere": True},
        20_000,
        5_000,
    ),
    "nim-3-4-5": GameSetting("nim", {"heaps": (3, 4, 5), "start": "uniform"}, 30_000, 5_000),
    "misere-nim-1-3-5-7": GameSetting(
        "misere_nim", {"heaps": (1, 3, 5, 7), "start": "uniform"}, 50_000, 5_000
    ),
    "bounded-nim-6-7-8": GameSetting(
        "nim", {"heaps": (6, 7, 8), "max_take": 3, "start": "uniform"}, 50_000, 5_000
    ),
    "nim-10-10-10": GameSetting("nim", {"heaps": (10, 10, 10), "start": "uniform"}, 150_000, 5_000),
    "kayles-7": GameSetting("kayles", {"heaps": (7,), "start": "uniform"}, 50_000, 5_000),
    "misere-kayles-7": GameSetting(
        "kayles", {"heaps": (7,), "misere": True, "start": "uniform"}, 50_000, 5_000
    ),
    "graph-11-10": GameSetting("graph", {"tokens": (11, 10), "start": "uniform"}, 30_000, 5_000),
    "kayles-5-nim-4-graph-9": GameSetting(
        "sum",
        {
            "games": (
                ("kayles", {"heaps": (5,)}),
                ("nim", {"heaps": (4,)}),
                ("graph", {"tokens": (9,)}),
            ),
            "start": "uniform",
        },
        150_000,
        5_000,
    ),
    "wythoff-12-12": GameSetting(
        "wythoff", {"queens": ((12, 12),), "start": "uniform"}, 30_000, 5_000
    ),
    "chomp-4-5": GameSetting("chomp", {"rows": 4, "columns": 5, "start": "uniform"}, 30_000, 5_000),
}
"""The tasks of version 2 by name."""

TASKS: dict[int, dict[str, GameSetting]] = {
    2: GAMES,
    3: {
        "wythoff": GameSetting("wythoff", {"queens": ((12, 12),)}, 10_000, 1_000),
        "misere-kayles": GameSetting("kayles", {"heaps": (10,), "misere": True}, 10_000, 1_000),
        "octal-266": GameSetting("octal", {"heaps": (16,), "code": "0.266"}, 10_000, 1_000),
    },
}
"""The tasks by their version and name; scores of different versions are not compared.

Those of version 3 are the three boards of the open track on which the median score of the learners
of the command line is the lowest after 10,000 games, measured with seeds 10 to 12; the board that
changes with the version of the package is left out.
"""
