"""The command line python -m agents, driven as a person would."""

import re

import numpy as np
import pygame
import pytest

from agents import OptimalAgent, QLearning, RandomAgent
from agents.cli.main import main
from agents.players import HumanAgent, Quit
from agents.storage import load, save
from nim_envs import GameEnv, make_game, optimality
from tests.agents.learning import own_game
from tests.commands import run_agents as run

ROW = ["--game", "subtraction", "--set", "heaps=9", "--set", "misere=true"]


def in_one_line(text):
    return " ".join(text.split())


@pytest.fixture
def said(capsys):
    """Function that runs a command and returns its output."""

    def output(*words):
        assert run([*map(str, words)]) == 0
        return capsys.readouterr().out

    return output


@pytest.fixture
def play(monkeypatch, capsys):
    """Function that plays with these answers, then quits.

    It returns what is shown before each answer and after the last.
    """

    def played(*arguments, answers=()):
        shown, typed = [], iter(answers)

        def answer(prompt):
            shown.append(capsys.readouterr().out + prompt)
            return next(typed, "quit")

        monkeypatch.setattr("builtins.input", answer)
        assert run(["play", *arguments]) == 0
        return [*shown, capsys.readouterr().out]

    return played


NONSENSE = ("", "foo", "-1", "1 1 1 1", "0", "99999999999999999999999", "½")


@pytest.mark.parametrize(
    ("game", "wrong", "legal", "right"),
    [
        # One heap each, so that one move decides.
        (["misere_nim", "--set", "heaps=3"], "9", "take 1 to 3", "heap 0: take 2"),
        (["addition", "--set", "k=2", "--set", "n=1"], "3", "add 1 or 2", "1"),
    ],
)
def test_a_person_is_asked_until_the_answer_is_legal(game, wrong, legal, right, play):
    answers = [*NONSENSE, wrong, "undo", "hint", right]
    first, *shown = play("--game", *game, answers=answers)
    assert "your move" in first
    *refused, undone, hinted, ended = shown
    assert len(refused) == len(NONSENSE) + 1
    assert all(f"Legal moves:\n  {legal}\n" in text for text in refused)
    assert "no move of yours to take back" in undone
    assert "Winning: " in hinted
    assert "You have won." in ended


def test_the_rule_and_who_wins_are_said_before_the_first_move(play):
    game = ["--game", "sum", "--seat", "player_1", "--opponent", "random"]
    first, explained, _ = play(*game, answers=["help"])
    before, _, asked = first.partition("player_0:")
    assert "heaps 0 to 2: take 1 or 2 objects, and split the rest" in before
    assert "You are player_1 and move second." in before
    assert "your move (such as " in asked
    assert all(word in explained for word in ("Legal moves:", "hint", "undo", "quit"))


@pytest.mark.parametrize("game", [["kayles"], ["sum", "--start", "5,0,0,4,8"]], ids=" ".join)
def test_a_printed_hint_is_a_valid_answer(game, play):
    _, hinted, _ = play("--game", *game, answers=["hint"])
    hint = re.search(r"Winning: (.*)", hinted)[1].split("; ")[-1]
    _, moved, _ = play("--game", *game, answers=[hint])
    assert f"player_0: {hint}\n" in moved


def test_undo_takes_the_reply_back_too_and_heaps_are_shown(play):
    board = ["--game", "nim", "--set", "heaps=2,5"]
    first, moved, undone, again, ended = play(*board, answers=["1 1", "undo", "1 3"])
    assert "heap 0  2  oo" in first
    assert "player_1: heap 1: take 2" in moved
    assert "heap 1  5  ooooo" in undone
    assert "your move" in again
    assert ended.endswith("Goodbye.\n")


def test_two_people_play_each_other(play):
    *_, ended = play("--set", "heaps=3", "--game", "nim", "--opponent", "human", answers=["2", "1"])
    assert ended.endswith("player_1 has won.\n")


def test_the_end_of_input_ends_a_game_cleanly(monkeypatch, said):
    def ended(prompt):
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    assert re.fullmatch(r"Nim: .*Goodbye\.\n", said("play"), re.DOTALL)


