"""An agent to begin with, Q-learning in self-play: copy this file, and put your own in."""

import numpy as np


def train(env, games=3_000):
    """Play games against itself, and return a policy, with its values or without."""
    rng, table = np.random.default_rng(0), {}

    def q(observation, mask):  # of all actions, to the player to move; -inf where illegal
        return table.setdefault(tuple(observation), np.where(mask, 0.0, -np.inf))

    for game in range(games):
        env.reset(seed=game)
        over = False
        while not over:
            observation, mask = env.last()[0].values()
            values, mover = q(observation, mask), env.agent_selection
            explores = rng.random() < 0.3
            action = rng.choice(np.flatnonzero(mask)) if explores else values.argmax()
            env.step(int(action))
            over, target = env.terminations[mover], env.rewards[mover]
            if not over:  # the opponent is to move, and its gain is the mover's loss: minus
                target -= 0.9 * q(*env.last()[0].values()).max()
            values[action] += 0.5 * (target - values[action])

    def all_values(observations, action_masks):
        return np.array(list(map(q, observations, action_masks)))

    def policy(observations, action_masks):
        return all_values(observations, action_masks).argmax(axis=1)

    return policy, all_values  # or: return policy
