"""A module that registers a game at its top level, which workers import."""

from nim_envs import register_game
from tests.registrable_games import stairs

register_game("worker_stairs", stairs, defaults={"steps": 8})
