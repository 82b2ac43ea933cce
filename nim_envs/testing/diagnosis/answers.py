"""Answers of a policy at the positions of a board."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.testing.diagnosis.board import Board
from nim_envs.testing.diagnosis.likelihood import evenly
from nim_envs.typing import FloatArray, IntArray, MaskArray

ASKED_AGAIN = 100
"""Most positions that are asked about one at a time."""

PAIRS_OF_ORDERS = 4
"""Times that they are asked about in two orders, if the order matters."""

OFTEN = 0.1
"""Probability of illegal actions above which the answer counts as one of them."""

TOLERANCE = 1e-4
"""Probabilities that differ by less are the same, as small floats add up in another order."""


class Memory(NamedTuple):
    """Answers to calls of one position each, in two orders of the same positions.

    Attributes:
        now: calls that agree with the other order's answer at the same position, and not with its
            answer one call later.
        before: calls that agree with the other order's answer one call after the position of the
            call before, and not with its answer at the same position.
        changed: whether any answer at a position depends on the order.
    """

    now: int
    before: int
    changed: bool


class Answers(NamedTuple):
    """Answers of a policy at every position of a board with a legal move.

    Attributes:
        rows: the positions, as rows of the board, ``(k,)``.
        chances: probabilities of actions, ``(k, actions)``.
        shares: 1 at the most probable action, equal shares where several are; one column more than
            there are actions, for ``NO_LEGAL_MOVE``, ``(k, actions + 1)``.
        memory: what it answers when asked one by one.
    """

    rows: IntArray
    chances: FloatArray
    shares: FloatArray
    memory: Memory


def answers_of(policy: Any, env_or_game: Any, board: Board, seed: int) -> Answers:
    """Ask a policy about all positions of a board.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        board: positions of its game.
        seed: seed of random choices.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
    """
    scored = ScoredPolicy(policy, env_or_game, seed)
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(board.legal.any(axis=1))
    positions = board.positions[rows]
    masks: MaskArray = board.legal[rows].astype(np.int8)
    chances = scored.action_probabilities(positions, masks)
    some = rng.permutation(len(rows))[:ASKED_AGAIN]
    return Answers(
        rows,
        chances,
        _most_probable(chances, masks),
        _memory(scored, positions[some], masks[some], rng),
    )


def _most_probable(chances: FloatArray, masks: MaskArray) -> FloatArray:
    """Return equal shares of the most probable actions, of illegal ones where these are not rare.

    The last column is for no action.
    """
    illegal = chances * (masks == 0)
    often = illegal.sum(axis=1, keepdims=True) > OFTEN
    chances = np.where(often, illegal, chances)
    likeliest = chances >= chances.max(axis=1, keepdims=True) - TOLERANCE
    none = ~chances.any(axis=1, keepdims=True)
    return evenly(np.hstack([likeliest & ~none, none]))


def _memory(
    scored: ScoredPolicy, positions: IntArray, masks: MaskArray, rng: np.random.Generator
) -> Memory:
    """Ask about positions one by one, in two orders, and again if the order matters."""
    now = before = 0
    changed = False
    for _ in range(PAIRS_OF_ORDERS if len(positions) > 1 else 0):
        found = _two_orders(scored, positions, masks, rng)
        now, before, changed = now + found.now, before + found.before, changed or found.changed
        if not changed:
            break
    return Memory(now, before, changed)


def _two_orders(
    scored: ScoredPolicy, positions: IntArray, masks: MaskArray, rng: np.random.Generator
) -> Memory:
    """Ask about positions one by one, in two orders."""
    number = len(positions)

    def asked(order: IntArray) -> IntArray:
        """Answers in the order of the calls."""
        found = np.zeros(number, dtype=np.int64)
        for call, row in enumerate(order):
            one = slice(row, row + 1)
            chances = scored.action_probabilities(positions[one], masks[one])[0]
            found[call] = chances.argmax() if chances.any() else NO_LEGAL_MOVE
        return found

    first, second = rng.permutation(number), rng.permutation(number)
    one, two = asked(first), asked(second)
    call = np.argsort(second)  # of each position, in the second order
    # The first order's call k is about position first[k], and follows first[k - 1].
    here = call[first[1:]]
    follows = call[first[:-1]] + 1
    known = follows < number
    same_now = one[1:] == two[here]
    same_before = known & (one[1:] == two[np.minimum(follows, number - 1)])
    return Memory(
        int((same_now & ~same_before & known).sum()),
        int((same_before & ~same_now).sum()),
        changed=bool((one != two[call[first]]).any()),
    )
