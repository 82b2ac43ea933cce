"""Values of the positions at which a game is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.listing.array_moves import value_of_one, values_of_many
from nim_envs.rules.listing.readers import READ_AT_ONCE, RawListing
from nim_envs.rules.listing.second_calls import SECOND_CALLS
from nim_envs.typing import Position, ValueArray

Outcome = Callable[[Position], int]


def end_values(raw: RawListing, outcome: Any, *, vectorized: bool) -> ValueArray:
    """Return the values of positions without moves, in the order of reading, and 0 at the others.

    Raises:
        InvalidGameError: as :func:`list_positions`.
    """
    values = np.zeros(len(raw.coordinates), dtype=np.int8)
    finished = np.flatnonzero(np.bincount(raw.sources, minlength=len(values)) == 0)
    for begin in range(0, len(finished), READ_AT_ONCE):
        some = finished[begin : begin + READ_AT_ONCE]
        if vectorized:
            values[some] = values_of_many(raw.coordinates[some].astype(np.int64), outcome)
        else:
            positions = map(tuple, raw.coordinates[some].tolist())
            values[some] = [_end_value(position, outcome) for position in positions]
    of_one = value_of_one(outcome) if vectorized else outcome
    for index in finished[:: max(1, -(-len(finished) // SECOND_CALLS))].tolist():
        position = raw.position(index)
        again = _end_value(position, of_one)
        if again != values[index]:
            raise InvalidGameError(
                f"outcome({position}) gives {again} when it is called again, and gave "
                f"{values[index]}; it must be a function of the position alone"
            )
    return values


def _end_value(position: Position, outcome: Outcome) -> int:
    """Return the value of a position without moves."""
    try:
        value = outcome(position)
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if is_number and value in (1, 0, -1):
            return int(value)
    except Exception as error:
        raise InvalidGameError(
            f"outcome({position}) raised {type(error).__name__}: {error}"
        ) from error
    raise InvalidGameError(
        f"outcome({position}) must be 1, 0 or -1, a win, a draw or a loss of the player to move, "
        f"not {value!r}"
    )
