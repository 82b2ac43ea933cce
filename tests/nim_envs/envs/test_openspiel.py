"""OpenSpiel's Nim in lock-step: the same legal moves, ends and returns."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pyspiel
import pytest


def to_openspiel(action, options, heaps):
    """OpenSpiel numbers actions ``(take - 1) * heaps + heap``."""
    heap, option = divmod(action, options)
    return option * heaps + heap


@pytest.mark.parametrize(
    ("heaps", "misere"), [((3, 4, 5), False), ((6, 2), True), ((2,) * 6, False), ((1, 3, 5), True)]
)
def test_nim_agrees_with_openspiel_over_random_games(heaps, misere):
    other_game = pyspiel.load_game(
        "nim", {"pile_sizes": ";".join(map(str, heaps)), "is_misere": misere}
    )
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=heaps, misere=misere)
    options = env.game.options
    rng = np.random.default_rng(7)
    for _ in range(200):
        env.reset()
        state = other_game.new_initial_state()
        while True:
            agent = env.agent_selection
            mask = env.observe(agent)["action_mask"]
            legal = np.flatnonzero(mask).tolist()
            translated = sorted(to_openspiel(action, options, len(heaps)) for action in legal)
            assert translated == sorted(state.legal_actions())
            assert env.possible_agents.index(agent) == state.current_player()
            action = int(rng.choice(legal))
            env.step(action)
            state.apply_action(to_openspiel(action, options, len(heaps)))
            assert env.terminations[agent] == state.is_terminal()
            assert [env.rewards[player] for player in env.possible_agents] == state.returns()
            if state.is_terminal():
                break
