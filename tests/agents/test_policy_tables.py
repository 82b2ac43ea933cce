"""Tables and games as text show the right data."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import OptimalAgent, RandomAgent, WinLossRatio
from agents.match import sample_game
from agents.policy_tables import game_text, policy_summary, policy_table
from agents.training import train
from nim_envs import make_game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.scoring import optimality

ENV = pettingzoo.make(
    "aec", "nim_envs/subtraction-v0", heaps=(6,), subtraction_set=(1, 2), misere=True
)


def test_the_table_has_every_legal_move_of_every_position():
    agent = WinLossRatio(ENV.game)
    train(ENV, agent, 3_000, seed=0, progress=False)
    lines = [line.split() for line in policy_table(agent, ENV.game).splitlines()]
    table = [line for line in lines if "take" in line]
    assert len(table) == 1 + 5 * 2  # one object leaves one move, two to six leave two
    assert [line[0] for line in lines if line and line[0].isdigit()] == list("123456")
    position, counts = 0, []
    for line in filter(None, lines):
        position = int(line[0]) if line[0].isdigit() else position
        if "take" not in line:
            continue
        option = int(line[line.index("take") + 1]) - 1
        wins, losses = (float(count) for count in line[-3:-1])
        assert (wins, losses) == (
            agent.state.wins[position, option],
            agent.state.losses[position, option],
        )
        counts.append(wins + losses)
        wins_by_theory = (position - 1 - (option + 1)) % 3 == 0
        assert line[-1] == ("wins" if wins_by_theory else "loses")
    assert sum(counts) == agent.state.wins.sum() + agent.state.losses.sum() > 3_000
    score = optimality(agent.greedy(), ENV.game)
    assert policy_summary(agent, ENV.game) == (
        f"The best move wins at {score.count - len(score.blunders)} of {score.count} N-positions."
    )


def test_agents_and_positions_without_a_table_are_refused():
    game = make_game("nim", heaps=(20, 20, 20))
    with pytest.raises(SearchTooLargeError, match="9261"):
        policy_table(RandomAgent(), game)
    assert "20 20 20" in policy_table(RandomAgent(), game, [[20, 20, 20]])
    for bad in ([[20, 20, 21]], [[1, 2]], [[0, 0, 0]]):
        with pytest.raises(InvalidPositionError):
            policy_table(RandomAgent(), game, bad)
    with pytest.raises(TypeError, match="action_probabilities"):
        policy_table(object(), game)


def test_a_sample_game_is_legal_repeatable_and_won_by_whom_it_says():
    game = make_game("misere_nim", heaps=(1, 3, 2), start="uniform")
    policies = (OptimalAgent(game), RandomAgent())
    winners = set()
    for seed in range(30):
        played = sample_game(policies, game, seed=seed)
        position = played.moves[0].position
        for number, move in enumerate(played.moves):
            assert move.seat == number % 2
            assert move.position == position
            mask = game.board.mask(game.board.state(position))
            assert (move.action_mask == mask).all()
            assert mask[move.action]
            chances = policies[move.seat].action_probabilities(np.array([position]), mask[None])[0]
            assert move.probabilities.tolist() == chances.tolist()
            assert move.probabilities[move.action] > 0
            assert np.flatnonzero(move.values == 1).tolist() == (
                game.solution.winning_actions(position).tolist()
            )
            position = game.play(position, move.action)
        assert played.final == position
        assert not any(position)
        assert played.winner == len(played.moves) % 2  # who took the last object has lost
        if game.solution.is_winning(played.moves[0].position):
            assert played.winner == 0
        winners.add(played.winner)
        again = sample_game(policies, game, seed=seed)
        assert [m.action for m in again.moves] == [m.action for m in played.moves]
    assert winners == {0, 1}


def test_a_game_is_shown_with_heaps_probabilities_and_what_was_played():
    game = make_game("nim", heaps=(1, 2))
    played = sample_game((OptimalAgent(game), RandomAgent()), game, seed=0)
    shown = game_text(game, played)
    assert "move 1: player_0 to move at an N-position" in shown
    assert "heap 1  2  oo" in shown
    assert "move 2: player_1 to move at a P-position" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert ["heap", "1:", "take", "1", "100.0", "%", "wins", "played"] in lines
    assert ["heap", "0:", "take", "1", "0.0", "%", "loses"] in lines
    assert sum("played" in line for line in lines) == len(played.moves) == 3
    assert "player_0 has won" in shown
