"""Frozen behaviour: positions, values, games, scores and learners, recorded once.

The records are made through public names alone, so that everything behind these can be rebuilt.
A position is a tuple of coordinates everywhere, and lists of positions are in lexicographic order.
``python -m tests.frozen`` compares; :mod:`tests.frozen.files` says how a record is stored.

``words``, ``ansi`` and ``prompts`` are the fields that contain words for moves.

Not recorded, and so free to change:

- starts by outcome (N- and P-positions, balanced) out of more than 2**20 positions;
- tables of real-time dynamic programming with sweeping, and of learners with an
  ``initial_range``, on games whose heaps split;
- the order of state numbers, and any number of a position but its coordinates.
"""
