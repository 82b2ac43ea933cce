"""Rules as data: tables of options, one constructor for each game."""

from nim_envs.rules.addition_game import AdditionTotal, addition
from nim_envs.rules.component import NO_MOVE, Component, TableComponent
from nim_envs.rules.convention import Convention
from nim_envs.rules.graph_game import Token, graph
from nim_envs.rules.heaps import SplittingHeap, heap_rules, octal
from nim_envs.rules.listed_moves import ListedComponent, component_from_moves, rules_from_moves
from nim_envs.rules.named_heaps import (
    dawsons_chess,
    dawsons_kayles,
    grundy,
    kayles,
    officers,
    splitting,
)
from nim_envs.rules.nim_game import nim
from nim_envs.rules.octal_codes import GRUNDY, SPLITTING, HeapGame, heap_game, octal_game
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap, subtraction
from nim_envs.rules.sums import sum_of

__all__ = [
    "GRUNDY",
    "NO_MOVE",
    "SPLITTING",
    "AdditionTotal",
    "Component",
    "Convention",
    "HeapGame",
    "ListedComponent",
    "Rules",
    "SplittingHeap",
    "SubtractionHeap",
    "TableComponent",
    "Token",
    "addition",
    "component_from_moves",
    "dawsons_chess",
    "dawsons_kayles",
    "graph",
    "grundy",
    "heap_game",
    "heap_rules",
    "kayles",
    "nim",
    "octal",
    "octal_game",
    "officers",
    "rules_from_moves",
    "splitting",
    "subtraction",
    "sum_of",
]
