"""Speakers that are programs reading prompts and writing replies, and recordings of replies."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from nim_envs.errors import InvalidPolicyError
from nim_envs.files import write_atomically
from nim_envs.text.reading import LONGEST_REPLY
from nim_envs.text.speakers import Speak

SECONDS_TO_END = 2.0
"""Time for a program to end by itself once its input is closed."""


class Program:
    """A program that reads prompts and writes replies, one line each; a context manager.

    Args:
        command: the program and its arguments, as a shell would split them.

    Raises:
        InvalidPolicyError: there is no such program, or it cannot be started.

    Example:
        >>> with Program("cat") as speak:
        ...     speak(["normal heaps 3 4 5 move"])
        ['normal heaps 3 4 5 move']
    """

    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
            if not words:
                raise ValueError("it is empty")
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                # Ctrl-C goes to this process alone, which then ends the program.
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidPolicyError(f"the program {command!r} cannot be run: {reason}") from error
        self._command = command
        self._said = 0

    def __call__(self, prompts: list[str]) -> list[str]:
        """Return the program's replies.

        Raises:
            InvalidPolicyError: it ended before it had replied.
        """
        return [self._reply(prompt) for prompt in prompts]

    def _reply(self, prompt: str) -> str:
        given, said = self._process.stdin, self._process.stdout
        assert given is not None
        assert said is not None
        try:
            given.write(f"{prompt}\n")
            given.flush()
        except (BrokenPipeError, OSError):
            raise self._ended() from None
        line = said.readline(LONGEST_REPLY + 2)
        if not line:
            raise self._ended()
        rest = line
        while rest and not rest.endswith("\n"):
            # The line is too long to be read as a move: its rest is discarded.
            rest = said.readline(LONGEST_REPLY)
        self._said += 1
        return line.rstrip("\r\n")

    def _ended(self) -> InvalidPolicyError:
        try:
            code: Any = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            code = "none, as it still runs"
        return InvalidPolicyError(
            f"the program {self._command!r} ended after {self._said} replies, where one line for "
            f"each prompt is expected; exit code {code}"
        )

    def __enter__(self) -> Program:
        """Return the program."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close its input, and end the program."""
        process = self._process
        try:
            process.communicate(timeout=SECONDS_TO_END if error is None else 0.0)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.communicate(timeout=SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        except (BrokenPipeError, ValueError):
            process.kill()
            process.wait()


class Recorded:
    """A speaker that records its replies in a file, and returns recorded ones without asking again.

    The file has a line of JSON for the header, and one for each reply. An incomplete last line is
    dropped.

    Args:
        speak: function from a list of prompts to the replies, one for each.
        path: path of the file, created if missing; its replies are returned first, in order, to the
            same prompts.
        header: description of the run in JSON's types; must equal that of an existing file.

    Raises:
        ValueError: the file holds something else, or replies of another header.
        OSError: the file cannot be read or written.
    """

    def __init__(self, speak: Speak, path: Path, header: dict[str, Any]) -> None:
        self._speak = speak
        self.path = path
        self._known = _known_replies(path, header)
        self.known = len(self._known)
        lines = [header, *({"prompt": said[0], "reply": said[1]} for said in self._known)]
        write_atomically(path, "".join(map(_line, lines)).encode())
        self._file: TextIO = path.open("a", encoding="utf-8")
        self._given = 0

    def __call__(self, prompts: list[str]) -> list[str]:
        """Return the replies, those in the file first.

        Raises:
            ValueError: the file has the reply to another prompt.
        """
        return [self._reply(prompt) for prompt in prompts]

    def _reply(self, prompt: str) -> str:
        number = self._given
        if number < len(self._known):
            asked, reply = self._known[number]
            if asked != prompt:
                raise ValueError(
                    f"reply {number} in {self.path} is to the prompt {asked!r}, not to {prompt!r}"
                )
        else:
            (reply,) = self._speak([prompt])
            self._file.write(_line({"prompt": prompt, "reply": reply}))
            self._file.flush()
        self._given += 1
        return reply

    @property
    def replies(self) -> int:
        """Number of replies in the file."""
        return max(self._given, len(self._known))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(entry: dict[str, Any]) -> str:
    return json.dumps(entry) + "\n"


def _known_replies(path: Path, header: dict[str, Any]) -> list[tuple[str, str]]:
    """The prompts and replies in a file, without an incomplete last line."""
    if not path.exists():
        return []
    # The text after the last line feed is an incomplete line.
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    try:
        entries = list(map(json.loads, lines))
        known = [(entry["prompt"], entry["reply"]) for entry in entries[1:]]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} holds no replies ({error})") from None
    if entries and entries[0] != header:
        raise ValueError(f"{path} holds replies of {entries[0]}, not of {header}")
    return known
