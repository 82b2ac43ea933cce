"""Many games, stepped by compiled code, as a ``VecEnv`` of Stable-Baselines3."""

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.move_truth import no_move_yet
from nim_envs.game import Game
from nim_envs.typing import Array

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
        num_envs: number of games.
        arguments: arguments of :class:`nim_envs.envs.batched.VectorGameEnv`: ``opponent``,
            ``seat``, ``encoding``, ``illegal_move``, ``max_cycles``, ``truth_in_info``.

    Attributes:
        game: the game; with ``encoding``, the observations' encoding, it lets
            :func:`nim_envs.optimality` take this environment.

    Raises:
        InvalidGameError: an argument with a value that is not allowed.
        SearchTooLargeError: the game is too large for tables.
    """

    def __init__(self, game: Game, num_envs: int = 64, **arguments: Any) -> None:
        self.env = VectorGameEnv(
            game, num_envs, **arguments, mask_in_observation=False, autoreset_mode="Disabled"
        )
        self.game = game
        self.encoding = self.env.encoding
        self._masks = np.zeros((num_envs, game.num_actions), dtype=np.bool_)
        self._actions: Array = np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)

    def action_masks(self) -> Array:
        """Return which actions are legal now, boolean ``(num_envs, actions)``."""
        return self._masks

    def _seen(self, observations: Array, infos: dict[str, Any]) -> Array:
        self._masks = infos["action_mask"].astype(np.bool_)
        return np.ascontiguousarray(observations)

    def reset(self) -> Array:
        """Begin new games from the seeds and options that were set; the first options hold for all.

        Returns:
            The observations, ``(num_envs, ...)``.
        """
        seeded = any(seed is not None for seed in self._seeds)
        observations, infos = self.env.reset(
            seed=self._seeds if seeded else None, options=self._options[0]
        )
        self._reset_seeds()
        self._reset_options()
        return self._seen(observations, infos)

    def step_async(self, actions: Array) -> None:
        """Keep the actions, ``(num_envs,)``, for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make the step, and begin new games where games ended.

        Returns:
            Observations; rewards, float32; whether games ended; infos. Of a game that ended they
            hold the last observation under ``"terminal_observation"``, under
            ``"TimeLimit.truncated"`` whether ``max_cycles`` ended it, and under ``"winner"`` the
            seat that has won, or -1. With ``truth_in_info=True`` all hold ``"winning"`` and
            ``"kept_win"``, and in games with an outcome of their own ``"value"`` and
            ``"kept_value"``.
        """
        observations, rewards, terminations, truncations, given = self.env.step(self._actions)
        ended = terminations | truncations
        infos = self._truth(given)
        if ended.any():
            for index in np.flatnonzero(ended):
                infos[index] |= {
                    "terminal_observation": observations[index],
                    "TimeLimit.truncated": bool(truncations[index]),
                    "winner": int(given["winner"][index]),
                }
            observations, given = self.env.reset(options={"reset_mask": ended})
        return self._seen(observations, given), rewards, ended, infos

    def _truth(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the info entries about each move, where wanted."""
        if not self.env.truth_in_info:
            return [{} for _ in range(self.num_envs)]
        truth = {key: given[key].tolist() for key in no_move_yet(self.game)}
        rows = zip(*truth.values(), strict=True)
        return [dict(zip(truth, row, strict=True)) for row in rows]

    def close(self) -> None:
        """Close the games."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, the same of every game."""
        owner = self if attr_name == "action_masks" else self.env
        return [getattr(owner, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an ``AttributeError``: the games share their attributes."""
        raise AttributeError(f"the games share one environment: {attr_name!r} cannot be set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the action masks of the games; any other method is an ``AttributeError``."""
        if method_name != "action_masks":
            raise AttributeError(
                f"the games share one environment: they have action_masks, not {method_name!r}"
            )
        return list(self._masks[list(self._get_indices(indices))])

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return ``False`` for every game."""
        return [False for _ in self._get_indices(indices)]
