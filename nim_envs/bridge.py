"""Bridge from games on graphs to rules by components, for rooms that still read these."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nim_envs.games import boards, heaps
from nim_envs.graph import Part
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.chomp_game import ChocolateBar
from nim_envs.rules.component import Component
from nim_envs.rules.convention import LISTED_OUTCOME, AnyConvention, Convention
from nim_envs.rules.cram_game import CramBoard
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.fibonacci_game import FibonacciHeap
from nim_envs.rules.graph_game import Token
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.listed_component import ListedComponent
from nim_envs.rules.moores_game import HeapGroup
from nim_envs.rules.move_rows import MoveRows
from nim_envs.rules.node_kayles_game import NodeSet
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.rules.table_component import TableComponent
from nim_envs.rules.wythoff_game import Queen
from nim_envs.solver import solve
from nim_envs.theory.solution import Solution

if TYPE_CHECKING:
    from nim_envs.game import Game


def _heap(size: int, amounts: tuple[int, ...]) -> Component:
    all_amounts = range(1, len(amounts) + 1)
    return SubtractionHeap(size, all_amounts if amounts == tuple(all_amounts) else amounts)


COMPONENTS: dict[Callable[..., Part], Callable[..., Component]] = {
    heaps.heap: _heap,
    heaps.total: AdditionTotal,
    heaps.splitting_heap: SplittingHeap,
    heaps.heap_group: HeapGroup,
    heaps.fibonacci_heap: FibonacciHeap,
    boards.queen: Queen,
    boards.number_pair: NumberPair,
    boards.chocolate_bar: ChocolateBar,
    boards.domino_board: CramBoard,
    boards.node_set: NodeSet,
    boards.token: Token,
}


@cache
def component_of(part: Part) -> Component:
    """Return the component of a part."""
    if part.made_by is not None and part.made_by[0] in COMPONENTS:
        constructor, arguments = part.made_by
        return COMPONENTS[constructor](*arguments)
    if part.second is not None:
        return TableComponent(part.after.astype(np.int64), part.second.astype(np.int64))
    rows, options = np.nonzero(part.after >= 0)
    return ListedComponent(
        part.coordinates,
        MoveRows.of(part.num_positions, rows, options, part.after[rows, options]),
        [part.describe(option) for option in range(part.num_actions)],
        kind=part.words.kind,
        board=part.picture.board,
        picture=part.picture.style,
        move_in_words=part.words.move,
        values=part.outcome,
    )


def rules_of(game: Game) -> Rules:
    """Return the rules of a game."""
    components = tuple(component_of(part) for part in game.parts)
    initial: list[int] = []
    for component, here in zip(components, game.split(game.start), strict=True):
        initial.append(int(component.coordinate_system.states_at(np.array(here))))
    return Rules(game.name, components, tuple(initial))


def convention_of(game: Game) -> AnyConvention:
    """Return the convention of a game."""
    return LISTED_OUTCOME if game.has_outcome else Convention.from_misere(game.misere)


def solution_of(game: Game) -> Solution:
    """Return the solution of the rules of a game."""
    return solve(_Problem(game))


class _Problem:
    def __init__(self, game: Game) -> None:
        self.rules, self.convention, self.theorem = game.rules, game.convention, None
        theorem: Any = game.theorem
        if theorem is not None and theorem.name.startswith("the theorem "):
            self.theorem = theorem.wins.args[0]
