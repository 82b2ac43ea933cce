"""Misère play of sums, solved by one misère quotient of all parts together."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
from nim_envs.cgt.misere_quotients.parts import Parts, Word
from nim_envs.cgt.misere_quotients.periods import periodic_from
from nim_envs.cgt.misere_quotients.proof import layers_refutation
from nim_envs.cgt.misere_quotients.refinement import (
    Limits,
    TooManyClassesError,
    refine,
)
from nim_envs.cgt.misere_quotients.search import LARGEST_ORDER, QuotientSearch
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.games.heaps import heap_game_of
from nim_envs.games.octal_codes import HeapGame
from nim_envs.graph import Part
from nim_envs.solution import Solution, part_states
from nim_envs.typing import BoolArray, IntArray, ValueArray

LARGEST_PART = 2_000
"""Most positions of a part, other than an octal heap, in a quotient."""

LARGEST_LAYERS = 2_000
"""Most positions of the parts that do not split, each of which becomes a layer."""

REMEMBERED = 32
"""Number of cached quotients, for later games with the same parts."""

SMALL = 128
"""Most elements of a quotient that is tried before an induction."""

PROVEN = "misère quotient, proven by its transition algebra"
PERIODIC = "theorem on periodic misère quotients"


def quotient_solution(game: Game, limit: int = LARGEST_ORDER) -> Solution:
    """Solve misère play of a game by the misère quotient of all its parts together.

    The classes of heaps larger than those searched follow by the theorem on periodic quotients.

    Args:
        game: a game that the last move decides; whether it is misère play does not matter.
        limit: most elements of the quotient.

    Raises:
        SearchTooLargeError: the quotient has too many elements, or is infinite.

    Example:
        >>> from nim_envs.games import kayles
        >>> quotient_solution(kayles(heaps=(7,))).value((7, 0, 0, 0))
        1
    """
    distinct = [*dict.fromkeys(game.parts)]
    single = tuple(part for part in distinct if part.second is None)
    if math.prod(part.num_positions for part in game.parts if part in single) > LARGEST_LAYERS:
        single = ()
    rules = {part: heap_game_of(part) for part in distinct if part not in single}
    sizes: dict[HeapGame, int] = {}
    for part, rule in rules.items():
        if rule is not None:
            sizes[rule] = max(sizes.get(rule, 0), part.num_positions - 1)
    layers = tuple(part for part in game.parts if part in single)
    others = tuple(part for part, rule in rules.items() if rule is None)
    quotient = _cached_layered(others, tuple(sorted(sizes.items(), key=repr)), layers, limit)
    classes, strides, behind = list[IntArray](), list[int](), 1
    for part in reversed(game.parts):
        in_layer = part in single
        zeros = np.zeros(part.num_positions, dtype=np.int64)
        classes.insert(0, zeros if in_layer else quotient.elements(part))
        strides.insert(0, behind if in_layer else 0)
        behind *= part.num_positions if in_layer else 1
    values = _Values(
        game, classes, np.array(strides), quotient.layer, quotient.products, quotient.lost
    )
    is_periodic = any(quotient.is_periodic(*each) for each in sizes.items())
    return Solution(game.board, PERIODIC if is_periodic else PROVEN, values)


@dataclass(frozen=True)
class _Values:
    """Values of the states of a game, of which pickles hold arrays alone."""

    game: Game
    classes: list[IntArray]  # by part: of each state; 0 for states that make layers
    strides: IntArray  # by part: of its states in the indices of layers; 0 if they make none
    layer: IntArray
    products: IntArray
    lost: BoolArray

    def __call__(self, states: IntArray) -> ValueArray:
        """Return the values of states of the board."""
        of_parts = part_states(self.game.board, self.game.parts, states)
        total = np.zeros(of_parts.shape[:-1], dtype=np.int64)
        for index, elements in enumerate(self.classes):
            total = self.products[total, elements[of_parts[..., index]]]
        layer = self.layer[of_parts @ self.strides]
        return np.where(self.lost[layer, total], np.int8(-1), np.int8(1))


class _JointQuotient:
    """The quotient of sums of any number of some parts, and of octal heaps of some games."""

    def __init__(self, parts: tuple[Part, ...], games: Iterable[HeapGame], limit: int) -> None:
        self.search = QuotientSearch(limit)
        # By part, the index of each state in the search; ``None`` for states without a move.
        self.indices: dict[Part, list[int | None]] = {}
        self.parts, self.heaps = parts, HeapQuotients(games, search=self.search)

    def extend(self, sizes: dict[HeapGame, int]) -> None:
        """Add all missing parts, and missing heaps of each game up to a size."""
        for part in self.parts:
            if part.num_positions > LARGEST_PART:
                raise SearchTooLargeError(
                    f"a misère quotient is looked for with a {part.words.kind} of up to "
                    f"{LARGEST_PART} positions, which is the limit, not of {part.num_positions}"
                )
            if part not in self.indices:
                self.indices[part] = _indices_of(part, self.search.add)
        if sizes:
            self.heaps.extend(sizes)


def _indices_of(part: Part, add: Callable[[list[Word]], int]) -> list[int | None]:
    """Add the states of a part, those with short play first.

    ``add`` takes the options of a state as indices of earlier states, and returns its own; a
    state without a move has ``None``.
    """
    indices: list[int | None] = [None] * part.num_positions
    for state in np.argsort(part.longest_play, kind="stable").tolist():
        options = []
        for option in part.actions(state):
            second = 0 if part.second is None else part.second.item(state, option)
            left = [part.after.item(state, option), *([second] if second else [])]
            options.append(tuple(index for row in left if (index := indices[row]) is not None))
        if options:
            indices[state] = add(options)
    return indices


@lru_cache(maxsize=REMEMBERED)
def _cached_joint(
    parts: tuple[Part, ...], games: tuple[HeapGame, ...], limit: int
) -> _JointQuotient:
    """Return the cached quotient of parts; heaps may have to be added."""
    return _JointQuotient(parts, games, limit)


class _LayeredQuotient:
    """A quotient of sums of some parts, refined by the positions of single others.

    Play can create any number of octal heaps, so a quotient of their sums is needed. Parts
    that do not split never become more, and the quotient of any number of them may be infinite. So
    each of their positions is a *layer*: who wins when it is added is a property of sums of the
    others, and refines their classes.
    """

    def __init__(
        self, joint: _JointQuotient, sizes: dict[HeapGame, int], single: Sequence[Part]
    ) -> None:
        joint.extend(sizes)
        states = Parts()
        indices_of = [_indices_of(part, states.index) for part in single]
        words = [
            tuple(sorted(part for part in parts if part is not None))
            for parts in product(*indices_of)
        ]
        order = sorted(
            set(words), key=lambda word: (sum(states.lengths[part] for part in word), word)
        )
        layers = {word: layer for layer, word in enumerate(order)}
        self.layer = np.array([layers[word] for word in words])
        options_of = [
            sorted({layers[option] for option in states.options_of(word)}) for word in order
        ]
        self._joint = joint
        self._classes = self._refine(options_of)
        # Those of the heaps that there are now: other games may add larger ones.
        self._heaps = {game: self._of_parts(parts) for game, parts in joint.heaps.parts.items()}
        # The theorem must hold for these classes, which may be finer.
        self._periods = {game: periodic_from(game, heaps) for game, heaps in self._heaps.items()}
        for game, size in sizes.items():
            if size >= len(self._heaps[game]) and self._periods[game] is None:
                raise SearchTooLargeError(
                    f"no period of the misère quotient of {game.name} is proven with the other "
                    f"parts beside it; its heaps have up to {size} objects"
                )

    def is_periodic(self, game: HeapGame, size: int) -> bool:
        """Return whether heaps up to ``size`` need the theorem on periodic quotients."""
        period = self._periods[game]
        return period is not None and size > period.needed(game.places or 0)

    def _refine(self, options: list[list[int]]) -> list[int]:
        """Refine the classes to tell who wins with each layer; return those of the parts."""
        joint = self._joint
        refined = joint.search.refined
        classes, losts = refined.classes, [refined.lost]
        for after in options[1:]:
            won = np.any([losts[layer] for layer in after], axis=0)
            try:
                limits = Limits(joint.search.limit)
                refined = refine(classes, won, limits)
            except TooManyClassesError:
                raise joint.search.too_many() from None
            if refined.classes is not classes:
                classes = refined.classes
                losts = [lost[refined.coarser] for lost in losts]
            losts.append(refined.lost)
        self.products = classes.products.astype(np.int64)
        self.lost = np.array(losts)
        parts = joint.search.parts.options[: len(classes.elements)]
        wrong = layers_refutation(parts, self.products, classes.elements, self.lost, options)
        if wrong is not None:
            raise AssertionError(f"a quotient that was found is refuted: {wrong}")
        return classes.elements

    def _of_parts(self, parts: Sequence[int | None]) -> list[int]:
        return [0 if part is None else self._classes[part] for part in parts]

    def elements(self, part: Part) -> IntArray:
        """Return the class of each state of a part that makes no layers, ``(num_positions,)``."""
        rule = heap_game_of(part)
        if rule is None:
            return np.array(self._of_parts(self._joint.indices[part]))
        known = np.array(self._heaps[rule])
        sizes, period = np.arange(part.num_positions), self._periods[rule]
        return np.asarray(known[sizes if period is None else period.folded(sizes)])


@lru_cache(maxsize=REMEMBERED)
def _cached_layered(
    parts: tuple[Part, ...],
    sizes: tuple[tuple[HeapGame, int], ...],
    single: tuple[Part, ...],
    limit: int,
) -> _LayeredQuotient:
    """Return the cached quotient of parts and of heaps up to some sizes."""
    joint = _cached_joint(parts, tuple(game for game, _ in sizes), limit)
    return _LayeredQuotient(joint, dict(sizes), single)
