"""Games of OpenSpiel against OpenSpiel itself: values, moves, whole games, and what is refused."""

import pickle
from functools import cache

import numpy as np
import pyspiel
import pytest

import nim_envs
from benchmarks.studies.openspiel_games import differences
from nim_envs.adapters.openspiel import game_of
from nim_envs.check import check_env, check_game
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from tests.clients.openspiel.own_games import registered

SLOW = pytest.mark.release
PLAYERS = nim_envs.game.PLAYERS

SMALL = [
    "tic_tac_toe", "breakthrough(rows=4,columns=3)", "hex(num_cols=3,num_rows=3)",
    "clobber(rows=4,columns=3)", "dots_and_boxes(num_rows=1,num_cols=2)",
    "dots_and_boxes(num_rows=2,num_cols=2) merged", "havannah(board_size=2)",
    "nim(pile_sizes=1;3;5)",
]  # fmt: skip
LARGE = [
    "connect_four(rows=4,columns=4)", "hex(num_cols=3,num_rows=4)", "y(board_size=4)",
    "dots_and_boxes(num_rows=2,num_cols=2)",
]  # fmt: skip
ALL = [*SMALL, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in LARGE)]


@cache
def imported(name):
    spec, _, merged = name.partition(" ")
    return game_of(spec, merge_strings=bool(merged))


@pytest.mark.parametrize("name", ALL)
def test_every_value_is_that_of_value_iteration_over_openspiels_states(name):
    assert differences(imported(name)) == 0


@pytest.mark.parametrize(
    "games", [10, pytest.param(1250, marks=pytest.mark.exhaustive)], ids=["few", "exhaustive"]
)
@pytest.mark.parametrize("name", ALL)
def test_random_games_are_those_of_openspiel(name, games):
    game = imported(name)
    openspiel = pyspiel.load_game(name.partition(" ")[0])
    env = nim_envs.GameEnv(game)
    rng = np.random.default_rng(3)
    for _ in range(games):
        env.reset()
        state = openspiel.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            seat = PLAYERS.index(env.agent_selection)
            shown = env.observe(env.agent_selection)
            legal = np.flatnonzero(shown["action_mask"]).tolist()
            if seat != player:
                assert legal == [openspiel.num_distinct_actions()]
                env.step(legal[0])
                continue
            assert legal == state.legal_actions()
            if "merged" not in name:
                tensor = state.observation_tensor(player)
                assert shown["observation"][: len(tensor)].tolist() == tensor
            action = int(rng.choice(legal))
            words = game.describe(action, tuple(shown["observation"].tolist()))
            assert words == state.action_to_string(player, action)
            state.apply_action(action)
            env.step(action)
        assert all(env.terminations.values())
        assert [env.rewards[player] for player in PLAYERS] == np.sign(state.returns()).tolist()


def test_a_forced_pass_says_so():
    game = imported("dots_and_boxes(num_rows=1,num_cols=2)")
    part = game.parts[0]
    passing = next(
        position
        for position in map(part.position, range(part.num_positions))
        if part.is_forced_pass(position)
    )
    ((action, _),) = game.moves(passing)
    assert "pass, as the other player moves again" in game.describe(action, passing)


# PettingZoo's own tests are among them.
@pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")
def test_a_game_and_its_environment_pass_the_checks():
    check_game(imported("tic_tac_toe"))
    check_env(nim_envs.GameEnv(imported("dots_and_boxes(num_rows=1,num_cols=2)")))


