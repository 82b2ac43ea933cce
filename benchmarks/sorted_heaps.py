"""Sorted heaps: positions that differ only in the order of their heaps are one row of a table."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.rows import graph_of
from nim_envs import Game
from nim_envs.errors import InvalidGameError
from nim_envs.graph import Part
from nim_envs.starts import Sampler, Start
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


def sorted_game(game: Game) -> Game:
    """Return a game with the same actions in which heaps are sorted after every move.

    Raises:
        InvalidGameError: the heaps do not have the same options.
        SearchTooLargeError: the game has too many positions for a table.
    """
    largest = max(game.parts, key=lambda part: part.num_positions)
    for part in game.parts:
        there, options = largest.after[: part.num_positions], part.num_actions
        if not np.array_equal(part.after, there[:, :options]) or (there[:, options:] >= 0).any():
            raise InvalidGameError(f"sorted heaps need heaps with the same options, unlike {game}")
    graph = graph_of(game)
    rows = graph.find(_sorted(game, graph.coordinates)[0])
    listed, row_of = np.unique(rows, return_inverse=True)
    after = graph.after[listed]
    after = np.where(after >= 0, row_of[after], -1)
    part = Part(graph.coordinates[listed], after, range(graph.num_actions), largest.words)
    start = tuple(_sorted(game, np.array([game.start]))[0][0].tolist())
    return replace(
        game, parts=(part,), start=start, theorem=None, starts=_SortedStart(game), registered=None
    )


def in_any_order(policy: Any, game: Game) -> Any:
    """Return a policy of ``game`` that plays as ``policy`` does in its :func:`sorted_game`."""

    def permuted(values: Array, permutation: IntArray) -> Array:
        by_heap = values.reshape(*permutation.shape, -1)
        return np.take_along_axis(by_heap, permutation[..., None], axis=1).reshape(values.shape)

    def probabilities(observations: IntArray, masks: MaskArray) -> FloatArray:
        there, permutation = _sorted(game, observations)
        answers = policy.action_probabilities(there, permuted(masks, permutation))
        return permuted(answers, np.argsort(permutation, axis=1))

    return probabilities


@dataclass(frozen=True)
class _SortedStart(Start):
    """The starts of a game, with their heaps sorted."""

    game: Game

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        starts = self.game.starts.sampler(self.game, search=search)
        starts.support()  # all are listed, or this raises an error
        return Sampler(*(_sorted(self.game, np.asarray(pool))[0] for pool in starts.pools))


def _sorted(game: Game, positions: IntArray) -> tuple[IntArray, IntArray]:
    """Return positions, and the heap that stands in the place of each, ``(n, heaps)``.

    The heaps with the fewest positions stay the first, so that each fits in its place.
    """
    parts, permutation = game.parts, np.empty((len(positions), len(game.parts)), np.int64)
    order = np.argsort([part.num_positions for part in parts], kind="stable")
    largest = parts[order[-1]]
    each = np.split(positions, len(parts), axis=1)
    rows = np.stack([largest.find(coordinates) for coordinates in each], axis=1)
    permutation[:, order] = order[np.argsort(rows[:, order], axis=1, kind="stable")]
    rows = np.take_along_axis(rows, permutation, axis=1)
    return largest.positions(rows).reshape(positions.shape), permutation
