"""What a policy is scored on: a game, or the game of an environment and how that is observed."""

from __future__ import annotations

from typing import Any, NamedTuple

from nim_envs.encoding import Encoding
from nim_envs.game import Game


class Subject(NamedTuple):
    """A game, and the encoding in which it is observed; ``None``: positions as they are."""

    game: Game
    encoding: Encoding | None


def subject_of(env_or_game: Any) -> Subject:
    """Return the game to score on, and how its positions are observed.

    Args:
        env_or_game: a game; or an environment of this package, turn-based, for Gymnasium, single
            or batched, in wrappers or in Gymnasium's vectors of environments.

    Raises:
        TypeError: neither.
    """
    if isinstance(env_or_game, Game):
        return Subject(env_or_game, None)
    env = getattr(env_or_game, "unwrapped", env_or_game)
    if not hasattr(env, "game") and getattr(env, "envs", None):
        # A vector of environments that are stepped one after the other.
        env = getattr(env.envs[0], "unwrapped", env.envs[0])
    game, encoding = getattr(env, "game", None), getattr(env, "encoding", None)
    if not isinstance(game, Game) or not isinstance(encoding, Encoding):
        raise TypeError(
            "a policy is scored on a nim_envs.Game, or an environment of nim_envs, wrapped or not; "
            f"not on {env_or_game!r}"
        )
    return Subject(game, encoding)
