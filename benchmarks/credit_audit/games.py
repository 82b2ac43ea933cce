"""Small games as sequences of tokens, and every group of them with its probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from agents.turn_credit.exact import Exact
from agents.turn_credit.task import Task
from benchmarks.turn_credit.settings import Setting
from nim_envs.typing import BoolArray, FloatArray, IntArray

SETTINGS: dict[str, Setting] = {
    "take 1-2 of 6": Setting("nim", {"heaps": (6,), "max_take": 2}),
    "misère 1-3": Setting("misere_nim", {"heaps": (1, 3)}),
    "Kayles 4": Setting("kayles", {"heaps": (4,)}),
}
"""Games of which every group is enumerated; the agent has a turn in each of their games."""

GROUP = 3
"""Games in a group."""


@dataclass(frozen=True)
class Batch:
    """Games as a trainer sees them.

    Args:
        reached: whether a game has the turn, ``(games, turns)``.
        results: results of the games, ``(games,)``.
        groups: index of each game's group, ``(games,)``.
        values: V of every turn's position, ``(games, turns)``.
        afterwards: Q of every turn's action: the value where the opponent is to reply.
        chances: probability of every turn's action.
        squares: Σ π² at every turn's position.
        observations: whether a reply of the opponent stands after each turn but the last.
        finished: whether a game came to its end; the others have no reward.
    """

    reached: BoolArray
    results: FloatArray
    groups: IntArray
    values: FloatArray
    afterwards: FloatArray
    chances: FloatArray
    squares: FloatArray
    observations: bool = True
    finished: bool = True

    def tokens(self, turns: FloatArray, replies: FloatArray | None = None) -> FloatArray:
        """Return values by token, ``(games, tokens)``, of values by turn.

        Args:
            turns: ``(games, turns)``.
            replies: values of the replies after each turn, in the same shape; ``None``: 0.
        """
        if not self.observations:
            return turns * self.reached
        by_token = np.zeros((len(turns), 2 * turns.shape[1]))
        by_token[:, ::2] = turns * self.reached
        if replies is not None:
            # An unfinished game ends with a reply.
            by_token[:, 1::2] = replies * (self._before_last if self.finished else self.reached)
        return by_token

    def turns(self, tokens: FloatArray) -> FloatArray:
        """Return values by turn of values by token."""
        return tokens[:, :: 1 + self.observations]

    @cached_property
    def _before_last(self) -> BoolArray:
        later = np.zeros_like(self.reached)
        later[:, :-1] = self.reached[:, 1:]
        return self.reached & later

    def mask(self, replies: bool = False) -> FloatArray:
        """Return 1 at the tokens of the agent, and of replies too, ``(games, tokens)``."""
        ones = np.ones(self.reached.shape)
        return self.tokens(ones, ones if replies else None)

    @property
    def rewards(self) -> FloatArray:
        """The result at the agent's last token, ``(games, tokens)``."""
        last = self.reached & ~self._before_last
        return self.tokens(last * self.results[:, np.newaxis] * self.finished)

    @property
    def scores(self) -> FloatArray:
        """The sum of the rewards of each game, ``(games,)``."""
        return self.results * self.finished


class Games:
    """Every game of a task and every group of them, with their probabilities.

    Args:
        task: the game and the opponent.
        group: games in a group.
    """

    def __init__(self, task: Task, group: int = GROUP) -> None:
        self.task = task
        self.group = group
        self.contexts = [self._enumerate(context) for context in range(len(task.contexts))]

    def _enumerate(self, context: int) -> tuple[IntArray, IntArray, BoolArray, FloatArray]:
        games = list(self._play_out(*self.task.contexts[context].tolist()))
        states, actions = (
            np.zeros((len(games), self.task.turns), dtype=np.int64) for _ in range(2)
        )
        reached = np.zeros(states.shape, dtype=np.bool_)
        for row, (moves, _, _) in enumerate(games):
            for turn, (state, action) in enumerate(moves):
                states[row, turn], actions[row, turn], reached[row, turn] = state, action, True
        ends = np.array([(result, chance) for _, result, chance in games])
        return states, actions, reached, ends

    def _play_out(self, at: int, seat: int) -> Iterator[tuple[list[tuple[int, int]], float, float]]:
        """Yield the agent's moves, the result and the chance of the opponent's moves."""
        task = self.task
        if task.terminal[at]:
            score = float(task.end_scores[at])
            yield [], 1 - score if seat else score, 1.0
            return
        for action in np.flatnonzero(task.legal[at]).tolist():
            chance = float(task.opponent[at, action]) if seat else 1.0
            for moves, result, later in self._play_out(int(task.index_after[at, action]), 1 - seat):
                yield (moves if seat else [(at, action), *moves]), result, chance * later

    def batches(self, exact: Exact) -> list[Batch]:
        """Return a batch for each context, of all of its groups one after another."""
        batches = []
        for states, actions, reached, ends in self.contexts:
            rows = self._groups(len(states)).reshape(-1)
            shape = states[rows].shape
            batches.append(
                Batch(
                    reached[rows], ends[rows, 0], np.arange(len(rows)) // self.group,
                    np.reshape(exact.value[states[rows]], shape),
                    np.reshape(exact.action_value[states[rows], actions[rows]], shape),
                    np.reshape(exact.policy[states[rows], actions[rows]], shape),
                    np.reshape((exact.policy**2).sum(axis=1)[states[rows]], shape),
                )
            )  # fmt: skip
        return batches

    def _groups(self, games: int) -> IntArray:
        return np.array(list(product(range(games), repeat=self.group)))

    def gradient(self, policy: FloatArray, estimates: Sequence[FloatArray]) -> FloatArray:
        """Return E ĝ of credits of all groups, ``(positions, actions)``.

        Args:
            policy: ``(positions, actions)``.
            estimates: credits for each context, ``(groups · games, turns)``.
        """
        by_action = np.zeros_like(policy)
        for share, credit, (states, actions, reached, ends) in zip(
            self.task.context_probabilities, estimates, self.contexts, strict=True
        ):
            played = np.where(reached, policy[states, actions], 1.0).prod(axis=1) * ends[:, 1]
            groups = self._groups(len(states))
            weight = share * played[groups].prod(axis=1) / self.group
            rows = groups.reshape(-1)
            weighed = np.repeat(weight, self.group)[:, np.newaxis] * credit * reached[rows]
            np.add.at(by_action, (states[rows], actions[rows]), weighed)
        return np.asarray(by_action - policy * by_action.sum(axis=1, keepdims=True))


def by_group(batch: Batch) -> Iterator[Batch]:
    """Yield each group of a batch, whose games stand one after another."""
    ends = np.flatnonzero(np.diff(batch.groups)) + 1
    names = ("reached", "results", "groups", "values", "afterwards", "chances", "squares")
    for rows in np.split(np.arange(len(batch.groups)), ends):
        yield replace(batch, **{name: getattr(batch, name)[rows] for name in names})


def few(lengths: Sequence[int], results: Sequence[float], groups: Sequence[int]) -> Batch:
    """Return a batch of games with some numbers of turns, for a look at a single case.

    Its V is ½ everywhere, and every action has a probability of ½.
    """
    turns = max(lengths)
    reached = np.arange(turns) < np.array(lengths)[:, np.newaxis]
    half = np.full(reached.shape, 0.5)
    return Batch(
        reached, np.array(results, dtype=np.float64), np.array(groups), half, half, half, half
    )
