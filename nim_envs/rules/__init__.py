"""Rules as data: tables of options, one constructor a game."""

from nim_envs.rules.addition import AdditionTotal, addition
from nim_envs.rules.component import NO_MOVE, Component, TableComponent
from nim_envs.rules.convention import Convention
from nim_envs.rules.nim import nim
from nim_envs.rules.octal import GRUNDY, SPLITTING, HeapGame, heap_game, octal_game
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction import SubtractionHeap, subtraction

__all__ = [
    "GRUNDY",
    "NO_MOVE",
    "SPLITTING",
    "AdditionTotal",
    "Component",
    "Convention",
    "HeapGame",
    "Rules",
    "SubtractionHeap",
    "TableComponent",
    "addition",
    "heap_game",
    "nim",
    "octal_game",
    "subtraction",
]
