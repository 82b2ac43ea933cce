"""Sampled groups of games, and the gradient estimate that credits of their turns give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.turn_credit.exact import GROUP, role_results, turns_left, values
from agents.turn_credit.task import Task
from nim_envs.rules.convention import require_last_move
from nim_envs.typing import BoolArray, FloatArray, IntArray

UNSEEN = 0.5
"""Value of positions that a fitted critic never saw."""


@dataclass(frozen=True)
class Groups:
    """Groups of games, played by one policy or by one in each of several runs.

    Args:
        task: the game and the opponent.
        policies: policies of the agent, ``(runs, positions, actions)``.
        contexts: contexts of every group, ``(runs, groups)``.
        states: number of the position of each turn, ``(runs, groups, games, turns)``.
        actions: the same of the agent's action.
        reached: whether the game had this turn of the agent; states and actions are 0 elsewhere.
        results: score of the agent: 1, 0, or one half for a draw, ``(runs, groups, games)``.
        rngs: one for each run, for rollouts and for games that a critic is fitted to; what they
            draw leaves these games, and those that are drawn later, as they are.
        sharing: number of groups that share a critic.
    """

    task: Task
    policies: FloatArray
    contexts: IntArray
    states: IntArray
    actions: IntArray
    reached: BoolArray
    results: FloatArray
    rngs: Sequence[np.random.Generator] = ()
    sharing: int = 1

    @property
    def moves(self) -> IntArray:
        """Turns of the agent in all games of a run, ``(runs,)``."""
        return np.asarray(self.reached.sum(axis=(1, 2, 3)))

    @cached_property
    def last(self) -> BoolArray:
        """Whether a turn is the last of its game."""
        later = np.zeros_like(self.reached)
        later[..., :-1] = self.reached[..., 1:]
        return self.reached & ~later

    @cached_property
    def kept_win(self) -> FloatArray:
        """``kept_win`` of every turn: 1 where a won position was left won, else 0.

        Where draws exist, one half if a draw was left.
        """
        return np.asarray(self.task.score_left[self.states, self.actions] * self.reached)

    @cached_property
    def minimax(self) -> FloatArray:
        """Minimax value of every turn's position; see :attr:`Task.minimax`."""
        return np.asarray(self.task.minimax[self.states] * self.reached)

    @cached_property
    def rewards(self) -> FloatArray:
        """The result as a reward in the last turn, 0 in the others."""
        return self.last * self.results[..., np.newaxis]

    @cached_property
    def returns(self) -> FloatArray:
        """The result in every turn that was reached."""
        return self.reached * self.results[..., np.newaxis]

    @cached_property
    def _values(self) -> tuple[FloatArray, FloatArray]:
        return values(self.task, self.policies)

    @cached_property
    def _runs(self) -> IntArray:
        return np.arange(len(self.policies)).reshape(-1, 1, 1, 1)

    @cached_property
    def value(self) -> FloatArray:
        """Exact V of every turn's position; 0 in turns that were not reached."""
        return self._values[0][self._runs, self.states] * self.reached

    @cached_property
    def action_value(self) -> FloatArray:
        """Exact Q of every turn's action; 0 in turns that were not reached."""
        return self._values[1][self._runs, self.states, self.actions] * self.reached

    @cached_property
    def role_results(self) -> FloatArray:
        """Exact expected score in the seat of every group, ``(runs, groups)``."""
        of_contexts = role_results(self.task, self._values[0])
        return np.take_along_axis(of_contexts, self.contexts, axis=1)

    def rollout_values(self, rollouts: int) -> FloatArray:
        """Return the mean result of games played on from every turn's position.

        They end as games of the run's policy do, independently of one another and of these games,
        so that only the number won is drawn.

        Args:
            rollouts: number of games K from each position.

        Returns:
            In the shape of ``states``; 0 in turns that were not reached.

        Raises:
            UnsupportedGameError: the game has draws.
        """
        require_last_move(self.task.game.convention, "rollouts from the turns of a game")
        won = [
            rng.spawn(1)[0].binomial(rollouts, np.clip(value, 0.0, 1.0))
            for rng, value in zip(self.rngs, self.value, strict=True)
        ]
        return np.stack(won) / rollouts * self.reached

    def rollout_moves(self, rollouts: int) -> IntArray:
        """Return the expected number of moves of the agent in such rollouts, ``(runs,)``."""
        left = turns_left(self.task, self.policies)[self._runs, self.states] * self.reached
        return np.asarray(np.rint(rollouts * left.sum(axis=(1, 2, 3))), dtype=np.int64)

    def fitted_values(self, games: int) -> FloatArray:
        """Return V fitted to games: the mean result of those that came to the turn's position.

        The games are others than these, from any context, by the run's policy; where none came to a
        position its value is one half.

        Args:
            games: number of games n.

        Returns:
            In the shape of ``states``; 0 in turns that were not reached.
        """
        values = np.zeros(self.states.shape)
        groups = self.states.shape[1]
        shape = (groups // self.sharing, len(self.task.positions))
        critic = (np.arange(groups) // self.sharing)[:, np.newaxis, np.newaxis]
        for run, rng in enumerate(self.rngs):
            policy = self.policies[run : run + 1]
            played = sample(self.task, policy, shape[0] * games, rng.spawn(1), games=1)
            fitted = np.arange(shape[0] * games)[:, np.newaxis, np.newaxis] // games
            at = (fitted * shape[1] + played.states[0])[played.reached[0]]
            counts = np.bincount(at, minlength=shape[0] * shape[1])
            won = np.bincount(at, played.returns[0][played.reached[0]], counts.size)
            mean = np.where(counts > 0, won / np.maximum(counts, 1), UNSEEN).reshape(shape)
            values[run] = mean[critic, self.states[run]]
        return values * self.reached

    def critic_moves(self, games: int) -> IntArray:
        """Return the expected number of moves of the agent in such games, ``(runs,)``."""
        starts = self.task.context_probabilities @ self.task.first_position
        critics = self.states.shape[1] // self.sharing
        mean = turns_left(self.task, self.policies) @ starts
        return np.asarray(np.rint(critics * games * mean), dtype=np.int64)

    def gradients(self, credit: FloatArray) -> FloatArray:
        """Return the mean over a run's groups of ĝ = 1/K Σ_games Σ_turns A ∇ log π.

        Args:
            credit: A of every turn, ``(runs, groups, games, turns)``.

        Returns:
            ``(runs, positions, actions)``.
        """
        runs, groups, games, _ = credit.shape
        shape = (runs, *self.task.legal.shape)
        taken = np.bincount(
            self._moves_made, credit[self.reached], minlength=int(np.prod(shape))
        ).reshape(shape)
        taken -= self.policies * taken.sum(axis=-1, keepdims=True)
        taken /= games * groups
        return taken

    @cached_property
    def _moves_made(self) -> IntArray:
        """Flat index into ``(runs, positions, actions)`` of every turn that was reached."""
        positions, actions = self.task.legal.shape
        flat = (self._runs * positions + self.states) * actions + self.actions
        return np.asarray(flat[self.reached])

    def squared_errors(self, credit: FloatArray, truth: FloatArray) -> FloatArray:
        """Return ‖ĝ − g‖² of the estimate of each group.

        ‖ĝ‖² is a sum over pairs of turns of a group: ∇ log π is zero at other positions than the
        turn's own, so that the product of two is 1{a = a'} − π(a) − π(a') + Σ_b π(b)² where they
        are at the same position, and 0 elsewhere.

        Args:
            credit: credit of several estimators, ``(estimators, runs, groups, games, turns)``.
            truth: g of each, ``(estimators, positions, actions)``.

        Returns:
            ``(estimators, runs, groups)``.
        """
        estimators, runs, groups, games, turns = credit.shape
        flat = (estimators, runs, groups, games * turns)
        weighed = (credit * self.reached).reshape(flat) / games
        mean = np.einsum("rsa,esa->ers", self.policies, truth)
        slopes = truth[:, self.states, self.actions] - mean[:, self._runs, self.states]
        along = (weighed * slopes.reshape(flat)).sum(axis=-1)
        own = self.policies[self._runs, self.states, self.actions].reshape(runs, groups, -1)
        squares = (self.policies**2).sum(axis=-1)[self._runs, self.states].reshape(runs, groups, -1)
        states = self.states.reshape(runs, groups, -1)
        actions = self.actions.reshape(runs, groups, -1)
        norms = np.empty((estimators, runs, groups))
        for run in range(runs):
            here, run_actions = states[run], actions[run]
            products = (run_actions[:, :, np.newaxis] == run_actions[:, np.newaxis]).astype(
                np.float64
            )
            products += squares[run][..., np.newaxis]
            products -= own[run][:, :, np.newaxis] + own[run][:, np.newaxis]
            products *= here[:, :, np.newaxis] == here[:, np.newaxis]
            own_run = weighed[:, run].transpose(1, 2, 0)
            norms[:, run] = ((products @ own_run) * own_run).sum(axis=1).T
        squared: FloatArray = (truth**2).sum(axis=(1, 2))[:, np.newaxis, np.newaxis]
        return np.asarray(norms - 2 * along + squared)


def sample(
    task: Task,
    policies: FloatArray,
    groups: int,
    rngs: Sequence[np.random.Generator],
    games: int = GROUP,
    sharing: int = 1,
) -> Groups:
    """Play groups of games; those of a group have the same context.

    Args:
        task: the game and the opponent.
        policies: one for each run, ``(runs, positions, actions)``.
        groups: number of groups in each run.
        rngs: one for each run, so that what it draws does not depend on the others.
        games: number of games in a group.
        sharing: number of groups that share a critic, a divisor of ``groups``.
    """
    runs, num_positions, width = len(policies), len(task.positions), 2 * task.turns + 1
    uniforms_of_games = np.stack([rng.random((groups, 1 + games * width)) for rng in rngs])
    contexts = np.searchsorted(
        _cumulated(task.context_probabilities), uniforms_of_games[..., 0], side="right"
    )
    uniforms = uniforms_of_games[..., 1:].reshape(-1, width)
    shape = (runs, groups, games)
    at, seat = (
        np.broadcast_to(which[contexts][..., np.newaxis], shape).reshape(-1)
        for which in task.contexts.T
    )
    run = np.repeat(np.arange(runs), groups * games)
    ours = _cumulated(policies).reshape(runs * num_positions, -1)
    theirs = _cumulated(task.opponent)
    states = np.zeros((len(uniforms), task.turns), dtype=np.int64)
    actions, reached = np.zeros_like(states), np.zeros(states.shape, dtype=np.bool_)
    results = np.zeros(len(uniforms))
    at = at.copy()
    game = np.arange(len(uniforms))  # those in progress
    waiting = seat == 1
    for turn in range(task.turns + 1):
        # The opponent moves, at first only where it has the first move.
        if turn or waiting.any():
            moving = game if turn else game[waiting]
            here = at[moving]
            chosen = _sampled_index(theirs[here], uniforms[moving, 2 * turn])
            at[moving] = task.index_after[here, chosen]
            over = task.terminal[at[moving]]
            results[moving[over]] = task.end_scores[at[moving[over]]]
            game = game[~task.terminal[at[game]]]
        if not len(game):
            break
        here = at[game]
        chosen = _sampled_index(
            ours[run[game] * num_positions + here], uniforms[game, 2 * turn + 1]
        )
        states[game, turn], actions[game, turn], reached[game, turn] = here, chosen, True
        at[game] = task.index_after[here, chosen]
        over = task.terminal[at[game]]
        results[game[over]] = 1 - task.end_scores[at[game[over]]]
        game = game[~over]
    by_turn = (*shape, task.turns)
    return Groups(
        task, policies, contexts, states.reshape(by_turn), actions.reshape(by_turn),
        reached.reshape(by_turn), results.reshape(shape), tuple(rngs), sharing,
    )  # fmt: skip


def _cumulated(probabilities: FloatArray) -> FloatArray:
    """Cumulated probabilities along the last axis, ending at exactly 1; zeros where all are 0."""
    sums = np.cumsum(probabilities, axis=-1)
    total = sums[..., -1:]
    return sums / np.where(total > 0, total, 1.0)


def _sampled_index(cumulated: FloatArray, uniforms: FloatArray) -> IntArray:
    """Return the index that each uniform number falls on, by its row of cumulated probabilities."""
    return np.asarray((cumulated <= uniforms[:, np.newaxis]).sum(axis=1))
