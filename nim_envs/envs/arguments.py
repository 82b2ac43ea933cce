"""Arguments that environments share: starts, opponents, seats, seeds and options of ``reset``."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.errors import InvalidGameError, InvalidPositionError, InvalidResetError
from nim_envs.game import Game
from nim_envs.players import PlayerAdapter, hint, is_player
from nim_envs.starts import Sampler, Start, as_start
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean, checked_integer

CACHED_STARTS = 64
"""Most distributions of starts whose samplers are cached."""

NAMED_OPPONENTS = {"random": 1.0, "optimal": 0.0}
"""The opponents that have a name, with their probability of a random move."""

SEAT_CHOICES = (0, 1, "random")
"""The seats that an agent can be given: ``player_0``, ``player_1``, or one drawn for each game."""

MOST_OPENINGS = 1000
"""Most openings in a row, games that the opponent's first move ends: then ``reset`` raises."""


def checked_game(game: object) -> Game:
    """Return a game; ``InvalidGameError`` if it is none."""
    if not isinstance(game, Game):
        raise InvalidGameError(f"game must be a nim_envs.Game, not {game!r}")
    return game


def game_with_start(given: Any, start: Any) -> Game:
    """Return a game that begins at a start, or as it is for ``None``; errors as of `make_game`."""
    game = checked_game(given)
    if start is None:
        return game
    registered = game.registered
    if registered is not None:
        arguments = {**registered.arguments, "start": start}
        registered = registered._replace(arguments=arguments)
    return replace(game, starts=start, registered=registered)


def checked_max_cycles(max_cycles: Any, game: Game) -> int | None:
    """Return the number of moves of each player after which a game is truncated, if any."""
    if max_cycles is not None:
        return checked_integer("max_cycles", max_cycles, 1)
    if game.has_cycles:
        raise InvalidGameError(
            f"play of {game.name} may never end: environments need max_cycles= (--max-cycles), the "
            "number of moves of each player after which a game is truncated with reward 0"
        )
    return None


def is_seed(seed: Any) -> bool:
    """Return whether ``seed`` is ``None`` or a Python integer of at least 0, as Gymnasium asks."""
    return seed is None or (type(seed) is int and seed >= 0)


def checked_seed(seed: Any) -> int | None:
    """Return ``seed`` if :func:`is_seed` is true."""
    if not is_seed(seed):
        raise InvalidResetError(
            f"seed must be None or a Python integer of at least 0, not {seed!r} of type "
            f"{type(seed).__name__}"
        )
    checked: int | None = seed
    return checked


def checked_options(
    options: Any, keys: tuple[str, ...] = ("start",), *, others_ignored: bool = False
) -> Mapping[str, Any]:
    """Return the ``options`` of a reset, empty for ``None``, if they have no other ``keys``.

    With ``others_ignored``, as PettingZoo's tests need it, only a misspelt key is an error.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InvalidResetError(
            f"options must be None or a dictionary, not {options!r} of type "
            f"{type(options).__name__}"
        )
    for key in options:
        if key not in keys and (not others_ignored or get_close_matches(str(key).lower(), keys)):
            raise InvalidResetError(f"reset takes no option {key!r}; it takes {', '.join(keys)}")
    return options


class ResetStarts:
    """Samplers of the starts that ``reset`` names, cached: listing their positions takes time.

    The positions of the game's own start are listed at once.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._own = game.starts.sampler(game)
        self._others: LimitedCache[Start, Sampler] = LimitedCache(CACHED_STARTS)

    def sampler(self, options: Mapping[str, Any]) -> Sampler:
        """Return the sampler of the start in the checked ``options``, or of the game's own."""
        if "start" not in options:
            return self._own
        start = as_start(options["start"])
        if start == self._game.starts:
            return self._own
        return self._others.get_or_create(start, lambda: start.sampler(self._game, search=False))


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
    share = NAMED_OPPONENTS.get(opponent) if isinstance(opponent, str) else opponent
    if isinstance(share, (int, float)) and not isinstance(share, bool) and 0 <= share <= 1:
        return None, float(share)
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
