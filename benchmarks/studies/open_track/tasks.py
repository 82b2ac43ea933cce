"""The tasks of the open track: a board to learn, a larger one that is not seen, few games.

They are frozen by a version, but for the last one, an octal code that the version of the package
draws. A learner plays from the full position of the small board alone, once for each number of
:data:`GAMES` and each of :data:`SEEDS`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nim_envs import Game, GameEnv, __version__, make_game

TASKS_VERSION = 1
"""Increased with every change of the tasks."""

VERSION = f"{TASKS_VERSION} with nim_envs {__version__}"
"""Version of the tasks, and that of the package, which draws the code of the last one."""

GAMES = (100, 1_000, 10_000)
"""Numbers of games; a learner begins anew for each."""

SEEDS = (0, 1, 2)
"""Seeds; every learner is trained once with each."""

SAMPLE = 1_000
"""N-positions drawn from the larger board, the same ones for every learner."""

PUBLIC_SEED = 2026
"""Seed of the octal codes."""

LARGER_HEAPS = (20, 20)
"""The heaps that are not seen of the games by octal codes."""


def octal_codes(seed: Sequence[int], count: int, known: Sequence[str] = ()) -> list[str]:
    """Return different octal codes of three digits, drawn uniformly among those of :func:`splits`.

    Example:
        >>> octal_codes([2026], 3) == octal_codes([2026], 4)[:3]
        True
    """
    rng = np.random.default_rng(seed)
    codes: list[str] = []
    while len(codes) < count:
        code = "0." + "".join(map(str, rng.integers(8, size=3)))
        if splits(code) and code not in (*codes, *known):
            codes.append(code)
    return codes


def code_of(version: str, known: Sequence[str]) -> str:
    """Return the octal code that the numbers of a version draw, none of those known."""
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return octal_codes([PUBLIC_SEED, *numbers], 1, known)[0]


def splits(code: str) -> bool:
    """Return whether an octal code has no last digit 0, and lets a heap be split.

    Example:
        >>> splits("0.137"), splits("0.123"), splits("0.770")
        (True, False, False)
    """
    return code[-1] != "0" and any(digit in code for digit in "4567")


@dataclass(frozen=True)
class OpenTask:
    """A game with two boards: one learned from its full position alone, and a larger one unseen."""

    game: str
    learned: Mapping[str, Any]
    larger: Mapping[str, Any]

    def board(self, name: str) -> Game:
        """Return the game on a board, ``"learned"`` or ``"larger"``."""
        return make_game(self.game, **getattr(self, name), start="fixed")

    def env(self) -> GameEnv:
        """Return an environment of the board that is learned."""
        return GameEnv(self.board("learned"))


def _heaps(game: str, learned: tuple[int, ...], larger: tuple[int, ...], **rules: Any) -> OpenTask:
    return OpenTask(game, {"heaps": learned, **rules}, {"heaps": larger, **rules})


OF_VERSION = "octal-of-the-version"
"""Task whose code the version of the package draws."""

CODES = octal_codes([PUBLIC_SEED], 3)

TASKS: dict[str, OpenTask] = {
    "nim": _heaps("nim", (5, 6, 7), (15,) * 6),
    "misere-nim": _heaps("misere_nim", (1, 3, 5, 7), (15,) * 6),
    "take-3": _heaps("nim", (8, 9, 10), (31,) * 6, max_take=3),
    "take-2-5-7": _heaps("subtraction", (12, 13), (40, 40, 40), subtraction_set=(2, 5, 7)),
    "wythoff": OpenTask("wythoff", {"queens": ((12, 12),)}, {"queens": ((60, 60),)}),
    "chomp": OpenTask("chomp", {"rows": 4, "columns": 5}, {"rows": 6, "columns": 8}),
    "cram": OpenTask("cram", {"rows": 3, "columns": 4}, {"rows": 4, "columns": 5}),
    "misere-kayles": _heaps("kayles", (10,), (20, 20), misere=True),
    "misere-grundy": _heaps("grundy", (15,), (22, 22), misere=True),
    "octal-523": _heaps("octal", (10,), LARGER_HEAPS, code="0.523"),
    "octal-025": _heaps("octal", (20,), LARGER_HEAPS, code="0.025"),
    "octal-266": _heaps("octal", (16,), LARGER_HEAPS, code="0.266"),
    OF_VERSION: _heaps("octal", (13,), LARGER_HEAPS, code=code_of(__version__, CODES)),
}
"""The tasks by name."""
