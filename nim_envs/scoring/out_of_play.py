"""Environments out of play: without the game in progress, which a score does not ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

ALWAYS_THE_SAME = frozenset(
    {
        "action_space", "action_spaces", "encoding", "game", "get_wrapper_attr",
        "has_wrapper_attr", "max_num_agents", "metadata", "num_envs", "observation_space",
        "observation_spaces", "possible_agents", "render_mode", "single_action_space",
        "single_observation_space", "spec", "state_space", "unwrapped",
    }
)  # fmt: skip
"""Attributes of environments that do not change while a game is played."""


class GameInProgressError(Exception):
    """A read of what only a game in progress has; the argument names it."""


@contextmanager
def out_of_play(env: Any, instead: Mapping[str, Callable[[], Any]]) -> Iterator[None]:
    """Context in which a read of the game in progress in an environment raises an error.

    Args:
        env: the innermost environment.
        instead: functions that return other values of attributes, by name.

    Raises:
        GameInProgressError: from the body, which read it.
    """
    kind: Any = type(env)

    class OutOfPlay(kind):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in instead:
                return instead[name]()
            if name not in ALWAYS_THE_SAME and not name.startswith("__"):
                raise GameInProgressError(name)
            return super().__getattribute__(name)

    env.__class__ = OutOfPlay
    try:
        yield
    finally:
        object.__setattr__(env, "__class__", kind)


class InnerEnvironment:
    """The environment in a copy of a wrapper, which shows any observation.

    Args:
        env: the wrapped environment, to which all else is passed on.

    Attributes:
        observation: the observation to show.
        closed: true, as a wrapper that is no longer needed may close what it wraps.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.observation: Any = None
        self.closed = True

    def observe(self, agent: str) -> Any:
        """Return the observation to show, whichever the agent."""
        return self.observation

    def close(self, **arguments: Any) -> None:
        """Leave the environment open."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)
