"""Packages that only a part of the project needs, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nim_envs.errors import MissingPackageError


def installed(package: str) -> bool:
    """Return whether ``package``, a name without dots, can be imported."""
    return find_spec(package) is not None


def needed(module: str, purpose: str, extra: str) -> Any:
    """Return ``module``, imported now.

    Args:
        module: of a package that may be missing, or a module of the project that imports some.
        purpose: what it is needed for.
        extra: the extra of this project that installs what is missing.

    Raises:
        MissingPackageError: a package is not installed; the message says which, and how to
            install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "agents", "benchmarks", "nim_envs"):
            raise
        raise MissingPackageError(
            f"{purpose} needs {package}, which in a checkout of this project is installed by "
            f'python -m pip install -e ".[{extra}]"'
        ) from error
