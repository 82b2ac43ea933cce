"""Theory of who wins: Grundy values, theorems, exhaustive search, counting."""

from nim_envs.rules.component_graph import levels
from nim_envs.theory.counting import count_games, perft
from nim_envs.theory.grundy import grundy_values, misere_grundy_values
from nim_envs.theory.heap_search import HeapSearch
from nim_envs.theory.nimbers import mex, nim_sum
from nim_envs.theory.reach import reachable
from nim_envs.theory.search import search_grundy_values, search_winning
from nim_envs.theory.solution import Solution
from nim_envs.theory.theorems import (
    bouton,
    chomp,
    euclid,
    ferguson,
    fibonacci_nim,
    lasker_values,
    moore,
    sprague_grundy,
    tame_misere,
    wythoff,
)

__all__ = [
    "HeapSearch",
    "Solution",
    "bouton",
    "chomp",
    "count_games",
    "euclid",
    "ferguson",
    "fibonacci_nim",
    "grundy_values",
    "lasker_values",
    "levels",
    "mex",
    "misere_grundy_values",
    "moore",
    "nim_sum",
    "perft",
    "reachable",
    "search_grundy_values",
    "search_winning",
    "sprague_grundy",
    "tame_misere",
    "wythoff",
]
