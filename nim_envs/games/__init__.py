"""The games, one function each: its parts, where play begins, and a theorem on who wins."""

from nim_envs.games.boards import chomp, cram, euclid, graph, node_kayles, wythoff
from nim_envs.games.heaps import (
    addition,
    dawsons_chess,
    dawsons_kayles,
    fibonacci_nim,
    grundy,
    kayles,
    laskers_nim,
    moores_nim,
    nim,
    octal,
    officers,
    splitting,
    subtraction,
)

__all__ = [
    "addition",
    "chomp",
    "cram",
    "dawsons_chess",
    "dawsons_kayles",
    "euclid",
    "fibonacci_nim",
    "graph",
    "grundy",
    "kayles",
    "laskers_nim",
    "moores_nim",
    "nim",
    "node_kayles",
    "octal",
    "officers",
    "splitting",
    "subtraction",
    "wythoff",
]
