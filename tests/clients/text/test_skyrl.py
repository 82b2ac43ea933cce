"""Environments of skyrl-gym play whole games in text, with a reward for every turn."""

from __future__ import annotations

import copy

import pytest
import skyrl_gym
from skyrl_gym.metrics import aggregate_for_environment

from nim_envs import make_game, register_game
from nim_envs.adapters.skyrl import SkyRLTextEnv
from nim_envs.errors import InvalidPositionError, ResetNeededError
from nim_envs.registered_games import remove
from nim_envs.text import disguised, move_text, prompt, rules_text
from tests.outcome_games import tic_tac_toe

BOARD = {"game": "nim", "arguments": {"heaps": (1, 2, 3)}}
NIM = make_game("nim", heaps=(1, 2, 3))
SYSTEM = {"role": "system", "content": "Play to win."}


@pytest.fixture
def registered():
    before = copy.copy(skyrl_gym.envs.registration.registry)
    skyrl_gym.register(
        id="nim_text",
        entry_point="nim_envs.adapters.skyrl:SkyRLTextEnv",
        kwargs={**BOARD, "seat": 0, "start": "n_position"},
    )
    yield "nim_text"
    skyrl_gym.envs.registration.registry.clear()
    skyrl_gym.envs.registration.registry.update(before)


def winning_move(position):
    wins = NIM.solution.winning_mask(position)
    return move_text(NIM, position, int(wins.argmax()))


def played(env):
    """Play a game by winning moves; return the steps."""
    env.init([SYSTEM])
    steps = []
    while not steps or not steps[-1]["done"]:
        steps.append(env.step(winning_move(env._play.position)))
    return steps


def test_a_game_played_by_winning_moves_is_paid_at_every_turn_and_won(registered):
    env = skyrl_gym.make(registered, extras={"seed": 3, "data_source": "ignored"})
    steps = played(env)
    assert [step["reward"] for step in steps] == [1.0] * len(steps)
    assert steps[-1]["observations"] == []
    assert steps[-1]["metadata"] == {"verdict": "kept_win", "result": 1.0}
    assert env.get_metrics() == {"won": 1.0, "kept_win": 1.0}
    assert aggregate_for_environment(registered, [env.get_metrics(), {"won": 0.0}])["won"] == 0.5


def test_the_result_alone_is_paid_at_the_end():
    steps = played(SkyRLTextEnv(**BOARD, start="n_position", seat=0, rewards="result"))
    assert len(steps) > 1
    assert [step["reward"] for step in steps] == [0.0] * (len(steps) - 1) + [1.0]


def test_a_row_begins_at_its_position_and_the_conversation_goes_on():
    env = SkyRLTextEnv(extras={"position": [1, 2, 1]}, **BOARD, seat=0)
    messages, metadata = env.init([SYSTEM])
    assert messages[0] == SYSTEM
    assert messages[1]["role"] == "user"
    assert messages[1]["content"] == prompt(NIM, (1, 2, 1), "sentences")
    assert metadata == {}
    step = env.step("heap 1: take 1")
    [message] = step["observations"]
    assert message["role"] == "user"
    assert message["content"].startswith("I play heap ")
    assert message["content"].endswith(prompt(NIM, env._play.position, "position"))
    assert "In each turn" not in message["content"]


def test_short_prompts_follow_the_rules():
    env = SkyRLTextEnv(extras={"position": [1, 2, 1]}, **BOARD, seat=0, style="short")
    [message] = env.init([])[0]
    rules, first = message["content"].splitlines()
    assert rules.startswith(rules_text(NIM))
    assert first == prompt(NIM, (1, 2, 1))


def test_the_same_row_gives_the_same_game():
    row = {"seed": 5}
    first, second = (SkyRLTextEnv(extras=row, **BOARD, seat="random") for _ in range(2))
    assert first.init([]) == second.init([])


def test_replies_that_are_no_moves_are_asked_again_and_then_lose():
    env = SkyRLTextEnv(extras={"position": (1, 2, 1)}, **BOARD, seat=0, retries=1)
    env.init([])
    asked = env.step("I pass")
    assert (asked["reward"], asked["done"]) == (0.0, False)
    assert asked["observations"][0]["content"].startswith("That is no move: ")
    lost = env.step("heap 7: take 1")
    assert (lost["reward"], lost["done"], lost["observations"]) == (0.0, True, [])
    assert lost["metadata"] == {"verdict": "illegal", "result": -1.0}
    with pytest.raises(ResetNeededError):
        env.step("heap 0: take 1")


def test_a_disguised_game_is_played_in_its_own_words():
    env = SkyRLTextEnv(extras={"position": (1, 2, 1)}, **BOARD, seat=0, disguise=4)
    messages, _ = env.init([])
    hidden = disguised(NIM, 4)
    assert messages[0]["content"] == prompt(hidden, (1, 2, 1), "sentences")
    assert env.step(move_text(hidden, (1, 2, 1), 4))["reward"] == 1.0


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"one of \('turn', 'result'\), not 'both'"):
        SkyRLTextEnv(**BOARD, rewards="both")
    with pytest.raises(InvalidPositionError, match="9"):
        SkyRLTextEnv(extras={"position": (9, 9, 9)}, **BOARD).init([])


def test_a_drawn_game_is_paid_half_at_each_turn_and_nothing_at_its_end():
    game = tic_tac_toe().game
    register_game("noughts", game)
    try:
        rules = "Mark an empty cell; three marks in a row win"
        for rewards in ("turn", "result"):
            env = SkyRLTextEnv(game="noughts", rules=rules, seat=0, rewards=rewards)
            messages, _ = env.init([])
            assert rules in messages[0]["content"]
            steps = []
            while not steps or not steps[-1]["done"]:
                here = env._play.position
                steps.append(
                    env.step(move_text(game, here, game.solution.keeping_actions(here)[0]))
                )
            paid = [step["reward"] for step in steps]
            assert paid == [0.5 if rewards == "turn" else 0.0] * 5
            assert steps[-1]["metadata"] == {"verdict": "kept_draw", "result": 0.0}
            assert env.get_metrics() == {"won": 0.0, "drawn": 1.0, "kept_win": 0.5}
    finally:
        remove("noughts")
