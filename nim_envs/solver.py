"""Choose how to solve a game: by a theorem, by search or by a misère quotient.

:data:`METHODS` lists the methods in the order in which they are tried, each with its proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple, Protocol

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.component import Component
from nim_envs.rules.convention import AnyConvention, Convention, ListedOutcome
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.theory.grundy import is_tame
from nim_envs.theory.heap_search import LARGEST_MEMO
from nim_envs.theory.memo_search import MemoSolution, count_modulo_permutation
from nim_envs.theory.outcome_search import OutcomeSolution
from nim_envs.theory.search import LARGEST_SEARCH, SearchSolution
from nim_envs.theory.solution import Solution, SumSolution
from nim_envs.theory.theorem_solution import (
    Theorem,
    TheoremOfGame,
    TheoremSolution,
    theorem_of_game,
    theorem_on,
)
from nim_envs.validation import checked_choice


class RulesAndConvention(Protocol):
    """A game as far as its solution depends on it, such as a :class:`nim_envs.Game`."""

    @property
    def rules(self) -> Rules:
        """The moves."""
        ...

    @property
    def convention(self) -> AnyConvention:
        """Normal or misère play, or an outcome of its own."""
        ...


@dataclass(frozen=True)
class Problem:
    """A game to solve, decided by the last move.

    Attributes:
        rules: the moves.
        convention: normal or misère play.
        limit: most positions that an exhaustive search may enumerate.
        own_theorem: theorem that belongs to the game, if any.
    """

    rules: Rules
    convention: Convention
    limit: int = LARGEST_SEARCH
    own_theorem: TheoremOfGame | None = None

    @cached_property
    def theorem(self) -> Theorem | None:
        """The game's own theorem, or one on its only component.

        In normal play it is ``None`` where the table of options is small: Grundy values are read
        from the table.
        """
        if self.own_theorem is not None:
            return theorem_of_game(self.own_theorem, self.rules)
        component, *others = self.rules.components
        if others or (self.convention is Convention.NORMAL and self.rules.has_small_table):
            return None
        return theorem_on(component, self.convention)

    @cached_property
    def num_modulo_permutation(self) -> int:
        """Number of positions, those counted once that differ in the order of equal components."""
        return count_modulo_permutation(self.rules)


class Method(NamedTuple):
    """A way to solve games.

    Attributes:
        kind: ``method`` of :func:`solve` that selects it: ``"theorem"``, ``"quotient"`` or
            ``"search"``.
        proof: proof that its answers are right, as a citation or a description.
        applies: whether it can solve a game; of a quotient only the attempt shows that.
        solve: function from a game to the solution.
    """

    kind: str
    proof: str
    applies: Callable[[Problem], bool]
    solve: Callable[[Problem], Solution]


def _has_theorem(problem: Problem) -> bool:
    return problem.theorem is not None


def _solve_by_theorem(problem: Problem) -> Solution:
    assert problem.theorem is not None
    return TheoremSolution(problem.rules, problem.convention, problem.theorem)


def _is_nim(problem: Problem) -> bool:
    return all(
        isinstance(each, SubtractionHeap) and each.amounts == range(1, each.size + 1)
        for each in problem.rules.components
    )


def _is_normal(problem: Problem) -> bool:
    return problem.convention is Convention.NORMAL


def _has_closed_forms(problem: Problem) -> bool:
    return not _is_normal(problem) and not _without_closed_form(problem)


def _is_tame(problem: Problem) -> bool:
    return not _is_normal(problem) and all(
        isinstance(each, NumberPair) or is_tame(each) for each in _without_closed_form(problem)
    )


def _without_closed_form(problem: Problem) -> set[Component]:
    """Return the components without Ferguson's closed forms: tables of the others may be large."""
    components = set(problem.rules.components)
    return {each for each in components if not isinstance(each, (SubtractionHeap, AdditionTotal))}


def _solve_sum(name: str, problem: Problem) -> Solution:
    return SumSolution(problem.rules, problem.convention, name)


def _can_be_swept(problem: Problem) -> bool:
    return problem.rules.num_positions <= problem.limit


def _solve_by_sweep(problem: Problem) -> Solution:
    return SearchSolution(problem.rules, problem.convention, problem.limit)


def _can_be_memoised(problem: Problem) -> bool:
    return problem.num_modulo_permutation <= min(problem.limit, LARGEST_MEMO)


