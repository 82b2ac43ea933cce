"""Distance to the end: against brute force, and in players, opponents, scores and commands."""

from functools import cache
from io import StringIO

import numpy as np
import pytest

import nim_envs
from agents import OptimalAgent
from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.solution import solve
from nim_envs.text import TextGame
from tests import outcome_games
from tests.commands import run_agents, run_nim_envs
from tests.nim_envs.core.random_games import random_game
from tests.nim_envs.core.test_random_games import part_of

LOST = (5, 5)


def solved_by_recursion(moves, end_value):
    """Return a function of positions to value and distance; ``moves`` gives pairs."""

    @cache
    def solved(position):
        after = [solved(reached) for _, reached in moves(position)]
        if not after:
            value = end_value(position)
            return value, 0 if value else -1
        value = max(-each for each, _ in after)
        lengths = [far + 1 for each, far in after if each == -value]
        return value, (-1, min(lengths), max(lengths))[value]

    return solved


def check(solution, positions, moves, solved):
    expected = [solved(position)[1] for position in positions]
    assert solution.distance(np.array(positions)).tolist() == expected
    masks = solution.hurrying_mask(np.array(positions))
    for position, mask in zip(positions, masks, strict=True):
        value, far = solved(position)
        hurried = (-value, far - 1 if value else -1)
        best = [action for action, after in moves(position) if solved(after) == hurried]
        assert np.flatnonzero(mask).tolist() == sorted(best)


@pytest.mark.parametrize("first", range(0, 250, 50))
def test_distances_of_random_sums_are_those_of_brute_force(first):
    for seed in range(first, first + 50):
        brute = random_game(seed)
        kinds = [part_of(kind) for kind in brute.kinds]
        game = Game("random", tuple(kinds[kind] for kind in brute.kind_of), brute.positions[-1])
        misere = bool(seed % 2)
        solved = solved_by_recursion(brute.moves, lambda _, misere=misere: 1 if misere else -1)
        check(solve(game, misere), brute.positions, brute.moves, solved)


@pytest.mark.parametrize("first", range(0, 250, 50))
def test_distances_of_random_games_with_draws_are_those_of_brute_force(first):
    for seed in range(first, first + 50):
        entry = outcome_games.random_game(seed)
        label = entry.game.parts[0].labels.index

        def moves(position, entry=entry, label=label):
            return [(label(name), after) for name, after in entry.moves(position)]

        positions = [*map(tuple, entry.game.positions().tolist())]
        solved = solved_by_recursion(moves, entry.outcome)
        check(entry.game.solution, positions, moves, solved)


def test_a_theorem_is_no_obstacle_and_too_large_a_board_is_refused_with_its_size():
    solution = nim_envs.make_game("nim", heaps=(5, 5)).solution
    assert solution.method == "Bouton's theorem"
    assert (solution.distance(LOST), solution.distance((5, 1))) == (10, 3)
    assert solution.distance([[0, 0], [0, 1]]).tolist() == [0, 1]
    with pytest.raises(SearchTooLargeError, match="1030301 positions with 300 actions"):
        nim_envs.make_game("nim", heaps=(100, 100, 100)).solution.distance((1, 1, 1))


def test_the_optimal_player_resists_as_long_as_it_can_where_it_hurries():
    game = nim_envs.make_game("nim", heaps=LOST)
    mask = game.mask(LOST)[np.newaxis]
    at_random = OptimalAgent(game).action_probabilities(np.array([LOST]), mask)[0]
    assert at_random[4] == at_random[0] == pytest.approx(0.1)  # a whole heap, or one object
    hurried = OptimalAgent(game, hurry=True).action_probabilities(np.array([LOST]), mask)[0]
    assert np.flatnonzero(hurried).tolist() == [0, 5]


def test_named_opponents_hurry_in_one_game_and_in_a_batch():
    game = nim_envs.make_game("nim", heaps=LOST)
    for seed in range(10):
        # The agent takes one object, which leaves a lost position: the game has ten moves.
        env = VersusEnv(game, opponent="optimal", hurry=True, seat=1)
        env.reset(seed=seed)
        assert sorted(env.position.tolist()) == [4, 5]
        env = VectorGameEnv(game, 50, opponent="optimal", hurry=True, seat=1)
        observations, _ = env.reset(seed=seed)
        assert (np.sort(observations["observation"], axis=1) == [4, 5]).all()
    lazy = VectorGameEnv(game, 50, opponent="optimal", seat=1).reset(seed=0)[0]["observation"]
    assert (lazy.sum(axis=1) < 9).any()
    play = TextGame(game, "optimal", 1, hurry=True)
    assert "4 5" in play.reset() or "5 4" in play.reset()


@pytest.mark.parametrize("opponent", ["random", None, lambda observations, masks: masks.argmax(1)])
@pytest.mark.parametrize("env", [VersusEnv, VectorGameEnv])
def test_only_opponents_that_play_optimally_hurry(env, opponent):
    with pytest.raises(InvalidGameError, match="hurry=True is for opponent='optimal'"):
        env(nim_envs.make_game("nim"), opponent=opponent, hurry=True)


def test_scores_by_distance_split_the_score():
    game = nim_envs.make_game("nim", heaps=(2, 2))

    def first_legal(observations, action_masks):
        return action_masks.argmax(axis=1)

    # Won in one move: 0-1, 0-2, 1-0 and 2-0, of which it wins 0-1 and 1-0; in three: 1-2 and 2-1.
    score = nim_envs.optimality(first_legal, game, by_distance=True)
    assert score.by_distance == {1: 50.0, 3: 50.0}
    assert nim_envs.optimality(first_legal, game).by_distance is None
    report = nim_envs.diagnose(first_legal, game)
    assert report.by_distance == score.by_distance
    assert "By moves to the end: 1 50.0 %, 3 50.0 %" in str(report)


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--player", "optimal", "--opponent", "epsilon=0", "--games", "2"],
        ["tournament", "--player", "optimal", "--player", "epsilon=0", "--games", "2"],
        ["evaluate", "--player", "optimal"],
    ],
)
def test_commands_that_name_players_take_hurry(words, capsys):
    assert run_agents([*words, "--game", "nim", "--set", "heaps=5,5", "--hurry"]) == 0
    assert run_agents([*words, "--game", "nim", "--set", "heaps=400,400,400", "--hurry"]) == 2
    assert "positions with 1200 actions" in " ".join(capsys.readouterr().err.split())


def test_a_shown_player_and_one_that_is_played_against_hurry(capsys, monkeypatch):
    board = ["--game", "nim", "--set", "heaps=5,5", "--hurry"]
    assert run_agents(["show", "--player", "optimal", "--position", "5,5", *board]) == 0
    assert "heap 1: take 1 best 50.0 %" in " ".join(capsys.readouterr().out.split())
    monkeypatch.setattr("builtins.input", lambda _: "quit")
    assert run_agents(["play", "--seat", "player_1", "--seed", "1", *board]) == 0
    assert "take 1" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", StringIO("quit\n"))
    assert run_nim_envs(["text", "--seat", "player_1", "--seed", "1", *board]) == 0
    assert {"normal heaps 4 5 move", "normal heaps 5 4 move"} & {
        *capsys.readouterr().out.split("\n")
    }
