"""Checks of your own games, environments and policies, which this project's tests use too.

Each check returns nothing, or raises a :class:`ConformanceError` that names the call, the result
and the expected result. They are for adding a game, wrapping an environment or training a policy;
``agents.testing`` has the check of learners.
"""

from nim_envs.errors import ConformanceError
from nim_envs.testing.environments import check_env
from nim_envs.testing.games import check_game
from nim_envs.testing.policies import check_policy

__all__ = [
    "ConformanceError",
    "check_env",
    "check_game",
    "check_policy",
]
