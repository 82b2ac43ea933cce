"""Theory of who wins: Grundy values, theorems, exhaustive search, counting."""

from nim_envs.theory.counting import count_games, perft
from nim_envs.theory.grundy import grundy_values, levels, misere_grundy_values
from nim_envs.theory.heap_search import HeapSearch
from nim_envs.theory.nimbers import mex, nim_sum
from nim_envs.theory.reach import reachable
from nim_envs.theory.search import search_grundy_values, search_winning
from nim_envs.theory.solution import Solution
from nim_envs.theory.theorems import bouton, ferguson, sprague_grundy, tame_misere

__all__ = [
    "HeapSearch",
    "Solution",
    "bouton",
    "count_games",
    "ferguson",
    "grundy_values",
    "levels",
    "mex",
    "misere_grundy_values",
    "nim_sum",
    "perft",
    "reachable",
    "search_grundy_values",
    "search_winning",
    "sprague_grundy",
    "tame_misere",
]
