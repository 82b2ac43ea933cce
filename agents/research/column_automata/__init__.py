"""Column automata, which claim who wins from the bits of all heaps: proof, and play."""

from agents.research.column_automata.automaton import ONE, SEPARATOR, ZERO, ColumnAutomaton
from agents.research.column_automata.heaps import HeapRules, heap_rules
from agents.research.column_automata.moves import MoveRelation
from agents.research.column_automata.play import move_to_lost
from agents.research.column_automata.proof import WORK_LIMIT, Outcome, Verdict, prove

__all__ = [
    "ONE",
    "SEPARATOR",
    "WORK_LIMIT",
    "ZERO",
    "ColumnAutomaton",
    "HeapRules",
    "MoveRelation",
    "Outcome",
    "Verdict",
    "heap_rules",
    "move_to_lost",
    "prove",
]
