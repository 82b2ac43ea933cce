"""Combinatorial game theory as research, loaded only where it is asked for."""
