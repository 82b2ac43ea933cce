"""Scores are exact, and matches report what they should."""

from __future__ import annotations

import functools
import math

import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from agents.evaluation import best_response, optimality, play_match, wilson_interval
from nim_envs import make_game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.starts import UniformStart

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

    shares, fumbles = [], []
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
            fumbles.append(position)
    return 100 * float(np.mean(shares)), len(shares), fumbles


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_optimality_is_its_definition(game):
    policies = [RandomAgent(), EpsilonOptimalAgent(game, 0.3), OptimalAgent(game), Illegal()]
    for policy in policies:
        score = optimality(policy, game)
        percent, count, fumbles = score_by_hand(policy, game, game.rules.lattice())
        assert score.percent == pytest.approx(percent)
        assert score.count == count
        assert score.fumbles.tolist() == fumbles
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
    # N-positions: totals 0, 1, 3, 4, 5, 7, 8, 9; seat I never faces 1, seat II never 0.
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

    class Mute:
        def act(self, observation, action_mask, rng):
            return 0

    for score in (optimality, best_response):
        with pytest.raises(TypeError, match="action_probabilities"):
            score(Mute(), game)


@pytest.mark.parametrize("lost_choice", ["random", "smallest"])
@pytest.mark.parametrize("choice", ["random", "first"])
@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_the_oracle_scores_100_and_never_loses_from_an_n_position(game, choice, lost_choice):
    oracle = OptimalAgent(game, choice=choice, lost_choice=lost_choice)
    score = optimality(oracle, game)
    assert score.percent == 100
    assert len(score.fumbles) == 0
    response = best_response(oracle, game)
    lattice = game.rules.lattice()
    winning = game.solution.is_winning(lattice)
    playable = ~game.rules.is_terminal(lattice)
    # Its opponent, knowing it and playing best, wins from no N-position of the oracle's
    # and from every N-position of its own.
    assert (response.waiting[winning & playable] == 0).all()
    assert (response.moving[winning & playable] == 1).all()
    assert (response.moving[~winning & playable] == 0).all()


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_the_oracle_acts_as_its_probabilities_say(game):
    rng = np.random.default_rng(0)
    for choice in ("random", "first"):
        for lost_choice in ("random", "smallest"):
            oracle = OptimalAgent(game, choice=choice, lost_choice=lost_choice)
            for position in game.rules.lattice()[1::7]:
                mask = game.rules.action_mask(position)
                if not mask.any():
                    continue
                probabilities = oracle.action_probabilities(position[None], mask[None])[0]
                acts = {oracle.act(position, mask, rng) for _ in range(40)}
                assert acts <= set(np.flatnonzero(probabilities).tolist())
                winning = game.solution.winning_actions(position).tolist()
                if winning and choice == "first":
                    assert acts == {winning[0]}
                if not winning and lost_choice == "smallest":
                    (act,) = acts
                    slots = np.flatnonzero(mask) % game.rules.num_options
                    assert act % game.rules.num_options == slots.min()


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


def test_epsilon_optimal_plays_at_random_that_often():
    game = make_game("nim", heaps=(7, 1))
    position = np.array([7, 1])
    mask = game.rules.action_mask(position)
    agent = EpsilonOptimalAgent(game, 0.5)
    rng = np.random.default_rng(0)
    wins = [agent.act(position, mask, rng) == 5 for _ in range(4000)]
    expected = 0.5 + 0.5 / 8
    assert abs(np.mean(wins) - expected) < 5 * (expected * (1 - expected) / 4000) ** 0.5
    with pytest.raises(ValueError, match=r"1\.5"):
        EpsilonOptimalAgent(game, 1.5)


def test_the_oracle_refuses_unknown_choices():
    game = make_game("nim")
    with pytest.raises(ValueError, match="best"):
        OptimalAgent(game, choice="best")
    with pytest.raises(ValueError, match="largest"):
        OptimalAgent(game, lost_choice="largest")


def test_a_match_alternates_seats_and_states_the_attainable_limit():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(10, 10, 10), start="uniform")
    oracle = OptimalAgent(env.game)
    result = play_match(env, oracle, oracle, 400, seed=1)
    assert result.games_by_seat == (200, 200)
    assert result.draws == 0
    # Moving first from a uniform start nobody beats the oracle from a P-position; moving
    # second nobody beats it from an N-position.
    positions = env.game.start_positions()
    share = env.game.solution.is_winning(positions).mean()
    assert result.limit == pytest.approx((share + (1 - share)) / 2)
    first_only = play_match(env, oracle, oracle, 1, seed=1)
    assert first_only.limit == pytest.approx(share)
    low, high = result.interval
    assert low < result.win_rate < high
    assert result.win_rate == sum(result.wins) / 400


def test_the_limit_from_the_box_1_to_10_is_its_share_of_n_positions():
    game = make_game("nim", heaps=(10, 10, 10), start=UniformStart(low=1))
    ten = range(1, 11)
    lost = sum(i ^ j == k for i in ten for j in ten for k in ten)
    assert lost == 60
    response = best_response(OptimalAgent(game), game)
    starts = game.rules.indices(game.start_positions())
    assert response.moving[starts].mean() == pytest.approx(0.94)
    assert response.waiting[starts].mean() == pytest.approx(0.06)


def test_matches_have_no_limit_where_none_can_be_computed():
    class Mute:
        def act(self, observation, action_mask, rng):
            return int(np.flatnonzero(action_mask)[0])

    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 2))
    assert play_match(env, RandomAgent(), Mute(), 4, seed=0).limit is None
    encoded = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 2), encoding="one_hot")
    assert play_match(encoded, RandomAgent(), RandomAgent(), 4, seed=0).limit is None
    tictactoe = pettingzoo.make("aec", "classic/tictactoe-v3")
    result = play_match(tictactoe, RandomAgent(), RandomAgent(), 200, seed=0)
    assert result.limit is None
    assert result.draws > 0
    with pytest.raises(ValueError, match="0"):
        play_match(env, RandomAgent(), RandomAgent(), 0, seed=0)


def test_the_same_seed_plays_the_same_match():
    env = pettingzoo.make("aec", "nim_envs/misere_nim", start="uniform")
    agents = RandomAgent(), EpsilonOptimalAgent(env.game, 0.5)
    first, second = (play_match(env, *agents, 50, seed=9) for _ in "12")
    assert first == second


@given(trials=st.integers(1, 5000), data=st.data(), confidence=st.floats(0.5, 0.999))
def test_wilson_intervals_equal_scipys(trials, data, confidence):
    successes = data.draw(st.integers(0, trials))
    theirs = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    ours = wilson_interval(successes, trials, confidence)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_refuses_what_is_no_proportion():
    for bad in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(ValueError, match=str(bad[0])):
            wilson_interval(*bad)
    with pytest.raises(ValueError, match=r"1\.2"):
        wilson_interval(1, 2, 1.2)
