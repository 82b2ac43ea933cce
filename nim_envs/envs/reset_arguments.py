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
    """Return a game that begins at ``start``, as :func:`nim_envs.make_game` takes it, or as before.

    Raises:
        InvalidGameError: ``game`` is not a :class:`nim_envs.Game`.
        InvalidPositionError: ``start`` is no start of the game.
    """
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
    """Return ``seed``; ``InvalidResetError`` if it is not valid."""
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
    """Return ``options`` of ``reset``, empty for ``None``, which have no other keys than ``keys``.

    PettingZoo's tests need that others are ignored; a misspelt one is still an
    ``InvalidResetError``.
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

    Args:
        game: the game; the positions of its own start are listed at once.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._own = game.starts.sampler(game)
        self._others: LimitedCache[Start, Sampler] = LimitedCache(CACHED_STARTS)

    def sampler(self, options: Any, *, others_ignored: bool = False) -> Sampler:
        """Return the sampler of the start in a reset's ``options``, or of the game's own start.

        Raises:
            InvalidResetError: invalid ``options``; see :func:`checked_options`.
            InvalidPositionError: the start is not a position of this game that leaves a move.
        """
        checked = checked_options(options, others_ignored=others_ignored)
        if "start" not in checked:
            return self._own
        start = as_start(checked["start"])
        if start == self._game.starts:
            return self._own
        return self._others.get_or_create(start, lambda: start.sampler(self._game, search=False))
