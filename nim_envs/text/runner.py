"""Runs of many requests: several at a time, within limits, each answer on disk at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from nim_envs.errors import InvalidPolicyError, LimitReachedError
from nim_envs.progress import bar_if_installed
from nim_envs.text.replies import Answer, Ask, Replies, Request

FAILURES_IN_A_ROW = 10
"""Number of consecutive requests that fail for good after which a run ends."""

SECONDS_UNTIL_CTRL_C = 0.2
"""Longest wait for an answer that Ctrl-C cannot interrupt, on Windows."""


@dataclass(frozen=True)
class Limits:
    """Limits on a run and on those before it in the same file.

    They hold up to the requests under way when they are reached.

    Attributes:
        tokens: most tokens of prompts and replies; ``None``: no limit.
        cost: most cost, in the currency of the prices; ``None``: no limit.
        prompt_price: price of a million tokens of prompts.
        reply_price: price of a million tokens of replies.
    """

    tokens: int | None = None
    cost: float | None = None
    prompt_price: float = 0.0
    reply_price: float = 0.0

    def spent(self, replies: Replies) -> float:
        """Return the cost of replies."""
        prompts = self.prompt_price * replies.prompt_tokens
        return (prompts + self.reply_price * replies.reply_tokens) / 1e6

    def check(self, replies: Replies) -> None:
        """Check that another request may be sent.

        Raises:
            LimitReachedError: it may not.
        """
        tokens = replies.prompt_tokens + replies.reply_tokens
        if self.tokens is not None and tokens >= self.tokens:
            raise LimitReachedError(f"the limit of {self.tokens} tokens is reached: {tokens}")
        if self.cost is not None and self.spent(replies) >= self.cost:
            raise LimitReachedError(
                f"the limit on the cost, {self.cost:g}, is reached: {self.spent(replies):.4f}"
            )

    def check_known(self, answer: Answer) -> None:
        """Check that the tokens of an answer are known where there is a limit.

        Raises:
            InvalidPolicyError: they are not.
        """
        limited = self.tokens is not None or self.cost is not None
        if limited and answer.error is None and None in (answer.prompt_tokens, answer.reply_tokens):
            raise InvalidPolicyError("no usage came with a reply, so that no limit can be held")


NO_LIMITS = Limits()


def answers(
    ask: Ask,
    requests: Iterable[Request],
    replies: Replies,
    *,
    total: int | None = None,
    batch_size: int = 1,
    concurrency: int = 1,
    limits: Limits = NO_LIMITS,
) -> Iterator[tuple[Request, Answer]]:
    """Yield the answers to requests, those on disk first, the others once they are on disk.

    Requests that failed for good in an earlier run are sent again.

    Args:
        ask: function from a list of requests to their answers.
        requests: the requests, each id once.
        replies: answers so far; new ones are added.
        total: number of requests, for the progress bar.
        batch_size: maximum number of requests in a call.
        concurrency: number of calls at a time; with 1, ``ask`` runs in this thread.
        limits: limits on tokens and cost.

    Raises:
        LimitReachedError: a limit is reached; all answers under way are on disk.
        InvalidPolicyError: many requests in a row failed for good, or the tokens of a reply are
            unknown where there is a limit.
        ValueError: a reply on disk is to another prompt.
        Exception: whatever ``ask`` raises, once the other calls under way have ended.
    """
    failures = 0
    with bar_if_installed(desc="replies", unit="reply", total=total) as bar:
        missing = []
        for request in requests:
            answer = replies.known_answer(request)
            if answer is None:
                missing.append(request)
            else:
                bar.update(1)
                yield request, answer
        bar.unpause()
        for batch, new_answers in _answered_batches(
            ask, _batches(missing, batch_size, replies, limits), concurrency
        ):
            for request, answer in zip(batch, new_answers, strict=True):
                replies.add(request, answer)
                failures = failures + 1 if answer.error is not None else 0
                bar.update(1)
            bar.set_postfix(_so_far(replies, limits), refresh=False)
            for answer in new_answers:
                limits.check_known(answer)
            if failures >= FAILURES_IN_A_ROW:
                raise InvalidPolicyError(
                    f"the last {failures} requests failed, the last one with: "
                    f"{new_answers[-1].error}"
                )
            yield from zip(batch, new_answers, strict=True)


def _so_far(replies: Replies, limits: Limits) -> dict[str, str]:
    """Tokens and cost so far, for the progress bar."""
    facts = {}
    if replies.prompt_tokens or replies.reply_tokens:
        facts["tokens"] = f"{replies.prompt_tokens}+{replies.reply_tokens}"
    if limits.prompt_price or limits.reply_price:
        facts["cost"] = f"{limits.spent(replies):.4f}"
    return facts


def _batches(
    requests: list[Request], size: int, replies: Replies, limits: Limits
) -> Iterator[list[Request]]:
    """Yield requests in batches, as long as the limits allow."""
    remaining = iter(requests)
    while batch := list(islice(remaining, size)):
        limits.check(replies)
        yield batch


def _answered_batches(
    ask: Ask, batches: Iterator[list[Request]], concurrency: int
) -> Iterator[tuple[list[Request], list[Answer]]]:
    """Yield batches with their answers, in the order of the answers.

    The first exception is raised after the answers under way.
    """
    if concurrency == 1:
        for batch in batches:
            yield batch, ask(batch)
        return
    queue: SimpleQueue[list[Request]] = SimpleQueue()
    results: SimpleQueue[tuple[list[Request], list[Answer] | BaseException]] = SimpleQueue()

    def work() -> None:
        while batch := queue.get():
            try:
                results.put((batch, ask(batch)))
            except BaseException as error:  # noqa: PERF203
                results.put((batch, error))

    fault: BaseException | None = None
    under_way = started = 0
    try:
        while True:
            try:
                while fault is None and under_way < concurrency:
                    queue.put(next(batches))
                    under_way += 1
                    if started < concurrency:
                        # A daemon: Ctrl-C does not wait for the answer to a request.
                        Thread(target=work, daemon=True).start()
                        started += 1
            except StopIteration:
                if not under_way:
                    return
            except Exception as error:
                fault = error
            if not under_way:
                break
            batch, result = _next(results)
            under_way -= 1
            if isinstance(result, BaseException):
                fault = fault or result
            else:
                yield batch, result
    finally:
        for _ in range(started):
            queue.put([])
    assert fault is not None
    raise fault


def _next(results: SimpleQueue[Any]) -> Any:
    while True:
        with suppress(Empty):
            return results.get(timeout=SECONDS_UNTIL_CTRL_C)
