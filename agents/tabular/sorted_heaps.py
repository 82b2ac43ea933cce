"""Heaps in sorted order: positions that differ only in the order of their heaps share a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.tabular.index import heap_order, positions_of
from nim_envs import Game, game_from_moves
from nim_envs.players import Policy, PolicyFunction
from nim_envs.rules.convention import Convention, require_last_move
from nim_envs.starts import Sampler, Start
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


def sorted_game(game: Game) -> Game:
    """Return a game with the same actions in which heaps are sorted after every move.

    A table learner of it has one row for all orders of the same heaps.
    """
    rules, order = game.rules, heap_order(game.rules)

    def moves(positions: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        rows, actions = np.nonzero(rules.action_mask(positions))
        return rows, actions, _sorted(rules.step(positions[rows], actions), order)[0]

    positions = np.unique(_sorted(rules.lattice(), order)[0], axis=0)
    (initial,) = _sorted(np.array([rules.initial]), order)[0].tolist()
    convention = require_last_move(game.convention, "sorting heaps")
    sorted_one = game_from_moves(
        rules.name, tuple(initial), moves, positions=positions.tolist(),
        actions=range(rules.num_actions), misere=convention is Convention.MISERE, vectorized=True,
    )  # fmt: skip
    return replace(sorted_one, starts=_SortedStart(game))


def in_any_order(policy: Policy, game: Game) -> PolicyFunction:
    """Return a policy of ``game`` that plays as ``policy`` does in its :func:`sorted_game`."""
    rules, order = game.rules, heap_order(game.rules)

    def permuted(values: Array, permutation: IntArray) -> Array:
        by_heap = values.reshape(*permutation.shape, rules.num_options)
        return np.take_along_axis(by_heap, permutation[..., None], axis=1).reshape(values.shape)

    def probabilities(observations: Array, masks: MaskArray) -> FloatArray:
        there, permutation = _sorted(positions_of(rules, observations), order)
        answers = policy.action_probabilities(there, permuted(masks, permutation))
        return permuted(answers, np.argsort(permutation, axis=1))

    return probabilities


class _SortedStart(Start):
    """Starts of a game, with their heaps sorted."""

    def __init__(self, game: Game) -> None:
        sampler, order = game.starts.sampler(game), heap_order(game.rules)
        self._sampler = Sampler(*(_sorted(listed, order)[0] for listed in sampler.lists))

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        return self._sampler


def _sorted(positions: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Return positions with their heaps sorted, and the permutations, all ``(n, components)``."""
    permutation = np.empty_like(positions)
    permutation[:, order] = order[np.argsort(positions[:, order], axis=1, kind="stable")]
    return np.take_along_axis(positions, permutation, axis=1), permutation
