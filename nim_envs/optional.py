"""Optional packages, imported when they are used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nim_envs.errors import MissingPackageError

DISTRIBUTIONS = {
    "PIL": "pillow",
    "pygame": "pygame-ce",
    "sb3_contrib": "sb3-contrib",
    "stable_baselines3": "stable-baselines3",
}
"""Names under which packages are installed, where the module has another name."""


def installed(package: str) -> bool:
    """Return whether ``package``, a name without dots, can be imported."""
    return find_spec(package) is not None


@contextmanager
def imports_for(purpose: str, *packages: str) -> Iterator[None]:
    """Turn a failed import in the ``with`` block into an error that names the missing package.

    Args:
        purpose: use of the imports, for the message.
        packages: to be installed together; by default the missing one.

    Raises:
        MissingPackageError: a package is not installed; the message says which, and how to
            install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "agents", "benchmarks", "nim_envs"):
            raise
        wanted = [DISTRIBUTIONS.get(name, name) for name in packages or (package,)]
        raise MissingPackageError(
            f"{purpose} needs {package}: python -m pip install {' '.join(wanted)}"
        ) from error


def needed(module: str, purpose: str, *packages: str) -> Any:
    """Import and return ``module``.

    Args:
        module: name of an optional module, or of a module of this project that imports one.
        purpose: use of the module, for the message.
        packages: as in :func:`imports_for`.

    Raises:
        MissingPackageError: a package is not installed; the message says which, and how to
            install it.
    """
    with imports_for(purpose, *packages):
        return import_module(module)
