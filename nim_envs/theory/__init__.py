"""Who wins and why: Grundy values, theorems, exhaustive search, nimbers, sequences, quotients."""

from nim_envs.theory.grundy import grundy_values, levels, misere_grundy_values
from nim_envs.theory.heap_search import HeapSearch
from nim_envs.theory.misere_quotients import MisereQuotient, misere_quotient
from nim_envs.theory.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.theory.nimbers import mex, nim_sum
from nim_envs.theory.perft import count_games, perft
from nim_envs.theory.periods import Period, find_period
from nim_envs.theory.reach import reachable
from nim_envs.theory.search import search_grundy_values, search_winning
from nim_envs.theory.sequence_file import checksum, load_sequence, save_sequence
from nim_envs.theory.sequences import GrundySequence, grundy_sequence, octal_period
from nim_envs.theory.solution import Solution
from nim_envs.theory.solve import solve
from nim_envs.theory.theorems import bouton, ferguson, sprague_grundy, tame_misere

__all__ = [
    "GrundySequence",
    "HeapSearch",
    "MisereQuotient",
    "Period",
    "Solution",
    "bouton",
    "checksum",
    "count_games",
    "ferguson",
    "find_period",
    "grundy_sequence",
    "grundy_values",
    "levels",
    "load_sequence",
    "mex",
    "misere_grundy_values",
    "misere_quotient",
    "nim_inverse",
    "nim_power",
    "nim_product",
    "nim_quotient",
    "nim_square_root",
    "nim_sum",
    "octal_period",
    "perft",
    "reachable",
    "save_sequence",
    "search_grundy_values",
    "search_winning",
    "solve",
    "sprague_grundy",
    "tame_misere",
]
