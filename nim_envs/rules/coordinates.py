"""Coordinates of positions: those of all components, one after the other."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.component import Component
from nim_envs.rules.coordinate_system import PICTURES, PIECES
from nim_envs.rules.validation import integers_of
from nim_envs.typing import IntArray

LARGEST_COORDINATE_TABLE = 2**24
"""Largest table, in bytes, of the coordinates of every state of a component."""

MOST_COORDINATES = 25
"""Most coordinates of a state that ``state_summary`` shows."""


class Coordinates:
    """The conversion between positions, which are state numbers, and coordinates.

    A component without coordinates contributes one, its state number.

    Args:
        components: the components of a game.

    Attributes:
        fields: number of values of each coordinate, of all components one after the other.
        slices: the coordinates of each component, as a slice of those of a position.
        differ: whether coordinates differ from positions: a component has more than one of them.
    """

    def __init__(self, components: tuple[Component, ...]) -> None:
        self._components = components
        self._systems = [component.coordinate_system for component in components]
        fields = [system.fields for system in self._systems]
        self.fields = tuple(values for each in fields for values in each)
        ends = [0, *accumulate(map(len, fields))]
        self.slices = tuple(slice(first, end) for first, end in pairwise(ends))
        self.differ = len(self.fields) > len(components)

    def at(self, positions: IntArray) -> IntArray:
        """Return the coordinates of positions: ``(..., components)`` to ``(..., len(fields))``."""
        if self._table is not None:
            return self._table.take(positions[..., 0], axis=0)
        parts = [system.of(positions[..., index]) for index, system in enumerate(self._systems)]
        return np.concatenate(parts, axis=-1)

    @cached_property
    def _table(self) -> IntArray | None:
        """Coordinates of every state of a single component; ``None`` where they are many."""
        (component, *others) = self._components
        entries = component.states * len(self.fields)
        if others or entries * np.dtype(np.int64).itemsize > LARGEST_COORDINATE_TABLE:
            return None
        return self._systems[0].of(np.arange(component.states, dtype=np.int64))

    def positions_at(self, coordinates: IntArray) -> IntArray:
        """Return the positions at int64 ``(..., len(fields))``, with ``NO_STATE`` where none is."""
        states = [
            system.states_at(coordinates[..., part])
            for system, part in zip(self._systems, self.slices, strict=True)
        ]
        return np.stack(states, axis=-1)


def state_summary(component: Component, state: int) -> str:
    """Return a summary of a state: its first coordinates or, without coordinates, its number."""
    if not component.has_coordinates:
        return str(state)
    values = component.coordinate_system.of(np.array(state)).tolist()
    more = ["…"] * (len(values) > MOST_COORDINATES)
    return f"({', '.join([*map(str, values[:MOST_COORDINATES]), *more])})"


def check_coordinates(index: int, component: Component) -> None:
    """Check a component's coordinates as far as possible without listing its states.

    Args:
        index: its place in the game, for messages.
        component: any component.

    Raises:
        InvalidGameError: they contradict the number of states, the board, or that it splits.
    """
    system = component.coordinate_system
    fields, board, picture = system.fields, system.board, system.picture
    of = f"component {index} ({component.kind})"
    if picture is not None and picture not in PICTURES:
        raise InvalidGameError(f"{of}: picture must be None or one of {PICTURES}, not {picture!r}")
    if system.is_default:
        return
    given = integers_of(fields)
    if not given or min(given) < 1:
        raise InvalidGameError(f"{of}: fields must be integers of at least 1, not {fields!r}")
    if component.splits:
        raise InvalidGameError(f"{of}: a component that splits has no coordinates, {fields!r}")
    if len(given) == 1 and given[0] != component.states:
        raise InvalidGameError(
            f"{of}: a single coordinate is the state number, so fields must be "
            f"({component.states},), not {fields!r}"
        )
    if picture == "piece" and len(given) > 2:
        raise InvalidGameError(
            f"{of}: the picture 'piece' shows one or two coordinates, not {len(given)}; choose "
            f"another of {PICTURES}, or None"
        )
    if math.prod(given) < component.states:
        raise InvalidGameError(
            f"{of}: fields {fields!r} hold fewer than its {component.states} states"
        )
    if picture in PIECES:
        if board is None or system.num_cells > len(given):
            raise InvalidGameError(
                f"{of}: the picture {picture!r} needs board=(rows, columns) with at most "
                f"{len(given)} cells, the number of coordinates, not {board!r}"
            )
        largest = max(given[: system.num_cells]) - 1
        if largest > 2:
            raise InvalidGameError(
                f"{of}: the picture {picture!r} shows cells of 0, 1 or 2, not of {largest}"
            )
    elif board is not None and system.num_cells != len(given):
        raise InvalidGameError(f"{of}: {len(given)} coordinates do not reshape into {board!r}")
