"""Tables as text show the right data."""

import numpy as np
import pettingzoo
import pytest

from agents import RandomAgent, WinLossRatio
from agents.policy_tables import policy_table
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
    position, best = 0, 0
    for line in filter(None, lines):
        position = int(line[0]) if line[0].isdigit() else position
        if "take" not in line:
            continue
        number = int(line[line.index("take") + 1])
        mask = np.array([[1, position > 1]], dtype=np.int8)
        shares = agent.action_probabilities(np.array([[position]]), mask)
        assert line[-3:-1] == [f"{100 * shares[0, number - 1]:.1f}", "%"]
        wins_by_theory = (position - 1 - number) % 3 == 0
        assert line[-1] == ("wins" if wins_by_theory else "loses")
        best += wins_by_theory and "best" in line
    score = optimality(agent.greedy(), ENV.game)
    assert best == score.count - len(score.blunders)


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
