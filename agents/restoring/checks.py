"""Checks made when a learner is restored from a file."""

from __future__ import annotations

from typing import Any

from nim_envs import Game
from nim_envs.typing import Array


def known_game(game: Game | None) -> Game:
    """Return ``game``, the game saved with a learner.

    Raises:
        ValueError: ``game`` is ``None``: the file has no game.
    """
    if game is None:
        raise ValueError(
            "its game is not in the file, as it is not a registered one: load it with game=…"
        )
    return game


def check_same_arguments(saved: dict[str, Any], own: dict[str, Any]) -> None:
    """Check that two learners were constructed with the same arguments.

    Args:
        saved: arguments of the saved learner.
        own: arguments of the learner to be restored.

    Raises:
        ValueError: they differ.
    """
    if saved != own:
        raise ValueError(
            f"the saved learner was made with other arguments, {saved}, than this one, {own}"
        )


def check_same_arrays(saved: dict[str, Array], own: dict[str, Array]) -> None:
    """Check that saved arrays have the names, shapes and dtypes of the arrays they replace.

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