def test_a_learner_is_trained_scored_shown_and_met(tmp_path, said):
    agent, plots = str(tmp_path / "folder" / "agent.zip"), tmp_path / "plots"
    learn = ["train", *ROW, "--learner", "win-loss-ratio", "--param", "forgetting=0.01"]
    out = said(*learn, "--games", "2000", "--output", agent, "--plots", plots)
    assert "100.0 % of 6 N-positions" in out
    for name in ("training.png", "heatmap_greedy.png"):
        assert f"wrote {plots / name}" in out
        assert (plots / name).read_bytes().startswith(b"\x89PNG")
    assert load(agent).saved()["arguments"]["forgetting"] == 0.01
    out = said("evaluate", *ROW, "--player", agent)
    assert "can be beaten from 0.0 %" in out
    assert "reachable" in out
    assert "of 20 games" in said(
        "match", *ROW, "--player", agent, "--opponent", "random", "--games", "20"
    )
    for asked in (list("123456789"), ["6", "2"]):
        positions = [] if len(asked) > 2 else [f"--position={each}" for each in asked]
        lines = map(str.split, said("show", *ROW, "--player", agent, *positions).splitlines())
        assert [line[0] for line in lines if line and line[0].isdigit()] == asked
    said("show", *ROW, "--player", agent, "--plots", tmp_path / "more")
    names = [f"heatmap_{name}.png" for name in ("greedy", "probabilities", "values")]
    assert sorted(path.name for path in (tmp_path / "more").iterdir()) == names


def test_a_tournament_gives_the_ranks_that_overlapping_ratings_allow(said):
    names = ["random", "epsilon=0.2", "epsilon=0.5"]
    players = [word for name in names for word in ("--player", name)]
    lines = said("tournament", *ROW, *players, "--games", "60").splitlines()
    assert lines[0].split() == ["rank", "player", "Elo", "low", "high"]
    rows = [line.split() for line in lines[2:5]]
    assert rows[0][1] == "epsilon=0.2"
    bounds = {name: (float(low), float(high)) for _, name, _, low, high in rows}
    for rank, name, *_ in rows:
        first, *last = map(int, rank.split("-"))
        low, high = bounds[name]
        assert first == 1 + sum(other[0] > high for other in bounds.values())
        assert (last or [first])[0] == 3 - sum(other[1] < low for other in bounds.values())


def test_a_board_too_large_for_heatmaps_is_trained_without(tmp_path, said):
    large = ["train", "--game", "nim", "--set", "heaps=2,2,2,2,2,2,2", "--games", "60"]
    out = said(*large, "--output", tmp_path / "a", "--plots", tmp_path / "plots", "--every", "20")
    assert "no heatmap: " in out
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["training.png"]


def test_games_that_split_and_sums_are_shown_and_scored(said):
    out = said("show", "--game", "kayles", "--set", "heaps=4", "--player", "optimal")
    assert "heap 0: take 2, leave 1 and 1 best" in in_one_line(out)
    games = 'games=[["grundy", {"heaps": [7]}], ["graph", {"tokens": [3]}]]'
    out = said("evaluate", "--game", "sum", "--set", games, "--player", "optimal")
    assert out.count("100.0") >= 4


