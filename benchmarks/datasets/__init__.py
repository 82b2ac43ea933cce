"""Datasets of games with a known rate of mistakes, in the format of Minari."""
