"""The training loop; no algorithm in it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv
from tqdm import tqdm

from agents.base import Agent, Array, Learner, MaskArray, Transition

Env = AECEnv[str, Any, Any]

DRAW = -1

# The first fields of a Transition: all that is known before the opponent has replied.
_Turn = tuple[int, Array, MaskArray, int, float, Array, MaskArray]


@dataclass(frozen=True)
class TrainingLog:
    """What happened in a training run.

    Attributes:
        winners: seat that won each game, or ``DRAW``; int8 ``(games,)``.
        lengths: moves in each game; int32 ``(games,)``.
        seconds: wall-clock time, environment and learning included.
    """

    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    seconds: float

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.winners)


def as_pair(agents: Agent | tuple[Agent, Agent] | list[Agent]) -> tuple[Agent, Agent]:
    """Return one agent for each seat: the same one twice if one was given.

    Raises:
        TypeError: neither an agent nor two of them.
    """
    if isinstance(agents, (tuple, list)):
        if len(agents) == 2 and all(isinstance(agent, Agent) for agent in agents):
            return agents[0], agents[1]
    elif isinstance(agents, Agent):
        return agents, agents
    raise TypeError(f"expected an agent or a pair of agents, one for each seat, not {agents!r}")


def train(
    env: Env,
    agents: Agent | tuple[Agent, Agent] | list[Agent],
    episodes: int,
    *,
    seed: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
) -> TrainingLog:
    """Let agents play against each other and learn.

    Args:
        env: a two-player turn-based environment with action masks in its observations.
        agents: one learner for both seats, or a pair, one a seat; those that are no
            :class:`agents.base.Learner` play and do not learn.
        episodes: number of games.
        seed: seeds the environment's starts and the agents' choices; same seed, same result.
        progress: whether to show a progress bar on the standard error.
        options: passed to every ``env.reset``, such as ``{"start": "uniform"}``.

    Returns:
        Winner and length of every game, and the time taken.

    Raises:
        ValueError: ``episodes`` is negative.
        TypeError: ``agents`` is neither an agent nor a pair of them.
    """
    if episodes < 0:
        raise ValueError(f"episodes must be at least 0, not {episodes}")
    pair = as_pair(agents)
    learners = tuple(agent if isinstance(agent, Learner) else None for agent in pair)
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    rng = np.random.default_rng(agent_seed)
    winners = np.empty(episodes, dtype=np.int8)
    lengths = np.empty(episodes, dtype=np.int32)
    began = time.perf_counter()
    env.reset(seed=int(env_seed), options=options)
    for game in tqdm(range(episodes), desc="training", unit="game", disable=not progress):
        if game:
            env.reset(options=options)
        winners[game], lengths[game] = play_and_learn(env, pair, learners, rng)
    return TrainingLog(winners, lengths, time.perf_counter() - began)


def play_and_learn(
    env: Env,
    agents: tuple[Agent, Agent],
    learners: tuple[Learner | None, ...],
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Play one game in an environment that was just reset; learners learn as it goes.

    Args:
        env: the environment.
        agents: the agent of each seat, in the order of ``env.possible_agents``.
        learners: the same agents where they learn, ``None`` where they do not.
        rng: the agents' source of randomness.

    Returns:
        The seat that won, or ``DRAW``, and the number of moves.
    """
    players = env.possible_agents
    # A turn is not complete before the opponent has replied: it waits here until then.
    waiting: list[_Turn | None] = [None, None]
    seat = players.index(env.agent_selection)
    seen: Any = env.observe(players[seat])
    moves = 0
    while True:
        observation, action_mask = seen["observation"], seen["action_mask"]
        action = agents[seat].act(observation, action_mask, rng)
        mover, other = players[seat], 1 - seat
        env.step(action)
        moves += 1
        seen = env.observe(players[other])
        after, after_mask = seen["observation"], seen["action_mask"]
        rewards = env.rewards
        over = env.terminations[mover] or env.truncations[mover]
        turn = (seat, observation, action_mask, action, rewards[mover], after, after_mask)
        learner = learners[seat]
        if over and learner is not None:
            learner.update(Transition(*turn, 0.0, after, after_mask, True))
        learner, earlier = learners[other], waiting[other]
        if earlier is not None and learner is not None:
            reply_reward = rewards[players[other]]
            learner.update(Transition(*earlier, reply_reward, after, after_mask, over))
        if over:
            first, second = (rewards[player] for player in players)
            return DRAW if first == second else int(second > first), moves
        waiting[seat] = turn
        seat = other
