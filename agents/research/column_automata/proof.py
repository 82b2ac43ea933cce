"""Proof that a column automaton says who wins, for every number of heaps of every size.

A claim is right if it agrees with the convention at the position without objects, and claims any
other position to be lost exactly if no move leads to one claimed to be lost: by induction on the
number of objects. As positions are read column by column, finitely many classes of positions are
checked. The highest column comes first; an automaton that reads the lowest first is reversed.

The effect of a column on the claim depends on its number of ones, and is periodic from some number
on. A heap is read before and after a move at the same time: for each choice of the bits after the
move, the columns so far lead to a pair of the automaton's state and the bounds on the objects
taken. The *kind* of a heap is the set of these pairs. The heap has a winning move if, at the end,
some pair belongs to a lost position and a legal move.

1. No lost position has a move to a lost one. A move changes one heap, and the others may have any
   number of ones in each column: all pairs are followed.
2. Every other position with objects has a move to a lost one. All *configurations* are followed,
   each a state of the automaton and the set of the heaps' kinds. A configuration that is not lost
   and in which no kind has a winning move refutes the claim.

Kinds are monotone: if one is a subset of another, it stays a subset when both heaps have the same
further bits. The kind of an empty heap is a subset of every other, as every kind includes the
choice in which no object has been taken so far. A configuration is *part* of another, of the same
state, if each of its kinds is a subset of one of the other's. If further bits complete the other
without a winning move, then some bits complete the part so too: each of its heaps takes the bits of
a heap whose kind contains its own, and the remaining ones go to heaps that were empty so far. So it
is enough to follow the maximal kinds of each configuration, and the minimal configurations of each
state. For the same reason all heaps of one kind are given the same bit: if some have a 1, giving
it to all of them leads to a part of the configuration.

The number of heaps of a kind is not counted, so some configurations belong to no position. If a
configuration refutes the claim, a position is made from it and tested; if the position does not
refute the claim, the result is "not proved".

A claim about *one heap alone* is proved in the same way: a column is the bit of that heap, and a
configuration has one heap. Every configuration then belongs to a position, so every claim is
proved or refuted within the limit of work. For moves that take 1 to ``k``, such an automaton exists
for every ``k``: the lost heaps are those with a certain remainder modulo ``k + 1``. For several
heaps none may exist.

References:
    D. Neider and U. Topcu, "An automaton learning approach to solving safety games over infinite
    graphs", *TACAS* 2016, 204-221: automata, learned and checked, for games with infinitely many
    positions. M. De Wulf, L. Doyen, T. A. Henzinger and J.-F. Raskin, "Antichains: a new algorithm
    for checking universality of finite automata", *CAV* 2006, 17-30: only maximal or
    minimal sets are kept, as kinds and configurations are here.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from agents.research.column_automata.automaton import ColumnAutomaton, reached_from
from agents.research.column_automata.columns import Columns, columns_of
from agents.research.column_automata.moves import MoveRelation
from agents.research.column_automata.play import move_to_lost

WORK_LIMIT = 20_000_000
"""Most steps of a proof."""

SMALL_BOARDS = ((1, 16), (2, 8), (3, 4), (5, 2))
"""Number of heaps, and bound on their sizes, of the boards searched if a proof fails."""


class Outcome(Enum):
    """Result of an attempted proof."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOT_PROVED = "not proved"


@dataclass(frozen=True)
class Verdict:
    """Result of an attempted proof, with its evidence.

    Args:
        outcome: whether the claim is proved, refuted, or neither.
        reason: explanation in words.
        position: heaps at which the rules contradict the claim; ``None`` unless it is refuted.
    """

    outcome: Outcome
    reason: str
    position: tuple[int, ...] | None = None

    @property
    def proved(self) -> bool:
        """Whether the claim is right for all heaps."""
        return self.outcome is Outcome.PROVED

    @property
    def refuted(self) -> bool:
        """Whether the claim is wrong."""
        return self.outcome is Outcome.REFUTED

    def __str__(self) -> str:
        """Return the outcome and the reason."""
        return f"{self.outcome.value}: {self.reason}"


class _OutOfWorkError(Exception):
    """The limit of work is reached."""


