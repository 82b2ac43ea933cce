"""Scores in games with draws, against plain recursion that shares no code with the package."""

from functools import cache

import numpy as np
import pytest

from nim_envs import optimality
from nim_envs.scoring import beatable_share, best_response, expected_scores
from tests.outcome_games import (
    GAMES,
    LARGER,
    LARGER_NAMES,
    far_apart,
    small_random_games,
    tic_tac_toe,
)


def at_random(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def perfect(entry):
    return lambda observations, masks: np.where(
        (keeping := entry.game.solution.keeping_mask(observations)).any(axis=1),
        keeping.argmax(axis=1),
        masks.argmax(axis=1),
    )


def check_scores(entry):
    """Compare scores of random play with shares by hand over every position."""
    truth = entry.truth()
    shares, decisive = [], []
    for position, value in truth.items():
        reached = [-truth[after] for _, after in entry.moves(position)]
        if reached and value >= 0:
            shares.append(sum(each == value for each in reached) / len(reached))
            if min(reached) < value:
                decisive.append(shares[-1])
    score = optimality(at_random, entry.game)
    assert score.count == len(shares)
    assert score.decisive.count == len(decisive)
    for share, expected in (
        (score.percent, shares), (score.random_percent, shares),
        (score.decisive.percent, decisive), (score.decisive.random_percent, decisive),
    ):  # fmt: skip
        mean = 100 * sum(expected) / len(expected) if expected else np.nan
        assert share == pytest.approx(mean, abs=1e-9, nan_ok=True)
    best = optimality(perfect(entry), entry.game)
    # Where every position with a move is lost there is nothing to count: NaN, as documented.
    assert best.percent == 100 if shares else np.isnan(best.percent)
    assert len(best.blunders) == 0
    share = beatable_share(perfect(entry), entry.game)
    assert share == 0 if shares else np.isnan(share)
    return score


@pytest.mark.parametrize("name", GAMES)
def test_scores_are_those_by_hand_and_by_recursion(name):
    check_scores(GAMES[name]())
    check_expected_scores(GAMES[name]())


def test_scores_of_random_games_and_of_numbers_far_apart():
    for entry in [*small_random_games(), far_apart()]:
        check_scores(entry)
        check_expected_scores(entry)


@pytest.mark.parametrize("name", LARGER_NAMES)
def test_scores_of_larger_games(name):
    check_scores(LARGER[name]())
    check_expected_scores(LARGER[name]())


def test_known_shares_of_random_play_and_their_words():
    score = check_scores(tic_tac_toe())
    assert (score.count, score.decisive.count) == (3888, 3191)
    assert str(score).startswith(
        "51.13 % of 3888 positions that are not lost, all; 40.46 % of 3191 decisive ones"
    )


def check_expected_scores(entry):
    """Compare scores against random play, of random and of best play, with recursion."""

    @cache
    def random_score(position):  # of the player to move; both play at random
        reached = [1 - random_score(after) for _, after in entry.moves(position)]
        return sum(reached) / len(reached) if reached else (1 + entry.outcome(position)) / 2

    @cache
    def best_score(position, moving):  # of the best response; the other plays at random
        reached = [best_score(after, not moving) for _, after in entry.moves(position)]
        if not reached:
            value = entry.outcome(position)
            return (1 + (value if moving else -value)) / 2
        return max(reached) if moving else sum(reached) / len(reached)

    positions = list(entry.truth())
    scores = expected_scores(at_random, at_random, entry.game)
    indices = scores.graph.find(np.array(positions))
    replies = best_response(at_random, entry.game)
    expected = [random_score(position) for position in positions]
    np.testing.assert_allclose(scores.moving[indices], expected, atol=1e-12)
    np.testing.assert_allclose(scores.waiting[indices], [1 - each for each in expected], atol=1e-12)
    for moving, found in ((True, replies.moving), (False, replies.waiting)):
        best = [best_score(position, moving) for position in positions]
        np.testing.assert_allclose(found[indices], best, atol=1e-12)
    beaten = [
        best_score(position, False) > (1 - value) / 2 + 1e-9
        for position, value in entry.truth().items()
        if value >= 0 and entry.moves(position)
    ]
    share = np.mean(beaten) if beaten else np.nan
    assert beatable_share(at_random, entry.game) == pytest.approx(share, nan_ok=True)
