"""Players without a model, whose rows stand beside those of models."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import xor

import numpy as np

from nim_envs.rules.convention import Convention
from nim_envs.text.exam.suite import Suite
from nim_envs.text.language import Language, Position
from nim_envs.text.replies import Answer, Ask, Request

Choose = Callable[[Language, Position, np.random.Generator], int]
"""A function from a position to a legal action."""


def random_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    legal = list(language.outcomes(position).after)
    return legal[int(rng.integers(len(legal)))]


def first_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return the first legal action."""
    return next(iter(language.outcomes(position).after))


def nim_sum_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return the first action after which the numbers of the position have nim-sum 0, if any.

    It is right in Nim, and recites the same rule in all other games.
    """
    return _best(language, position, lambda after: reduce(xor, after) != 0)


def greedy_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return the action that leaves the least sum of the numbers of the position."""
    return _best(language, position, sum)


def two_ply_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return a random action among the best ones by search of two plies.

    A move that wins at once is best, one that allows the opponent to win at once is worst.
    """
    rules = language.game.rules
    last_wins = language.game.convention is Convention.NORMAL

    def badness(place: Position) -> int:
        here = np.array(place)
        actions = np.flatnonzero(rules.action_mask(here))
        if not actions.size:
            return -1 if last_wins else 1
        replies = rules.step(np.broadcast_to(here, (len(actions), len(here))), actions)
        ends = rules.is_terminal(replies)
        return int(ends.any()) if last_wins else -int(ends.all())

    after = language.outcomes(position).after
    bad = {action: badness(place) for action, place in after.items()}
    best = [action for action, value in bad.items() if value == min(bad.values())]
    return best[int(rng.integers(len(best)))]


def perfect_move(language: Language, position: Position, rng: np.random.Generator) -> int:
    """Return an action that keeps the win."""
    return min(language.outcomes(position).keeping)


def _best(language: Language, position: Position, badness: Callable[[tuple[int, ...]], int]) -> int:
    """Return the first action of the least badness of the position after it, in coordinates."""
    rules, after = language.game.rules, language.outcomes(position).after
    return min(after, key=lambda action: badness(rules.coordinate_tuple(np.array(after[action]))))


MARKS = {
    "line": "{}",
    "tag": "<move>{}</move>",
    "boxed": "\\boxed{{{}}}",
    "json": '{{"move": "{}"}}',
}
"""Marks of a move, by form of the answer."""

PLAYERS: dict[str, Choose] = {
    "random": random_move,
    "first": first_move,
    "nim-sum": nim_sum_move,
    "greedy": greedy_move,
    "two-ply": two_ply_move,
    "perfect": perfect_move,
}
"""The players by name."""


def asking_player(name: str, suite: Suite, answer: str = "line") -> Ask:
    """Return a player as a function from the requests of a suite to its answers.

    Args:
        name: one of :data:`PLAYERS`.
        suite: the suite, whose seed with the id of a request seeds the player.
        answer: form of the answers, as in :func:`nim_envs.text.prompt`.
    """
    choose = PLAYERS[name]
    form = MARKS[answer]

    def ask(requests: list[Request]) -> list[Answer]:
        return [one(request) for request in requests]

    def one(request: Request) -> Answer:
        setting, item = suite.items[request.id.rpartition("#")[0]]
        rng = np.random.default_rng([suite.seed, *request.id.encode()])
        action = choose(setting.language, item.position, rng)
        return Answer(form.format(setting.language.move(item.position, action)))

    return ask
