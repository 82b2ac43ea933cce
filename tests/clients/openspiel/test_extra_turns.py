"""A game with extra turns, written as a function of moves, against OpenSpiel at every position."""

import numpy as np
import pyspiel

from nim_envs import game_from_moves

BOXES = [(0, 2, 6, 7), (1, 3, 7, 8), (2, 4, 9, 10), (3, 5, 10, 11)]


def draw(position):
    """Lines of Dots and Boxes 2 x 2, the boxes of the player to move, and of the other one."""
    *lines, mine, others = position
    for line in np.flatnonzero(np.array(lines) == 0).tolist():
        drawn = [*lines[:line], 1, *lines[line + 1 :]]
        closed = sum(line in box and all(drawn[i] for i in box) for box in BOXES)
        yield (
            (line, (*drawn, mine + closed, others), True)
            if closed
            else (line, (*drawn, others, mine))
        )


def outcome(position):
    mine, others = position[-2:]
    return int(np.sign(mine - others))


def test_every_value_is_that_of_openspiel():
    game = game_from_moves("boxes", (0,) * 14, draw, outcome=outcome)
    values = {}

    def compare(state, position, mover):
        """Return the value to player 0 by recursion on OpenSpiel's states, compared at each."""
        key = str(state), position, mover
        if key not in values:
            if state.is_terminal():
                values[key] = np.sign(state.returns()[0])
            else:
                assert state.current_player() == mover
                moves = {int(game.parts[0].labels[action]): after
                         for action, after in game.moves(position)}  # fmt: skip
                assert sorted(moves) == state.legal_actions()
                values[key] = (max, min)[mover](
                    compare(state.child(label), *without_pass(after, 1 - mover))
                    for label, after in moves.items()
                )
            assert game.solution.value(position) == (1, -1)[mover] * values[key]
        return values[key]

    def without_pass(position, mover):
        if not position[-1]:
            return position, mover
        assert game.solution.value(position) == -game.solution.value(position[:-1])
        ((_, after),) = game.moves(position)
        return after, 1 - mover

    start = pyspiel.load_game("dots_and_boxes").new_initial_state()
    compare(start, game.start, start.current_player())
    compared = {position for _, position, _ in values}
    assert len(compared) > 2_000
    is_pass = game.positions()[:, -1]
    assert len(compared) == (is_pass == 0).sum()
