"""MaskablePPO of sb3-contrib in self-play, with a discount of -1, which alternates the sign."""

import gymnasium
import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from nim_envs.envs.versus import VersusEnv

from .base import Base, see
from .dqn import one_hot
from .registry import wrong


class Flat(gymnasium.Env):
    """One-hot observations without the mask, and games that start anywhere."""

    def __init__(self, env, see, values, pay):
        self.env, self.see, self.values, self.pay = env, see, values, pay
        self.action_space = env.action_space
        size = len(self.x(env.reset(seed=0)[0]))
        self.observation_space = spaces.Box(0, 1, (size,), np.float32)

    def x(self, seen):
        return one_hot(self.see(seen["observation"]), self.values).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        seen, info = self.env.reset(seed=seed, options={"start": "uniform"})
        return self.x(seen), info

    def step(self, action):
        seen, reward, over, cut, info = self.env.step(int(action))
        self.played = getattr(self, "played", 0) + (over or cut)
        return self.x(seen), float(self.pay(reward, over)), over, cut, info

    def action_masks(self):
        return self.env.action_masks()


class Enough(BaseCallback):
    """Stops after a number of games, and lowers the entropy bonus on the way."""

    def __init__(self, env, games, entropy):
        super().__init__()
        self.flat, self.most, self.entropy = env, games, entropy

    def _on_step(self):
        played = getattr(self.flat, "played", 0)
        self.model.ent_coef = self.entropy * max(0.1, 1 - played / self.most)
        return played < self.most


class Ppo(Base):
    """Policy and value networks of the library; 3,000 games did not suffice on every board."""

    kind = "MaskablePPO of sb3-contrib (policy gradient)"
    games_needed = 1500
    needs = "sb3_contrib"
    make_env = staticmethod(lambda game: VersusEnv(game, opponent=None))
    gamma, lam, rate, entropy, n_steps, width = -1.0, 0.3, 3e-3, 0.3, 64, 64

    def reward(self, reward, over):
        return reward

    def train(self):
        self.flat = Flat(self.env, self.see, self.values_of_entry, self.reward)
        self.model = MaskablePPO(
            "MlpPolicy", DummyVecEnv([lambda: self.flat]), gamma=self.gamma, gae_lambda=self.lam,
            learning_rate=self.rate, n_steps=self.n_steps, batch_size=32, n_epochs=10,
            seed=self.seed, policy_kwargs={"net_arch": [self.width, self.width]}, device="cpu",
        )  # fmt: skip
        self.model.learn(10**6, callback=Enough(self.flat, self.games, self.entropy))

    def act(self, observation, mask):
        x = one_hot(observation, self.values_of_entry).astype(np.float32)
        legal = np.asarray(mask) == 1 if np.any(mask) else None
        return self.model.predict(x, deterministic=True, action_masks=legal)[0]


# fmt: off
wrong(Ppo, "wrong sign", "an ordinary discount of 0.99", gamma=0.99)
wrong(Ppo, "discount 0", "gamma 0", gamma=0.0)
wrong(Ppo, "learning rate 0 or tiny", "1e-9", rate=1e-9)
wrong(Ppo, "zero reward", "the wrapper returns 0", reward=lambda self, reward, over: 0.0)
wrong(Ppo, "draws as wins", "1 at a draw",
      reward=lambda self, reward, over: 1 if over and reward == 0 else reward)
wrong(Ppo, "blind to an entry", "middle entry deleted", see=see.no_middle)
# fmt: on
