"""Values of small games by a plain search, which shares no code with the solver."""

from __future__ import annotations

import numpy as np

from nim_envs import Game
from nim_envs.theory.solution import Solution


class PlainSearch:
    """All positions of a small game, and their values and Grundy values.

    Attributes:
        positions: ``(n, components)``, as ``game.rules.lattice()`` lists them.
        values: of each to the player to move, ``(n,)``: 1, 0 or -1.
        grundy_values: of each, ``(n,)``.
        moves: for each, pairs of an action and the value of the position that it leads to.
    """

    def __init__(self, game: Game) -> None:
        self.positions = game.rules.lattice()
        tuples = list(map(tuple, game.rules.coordinates(self.positions).tolist()))
        moves: dict = {}
        values: dict = {}
        grundy: dict = {}
        waiting = list(tuples)
        while waiting:
            here = waiting[-1]
            if here not in moves:
                moves[here] = game.moves(here)
            unknown = [after for _, after in moves[here] if after not in values]
            waiting += unknown
            if not unknown:
                waiting.pop()
                reached = {after for _, after in moves[here]}
                values[here] = max((-values[each] for each in reached), default=None)
                if values[here] is None:
                    values[here] = game.end_value(here)
                taken = {grundy[each] for each in reached}
                grundy[here] = next(n for n in range(len(taken) + 1) if n not in taken)
        self.values = np.array([values[here] for here in tuples])
        self.grundy_values = np.array([grundy[here] for here in tuples])
        self.moves = [[(action, values[after]) for action, after in moves[here]] for here in tuples]


def check_solution(solution: Solution) -> None:
    """Assert that a solution is right at every position of a small game."""
    truth = PlainSearch(Game(solution.rules, solution.convention))
    positions = truth.positions
    winning = np.zeros((len(positions), solution.rules.num_actions), dtype=bool)
    for row, moves in enumerate(truth.moves):
        winning[row, [action for action, value in moves if value == -1]] = True
    assert np.array_equal(solution.value(positions), truth.values)
    assert np.array_equal(solution.is_winning(positions), truth.values == 1)
    assert np.array_equal(solution.is_losing(positions), truth.values == -1)
    assert np.array_equal(solution.winning_mask(positions), winning)
    assert np.array_equal(solution.keeping_mask(positions), winning)  # nothing is drawn
    assert np.array_equal(solution.grundy_value(positions), truth.grundy_values)
    for row in range(0, len(positions), max(1, len(positions) // 15)):
        found = solution.winning_actions(positions[row])
        assert np.array_equal(found, np.flatnonzero(winning[row]))
