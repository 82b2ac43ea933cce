"""Benchmark of a language model that learns to play from nothing but text."""
