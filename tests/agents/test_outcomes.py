"""Players and evaluation on games with draws, against plain recursion."""

from __future__ import annotations

import numpy as np
import pytest

from agents import OptimalAgent, QuotientLearner, RandomAgent, SignedProducts
from agents.match import play_match, round_robin
from agents.players import HumanAgent, Quit
from agents.policy_tables import policy_table
from agents.research.column_automata.learner import ColumnAutomatonLearner
from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from nim_envs import GameEnv
from nim_envs.errors import InvalidGameError
from tests import outcome_games

SMALL = outcome_games.small_connect()


def position_of(entry):
    return entry.game.start


def mixed(position, number):
    """A number that depends on the position and the player, small enough for any array."""
    return sum((place + number) ** 2 * cell for place, cell in enumerate(position))


def nth_legal(number):
    def choose(observations, masks):
        return np.array(
            [
                np.flatnonzero(mask)[mixed(position.tolist(), number) % mask.sum()]
                for position, mask in zip(observations, masks, strict=True)
            ]
        )

    return choose


def result_of(entry, first, second):
    """Score of the first of two players of the n-th legal move, by plain recursion."""
    position, numbers = position_of(entry), (first, second)
    labels = sorted({label for at in entry.truth() for label, _ in entry.moves(at)})
    turn = 0
    while moves := sorted(entry.moves(position), key=lambda move: labels.index(move[0])):
        position = moves[mixed(position, numbers[turn % 2]) % len(moves)][1]
        turn += 1
    value = entry.outcome(position)
    return (1 + value * (1 if turn % 2 == 0 else -1)) / 2


def test_a_tournament_counts_wins_draws_and_losses():
    env, numbers = GameEnv(SMALL.game), range(6)
    found = round_robin(
        env, {str(n): nth_legal(n) for n in numbers}, 2, seed=0, progress=False
    ).points
    expected = [
        [
            0 if one == other
            else result_of(SMALL, one, other) + 1 - result_of(SMALL, other, one)
            for other in numbers
        ]
        for one in numbers
    ]  # fmt: skip
    assert found.tolist() == expected
    assert {0.5, 1.5} & set(np.ravel(expected).tolist())  # a draw in one of two games


def test_a_match_scores_draws_one_half():
    result = play_match(GameEnv(SMALL.game), OptimalAgent(SMALL.game), RandomAgent(), 400, seed=0)
    assert result.draws > 0
    assert result.win_rate == (sum(result.wins) + result.draws / 2) / 400
    assert f"{result.draws} drawn" in repr(result)
    assert result.interval[0] < result.win_rate < result.interval[1]


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


def test_what_needs_the_last_move_refuses_by_name():
    game = outcome_games.random_game(1).game
    for kind in (QuotientLearner, ColumnAutomatonLearner, SignedProducts):
        with pytest.raises(InvalidGameError, match=f"{kind.__name__}.*outcome of its own"):
            kind(game)
