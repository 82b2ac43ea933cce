"""Messages about wrappers that change what a policy observes, or what its actions do."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nim_envs.errors import ConformanceError
from nim_envs.scoring.wrappers import is_known, treatment


def changes_in(stacks: Sequence[Sequence[Any]]) -> str:
    """Return a message about the wrappers that are not harmless to a score, or an empty string.

    Args:
        stacks: layers around each environment of one game, outermost first, and the environment.

    Example:
        >>> import gymnasium, nim_envs
        >>> env = gymnasium.make("nim_envs/Nim-v0")
        >>> changed = gymnasium.wrappers.TransformAction(env, lambda action: 14 - action, None)
        >>> changes_in([[changed, env]])
        'TransformAction changes actions by its method action, which scores apply'
    """
    found: dict[str, None] = {}
    for stack in stacks:
        for layer in stack:
            how = treatment(layer)
            if how.kind != "harmless" and (layer is not stack[-1] or is_known(layer)):
                verb = "apply" if how.kind == "applied" else "refuse"
                found[f"{type(layer).__name__} {how.reason}, which scores {verb}"] = None
    return "; ".join(found)


@contextmanager
def changes_reported(stacks: Sequence[Sequence[Any]]) -> Iterator[None]:
    """Name what wrappers change: in the errors of a check, or after it in a warning.

    Args:
        stacks: as :func:`changes_in` takes them.
    """
    changes = changes_in(stacks)
    try:
        yield
    except ConformanceError as error:
        if not changes:
            raise
        raise ConformanceError(f"{error}. Of its wrappers, {changes}") from error
    if changes:
        warnings.warn(f"of the environment's wrappers, {changes}", stacklevel=3)
