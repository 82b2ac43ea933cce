"""Choose how to solve a game: by a theorem, by search or by a misère quotient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.component import Component
from nim_envs.rules.convention import Convention
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.rules.validation import checked_choice
from nim_envs.theory.grundy import is_tame
from nim_envs.theory.heap_search import LARGEST_MEMO
from nim_envs.theory.memo_search import MemoSolution, count_modulo_permutation
from nim_envs.theory.search import LARGEST_SEARCH, SearchSolution
from nim_envs.theory.solution import Solution, SumSolution
from nim_envs.theory.theorem_solution import (
    Theorem,
    TheoremSolution,
    theorem_of_game,
    theorem_on,
)

METHODS = ("auto", "theorem", "quotient", "search")

SMALL_SWEEP, SMALL_MEMO = 2**20, 2**14
"""Most positions, all of them or up to the order of components, searched without a quotient."""

SWEPT_POSITION, SWEPT_ACTION = 0.15, 0.01
"""Work of searching all positions, per position and action, in units of a quotient's work."""


class RulesAndConvention(Protocol):
    """A game as far as its solution depends on it, such as a :class:`nim_envs.Game`."""

    @property
    def rules(self) -> Rules:
        """The moves."""
        ...

    @property
    def convention(self) -> Convention:
        """Normal or misère play."""
        ...


def solve(
    game: RulesAndConvention,
    *,
    method: Literal["auto", "theorem", "quotient", "search"] = "auto",
    limit: int = LARGEST_SEARCH,
) -> Solution:
    """Solve ``game`` exactly.

    The first method that applies is used:

    - The theorem that a game brings of its own.
    - A theorem on one component
      (:func:`nim_envs.theory.theorem_solution.theorem_on`): in misère play whatever its size, in
      normal play if its table of options is not small.
    - Normal play: the Sprague-Grundy theorem, with values from tables or closed forms.
    - Misère play: Bouton's theorem (Nim), Ferguson's (subtraction games, bounded Nim, the addition
      game), or the theorem on tame sums, once all states have been checked to be tame.
    - Misère play with many positions: the misère quotient of all components together, if it is
      finite and not too large. It is given no more work than the search that it replaces, and is
      cached for further games with the same components.
    - Exhaustive search: of all positions at once or, if they are too many, of single positions on
      demand, with equal components sorted. With many of these, the quotient is computed in turns
      with the searches, and answers everything once it is found; see
      :class:`nim_envs.cgt.misere_quotients.raced_solution.RacedSolution`.

    Args:
        game: anything with ``rules`` and ``convention``, such as a :class:`nim_envs.Game`.
        method: ``"auto"``; or ``"theorem"``, ``"quotient"`` or ``"search"`` to allow only that.
        limit: most positions that an exhaustive search may enumerate.

    Returns:
        The solution; its ``method`` names the theorem, proof or search.

    Raises:
        ValueError: an unknown ``method``, or ``"theorem"`` where none applies, or ``"quotient"``
            in normal play.
        SearchTooLargeError: no theorem applies, there are more positions than ``limit``, and
            there is no misère quotient that is small enough.
        InvalidGameError: the moves form a cycle.

    Example:
        >>> import nim_envs
        >>> solution = solve(nim_envs.make_game("nim", heaps=(3, 4, 10**15)))
        >>> solution.method
        "Bouton's theorem"
        >>> solution.is_winning((3, 4, 10**15)), solution.winning_actions((3, 4, 5)).tolist()
        (True, [1])
        >>> wild = solve(nim_envs.make_game("kayles", heaps=(12,) * 8, misere=True))
        >>> wild.method, wild.is_winning(wild.rules.initial)
        ('misère quotient, proven by its transition algebra', True)
    """
    checked_choice("method", method, METHODS)
    rules, convention = game.rules, game.convention
    if method == "quotient":
        if convention is Convention.NORMAL:
            raise ValueError("a misère quotient is of misère play; normal play has its theorem")
        return _quotient_solution(rules)
    own = getattr(game, "theorem", None)
    if own is not None and method != "search":
        return TheoremSolution(rules, convention, theorem_of_game(own, rules))
    if method != "search":
        single = _theorem_on_one_component(rules, convention)
        if single is not None:
            return TheoremSolution(rules, convention, single)
        theorem = theorem_for(rules, convention)
        if theorem is not None:
            return SumSolution(rules, convention, theorem)
    if method == "theorem":
        raise ValueError(
            f"no theorem known here solves {convention.value} play of {rules.name} with these "
            "components; use method='search'"
        )
    return _searched(rules, convention, method == "auto", limit)