TRAIN = ["train", "--game", "nim", "--output", "x"]
SHOW = ["show", "--game", "nim", "--player", "random"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--game", "chess", "--output", "x"], "there is no 'chess'"),
        ([*TRAIN, "--set", "heaps=3,x"], "'3,x'"),
        ([*TRAIN, "--set", "heaps"], "NAME=VALUE"),
        ([*TRAIN, "--learner", "magic"], "'magic' is not one of"),
        ([*TRAIN, "--param", "epsilon=7"], "epsilon must be a number from 0 to 1, not 7"),
        ([*TRAIN, "--param", "epsilon=abc"], "not 'abc'"),
        ([*TRAIN, "--param", "speed=3"], "discount, epsilon"),
        ([*TRAIN, "--output", "README.md/x"], "README.md: File exists"),
        ([*TRAIN, "--output", "/dev/null"], "/dev/null: it is a directory or a device, not a file"),
        ([*TRAIN, "--start", "3,2,9"], "(3, 2, 9) is no position of nim"),
        ([*TRAIN, "--start", "a,2,3"], "'a,2,3' is none of fixed, uniform"),
        (["train", "--output", "x"], "which game? Add --game nim"),
        (["evaluate", "--player", "agnet.zip"], "agnet.zip is no file that train has written"),
        (["play", "--game", "nim", "--opponent", "nobody"], "'nobody' is no file; a player is"),
        (["play", "--game", "nim", "--opponent", "epsilon=3"], "epsilon must be a number"),
        (["evaluate", "--game", "nim", "--player", "README.md"], "README.md cannot be loaded"),
        (["tournament", "--game", "nim", "--player", "random"], "two players at least"),
        ([*SHOW, "--position", "0,0,0"], "0, 0, 0"),
        ([*SHOW, "--set", "heaps=99,99,99"], "1000000"),
        ([*SHOW, "--set", "heaps=3,3,3,3,3,3", "--plots", "plots"], "256 panels"),
    ],
)
def test_errors_are_a_line_and_exit_code_2(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("not an agent", encoding="utf-8")
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("Error: ")
    assert message in error
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize("fault", [TypeError("no number"), OSError(9, "no file")], ids=str)
def test_faults_of_the_program_are_raised(fault, monkeypatch):
    def faulty(*arguments):
        raise fault

    monkeypatch.setattr(OptimalAgent, "act", faulty)
    with pytest.raises(type(fault), match=str(fault.args[-1])):
        main(["tournament", "--game", "nim", "--player", "optimal", "--player", "random"])


def test_the_game_is_read_from_the_file(tmp_path, said, play, capsys):
    agent, game = str(tmp_path / "agent.zip"), ["--game", "misere_nim", "--set", "heaps=2,3"]
    said("train", *game, "--start", "1,3", "--games", "500", "--output", agent)
    outputs = [
        said("evaluate", *words, "--player", agent)
        for words in ([], [*game, "--start", "1,3"], [*game, "--start", "2,3"], ["--start", "2,3"])
    ]
    assert outputs[0] == outputs[1] != outputs[2] == outputs[3]
    assert run(["evaluate", "--game", "nim", "--set", "heaps=2,3", "--player", agent]) == 2
    error = capsys.readouterr().err
    assert "it has learned nim, heaps 2-3, misère play, not nim, heaps 2-3, normal play" in error
    # People play it from the full board.
    for more, heap in (([], "heap 0  2"), (["--start", "1,3"], "heap 0  1")):
        shown, _ = play("--opponent", agent, *more)
        assert shown.startswith(f"{agent} has learned nim, heaps 2-3, misère play")
        assert heap in shown


def test_a_file_that_stores_no_game_needs_one(tmp_path, capsys):
    save(QLearning.for_env(GameEnv(own_game())), tmp_path / "own.zip")
    assert run(["evaluate", "--player", str(tmp_path / "own.zip")]) == 2
    assert "is not registered here" in capsys.readouterr().err


def test_a_score_says_what_games_from_the_start_can_meet(tmp_path, said):
    learn = ["train", "--game", "kayles", "--set", "heaps=5", "--output", tmp_path / "a.zip"]
    out = said(*learn, "--games", "5000")
    game = make_game("kayles", heaps=(5,))
    everywhere, reachable = (
        optimality(RandomAgent(), game, positions).count for positions in ("all", "reachable")
    )
    assert reachable < everywhere
    assert f"can meet {reachable} of the {everywhere} N-positions" in out
    assert "can meet" not in said(*learn, "--games", "5000", "--start", "uniform")


def test_a_board_too_large_for_all_positions_is_scored_at_a_sample(tmp_path, monkeypatch, said):
    monkeypatch.setattr("agents.cli.train.SAMPLE", 1000)
    large = ["--game", "nim", "--set", "heaps=300,300,300", "--learner", "column-automaton"]
    out = said("train", *large, "--output", tmp_path / "large.zip")
    assert "100.0 % of 1000 N-positions drawn at random played" in out


def test_a_hint_for_a_game_too_large_to_solve_says_so():
    game = make_game("officers", heaps=(20,) * 6, misere=True)
    answers, shown = iter(["hint"]), []
    human = HumanAgent(game, read=lambda prompt: next(answers, "quit"), write=shown.append)
    with pytest.raises(Quit):
        human.act(np.array(game.start), np.zeros(game.num_actions, dtype=np.int8), None)
    assert shown[0] == "This game is too large to solve."


def test_a_window_without_a_display_says_to_leave_it_out(monkeypatch, capsys):
    pygame.display.quit()  # of a window that another test has left open
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    assert run(["play", "--window"]) == 2
    assert "without it you play in the terminal" in capsys.readouterr().err
