"""The exam: one suite of games and positions, on which any language model is scored exactly.

A suite is made from a seed: games that every book solves, the same games in other words, and games
drawn at random, about which nothing is written. ``python -m nim_envs text exam write`` writes its
prompts to a file, ``... judge`` scores a file of replies.
"""

from nim_envs.text.exam.results import Interval, Results, Row, judge
from nim_envs.text.exam.suite import PUBLIC_SEEDS, SUITE_VERSION, Item, Setting, Suite
from nim_envs.text.exam.truth import BANDS

__all__ = [
    "BANDS",
    "PUBLIC_SEEDS",
    "SUITE_VERSION",
    "Interval",
    "Item",
    "Results",
    "Row",
    "Setting",
    "Suite",
    "judge",
]
