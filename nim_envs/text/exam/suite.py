"""The suite: settings and positions of the exam, all drawn from one seed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.registry import make_game
from nim_envs.text.exam.random_games import (
    Draw,
    exchange_game,
    graph_game,
    number_game,
    octal_game,
    steps_game,
)
from nim_envs.text.exam.truth import BANDS, Truth, truth_of
from nim_envs.text.language import Language, as_language, disguised
from nim_envs.text.prompts import prompt
from nim_envs.text.verdicts import Verdict, verdict
from nim_envs.validation import checked_integer

SUITE_VERSION = 1
"""Version of the suite: the same seed draws the same settings and positions."""

PUBLIC_SEEDS = (0, 1, 2, 3, 4)
"""Seeds of the public suites; whoever wants an unread one chooses another and holds it back."""

MOST_POSITIONS = 50
"""Most positions of a setting."""

KNOWN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "nim-3-4-5": ("nim", "nim", {"heaps": (3, 4, 5)}),
    "nim-1-3-5-7": ("nim", "nim", {"heaps": (1, 3, 5, 7)}),
    "nim-7-11-13": ("nim", "nim", {"heaps": (7, 11, 13)}),
    "misere-1-3-5-7": ("misère", "misere_nim", {"heaps": (1, 3, 5, 7)}),
    "misere-4-5-6": ("misère", "misere_nim", {"heaps": (4, 5, 6)}),
    "nim-at-most-3": ("bounded", "nim", {"heaps": (7, 9, 10), "max_take": 3}),
    "subtract-2-3-7": ("bounded", "subtraction", {"heaps": (14, 15), "subtraction_set": (2, 3, 7)}),
    "kayles": ("classic", "kayles", {"heaps": (12,)}),
    "dawsons-kayles": ("classic", "dawsons_kayles", {"heaps": (14,)}),
    "grundy": ("classic", "grundy", {"heaps": (14,)}),
    "laskers-nim": ("classic", "laskers_nim", {"heaps": (7,)}),
    "moores-nim": ("classic", "moores_nim", {"heaps": (3, 4, 5, 6), "k": 2}),
    "fibonacci-nim": ("classic", "fibonacci_nim", {"heaps": (30,)}),
    "wythoff": ("classic", "wythoff", {"queens": ((9, 11),)}),
    "euclid": ("classic", "euclid", {"pairs": ((24, 17),)}),
    "chomp": ("classic", "chomp", {"rows": 4, "columns": 5}),
}
"""Settings that books treat: group, registered game and its arguments."""

RANDOM_GAMES: dict[str, tuple[Draw, int]] = {
    "octal": (octal_game, 4),
    "graph": (graph_game, 3),
    "steps": (steps_game, 1),
    "exchange": (exchange_game, 1),
    "number": (number_game, 1),
}
"""Random games: the function that draws one, and their number in a suite."""

RECITED = ("nim",)
"""Groups whose answer is recited in every book."""

UNREAD = ("octal", "graph", "own rules")
"""Groups of random games."""


@dataclass(frozen=True)
class Item:
    """A position of the suite.

    Attributes:
        id: name of the setting and the position.
        setting: name of the setting.
        position: the position.
        band: one of :data:`BANDS`.
        legal: number of legal moves.
        winning: number of moves that keep the win, at least 1.
        moves_to_end: moves until the game ends under best play.
    """

    id: str
    setting: str
    position: tuple[int, ...]
    band: str
    legal: int
    winning: int
    moves_to_end: int


@dataclass(frozen=True)
class Setting:
    """A game, its words and its positions.

    Attributes:
        name: name in the table.
        group: ``"nim"``, ``"misère"``, ``"bounded"``, ``"classic"``, ``"octal"``, ``"graph"`` or
            ``"own rules"``.
        language: game and words.
        items: the positions.
    """

    name: str
    group: str
    language: Language
    items: tuple[Item, ...] = field(repr=False)

    @property
    def random_percent(self) -> float:
        """Score of random legal moves at the positions, in percent."""
        return 100.0 * float(np.mean([item.winning / item.legal for item in self.items]))


class Suite:
    """The settings and positions of the exam.

    Args:
        seed: integer of at least 0, from which everything is drawn.
        only: names of settings; empty for all.

    Raises:
        InvalidGameError: ``seed`` is not such an integer, or there is no setting of a name.

    Example:
        >>> suite = Suite(seed=0, only=("nim-3-4-5",))
        >>> len(suite.settings[0].items), suite.settings[0].items[0].id
        (50, 'nim-3-4-5/0-0-1')
    """

    def __init__(self, seed: int = 0, only: tuple[str, ...] = ()) -> None:
        self.seed = checked_integer("seed", seed, 0)
        names = [name for name, _, _ in _plan()]
        unknown = sorted(set(only) - set(names))
        if unknown:
            raise InvalidGameError(f"settings are {', '.join(names)}; not {', '.join(unknown)}")
        self.only = tuple(name for name in names if name in only)

    def __str__(self) -> str:
        """Return the seed and the settings in words."""
        settings = f" ({', '.join(self.only)} alone)" if self.only else ""
        return f"the suite of seed {self.seed}{settings}"

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The settings, in the order of the table."""
        truths: dict[str, Truth] = {}
        return tuple(
            self._setting(index, *row, truths)
            for index, row in enumerate(_plan())
            if not self.only or row[0] in self.only
        )

    def _setting(
        self, index: int, name: str, group: str, base: str, truths: dict[str, Truth]
    ) -> Setting:
        # A generator of its own, so that a setting does not depend on those before it.
        rng = np.random.default_rng((self.seed, index))
        if base not in KNOWN:
            language = RANDOM_GAMES[base][0](rng)
        elif base == name:
            language = _known(base)
        else:
            language = disguised(_known(base).game, int(rng.integers(1 << 31)))
        if base not in truths or base == name or base not in KNOWN:
            truths[base] = truth_of(language.game, "all" if base == "euclid" else "reachable")
        return Setting(name, group, language, tuple(_items(name, language, truths[base], rng)))

    @cached_property
    def items(self) -> dict[str, tuple[Setting, Item]]:
        """The positions of all settings by id."""
        return {item.id: (setting, item) for setting in self.settings for item in setting.items}

    def prompts(self, **form: Any) -> Iterator[tuple[Setting, Item, str]]:
        """Yield the positions with their settings and prompts.

        Args:
            form: arguments of :func:`nim_envs.text.prompt`, apart from the game and the position.
        """
        for setting, item in self.items.values():
            yield setting, item, prompt(setting.language, item.position, **form)

    def verdict(self, item: str, reply: str, **reading: Any) -> Verdict:
        """Return the exact verdict on a reply at a position.

        Args:
            item: id of the position.
            reply: any text.
            reading: arguments of :func:`nim_envs.text.verdict`.
        """
        setting, place = self.items[item]
        return verdict(setting.language, place.position, reply, **reading)