# ``cgt`` is imported inside functions, so that only games that need it load it.


def _searched(rules: Rules, convention: Convention, quotients: bool, limit: int) -> Solution:
    """Return the solution by search or, for large games if allowed, by a quotient."""
    positions, number = rules.num_positions, count_modulo_permutation(rules)
    most = min(limit, LARGEST_MEMO)
    no_quotient = ""
    if quotients and positions > min(limit, SMALL_SWEEP) and number > min(limit, SMALL_MEMO):
        if positions > limit and number <= most:
            from nim_envs.cgt.misere_quotients.raced_solution import RacedSolution

            return RacedSolution(rules, limit)
        try:
            return _quotient_solution(rules, _as_a_sweep(rules) if positions <= limit else None)
        except SearchTooLargeError as error:
            no_quotient = f"; nor is there a misère quotient to use: {error}"
    if positions <= limit:
        return SearchSolution(rules, convention, limit)
    if number <= most:
        return MemoSolution(rules, convention, limit)
    unknown = (
        f"no theorem known here solves {convention.value} play of {rules.name}, and "
        if quotients
        else ""
    )
    raise SearchTooLargeError(
        f"{unknown}an exhaustive search of {rules.name} would visit {positions} "
        f"positions, or {number} up to the order of like components; the limit is {limit}, or "
        f"{most} of these{no_quotient}"
    )


def _quotient_solution(rules: Rules, spend: Callable[[int, float], None] | None = None) -> Solution:
    """Return the solution by the misère quotient of all components together.

    Args:
        rules: components of the game.
        spend: called with the work done and the share of the heaps done; may raise an error.
    """
    from nim_envs.cgt.misere_quotients.quotient_solution import QuotientSolution

    return QuotientSolution(rules, spend)


def _as_a_sweep(rules: Rules) -> Callable[[int, float], None]:
    """Return a ``spend`` function that raises an error at more work than an exhaustive search."""
    left = rules.num_positions * (SWEPT_POSITION + SWEPT_ACTION * rules.num_actions)

    def spend(work: int, share: float) -> None:
        nonlocal left
        left -= work
        if left < 0:
            raise SearchTooLargeError("it takes longer to find than the search does")

    return spend


def theorem_for(rules: Rules, convention: Convention) -> str | None:
    """Return the name of the theorem that solves a game; ``None`` if it takes a search.

    Args:
        rules: components of the game.
        convention: normal or misère play.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: a table of options is too large.
    """
    single = _theorem_on_one_component(rules, convention)
    if single is not None:
        return single.name
    if all(_is_nim_heap(component) for component in rules.components):
        return "Bouton's theorem"
    if convention is Convention.NORMAL:
        return "Sprague-Grundy theorem"
    # Closed forms of all components come first: a table may be too large to make.
    components = set(rules.components)
    others = {each for each in components if not isinstance(each, (SubtractionHeap, AdditionTotal))}
    if not others:
        return "Ferguson's theorem"
    if all(isinstance(each, NumberPair) or is_tame(each) for each in others):
        return "theorem on tame misère sums"
    return None


def _theorem_on_one_component(rules: Rules, convention: Convention) -> Theorem | None:
    """Return the theorem on the only component of a game, where it is needed.

    In normal play a small table of options makes it unnecessary: the table gives Grundy values.
    """
    component, *others = rules.components
    if others:
        return None
    if convention is Convention.NORMAL and rules.has_small_table:
        return None
    return theorem_on(component, convention)


def _is_nim_heap(component: Component) -> bool:
    return isinstance(component, SubtractionHeap) and component.amounts == range(
        1, component.size + 1
    )
