"""Rules as data: tables of options, one constructor for each game."""

from nim_envs.games.octal_codes import GRUNDY, SPLITTING, HeapGame, heap_game, octal_game
from nim_envs.rules.addition_game import AdditionTotal, addition
from nim_envs.rules.cell_sets import CellSets
from nim_envs.rules.chomp_game import ChocolateBar, chomp
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.convention import Convention
from nim_envs.rules.coordinate_system import CoordinateSystem
from nim_envs.rules.cram_game import CramBoard, cram
from nim_envs.rules.euclid_game import NumberPair, euclid
from nim_envs.rules.fibonacci_game import FibonacciHeap, fibonacci_nim
from nim_envs.rules.from_moves import rules_from_moves
from nim_envs.rules.graph_game import Token, graph
from nim_envs.rules.heaps import SplittingHeap, heap_rules, octal
from nim_envs.rules.listed_component import ListedComponent
from nim_envs.rules.moores_game import HeapGroup, moores_nim
from nim_envs.rules.move_rows import MoveRows
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.named_heaps import (
    dawsons_chess,
    dawsons_kayles,
    grundy,
    kayles,
    laskers_nim,
    officers,
    splitting,
)
from nim_envs.rules.nim_game import nim
from nim_envs.rules.node_kayles_game import NodeSet, node_kayles
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap, subtraction
from nim_envs.rules.sums import sum_of
from nim_envs.rules.table_component import TableComponent
from nim_envs.rules.wythoff_game import Queen, wythoff

__all__ = [
    "GRUNDY",
    "NO_MOVE",
    "SPLITTING",
    "AdditionTotal",
    "CellSets",
    "ChocolateBar",
    "Component",
    "Convention",
    "CoordinateSystem",
    "CramBoard",
    "FibonacciHeap",
    "HeapGame",
    "HeapGroup",
    "ListedComponent",
    "MoveRows",
    "MoveWords",
    "NodeSet",
    "NumberPair",
    "Queen",
    "Rules",
    "SplittingHeap",
    "SubtractionHeap",
    "TableComponent",
    "Token",
    "addition",
    "chomp",
    "cram",
    "dawsons_chess",
    "dawsons_kayles",
    "euclid",
    "fibonacci_nim",
    "graph",
    "grundy",
    "heap_game",
    "heap_rules",
    "kayles",
    "laskers_nim",
    "moores_nim",
    "nim",
    "node_kayles",
    "octal",
    "octal_game",
    "officers",
    "rules_from_moves",
    "splitting",
    "subtraction",
    "sum_of",
    "wythoff",
]
