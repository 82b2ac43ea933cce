"""Random draws of the batched environment: starts, seats, sampled actions, opponents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs.envs.batched.kernels import CHUNK
from nim_envs.errors import (
    InvalidPositionError,
    ResetNeededError,
)
from nim_envs.registry import GAMES
from nim_envs.starts import UniformStart
from tests.goodness_of_fit import p_value
from tests.looped import in_one_test
from tests.nim_envs.envs.batches import MODES, Recorder, agrees, batch, play, same
from tests.pairwise import in_turn


def test_without_a_seed_games_differ_from_run_to_run():
    assert not same(*(play(batch(start="uniform", num_envs=50)) for _ in range(2)))


@given(
    seed=st.integers(0, 2**70),
    size=st.integers(2, 6),
    opponent=st.sampled_from([None, "random", 0.3, "optimal"]),
)
@settings(max_examples=25)
def test_a_game_depends_on_its_own_seed_alone(seed, size, opponent):
    """Game i of a batch seeded with s is the only game of a batch seeded with s + i."""
    arguments = {"start": "uniform", "opponent": opponent}
    if opponent is not None:
        arguments["seat"] = "random"
    together = batch(num_envs=size, **arguments)
    rng = np.random.default_rng(0)
    actions = rng.integers(together.single_action_space.n, size=(10, size))
    line = play(together, 10, seed=seed, actions=actions)
    assert same(line, play(together, 10, seed=[seed + i for i in range(size)], actions=actions))
    for i in range(size):
        alone = batch(num_envs=1, **arguments)
        expected = play(alone, 10, seed=seed + i, actions=actions[:, i : i + 1])
        for ours, theirs in zip(line, expected, strict=True):
            if isinstance(ours, tuple):
                assert agrees(ours[0], i, {key: values[0] for key, values in theirs[0].items()})
                assert all(a[i] == b[0] for a, b in zip(ours[1:-1], theirs[1:-1], strict=True))
                assert ours[-1]["seat"][i] == theirs[-1]["seat"][0]


@pytest.mark.parametrize(("opponent", "mode"), in_turn([None, 0.5], MODES[:2]))
def test_a_game_plays_alike_in_every_block_of_a_batch(opponent, mode):
    arguments = {"start": "uniform", "opponent": opponent, "autoreset_mode": mode}
    first, size = 2 * CHUNK - 5, 2 * CHUNK + 37
    together = batch(num_envs=size, **arguments)
    few = batch(num_envs=size - first, **arguments)
    together.reset(seed=3)
    few.reset(seed=3 + first)
    for _ in range(8):
        actions = together.sample_actions()
        assert same(actions[first:], few.sample_actions())
        observations, *results, infos = together.step(actions)
        expected, *few_results, few_infos = few.step(actions[first:])
        for ours, theirs in zip(
            (*observations.values(), *results, infos["seat"], infos["winner"]),
            (*expected.values(), *few_results, few_infos["seat"], few_infos["winner"]),
            strict=True,
        ):
            assert same(ours[first:], theirs)


def test_seeds_of_some_games_leave_the_others_as_they_are():
    env, other = (batch(num_envs=3, start="uniform", heaps=(9, 9, 9)) for _ in range(2))
    env.reset(seed=1)
    other.reset(seed=1)
    mask = np.array([False, True, False])
    before = env.positions
    observations, infos = env.reset(seed=[None, 5, None], options={"reset_mask": mask})
    assert (env.positions[[0, 2]] == before[[0, 2]]).all()
    assert infos["_seat"].tolist() == mask.tolist()
    assert (observations["observation"] == env.positions).all()
    expected = batch(num_envs=1, start="uniform", heaps=(9, 9, 9))
    expected.reset(seed=5)
    assert (env.positions[1] == expected.positions[0]).all()
    # The random numbers of the others go on where they were.
    env.reset()
    other.reset()
    assert (env.positions[[0, 2]] == other.positions[[0, 2]]).all()


def legal_actions(env, position):
    """Which actions are legal at a position, boolean ``(actions,)``."""
    return np.isin(np.arange(env.game.num_actions), env.game.actions(position))


def frequencies(env, start, draws, games):
    """Count each action drawn by ``draws`` in games that all begin at ``start``."""
    counts = np.zeros(env.single_action_space.n, dtype=int)
    for seed in range(0, games, env.num_envs):
        env.reset(seed=seed, options={"start": start})
        counts += np.bincount(draws(env), minlength=len(counts))
    return counts


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ({"heaps": (3, 4, 5)}, (1, 0, 2)),
        ({"heaps": (1, 3, 5, 7, 9, 11)}, (1, 2, 0, 7, 0, 5)),  # several groups
    ],
    ids=str,
)
def test_sampled_actions_are_uniform_over_the_legal_ones(arguments, start):
    env = batch(num_envs=50_000, **arguments)
    counts = frequencies(env, start, lambda env: env.sample_actions(), 50_000)
    legal = legal_actions(env, start)
    assert not counts[~legal].any()
    assert p_value(counts[legal]) > 1e-3
    # Two draws in a row are independent.
    second = env.sample_actions()
    again = np.bincount(second, minlength=len(legal))
    assert p_value(again[legal]) > 1e-3
    assert 0.5 < (env.sample_actions() == second).mean() * legal.sum() < 2


def test_sampling_changes_nothing_else():
    plain, sampled = (batch(start="uniform", opponent="random", seat="random") for _ in range(2))
    actions = np.random.default_rng(0).integers(15, size=(12, 5))
    plain.reset(seed=4)
    sampled.reset(seed=4)
    for chosen in actions:
        for _ in range(3):
            sampled.sample_actions()
        assert same(plain.step(chosen), sampled.step(chosen))


def opponents_first_moves(env):
    """The actions that led from the start to what the agent in seat 1 sees."""
    after = {position: action for action, position in env.game.moves(env.start)[::-1]}
    return np.array([after[tuple(position)] for position in env.positions.tolist()])


FIRST_MOVES = [
    # Normal play, in one group and in several.
    ("nim", {"heaps": (3, 4, 5)}, (1, 3, 3)),
    ("nim", {"heaps": (3, 4, 5)}, (3, 3, 3)),
    ("nim", {"heaps": (3, 4, 5, 9, 9, 9, 9)}, (3, 3, 3)),
    ("nim", {"heaps": (50,) * 12, "max_take": 3}, (5, 9, 50, 2, 1)),
    ("misere_nim", {"heaps": (90,) * 4}, (1, 1, 1, 0)),
    ("misere_nim", {"heaps": (90,) * 4, "max_take": 5}, (1, 7, 13, 13)),
    ("misere_nim", {"heaps": (90,) * 4}, (7, 7, 7, 0)),
    ("octal", {"code": "0.137", "heaps": (3,) * 12, "misere": True}, (3, 3, 2, 1)),
    ("kayles", {"heaps": (9,), "misere": True}, (5, 2, 0)),
    ("sum", {"games": (("kayles", {"heaps": (7,)}), "nim"), "misere": True}, (5, 1, 0, 0, 1, 3)),
    ("kayles", {"heaps": (60,)}, (20, 7, 13, 13, 1)),
    ("grundy", {"heaps": (50,)}, (20, 11, 13)),
    ("sum", {"games": (("nim", {"heaps": (9,)}), ("grundy", {"heaps": (45,)}))}, (3, 40)),
]


# Random moves do not depend on the theory: a board of each layout is enough.
@pytest.mark.parametrize(
    ("name", "arguments", "start", "opponent"),
    [
        *((*case, "optimal") for case in FIRST_MOVES),
        *((*case, "random") for case in FIRST_MOVES[::4]),
    ],
    ids=str,
)
def test_opponents_draw_uniformly_among_what_they_play(name, arguments, start, opponent):
    env = batch(name, **arguments, num_envs=500, opponent=opponent, seat=1)
    solution = env.game.solution
    env.start = start = start + (0,) * (len(env.game.fields) - len(start))
    counts = frequencies(env, start, opponents_first_moves, 10_000)
    wanted = np.flatnonzero(legal_actions(env, start))
    if opponent == "optimal" and solution.is_winning(start):
        wanted = solution.winning_actions(start)
    assert counts.sum() == counts[wanted].sum() == 10_000
    if len(wanted) > 1:
        assert p_value(counts[wanted]) > 1e-3


def test_epsilon_is_the_probability_of_a_random_move():
    env = batch(num_envs=500, opponent=0.25, seat=1)
    env.start = (3, 4, 5)
    counts = frequencies(env, (3, 4, 5), opponents_first_moves, 50_000)
    (best,) = env.game.solution.winning_actions((3, 4, 5))
    legal = legal_actions(env, env.start)
    expected = np.where(np.arange(len(legal)) == best, 0.75, 0.0) + 0.25 * legal / legal.sum()
    assert p_value(counts[legal], 50_000 * expected[legal]) > 1e-3


@in_one_test("name", GAMES)
def test_against_the_optimal_opponent_nobody_wins_from_a_p_position(name):
    """The agent is to move at a P-position: itself, or after the opponent opened."""
    for seat, start in ((0, "p_position"), (1, "n_position")):
        env = batch(name, num_envs=300, opponent="optimal", seat=seat, start=start)
        env.reset(seed=2)
        total = 0
        for _ in range(40):
            _, rewards, *_ = env.step(env.sample_actions())
            assert (rewards <= 0).all()
            total += rewards.sum()
        assert total < -300


@pytest.mark.parametrize(
    "opponent", ["random", "optimal", Recorder()], ids=["random", "optimal", "recorder"]
)
def test_a_game_that_the_first_move_ends_is_not_shown(opponent):
    env = batch(heaps=(2, 2), start="uniform", num_envs=400, opponent=opponent, seat=1)
    observations, _ = env.reset(seed=0)
    assert observations["action_mask"].any(axis=1).all()
    for _ in range(10):
        observations, _, terminations, _, _ = env.step(env.sample_actions())
        assert (observations["action_mask"].any(axis=1) | terminations).all()
    env = batch(heaps=(1,), num_envs=40, opponent=opponent, seat="random")
    for _ in range(3):
        _, infos = env.reset()
        assert not infos["seat"].any()
    env = batch(heaps=(1,), num_envs=2, opponent=opponent, seat=1)
    with pytest.raises(InvalidPositionError, match="first move ended"):
        env.reset()
    with pytest.raises(ResetNeededError):
        env.step([0, 0])


def test_seats_are_drawn_evenly_and_starts_as_their_distribution_says():
    env = batch(heaps=(2, 3), start="balanced", num_envs=60_000, opponent="random", seat="random")
    _, infos = env.reset(seed=0, options={"start": (2, 3)})
    assert p_value(np.bincount(infos["seat"])) > 1e-3
    env = batch(heaps=(2, 3), start="balanced", num_envs=60_000)
    env.reset(seed=0)
    positions, probabilities = env.game.starts.sampler(env.game).support()
    board = env.game.board
    lines = board.find(env.positions)
    expected = np.zeros(board.num_positions)
    np.add.at(expected, board.find(positions), probabilities)
    counts = np.bincount(lines, minlength=len(expected))
    assert not counts[expected == 0].any()
    here = expected > 0
    assert p_value(counts[here], 60_000 * expected[here]) > 1e-3


def test_reset_options_choose_the_starts_of_that_reset_alone():
    env = batch(heaps=(3, 4, 5), num_envs=50)
    solution = env.game.solution
    for start, check in (
        ("p_position", lambda p: not solution.is_winning(p).any()),
        ("n_position", lambda p: solution.is_winning(p).all()),
        ((1, 0, 2), lambda p: (p == (1, 0, 2)).all()),
        (UniformStart(low=1), lambda p: (p >= 1).all() and len(np.unique(p, axis=0)) > 10),
    ):
        env.reset(seed=1, options={"start": start})
        assert check(env.positions)
    env.reset(options={"start": (1, 0, 0)})
    env.step(np.zeros(50, dtype=int))
    env.step(np.zeros(50, dtype=int))
    assert (env.positions == (3, 4, 5)).all()
    with pytest.raises(InvalidPositionError):
        env.reset(options={"start": (0, 0, 0)})
    assert (env.positions == (3, 4, 5)).all()
