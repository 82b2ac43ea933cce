"""Labels of moves, which become the options of a component."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.typing import Position
from nim_envs.validation import is_listing

MOST_LABELS = 1 << 18
"""Limit on the number of labels, and so of moves at a position."""


class Labels:
    """Labels of moves, each with an option: those listed by the caller, or those that occur.

    Args:
        name: name of the game, for messages.
        actions: the labels in the order of the options; ``None``: those that occur.

    Attributes:
        option_of: option of each label, in the order of listing or of occurrence.
        first_seen: first position with each label that was not listed.
        are_fixed: whether the caller lists the labels.

    Raises:
        InvalidGameError: ``actions`` is no list of distinct labels.
        SearchTooLargeError: it has more than ``MOST_LABELS``.
    """

    def __init__(self, name: str, actions: Iterable[Hashable] | None) -> None:
        self._name = name
        self.are_fixed = actions is not None
        labels = [] if actions is None else checked_actions(actions)
        self.option_of = {label: option for option, label in enumerate(labels)}
        self.first_seen: dict[Hashable, Position] = {}

    def options(
        self, labels: Sequence[Any], position_before: Callable[[int], Position]
    ) -> list[int]:
        """Return the option of each label; add the labels that are new.

        Args:
            labels: label of each move.
            position_before: function from the index of a move to the position before it.

        Raises:
            InvalidGameError: a label is not hashable, or not among those that the caller lists.
            SearchTooLargeError: there are more than ``MOST_LABELS``.
        """
        options = self._look_up(labels)
        if None in options:
            for move in [move for move, option in enumerate(options) if option is None]:
                options[move] = self._option(labels[move], position_before(move))
        return options

    def in_order(self) -> list[int]:
        """Return the options in the order of ``actions``, or of the labels' natural order."""
        labels = [*self.option_of]
        options = list(range(len(labels)))
        if not self.are_fixed:
            options.sort(key=lambda option: natural_key(labels[option]))
        return options

    def _look_up(self, labels: Sequence[Any]) -> list[Any]:
        """Return each label's option, ``None`` if it is new; ``None`` for all if one is a list."""
        try:
            return [*map(self.option_of.get, labels)]
        except TypeError:  # not hashable
            return [None for _ in labels]

    def _option(self, label: Any, position: Position) -> int:
        """Return the option of a label at a position; the label is added if it is new."""
        if not is_hashable(label):
            raise InvalidGameError(
                f"moves({position}): a label must be hashable, such as a string, an "
                f"integer or a tuple of them, not {label!r}"
            )
        if label in self.option_of:
            return self.option_of[label]
        if self.are_fixed:
            raise InvalidGameError(
                f"actions must list every label, and moves({position}) gives {label!r}"
            )
        if len(self.option_of) == MOST_LABELS:
            raise SearchTooLargeError(
                f"{self._name} has more than {MOST_LABELS} labels of moves, the limit; "
                f"moves({position}) gives {label!r} beyond it: is there an end to the moves of "
                "every position?"
            )
        self.first_seen[label] = position
        return self.option_of.setdefault(label, len(self.option_of))


def is_hashable(label: Any) -> bool:
    """Return whether a label, and all that it consists of, can be hashed."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def checked_actions(actions: Iterable[Hashable]) -> list[Hashable]:
    """Return the labels that the caller lists, each once."""
    if not is_listing(actions):
        raise InvalidGameError(f"actions must be a list of labels, not {actions!r}")
    labels = list(islice(actions, MOST_LABELS + 1))
    if len(labels) > MOST_LABELS:
        raise SearchTooLargeError(f"actions lists more than {MOST_LABELS} labels, the limit")
    unhashable = [label for label in labels if not is_hashable(label)]
    if unhashable:
        raise InvalidGameError(f"actions must list hashable labels, not {unhashable[0]!r}")
    if not labels or len(set(labels)) < len(labels):
        raise InvalidGameError(f"actions must list at least one label and none twice, not {labels}")
    return labels


def natural_key(label: Hashable) -> tuple[list[Any], str]:
    """Return the key that sorts labels by the size of numbers in them: ``"left 2", "left 10"``."""
    words = str(label)
    if isinstance(label, (int, np.integer)):
        return ["", int(label), ""], words
    parts: list[Any] = re.split(r"(\d+)", words)
    parts[1::2] = map(int, parts[1::2])
    return parts, words
