"""Subprocess responders: programs that answer prompts, in JSON Lines on input and output."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

from nim_envs.errors import InvalidPolicyError
from nim_envs.text.replies import MALFORMED, Answer, Request, tokens_in

SECONDS_TO_END = 2.0
"""Time for a program to end by itself once its input is closed."""

LONGEST_LINE = 1 << 24
"""Maximum length of a line of a program's output, in characters."""

LONGEST_QUOTED = 200
"""Characters of a line that an error message quotes."""


class Program:
    """A program that reads requests and writes replies as JSON Lines; a context manager.

    It reads one object ``{"id", "prompt", "messages"}`` a line, where ``messages`` is the prompt as
    a conversation, and writes one object ``{"id", "reply"}`` a line, in any order. In place of
    ``"reply"`` it may write ``"error"``, the reason why there is none; ``"usage"`` with
    ``"prompt_tokens"`` and ``"completion_tokens"`` is optional. Its input is closed when there are
    no more requests; standard error is passed on.

    Args:
        command: the program and its arguments, as a shell would split them.

    Raises:
        InvalidPolicyError: there is no such program, or it cannot be started.
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
        self._answer_count = 0
        self._lock = Lock()
        self._write_lock = Lock()
        self._pending: dict[str, Future[Answer]] = {}
        self._fault: InvalidPolicyError | None = None
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def __call__(self, requests: list[Request]) -> list[Answer]:
        """Return the program's answers.

        Raises:
            InvalidPolicyError: it ended before it had replied, or wrote something else.
        """
        futures: list[Future[Answer]] = [Future() for _ in requests]
        with self._lock:
            if self._fault is not None:
                raise self._fault
            for request, future in zip(requests, futures, strict=True):
                self._pending[request.id] = future
        lines = [
            json.dumps({**request._asdict(), "messages": request.messages}) for request in requests
        ]
        assert self._process.stdin is not None
        try:
            with self._write_lock:
                self._process.stdin.write("".join(f"{line}\n" for line in lines))
                self._process.stdin.flush()
        except (OSError, ValueError):
            # It ended, which the reader sees too; or it closed its input alone.
            self._reader.join(SECONDS_TO_END)
            self._end(self._error("closed its input"))
        return [future.result() for future in futures]

    def _read(self) -> None:
        """Read replies until the program ends or writes something else."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(LONGEST_LINE):
            try:
                entry = json.loads(line)
                answer = _answer(entry)
                with self._lock:
                    future = self._pending.pop(entry["id"])
                    self._answer_count += 1
            except MALFORMED:
                return self._end(
                    self._error(
                        f"wrote {line[:LONGEST_QUOTED]!r}, which is not an answer "
                        '{"id": …, "reply": …} to a request that was open'
                    )
                )
            future.set_result(answer)
        try:
            code: Any = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            code = "none, as it still runs"
        return self._end(self._error(f"ended with exit code {code}"))

    def _error(self, fault: str) -> InvalidPolicyError:
        return InvalidPolicyError(
            f"the program {self._command!r} {fault}, after {self._answer_count} replies"
        )

    def _end(self, fault: InvalidPolicyError) -> None:
        """Let all open and later requests raise an error, unless another one came first."""
        with self._lock:
            self._fault = self._fault or fault
            pending, self._pending = self._pending, {}
        for future in pending.values():
            future.set_exception(self._fault)

    def __enter__(self) -> Program:
        """Return the program."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close its input, and end the program."""
        process = self._process
        assert process.stdin is not None
        with suppress(OSError, ValueError):
            process.stdin.close()
        try:
            process.wait(SECONDS_TO_END if kind is None else 0.0)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._reader.join(SECONDS_TO_END)
        if not self._reader.is_alive() and process.stdout is not None:
            process.stdout.close()


def _answer(entry: Any) -> Answer:
    """Return the answer in an object that a program wrote.

    Raises:
        Exception: there is none; one of ``MALFORMED``.
    """
    if "error" in entry:
        reply, error = None, entry["error"]
    else:
        reply, error = entry["reply"], None
    if not isinstance(reply if error is None else error, str):
        raise TypeError
    return Answer(reply, error, *tokens_in(entry.get("usage")))
