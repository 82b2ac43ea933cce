"""The opponents of the environments whose step makes the agent's move and the reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError, InvalidPositionError

Array = npt.NDArray[Any]
MaskArray = npt.NDArray[np.int8]
OpponentFunction = Callable[[Array, MaskArray, np.random.Generator], npt.ArrayLike]

NAMED_OPPONENTS = {"random": 1.0, "optimal": 0.0}
"""The opponents that have a name, with their probability of a random move."""

SEAT_CHOICES = (0, 1, "random")
"""The seats that an agent can be given: ``player_0``, ``player_1``, or one drawn for each game."""

MOST_OPENINGS = 1000
"""A game fails to begin after this many in a row that the opponent's first move ended."""


def no_move_for_agent() -> InvalidPositionError:
    """Return the error for starts from which the opponent's first move ends every game."""
    return InvalidPositionError(
        f"the opponent's first move ended {MOST_OPENINGS} games in a row: these starts leave no "
        "move to an agent that is player_1"
    )


@runtime_checkable
class Player(Protocol):
    """Picks an action from the observation of one game, as every agent does."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        ...


class BatchedPlayer:
    """A player as a function of a batch of games, for which it acts in one after the other.

    It is given integer observations as int64, the type in the turn-based environment.

    Args:
        player: acts in each game in which it is to move.
    """

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(
        self, observations: Array, action_masks: MaskArray, rng: np.random.Generator
    ) -> npt.ArrayLike:
        """Return the player's actions, and 0 where it is not to move."""
        if observations.dtype.kind == "i":
            observations = observations.astype(np.int64)
        return [
            self.player.act(observation, mask, rng) if mask.any() else 0
            for observation, mask in zip(observations, action_masks, strict=True)
        ]


def checked_opponent(opponent: Any) -> tuple[OpponentFunction | None, float]:
    """Return an opponent as a function or, if it has a name, by how often it moves at random.

    Args:
        opponent: ``None``, a key of :data:`NAMED_OPPONENTS`, a probability of a random move, a
            function, or an agent.

    Returns:
        The function, or ``None`` for no opponent and for one that mixes optimal and random moves;
        and the probability of a random move, 1 for a function and for no opponent.

    Raises:
        InvalidGameError: ``opponent`` is none of these.
    """
    if opponent is None:
        return None, 1.0
    if isinstance(opponent, str) and opponent in NAMED_OPPONENTS:
        return None, NAMED_OPPONENTS[opponent]
    if isinstance(opponent, (int, float)) and not isinstance(opponent, bool) and 0 <= opponent <= 1:
        return None, float(opponent)
    # A class of agents is callable and has ``act`` too, but plays nothing.
    if not isinstance(opponent, type):
        if callable(opponent):
            return opponent, 1.0
        if isinstance(opponent, Player):
            return BatchedPlayer(opponent), 1.0
    raise InvalidGameError(
        f"opponent must be None, one of {tuple(NAMED_OPPONENTS)}, a probability from 0 to 1, an "
        f"agent, or a function, not {opponent!r}"
    )


def checked_seat(seat: Any, *, self_play: bool) -> int:
    """Return the agent's seat, or -1 for one drawn for each game.

    Args:
        seat: one of :data:`SEAT_CHOICES`, or ``None``: 0.
        self_play: whether the agent plays both seats, so that there is none to choose.

    Raises:
        InvalidGameError: ``seat`` is none of these, or not ``None`` in self-play.
    """
    if seat is None:
        return 0
    if self_play:
        raise InvalidGameError(f"in self-play there is no seat to choose; seat was {seat!r}")
    if isinstance(seat, str) and seat == "random":
        return -1
    # 1.0 equals 1, and so does True; an array has no truth value.
    if not isinstance(seat, (int, np.integer)) or isinstance(seat, bool) or seat not in (0, 1):
        raise InvalidGameError(f"seat must be one of {SEAT_CHOICES}, not {seat!r}")
    return int(seat)
