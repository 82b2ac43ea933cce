"""Numba's compiler for table learners: functions that loops inline, and loops cached on disk."""

import hashlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from numba.extending import register_jitable

from nim_envs.compilation import compiled as cached

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Return a function that is inlined where compiled code calls it, and else is plain Python."""
    jitable = register_jitable(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    inlined_function: Function = jitable(function)
    return inlined_function


def compiled(function: Function, *called: Callable[..., Any]) -> Function:
    """Compile a function at its first call, as :func:`nim_envs.compilation.compiled` does.

    It allocates no arrays, so that reference counts, which cost most of the time, are left out.
    The digest of the functions that it calls is part of the name of the cache's file: after a
    change of them Numba finds another file, or none, and compiles anew.
    """
    function.__qualname__ += f"-{digest_of(*called)[:16]}"
    return cached(function, _nrt=False, no_cfunc_wrapper=True)


def digest_of(*functions: Callable[..., Any]) -> str:
    """Return a digest of the sources of functions, and of all that they call and read by name."""
    found: dict[Any, str] = {}
    waiting: list[Any] = list(functions)
    while waiting:
        value = waiting.pop()
        if isinstance(value, FunctionType) and value not in found:
            found[value] = inspect.getsource(value)
            waiting += [value.__globals__.get(name) for name in value.__code__.co_names]
            waiting += [cell.cell_contents for cell in value.__closure__ or ()]
        elif isinstance(value, (int, float, str)):
            found[value] = repr(value)
    return hashlib.sha256("".join(found.values()).encode()).hexdigest()
