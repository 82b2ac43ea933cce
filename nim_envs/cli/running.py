"""Running a command line: its errors are one line, its exit codes 0, 1, 2 and 130."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nim_envs.errors import NimEnvsError
from nim_envs.interrupts import STOPPED

NO_ANSWER = 1
"""The exit code of a command that ran as it should and found no answer."""


def run(command: click.Command, arguments: Sequence[str] | None, name: str, obj: Any = None) -> int:
    """Run a command line, and print mistakes of the user's and warnings as lines on standard error.

    Every other exception is a fault of the program, and is raised with its traceback.

    Args:
        command: click command to run.
        arguments: words of the command line; ``None`` for those of the process.
        name: name of the command in messages, such as ``"python -m nim_envs"``.
        obj: the object of the command's context.

    Returns:
        The exit code: 0; or 1 where the command says that it found no answer; 2 for a mistake of
        the user's; 130 when stopped by Ctrl-C.
    """
    words = None if arguments is None else list(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = command.main(words, prog_name=name, standalone_mode=False, obj=obj)
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message())
        return 2
    except click.ClickException as error:
        return _refuse(error.format_message())
    except (NimEnvsError, MemoryError) as error:
        return _refuse(str(error) or "there is not enough memory")
    except (KeyboardInterrupt, click.Abort):
        # A pipe gets what was printed before at once.
        sys.stdout.flush()
        click.echo("stopped", err=True)
        return STOPPED
    return code or 0


def _show_warning(message: Warning | str, *place: Any, **more: Any) -> None:
    """Print a warning as one line, without the place in the code."""
    click.echo(f"warning: {' '.join(str(message).split())}", err=True)


def _refuse(message: str) -> int:
    click.echo(f"error: {' '.join(message.split())}", err=True)
    return 2


def make_directory(path: Path) -> None:
    """Make a directory for what is to be written, and print its name if there was none.

    Raises:
        click.UsageError: it cannot be made.
    """
    if not path.is_dir():
        with using(path):
            path.mkdir(parents=True, exist_ok=True)
        click.echo(f"made the directory {path}", err=True)


@contextmanager
def writing(path: Path | None) -> Iterator[None]:
    """Make the directory of a file to be written, then report errors as :func:`using` does.

    Raises:
        click.UsageError: the directory cannot be made, or an ``OSError`` was raised.
    """
    if path is not None:
        make_directory(path.parent)
    with using(path):
        yield


@contextmanager
def using(path: Path | None) -> Iterator[None]:
    """Report an ``OSError`` about a file named by the user as a usage error.

    Raises:
        click.UsageError: an ``OSError`` was raised.
    """
    try:
        yield
    except OSError as error:
        if path is None:
            raise
        reason = error.strerror or error
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason = "there is a file where a directory is needed"
        raise click.UsageError(f"{path}: {reason}") from error