class _WorkCounter:
    """Counts steps, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.done = 0

    def add(self, steps: int) -> None:
        """Add ``steps`` to the count."""
        self.done += steps
        if self.done > self.limit:
            raise _OutOfWorkError


def prove(
    automaton: ColumnAutomaton,
    relation: MoveRelation,
    misere: bool,
    work_limit: int = WORK_LIMIT,
    one_heap: bool = False,
) -> Verdict:
    """Prove or refute that an automaton says who wins, for every number of heaps of every size.

    With ``one_heap``, for one heap of every size: games with one heap or one running total.

    The proof uses no theorem on games. A refutation gives a position at which the rules contradict
    the claim. The result is neither if the work reaches its limit, or if this method does not cover
    the form of the claim.

    Args:
        automaton: claims which positions are lost.
        relation: moves in one heap.
        misere: whether the player who makes the last move loses.
        work_limit: most steps.
        one_heap: whether the claim is about one heap alone, and may be wrong for several.

    Example:
        >>> nim = ColumnAutomaton([[0, 1], [2, 0], [2, 2]], [True, False, False], False)
        >>> print(prove(nim, MoveRelation(), misere=False))
        proved: for every number of heaps of every size
        >>> print(prove(nim, MoveRelation(), misere=True))
        refuted: the position without objects is claimed to be lost, but is won
        >>> print(prove(nim, MoveRelation(max_take=3), misere=False))
        refuted: (4,) is claimed to be won, but no move leads to what is claimed to be lost
        >>> threes = [[0, 3], [2, 4], [1, 5], [1, 3], [0, 4], [2, 5]]  # a multiple of three is lost
        >>> claim = ColumnAutomaton(threes, [True] + [False] * 5, True)
        >>> print(prove(claim, MoveRelation(max_take=2), misere=False, one_heap=True))
        proved: for one heap of every size
        >>> prove(claim, MoveRelation(max_take=2), misere=False).refuted
        True
    """
    if bool(automaton.is_lost([0])) == misere:
        claimed, true = ("lost", "won") if misere else ("won", "lost")
        reason = f"the position without objects is claimed to be {claimed}, but is {true}"
        return Verdict(Outcome.REFUTED, reason, (0,) if automaton.reads_zeros else ())
    counter = _WorkCounter(work_limit)
    columns = columns_of(automaton, work_limit, one_heap)
    if isinstance(columns, str):
        return _by_small_boards(automaton, relation, one_heap, columns)
    try:
        moves = _Moves(columns, relation, one_heap, counter)
        position = _with_a_wrong_move(moves) or _without_a_move(moves)
    except _OutOfWorkError:
        return Verdict(Outcome.NOT_PROVED, f"given up after {work_limit} steps")
    if position is None:
        reason = f"for {'one heap' if one_heap else 'every number of heaps'} of every size"
        return Verdict(Outcome.PROVED, reason)
    contradiction = _contradiction(automaton, relation, position)
    if contradiction is None:
        reason = "what would refute it belongs to no position that was found"
        return _by_small_boards(automaton, relation, one_heap, reason)
    return Verdict(Outcome.REFUTED, contradiction, position)


def _by_small_boards(
    automaton: ColumnAutomaton, relation: MoveRelation, one_heap: bool, why: str
) -> Verdict:
    """Return a refutation by a small board, or the verdict "not proved" with the reason ``why``."""
    for heaps, below in SMALL_BOARDS:
        if one_heap and heaps > 1:
            continue
        for position in itertools.product(range(below), repeat=heaps):
            reason = _contradiction(automaton, relation, position)
            if reason is not None:
                return Verdict(Outcome.REFUTED, reason, position)
    return Verdict(Outcome.NOT_PROVED, why)


def _contradiction(
    automaton: ColumnAutomaton, relation: MoveRelation, position: tuple[int, ...]
) -> str | None:
    """Return the contradiction between rules and claim at a position with objects, if any."""
    option = move_to_lost(automaton, relation, position)
    lost = bool(automaton.is_lost(position))
    if lost and option is not None:
        return f"{position} is claimed to be lost, and so is its option {option}"
    if not lost and option is None and any(position):
        return f"{position} is claimed to be won, but no move leads to what is claimed to be lost"
    return None


class _Moves:
    """Next kinds of a heap, by its bit in a column.

    A kind is an integer with a bit for each pair: of a state of the claim after the move, and a
    state of the move relation. Pairs from which no move to a lost position can be completed are
    left out.
    """

    def __init__(
        self, columns: Columns, relation: MoveRelation, one_heap: bool, counter: _WorkCounter
    ) -> None:
        self.columns = columns
        self.counter = counter
        self.bits: dict[int, tuple[int, ...]] = {0: (0,), 1: (1,)}
        """The possible bits of a heap, by the number of ones in its column. A larger number has the
        effect of one of these, and so have the numbers one above and one below it."""
        if not one_heap:
            for ones in range(1, columns.exact + columns.period + 1):
                self.bits[ones] = (0, 1)
        differences = _differences(relation, counter)
        counter.add(len(columns.lost) * len(differences))
        self.pairs = {
            pair: index
            for index, pair in enumerate(itertools.product(range(len(columns.lost)), differences))
        }
        self.after = self._all_after(relation)
        self.goal = 0
        for (state, difference), index in self.pairs.items():
            if columns.lost[state] and difference > 0:
                self.goal |= 1 << index
        self._keep_useful_pairs()
        self._kinds: dict[tuple[int, int, int], int] = {}

    def _all_after(self, relation: MoveRelation) -> dict[tuple[int, int], list[int]]:
        """Return the sets of pairs after every pair, by the bit and the ones in the column."""
        pairs_after = {}
        # Work in proportion to the memory of the sets, which is known beforehand.
        self.counter.add(len(self.pairs) ** 2 * 2 * len(self.bits) // 64)
        for bit, ones in sorted((bit, ones) for ones, bits in self.bits.items() for bit in bits):
            row = []
            for state, difference in self.pairs:
                pairs = 0
                for left in (0, 1):
                    now = relation.step(difference, bit, left)
                    if now is not None:
                        state_now = self.columns.after(ones - bit + left)[state]
                        pairs |= 1 << self.pairs[state_now, now]
                row.append(pairs)
            self.counter.add(len(row))
            pairs_after[bit, ones] = row
        return pairs_after

    def _keep_useful_pairs(self) -> None:
        """Keep only the pairs from which a move to a lost position can be reached."""
        useful, before = self.goal, 0
        while useful != before:
            before = useful
            for row in self.after.values():
                self.counter.add(len(row))
                for index, pairs in enumerate(row):
                    if pairs & useful:
                        useful |= 1 << index
        self.useful = useful
        for key, row in self.after.items():
            self.after[key] = [pairs & useful for pairs in row]

    def empty(self, state: int) -> int:
        """Return the kind of an empty heap."""
        return 1 << self.pairs[state, 0] & self.useful

    def kind(self, kind: int, bit: int, ones: int) -> int:
        """Return the kind of a heap after another column in which it has ``bit``."""
        key = (kind, bit, ones)
        known = self._kinds.get(key)
        if known is None:
            row, known = self.after[bit, ones], 0
            self.counter.add(1)
            for index in _members(kind):
                known |= row[index]
            self._kinds[key] = known
        return known


def _members(bits: int) -> Iterator[int]:
    """Yield the indices of the bits that are 1, the largest first."""
    while bits:
        index = bits.bit_length() - 1
        yield index
        bits &= ~(1 << index)


def _differences(relation: MoveRelation, counter: _WorkCounter) -> list[int]:
    """Return every state of the relation."""

    def steps(state: int) -> Iterator[int]:
        for bit, left in itertools.product((0, 1), repeat=2):
            after = relation.step(state, bit, left)
            counter.add(1)
            if after is not None:
                yield after

    return reached_from(0, steps)[0]


def _with_a_wrong_move(moves: _Moves) -> tuple[int, ...] | None:
    """Return a position claimed to be lost with a move to another such one; ``None``: no such."""
    columns = moves.columns
    start = (0, moves.pairs[0, 0])
    ways: dict[tuple[int, int], tuple[tuple[int, int], int, int] | None] = {start: None}
    waiting = [start]
    for now in waiting:  # which grows meanwhile
        state, index = now
        for (bit, ones), row in moves.after.items():
            moves.counter.add(1)
            state_after = columns.after(ones)[state]
            for pair in _members(row[index]):
                after = (state_after, pair)
                if after in ways:
                    continue
                ways[after] = (now, bit, ones)
                if columns.lost[state_after] and moves.goal >> pair & 1:
                    steps, way = [], ways[after]
                    while way is not None:
                        steps.append(way[1:])
                        way = ways[way[0]]
                    return _heaps_of(steps)
                waiting.append(after)
    return None


def _heaps_of(steps: list[tuple[int, int]]) -> tuple[int, ...]:
    """Return a heap with bits, and other heaps for the ones, by column from the lowest."""
    others = max((ones - bit for bit, ones in steps), default=0)
    heaps = [0] * (1 + others)
    for column, (bit, ones) in enumerate(steps):
        heaps[0] += bit << column
        for other in range(ones - bit):
            heaps[1 + other] += 1 << column
    return tuple(heaps)


@dataclass(frozen=True, eq=False)
class _Configuration:
    """A state of the claim and the maximal kinds of heaps, with the path to them."""

    state: int
    met: bool  # whether any bit read so far is 1
    kinds: tuple[int, ...]  # ascending; none is a subset of another
    before: _Configuration | None = None  # that before the last column
    ones: int = 0  # in the last column
    bits: tuple[int, ...] = ()  # bit of each kind of ``before`` in the last column

    def is_part_of(self, kinds: tuple[int, ...]) -> bool:
        """Return whether each of its kinds is a subset of one of ``kinds``."""
        return all(any(kind & other == kind for other in kinds) for kind in self.kinds)


def _without_a_move(moves: _Moves) -> tuple[int, ...] | None:
    """Return a position claimed to be won without a move to a lost one; ``None``: no such."""
    start = _Configuration(0, False, ())
    configurations: dict[tuple[int, bool], list[_Configuration]] = {(0, False): [start]}
    order = itertools.count()
    waiting = [(0, 0, next(order), start)]
    while waiting:
        depth, _, _, now = heapq.heappop(waiting)
        if not any(now is one for one in configurations[now.state, now.met]):
            continue  # another took its place
        for after in _followers(now, moves):
            won = after.met and not moves.columns.lost[after.state]
            if won and not any(kind & moves.goal for kind in after.kinds):
                return _realised(after, moves)
            rivals = configurations.setdefault((after.state, after.met), [])
            moves.counter.add(1 + len(rivals))
            if any(rival.is_part_of(after.kinds) for rival in rivals):
                continue
            rivals[:] = [rival for rival in rivals if not after.is_part_of(rival.kinds)]
            rivals.append(after)
            heapq.heappush(waiting, (depth + 1, len(after.kinds), next(order), after))
    return None


def _followers(now: _Configuration, moves: _Moves) -> Iterator[_Configuration]:
    """Yield the configurations after another column.

    Heaps of one kind have the same bit: different bits lead to no smaller configuration.
    """
    for ones, possible in moves.bits.items():
        state = moves.columns.after(ones)[now.state]
        for bits in itertools.product(possible, repeat=len(now.kinds)):
            moves.counter.add(1)
            after = {moves.kind(kind, bit, ones) for kind, bit in zip(now.kinds, bits, strict=True)}
            if ones and not any(bits):
                after.add(moves.kind(moves.empty(now.state), 1, ones))
            kinds = tuple(
                sorted(
                    kind
                    for kind in after
                    if not any(kind & other == kind for other in after if other != kind)
                )
            )
            yield _Configuration(state, now.met or ones > 0, kinds, now, ones, bits)


def _realised(end: _Configuration, moves: _Moves) -> tuple[int, ...]:
    """Return a position whose heaps' kinds are subsets of those of a configuration.

    A column has more ones than planned if more heaps need one.
    """
    path: list[_Configuration] = []
    step: _Configuration | None = end
    while step is not None:
        path.append(step)
        step = step.before
    path.reverse()
    heaps: list[tuple[int, int]] = []  # heaps, each with its kind
    for before, after in itertools.pairwise(path):
        bits = [_bit_like(kind, before.kinds, after.bits) for _, kind in heaps]
        ones = after.ones
        while ones < sum(bits):
            ones += moves.columns.period
        empty = moves.empty(before.state)
        more = ones - sum(bits)
        heaps += [(0, empty)] * more
        bits += [1] * more
        same = ones
        while same > max(moves.bits):
            same -= moves.columns.period
        heaps = [
            (2 * heap + bit, moves.kind(kind, bit, same))
            for (heap, kind), bit in zip(heaps, bits, strict=True)
        ]
    return tuple(heap for heap, _ in heaps)


def _bit_like(kind: int, kinds: tuple[int, ...], bits: tuple[int, ...]) -> int:
    """Return the bit of a kind that contains ``kind``; 0 if there is none."""
    return next((bit for bit, other in zip(bits, kinds, strict=True) if kind & other == kind), 0)
