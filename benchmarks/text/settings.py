"""The boards on which a language model learns to play, and the ways in which it is paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nim_envs import Game, make_game


@dataclass(frozen=True)
class Board:
    """A game, and the positions that are scored.

    Args:
        game: registered name.
        held_out: share of the N-positions that are scored and never learned from, neither to speak
            nor to play; 0: all are learned from, and all are scored.
    """

    game: str
    held_out: float = 0.0

    def make(self) -> Game:
        """Return the game."""
        return make_game(self.game, heaps=HEAPS)


HEAPS = (3, 4, 5)

BOARDS = {
    "nim-3-4-5": Board("nim"),
    "nim-3-4-5-held-out": Board("nim", held_out=1 / 3),
    "misere-nim-3-4-5": Board("misere_nim"),
}

SPOKEN = "speech"
"""Name of the model that has learned to speak and nothing else, in results."""

ROWS: dict[str, dict[str, Any]] = {
    "self-play": {"opponent": "self"},
    "against-optimal": {"opponent": "optimal"},
    "by-turn": {},
    "by-turn-positive": {"positive": True},
    "by-turn-reference": {"reference_replies": 2},
    "by-turn-positive-reference": {"positive": True, "reference_replies": 2},
}
"""Ways of paying replies: arguments of :class:`agents.research.language_model.Credit`."""

LAST = "by-turn-positive-reference"

IN_WORDS = {
    SPOKEN: "has learned to speak, and nothing else",
    "self-play": "result of the game, against itself",
    "against-optimal": "result of the game, against optimal play",
    "by-turn": "verdict on the move, as GRPO has it",
    "by-turn-positive": "verdict, positive advantages alone",
    "by-turn-reference": "verdict, 2 of 16 replies from the reference model",
    "by-turn-positive-reference": "verdict, positive advantages alone, 2 of 16 replies from it",
}

DEFAULT_ROWS = ("self-play", "against-optimal", "by-turn", LAST)

EVERYTHING: Mapping[str, tuple[str, ...]] = {
    "nim-3-4-5": tuple(ROWS),
    "nim-3-4-5-held-out": (LAST,),
    "misere-nim-3-4-5": (LAST,),
}
"""The rows of each board with ``--all``."""

SEEDS = 5
CHOOSING = (100, 101, 102)
"""Seeds 0 to 4 are reported; settings were chosen on these."""

MOVES = 200_000
"""Sampled replies of each run."""

BETWEEN_SCORES = 10_000
"""Sampled replies between two scores of a curve."""

SAMPLES = 20
"""Replies at each position, of which the legal ones are counted."""

QUICK_MOVES, QUICK_BETWEEN = 2_000, 1_000
QUICK_UPDATES = 60
"""Sampled replies, replies between two scores, and supervised updates with ``--quick``."""

WEIGHTS = {"self-play": 1.5, "against-optimal": 2.0}
"""Relative time of a run; 1 where a row is not named."""
