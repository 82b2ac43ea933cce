"""Arguments are checked where things are made, by name and with what is allowed."""

from __future__ import annotations

import array

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from nim_envs import Convention, Game, Rules, make_game
from nim_envs.envs.aec import GameEnv
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidActionError, InvalidGameError, InvalidPositionError, NimEnvsError
from nim_envs.rules import graph, kayles, nim, subtraction
from nim_envs.starts import NAMED_STARTS, FixedStart
from nim_envs.validation import checked_number

RULES = nim(heaps=(3, 4))
GAME = Game(RULES, Convention.NORMAL)
ENVIRONMENTS = {"turn-based": GameEnv, "single": VersusEnv, "batched": VectorGameEnv}


@pytest.mark.parametrize("name", NAMED_STARTS)
def test_a_game_takes_starts_by_name(name):
    game = Game(RULES, Convention.NORMAL, name)
    assert game.start == NAMED_STARTS[name]
    assert game == make_game("nim", heaps=(3, 4), start=name)
    assert repr(game).endswith(f"start {game.start.summary})")
    for make in ENVIRONMENTS.values():
        make(game).reset(seed=0)


@pytest.mark.parametrize("position", [(1, 2), [1, 2], np.array([1, 2])])
def test_a_game_takes_a_position_as_its_start(position):
    assert Game(RULES, Convention.NORMAL, position).start == FixedStart((1, 2))


@pytest.mark.parametrize("start", ["anywhere", bytearray(b"\1\2"), {1, 2}, {1: 2}, 1, (1.0, 2)])
def test_a_game_refuses_an_invalid_start(start):
    with pytest.raises(InvalidPositionError, match=r"a start must be one of .*'uniform'.*, not "):
        Game(RULES, Convention.NORMAL, start)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Game("nim", Convention.NORMAL), "rules must be nim_envs.Rules, not 'nim'"),
        (lambda: Rules("x", (3,), (1,)), r"components must be .* Component, not \(3,\)"),
        (lambda: Rules("x", RULES.components[0], (1,)), "components must be a tuple of"),
        (lambda: Rules(7, RULES.components, (1, 1)), "name must be a string, not 7"),
        (lambda: Rules("x", RULES.components, (1.0, 1)), r"initial.* not \(1\.0, 1\)"),
        (lambda: Rules("x", RULES.components, (True, 1)), r"initial.* not \(True, 1\)"),
        (lambda: Rules("x", RULES.components, {1, 2}), r"initial.* not \{1, 2\}"),
        (lambda: Rules("x", RULES.components, 1), "initial.* not 1"),
        (lambda: Rules("x", RULES.components, [1]), r"each of the 2 .* \(3, 4\), not \[1\]"),
        (lambda: nim(heaps={1: 2}), r"heaps must be a sequence .*, not \{1: 2\}"),
        (lambda: nim(heaps={1, 2}), r"heaps must be a sequence .*, not \{1, 2\}"),
        (lambda: kayles(heaps=frozenset((3,))), r"heaps must be a sequence .*, not frozenset"),
        (lambda: make_game("nim", heaps=bytearray(b"\3")), "heaps must be .*, not bytearray"),
        (lambda: nim(heaps=memoryview(b"\3")), "heaps must be a sequence .*, not <memory"),
        (lambda: nim(heaps={1: 2}.keys()), "heaps must be a sequence .*, not dict_keys"),
        (lambda: subtraction((3,), {1: 2}), "subtraction_set must be a sequence"),
        (lambda: graph(bytearray(b"\0"), (0,)), "successors must be a list"),
        (lambda: graph([(), bytearray(b"\0")], (0,)), r"successors\[1\] must be a list"),
        (lambda: graph([(), (0,)], {1}), "tokens must be a sequence"),
    ],
)
def test_rules_and_games_name_the_argument(make, named):
    with pytest.raises(InvalidGameError, match=named):
        make()


@pytest.mark.parametrize(
    "heaps",
    [[3, 4], (3, 4), np.array([3, 4]), range(3, 5), array.array("i", [3, 4]), (n for n in (3, 4))],
)
def test_heaps_are_taken_from_all_that_lists_them(heaps):
    assert nim(heaps=heaps) == RULES


def test_one_object_may_be_the_most_that_a_move_takes():
    assert nim(heaps=(3,), max_take=1).table.tolist() == subtraction((3,), (1,)).table.tolist()


def test_a_set_of_amounts_may_be_a_set():
    assert subtraction((9,), {4, 1}) == subtraction((9,), (1, 4))


def test_an_initial_position_may_be_a_list_or_an_array():
    for initial in ([1, 2], np.array([1, 2]), (np.int64(1), 2)):
        rules = Rules("x", list(RULES.components), initial)
        assert rules.initial == (1, 2)
        assert rules == Rules("x", RULES.components, (1, 2))
        assert {type(state) for state in rules.initial} == {int}


