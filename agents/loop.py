"""One game, step by step: learners get each turn when it is complete, then the whole game."""

from typing import Any

import numpy as np
from pettingzoo import AECEnv

from agents.base import Agent, GameLearner, Learner, Transition
from nim_envs.errors import InvalidActionError
from nim_envs.player_answers import NO_LEGAL_MOVE

Env = AECEnv[str, Any, Any]

DRAW = -1
"""The winner of a game without one: drawn by the rules, or truncated."""


class Seat:
    """An agent in a seat, with the methods by which it learns."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        # Protocols are slow to check, so they are checked once for each run.
        self.learner = agent if isinstance(agent, Learner) else None
        self.game_learner = self.learner if isinstance(self.learner, GameLearner) else None
        self.turns: list[Transition] = []

    def begin_game(self) -> None:
        """Prepare the learner for a new game."""
        self.turns = []
        if self.game_learner is not None:
            self.game_learner.begin_game()

    def learn(self, transition: Transition) -> None:
        """Learn from a complete turn, and at the end of a game from all of its turns."""
        if self.learner is not None:
            self.learner.update(transition)
        if self.game_learner is not None:
            self.turns.append(transition)
            if transition.terminated:
                self.game_learner.learn_from_game(self.turns)


def play_and_learn(env: Env, seats: tuple[Seat, Seat], rng: np.random.Generator) -> tuple[int, int]:
    """Play one game in an environment that was just reset; learners learn after every turn.

    It returns the seat that won, or ``DRAW``, and the number of moves.
    """
    players = env.possible_agents
    for each in seats:
        each.begin_game()
    # By seat: the last turn, until the opponent has replied and it is complete.
    incomplete: list[Transition | None] = [None, None]
    seat = players.index(env.agent_selection)
    observed: Any = env.observe(players[seat])
    moves = 0
    no_actions = np.zeros(0, dtype=np.int64)
    legal_actions = observed["action_mask"].nonzero()[0]
    while True:
        observation, action_mask = observed["observation"], observed["action_mask"]
        if seats[seat].learner is None:
            # Agents that do not learn may write to their arguments.
            observation, action_mask = observation.copy(), action_mask.copy()
        action = seats[seat].agent.act(observation, action_mask, rng)
        mover, other = players[seat], 1 - seat
        if action != NO_LEGAL_MOVE:
            env.step(action)
        elif hasattr(env, "forfeit"):
            env.forfeit()
        else:
            raise InvalidActionError(
                f"{mover} answered {NO_LEGAL_MOVE}, no legal move: {env} knows no forfeits, and so "
                "needs an action"
            )
        moves += 1
        observed = env.observe(players[other])
        next_observation = observed["observation"]
        rewards = env.rewards
        terminated = env.terminations[mover]
        truncated = env.truncations[mover] and not terminated
        over = terminated or truncated
        next_legal_actions = no_actions if terminated else observed["action_mask"].nonzero()[0]
        # The mover's turn, without a reply until the opponent has moved.
        turn = Transition(
            seat, observation, legal_actions, action, rewards[mover], next_observation,
            next_legal_actions, 0.0, next_observation, no_actions, terminated, truncated,
        )  # fmt: skip
        if over:
            seats[seat].learn(turn)
        # The move was the reply to the opponent's turn before it, which is now complete.
        earlier = incomplete[other]
        if earlier is not None and seats[other].learner is not None:
            seats[other].learn(
                earlier._replace(
                    reply_reward=rewards[players[other]],
                    next_observation=next_observation,
                    next_legal_actions=next_legal_actions,
                    terminated=terminated,
                    truncated=truncated,
                )
            )
        if over:
            first, second = (rewards[player] for player in players)
            return DRAW if first == second else int(second > first), moves
        incomplete[seat] = turn
        seat, legal_actions = other, next_legal_actions
