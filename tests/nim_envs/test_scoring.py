"""Scores are exact: they equal their definitions, by the rules alone."""

import functools
import math

import gymnasium
import numpy as np
import pytest

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents.match import play_match
from nim_envs import GameEnv, make_game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.scoring import (
    beatable_share,
    best_response,
    expected_scores,
    optimality,
    reachable,
)

GAMES = [
    make_game("nim", heaps=(3, 4, 5)),
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("nim", heaps=(5, 6), max_take=2, misere=True),
    make_game("addition", k=3, n=10),
    make_game("subtraction", heaps=(9, 8), subtraction_set=(2, 3)),
]
IDS = [game.summary for game in GAMES]


class Illegal:
    """Puts half of its probability on the first illegal action, the rest on legal ones."""

    def act(self, observation, action_mask, rng):
        return 0

    def action_probabilities(self, observations, action_masks):
        shares = RandomAgent().action_probabilities(observations, action_masks)
        rows = np.flatnonzero((action_masks == 0).any(axis=1))
        shares[rows] /= 2
        shares[rows, np.argmin(action_masks[rows], axis=1)] += 0.5
        return shares


def positions_of(game):
    """All positions, in lexicographic order."""
    return game.board.positions(np.arange(game.board.num_positions))


def score_by_hand(policy, game):
    """The definition, one position at a time, by the moves alone."""

    @functools.cache
    def wins(position):
        after = [after for _, after in game.moves(position)]
        return any(not wins(each) for each in after) if after else game.end_value(position) == 1

    shares, blunders = [], []
    for position in map(tuple, positions_of(game).tolist()):
        winning = [action for action, after in game.moves(position) if not wins(after)]
        if game.is_over(position) or not wins(position):
            continue
        mask = np.zeros((1, game.num_actions), dtype=np.int8)
        mask[0, game.actions(position)] = 1
        probabilities = policy.action_probabilities(np.array([position]), mask)[0]
        shares.append(probabilities[winning].sum())
        if not set(np.flatnonzero(probabilities == probabilities.max())) <= set(winning):
            blunders.append(list(position))
    return 100 * float(np.mean(shares)), len(shares), blunders


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_optimality_is_its_definition(game):
    policies = [RandomAgent(), EpsilonOptimalAgent(game, 0.3), OptimalAgent(game), Illegal()]
    for policy in policies:
        score = optimality(policy, game)
        percent, count, blunders = score_by_hand(policy, game)
        assert score.percent == pytest.approx(percent)
        assert score.count == count
        assert score.blunders.tolist() == blunders
        assert score.random_percent == pytest.approx(optimality(RandomAgent(), game).percent)
    assert optimality(policies[0], game).illegal_percent == 0


def test_the_set_of_positions_is_the_one_asked_for():
    game = make_game("addition", k=3, n=10)
    counts = {
        name: optimality(RandomAgent(), game, name).count
        for name in ("all", "reachable", "player_0", "player_1")
    }
    # N-positions: totals 0, 1, 3, 4, 5, 7, 8, 9; player_0 is never to move at 1, player_1 at 0.
    assert counts == {"all": 8, "reachable": 8, "player_0": 7, "player_1": 7}
    given = optimality(RandomAgent(), game, [[0], [2], [3]])
    assert (given.count, given.positions) == (2, "given")
    fixed = make_game("nim", heaps=(4, 4), start=(1, 1))
    assert optimality(RandomAgent(), fixed, "reachable").count == 2
    assert optimality(RandomAgent(), fixed, "all").count == 20
    nothing = optimality(RandomAgent(), fixed, [[1, 1]])
    assert nothing.count == 0
    assert math.isnan(nothing.percent)


def test_a_score_is_refused_where_it_cannot_be_exact():
    game = make_game("nim")
    with pytest.raises(ValueError, match="some"):
        optimality(RandomAgent(), game, "some")
    for wrong in ([[1, 2]], [(1, 2, 2), (1, 2)]):
        with pytest.raises(InvalidPositionError):
            optimality(RandomAgent(), game, wrong)
    with pytest.raises(SearchTooLargeError, match=f"{10**9} positions of nim"):
        optimality(RandomAgent(), game, sample=10**9)
    with pytest.raises(SearchTooLargeError, match=str(1001**3)):
        optimality(RandomAgent(), make_game("nim", heaps=(1000, 1000, 1000)))

    for score in (optimality, best_response):
        for nowhere in (RandomAgent(), "nim", gymnasium.make("CartPole-v1")):
            with pytest.raises(TypeError, match=r"nim_envs\.Game"):
                score(RandomAgent(), nowhere)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (optimality, f"{301**3} positions of 900 actions .* sample=10_000"),
        (best_response, f"{301**3} positions with 900 actions"),
        (beatable_share, f"{301**3} positions with 900 actions"),
    ],
)
def test_scoring_that_would_take_hours_is_refused_at_once(score, message):
    asked = []
    game = make_game("nim", heaps=(300, 300, 300))
    with pytest.raises(SearchTooLargeError, match=message):
        score(lambda observations, masks: asked.append(masks), game)
    assert asked == []


def test_reachable_positions_are_those_of_play():
    game = make_game("subtraction", heaps=(7, 4), subtraction_set=(2, 3))
    found = [set(), set()]

    def play(position, seat):
        if position not in found[seat]:
            found[seat].add(position)
            for _, after in game.moves(position):
                play(after, 1 - seat)

    play((7, 4), 0)
    by_seat = reachable(game.board, game.start_positions())
    for seat in (0, 1):
        members = positions_of(game)[by_seat[seat]].tolist()
        assert set(map(tuple, members)) == found[seat]


def test_win_chances_are_those_of_matches_and_of_the_best_response():
    game = make_game("nim", heaps=(2, 3), misere=True, start="uniform")
    epsilon = EpsilonOptimalAgent(game, 0.3)
    chances = expected_scores(RandomAgent(), epsilon, game)
    # A zero-sum game: one of the two wins.
    other = expected_scores(epsilon, RandomAgent(), game)
    assert chances.moving + other.waiting == pytest.approx(np.ones(12))
    best = best_response(epsilon, game)
    oracle = expected_scores(OptimalAgent(game), epsilon, game)
    assert (chances.moving <= best.moving + 1e-12).all()
    assert (oracle.moving <= best.moving + 1e-12).all()
    match = play_match(GameEnv(game), RandomAgent(), epsilon, 4_000, seed=0)
    starts = chances.graph.find(game.start_positions())
    expected = (chances.moving[starts].mean() + chances.waiting[starts].mean()) / 2
    low, high = match.interval
    assert low - 0.01 <= expected <= high + 0.01
