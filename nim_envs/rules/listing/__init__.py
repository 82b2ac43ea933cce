"""Breadth-first listing of the positions and moves of a game given by a function.

``readers`` calls the function and keeps positions (``packed_positions``) and labels of moves
(``labels``) in the order of reading; ``second_calls`` and ``end_values`` call it, and the outcome,
at some positions and at finished ones; ``listing`` puts all of it in order.
"""
