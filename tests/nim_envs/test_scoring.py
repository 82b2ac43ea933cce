"""Scores are exact: they equal their definitions, by the rules alone."""

from __future__ import annotations

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
    optimality_by_size,
    value_accuracy,
)
from tests.pairwise import in_turn

GAMES = [
    make_game("nim", heaps=(3, 4, 5)),
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("nim", heaps=(5, 6), max_take=2, misere=True),
    make_game("addition", k=3, n=10),
    make_game("subtraction", heaps=(9, 8), subtraction_set=(2, 3)),
]
IDS = [f"{game.rules.name}-{game.convention.value}" for game in GAMES]


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


def score_by_hand(policy, game, positions):
    """The definition, one position at a time, by the rules alone."""

    @functools.cache
    def wins(position):
        here = np.array(position)
        after = [
            tuple(game.rules.step(here, action).tolist())
            for action in np.flatnonzero(game.rules.action_mask(here))
        ]
        if not after:
            return game.convention.winner(last_mover=1) == 0
        return any(not wins(option) for option in after)

    shares, blunders = [], []
    for position in positions.tolist():
        here = np.array(position)
        mask = game.rules.action_mask(here)
        if not mask.any() or not wins(tuple(position)):
            continue
        probabilities = policy.action_probabilities(here[None], mask[None])[0]
        winning = [
            bool(legal) and not wins(tuple(game.rules.step(here, action).tolist()))
            for action, legal in enumerate(mask)
        ]
        shares.append(probabilities[winning].sum())
        likeliest = np.flatnonzero(probabilities == probabilities.max())
        if not all(winning[action] for action in likeliest):
            blunders.append(position)
    return 100 * float(np.mean(shares)), len(shares), blunders


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_optimality_is_its_definition(game):
    policies = [RandomAgent(), EpsilonOptimalAgent(game, 0.3), OptimalAgent(game), Illegal()]
    for policy in policies:
        score = optimality(policy, game)
        percent, count, blunders = score_by_hand(policy, game, game.rules.lattice())
        assert score.percent == pytest.approx(percent)
        assert score.count == count
        assert score.blunders.tolist() == blunders
        assert score.random_percent == pytest.approx(optimality(RandomAgent(), game).percent)
    assert optimality(policies[0], game).illegal_percent == 0


def test_illegal_moves_are_counted_apart():
    game = make_game("nim", heaps=(2, 3))
    assert optimality(Illegal(), game).illegal_percent > 20


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
    with pytest.raises(InvalidPositionError):
        optimality(RandomAgent(), game, [[1, 2]])
    with pytest.raises(SearchTooLargeError, match=str(1001**3)):
        optimality(RandomAgent(), make_game("nim", heaps=(1000, 1000, 1000)))

    for score in (optimality, best_response):
        for nothing in (3, None, OptimalAgent):
            with pytest.raises(TypeError, match="action_probabilities, move or act"):
                score(nothing, game)
        for nowhere in (RandomAgent(), "nim", gymnasium.make("CartPole-v1")):
            with pytest.raises(TypeError, match=r"nim_envs\.Game"):
                score(RandomAgent(), nowhere)


@pytest.mark.parametrize("score", [optimality, best_response, beatable_share])
def test_scoring_that_would_take_hours_is_refused_at_once(score):
    asked = []
    game = make_game("nim", heaps=(300, 300, 300))
    with pytest.raises(SearchTooLargeError, match=f"{301**3} positions of 900 actions") as caught:
        score(lambda observations, masks: asked.append(masks), game)
    assert "sample=10_000" in str(caught.value)
    assert asked == []


