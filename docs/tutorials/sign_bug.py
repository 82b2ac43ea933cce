"""Q-learning in self-play with one wrong sign, which the diagnosis finds.

    python -m nim_envs diagnose docs.tutorials.sign_bug:train

With a minus in place of the plus it is right: see ``my_agent.py``.
"""

import numpy as np


def train(env):
    """Play games against itself, and return the policy learned."""
    rng, table = np.random.default_rng(0), {}

    def q(observation, mask):  # of all actions, to the player to move; -inf where illegal
        return table.setdefault(tuple(observation), np.where(mask, 0.0, -np.inf))

    for game in range(3_000):
        env.reset(seed=game)
        over = False
        while not over:
            observation, mask = env.last()[0].values()
            values, mover = q(observation, mask), env.agent_selection
            explores = rng.random() < 0.3
            action = rng.choice(np.flatnonzero(mask)) if explores else values.argmax()
            env.step(int(action))
            over, target = env.terminations[mover], env.rewards[mover]
            if not over:  # wrong: the opponent is to move, and its gain is the mover's loss
                target += 0.9 * q(*env.last()[0].values()).max()
            values[action] += 0.5 * (target - values[action])

    def policy(observations, action_masks):
        return np.array(list(map(q, observations, action_masks))).argmax(axis=1)

    return policy