def _solve_by_memo(problem: Problem) -> Solution:
    return MemoSolution(problem.rules, problem.convention, problem.limit)


def _sum_theorem(name: str, proof: str, applies: Callable[[Problem], bool]) -> Method:
    """Return the method of a theorem on sums of components."""
    return Method("theorem", proof, applies, partial(_solve_sum, name))


METHODS = (
    Method(
        "theorem",
        "the game's own theorem, or one of nim_envs.theory.theorem_solution, which names its proof",
        _has_theorem,
        _solve_by_theorem,
    ),
    _sum_theorem("Bouton's theorem", "Bouton 1901, in both conventions", _is_nim),
    _sum_theorem("Sprague-Grundy theorem", "Sprague 1935, Grundy 1939; normal play", _is_normal),
    _sum_theorem("Ferguson's theorem", "Ferguson 1974; misère play", _has_closed_forms),
    _sum_theorem(
        "theorem on tame misère sums", "Conway 1976; is_tame checks every component", _is_tame
    ),
    Method("search", "backward induction on all positions", _can_be_swept, _solve_by_sweep),
    Method(
        "search",
        "memoised search modulo permutation: the order of equal components changes nothing",
        _can_be_memoised,
        _solve_by_memo,
    ),
)
"""The methods, in the order in which they are tried."""


def solve(
    game: RulesAndConvention,
    *,
    method: Literal["auto", "theorem", "quotient", "search"] = "auto",
    limit: int = LARGEST_SEARCH,
) -> Solution:
    """Solve ``game`` exactly.

    A game with an outcome of its own is searched. Else the first of :data:`METHODS` that applies is
    used:

    - The game's own theorem.
    - A theorem on one component
      (:func:`nim_envs.theory.theorem_solution.theorem_on`): in misère play whatever its size, in
      normal play if its table of options is not small.
    - Normal play: the Sprague-Grundy theorem, with values from tables or closed forms.
    - Misère play: Bouton's theorem (Nim), Ferguson's (subtraction games, bounded Nim, the addition
      game), or the theorem on tame sums, once all states have been checked to be tame.
    - Exhaustive search: of all positions at once or, if they are too many, of single positions on
      demand, with equal components sorted.

    Args:
        game: anything with ``rules`` and ``convention``, such as a :class:`nim_envs.Game`.
        method: ``"auto"``; or ``"theorem"``, ``"quotient"`` or ``"search"`` to allow only that.
        limit: most positions that an exhaustive search may enumerate.

    Returns:
        The solution; its ``method`` names the theorem, proof or search.

    Raises:
        ValueError: an unknown ``method``, or ``"theorem"`` where none applies, or ``"quotient"``
            in normal play, or either of a game with an outcome of its own.
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
    """
    checked_choice("method", method, ("auto", "theorem", "quotient", "search"))
    rules, convention = game.rules, game.convention
    if isinstance(convention, ListedOutcome):
        if method not in ("auto", "search"):
            raise ValueError(
                f"{rules.name} has an outcome of its own, which method='search' alone solves, not "
                f"{method!r}"
            )
        return OutcomeSolution(rules, limit)
    problem = Problem(rules, convention, limit, getattr(game, "theorem", None))
    for each in METHODS:
        if method in ("auto", each.kind) and each.applies(problem):
            return each.solve(problem)
    if method == "theorem":
        raise ValueError(
            f"no theorem known here solves {convention.value} play of {rules.name} with these "
            "components; use method='search'"
        )
    unknown = (
        f"no theorem known here solves {convention.value} play of {rules.name}, and "
        if method == "auto"
        else ""
    )
    raise SearchTooLargeError(
        f"{unknown}an exhaustive search of {rules.name} would visit {rules.num_positions} "
        f"positions, or {problem.num_modulo_permutation} modulo permutation of equal components; "
        f"the limit is {limit}, or {min(limit, LARGEST_MEMO)} of these"
    )


def theorem_for(rules: Rules, convention: AnyConvention) -> str | None:
    """Return the name of the theorem that solves a game; ``None`` if it takes a search.

    Args:
        rules: components of the game.
        convention: normal or misère play, or an outcome of its own, which has no theorem.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: a table of options is too large.
    """
    if isinstance(convention, ListedOutcome):
        return None
    problem = Problem(rules, convention)
    for each in METHODS:
        if each.kind == "theorem" and each.applies(problem):
            return each.solve(problem).method
    return None
