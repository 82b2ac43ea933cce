"""Numba's compiler with its own cache on disk."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Compile a function at its first call; Numba's cache keeps it for later processes.

    Numba compiles it anew if its own file changes, or a variable that it closes over; ``options``
    are further ones of Numba. It is a ``RuntimeWarning`` where there is no folder for the cache.
    """
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except RuntimeError as error:  # no folder can be written
        warnings.warn(f"{error}; NUMBA_CACHE_DIR names one", RuntimeWarning, stacklevel=2)
        return cast(Function, numba.njit(**options)(function))