def test_scores_by_size_add_up_to_the_whole():
    game = make_game("nim", heaps=(3, 4, 5))
    policy = EpsilonOptimalAgent(game, 0.4)
    scores = optimality_by_size(policy, game)
    whole = optimality(policy, game)
    counts = [score.count for score in scores.values()]
    assert list(scores) == sorted(scores)
    assert sum(counts) == whole.count
    assert np.average([s.percent for s in scores.values()], weights=counts) == pytest.approx(
        whole.percent
    )
    # A single object: one heap of 1, which is taken by the one legal move.
    assert (scores[1].count, scores[1].percent) == (3, 100)


def test_value_accuracy_is_not_fooled_by_always_saying_n():
    game = make_game("nim", heaps=(10, 10, 10))
    lattice = game.rules.lattice()
    always = value_accuracy(np.ones(len(lattice), dtype=bool), game)
    assert (always.balanced, always.n_recall, always.p_recall) == (0.5, 1.0, 0.0)
    assert always.plain > 0.9
    truth = value_accuracy(game.solution.is_winning(lattice), game)
    assert (truth.balanced, truth.plain) == (1.0, 1.0)
    by_hand = value_accuracy(lattice[:, 0] > 4, game)
    playable = lattice[1:]
    winning = np.bitwise_xor.reduce(playable, axis=1) != 0
    said = playable[:, 0] > 4
    assert by_hand.n_recall == pytest.approx((said & winning).sum() / winning.sum())
    assert by_hand.p_recall == pytest.approx((~said & ~winning).sum() / (~winning).sum())
    with pytest.raises(ValueError, match="1331"):
        value_accuracy(np.ones(3, dtype=bool), game)


@pytest.mark.parametrize(
    ("game", "choice", "lost_choice"),
    in_turn(GAMES, ["random", "first"], ["random", "smallest"]),
)
def test_the_oracle_scores_100_and_never_loses_from_an_n_position(game, choice, lost_choice):
    oracle = OptimalAgent(game, choice=choice, lost_choice=lost_choice)
    score = optimality(oracle, game)
    assert score.percent == 100
    assert len(score.blunders) == 0
    response = best_response(oracle, game)
    lattice = game.rules.lattice()
    winning = game.solution.is_winning(lattice)
    playable = ~game.rules.is_terminal(lattice)
    # Its opponent, knowing it and playing best, wins from no N-position of the oracle's
    # and from every N-position of its own.
    assert (response.waiting[winning & playable] == 0).all()
    assert (response.moving[winning & playable] == 1).all()
    assert (response.moving[~winning & playable] == 0).all()


def test_a_best_response_to_the_random_player_is_its_definition():
    game = make_game("subtraction", heaps=(6, 3), subtraction_set=(1, 3), misere=True)
    policy = EpsilonOptimalAgent(game, 0.4)

    @functools.cache
    def value(position, responding):
        here = np.array(position)
        mask = game.rules.action_mask(here)
        actions = np.flatnonzero(mask)
        if not len(actions):
            # Whoever cannot move has won: this is misère play.
            return float(responding)
        after = [
            value(tuple(game.rules.step(here, action).tolist()), not responding)
            for action in actions
        ]
        if responding:
            return max(after)
        return float(policy.action_probabilities(here[None], mask[None])[0][actions] @ after)

    response = best_response(policy, game)
    for index, position in enumerate(game.rules.lattice().tolist()):
        assert response.moving[index] == pytest.approx(value(tuple(position), True))
        assert response.waiting[index] == pytest.approx(value(tuple(position), False))


def test_the_oracle_cannot_be_beaten_and_the_random_player_nearly_always():
    game = make_game("misere_nim", heaps=(1, 3, 5))
    assert beatable_share(OptimalAgent(game), game) == 0
    assert beatable_share(EpsilonOptimalAgent(game, 0.01), game) > 0.8
    assert beatable_share(RandomAgent(), game) > 0.8


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
    starts = game.rules.indices(game.start_positions())
    expected = (chances.moving[starts].mean() + chances.waiting[starts].mean()) / 2
    low, high = match.interval
    assert low - 0.01 <= expected <= high + 0.01
