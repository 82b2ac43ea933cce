"""Games of known mistakes, and what learners make of them; Minari's part is in tests/clients."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from benchmarks.datasets.__main__ import share_seen
from benchmarks.datasets.mistakes import Episode, make_env, play
from benchmarks.datasets.offline import imitate, key_of, learn_offline
from nim_envs import make_game, optimality
from nim_envs.errors import MissingPackageError

HEAP = {"heaps": (6,), "max_take": 2}


def lost(heap):
    """Whether the player to move loses with a heap from which one or two are taken."""
    return heap % 3 == 0


@pytest.mark.parametrize("rate", [0.0, 0.5, 1.0])
def test_mistakes_are_made_at_the_rate_and_counted(rate):
    episodes, counts = play(make_env("nim", HEAP | {"start": "uniform"}), rate, 300, seed=1)
    decisions = mistakes = winning = 0
    for episode in episodes:
        heaps = episode.observations["observation"][:, 0].tolist()
        for before, after in itertools.pairwise(heaps):
            winning += not lost(before)
            decisions += not lost(before) and before > 1
            mistakes += not lost(before) and not lost(after)
    assert (counts.winning, counts.decisions, counts.mistakes) == (winning, decisions, mistakes)
    assert abs(mistakes / decisions - rate) <= 5 * np.sqrt(rate * (1 - rate) / decisions)
    assert counts.optimal_share == pytest.approx(1 - mistakes / winning)


def test_offline_learning_keeps_to_the_data_and_sees_through_mistakes():
    def episode(*heaps):
        taken = -np.diff(heaps)
        return Episode(
            {"observation": np.array(heaps)[:, np.newaxis]},
            taken - 1,
            np.array([0.0] * (len(taken) - 1) + [1.0]),
            {},
        )

    # From 4 the move to 3 wins; the data have it once, and twice the one to 2, which loses.
    games = [episode(4, 2, 0), episode(4, 2, 0), episode(4, 3, 2, 0), episode(4, 3, 1, 0)]
    learned, imitated = learn_offline(games), imitate(games)
    values = {key: dict(row) for key, row in learned.values.items()}
    assert values == {
        (4,): {0: 1.0, 1: -1.0}, (3,): {0: -1.0, 1: -1.0}, (2,): {1: 1.0}, (1,): {0: 1.0},
    }  # fmt: skip
    boards, masks = np.array([[4], [3], [5]]), np.ones((3, 2), dtype=np.int8)
    assert learned.action_probabilities(boards, masks).tolist() == [[1, 0], [0.5, 0.5], [0.5, 0.5]]
    assert imitated.action_probabilities(boards, masks)[0].tolist() in ([0.5, 0.5], [0, 1])


def test_many_games_with_mistakes_teach_what_perfect_games_do_not_show():
    arguments = {"heaps": (2, 3)}
    game = make_game("nim", **arguments)
    perfect, _ = play(make_env("nim", arguments), 0.0, 500, seed=0)
    mistaken, _ = play(make_env("nim", arguments), 0.5, 500, seed=0)
    # After the only winning move from the full board no game comes to heaps of 1 and 3.
    assert (1, 3) not in learn_offline(perfect).values
    learned = learn_offline(mistaken)
    assert share_seen(learned, game) == 1
    assert optimality(learned, game, "reachable").percent == 100
    assert key_of(np.array([1, 3], dtype=np.int8)) in learned.values


def test_without_minari_the_extra_is_named(monkeypatch):
    from benchmarks.datasets.minari_files import make_namespace

    monkeypatch.setitem(__import__("sys").modules, "minari", None)
    with pytest.raises(MissingPackageError, match=r"\[datasets\]"):
        make_namespace(None)
