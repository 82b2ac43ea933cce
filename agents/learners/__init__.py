"""Tabular learners, one in each file."""
