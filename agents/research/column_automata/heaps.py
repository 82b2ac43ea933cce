"""Games of heaps from which a move takes objects, for the learner of column automata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.base import HypothesisError
from agents.research.column_automata import HeapReading, MoveRelation, heap_reading
from nim_envs import Game
from nim_envs.errors import InvalidGameError
from nim_envs.typing import IntArray

Heaps = tuple[int, ...]
"""Objects in each heap that is not empty."""


@dataclass(frozen=True)
class HeapRules:
    """The rules of a game on any number of heaps of any size; empty heaps are left out.

    Args:
        relation: the heaps that a move may leave of a heap.
        misere: whether the player who takes the last object loses.
        limits: for each part ``None`` if it is a heap, or the limit of a running total, which
            is treated as a heap of the objects left until the limit is exceeded.
        ordered: whether the order of heaps matters; if not, they are sorted.

    Example:
        >>> rules = HeapRules(MoveRelation(2), False, (None, None), ordered=False)
        >>> rules.heaps((3, 0, 1)), sorted(rules.options((1, 3)))
        ((1, 3), [(1, 1), (1, 2), (3,)])
    """

    relation: MoveRelation
    misere: bool
    limits: tuple[int | None, ...]
    ordered: bool

    @property
    def one_heap(self) -> bool:
        """Whether the game is one running total, so that no position has several heaps."""
        return len(self.limits) == 1 and self.limits[0] is not None

    def heaps(self, position: Sequence[int]) -> Heaps:
        """Return the heaps of a position of the game."""
        return self.canonical(self.sizes(position).tolist())

    def sizes(self, positions: IntArray | Sequence[int]) -> IntArray:
        """Return the objects in every part of positions, ``(..., parts)``."""
        return HeapReading(self.relation, self.limits).heaps(positions)

    def position(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the position of heaps of these sizes."""
        return tuple(HeapReading(self.relation, self.limits).positions(sizes).tolist())

    def canonical(self, sizes: Sequence[int]) -> Heaps:
        """Return the heaps without empty ones, sorted where the order does not matter."""
        left = (int(size) for size in sizes if size)
        return tuple(left if self.ordered else sorted(left))

    def options(self, heaps: Heaps) -> set[Heaps]:
        """Return the positions one move after ``heaps``."""
        left = set()
        for place, size in enumerate(heaps):
            most = self.relation.max_take
            for rest in range(0 if most is None else max(0, size - most), size):
                left.add(self.canonical((*heaps[:place], rest, *heaps[place + 1 :])))
        return left


def heap_rules(game: Game, *, ordered: bool) -> HeapRules:
    """Return the rules of ``game`` on heaps.

    Args:
        game: Nim, bounded Nim or the addition game.
        ordered: as in :class:`HeapRules`.

    Raises:
        HypothesisError: another game, whose moves cannot be read bit by bit.
    """
    try:
        reading = heap_reading(game)
    except InvalidGameError as error:
        raise HypothesisError(f"a column automaton cannot learn {game.summary}: {error}") from error
    return HeapRules(reading.relation, game.misere, reading.limits, ordered)
