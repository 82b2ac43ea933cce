"""Opponents, for the environments whose step includes the opponent's reply."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.game import Game
from nim_envs.players import PlayerAdapter, hint, is_player
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean

NAMED_OPPONENTS = {"random": 1.0, "optimal": 0.0}
"""The opponents that have a name, with their probability of a random move."""

SEAT_CHOICES = (0, 1, "random")
"""The seats that an agent can be given: ``player_0``, ``player_1``, or one drawn for each game."""

MOST_OPENINGS = 1000
"""Most openings in a row, games that the opponent's first move ends: then ``reset`` raises."""


def no_move_for_agent(game: Game, position: IntArray, action: int | None) -> InvalidPositionError:
    """Return the error for starts from which the opponent's first move ends every game.

    ``position`` is the final one of the last of these games, ``(fields,)``, and ``action`` the last
    one of the opponent; ``None`` if it was made by compiled code and is legal.
    """
    ended = f"the opponent's first move ended {MOST_OPENINGS} games in a row"
    if action is None or game.is_over(position):
        return InvalidPositionError(
            f"{ended}: these starts leave no move to an agent that is player_1"
        )
    error = game.illegal_move(game.checked_state(position), action, of="the last ")
    return InvalidPositionError(f"{ended}, as an illegal one forfeits: {error}")


def checked_opponent(opponent: Any, game: Game) -> tuple[PlayerAdapter | None, float]:
    """Return an opponent as a player, or ``None``, and its probability of a random move.

    There is no player in self-play, and for an opponent that mixes optimal and random moves; the
    probability is 1 in self-play and for players.

    Raises:
        InvalidGameError: it is neither ``None``, a key of :data:`NAMED_OPPONENTS`, a probability
            of a random move, nor anything of :data:`nim_envs.players.AnyPlayer`.
    """
    if opponent is None:
        return None, 1.0
    if isinstance(opponent, str) and opponent in NAMED_OPPONENTS:
        return None, NAMED_OPPONENTS[opponent]
    if isinstance(opponent, (int, float)) and not isinstance(opponent, bool) and 0 <= opponent <= 1:
        return None, float(opponent)
    if not is_player(opponent):
        raise InvalidGameError(
            f"opponent must be None, one of {tuple(NAMED_OPPONENTS)}, a probability from 0 to 1, "
            f"an agent, or a function, not {opponent!r}{hint(opponent)}"
        )
    try:
        return PlayerAdapter(opponent, game), 1.0
    except TypeError as error:
        raise InvalidGameError(f"opponent: {error}") from None


def checked_hurry(hurry: Any, game: Game, random_share: float) -> bool:
    """Return whether an opponent hurries; the distances of the game are computed now if it does."""
    if checked_boolean("hurry", hurry):
        if random_share == 1.0:
            raise InvalidGameError(
                "hurry=True is for opponent='optimal', or a probability of a random move below 1"
            )
        game.solution.distance(game.start)
    return bool(hurry)


def checked_seat(seat: Any, *, self_play: bool) -> int:
    """Return the agent's seat of :data:`SEAT_CHOICES`, or -1 for one drawn for each game."""
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
