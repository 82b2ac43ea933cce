"""Search players on games with independently known solutions."""

import numpy as np
import pettingzoo
import pytest

from agents import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent, RandomAgent
from agents.match import play_match
from tests.pairwise import in_turn

SEARCHERS = [MinimaxAgent, AlphaBetaAgent, OutcomeSearchAgent]
SMALL = [
    ("nim", {"heaps": (2, 3)}),
    ("misere_nim", {"heaps": (1, 2, 2)}),
    ("addition", {"k": 2, "n": 5}),
    ("subtraction", {"heaps": (6, 3), "subtraction_set": (2, 3)}),
    ("kayles", {"heaps": (4,)}),
    ("graph", {"successors": ((), (0,), (1,), (0, 2), (1, 3)), "tokens": (4, 2), "misere": True}),
    ("sum", {"games": (("kayles", {"heaps": (3,)}), ("nim", {"heaps": (1,)})), "misere": True}),
]


def after(env, actions):
    env.reset()
    for action in actions:
        env.step(action)
    return env


@pytest.mark.parametrize(("game", "make"), in_turn(SMALL, SEARCHERS))
def test_searchers_know_every_position_of_small_games(game, make):
    name, arguments = game
    env = pettingzoo.make("aec", f"nim_envs/{name}", **arguments)
    solution, board = env.game.solution, env.game.board
    agent = make(env)
    for seat in env.possible_agents:
        for row, position in enumerate(board.coordinates):
            if board.ends[row]:
                continue
            env.set_position(position, agent=seat)
            winning = solution.winning_actions(position).tolist()
            legal = board.actions(row)
            assert agent.value(env) == (1 if winning else -1)
            assert agent.best_actions(env) == (winning or legal)
            assert env.position.tolist() == position.tolist()


def test_tictactoe_is_a_draw_in_which_the_search_never_loses():
    env = after(pettingzoo.make("aec", "classic/tictactoe-v3"), [])
    agent = OutcomeSearchAgent(env)
    assert agent.value(env.unwrapped) == 0
    assert agent.best_actions(env.unwrapped) == list(range(9))
    # 5,478 positions, of which 958 are over and the first is not asked for by its value.
    assert len(agent.values) == 5478 - 958 - 1
    draws = play_match(env, agent, agent, 10, seed=0)
    assert draws.draws == 10
    result = play_match(env, agent, RandomAgent(), 60, seed=1)
    assert sum(result.wins) + result.draws == 60
    assert sum(result.wins) > 30


@pytest.mark.parametrize("make", [MinimaxAgent, AlphaBetaAgent])
def test_connect_four_to_a_depth_with_an_evaluation(make):
    def centre(env, agent):
        own = env.observe(agent)["observation"][:, :, 0]
        return 0.01 * float(own[:, 3].sum())

    env = pettingzoo.make("aec", "classic/connect_four-v3")
    # Three in a row at the bottom for the player to move: 3 wins at once.
    after(env, [0, 0, 1, 1, 2, 2])
    agent = make(env, depth=2, evaluate=centre)
    assert agent.best_actions(env.unwrapped) == [3]
    assert agent.value(env.unwrapped) == 1
    # The other player is to move against three in a row: it must block at 3.
    after(env, [0, 0, 1, 1, 2])
    assert make(env, depth=2, evaluate=centre).best_actions(env.unwrapped) == [3]
    # Nothing forced: the evaluation prefers the middle.
    after(env, [])
    assert make(env, depth=1, evaluate=centre).best_actions(env.unwrapped) == [3]


def test_a_searcher_refuses_another_position_than_its_environments():
    env = after(pettingzoo.make("aec", "nim_envs/nim"), [])
    seen = env.observe("player_0")
    agent = AlphaBetaAgent(env)
    with pytest.raises(ValueError, match="not at this position"):
        agent.act(seen["observation"] - 1, seen["action_mask"], np.random.default_rng(0))
    with pytest.raises(ValueError, match="0"):
        AlphaBetaAgent(env, depth=0)
