"""Exact gradients: every expectation over the games of a tabular softmax policy, enumerated.

The expectation of an estimator with credits A, of one group of games from the same context c, is

    E ĝ[s, b] = Σ_c p_c Σ_t d_{c,t}(s) π(b|s) (X(s, b) − Σ_a π(a|s) X(s, a)),
    X(s, a) = E[A | c, t, s, a],

where d is the chance that the agent is to move at s in its turn t. It is zero for credits that do
not depend on the action. As every X here is linear in what depends on the context, the sum over
contexts and turns is taken first: :attr:`MeanCredit` is Σ_c p_c Σ_t d_{c,t}(s) X(s, a).
"""

from __future__ import annotations

from functools import cached_property
from math import comb

import numpy as np

from agents.turn_credit.task import Task, softmax
from nim_envs.typing import FloatArray

GROUP = 8
"""Games in a group, all from the same context."""

MeanCredit = FloatArray
"""Mean credit of an action, times the expected visits of the position, ``(positions, actions)``."""


def values(task: Task, policies: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the expected scores of policies, when the agent is to move.

    Args:
        task: the game and the opponent.
        policies: ``(..., positions, actions)``.

    Returns:
        V ``(..., positions)`` and Q ``(..., positions, actions)``, 0 where there is no legal move.
    """
    value = np.zeros(policies.shape[:-1])
    for _ in range(task.turns):
        action_value = (
            task.last_result
            + (value @ task.nonterminal_reply.T)[..., task.index_after] * task.legal
        )
        value = (policies * action_value).sum(axis=-1)
    return value, action_value


def role_results(task: Task, value: FloatArray) -> FloatArray:
    """Return the expected score in the seat of each context, over all starts.

    Args:
        task: the game and the opponent.
        value: V, ``(..., positions)``.

    Returns:
        ``(..., contexts)``.
    """
    won = task.won_before + value @ task.first_position.T
    seats = task.contexts[:, 1]
    same = (seats[:, np.newaxis] == seats) * task.context_probabilities
    return np.asarray(won @ (same / same.sum(axis=1, keepdims=True)).T)


def turns_left(task: Task, policies: FloatArray) -> FloatArray:
    """Return the expected number of turns that the agent has from a position on, this one included.

    Args:
        task: the game and the opponent.
        policies: ``(..., positions, actions)``.

    Returns:
        ``(..., positions)``; 0 where there is no legal move.
    """
    here = (~task.terminal).astype(np.float64)
    turns = np.zeros(policies.shape[:-1])
    for _ in range(task.turns):
        left = (turns @ task.nonterminal_reply.T)[..., task.index_after]
        turns = here + (policies * left).sum(axis=-1)
    return turns


class Exact:
    """Exact expectations over the games of one policy.

    Args:
        task: the game and the opponent.
        logits: logits of the softmax policy, ``(positions, actions)``.
        group: number of games K in a group.

    Example:
        >>> from nim_envs import make_game
        >>> task = Task(make_game("nim", heaps=(3, 4, 5)))
        >>> exact = Exact(task, np.zeros(task.legal.shape))
        >>> round(exact.objective, 4), round(task.optimal_win_probability, 4)
        (0.2723, 0.9656)
    """

    def __init__(self, task: Task, logits: FloatArray, group: int = GROUP) -> None:
        self.task = task
        self.logits = logits
        self.group = group
        self.policy = softmax(logits, task.legal)

    @cached_property
    def _moves(self) -> FloatArray:
        """Probabilities of the position that the agent leaves, ``(positions, positions)``."""
        return self.task.transitions(self.policy)

    @cached_property
    def visits(self) -> FloatArray:
        """Chance that the agent has turn t and is at s, ``(turns, contexts, positions)``."""
        at = [self.task.first_position]
        while len(at) < self.task.turns:
            at.append(at[-1] @ self._moves @ self.task.nonterminal_reply)
        return np.stack(at)

    @cached_property
    def mean_visits(self) -> FloatArray:
        """Chance that the agent is to move at s in some turn of a game, ``(positions,)``."""
        at = self.task.context_probabilities @ self.task.first_position
        total = at
        for _ in range(1, self.task.turns):
            at = at @ self._moves @ self.task.nonterminal_reply
            total = total + at
        return total

    @cached_property
    def reached(self) -> FloatArray:
        """Chance that the agent has turn t, ``(turns, contexts)``."""
        return np.asarray(self.visits.sum(axis=-1))

    @cached_property
    def _values(self) -> tuple[FloatArray, FloatArray]:
        return values(self.task, self.policy)

    @property
    def value(self) -> FloatArray:
        """V: the expected score when to move, ``(positions,)``."""
        return self._values[0]

    @property
    def action_value(self) -> FloatArray:
        """Q: the same after an action, ``(positions, actions)``."""
        return self._values[1]

    @cached_property
    def won(self) -> FloatArray:
        """Expected score by context, ``(contexts,)``."""
        return self.task.won_before + self.task.first_position @ self.value

    @property
    def objective(self) -> float:
        """J: the expected result."""
        return float(self.task.context_probabilities @ self.won)

    @cached_property
    def reached_positions(self) -> FloatArray:
        """Chance that the agent is to move at s in some turn, ``(contexts, positions)``.

        No position comes twice in a game.
        """
        return np.asarray(self.visits.sum(axis=0))

    @cached_property
    def goes_on(self) -> FloatArray:
        """Chance that the agent has a turn after an action, ``(positions, actions)``."""
        going = self.task.nonterminal_reply.sum(axis=1)[self.task.index_after]
        return np.asarray(going * self.task.legal)

    @property
    def mean_turns(self) -> float:
        """Expected number of turns of the agent in a game."""
        return float(self.mean_visits.sum())

    @cached_property
    def remaining(self) -> FloatArray:
        """Joint probabilities of the agent's further turns and the result, after an action.

        ``(turns, 2, positions, actions)``, by number of turns after this one and by result; a draw
        counts half as a win and half as a loss.
        """
        task = self.task
        ends = (task.terminal + task.reply_probabilities @ task.terminal)[
            task.index_after
        ] * task.legal
        probabilities = [np.stack([ends - task.last_result, task.last_result])]
        while len(probabilities) < task.turns:
            here = (self.policy * probabilities[-1]).sum(axis=-1)
            probabilities.append(
                (here @ task.nonterminal_reply.T)[:, task.index_after] * task.legal
            )
        return np.stack(probabilities)

    def mean_at_turn(self, quantity: FloatArray) -> FloatArray:
        """Return the mean of a quantity over the games that reach a turn.

        Args:
            quantity: values by position, ``(positions,)``, or by action, ``(positions, actions)``.

        Returns:
            ``(turns, contexts)``; 0 where the turn is never reached.
        """
        if quantity.ndim == 2:
            quantity = (self.policy * quantity).sum(axis=-1)
        there = self.reached > 0
        return (self.visits @ quantity) / np.where(there, self.reached, 1.0)

    def move_credit(self, credit: FloatArray, weight: FloatArray | float = 1.0) -> MeanCredit:
        """Return the mean credit where X = weight · credit.

        Args:
            credit: ``(positions, actions)``.
            weight: a factor by turn and context, of a shape that broadcasts to
                ``(turns, contexts)``.
        """
        if isinstance(weight, float):
            visits = weight * self.mean_visits
        else:
            weighed = np.broadcast_to(weight, self.reached.shape) * self.task.context_probabilities
            visits = np.tensordot(weighed, self.visits, axes=2)
        return visits[:, np.newaxis] * credit

    def state_credit(self, credit: FloatArray, weight: FloatArray) -> MeanCredit:
        """Return the mean credit where X = weight · credit, by context and position.

        Args:
            credit: ``(positions, actions)``.
            weight: ``(contexts, positions)``.
        """
        visits = self.task.context_probabilities @ (weight * self.reached_positions)
        return np.asarray(visits[:, np.newaxis] * credit)

    def advantage_credit(self, lambda_: float, value: FloatArray) -> MeanCredit:
        """Return the mean credit of GAE(λ) with some value function in the place of V.

        Args:
            lambda_: 0 to 1; the discount is 1.
            value: value of positions where the agent is to move, ``(positions,)``.
        """
        task = self.task
        after = (task.nonterminal_reply @ value)[task.index_after] * task.legal
        error = (task.last_result + after - value[:, np.newaxis]) * task.legal
        total = error
        for _ in range(1, task.turns):
            here = (self.policy * total).sum(axis=-1)
            total = error + lambda_ * (task.nonterminal_reply @ here)[task.index_after] * task.legal
        return self.move_credit(total)

    def summed_credit(
        self,
        reward: FloatArray,
        weight: FloatArray | float = 1.0,
        offset: FloatArray | float = 0.0,
    ) -> MeanCredit:
        """Return the mean credit where A_t = Σ_{u ≥ t} (weight_u r_u + offset_u), to the last turn.

        Args:
            reward: expected reward r of an action, ``(positions, actions)``.
            weight: weight of the rewards of a turn; broadcasts to ``(turns, contexts)``.
            offset: added in every turn that is reached; broadcasts likewise.
        """
        task = self.task
        weights, offsets = (np.broadcast_to(x, self.reached.shape) for x in (weight, offset))
        mean_reward = (self.policy * reward).sum(axis=-1)
        total = np.zeros_like(reward)
        later = np.zeros(self.visits.shape[1:])
        for turn in reversed(range(task.turns)):
            left = later @ task.nonterminal_reply.T
            visits = task.context_probabilities[:, np.newaxis] * self.visits[turn]
            total += (weights[turn] @ visits)[:, np.newaxis] * reward
            total += (offsets[turn] @ visits)[:, np.newaxis] * task.legal
            total += np.take_along_axis(visits.T @ left, task.index_after, axis=1) * task.legal
            later = np.outer(weights[turn], mean_reward) + offsets[turn][:, np.newaxis]
            later += left @ self._moves.T
        return total

    def divided_credit(self, of_results: tuple[FloatArray, FloatArray]) -> MeanCredit:
        """Return the mean credit where A_t = a_R / L: by the result, divided by the game's turns.

        Args:
            of_results: a_0 and a_1 by context, ``(contexts,)``.
        """
        total = np.zeros_like(self.policy)
        for turn, visits in enumerate(self.visits):
            for result, credit in enumerate(of_results):
                weight = (self.task.context_probabilities * credit) @ visits
                turns = 1.0 + turn + np.arange(self.task.turns)
                by_length = np.tensordot(1 / turns, self.remaining[:, result], axes=1)
                total += weight[:, np.newaxis] * by_length
        return total

    def gradient(self, credit: MeanCredit) -> FloatArray:
        """Return the expected gradient estimate of a mean credit, ``(positions, actions)``."""
        mean = (self.policy * credit).sum(axis=-1, keepdims=True)
        return np.asarray(self.policy * (credit - mean))

    @cached_property
    def objective_gradient(self) -> FloatArray:
        """∇J by the policy gradient theorem (Sutton & Barto, section 13.2)."""
        return self.gradient(self.move_credit(self.action_value))

    def survival_gradient(self, turn: int) -> FloatArray:
        """Return ∇P(L ≥ turn | c) by context, ``(contexts, positions, actions)``.

        Args:
            turn: the agent's turns, counted from 1.
        """
        task = self.task
        gradient = np.zeros((len(task.context_probabilities), *self.policy.shape))
        # The chance of reaching the turn, from an earlier one of the agent.
        ahead = np.ones(len(self.policy))
        for earlier in reversed(range(turn - 1)):
            credit = (task.nonterminal_reply @ ahead)[task.index_after] * task.legal
            ahead = (self.policy * credit).sum(axis=-1)
            slope = self.policy * (credit - ahead[:, np.newaxis])
            gradient += self.visits[earlier][:, :, np.newaxis] * slope
        return gradient


def centred_factor(reached: FloatArray | float, group: int) -> FloatArray:
    """Return κ, where E[x − mean | x] = κ (x − μ) for the mean over those who reach a turn.

    κ = E[n / (n + 1)] with n ~ Binomial(group − 1, reached) others who do.

    Args:
        reached: chance of reaching the turn, any shape.
        group: number of games.
    """
    chance = np.asarray(reached, dtype=np.float64)
    positive = np.where(chance > 0, chance, 1.0)
    return np.asarray(1 - (1 - (1 - positive) ** group) / (group * positive))


def standardised(
    mean: FloatArray, reached: FloatArray | float, group: int, free: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Return E[(x − mean) / std | x] for x = 0 and x = 1, over those of a group who reach a turn.

    Where the standard deviation is 0 the credit is 0.

    Args:
        mean: chance that x is 1 among those who reach the turn, any shape.
        reached: chance of reaching it, of a shape that broadcasts with that.
        group: number of games.
        free: number subtracted from the number of games as the divisor of squares: 0 for the
            standard deviation of the population, 1 for that of a sample.
    """
    mean, chance = np.broadcast_arrays(mean, np.asarray(reached, dtype=np.float64))
    low, high = np.zeros(mean.shape), np.zeros(mean.shape)
    for others in range(1, group):
        of_number = comb(group - 1, others) * chance**others * (1 - chance) ** (group - 1 - others)
        for ones in range(others + 1):
            probability = of_number * comb(others, ones) * mean**ones
            probability = probability * (1 - mean) ** (others - ones)
            for credit, own in ((low, 0), (high, 1)):
                share = (ones + own) / (others + 1)
                if 0 < share < 1:
                    square = share * (1 - share) * ((others + 1) / (others + 1 - free))
                    credit += probability * (own - share) / np.sqrt(square)
    return low, high
