"""A learner to begin with: copy this file to the checkout, change it, and have it scored.

    cp docs/tutorials/my_learner.py .
    python -m benchmarks.optimality --learners my_learner:MyLearner --quick

``my_learner:first_move`` and ``my_learner:trained_elsewhere`` are scored in the same way: the one
does not learn, the other may train as it likes, with any library.
"""

from copy import copy

import numpy as np

LEARNING_RATE = 0.5


class MyLearner:
    """Negamax Q-learning: Q(s, a) += α [r − max_a' Q(s', a') − Q(s, a)].

    Here s' is the position after the move, where the opponent moves. One learner plays both seats.
    ``knows`` is what it uses besides observations and rewards.
    """

    knows = "what it observes"

    def __init__(self, env):
        self.actions = env.action_space("player_0").n
        self.table = {}  # the values of all moves, by position
        self.epsilon = 0.1  # probability of a random move

    def q(self, observation):
        """The values of all moves at a position, to be read and changed."""
        return self.table.setdefault(tuple(observation.tolist()), np.zeros(self.actions))

    def act(self, observation, action_mask, rng):
        """Return a move: a best one, or any legal one to explore."""
        legal = np.flatnonzero(action_mask)
        if rng.random() < self.epsilon:
            return int(rng.choice(legal))
        return int(legal[self.q(observation)[legal].argmax()])

    def update(self, transition):
        """Learn from one move: its reward, and the opponent's best reply."""
        replies = transition.reply_legal_actions
        target = transition.reward
        if len(replies):
            target = -self.q(transition.reply_observation)[replies].max()
        values = self.q(transition.observation)
        values[transition.action] += LEARNING_RATE * (target - values[transition.action])

    def greedy(self):
        """Return the policy to be scored, which does not explore."""
        policy = copy(self)
        policy.epsilon = 0.0
        return policy

    def action_probabilities(self, observations, action_masks):
        """Return the probability of every move at many positions; ``(positions, actions)``.

        Of a policy, this is called to score it.
        """
        values = np.array([self.q(observation) for observation in observations])
        chosen = np.where(action_masks, values, -np.inf).argmax(axis=1)
        return np.eye(self.actions)[chosen]


def first_move(observations, action_masks):
    """Choose the first legal move; a function of this kind is scored as it is."""
    return action_masks.argmax(axis=1)


def trained_elsewhere(env, games, seed):
    """Train in any way for a number of games, and return a policy that can be scored.

    A model of Stable-Baselines3 is returned as ``sb3_policy(model), env``, where ``env`` is the
    environment of the same game, ``env.game``, that the model was trained in.
    """
    from agents import QLearning
    from agents.training import train

    learner = QLearning.for_env(env)
    train(env, learner, games, seed=seed, progress=False)
    return learner.greedy()
