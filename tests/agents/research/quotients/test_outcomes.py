"""Outcomes of positions by games of two players with one memory."""

from __future__ import annotations

import numpy as np
import pytest

from agents.base import HypothesisError
from agents.research.quotients.outcomes import GameBudget, NoMoreGamesError, OutcomeFinder


class Counted:
    """Keeps the games that were played, and may end them."""

    def __init__(self, end_after=None):
        self.games = []
        self.end_after = end_after

    def __call__(self, winner, length):
        self.games.append((winner, length))
        return len(self.games) == self.end_after


def play(most=1_000, most_read=1_000, end_after=None, seed=0):
    """A heap from which 1, 2 or 3 objects are taken; who cannot move loses."""
    after = Counted(end_after)
    games = GameBudget(most, most_read, np.random.default_rng(seed), after)

    def options(heap):
        return games.random_rotation([heap - taken for taken in (1, 2, 3) if taken <= heap])

    return OutcomeFinder(options, {0: True}, games), games, after


@pytest.mark.parametrize("seed", range(5))
def test_games_are_played_until_the_outcome_is_known(seed):
    player, games, after = play(seed=seed)
    assert [player.is_lost(heap) for heap in range(20)] == [heap % 4 == 0 for heap in range(20)]
    assert 0 < len(after.games) <= 20
    assert games.read == 19
    known = len(after.games)
    assert player.is_lost(16)
    assert len(after.games) == known


def test_a_game_is_won_by_a_player_who_can_win_where_it_ends():
    player, _, after = play()
    assert not player.is_lost(1)
    assert after.games == [(0, 1)]
    player, _, after = play()
    player.lost.update({1: False, 2: False, 3: False})
    assert player.is_lost(4)
    assert after.games == [(1, 1)]


def test_the_first_option_tried_is_random():
    games = GameBudget(1, 1, np.random.default_rng(0), Counted())
    orders = {tuple(games.random_rotation([1, 2, 3])) for _ in range(50)}
    assert orders == {(1, 2, 3), (2, 3, 1), (3, 1, 2)}


def test_no_more_games_are_played_than_allowed():
    player, _, after = play(most=3)
    with pytest.raises(NoMoreGamesError):
        player.is_lost(40)
    assert len(after.games) == 3
    player, _, after = play(end_after=2)
    with pytest.raises(NoMoreGamesError):
        player.is_lost(40)
    assert len(after.games) == 2


def test_no_more_positions_are_read_for_a_part_than_allowed():
    player, games, _ = play(most_read=10)
    with pytest.raises(HypothesisError, match="more than 10 positions"):
        player.is_lost(40)
    games.next_part()
    games.count_read(10)
    with pytest.raises(HypothesisError, match="more than 10 positions"):
        games.count_read(1)
