"""Players and evaluation on games with draws, against plain recursion."""

import numpy as np
import pytest

from agents import OptimalAgent, QuotientLearner, RandomAgent, SignedProducts
from agents.match import play_match, round_robin
from agents.players import HumanAgent, Quit
from agents.policy_tables import policy_table
from agents.research.column_automata.learner import ColumnAutomatonLearner
from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from nim_envs import GameEnv, game_from_moves
from nim_envs.errors import InvalidGameError
from tests import outcome_games

SMALL = outcome_games.small_connect()


def test_a_match_scores_draws_one_half():
    players = {"optimal": OptimalAgent(SMALL.game), "random": RandomAgent()}
    result = play_match(GameEnv(SMALL.game), *players.values(), 400, seed=0)
    assert result.draws > 0
    assert result.win_rate == (sum(result.wins) + result.draws / 2) / 400
    assert f"{result.draws} drawn" in repr(result)
    assert result.interval[0] < result.win_rate < result.interval[1]
    tournament = round_robin(GameEnv(SMALL.game), players, 50, seed=0, progress=False)
    assert tournament.points.sum() == 50
    assert (2 * tournament.points % 2 == 1).any()  # an odd number of draws


@pytest.mark.parametrize("name", ["connect-3-small", "dominoes"])
def test_players_keep_the_value(name):
    entry = outcome_games.GAMES[name]()
    truth, rng = entry.truth(), np.random.default_rng(0)
    env = GameEnv(entry.game)
    oracle = OptimalAgent(entry.game)
    searchers = [AlphaBetaAgent(env, depth=None), OutcomeSearchAgent(env), MinimaxAgent(env)]
    some = [
        position for position in truth if entry.moves(position) and sum(map(bool, position)) > 3
    ]
    for position in [some[i] for i in rng.choice(len(some), 30)]:
        env.reset(options={"start": position})
        observed = env.observe(env.agent_selection)
        arguments = observed["observation"], observed["action_mask"], rng
        for player in (oracle, *searchers):
            after = entry.game.play(position, player.act(*arguments))
            assert -truth[after] == truth[position]
        assert {player.value(env) for player in searchers} == {truth[position]}


def test_draws_are_named_in_tables_and_hints():
    oracle = OptimalAgent(outcome_games.tic_tac_toe().game)
    start = np.array([oracle.game.start])
    table = policy_table(oracle, oracle.game, start)
    assert "drawn position" in table
    assert table.count("draws") == 9
    said = []
    answers = iter(["hint", "quit"])
    human = HumanAgent(oracle.game, lambda prompt: next(answers), said.append)
    with pytest.raises(Quit):
        human.act(np.zeros(9, dtype=int), np.ones(9, dtype=np.int8), np.random.default_rng(0))
    assert said[0].startswith("Keeping the draw: ")


def test_a_number_alone_chooses_the_move_that_is_named_by_it():
    game = game_from_moves(
        "house", (5,), lambda at: [(f"take {n}", (at[0] - n,)) for n in (1, 3, 4) if n <= at[0]]
    )
    human = HumanAgent(game, lambda prompt: "3")
    action = human.act(np.array([5]), np.ones(3, dtype=np.int8), np.random.default_rng(0))
    assert game.describe(action) == "take 3"


def test_what_needs_the_last_move_refuses_by_name():
    game = outcome_games.random_game(1).game
    for kind in (QuotientLearner, ColumnAutomatonLearner, SignedProducts):
        with pytest.raises(InvalidGameError, match=f"{kind.__name__}.*outcome of its own"):
            kind(game)
