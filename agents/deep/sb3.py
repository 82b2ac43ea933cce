"""Stable-Baselines3: batched games as its environment, and its models as agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.base import Array, MaskArray
from agents.deep.policy import PolicyAgent
from agents.evaluation import optimality
from nim_envs import Game
from nim_envs.envs.vector import VectorGameEnv

NEGAMAX = -1.0
"""The discount for self-play: the opponent's gain at the next position is the mover's loss.

These libraries treat every next observation as the same player's, and add its discounted value.
Where players alternate it is the opponent's, and in a zero-sum game its value counts negatively,
which a discount of -1 does, in advantages, returns and bootstrap targets alike. With a positive
one every move of a game, the loser's too, is credited with the win.
"""


class GameVecEnv(VecEnv):
    """Many games of one kind, played in compiled code, as a ``VecEnv``.

    In self-play (``opponent=None``) every step is a move of the player to move, so that
    consecutive observations are those of the two players in turn: train with ``gamma=NEGAMAX``.
    Versus an opponent a step is the agent's move and the reply: train with an ordinary discount.

    Observations are plain arrays; ``action_masks`` returns the masks, as sb3-contrib requires.

    Args:
        game: the game.
        num_envs: how many are played at the same time.
        arguments: of :class:`nim_envs.envs.vector.VectorGameEnv`: ``opponent``, ``seat``,
            ``encoding``, ``illegal_move``, ``max_cycles``, ``num_threads``.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        SearchTooLargeError: the game is too large for tables.
    """

    def __init__(self, game: Game, num_envs: int = 64, **arguments: Any) -> None:
        self.env = VectorGameEnv(game, num_envs, **arguments, autoreset_mode="Disabled")
        spaces: Any = self.env.single_observation_space
        self._masks = np.zeros((num_envs, game.rules.num_actions), dtype=np.bool_)
        self._actions: Array = np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, spaces["observation"], self.env.single_action_space)

    def action_masks(self) -> Array:
        """Return which actions are legal now, boolean ``(num_envs, actions)``."""
        return self._masks

    def _seen(self, observations: dict[str, Array]) -> Array:
        self._masks = observations["action_mask"].astype(np.bool_)
        return np.ascontiguousarray(observations["observation"])

    def reset(self) -> Array:
        """Begin new games from the seeds and options that were set; the first options are for all.

        Returns:
            The observations, ``(num_envs, ...)``.
        """
        seeded = any(seed is not None for seed in self._seeds)
        observations, _ = self.env.reset(
            seed=self._seeds if seeded else None, options=self._options[0]
        )
        self._reset_seeds()
        self._reset_options()
        return self._seen(observations)

    def step_async(self, actions: Array) -> None:
        """Keep the actions, ``(num_envs,)``, for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make the step, and begin new games where games ended.

        Returns:
            Observations; rewards, float32; whether games ended; infos, with the last observation
            of a game that ended under ``"terminal_observation"``, and under
            ``"TimeLimit.truncated"`` whether ``max_cycles`` ended it.
        """
        observations, rewards, terminations, truncations, _ = self.env.step(self._actions)
        ended = terminations | truncations
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for index in np.flatnonzero(ended):
                infos[index] = {
                    "terminal_observation": observations["observation"][index],
                    "TimeLimit.truncated": bool(truncations[index]),
                }
            observations, _ = self.env.reset(options={"reset_mask": ended})
        return self._seen(observations), rewards, ended, infos

    def close(self) -> None:
        """Close the games."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, the same of every game."""
        owner = self if attr_name == "action_masks" else self.env
        return [getattr(owner, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Always raises: the games share their attributes.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"the games share one environment: {attr_name!r} cannot be set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the action masks of the games; no other method can be called.

        Raises:
            AttributeError: another name.
        """
        if method_name != "action_masks":
            raise AttributeError(
                f"the games share one environment: they have action_masks, not {method_name!r}"
            )
        return list(self._masks[list(self._get_indices(indices))])

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]


def sb3_agent(
    model: BaseAlgorithm, game: Game, encoding: str = "integer", *, greedy: bool = False
) -> PolicyAgent:
    """Return the policy of ``model`` as an agent, which follows its further training.

    Args:
        model: of sb3-contrib's ``MaskablePPO``; or of ``PPO``, ``A2C`` or ``DQN``, whose illegal
            actions get probability 0.
        game: the game.
        encoding: of the positions that the model takes.
        greedy: whether it takes a most probable action instead of drawing one; ``DQN``, which
            has values and no probabilities, always takes a most valuable one.

    Raises:
        ValueError: the model observes something else, or has other actions.
        InvalidGameError: an unknown encoding.
    """
    policy: Any = model.policy
    maskable = type(policy).__name__.startswith("Maskable")

    def probabilities(observations: Array, masks: MaskArray) -> Array:
        legal = masks.astype(np.bool_)
        policy.set_training_mode(False)
        with torch.no_grad():
            shown, _ = policy.obs_to_tensor(observations)
            if hasattr(policy, "q_net"):
                values = np.where(legal, policy.q_net(shown).cpu().numpy(), -np.inf)
                best: Array = (values == values.max(axis=1, keepdims=True)) & legal
                return best
            masked = {"action_masks": legal} if maskable else {}
            distribution = policy.get_distribution(shown, **masked).distribution
            shares: Array = distribution.probs.cpu().numpy()
            return shares

    agent = PolicyAgent(probabilities, game, encoding=encoding, greedy=greedy)
    spaces: tuple[Any, Any] = (model.observation_space, model.action_space)
    expected = (agent.encoding.space.shape, game.rules.num_actions)
    if (spaces[0].shape, getattr(spaces[1], "n", None)) != expected:
        raise ValueError(
            f"the model observes {spaces[0]} and has {spaces[1]}; with encoding {encoding!r} this "
            f"game shows shape {expected[0]} and has {expected[1]} actions"
        )
    return agent


class OptimalityCallback(BaseCallback):
    """Scores the greedy policy exactly as it learns, and ends the training after some games.

    The scores are logged as ``optimality/percent`` beside ``optimality/games``, to TensorBoard
    too where the model has a log there.

    Args:
        game: the game.
        encoding: of the positions that the model takes.
        every: games between two scores, each taken before the rollout that follows, and one
            when training ends.
        most: games after which training ends, with the step that completes them; ``None``: the
            library's number of steps alone ends it.

    Attributes:
        games: games played by the time of each score.
        percents: the scores.
        played: games played so far.
    """

    def __init__(
        self, game: Game, encoding: str = "integer", *, every: int, most: int | None = None
    ) -> None:
        super().__init__()
        self.game = game
        self.encoding = encoding
        self.every = every
        self.most = most
        self.played = 0
        self.games: list[int] = []
        self.percents: list[float] = []

    @property
    def remaining(self) -> float:
        """Share of training that is left: of the games, or without a limit on them of the steps."""
        if self.most is None:
            return float(self.model._current_progress_remaining)
        return max(0.0, 1 - self.played / self.most)

    def _on_rollout_start(self) -> None:
        if not self.games or self.played >= self.games[-1] + self.every:
            self._score()

    def _on_step(self) -> bool:
        self.played += int(np.count_nonzero(self.locals["dones"]))
        return self.most is None or self.played < self.most

    def _on_training_end(self) -> None:
        self._score()
        self.logger.dump(self.num_timesteps)

    def _score(self) -> None:
        agent = sb3_agent(self.model, self.game, self.encoding, greedy=True)
        self.games.append(self.played)
        self.percents.append(optimality(agent, self.game).percent)
        self.logger.record("optimality/percent", self.percents[-1])
        self.logger.record("optimality/games", self.played)


class EntropyDecay(BaseCallback):
    """Decreases the weight of the entropy bonus linearly, from rollout to rollout.

    A policy that becomes deterministic before the values are right no longer tries the winning
    move. A large weight keeps the probability of every move up; but the values of a random
    policy are not those of optimal play. So the weight begins large and ends small.

    Args:
        first: the weight at the beginning.
        last: at the end.
        remaining: a function that returns the share of training that is left; by default
            that of the library's number of steps.
    """

    def __init__(
        self, first: float, last: float, remaining: Callable[[], float] | None = None
    ) -> None:
        super().__init__()
        self.first = first
        self.last = last
        self.remaining = remaining

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        remaining = self.remaining or (lambda: model._current_progress_remaining)
        model.ent_coef = self.last + (self.first - self.last) * remaining()

    def _on_step(self) -> bool:
        return True