def test_a_game_survives_pickling_and_equals_itself():
    game = imported("tic_tac_toe")
    again = pickle.loads(pickle.dumps(game))
    assert again == game == game_of(pyspiel.load_game("tic_tac_toe"))
    assert again != imported("nim(pile_sizes=1;3;5)")
    assert again.describe(0, again.start).endswith("x(0,0)")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tictactoe", "has no game 'tictactoe'; did you mean 'tic_tac_toe'"),
        ("kuhn_poker", "chance plays a part; players do not see all of the state"),
        ("matrix_pd", r"at the same time.*not of zero sum"),
        ("checkers(rows=4,columns=4)", "is over at the start"),
        ("oware(num_houses_per_player=2,num_seeds_per_house=1)",
         r"action 0 leads to other states, .* a rule on repetitions is hidden"),
        ("nfg_game", "does not load 'nfg_game': IndexError: map::at"),
        ("restricted_nash_response()", "does not load .* Missing parameter game"),
        ("breakthrough(rows=0)", "its board is empty, rows=0"),
        ("connect_four(rows=0)", "its board is empty, rows=0"),
        ("breakthrough(rows=1)", "OpenSpiel cannot play breakthrough"),
        ("hex(board_size=1)", "has not ended and leaves no legal action"),
        ("quoridor(board_size=3)", "a counter or a rule on repetitions is hidden"),
        ("go(board_size=2)", r"legal actions .* a counter or a rule on repetitions is hidden"),
    ],
)  # fmt: skip
def test_unfit_games_are_refused_by_name(spec, message):
    with pytest.raises(InvalidGameError, match=message):
        game_of(spec)


def test_large_games_are_refused_with_their_size():
    with pytest.raises(
        SearchTooLargeError,
        match=r"connect_four .* more than 1000 positions, the limit: positions after [45] "
        r"moves.* up to 42, with 7 actions.*limit=",
    ):
        game_of("connect_four", limit=1000)


@pytest.mark.parametrize(
    "name", ["nine_mens_morris", "connect_four", "mancala", pytest.param("pentago", marks=SLOW)]
)
def test_games_whose_levels_grow_too_much_are_refused_soon(name):
    with pytest.raises(SearchTooLargeError, match=r"levels of [\d, ]+ .*grow to far more than"):
        game_of(name)


def test_a_game_that_is_loaded_is_taken_as_it_is():
    """Its string has a number, where OpenSpiel expects a string."""
    parameters = {"pile_sizes": "20", "is_misere": False}
    game = game_of(pyspiel.load_game("nim", parameters))
    assert game == game_of("nim", parameters) == pickle.loads(pickle.dumps(game))
    assert game.parts[0].num_positions == 40  # with either player to move
    assert game.solution.winning_actions(game.start).tolist() == [19]
    with pytest.raises(InvalidGameError, match="that is loaded has its parameters"):
        game_of(pyspiel.load_game("nim", parameters), parameters)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_play_that_never_ends_is_drawn():
    """OpenSpiel ends it with a draw after 36 moves, which its states do not show."""
    game = game_of("quoridor(board_size=3)", cycles="draw")
    assert game.has_cycles
    assert game.parts[0].num_positions > 2000
    assert differences(game) == 0


def test_a_game_without_an_end_is_drawn_or_refused():
    endless = registered(legal=lambda state: [0, 1], key=lambda state: f"{state.left % 3} left")
    assert game_of(endless, cycles="draw").solution.table.tolist() == [0] * 6
    with pytest.raises(InvalidGameError, match=r"form a cycle: \("):
        game_of(endless)


@pytest.mark.parametrize(
    ("entries", "coordinates"),
    [
        (None, "the player to move, a number among positions that are alike in these"),
        (lambda state: [state.left / 2],
         "the player to move, a number among positions that are alike in these"),
        (lambda state: [float(state.left)], "1 entry of observation_tensor, the player to move"),
    ],
)  # fmt: skip
def test_tensors_that_are_no_coordinates_are_left_out(entries, coordinates):
    game = game_of(registered(entries=entries))
    assert game.parts[0].coordinate_words == coordinates
    # Three objects or six are lost: the last move wins.
    assert game.solution.value(game.start) == -1


def test_player_0_passes_where_player_1_begins():
    game = game_of(registered(first=1, entries=lambda state: [float(state.left)]))
    assert [action for action, _ in game.moves(game.start)] == [2]
    assert game.solution.value(game.start) == 1
