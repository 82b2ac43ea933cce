"""Games in other words: a bijection of words, and a permutation of the parts' numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.graph import Part

NOUNS = {
    "heap": ("jar", "crate", "basket", "drawer", "bucket", "tray"),
    "object": ("coin", "bead", "ticket", "button", "marble", "stamp"),
    "total": ("gauge", "meter", "dial", "scale"),
    "token": ("boat", "robot", "train", "courier"),
    "node": ("town", "island", "station", "harbour"),
    "arrow": ("road", "bridge", "tunnel", "canal"),
    "component": ("device", "panel", "unit"),
    "option": ("choice", "variant", "lever"),
    "state": ("phase", "level", "stage"),
}
"""Replacements of nouns; all plurals are in -s."""

VERBS = {
    "take": ("draw", "lift", "pull", "grab"),
    "leave": ("keep", "spare", "retain"),
    "split": ("divide", "break", "cut"),
    "add": ("load", "pour", "feed", "supply"),
    "move": ("travel", "go", "head", "sail"),
}
"""Replacements of verbs. No replacement of a noun or a verb is used twice."""

OTHER_VERBS = {
    "bite": ("clip", "snip", "trim"),
    "cover": ("occupy", "claim", "seal"),
    "subtract": ("deduct", "discount", "shed"),
}
"""Replacements of verbs in games with coordinates."""

OTHER_NOUNS = {
    "square": ("spot", "tile", "niche"),
    "cell": ("booth", "berth", "pocket"),
    "row": ("tier", "lane", "belt"),
    "column": ("aisle", "shaft", "ramp"),
}
"""Replacements of the names of places and coordinates."""

DIRECTIONS = {
    "left": ("west", "back", "inward"),
    "down": ("south", "under", "deeper"),
    "diagonally": ("obliquely", "slantwise", "askew"),
}
"""Replacements of directions."""

OTHER_KINDS = ("gadget", "engine", "vessel", "beacon", "circuit", "module", "cabin", "plot")
"""Replacements of the kinds of parts with coordinates, which may be any word."""

MOVE_VERB = "move(?= (?:to|along|any|the|left|down|diagonally) )"
"""Pattern of the verb for pieces; the noun, a player's move, is left as it is."""


@dataclass(unsafe_hash=True)
class Disguise:
    """Replacements of the words and numbers of a game, drawn from a seed.

    Args:
        parts: parts of the game.
        seed: an integer of at least 0.

    Attributes:
        words: the replacement of each word that has one.
        labels: the number of each part, from 1, in the order of the parts.
    """

    parts: tuple[Part, ...]
    seed: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        self.words: dict[str, str] = {}
        self._draw({**NOUNS, **VERBS}, rng, plurals=True)
        self.labels = tuple((rng.permutation(len(self.parts)) + 1).tolist())
        self._nodes = {
            part: (rng.permutation(part.num_positions) + 1).tolist()
            for part in dict.fromkeys(self.parts)
            if part.words.names_states
        }
        # Drawn last, and only where needed, so that the disguises of other games stay the same.
        kinds = [part.words.kind.lower() for part in self.parts if part.words.state is None]
        if kinds:
            self._draw(OTHER_VERBS, rng, plurals=False)
            order = rng.permutation(len(OTHER_KINDS)).tolist()
            new = [kind for kind in dict.fromkeys(kinds) if kind not in self.words]
            for index, kind in enumerate(new):
                self.words[kind] = OTHER_KINDS[order[index % len(order)]]
                self.words[f"{kind}s"] = f"{self.words[kind]}s"
            self._draw(OTHER_NOUNS, rng, plurals=True)
            self._draw(DIRECTIONS, rng, plurals=False)

    def _draw(
        self, choices: Mapping[str, tuple[str, ...]], rng: np.random.Generator, *, plurals: bool
    ) -> None:
        """Draw a replacement of each word that has none; a part may have the name of one."""
        for plain, names in choices.items():
            if plain not in self.words:
                self.words[plain] = names[int(rng.integers(len(names)))]
                if plurals:
                    self.words[f"{plain}s"] = f"{self.words[plain]}s"

    def node_label(self, part: Part, node: int) -> int:
        """Return the number shown for a node of a graph."""
        label: int = self._nodes[part][node]
        return label

    def translated(self, text: str) -> str:
        """Return ``text`` with its words replaced."""

        def replacement(match: re.Match[str]) -> str:
            word = match[0]
            new = self.words[word.lower()]
            return new if word.islower() else new.capitalize()

        return self._pattern.sub(replacement, text)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        plain = (re.escape(word) for word in self.words if word not in ("move", "moves"))
        return re.compile(rf"\b(?:{'|'.join(plain)}|{MOVE_VERB})\b", flags=re.IGNORECASE)
