"""Automata that read all heaps bit by bit, as claims of who wins: proof, and play."""

from nim_envs.theory.column_automata.automaton import ONE, SEPARATOR, ZERO, ColumnAutomaton

__all__ = ["ONE", "SEPARATOR", "ZERO", "ColumnAutomaton"]
