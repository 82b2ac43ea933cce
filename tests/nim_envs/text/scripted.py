"""Functions that answer prompts, for tests: they know which position a prompt is of."""

import numpy as np

from nim_envs.sums import Sum
from nim_envs.text import prompt


class Scripted:
    """Answers each prompt as a function of the position says."""

    def __init__(self, game, positions, answer, style="sentences"):
        self.positions = {prompt(game, position, style): position for position in positions}
        assert len(self.positions) == len(positions), "two positions have the same prompt"
        self.answer = answer
        self.asked = []

    def __call__(self, prompts):
        self.asked.append(len(prompts))
        return [self.answer(self.positions[text]) for text in prompts]


def some_action(game, position):
    """A legal action, another one at every position; always the same."""
    legal = game.actions(position)
    return legal[sum((index + 3) * number for index, number in enumerate(position)) % len(legal)]


def playable(game):
    """All positions with a legal move."""
    board = game.board
    states = board.states(10**6) if isinstance(board, Sum) else np.arange(board.num_positions)
    return [tuple(here) for here in board.positions(states[~board.is_over(states)]).tolist()]
