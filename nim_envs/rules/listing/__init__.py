"""Breadth-first listing of the positions and moves of a game given by a function.

``readers`` calls the function and keeps positions (``packed_positions``) and labels of moves
(``labels``) in the order of reading; ``second_calls`` and ``end_values`` call it, and the outcome,
at some positions and at finished ones; ``listing`` puts all of it in order.
"""

from nim_envs.rules.listing.array_moves import ArrayMoves, ArrayOutcome
from nim_envs.rules.listing.checked_positions import checked_further_positions, checked_position
from nim_envs.rules.listing.end_values import Outcome
from nim_envs.rules.listing.listing import LARGEST_LISTING, Listing, list_positions
from nim_envs.rules.listing.readers import Moves, read_breadth_first

__all__ = [
    "LARGEST_LISTING",
    "ArrayMoves",
    "ArrayOutcome",
    "Listing",
    "Moves",
    "Outcome",
    "checked_further_positions",
    "checked_position",
    "list_positions",
    "read_breadth_first",
]
