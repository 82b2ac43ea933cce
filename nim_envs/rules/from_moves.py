"""Rules from a function of moves: positions are tuples of integers, listed from the start."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.listed_component import ListedComponent
from nim_envs.rules.listing.array_moves import ArrayMoves, ArrayOutcome
from nim_envs.rules.listing.checked_positions import checked_further_positions, checked_position
from nim_envs.rules.listing.end_values import Outcome
from nim_envs.rules.listing.listing import LARGEST_LISTING, Listing, list_positions
from nim_envs.rules.listing.readers import Moves
from nim_envs.rules.rules import Rules
from nim_envs.typing import Position
from nim_envs.validation import checked_boolean, checked_integer, checked_name


def rules_from_moves(
    name: str,
    start: Position,
    moves: Moves | ArrayMoves,
    *,
    outcome: Outcome | ArrayOutcome | None = None,
    positions: Iterable[Position] | None = None,
    actions: Iterable[Hashable] | None = None,
    describe: Callable[[Any], str] | None = None,
    kind: str | None = None,
    board: tuple[int, ...] | None = None,
    picture: str | None = None,
    move_in_words: str | None = None,
    limit: int = LARGEST_LISTING,
    vectorized: bool = False,
) -> Rules:
    """Rules of a game given by a function that lists its moves, with positions as coordinates.

    Positions are listed breadth-first from the start. The labels of moves are the actions: moves
    with the same label are the same action at every position.

    Arguments: those of :func:`nim_envs.game_from_moves`, which also has a convention and starts.

    Raises:
        InvalidGameError: the moves form a cycle, lead to a negative coordinate or to another number
            of coordinates; two labels are alike in words, or one occurs twice at a position;
            ``moves`` raises, or gives other moves when it is called again; ``outcome`` raises, or
            gives anything but 1, 0 or -1, or another value then. The message names the position.
        SearchTooLargeError: there are more than ``limit`` positions or ``MOST_LABELS`` labels, or
            positions and moves would take over the limit of bytes.

    Example:
        >>> def moves(position):  # a coin on a strip moves one or two squares to the left
        ...     (square,) = position
        ...     return [(f"left {n}", (square - n,)) for n in (1, 2) if n <= square]
        >>> rules = rules_from_moves("coin", (5,), moves)
        >>> rules.describe_action(1, (5,))
        'coin 0: left 2'
    """
    checked_name("name", name)
    kind = name if kind is None else checked_name("kind", kind)
    if not callable(moves):
        raise InvalidGameError(f"moves must be a function of a position, not {moves!r}")
    if outcome is not None and not callable(outcome):
        raise InvalidGameError(
            f"outcome must be a function of a position without moves, not {outcome!r}"
        )
    most = checked_integer("limit", limit, 1)
    first = checked_position("start", start)
    others = checked_further_positions(() if positions is None else positions, len(first), most)
    listed = list_positions(
        kind,
        [first, *others],
        moves,
        actions,
        most,
        outcome,
        vectorized=checked_boolean("vectorized", vectorized),
    )
    component = ListedComponent(
        listed.coordinates,
        listed.moves,
        _descriptions(listed, describe),
        kind=kind,
        board=board,
        picture=picture,
        move_in_words=move_in_words,
        values=listed.values,
    )
    return Rules(name, (component,), (int(component.coordinate_system.states_at(np.array(first))),))


def _descriptions(listed: Listing, describe: Callable[[Any], str] | None) -> list[str]:
    """Return the descriptions of labels, which must differ."""
    labels: dict[str, tuple[Hashable, Position | None]] = {}
    for label, position in zip(listed.labels, listed.first_seen, strict=True):
        try:
            description = str(label) if describe is None else describe(label)
        except Exception as error:
            raise InvalidGameError(
                f"describe({label!r}) raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(description, str) or not description.strip():
            raise InvalidGameError(
                f"the words of label {label!r}, at {position}, must be a string that is not "
                f"empty, not {description!r}"
            )
        if description in labels:
            other, where = labels[description]
            raise InvalidGameError(
                f"two labels are alike in words, {description!r}: {other!r}, at {where}, and "
                f"{label!r}, at {position}"
            )
        labels[description] = label, position
    return list(labels)
