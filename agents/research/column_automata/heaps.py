"""Games of heaps from which a move takes objects, for the learner of column automata."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.base import HypothesisError
from agents.research.column_automata.automaton import as_heaps
from agents.research.column_automata.moves import MoveRelation
from nim_envs import Game
from nim_envs.errors import InvalidPositionError
from nim_envs.games import heaps as games
from nim_envs.graph import Part
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
        """Return the objects in every part of positions, ``(..., parts)``, of any size.

        Raises:
            InvalidPositionError: not integers of at least 0; or a part is a running total, and
                there is not one integer for each part.
        """
        states = as_heaps(positions)
        if not self._left_at_0.any():
            return states
        if states.shape[-1] != len(self.limits):
            raise InvalidPositionError(
                f"a position has {len(self.limits)} parts, not {states.shape[-1]}"
            )
        left = np.maximum(self._left_at_0 - states, 0)
        return np.where(self._left_at_0 > 0, left, states)

    def position(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the position with these objects in its parts; a total of n + 1 has none left."""
        if not self._left_at_0.any():
            return tuple(sizes)
        return tuple(np.where(self._left_at_0 > 0, self._left_at_0 - sizes, sizes).tolist())

    @cached_property
    def _left_at_0(self) -> IntArray:
        """Objects left at total 0, by part; 0 for a heap."""
        return np.array([0 if limit is None else limit + 1 for limit in self.limits])

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


def heap_rules(game: Game, *, ordered: bool = False) -> HeapRules:
    """Return the rules of a game on heaps.

    Heaps of Nim, of bounded Nim and of subtraction games with all amounts from 1 to some bound are
    read as they are. A total ``t`` of the addition game with limit ``n`` is read as a heap of
    ``n + 1 - t`` objects, at least 0, from which a move takes 1 to ``k``.

    Args:
        game: the game.
        ordered: as in :class:`HeapRules`.

    Raises:
        HypothesisError: a part is no such heap, or two of them have different moves.

    Example:
        >>> from nim_envs.games import addition, nim
        >>> heap_rules(nim(heaps=(3, 4, 5))).relation
        MoveRelation(max_take=None)
        >>> rules = heap_rules(addition(k=3, n=10))
        >>> rules.relation, rules.sizes([[0], [10], [12]]).tolist()
        (MoveRelation(max_take=3), [[11], [1], [0]])
    """
    bounds: set[int] = set()
    whole = 0  # the largest heap that one move may take whole
    limits: list[int | None] = []
    for index, part in enumerate(game.parts):
        constructor, arguments = part.made_by or (None, ())
        if constructor is games.total:
            most, limit = arguments
            bounds.add(most)
            limits.append(limit)
            continue
        limits.append(None)
        most = _most_taken(index, part, game)
        if most < part.num_positions - 1:
            bounds.add(most)
        else:
            whole = max(whole, most)
    if len(bounds) > 1 or (bounds and whole > min(bounds)):
        raise HypothesisError(
            f"a column automaton cannot learn {game.summary}: all heaps must have the same moves, "
            f"but of some at most {min(bounds)} objects may be taken, and of others "
            f"{max(bounds | {whole})}"
        )
    relation = MoveRelation(min(bounds) if bounds else None)
    return HeapRules(relation, game.misere, tuple(limits), ordered)


def _most_taken(index: int, part: Part, game: Game) -> int:
    """Return the most objects that a move may take from a full heap that loses 1 to that many."""
    if part.made_by is not None and part.made_by[0] is games.heap:
        amounts: tuple[int, ...] = part.made_by[1][1]
        if not amounts or amounts[-1] == len(amounts):
            return len(amounts)
        why = f"allows {', '.join(map(str, amounts[:12]))}"
    elif part.second is not None:
        why = "splits"
    else:
        why = "is given as a table of options, not as a heap"
    raise HypothesisError(
        f"a column automaton cannot learn {game.summary}: what is read bit by bit must be a heap "
        "from which a move takes 1 to some number of objects, or a running total, but "
        f"{part.words.kind} {index} of {game.name} {why}"
    )
