"""Random games of the last move as plain lists, and a brute force that plays them.

It shares no code with the package: a kind of part is a list of its states, each a list of options,
each ``None``, one state left, or two. Parts stand in groups of equal neighbours, the slots of what
splits.
"""

import itertools

import numpy as np

MOST_POINTS = 500


class BruteForce:
    """All positions of a small game, with moves and values, by plain recursion.

    Args:
        kinds: the kinds of parts, as above.
        groups: for each group its kind and number of parts; groups of one kind are not neighbours.
    """

    def __init__(self, kinds, groups):
        self.kinds, self.groups = kinds, groups
        self.kind_of = [kind for kind, count in groups for _ in range(count)]
        self.group_of = []
        for _, count in groups:
            first = len(self.group_of)
            self.group_of += [range(first, first + count)] * count
        self.splits = [
            any(left and len(left) == 2 for state in kind for left in state) for kind in kinds
        ]
        self.options = max(len(kinds[kind][0]) for kind in self.kind_of)
        box = [range(len(kinds[kind])) for kind in self.kind_of]
        self._fits: dict = {}
        self._values: dict = {False: {}, True: {}}
        self.positions = [point for point in itertools.product(*box) if self.fits(point)]

    def moves(self, position):
        """Yield each move: its action, and the position after it, ``None`` for lack of a slot."""
        for index, state in enumerate(position):
            for option, left in enumerate(self.kinds[self.kind_of[index]][state]):
                if left is None:
                    continue
                after = [*position]
                after[index] = left[0]
                if len(left) == 2:
                    empty = [slot for slot in self.group_of[index] if after[slot] == 0]
                    if empty:
                        after[empty[0]] = left[1]
                    else:
                        after = None
                yield index * self.options + option, after and tuple(after)

    def fits(self, position):
        """Whether no play from a position lacks a slot."""
        if position not in self._fits:
            self._fits[position] = all(
                after is not None and self.fits(after) for _, after in self.moves(position)
            )
        return self._fits[position]

    def value(self, position, misere):
        """Value to the player to move."""
        values = self._values[misere]
        if position not in values:
            reached = [-self.value(after, misere) for _, after in self.moves(position)]
            values[position] = max(reached, default=1 if misere else -1)
        return values[position]


def random_kind(random):
    """A kind of part whose moves lower the state, or raise it; with or without splits."""
    states, options = int(random.integers(3, 8)), int(random.integers(1, 5))
    may_split, density = random.random() < 0.8, random.uniform(0.2, 1)
    kind = [[None] * options for _ in range(states)]
    for state, option in itertools.product(range(1, states), range(options)):
        if random.random() > density:
            continue
        first = int(random.integers(0, state))
        second = int(random.integers(0, state))
        kind[state][option] = (first, second) if may_split and first and second else (first,)
    if not may_split and random.random() < 0.3:  # state 0 is the one with most moves
        numbers = range(states)[::-1]
        kind = [
            [left and (numbers[left[0]],) for left in kind[numbers[state]]] for state in numbers
        ][::-1]
    return kind


def octal_kind(digits, size, unequal=False):
    """Heaps of up to ``size`` objects; ``digits`` as in the code, ``digits[0]`` before the point.

    Options are in the order of the objects taken, then of the smaller of two heaps that are left.
    """

    def digit(taken):
        return digits[taken] if taken < len(digits) else 0

    def left_by(heap, taken, small):
        rest = heap - taken
        if small:
            legal = digit(taken) & 4 and rest - small >= small + unequal
        else:
            legal = rest >= 0 and digit(taken) & (2 if rest else 1) and taken
        return [each for each in (rest - small, small) if each] if legal else None

    every = range(size + 1)
    options = [(taken, small) for taken in every for small in every]
    options = [each for each in options if any(left_by(heap, *each) is not None for heap in every)]
    alive = {heap for heap in every for each in options if left_by(heap, *each) is not None}
    kind = []
    for heap in every:
        kind.append([])
        for option in options:
            left = left_by(heap, *option)
            if left is not None:
                left = tuple(each for each in left if each in alive) or (0,)
            kind[-1].append(left)
    return kind


def random_groups(random, kinds):
    """Groups of one to three parts, whose box has at most ``MOST_POINTS`` points."""
    groups, points = [], 1
    for _ in range(int(random.integers(1, 4))):
        kind = int(random.integers(len(kinds)))
        count = int(random.integers(1, 5))
        while count and points * len(kinds[kind]) ** count > MOST_POINTS:
            count -= 1
        if count and not (groups and groups[-1][0] == kind):
            groups.append((kind, count))
            points *= len(kinds[kind]) ** count
    return groups


def random_game(seed):
    """A random sum of one to three groups of parts."""
    random = np.random.default_rng(seed)
    kinds = []
    for _ in range(2):
        if random.random() < 0.5:
            kinds.append(random_kind(random))
            continue
        digits = [
            int(random.choice([0, 4])),
            *random.integers(0, 8, random.integers(1, 5)).tolist(),
        ]
        size = int(random.integers(3, 8))
        kind = octal_kind(digits, size, unequal=bool(random.random() < 0.3))
        kinds.append(kind if kind[0] else random_kind(random))
    return BruteForce(kinds, random_groups(random, kinds))
