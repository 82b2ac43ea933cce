"""The check of a policy that is to be scored.

- Probabilities are valid, and those of illegal actions are 0.
- They depend on the position alone: they are the same in batches of any size and order, and when
  asked a second time.
- An agent with ``act`` acts by its probabilities; one with ``move`` moves as the rules allow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import ConformanceError, InvalidPolicyError
from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE, as_array
from nim_envs.players import Agent, AnyPlayer, PlayerAdapter, Policy, Turns
from nim_envs.rules.moves_between import are_moves
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.testing.positions import some_positions
from nim_envs.testing.requirements import during, require, require_equal
from nim_envs.typing import FloatArray, IntArray

POSITIONS = 300
BATCHES = (1, 2, 7, 64)
"""Batch sizes, besides all positions at once."""

TOLERANCE = 1e-4
"""Probabilities may differ by this much between batches: small floats add up in another order."""

ACTS = 10
"""Number of times that an agent acts at a position."""


def check_policy(policy: AnyPlayer, env_or_game: Any, *, illegal: bool = False) -> None:
    """Check that a policy can be scored: that its probabilities depend on the position alone.

    Asked about many positions at once, in batches of other sizes, in other orders and a second
    time, it must return valid probabilities, and the same for a position each time. It must not
    give an illegal action any probability. An object that has ``act``, too, must act by its
    probabilities; one that acts alone, be decided by the generator that it is given; one with
    ``move`` must move as the rules allow.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        illegal: whether illegal actions are allowed: some policies ignore the mask, and lose.

    Raises:
        ConformanceError: it cannot; the message says where.
        TypeError: ``policy`` or ``env_or_game`` is of another kind.

    Example:
        >>> from nim_envs import make_game
        >>> def take_two(observations, action_masks):
        ...     return [3] * len(observations)  # whatever the mask says
        >>> check_policy(take_two, make_game("nim", heaps=(1, 2)))
        Traceback (most recent call last):
        nim_envs.errors.ConformanceError: the policy gives probability 1 to action 3 (heap 1: take \
2), which is illegal at [0, 1]
    """
    scored = ScoredPolicy(policy, env_or_game)
    game = scored.game
    positions = some_positions(game.rules, POSITIONS, playable=True)
    if scored.needs_moves:
        _check_moves(scored, game, positions, illegal)
        return
    answers = _Asker(policy, scored)
    rows = np.arange(len(positions))
    probabilities = answers(positions, rows)
    if not illegal:
        _check_legal(game, positions, probabilities)
    shuffled = np.random.default_rng(0).permutation(rows)
    batches = [(rows, len(rows)), *((shuffled, size) for size in (len(rows), *BATCHES))]
    for order, size in batches:
        for first in range(0, min(len(rows), 16 * size), size):
            some = order[first : first + size]
            again = answers(positions[some], some)
            wrong = (np.abs(again - probabilities[some]) > TOLERANCE).any(axis=1)
            if wrong.any():
                row = int(wrong.argmax())
                times = "asked twice" if order is rows else f"in a batch of {len(some)}"
                raise ConformanceError(
                    f"at {positions[some[row]].tolist()} the policy returns "
                    f"{_nonzero_text(again[row])} {times}, and "
                    f"{_nonzero_text(probabilities[some[row]])} "
                    f"{'at first' if order is rows else f'in a batch of {len(rows)}'}"
                )
    if isinstance(policy, Policy) and isinstance(policy, Agent):
        _check_acts(policy, answers, positions, probabilities)


def _nonzero_text(probabilities: FloatArray) -> str:
    """Nonzero probabilities by action, as text."""
    shares = {
        int(action): round(float(probabilities[action]), 6)
        for action in np.flatnonzero(probabilities)
    }
    return f"actions with probabilities {shares}"


def _check_legal(game: Game, positions: IntArray, probabilities: FloatArray) -> None:
    """Check that every row names a legal action, and no illegal one."""
    nothing = ~probabilities.any(axis=1)
    if nothing.any():
        raise ConformanceError(
            f"the policy returns {NO_LEGAL_MOVE}, no legal move, at "
            f"{positions[nothing.argmax()].tolist()}"
        )
    illegal = (probabilities > 0) & (game.rules.action_mask(positions) == 0)
    if illegal.any():
        row, action = np.argwhere(illegal)[0].tolist()
        position = positions[row]
        raise ConformanceError(
            f"the policy gives probability {probabilities[row, action]:.6g} to action {action} "
            f"({game.rules.describe_action(action)}), which is illegal at {position.tolist()}"
        )


def _check_moves(scored: ScoredPolicy, game: Game, positions: IntArray, illegal: bool) -> None:
    """Check an object that moves from position to position."""
    with during("move() of the policy"):
        after, again = scored.moves(positions), scored.moves(positions[::-1])[::-1]
    wrong = (after != again).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ConformanceError(
            f"move({tuple(positions[row].tolist())}) returned {again[row].tolist()} asked twice, "
            f"and {after[row].tolist()} at first"
        )
    legal = are_moves(game.rules, positions, after)
    if not illegal and not legal.all():
        row = int(legal.argmin())
        raise ConformanceError(
            f"move({tuple(positions[row].tolist())}) returned {after[row].tolist()}, and no legal "
            "move leads there"
        )


class _Asker:
    """Asks a policy about positions."""

    def __init__(self, policy: Any, scored: ScoredPolicy) -> None:
        self.policy = policy
        self.scored = scored
        self.rules = scored.game.rules

    def __call__(self, positions: IntArray, rows: IntArray) -> FloatArray:
        """Return probabilities ``(n, actions)``; ``rows`` seed the generators of single acts."""
        try:
            turns = self.scored.turns(positions, self.rules.action_mask(positions))
            with during("the policy"):
                return self.scored.probabilities(self._answer(turns, rows), len(positions))
        except ConformanceError as error:
            if isinstance(error.__cause__, InvalidPolicyError):
                raise ConformanceError(str(error.__cause__)) from error.__cause__
            raise

    def _answer(self, turns: Turns, rows: IntArray) -> Any:
        player = PlayerAdapter.for_scores(self.policy, self.rules)
        if player.method != "act" and not player.takes_generator:
            return player(turns, np.random.default_rng(0))
        # Draws at a position do not depend on the rest of the batch.
        answers = [
            player(Turns(*(each[np.newaxis] for each in turn)), rng)
            for *turn, rng in zip(*turns, map(np.random.default_rng, rows), strict=True)
        ]
        return np.concatenate([as_array(answer)[0] for answer in answers])

    def acts(self, position: IntArray, rng: np.random.Generator) -> list[int]:
        """Return the actions of an agent that acts several times at a position."""
        one = position[np.newaxis]
        (observation,), (mask,), _ = self.scored.turns(one, self.rules.action_mask(one))
        with during(f"act() at {position.tolist()}"):
            return [int(self.policy.act(observation.copy(), mask.copy(), rng)) for _ in range(ACTS)]


def _check_acts(
    policy: Any, answers: _Asker, positions: IntArray, probabilities: FloatArray
) -> None:
    """Check that an agent never takes an action of probability 0."""
    rng = np.random.default_rng(0)
    for position, row in zip(positions, probabilities, strict=True):
        for action in answers.acts(position, rng):
            require(
                (0 <= action < len(row) and row[action] > 0)
                or (action == NO_LEGAL_MOVE and not row.any()),
                f"act() returned {action} at {position.tolist()}, where action_probabilities "
                f"returns {_nonzero_text(row)}",
            )
    require_equal(
        "what action_probabilities returns after act()",
        answers(positions, np.arange(len(positions))),
        probabilities,
    )