def _plan() -> Iterator[tuple[str, str, str]]:
    """Yield name and group of each setting, and the key of its game in one of the tables."""
    for name, (group, _, _) in KNOWN.items():
        yield name, group, name
    for name, (group, _, _) in KNOWN.items():
        yield f"{name}-disguised", group, name
    for name, (_, count) in RANDOM_GAMES.items():
        for index in range(count):
            group = name if name in UNREAD else "own rules"
            yield name if count == 1 else f"{name}-{'abcdef'[index]}", group, name


def _known(name: str) -> Language:
    _, game, arguments = KNOWN[name]
    return as_language(make_game(game, **arguments))


def _items(name: str, language: Language, truth: Truth, rng: np.random.Generator) -> Iterator[Item]:
    """Draw positions, equally many from each band."""
    bands = truth.bands()
    if len(bands) <= MOST_POSITIONS:
        chosen = np.arange(len(bands))
    else:
        parts = []
        for band in range(len(BANDS)):
            share = (MOST_POSITIONS + len(BANDS) - 1 - band) // len(BANDS)
            parts.append(rng.permutation(np.flatnonzero(bands == band))[:share])
        chosen = np.sort(np.concatenate(parts))
    for row in chosen.tolist():
        position = tuple(truth.positions[row].tolist())
        yield Item(
            f"{name}/{'-'.join(map(str, position))}",
            name,
            position,
            BANDS[bands[row]],
            int(truth.legal[row]),
            int(truth.winning[row]),
            int(truth.moves_to_end[row]),
        )
