"""Q-learning in self-play with one wrong sign, which the diagnosis finds.

    python -m nim_envs diagnose docs.tutorials.sign_bug:train

The opponent moves next, so the value of the next position is the opponent's, and has to be
subtracted. ``train`` adds it, as a learner for one player would; ``train_right`` subtracts it.
"""

from __future__ import annotations

import numpy as np

GAMES = 3_000
LEARNING_RATE = 0.5
EPSILON = 0.3  # probability of a random move
DISCOUNT = 0.9


def train(env):
    """Learn with the wrong sign."""
    return q_learning(env, sign=+1)


def train_right(env):
    """Learn with the right sign."""
    return q_learning(env, sign=-1)


def q_learning(env, sign):
    """Play games against itself, and return the policy learned.

    Args:
        env: turn-based environment of two players.
        sign: sign with which the value of the next position counts.
    """
    rng = np.random.default_rng(0)
    actions = env.action_space("player_0").n
    table = {}  # the values of all moves, by position

    def values(observation):
        return table.setdefault(tuple(observation.tolist()), np.zeros(actions))

    for game in range(GAMES):
        env.reset(seed=game)
        seen, *_ = env.last()
        over = False
        while not over:
            legal = np.flatnonzero(seen["action_mask"])
            q = values(seen["observation"])
            action = rng.choice(legal) if rng.random() < EPSILON else legal[q[legal].argmax()]
            mover = env.agent_selection
            env.step(int(action))
            over = env.terminations[mover]
            target = env.rewards[mover]
            if not over:
                seen, *_ = env.last()  # as the opponent sees it
                replies = np.flatnonzero(seen["action_mask"])
                target += sign * DISCOUNT * values(seen["observation"])[replies].max()
            q[action] += LEARNING_RATE * (target - q[action])

    def policy(observations, action_masks):
        q = np.array([values(observation) for observation in observations])
        return np.where(action_masks, q, -np.inf).argmax(axis=1)

    return policy
