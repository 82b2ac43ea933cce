"""Names ``module:function`` by which any process finds an object.

Resolving one imports its module, which runs code: only what a person has typed or registered is
resolved, never a name out of a file.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from nim_envs.errors import InvalidGameError

MAIN_MODULES = ("__main__", "__mp_main__")
"""Names of the module that a program was started by; in another process they mean another one."""


def reference_to(value: Any) -> tuple[str, str]:
    """Return the name ``module:function`` of an object, and why other processes cannot use it.

    Returns:
        One of the two is empty.

    Example:
        >>> from nim_envs.rules import nim
        >>> reference_to(nim)
        ('nim_envs.rules.nim_game:nim', '')
        >>> reference_to(lambda: nim(heaps=(3,)))
        ('', 'it is a lambda')
    """
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return "", "it has no name"
    if name.endswith("<lambda>"):
        return "", "it is a lambda"
    if "<locals>" in name:
        return "", "it is defined inside a function"
    if module in MAIN_MODULES:
        return "", "it is defined in __main__, the program itself"
    reference = f"{module}:{name}"
    try:
        resolves_to = resolved(reference)
    except InvalidGameError:
        resolves_to = None
    return (reference, "") if resolves_to is value else ("", f"{reference} is something else")


def resolved(reference: str) -> Any:
    """Return the object named ``module:function``; the module is imported.

    Args:
        reference: name typed or registered by a person; **never** a word out of a file.

    Raises:
        InvalidGameError: another form, a module that cannot be imported, or nothing of that name.
    """
    module, _, name = split(reference)
    value: Any = imported(module)
    for part in name.split("."):
        if not hasattr(value, part):
            raise InvalidGameError(f"{reference!r} names nothing: {module} has no {name!r}")
        value = getattr(value, part)
    return value


def imported(module: str) -> ModuleType:
    """Return a module; see :func:`resolved`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InvalidGameError(f"the module {module!r} cannot be imported: {error}") from error


def split(reference: str) -> tuple[str, str, str]:
    """Return the module, the colon and the name of a reference.

    Raises:
        InvalidGameError: it is of another form.
    """
    module, colon, name = reference.partition(":")
    words = [*module.split("."), *name.split(".")]
    if not colon or not all(word.isidentifier() for word in words):
        raise InvalidGameError(
            f"expected a name such as 'package.module:function', not {reference!r}"
        )
    return module, colon, name
