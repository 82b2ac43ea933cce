"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports its names on first use.

    Public modules of the package are attributes too, without an import of their own.

    Args:
        package: ``__name__`` of the package.
        modules: for each exported name the module that defines it.

    Example:
        >>> attribute, names = lazy_names("nim_envs", {"Game": "nim_envs.game"})
        >>> attribute("Game").__name__
        'Game'
        >>> attribute("game").PLAYERS
        ('player_0', 'player_1')
    """
    namespace = vars(sys.modules[package])

    def attribute(name: str) -> Any:
        module = f"{package}.{name}"
        if name in modules:
            value = getattr(importlib.import_module(modules[name]), name)
            namespace[name] = value  # found there from now on, without this function
            return value
        if not name.startswith("_"):
            try:
                return importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*namespace, *modules})

    return attribute, names
