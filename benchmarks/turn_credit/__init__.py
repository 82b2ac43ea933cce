"""Benchmark of ways of crediting turns: their direction, their cost, and where they lead."""
