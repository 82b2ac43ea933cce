"""Exactly solvable two-player games as reinforcement-learning environments.

Importing the package registers its environments with PettingZoo and Gymnasium; games, solver and
scores are imported when they are first used:

>>> import pettingzoo, nim_envs
>>> env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(3, 4, 5))
>>> env.reset(seed=0)
>>> env.observe("player_0")["observation"].tolist()
[3, 4, 5]
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from nim_envs.registry import GAMES, register_ids

if TYPE_CHECKING:
    from nim_envs.check import check_env, check_game
    from nim_envs.diagnosis.diagnose import diagnose
    from nim_envs.envs.batched import VectorGameEnv
    from nim_envs.envs.turn_based import GameEnv
    from nim_envs.envs.versus import VersusEnv
    from nim_envs.game import Game, sum_of
    from nim_envs.own_games import game_from_moves
    from nim_envs.registry import make_game, register_game
    from nim_envs.scoring import optimality
    from nim_envs.solution import solve
    from nim_envs.starts import BalancedStart, FixedStart, OutcomeStart, Start, UniformStart
else:
    _NAMES = {
        "check": ("check_env", "check_game"),
        "diagnosis": ("diagnose",),
        "envs.batched": ("VectorGameEnv",),
        "envs.turn_based": ("GameEnv",),
        "envs.versus": ("VersusEnv",),
        "game": ("Game", "sum_of"),
        "own_games": ("game_from_moves",),
        "registry": ("make_game", "register_game"),
        "scoring": ("optimality",),
        "solution": ("solve",),
        "starts": ("BalancedStart", "FixedStart", "OutcomeStart", "Start", "UniformStart"),
    }
    _MODULES = {name: f"nim_envs.{module}" for module, names in _NAMES.items() for name in names}

    def __getattr__(name: str) -> Any:
        """Import a name when it is first used (PEP 562)."""
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        if find_spec(f"{__name__}.{name}") is not None:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})


__all__ = [
    "BalancedStart",
    "FixedStart",
    "Game",
    "GameEnv",
    "OutcomeStart",
    "Start",
    "UniformStart",
    "VectorGameEnv",
    "VersusEnv",
    "check_env",
    "check_game",
    "diagnose",
    "game_from_moves",
    "make_game",
    "optimality",
    "register_game",
    "solve",
    "sum_of",
]
__version__ = "0.3.0"

register_ids(GAMES.values())
