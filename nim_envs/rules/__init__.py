"""Rules as data: tables of options, one constructor a game."""

from nim_envs.rules.addition import AdditionTotal, addition
from nim_envs.rules.component import NO_MOVE, Component, TableComponent
from nim_envs.rules.convention import Convention
from nim_envs.rules.nim import nim
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction import SubtractionHeap, subtraction

__all__ = [
    "NO_MOVE",
    "AdditionTotal",
    "Component",
    "Convention",
    "Rules",
    "SubtractionHeap",
    "TableComponent",
    "addition",
    "nim",
    "subtraction",
]
