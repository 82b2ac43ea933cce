"""Replies of a speaker on disk: JSON Lines, written before they are judged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = "nim_envs replies, version 1"
"""Value of ``"format"`` in the first line of a file of replies."""


class Request(NamedTuple):
    """A prompt with an id, which is unique in a run and the same in every run."""

    id: str
    prompt: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as the only message of a conversation."""
        return [{"role": "user", "content": self.prompt}]


@dataclass(frozen=True)
class Answer:
    """A reply, or the reason why there is none.

    Attributes:
        reply: text of the reply; ``None``: the request failed for good.
        error: the reason of the failure; ``None`` with a reply.
        prompt_tokens: tokens of the prompt; ``None``: unknown.
        reply_tokens: tokens of the reply with its reasoning; ``None``: unknown.
        details: further facts, as JSON.
    """

    reply: str | None
    error: str | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    details: dict[str, Any] | None = None


MALFORMED = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip
"""Errors of taking apart JSON that may have any form."""

Ask = Callable[[list[Request]], list[Answer]]
"""A function from requests to their answers, in the same order; called from several threads."""


class Replies:
    """The answers of a run, in a file of JSON Lines: a header, then one line for each answer.

    A line that a killed process left incomplete is removed when the file is opened. An answer
    counts for a request of the same id and prompt; of several lines the last counts.

    Args:
        path: the file, made if there is none; ``None``: the answers are held in memory.
        header: facts about the run, in JSON's types; those of an existing file must be equal.

    Attributes:
        prompt_tokens: tokens of all prompts so far, where they are known.
        reply_tokens: tokens of all replies so far, where they are known.
        num_earlier: number of replies that the file held when it was opened.

    Raises:
        ValueError: the file holds something else, or replies of another header, or another process
            is writing to it.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: Path | None, header: dict[str, Any]) -> None:
        self.path = path
        self.header = json.loads(json.dumps({"format": FORMAT, **header}))
        self.prompt_tokens = self.reply_tokens = 0
        self._entries: dict[str, tuple[str, Answer]] = {}
        self._file: BinaryIO | None = None
        if path is not None:
            self._open(path)
        self.num_earlier = len(self)

    def __len__(self) -> int:
        """Return the number of replies, without failures."""
        return sum(answer.error is None for _, answer in self._entries.values())

    def _open(self, path: Path) -> None:
        file = path.open("a+b")
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise ValueError(f"another process is writing to {path}") from None
            file.seek(0)
            content = file.read()
            complete = content.rfind(b"\n") + 1
            if not complete and not _line(self.header).startswith(content):
                raise ValueError(f"{path} holds no replies")
            header, entries = read_lines(content[:complete], path)
            if header is not None and header != self.header:
                differences = "; ".join(
                    f"{name} {header.get(name)!r}, not {self.header.get(name)!r}"
                    for name in sorted({*header, *self.header})
                    if header.get(name) != self.header.get(name)
                )
                raise ValueError(f"{path} holds replies of another run: {differences}")
            if complete < len(content):
                file.truncate(complete)
            self._file = file
            if header is None:
                self._write(self.header)
            for request, answer in entries:
                self._store(request, answer)
        except BaseException:
            file.close()
            raise

    def known_answer(self, request: Request) -> Answer | None:
        """Return the reply to a request, ``None`` for none or a failure.

        Raises:
            ValueError: the reply of this id is to another prompt.
        """
        prompt, answer = self._entries.get(request.id, (request.prompt, None))
        if prompt != request.prompt:
            raise ValueError(
                f"the reply {request.id!r} in {self.path} is to the prompt {prompt!r}, not to "
                f"{request.prompt!r}"
            )
        return None if answer is None or answer.error is not None else answer

    def add(self, request: Request, answer: Answer) -> None:
        """Add an answer, and write it to the file."""
        self._store(request, answer)
        if self._file is not None:
            self._write(_entry(request, answer))

    def _store(self, request: Request, answer: Answer) -> None:
        self._entries[request.id] = request.prompt, answer
        self.prompt_tokens += answer.prompt_tokens or 0
        self.reply_tokens += answer.reply_tokens or 0

    def _write(self, entry: dict[str, Any]) -> None:
        assert self._file is not None
        self._file.write(_line(entry))
        self._file.flush()

    @property
    def digest(self) -> str:
        """Short hash of the header, for the name of a file."""
        return hashlib.sha256(_line(self.header)).hexdigest()[:12]

    def content(self) -> bytes:
        """Return what a file of these replies holds."""
        entries = (
            _entry(Request(name, prompt), answer)
            for name, (prompt, answer) in self._entries.items()
        )
        return b"".join(map(_line, [self.header, *entries]))

    def close(self) -> None:
        """Write the file to the disk, and close it."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None


def tokens_in(usage: Any) -> tuple[int | None, int | None]:
    """Return the tokens of a prompt and of its reply in a field ``"usage"``; ``None``: unknown.

    Raises:
        ValueError, TypeError, AttributeError, ArithmeticError: the field has another form.
    """
    counts = [(usage or {}).get(name) for name in ("prompt_tokens", "completion_tokens")]
    prompt, reply = (None if each is None else int(each) for each in counts)
    return prompt, reply


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"


def _entry(request: Request, answer: Answer) -> dict[str, Any]:
    facts = {name: value for name, value in asdict(answer).items() if value is not None}
    return {"id": request.id, "prompt": request.prompt, **facts}


def read_lines(
    content: bytes, path: Path
) -> tuple[dict[str, Any] | None, list[tuple[Request, Answer]]]:
    """Return the header and the answers in a file of replies.

    Args:
        content: content of the file.
        path: path of the file, for messages.

    Returns:
        The header, ``None`` in an empty file, and the answers in order.

    Raises:
        ValueError: the file holds no replies.
    """
    # The text after the last line feed is an incomplete line.
    lines = content.split(b"\n")[:-1]
    try:
        entries = list(map(json.loads, lines))
        if entries and entries[0]["format"] != FORMAT:
            raise ValueError(f"its format is {entries[0]['format']!r}")
        answers = []
        for entry in entries[1:]:
            request = Request(entry.pop("id"), entry.pop("prompt"))
            answers.append((request, Answer(entry.pop("reply", None), **entry)))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} holds no replies ({error})") from None
    return (entries[0] if entries else None), answers