@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"encoding": np.array(["integer", "unary"])}, r"encoding must be one of \('integer',"),
        ({"encoding": ["integer"]}, r"encoding must be one of \('integer',.*not \['integer'\]"),
        ({"render_mode": np.array(["ansi", "human"])}, "render_mode must be None or one of"),
        ({"illegal_move": np.array([1, 2])}, r"illegal_move must be one of \('forfeit', 'raise'\)"),
    ],
)
def test_environments_name_the_argument(make, arguments, named):
    with pytest.raises(InvalidGameError, match=named):
        make(GAME, **arguments)


@pytest.mark.parametrize("make", [VersusEnv, VectorGameEnv])
@pytest.mark.parametrize("seat", [1.0, np.True_, True, np.array([0, 1]), np.array(1), "0", 2, [0]])
def test_a_seat_is_one_of_three(make, seat):
    with pytest.raises(InvalidGameError, match=r"seat must be one of \(0, 1, 'random'\), not "):
        make(GAME, seat=seat)


@pytest.mark.parametrize(
    ("ends", "good", "bad", "allowed"),
    [
        (
            (0, 1, {}),
            (0, 0.5, 1, np.float32(1)),
            (-0.1, 1.1, np.nan, True, "1", None),
            "from 0 to 1",
        ),
        ((0, 1, {"open_low": True}), (0.1, 1), (0, 2), "over 0 to 1"),
        ((0, 1, {"open_high": True}), (0, 0.9), (-1, 1), "from 0 to below 1"),
        ((0.5, np.inf, {}), (0.5, 10**9), (0.4, np.inf, np.nan), "from 0.5, and finite"),
        ((0, np.inf, {"open_low": True}), (0.1,), (0, np.inf), "over 0, and finite"),
    ],
)
def test_a_number_is_within_its_ends(ends, good, bad, allowed):
    low, high, is_open = ends
    for value in good:
        assert checked_number("rate", value, low, high, **is_open) is value
    for value in bad:
        with pytest.raises(InvalidGameError) as caught:
            checked_number("rate", value, low, high, **is_open)
        assert str(caught.value) == f"rate must be a number {allowed}, not {value!r}"


@pytest.mark.parametrize("mode", [np.array(["NextStep", "SameStep"]), np.array(["NextStep"]), 1])
def test_an_autoreset_mode_is_one_of_gymnasiums(mode):
    with pytest.raises(InvalidGameError, match="autoreset_mode must be one of"):
        VectorGameEnv(GAME, autoreset_mode=mode)
    assert VectorGameEnv(GAME, autoreset_mode="SameStep").autoreset_mode is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_environments_take_games_and_not_rules(make):
    with pytest.raises(InvalidGameError, match=r"game must be a nim_envs\.Game, not Rules\(nim"):
        make(RULES)


@pytest.mark.parametrize("action", [-1, RULES.num_actions, 1.0, True, None, "1"])
def test_an_invalid_action_is_not_described(action):
    for describe in (RULES.describe_action, RULES.describe_move):
        with pytest.raises(InvalidActionError, match="action must be an integer from 0 to 7, not "):
            describe(action, (3, 4))


REFUSED = [
    {"options": {"start": (9, 9)}},
    {"options": {"start": "nowhere"}},
    {"options": {"start": (0, 0)}},
    {"options": {"other": 1}},
    {"options": 3},
    {"seed": -1},
    {"seed": 7, "options": {"start": (9, 9)}},
]


@pytest.mark.parametrize("arguments", REFUSED, ids=str)
@pytest.mark.parametrize("opponent", [None, "random"])
def test_a_refused_reset_leaves_the_game_as_it_was(arguments, opponent):
    def game(refused):
        env = VersusEnv(GAME, opponent=opponent, seat=None if opponent is None else 1)
        env.reset(seed=3)
        if refused:
            with pytest.raises(NimEnvsError):
                env.reset(**arguments)
        played = []
        while env._ready:
            played.append((env.position.tolist(), env.action_masks().tolist()))
            env.step(int(np.flatnonzero(env.action_masks())[0]))
        played.append(env.reset()[0]["observation"].tolist())
        return played

    assert game(refused=True) == game(refused=False)


def test_a_first_reset_that_is_refused_leaves_none_begun():
    env = gymnasium.make("nim_envs/Nim-v0", heaps=(3, 4)).unwrapped
    with pytest.raises(InvalidPositionError):
        env.reset(seed=1, options={"start": (9, 9)})
    assert env.reset(seed=1)[0]["observation"].tolist() == [3, 4]
