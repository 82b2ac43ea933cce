"""Arguments that environments share: seeds, options of ``reset``, and starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from nim_envs.caches import LimitedCache
from nim_envs.errors import InvalidGameError, InvalidResetError
from nim_envs.game import Game
from nim_envs.starts import Sampler, Start, as_start

CACHED_STARTS = 64
"""Most distributions of starts whose samplers are cached."""


def game_with_start(game: Any, start: Any) -> Game:
    """Return a game that begins at a start, or as it is for ``None``; errors as of `make_game`."""
    if not isinstance(game, Game):
        raise InvalidGameError(f"game must be a nim_envs.Game, not {game!r}")
    if start is None:
        return game
    registered = game.registered
    if registered is not None:
        arguments = {**registered.arguments, "start": start}
        registered = registered._replace(arguments=arguments)
    return replace(game, starts=start, registered=registered)


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
