"""Checks when a learner is restored from what a file stores of it."""

from __future__ import annotations

from typing import Any

from agents.base import Array
from nim_envs import Game


def known_game(game: Game | None) -> Game:
    """Return the game that was stored with a learner.

    Raises:
        ValueError: the file does not have it.
    """
    if game is None:
        raise ValueError(
            "its game is not in the file, as it is not a registered one: load it with game=…"
        )
    return game


def check_same_arguments(saved: dict[str, Any], own: dict[str, Any]) -> None:
    """Check that the saved learner was made with the arguments of the one that is restored.

    Args:
        saved: those of the constructor of the saved one.
        own: those of the one that is restored.

    Raises:
        ValueError: they differ.
    """
    if saved != own:
        raise ValueError(
            f"the saved learner was made with other arguments, {saved}, than this one, {own}"
        )


def check_same_arrays(saved: dict[str, Array], own: dict[str, Array]) -> None:
    """Check that saved arrays have the names, shapes and dtypes of those that they are to replace.

    Raises:
        ValueError: they differ.
    """
    if set(saved) != set(own):
        raise ValueError(f"the saved arrays are {sorted(saved)}, those of this one {sorted(own)}")
    for name, array in own.items():
        before = saved[name]
        if (array.shape, array.dtype) != (before.shape, before.dtype):
            raise ValueError(
                f"the saved {name} is {before.dtype} {before.shape}, this one {array.dtype} "
                f"{array.shape}"
            )
