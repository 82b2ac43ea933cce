"""Errors of objects made from the content of a file, as errors of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nim_envs.errors import StorageError


class UnregisteredGameError(StorageError):
    """The learner's game is not registered in this process.

    Args:
        message: message of the error.
        name: name under which it was registered; ``None``: it was not.
        arguments: arguments of its constructor.

    Attributes:
        name: as given.
        arguments: as given.
    """

    def __init__(self, message: str, name: str | None, arguments: dict[str, Any]) -> None:
        super().__init__(message, name, arguments)
        self.name = name
        self.arguments = arguments

    def __str__(self) -> str:
        """Return the message."""
        return str(self.args[0])


@contextmanager
def as_storage_error(what: str) -> Iterator[None]:
    """Raise any error in the body, which makes an object from a file, as a ``StorageError``.

    Any exception is possible, as users may register games; it is kept as the cause.

    Args:
        what: name of the object, for the message.

    Raises:
        StorageError: an error in the body.
    """
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise StorageError(f"{what} cannot be made: {reason}") from error
