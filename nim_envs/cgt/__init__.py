"""Combinatorial game theory as research, loaded only when needed."""
