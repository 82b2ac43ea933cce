"""Exactly solvable two-player games as reinforcement-learning environments.

Importing the package registers its environments with PettingZoo:

>>> import pettingzoo, nim_envs
>>> env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(3, 4, 5))
>>> env.reset(seed=0)
>>> env.observe("player_0")["observation"].tolist()
[3, 4, 5]
"""

from nim_envs.interrupts import stop_without_traceback

stop_without_traceback()  # before what takes time to import

# isort: split
from nim_envs.envs.aec import GameEnv
from nim_envs.game import Game
from nim_envs.own_games import game_from_moves
from nim_envs.registration import make_game, register_all, register_game
from nim_envs.rules import Convention, Rules
from nim_envs.scoring import optimality
from nim_envs.testing.diagnosis import diagnose

__all__ = [
    "Convention",
    "Game",
    "GameEnv",
    "Rules",
    "diagnose",
    "game_from_moves",
    "make_game",
    "optimality",
    "register_game",
]
__version__ = "0.3.0"

register_all()
