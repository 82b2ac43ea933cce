"""TRL trains on replies and on whole games, and what it trains is scored exactly."""

import inspect

import numpy as np
import pytest
import torch
from transformers.utils import get_json_schema

from nim_envs import make_game
from nim_envs.adapters.trl import game_environment, kept_win, legal_move, positions_dataset
from nim_envs.errors import InvalidPositionError
from nim_envs.text import TextGame, disguised, move_text, prompt
from tests.clients.tutorials import run_tutorial

NIM = make_game("nim", heaps=(1, 2, 3))


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory):
    torch.set_num_threads(1)
    return run_tutorial("trl", tmp_path_factory.mktemp("trl"))


def test_the_tutorial_trains_a_model_that_it_then_scores(tutorial):
    taught, trained = tutorial["taught"], tutorial["trained"]
    assert taught.count == trained.count == 18
    assert taught.illegal + taught.format < 20
    assert trained.percent > taught.percent + 10
    assert trained.percent > trained.random_percent + 15
    rewards = tutorial["trainer"].state.log_history
    assert rewards


def test_the_tutorials_whole_games_were_played_by_calling_the_tool(tutorial):
    trainer = tutorial["games"]
    steps = [entry for entry in trainer.state.log_history if "tools/call_frequency" in entry]
    assert len(steps) == 2
    assert all(entry["tools/call_frequency"] > 1 for entry in steps)
    assert all(entry["tools/failure_frequency"] == 0 for entry in steps)
    paid = [environment.get_reward() for environment in trainer.environments]
    assert steps[-1]["reward"] == pytest.approx(np.mean(paid))
    assert set(paid) <= {1.0, -1.0}
    for environment in trainer.environments:
        assert environment.turns[-1].over
        turns = TextGame(NIM, "random", seat=0).replay(environment.transcript)
        assert turns == environment.turns


def test_rows_are_all_n_positions_or_those_given():
    rows = positions_dataset(NIM)
    every = np.stack(np.unravel_index(np.arange(NIM.board.num_positions), NIM.fields), axis=-1)
    assert rows["position"] == every[NIM.solution.is_winning(every)].tolist()
    assert rows["prompt"] == [prompt(NIM, position) for position in rows["position"]]
    hidden = disguised(NIM, 1)
    talk = positions_dataset(hidden, [[1, 1, 0]], style="sentences", conversational=True)
    assert talk["prompt"] == [[{"role": "user", "content": prompt(hidden, (1, 1, 0), "sentences")}]]
    with pytest.raises(InvalidPositionError):
        positions_dataset(NIM, [[9, 9, 9]])


@pytest.mark.parametrize("talks", [False, True], ids=["texts", "messages"])
def test_rewards(talks):
    said = ["heap 2: take 3", "heap 2: take 1", "heap 0: take 1", "heap 0: take 3", "x"]
    positions = [[1, 1, 3], [1, 1, 3], [1, 1, 0], [1, 1, 0], [1, 1, 3]]
    if talks:
        said = [[{"role": "assistant", "content": text}] for text in said]
    columns = {"completions": said, "position": positions, "prompts": ["?"] * 5, "more": [0] * 5}
    assert kept_win(NIM)(**columns) == [1.0, 0.0, None, 0.0, 0.0]
    assert legal_move(NIM)(**columns) == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert kept_win(NIM).__name__ == "kept_win"
    assert kept_win(NIM, last_line=True)(["So: heap 2: take 3"], [[1, 1, 3]]) == [1.0]
    assert kept_win(NIM)([[]], [[1, 1, 3]]) == [0.0]


def test_environments_are_tools_with_a_schema_and_have_games_of_their_own():
    make = game_environment(NIM, opponent="random", start="uniform")
    one, other = make(), make()
    tools = [
        name
        for name, _ in inspect.getmembers(type(one), inspect.isfunction)
        if not name.startswith("_")
    ]
    assert tools == ["get_reward", "move", "reset"]
    schema = get_json_schema(one.move)["function"]
    assert schema["parameters"]["required"] == ["move"]
    assert [one.reset(prompt="?") for _ in range(5)] != [other.reset() for _ in range(5)]
    first = one.reset(position=[1, 1, 0])
    assert "heap <number>: take <number>" in first
    assert "Whoever makes the last move wins" in first


@pytest.mark.parametrize(("rewards", "expected"), [("result", [-1.0, -1.0]), ("turn", [0.0, 0.5])])
def test_rewards_of_a_game(rewards, expected):
    game = make_game("nim", heaps=(2, 2, 1))
    environment = game_environment(game, rewards=rewards, seat=0, retries=1)()
    environment.reset()
    assert environment.get_reward() == expected[0]
    winning = int(game.solution.winning_actions((2, 2, 1))[0])
    assert "The opponent: " in environment.move(move_text(game, (2, 2, 1), winning))
    assert environment.get_reward() == (1.0 if rewards == "turn" else -1.0)
    assert "That is no move: not of the form" in environment.move("pass")
    assert environment.move("pass") == "The game is over. You lose."
    assert environment.move("pass") == "The game is over."
    paid = [turn.reward for turn in environment.turns]
    assert paid == [1.0, 0.0, 0.0]
    assert environment.get_reward() == (expected[1] if rewards == "turn" else -1.0)
    with pytest.raises(ValueError, match="rewards must be one of"):
        game_environment(game, rewards="both")
