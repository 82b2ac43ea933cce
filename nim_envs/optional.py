"""Packages that only a part of this one needs, imported when used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nim_envs.errors import MissingPackageError


def installed(package: str) -> bool:
    """Return whether ``package`` can be imported."""
    return find_spec(package) is not None


def needed(package: str, purpose: str, extra: str = "solver") -> Any:
    """Return the module ``package``, imported now.

    Args:
        package: name of the module.
        purpose: what it is needed for, in words.
        extra: the extra of this package that installs it.

    Raises:
        MissingPackageError: it is not installed; the message says how to install it.
    """
    if not installed(package):
        raise MissingPackageError(
            f"{purpose} needs {package}: python -m pip install 'nim-envs[{extra}]'"
        )
    return import_module(package)
