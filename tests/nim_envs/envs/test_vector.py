"""The batched environment's arguments, encodings, pictures, copies, and errors."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from nim_envs import Convention, Game, Rules, make_game
from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.vector import VectorGameEnv, engine, outputs
from nim_envs.envs.vector import tables as vector_tables
from nim_envs.envs.vector.games import BLOCK
from nim_envs.envs.vector.grouping import Grouping
from nim_envs.envs.vector.outputs import write_observations
from nim_envs.envs.vector.tables import (
    game_tables,
    packed_states,
    row_layout,
    tabulate,
    unpacked_states,
)
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    ResetNeededError,
    SearchTooLargeError,
)
from nim_envs.registration import GAMES, aec_id, gymnasium_id
from nim_envs.rules import TableComponent
from tests.games import ALL, label
from tests.looped import in_one_test
from tests.nim_envs.envs.batches import LARGE, Recorder, batch, play, same
from tests.pairwise import in_turn


@in_one_test(("case", "encoding"), in_turn(ALL + LARGE, ["integer", "one_hot", "binary", "unary"]))
def test_positions_are_encoded_as_in_the_turn_based_environment(case, encoding):
    env = batch(case[0], **case[1], encoding=encoding)
    expected = pettingzoo.make("aec", aec_id(case[0]), **case[1], encoding=encoding)
    observations, _ = env.reset(seed=0)
    for _ in range(10):
        assert (observations["observation"] == expected.encoding.encode(env.positions)).all()
        assert (
            observations["observation"].dtype == env.single_observation_space["observation"].dtype
        )
        observations, *_ = env.step(env.sample_actions())
    if encoding != "integer":
        space = expected.observation_space("player_0")["observation"]
        assert env.single_observation_space["observation"] == space


GROUPED = [
    ("nim", {"heaps": (2, 0, 9, 1, 4, 3), "max_take": 7}),
    ("nim", {"heaps": (3, 3, 3, 3)}),
    ("sum", {"games": (("nim", {"heaps": (4,)}), ("kayles", {"heaps": (5,)}), "graph")}),
]


@pytest.mark.parametrize("largest", [0, 40, 10**6])
@pytest.mark.parametrize("case", GROUPED, ids=label)
def test_however_components_are_grouped_the_tables_say_what_the_rules_say(case, largest):
    rules = make_game(case[0], **case[1]).rules
    encoding = Encoding("integer", rules, np.int8)
    grouping = Grouping(rules, largest, largest)
    assert [c for group in grouping.members for c in group] == list(range(len(rules.shape)))
    assert (len(grouping.slots) > 0) == (len(rules.slot_groups) > 0 and largest < 100)
    layout = row_layout(rules, encoding)
    tables = tabulate(grouping, encoding, layout)
    lattice = rules.lattice()
    states = grouping.states(lattice)
    assert (grouping.positions(states) == lattice).all()
    packed = packed_states(tables, states)
    assert (unpacked_states(tables, packed) == states).all()
    if not grouping.slots:
        assert (grouping.strides @ states == np.arange(len(lattice))).all()
    rows = np.full((len(lattice), layout.words), 2**64 - 1, dtype=np.uint64)
    outcomes = np.zeros(len(lattice), dtype=np.uint8)
    write_observations(tables, packed, outcomes, rows, 0, len(lattice))
    assert (layout.observations(rows) == lattice).all()
    assert (layout.action_masks(rows) == rules.action_mask(lattice)).all()


@in_one_test("case", ALL + LARGE)
def test_slots_can_be_groups_of_their_own_in_every_game(case, monkeypatch):
    """Joint states are only faster: without them every game goes the same way."""
    joint = batch(case[0], **case[1])
    with monkeypatch.context() as patched:
        patched.setattr(engine, "game_tables", partial(game_tables, largest_slots=0))
        apart = batch(case[0], **case[1])
    assert not apart.game.rules.slot_groups or apart._engine._game_tables.grouping.slots
    actions = np.random.default_rng(0).integers(joint.single_action_space.n, size=(8, 5))
    # Actions drawn where none is legal may differ: they are never played.
    assert same(play(joint, 15, seed=1)[2::2], play(apart, 15, seed=1)[2::2])
    assert same(play(joint, 8, actions=actions), play(apart, 8, actions=actions))


@in_one_test("case", ALL + LARGE)
def test_large_boards_are_played_as_small_ones(case, monkeypatch):
    def answers(words):
        with monkeypatch.context() as patched:
            patched.setattr(vector_tables, "LARGE_BOARD_WORDS", words)
            patched.setattr(vector_tables, "_tables_in_use", SharedCache())
            env = batch(case[0], **case[1], max_cycles=4, opponent="random", seat="random")
        assert env._engine._tables.is_large == (words == 0)
        rng = np.random.default_rng(0)
        return play(env, 8, seed=1, actions=rng.integers(env.single_action_space.n, size=(8, 5)))

    assert same(answers(0), answers(10**9))


def test_a_second_part_alone_keeps_a_game_going(monkeypatch):
    """Its first part has no move and yet is not the empty slot."""
    rows, second_rows = ((-1,), (-1,), (0,), (1,)), ((0,), (0,), (0,), (2,))
    pieces = TableComponent(rows=rows, second_rows=second_rows)
    game = Game(Rules("pieces", (pieces,) * 2, (3, 0)), Convention.NORMAL)
    monkeypatch.setattr(engine, "game_tables", partial(game_tables, largest_slots=0))
    env = VectorGameEnv(game, 1, opponent=None)
    env.reset()
    _, _, terminations, _, _ = env.step([0])
    assert env.positions.tolist() == [[1, 2]]
    assert not terminations.any()
    _, rewards, terminations, _, _ = env.step([1])
    assert env.positions.tolist() == [[1, 0]]
    assert (rewards.tolist(), terminations.tolist()) == ([1.0], [True])


def test_equal_groups_share_their_entries_in_tables():
    tables = batch(heaps=(500, 500, 500))._engine._tables
    assert tables.successors.size == 501 * 500
    # The amounts that a heap allows are always the first ones.
    assert tables.legal_actions.size == 3 * 500


def test_environments_with_equal_rules_and_encoding_share_their_tables():
    one, same_rules = batch(heaps=(30, 40, 50)), batch(heaps=(30, 40, 50), start=(1, 2, 3))
    other = batch(heaps=(30, 40, 50), encoding="binary")
    optimal = [batch(heaps=(30, 40, 50), opponent=0.1, misere=misere) for misere in (False, True)]
    again = batch(heaps=(30, 40, 50), opponent="optimal", misere=True)
    assert one._engine._game_tables is same_rules._engine._game_tables
    assert one._engine._game_tables is not other._engine._game_tables
    assert all(env._engine._game_tables is one._engine._game_tables for env in optimal)
    assert optimal[0]._engine._optimal_play is not again._engine._optimal_play
    assert optimal[1]._engine._optimal_play is again._engine._optimal_play
    assert pickle.loads(pickle.dumps(one))._engine._game_tables is one._engine._game_tables
    # Nobody keeps them when nobody uses them.
    kept = weakref.ref(other._engine._game_tables)
    del other
    gc.collect()
    assert kept() is None


def test_an_illegal_move_can_raise_and_leaves_everything_as_it_was():
    env = batch(heaps=(2, 3), num_envs=3, illegal_move="raise", render_mode="ansi")
    env.reset()
    env.step([0, 1, 5])
    before = pickle.dumps(env)
    with pytest.raises(IllegalMoveError) as caught:
        env.step([0, 3, 5])
    assert "environment 2" in str(caught.value)
    assert "heap 1: take 3" in str(caught.value)
    assert "[2, 0]" in str(caught.value)
    assert "[0, 1]" in str(caught.value)
    assert pickle.dumps(env) == before
    # A finished game's action is not played, so it cannot be illegal.
    env.step([0, 3, 1])
    env.step([4, 4, 5])
    env.step([3, 2, 1])


def test_actions_of_a_function_as_opponent_are_checked_too():
    answers = []

    def broken(observations, masks, rng):
        return answers[-1]

    for bad, named in (
        (np.full(4, 15), "15"),
        ([0, 0, -2, 0], "-2"),
        ([0.0] * 4, "float64"),
        ([0, 0], "(2,)"),
        (None, "object"),
    ):
        answers.append(bad)
        env = batch(num_envs=4, opponent=broken, seat=1)
        with pytest.raises(InvalidActionError, match="the opponent's") as caught:
            env.reset()
        assert named in str(caught.value)
    answers.append(np.array([0, 0, 3, 0]))  # option 3 of heap 0, which holds three
    env = batch(num_envs=4, opponent=broken, seat=0, illegal_move="raise")
    env.reset()
    with pytest.raises(IllegalMoveError, match=r"the opponent's action 3 .* environment 2"):
        env.step([5, 6, 7, 8])
    with pytest.raises(ResetNeededError):
        env.step([5, 6, 7, 8])
    env = batch(num_envs=4, opponent=broken, seat=0)
    env.reset()
    _, rewards, terminations, _, _ = env.step([5, 6, 7, 8])
    assert rewards.tolist() == [0, 0, 1, 0]
    assert terminations.tolist() == [False, False, True, False]


def test_whoever_makes_the_last_move_is_rewarded_as_the_convention_says():
    for misere, reward in ((False, 1.0), (True, -1.0)):
        env = batch(heaps=(1,), num_envs=1, misere=misere)
        env.reset()
        _, rewards, terminations, _, _ = env.step([0])
        assert (rewards.tolist(), terminations.tolist()) == ([reward], [True])
        env = batch(heaps=(1, 1), num_envs=1, misere=misere, opponent="random")
        env.reset(seed=0)
        _, rewards, terminations, _, _ = env.step([0])
        assert (rewards.tolist(), terminations.tolist()) == ([-reward], [True])


@pytest.mark.parametrize(
    "opponent", [None, "random", Recorder()], ids=["none", "random", "recorder"]
)
@pytest.mark.parametrize("kept", [True, False])
def test_observations_are_copied_or_overwritten_as_asked(opponent, kept):
    env = batch(num_envs=3, copy=kept, opponent=opponent)
    first, _ = env.reset(seed=0)
    before = {key: values.copy() for key, values in first.items()}
    _, rewards, terminations, truncations, infos = env.step([0, 6, 12])
    ends = [rewards.copy(), terminations.copy(), truncations.copy(), infos["seat"].copy()]
    second, *_ = env.step(env.sample_actions())
    assert same(first, before) == kept
    assert np.shares_memory(first["observation"], second["observation"]) != kept
    assert same([rewards, terminations, truncations, infos["seat"]], ends)
    # The games do not depend on returned arrays: overwriting these changes nothing.
    positions = env.positions
    second["observation"][:] = 99
    second["action_mask"][:] = 0
    assert (env.positions == positions).all()
    observations, *_ = env.step(env.sample_actions())
    assert (observations["observation"] == env.positions).all()


def test_memory_of_large_observations_is_used_again_only_when_nothing_refers_to_it(monkeypatch):
    monkeypatch.setattr(outputs, "REUSED_BYTES", 0)
    env = batch(num_envs=3)
    held, expected, addresses = [], [], set()
    for step in range(9):
        observations = env.step(env.sample_actions())[0] if step else env.reset(seed=0)[0]
        observations["observation"][:] += 1
        # A view of a view, or the mask alone, is enough to hold the memory.
        held.append(observations["action_mask"][1:] if step % 2 else observations["observation"].T)
        expected.append(held[-1].copy())
    assert same(held, expected)
    del held, observations
    for _ in range(9):
        addresses.add(env.step(env.sample_actions())[0]["observation"].ctypes.data)
    assert len(addresses) <= 2


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "arguments",
    [
        {"start": "uniform"},
        {"start": "uniform", "opponent": 0.5, "seat": "random", "copy": False},
        {"heaps": (200, 200, 200), "start": "uniform", "encoding": "binary", "max_cycles": 2},
        {"num_envs": 2 * BLOCK},
    ],
    ids=str,
)
def test_copies_keep_the_games_in_progress_and_go_their_own_way(duplicate, arguments):
    env = batch(**arguments)
    play(env, 3, seed=5)
    again = duplicate(env)
    positions = env.positions
    line = [again.step(again.sample_actions()) for _ in range(6)]
    assert (env.positions == positions).all()
    assert same(line[-1], [env.step(env.sample_actions()) for _ in range(6)][-1])


@in_one_test("name", GAMES)
def test_make_vec_makes_every_registered_game(name):
    env = gymnasium.make_vec(
        gymnasium_id(name), num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(env, VectorGameEnv)
    assert env.spec.id == gymnasium_id(name)
    assert env.game == make_game(name)
    assert gymnasium_id(name) in str(env)
    play(env, 5, seed=0)
    # The entry point is Gymnasium's first choice, and a spec makes the same once more.
    again = gymnasium.make_vec(env.spec, num_envs=3)
    assert again.game == env.game


def test_make_vec_passes_arguments_on():
    env = gymnasium.make_vec(
        "nim_envs:nim_envs/MisereNim-v0",
        num_envs=4,
        heaps=(2, 2),
        opponent="optimal",
        seat="random",
        autoreset_mode="SameStep",
        copy=False,
    )
    assert env.game.rules.initial == (2, 2)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert (env.opponent, env.seat, env.copy) == ("optimal", "random", False)


def test_gymnasiums_wrappers_take_it():
    env = RecordEpisodeStatistics(batch(heaps=(1, 1), num_envs=2))
    env.reset(seed=0)
    env.step(np.array([0, 1]))
    *_, infos = env.step(np.array([1, 0]))
    assert infos["episode"]["r"].tolist() == [1.0, 1.0]
    assert infos["episode"]["l"].tolist() == [2, 2]
    env = DictInfoToList(batch(heaps=(1, 2), num_envs=2, autoreset_mode="SameStep"))
    env.reset(seed=0)
    env.step(np.array([0, 0]))
    *_, infos = env.step(np.array([3, 2]))
    assert infos[0]["final_obs"]["observation"].tolist() == [0, 0]
    final = infos[0]["final_info"]
    assert (final.pop("seat"), final.pop("winner")) == (0, 1)
    assert final.pop("action_mask").tolist() == [0, 0, 0, 0]
    assert not final
    assert infos[1].keys() == {"seat", "winner", "action_mask"}
    assert (infos[1]["seat"], infos[1]["winner"]) == (0, -1)


def test_the_text_shows_every_game():
    env = batch(heaps=(1, 2), num_envs=2, render_mode="ansi")
    with pytest.raises(ResetNeededError):
        env.render()
    env.reset()
    env.step([0, 2])
    env.step([3, 0])
    assert env.render() == (
        "the game is over\nheap 0  0  .\nheap 1  0  ..",
        "player_0 to move\nheap 0  0  .\nheap 1  1  o.",
    )
    silent = batch()
    silent.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


BAD_ARGUMENTS = [
    ({"num_envs": 0}, ["num_envs", "0"]),
    ({"num_envs": 2.5}, ["num_envs", "2.5"]),
    ({"opponent": "perfect"}, ["'perfect'", "random", "optimal"]),
    ({"opponent": 1.5}, ["1.5", "0 to 1"]),
    ({"opponent": True}, ["True"]),
    ({"opponent": "random", "seat": 2}, ["2", "random"]),
    ({"opponent": "random", "seat": True}, ["True"]),
    ({"opponent": "random", "seat": [0]}, ["[0]"]),
    ({"seat": 0}, ["seat", "self-play"]),
    ({"autoreset_mode": "Sometimes"}, ["Sometimes", "NextStep", "SameStep"]),
    ({"render_mode": "human"}, ["human", "rgb_array", "ansi"]),
    ({"illegal_move": "ignore"}, ["ignore", "forfeit"]),
    ({"encoding": "morse"}, ["morse", "one_hot"]),
    ({"max_cycles": 0}, ["max_cycles", "0"]),
    ({"copy": 1}, ["copy", "1"]),
    ({"mask_in_observation": 1}, ["mask_in_observation", "1"]),
    ({"truth_in_info": None}, ["truth_in_info", "None"]),
]


@pytest.mark.parametrize(("arguments", "named"), BAD_ARGUMENTS, ids=str)
def test_bad_arguments_are_refused_by_name(arguments, named):
    with pytest.raises(InvalidGameError) as caught:
        batch(**arguments)
    assert all(word in str(caught.value) for word in named)


def test_a_too_large_environment_is_refused_with_its_bytes():
    with pytest.raises(SearchTooLargeError, match=str(10**15)):
        batch(heaps=(10**15,))
    with pytest.raises(SearchTooLargeError, match=r"would take \d+ bytes .*limit is 1073741824"):
        batch(heaps=(17_000,))
    # Misère play that only a search solves: of too many positions.
    with pytest.raises(SearchTooLargeError, match=r"\d+ bytes"):
        batch("kayles", heaps=(60,), misere=True, opponent="optimal")
    play(batch("kayles", heaps=(60,), misere=True, opponent="random"), 3)


def test_an_optimal_opponent_needs_no_table_of_all_positions():
    for heaps in ((100,) * 5, (50,) * 12):
        play(batch(heaps=heaps, opponent="optimal", start="balanced", num_envs=2), 3)


@pytest.mark.parametrize(
    ("actions", "named"),
    [
        ([0, 1, 2], "(3,)"),
        ([0, 1, 2, 15], "environment 3 was given 15"),
        ([0, -1, 2, 3], "environment 1 was given -1"),
        (np.array([0, 1, 2, 2**64 - 1], dtype=np.uint64), str(2**64 - 1)),
        ([0.0, 1.0, 2.0, 3.0], "float64"),
        ([True, False, True, True], "bool"),
        ([0, 1, 2, True], "boolean True"),
        (0, "()"),
        (None, "object"),
        ("abcd", "dtype"),
        ([[0, 1, 2, 3]], "(1, 4)"),
    ],
    ids=str,
)
def test_invalid_actions_are_refused_by_name(actions, named):
    env = batch(num_envs=4)
    env.reset()
    before = pickle.dumps(env)
    with pytest.raises(InvalidActionError) as caught:
        env.step(actions)
    assert named in str(caught.value)
    assert "0 to 14" in str(caught.value)
    assert pickle.dumps(env) == before


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint16, np.int64, list, tuple])
def test_any_integers_are_actions(kind):
    env = batch(num_envs=3)
    env.reset()
    actions = np.array([0, 6, 12])
    actions = actions.astype(kind) if kind not in (list, tuple) else kind(actions.tolist())
    env.step(actions)
    assert env.positions.tolist() == [[2, 4, 5], [3, 2, 5], [3, 4, 2]]
    env.reset()
    frozen = np.array([0, 9, 6, 9, 12, 9], dtype=np.int64)[::2]
    frozen.setflags(write=False)
    env.step(frozen)
    assert env.positions.tolist() == [[2, 4, 5], [3, 2, 5], [3, 4, 2]]


@pytest.mark.parametrize("seed", [-1, 1.5, "1", [1, 2], [1, -2, 3], [1, 2.0, 3], True, [True] * 3])
def test_an_invalid_seed_is_refused_by_name(seed):
    env = batch(num_envs=3)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=seed)


@pytest.mark.parametrize(
    "mask", [[True] * 3, np.ones(2, bool), np.ones(3), np.zeros(3, bool), "all"], ids=str
)
def test_an_invalid_reset_mask_is_refused(mask):
    env = batch(num_envs=3)
    env.reset()
    with pytest.raises(ValueError, match=r"reset_mask must be .*\(3,\)"):
        env.reset(options={"reset_mask": mask})


def test_nothing_works_before_the_first_reset_or_after_close():
    env = batch(num_envs=2, render_mode="ansi")
    for ask in (lambda: env.step([0, 0]), env.sample_actions, env.render, lambda: env.positions):
        with pytest.raises(ResetNeededError, match="reset"):
            ask()
    with pytest.raises(ResetNeededError, match="first"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset()
    env.close()
    env.close()
    for ask in (env.reset, lambda: env.step([0, 0]), env.sample_actions):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            ask()
