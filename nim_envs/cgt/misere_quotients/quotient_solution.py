"""Misère play of sums, solved by one misère quotient of all components together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
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
from nim_envs.games.octal_codes import HeapGame
from nim_envs.rules.component import NO_MOVE, Component, strides_of
from nim_envs.rules.component_graph import left_by_moves, levels
from nim_envs.rules.convention import Convention
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.rules import Rules
from nim_envs.theory.solution import Solution
from nim_envs.typing import BoolArray, IntArray

LARGEST_COMPONENT = 2_000
"""Most states of a component, other than an octal heap, in a quotient."""

LARGEST_LAYERS = 2_000
"""Most positions of the components that do not split, each of which becomes a layer."""

REMEMBERED = 32
"""Number of cached quotients, for later games with the same components."""

PROVEN = "misère quotient, proven by its transition algebra"
PERIODIC = "theorem on periodic misère quotients"


class QuotientSolution(Solution):
    """A game in misère play, solved by the misère quotient of all its components together.

    The classes of heaps larger than those searched follow by the theorem on periodic quotients.

    Args:
        rules: components of the game.
        limit: most elements of the quotient.

    Raises:
        SearchTooLargeError: the quotient has too many elements, or is infinite.
    """

    def __init__(self, rules: Rules, limit: int = LARGEST_ORDER) -> None:
        if rules.has_wide_gaps:
            raise SearchTooLargeError(
                f"a misère quotient of {rules.name} would need an index for each of {rules.shape} "
                "states"
            )
        single = tuple(component for component in rules.components if not component.splits)
        if math.prod(component.states for component in single) > LARGEST_LAYERS:
            single = ()
        others = set(rules.components) - set(single)
        sizes: dict[HeapGame, int] = {}
        for component in others:
            if isinstance(component, SplittingHeap):
                sizes[component.game] = max(sizes.get(component.game, 0), component.size)
        parts = frozenset(each for each in others if not isinstance(each, SplittingHeap))
        quotient = _cached_layered(parts, tuple(sorted(sizes.items(), key=repr)), single, limit)
        periodic = any(quotient.is_periodic(game, size) for game, size in sizes.items())
        super().__init__(rules, Convention.MISERE, PERIODIC if periodic else PROVEN)
        self._products, self._lost, self._layer = quotient.products, quotient.lost, quotient.layer
        # By component: the class of each state, 0 for states that make layers; and the stride of
        # its states in the indices of layers, 0 if they make none.
        elements = {
            each: np.zeros(each.states, dtype=np.int64) if each in single
            else quotient.elements(each)
            for each in set(rules.components)
        }  # fmt: skip
        self._elements = [elements[component] for component in rules.components]
        makes_layers = [component in single for component in rules.components]
        states = np.where(makes_layers, rules.shape, 1)
        self._strides = np.where(makes_layers, strides_of(states.tolist()), 0)

    def _winning(self, positions: IntArray) -> BoolArray:
        total = np.zeros(positions.shape[:-1], dtype=np.int64)
        for component, elements in enumerate(self._elements):
            total = self._products[total, elements[positions[..., component]]]
        return np.asarray(~self._lost[self._layer[positions @ self._strides], total])

    def _winning_options(self, positions: IntArray) -> BoolArray:
        rules, products = self.rules, self._products
        here = [
            elements[positions[..., component]] for component, elements in enumerate(self._elements)
        ]
        # The class of the other components is the product of those before and those after it.
        after = [np.zeros(positions.shape[:-1], dtype=np.int64)]
        for classes in reversed(here[1:]):
            after.append(products[after[-1], classes])
        layer_index = positions @ self._strides
        options, seconds = rules.options(positions), rules.second_options(positions)
        winning = np.zeros(options.shape, dtype=np.bool_)
        before = np.zeros(positions.shape[:-1], dtype=np.int64)
        for component, elements in enumerate(self._elements):
            left = np.maximum(options[..., component, :], 0)
            moved = (left - positions[..., component, np.newaxis]) * self._strides[component]
            classes = elements[left]
            if seconds is not None and rules.components[component].splits:
                classes = products[classes, elements[seconds[..., component, :]]]
            rest = products[before, after.pop()][..., np.newaxis]
            layer = self._layer[layer_index[..., np.newaxis] + moved]
            winning[..., component, :] = self._lost[layer, products[rest, classes]]
            before = products[before, here[component]]
        return np.asarray(winning & (options != NO_MOVE))


class _JointQuotient:
    """The quotient of sums of any number of some components.

    Args:
        components: components other than octal heaps.
        games: rules of the octal heaps.
        limit: most elements.
    """

    def __init__(
        self, components: Iterable[Component], games: Iterable[HeapGame], limit: int
    ) -> None:
        self.search = QuotientSearch(limit)
        self.components = tuple(components)
        # By component, the part of each state; ``None`` for states without a move.
        self.parts: dict[Component, list[int | None]] = {}
        self.heaps = HeapQuotients(games, search=self.search)

    def extend(self, sizes: dict[HeapGame, int]) -> None:
        """Add all missing components, and missing heaps of each game up to a size."""
        for component in self.components:
            if component.states > LARGEST_COMPONENT:
                raise SearchTooLargeError(
                    f"a misère quotient is looked for with a {component.kind} of up to "
                    f"{LARGEST_COMPONENT} states, which is the limit, not of {component.states}"
                )
            if component not in self.parts:
                self.parts[component] = _parts_of(component, self.search.add)
        if sizes:
            self.heaps.extend(sizes)


def _parts_of(component: Component, add: Callable[[list[Word]], int]) -> list[int | None]:
    """Add the states of a component, those with short play first.

    Args:
        component: owner of the states.
        add: takes the options of a state as parts of earlier states, and returns its part.

    Returns:
        The part of each state; ``None`` where there is no move.
    """
    parts: list[int | None] = [None] * component.states
    for state in np.argsort(levels(component), kind="stable").tolist():
        options = [
            tuple(part for each in left if (part := parts[each]) is not None)
            for left in left_by_moves(component, state)
        ]
        if options:
            parts[state] = add(options)
    return parts


@lru_cache(maxsize=REMEMBERED)
def _cached_joint(
    components: frozenset[Component], games: frozenset[HeapGame], limit: int
) -> _JointQuotient:
    """Return the cached quotient of components; heaps may have to be added."""
    # Sorted, so that every run gives the same numbers.
    return _JointQuotient(
        sorted(components, key=repr), sorted(games, key=lambda game: game.name), limit
    )


class _LayeredQuotient:
    """A quotient of sums of some components, refined by the positions of single others.

    Play can create any number of octal heaps, so a quotient of their sums is needed. Components
    that do not split never become more, and the quotient of any number of them may be infinite. So
    each of their positions is a *layer*: who wins when it is added is a property of sums of the
    others, and refines their classes.

    Args:
        joint: quotient of the other components.
        sizes: largest heap of each of its games.
        single: components that make the layers.
    """

    def __init__(
        self, joint: _JointQuotient, sizes: dict[HeapGame, int], single: Sequence[Component]
    ) -> None:
        joint.extend(sizes)
        states = Parts()
        parts_of = [_parts_of(component, states.index) for component in single]
        words = [
            tuple(sorted(part for part in parts if part is not None))
            for parts in product(*parts_of)
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
        # The theorem must hold for these classes, which may be finer.
        self._periods = {
            game: periodic_from(game, self._of_parts(parts))
            for game, parts in joint.heaps.parts.items()
        }
        for game, size in sizes.items():
            if size >= len(joint.heaps.parts[game]) and self._periods[game] is None:
                raise SearchTooLargeError(
                    f"no period of the misère quotient of {game.name} is proven with the other "
                    f"components beside it; its heaps have up to {size} objects"
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

    def elements(self, component: Component) -> IntArray:
        """Return the class of each state of a component that makes no layers, ``(states,)``."""
        if not isinstance(component, SplittingHeap):
            return np.array(self._of_parts(self._joint.parts[component]))
        known = np.array(self._of_parts(self._joint.heaps.parts[component.game]))
        heaps = np.arange(component.states)
        period = self._periods[component.game]
        return np.asarray(known[heaps if period is None else period.folded(heaps)])


@lru_cache(maxsize=REMEMBERED)
def _cached_layered(
    parts: frozenset[Component],
    sizes: tuple[tuple[HeapGame, int], ...],
    single: tuple[Component, ...],
    limit: int,
) -> _LayeredQuotient:
    """Return the cached quotient of components and of heaps up to some sizes."""
    return _LayeredQuotient(
        _cached_joint(parts, frozenset(game for game, _ in sizes), limit), dict(sizes), single
    )


def forget_quotients() -> None:
    """Empty the cache of quotients, for measurements."""
    _cached_layered.cache_clear()
    _cached_joint.cache_clear()
