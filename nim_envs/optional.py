"""Optional packages, imported when they are used."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nim_envs.errors import MissingPackageError

DISTRIBUTIONS = {
    "PIL": "pillow",
    "pygame": "pygame-ce",
}
"""Names under which packages are installed, where the module has another name."""


def installed(package: str) -> bool:
    """Return whether ``package``, a name without dots, can be imported."""
    return find_spec(package) is not None


def install_command(package: str, extra: str | None = None) -> str:
    """Return the command that installs ``package``, with an extra of this project if one has it."""
    requirement = DISTRIBUTIONS.get(package, package) if extra is None else f'"nim-envs[{extra}]"'
    return f"python -m pip install {requirement}"


@contextmanager
def imports_for(purpose: str, extra: str | None = None) -> Iterator[None]:
    """Turn a failed import in the ``with`` block into an error that names the missing package.

    Args:
        purpose: use of the imports, for the message.
        extra: extra of this project that has the packages; ``None``: no extra has them.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "agents", "benchmarks", "nim_envs"):
            raise
        raise MissingPackageError(
            f"{purpose} needs {package}: {install_command(package, extra)}"
        ) from error


def needed(module: str, purpose: str, extra: str | None = None) -> Any:
    """Import and return a module; arguments and errors are those of :func:`imports_for`."""
    with imports_for(purpose, extra):
        return import_module(module)
