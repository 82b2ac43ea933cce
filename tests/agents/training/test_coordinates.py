"""Learners on games with coordinates: both loops, truth, wrappers, visits and plots."""

from __future__ import annotations

import numpy as np
import pytest
from agents.tabular.compiled_games.self_play import compiled_self_play

import nim_envs
from agents import (
    DoubleQLearning,
    MonteCarloES,
    OptimalAgent,
    QLearning,
    WatkinsQLambda,
)
from agents.match import play_match
from agents.registry import LEARNERS
from agents.research.policy import PolicyAgent
from agents.training import train
from nim_envs import Game, GameEnv, make_game
from nim_envs.errors import InvalidPositionError
from nim_envs.rules import Convention, Rules, nim, sum_of
from nim_envs.scoring import best_response
from nim_envs.starts import UniformStart
from tests.agents.learning import CASES, contents
from tests.own_games import own_game


def two_queens():
    queen = own_game("wythoff").rules.components[0]
    return Game(Rules("queens", (queen, queen), initial=(7, 3)), Convention.NORMAL)


def mixed():
    rules = sum_of([own_game("fibonacci_nim").rules, nim(heaps=(2,))])
    return Game(rules, Convention.MISERE, UniformStart())


GAMES = {
    "wythoff": lambda: own_game("wythoff", starts="uniform"),
    "misère cram": lambda: own_game("cram", misere=True),
    "mixed": mixed,
}
KINDS = (
    "q-learning",  # from turns, by state
    "watkins-q-lambda",  # from whole games
    "real-time-dynamic-programming",  # by position
    "q-learning with replay",
    "sweeping",
)
"""Learners that use positions in different ways."""


def run(make, game, *, compiled):
    env = GameEnv(game)
    learners = make(env)
    env.reset(seed=0)
    assert compiled_self_play(env, (learners[0], learners[-1]), None) is not None
    players = learners if len(learners) == 2 else learners[0]
    log = train(env, players, 150, seed=3, progress=False, compiled=compiled)
    return log.winners.tolist(), log.lengths.tolist(), contents(learners)


@pytest.mark.parametrize("name", KINDS)
def test_both_loops_learn_the_same_tables(name):
    game = GAMES["wythoff" if "sweeping" in name else "mixed"]()
    assert run(CASES[name], game, compiled=True) == run(CASES[name], game, compiled=False)


@pytest.mark.parametrize("game", GAMES)
def test_q_learning_learns_the_same_tables_on_each_game(game):
    make = LEARNERS["q-learning"].make
    assert run(make, GAMES[game](), compiled=True) == run(make, GAMES[game](), compiled=False)


@pytest.mark.parametrize("name", ["q-learning", "real-time-dynamic-programming"])
def test_a_table_is_by_position_and_scored_by_observations(name):
    env = GameEnv(own_game("wythoff", starts="uniform"))
    (learner,) = LEARNERS[name].make(env)
    train(env, learner, 3000, seed=0, progress=False)
    assert learner.index.size == env.game.rules.num_positions
    score = nim_envs.optimality(learner.greedy(), env)
    assert score.percent == nim_envs.optimality(learner.greedy(), env.game).percent > 90
    everywhere = np.array([(0, 0), (3, 5)])
    masks = env.game.rules.action_mask(env.game.rules.positions_at(everywhere))
    by_position = learner.greedy().action_values(env.game.rules.positions_at(everywhere), masks)
    assert (learner.greedy().action_values(everywhere, masks) == by_position).all()


def of_spaces(kind, **arguments):
    """Make a learner for the spaces of an environment alone: its table is a box of coordinates."""

    def make(env):
        spaces = env.observation_space("player_0"), env.action_space("player_0")
        return (kind(*spaces, **arguments),)

    return make


@pytest.mark.parametrize("kind", [QLearning, DoubleQLearning, WatkinsQLambda, MonteCarloES])
@pytest.mark.parametrize("game", [*GAMES, "queens", "chomp"])
def test_learners_of_a_box_of_coordinates_play_compiled_games(kind, game):
    game = {"queens": two_queens, "chomp": lambda: make_game("chomp", misere=True)}.get(
        game, GAMES.get(game)
    )()
    make = of_spaces(kind)
    compiled = run(make, game, compiled=True)
    assert compiled == run(make, game, compiled=False)
    assert compiled[2] != contents(make(GameEnv(game)))
    (learner,) = make(GameEnv(game))
    assert learner.index.size == np.prod(game.rules.fields)
    assert not learner.fits(game) or learner.index.size == game.rules.num_positions
    both = lambda env: (*make(env), *make(env))  # noqa: E731
    if kind is QLearning:
        assert run(both, game, compiled=True) == run(both, game, compiled=False)


def test_optimal_players_networks_and_matches_see_coordinates():
    game = own_game("wythoff")
    env = GameEnv(game)
    seen = []

    def first(observations, masks):
        seen.append(observations.shape[1])
        return masks.argmax(axis=1)

    network = PolicyAgent(first, game)
    assert nim_envs.optimality(OptimalAgent(game), env).percent == 100
    match = play_match(env, OptimalAgent(game), network, games=20, seed=0, progress=False)
    assert match.win_rate > 0.5
    assert match.limit is not None
    assert set(seen) == {2}
    chances = best_response(OptimalAgent(game), env)
    assert chances.waiting[~game.solution.is_winning(game.rules.lattice())].all()


def test_a_position_that_there_is_not_is_named():
    env = GameEnv(own_game("fibonacci_nim"))
    learner = QLearning.for_env(env)
    with pytest.raises(InvalidPositionError, match=r"coordinates \(0, 7\)"):
        learner.greedy().act(np.array([0, 7]), np.ones(7, dtype=np.int8), np.random.default_rng(0))
