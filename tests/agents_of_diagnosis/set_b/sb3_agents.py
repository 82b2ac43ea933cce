"""MaskablePPO of sb3-contrib, through Gymnasium's ``VersusEnv``.

These agents are given an environment by ``Entry.make_env(game)`` in place of a ``GameEnv``.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np

from nim_envs.envs.versus import VersusEnv

from .learner import Array, Policy
from .registry import MISTAKES, fault, faults, faulty, right


class Rival:
    """An opponent that plays at random at first, and later by a copy of the learner's policy."""

    def __init__(self) -> None:
        self.answer: Callable[[Array, Array], Array] | None = None
        self.rng = np.random.default_rng(0)

    def __call__(self, observations: Array, masks: Array) -> Array:
        """Return actions, a random one in every tenth answer."""
        if self.answer is None or self.rng.random() < 0.1:
            return np.array([self.rng.choice(np.flatnonzero(mask)) for mask in masks])
        return self.answer(observations, masks)


def optimal_mostly(game: Any) -> VersusEnv:
    """Return an environment whose opponent plays every tenth move at random."""
    return VersusEnv(game, opponent=0.1, seat="random")


def copies(game: Any) -> VersusEnv:
    """Return an environment whose opponent is a copy of the learner."""
    return VersusEnv(game, opponent=Rival(), seat="random")


class _Encoded(gymnasium.ObservationWrapper):
    """Observations in one-hot code."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        inner = env.observation_space
        self.high = np.ravel(inner["observation"].high).astype(int)
        box = gymnasium.spaces.Box(0, 1, (int((self.high + 1).sum()),), np.float32)
        parts = {"observation": box, "action_mask": inner["action_mask"]}
        self.observation_space = gymnasium.spaces.Dict(parts)

    def observation(self, observation: Any) -> Any:
        """Return an observation in one-hot code, with the mask as it is."""
        return {**observation, "observation": self.code(observation["observation"])}

    def code(self, state: Array) -> Array:
        """Return one position in one-hot code."""
        pairs = zip(self.high, np.ravel(state), strict=True)
        code = [np.arange(high + 1) == value for high, value in pairs]
        return np.concatenate(code).astype(np.float32)

    def action_masks(self) -> Array:
        """Return the mask, for MaskablePPO."""
        return np.asarray(self.unwrapped.action_masks())  # type: ignore[attr-defined]


class Ppo3:
    """MaskablePPO with default networks; a game is two steps."""

    kind = "MaskablePPO of SB3"
    needs = "sb3_contrib"
    games_needed = 8000
    rounds: ClassVar[int] = 1
    gamma = 0.99
    rate = 0.01
    entropy = 0.3
    make_env: ClassVar[Any] = staticmethod(optimal_mostly)

    def __init__(self, env: Any, games: int, seed: int, **settings: Any) -> None:
        from sb3_contrib import MaskablePPO

        for name, value in settings.items():
            setattr(self, name, value)
        self.encoded = _Encoded(env)
        self.env = self._wrapped(self.encoded)
        self.rival = env.unwrapped.opponent
        self.steps = games * 2
        self.model = MaskablePPO(
            "MultiInputPolicy",
            self.env,
            seed=seed,
            n_steps=1024,
            batch_size=256,
            n_epochs=10,
            learning_rate=self.rate,
            gamma=self.gamma,
            ent_coef=self.entropy,
            device="cpu",
            policy_kwargs={"net_arch": [48]},
        )

    def _wrapped(self, env: Any) -> Any:
        return env

    def train(self) -> None:
        """Learn in rounds, after each of which the opponent plays by the present policy."""
        for _ in range(self.rounds):
            self.model.learn(self.steps // self.rounds, reset_num_timesteps=False)
            if isinstance(self.rival, Rival):
                self.rival.answer = self._actions

    def policy(self) -> Policy:
        """Return the policy; the critic has no values of positions before the end: none given."""
        return Policy(self._play)

    def _play(self, state: Array, mask: Array) -> int:
        return int(self._actions(state[None], mask[None])[0])

    def _actions(self, observations: Array, masks: Array) -> Array:
        codes = np.array([self.encoded.code(each) for each in observations])
        seen = {"observation": codes, "action_mask": masks.astype(np.int8)}
        return np.asarray(
            self.model.predict(seen, action_masks=masks.astype(bool), deterministic=True)[0]
        )


class Ppo3SelfPlay(Ppo3):
    """MaskablePPO against copies of itself."""

    rounds = 10
    make_env = staticmethod(copies)


right(Ppo3)
right(Ppo3, gamma=0.95)
right(Ppo3SelfPlay, gamma=0.95, rate=0.003)


@faulty("wrong sign")
class Ppo3OneForBoth(Ppo3):
    """Learns in the self-play environment, where the next observation is the opponent's."""

    @staticmethod
    def make_env(game: Any) -> VersusEnv:
        """Return the self-play environment."""
        return VersusEnv(game, opponent=None)


@faulty(MISTAKES)
class Ppo3AgainstRandom(Ppo3):
    """Learns against a random opponent."""

    @staticmethod
    def make_env(game: Any) -> VersusEnv:
        """Return an environment against a random opponent."""
        return VersusEnv(game, opponent="random", seat="random")


class _Rewards(gymnasium.RewardWrapper):
    def __init__(self, env: Any, change: Callable[[float], float]) -> None:
        super().__init__(env)
        self.change = change

    def reward(self, reward: Any) -> float:
        return float(self.change(float(reward)))

    def action_masks(self) -> Array:
        return np.asarray(self.unwrapped.action_masks())  # type: ignore[attr-defined]


@faults
class Ppo3Faults(Ppo3):
    @fault("rewards clipped to 0..1", "_wrapped")
    def ppo3_clipped(self, env: Any) -> Any:
        """Clips rewards to 0..1 in a wrapper."""
        return _Rewards(env, lambda reward: max(0.0, reward))

    @fault("zero reward", "_wrapped")
    def ppo3_scaled(self, env: Any) -> Any:
        """Scales rewards by 0 in a wrapper whose scale was never set."""
        return _Rewards(env, lambda reward: 0.0 * reward)

    @fault("observations scaled otherwise in play", "_play")
    def ppo3_normalizes(self, state: Array, mask: Array) -> int:
        """Plays from observations normalized by their highest value, and learns without."""
        return super()._play(np.asarray(state) / max(1.0, float(np.max(state))), mask)
