"""Who wins and why: Grundy values, theorems, exhaustive search."""

from nim_envs.theory.grundy import grundy_values, levels, misere_grundy_values
from nim_envs.theory.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.theory.nimbers import mex, nim_sum
from nim_envs.theory.perft import count_games, perft
from nim_envs.theory.reach import reachable
from nim_envs.theory.search import search_grundy_values, search_winning
from nim_envs.theory.solution import Solution
from nim_envs.theory.solve import solve
from nim_envs.theory.theorems import bouton, ferguson, sprague_grundy, tame_misere

__all__ = [
    "Solution",
    "bouton",
    "count_games",
    "ferguson",
    "grundy_values",
    "levels",
    "mex",
    "misere_grundy_values",
    "nim_inverse",
    "nim_power",
    "nim_product",
    "nim_quotient",
    "nim_square_root",
    "nim_sum",
    "perft",
    "reachable",
    "search_grundy_values",
    "search_winning",
    "solve",
    "sprague_grundy",
    "tame_misere",
]
