"""The check of a theorem that a game brings.

- On a board that can be searched, it says the same as the search at every position.
- On a larger one, at some thousand positions of all sizes, lost ones among them, it agrees with
  what it says after each move.
"""

from __future__ import annotations

import math

import numpy as np

from nim_envs.errors import ConformanceError
from nim_envs.game import Game
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.convention import require_last_move
from nim_envs.testing.positions import SAMPLE, some_states
from nim_envs.testing.requirements import during
from nim_envs.theory.search import search_winning
from nim_envs.theory.theorem_solution import TheoremSolution, theorem_of_game
from nim_envs.typing import BoolArray, IntArray

LARGEST_SEARCHED = 1 << 24
"""Most (position, action) pairs of boards on which a theorem is compared with search."""

CORNER = 1 << 10
"""Most positions with small coordinates that are checked on larger boards."""

DRAWS = 1 << 16
"""Positions drawn to find lost ones among them."""


def is_searched(component: Component) -> bool:
    """Return whether a theorem on a component is compared with search."""
    return component.states * max(1, component.options) <= LARGEST_SEARCHED


def check_theorem(game: Game) -> None:
    """Check a game's own theorem.

    Where there are at most :data:`LARGEST_SEARCHED` (position, action) pairs, at every position
    against a search. On larger boards, at positions of all sizes, whether a position is won exactly
    where one of its moves leads to a lost one: small ones all, others drawn evenly or evenly in the
    logarithm of each coordinate, and among them lost ones, which a wrong theorem gives away best.

    Args:
        game: with a theorem.

    Raises:
        ConformanceError: the theorem is wrong somewhere.
    """
    assert game.theorem is not None
    convention = require_last_move(game.convention, "a theorem that says who wins")
    solution = TheoremSolution(game.rules, convention, theorem_of_game(game.theorem, game.rules))
    component = game.rules.components[0]
    with during(solution.method):
        if is_searched(component):
            states = component.states_between(0, component.states - 1)
            winning, source = search_winning(game.rules, convention), "search"
            truth = winning[component.place_of(states)]
            _require(solution, states, truth, source)
            return
        for states in _samples(solution, component):
            truth = _by_options(solution, component, states)
            _require(solution, states, truth, "what it says of the positions after each move")


def _require(solution: TheoremSolution, states: IntArray, truth: BoolArray, source: str) -> None:
    """Raise unless the theorem gives the truth at all states."""
    positions = states[:, np.newaxis]
    claims = np.asarray(solution.is_winning(positions))
    wrong = claims != truth
    if wrong.any():
        row = int(wrong.argmax())
        where = tuple(solution.rules.coordinates(positions[row]).tolist())
        raise ConformanceError(
            f"{solution.method} says {bool(claims[row])} of {where}, and by {source} it is "
            f"{bool(truth[row])}, under {solution.convention.play}"
        )


def _by_options(solution: TheoremSolution, component: Component, states: IntArray) -> BoolArray:
    """Return which states have a move to one that is lost by the theorem."""
    won = np.asarray(solution.winning_mask(states[:, np.newaxis])).any(axis=1)
    ends = component.is_terminal(states)
    values = solution.convention.end_values(solution.rules, states[:, np.newaxis])
    return np.asarray(np.where(ends, values == 1, won))


def _samples(solution: TheoremSolution, component: Component) -> list[IntArray]:
    """Return states of all sizes, a few thousand."""
    rng = np.random.default_rng(0)
    fields = np.array(solution.rules.fields)
    side = max(2, math.floor(CORNER ** (1 / len(fields))))
    corner = np.minimum(fields, side if len(fields) <= math.log2(CORNER) else 1)
    points = np.stack(np.unravel_index(np.arange(math.prod(corner.tolist())), corner), axis=-1)
    small = _existing(component, points)
    random_states = some_states(component, DRAWS, rng)
    scaled = _existing(component, (fields ** rng.random((4 * SAMPLE, len(fields)))).astype(int) - 1)
    lost = random_states[~np.asarray(solution.is_winning(random_states[:, np.newaxis]))]
    few = [small, _some(scaled, rng), random_states[:SAMPLE], lost[:SAMPLE]]
    # Lost positions that a move from these leads to: on large boards drawing may find none.
    options = component.successors(np.concatenate(few[1:]))
    reached = np.unique(options[options != NO_MOVE])
    reached = reached[~np.asarray(solution.is_winning(reached[:, np.newaxis]))]
    return [*few, _some(reached, rng)]


def _existing(component: Component, coordinates: IntArray) -> IntArray:
    """Return the states with these coordinates, where there are such."""
    states = component.coordinate_system.states_at(coordinates)
    return np.unique(states[states >= 0])


def _some(states: IntArray, rng: np.random.Generator) -> IntArray:
    """Return at most :data:`SAMPLE` of the states."""
    return states if len(states) <= SAMPLE else rng.choice(states, size=SAMPLE, replace=False)
