"""Checks of the coordinates of a component."""

from __future__ import annotations

import math

from nim_envs.errors import InvalidGameError
from nim_envs.rules.component import Component
from nim_envs.rules.coordinate_system import PICTURES, PIECES
from nim_envs.validation import integers_of


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
