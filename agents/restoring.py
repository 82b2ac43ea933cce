"""What learners ask of what a file stores of them."""

from __future__ import annotations

from typing import Any

from nim_envs import Game


def saved_game(saved: dict[str, Any]) -> Game:
    """Return the game that was stored with a learner.

    Args:
        saved: what the learner's ``saved()`` returned, as read from a file.

    Raises:
        ValueError: the file does not have it.
    """
    game: Game | None = saved["game"]
    if game is None:
        raise ValueError(
            "its game is not in the file, as it is not a registered one: load it with game=…"
        )
    return game


def check_arguments(saved: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Check that the saved learner was made with the arguments of the one that is restored.

    Args:
        saved: what the learner's ``saved()`` returned, as read from a file.
        arguments: of the constructor of the one that is restored.

    Raises:
        ValueError: it was made with others.
    """
    if saved["arguments"] != arguments:
        raise ValueError(
            f"the saved learner was made with other arguments, {saved['arguments']}, than "
            f"this one, {arguments}"
        )
