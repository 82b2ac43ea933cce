"""Server responders: models behind servers with OpenAI's interface."""

from __future__ import annotations

import json
import os
import re
import time
from threading import Event
from typing import Any

from nim_envs.errors import InvalidPolicyError
from nim_envs.optional import imports_for
from nim_envs.text.replies import MALFORMED, Answer, Request, tokens_in

with imports_for("asking a server", "exam"):
    import httpx
    import tenacity

KEY_VARIABLE = "OPENAI_API_KEY"
"""Environment variable that holds the key, by default."""

ATTEMPTS = 8
SECONDS_PER_REPLY = 600.0
"""Default timeout of a response."""

LONGEST_WAIT = 60.0
"""Most seconds between two attempts."""

LARGEST_BODY = 1 << 26
"""Most bytes of a response that are read."""

REFUSED = (401, 403, 404)
"""Codes of a response that refuses every request: an unknown key, path or model."""

TRANSIENT = (408, 409, 425, 429)
"""Codes below 500 of a response after which the request is sent again."""

LONGEST_QUOTED = 300
"""Characters of a response that an error message quotes."""


class TransientError(Exception):
    """A fault of a server or of the way to it, after which the request is sent again.

    Attributes:
        wait: seconds that the server asks to wait; ``None``: it does not say.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Server:
    """A model behind a server with OpenAI's interface for chats; a context manager.

    The key is read from the environment. It is in no file, message or log; where a response holds
    it, it is replaced.

    Args:
        url: base of the interface, such as ``"http://localhost:8000/v1"``.
        model: name of the model.
        settings: further fields of each request, such as ``temperature`` and ``max_tokens``.
        system: system message; ``None``: none.
        key_variable: environment variable that holds the key; if it is unset, none is sent.
        timeout: seconds for a response.
        attempts: most times a request is sent.
        backoff: seconds of the first wait between attempts, which is doubled each time and drawn
            at random below that; a server's own ``Retry-After`` comes first.

    Raises:
        InvalidPolicyError: ``url`` is no address of a server, or holds a password or a query, which
            would end up in files; or the key has characters that no header can hold.
    """

    def __init__(
        self,
        url: str,
        model: str,
        settings: dict[str, Any] | None = None,
        *,
        system: str | None = None,
        key_variable: str = KEY_VARIABLE,
        timeout: float = SECONDS_PER_REPLY,
        attempts: int = ATTEMPTS,
        backoff: float = 1.0,
    ) -> None:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise InvalidPolicyError(f"{url!r} is no address of a server: {error}") from None
        if address.scheme not in ("http", "https") or not address.host:
            raise InvalidPolicyError(f"{url!r} is no address of a server, such as http://host/v1")
        if address.userinfo or address.query:
            raise InvalidPolicyError(
                f"the address of {address.host} holds a password or a query: a key is read from "
                "the environment alone"
            )
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._body = {"model": model, **(settings or {})}
        self._first = [] if system is None else [{"role": "system", "content": system}]
        self._timeout = timeout
        self._closed = Event()
        key = os.environ.get(key_variable, "").strip()
        if key and not re.fullmatch("[!-~]+", key):
            raise InvalidPolicyError(f"{key_variable} has characters that no key has")
        self._key = key
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=timeout,
            limits=httpx.Limits(max_connections=None),
        )
        random_wait = tenacity.wait_random_exponential(multiplier=backoff, max=LONGEST_WAIT)

        def wait(state: tenacity.RetryCallState) -> float:
            assert state.outcome is not None
            server_wait = getattr(state.outcome.exception(), "wait", None)
            return float(
                random_wait(state) if server_wait is None else min(server_wait, LONGEST_WAIT)
            )

        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TransientError),
            wait=wait,
            stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_when_event_set(self._closed),
            sleep=tenacity.sleep_using_event(self._closed),
            reraise=True,
        )

    def __call__(self, requests: list[Request]) -> list[Answer]:
        """Return the server's answers.

        Raises:
            InvalidPolicyError: the server refuses every request.
        """
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Answer:
        body = {**self._body, "messages": [*self._first, *request.messages]}
        try:
            answer: Answer = self._retrying.copy()(self._once, body)
        except TransientError as error:
            return Answer(None, str(error))
        return answer

    def _once(self, body: dict[str, Any]) -> Answer:
        """Send a request once.

        Raises:
            TransientError: the request is to be sent again.
            InvalidPolicyError: the server refuses every request.
        """
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                content = self._content(response)
        except httpx.HTTPError as error:
            reason = str(error) or "no response in time"
            raise TransientError(self._hidden(f"{type(error).__name__}: {reason}")) from None
        code = response.status_code
        text = self._hidden(content.decode(errors="replace"))
        fault = f"HTTP {code}: {' '.join(text.split())[:LONGEST_QUOTED]}"
        if code in REFUSED:
            raise InvalidPolicyError(f"the server at {self._url} refuses: {fault}")
        if code in TRANSIENT or code >= 500:
            raise TransientError(fault, _seconds(response.headers.get("Retry-After")))
        if code != 200:
            return Answer(None, fault)
        try:
            return _answer(json.loads(text))
        except MALFORMED:
            raise TransientError(f"no completion: {text[:LONGEST_QUOTED]}") from None

    def _content(self, response: Any) -> bytes:
        """Return the body of a response that comes in time and is not too long."""
        end = time.monotonic() + self._timeout
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > LARGEST_BODY or time.monotonic() > end:
                raise TransientError("the response is too long or too slow")
        return bytes(content)

    def _hidden(self, text: str) -> str:
        """Return a text without the key."""
        return text.replace(self._key, "[key]") if self._key else text

    def __enter__(self) -> Server:
        """Return the server."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all waiting, and close the connections."""
        self._closed.set()
        self._client.close()


def _seconds(header: str | None) -> float | None:
    """Return the seconds in a header ``Retry-After``; ``None`` for a date or nothing."""
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None


def _answer(body: Any) -> Answer:
    """Return the answer in the body of a response.

    Raises:
        Exception: there is none; one of ``MALFORMED``.
    """
    choice = body["choices"][0]
    reply = choice["message"].get("content")
    # A model whose tokens ended while it reasoned has said nothing.
    reply = "" if reply is None else reply
    if not isinstance(reply, str):
        raise TypeError
    details = {
        "model": body.get("model"),
        "finish_reason": choice.get("finish_reason"),
        "reasoning": choice["message"].get("reasoning_content"),
    }
    return Answer(
        reply,
        None,
        *tokens_in(body.get("usage")),
        {name: value for name, value in details.items() if value is not None},
    )
