"""The batched environment agrees with the turn-based one and keeps Gymnasium's rules."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from nim_envs import Convention, Game, GameEnv, Rules, make_game
from nim_envs.encoding import Encoding
from nim_envs.envs.vector import VectorGameEnv, kernels, random_numbers
from nim_envs.envs.vector.tables import Grouping, row_layout, tabulate
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    ResetNeededError,
    SearchTooLargeError,
)
from nim_envs.registration import GAMES, aec_id, gymnasium_id, make_vector
from nim_envs.rules import TableComponent
from nim_envs.starts import UniformStart
from tests.games import ALL, label

MODES = list(AutoresetMode)
SEATS = ("player_0", "player_1")

# More than one group of components, states beyond int8, words that groups share.
LARGE = [
    ("nim", {"heaps": (1, 3, 5, 7, 9, 11), "start": "uniform"}),
    ("nim", {"heaps": (200, 1, 130), "start": "p_position"}),
    ("misere_nim", {"heaps": (40, 3, 50, 2, 60), "max_take": 3, "start": "balanced"}),
]


def batch(name="nim", num_envs=5, **arguments):
    return make_vector(name, num_envs, **arguments)


def mixed_actions(masks, rng, legal=0.9):
    """Mostly random legal actions, else any; any where none is legal."""
    actions = rng.integers(masks.shape[1], size=len(masks))
    for i, mask in enumerate(masks):
        if mask.any() and rng.random() < legal:
            actions[i] = rng.choice(np.flatnonzero(mask))
    return actions


class Shadow:
    """One turn-based environment that follows one game of a batch."""

    def __init__(self, case, **arguments):
        name, own = case
        self.env = pettingzoo.make("aec", aec_id(name), **own, **arguments)

    def begin(self, position):
        self.env.reset(options={"start": position})

    @property
    def mover(self):
        return SEATS.index(self.env.agent_selection)

    def seen(self, seat):
        return self.env.observe(SEATS[seat])

    @property
    def over(self):
        return any(self.env.terminations.values()) or any(self.env.truncations.values())


def agrees(observations, i, expected):
    return all((observations[key][i] == expected[key]).all() for key in expected)


@pytest.mark.parametrize("max_cycles", [None, 2])
@pytest.mark.parametrize("case", ALL + LARGE, ids=label)
def test_self_play_agrees_with_the_turn_based_environment_in_everything(case, max_cycles):
    env = batch(case[0], **case[1], max_cycles=max_cycles)
    rng = np.random.default_rng(0)
    shadows = [Shadow(case, max_cycles=max_cycles) for _ in range(env.num_envs)]
    observations, infos = env.reset(seed=1)
    for shadow, position in zip(shadows, env.positions, strict=True):
        shadow.begin(position)
    games = 0
    for _ in range(60):
        for i, shadow in enumerate(shadows):
            assert env.single_observation_space.contains(
                {key: values[i] for key, values in observations.items()}
            )
            assert infos["seat"][i] == shadow.mover
            assert agrees(observations, i, shadow.seen(shadow.mover))
        assert env.observation_space.contains(
            {key: np.ascontiguousarray(values) for key, values in observations.items()}
        )
        actions = mixed_actions(observations["action_mask"], rng)
        fresh = [shadow.over for shadow in shadows]
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for i, shadow in enumerate(shadows):
            if fresh[i]:
                shadow.begin(env.positions[i])
                expected = (0.0, False, False)
                games += 1
            else:
                mover = SEATS[shadow.mover]
                shadow.env.step(int(actions[i]))
                kept = shadow.env
                expected = (kept.rewards[mover], kept.terminations[mover], kept.truncations[mover])
            assert (rewards[i], terminations[i], truncations[i]) == expected
    assert games > 0


class Recorder:
    """An opponent that plays anything, mostly legal, and remembers what it was asked."""

    def __init__(self):
        self.rng = np.random.default_rng(5)
        self.asked = []

    def __call__(self, observations, masks, rng):
        assert isinstance(rng, np.random.Generator)
        actions = mixed_actions(masks, self.rng)
        self.asked.append((observations.copy(), masks.copy(), actions))
        return actions


def reply(shadow, i, asked):
    """Make the opponent's next move in the shadow of game ``i``, as it was asked for it."""
    for observations, masks, actions in asked:
        if masks[i].any():
            expected = shadow.seen(shadow.mover)
            assert (observations[i] == expected["observation"]).all()
            assert (masks[i] == expected["action_mask"]).all()
            shadow.env.step(int(actions[i]))
            return
    raise AssertionError("the opponent was not asked")


def ends_at_once(game):
    """Whether every move from the initial position ends the game."""
    rules = game.rules
    start = np.array(rules.initial)
    options = [rules.step(start, action) for action in np.flatnonzero(rules.action_mask(start))]
    return bool(rules.is_terminal(np.array(options)).all())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("case", ALL + LARGE, ids=label)
def test_versus_agrees_with_the_turn_based_environment_in_everything(case, seat):
    opponent = Recorder()
    env = batch(case[0], **case[1], opponent=opponent, seat=seat, max_cycles=3)
    if seat == 1 and ends_at_once(env.game):
        with pytest.raises(InvalidPositionError, match="no move"):
            env.reset()
        return
    rng = np.random.default_rng(0)
    shadows = [Shadow(case, max_cycles=3) for _ in range(env.num_envs)]
    observations, infos = env.reset(seed=1)
    fresh = [True] * env.num_envs
    rewards = np.zeros(env.num_envs)
    terminations = truncations = np.zeros(env.num_envs, dtype=bool)
    opened = 0
    for _ in range(40):
        for i, shadow in enumerate(shadows):
            if fresh[i] and seat == 0:
                shadow.begin(env.positions[i])
            elif fresh[i]:
                # The last opening counts: those before it ended their games.
                openings = [asked for asked in opponent.asked if asked[1][i].any()]
                before, _, actions = openings[-1]
                shadow.begin(before[i])
                shadow.env.step(int(actions[i]))
                opened += 1
            kept = shadow.env
            expected = (0.0, False, False)
            if not fresh[i]:
                agent = SEATS[seat]
                expected = (kept.rewards[agent], kept.terminations[agent], kept.truncations[agent])
            assert (rewards[i], terminations[i], truncations[i]) == expected
            assert infos["seat"][i] == seat
            assert agrees(observations, i, shadow.seen(seat))
        opponent.asked.clear()
        actions = mixed_actions(observations["action_mask"], rng)
        fresh = [shadow.over for shadow in shadows]
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for i, shadow in enumerate(shadows):
            if not fresh[i]:
                shadow.env.step(int(actions[i]))
                if not shadow.over:
                    reply(shadow, i, opponent.asked)
    assert (opened > 0) == (seat == 1)


class SelfPlay(gymnasium.Env):
    """Self-play in the turn-based environment as a Gymnasium environment of its own."""

    def __init__(self, game, space, max_cycles):
        self.env = GameEnv(game, max_cycles=max_cycles)
        self.observation_space = space
        self.action_space = spaces.Discrete(game.rules.num_actions)

    def seen(self):
        observation = self.env.observe(self.env.agent_selection)
        kind = self.observation_space["observation"].dtype
        seat = SEATS.index(self.env.agent_selection)
        return observation | {"observation": observation["observation"].astype(kind)}, {
            "seat": np.int8(seat)
        }

    def reset(self, *, seed=None, options=None):
        self.env.reset()
        return self.seen()

    def step(self, action):
        mover = self.env.agent_selection
        self.env.step(int(action))
        observation, info = self.seen()
        kept = self.env
        ends = (kept.terminations[mover], kept.truncations[mover])
        return observation, kept.rewards[mover], *ends, info


def same(one, other):
    """Whether two answers are equal, whatever they are made of."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) or getattr(one, "dtype", None) == np.dtype(object):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


@pytest.mark.parametrize("max_cycles", [None, 1])
@pytest.mark.parametrize("mode", MODES)
def test_every_autoreset_mode_answers_as_gymnasiums_own_vector_environment(mode, max_cycles):
    game = make_game("nim", heaps=(1, 2, 1))
    ours = VectorGameEnv(game, 4, autoreset_mode=mode, max_cycles=max_cycles)
    space = ours.single_observation_space
    theirs = SyncVectorEnv([lambda: SelfPlay(game, space, max_cycles)] * 4, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    observations, infos = ours.reset(seed=0)
    assert same([observations, infos], theirs.reset(seed=0))
    rng = np.random.default_rng(3)
    ended = 0
    for _ in range(60):
        actions = mixed_actions(observations["action_mask"], rng)
        answer = ours.step(actions)
        assert same(answer, theirs.step(actions))
        observations, over = answer[0], answer[2] | answer[3]
        ended += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(ResetNeededError, match="reset_mask"):
                ours.step(actions)
            observations, infos = ours.reset(options={"reset_mask": over.copy()})
            expected, expected_infos = theirs.reset(options={"reset_mask": over.copy()})
            assert same(observations, expected)
            assert same(infos["_seat"], expected_infos["_seat"])
            assert (infos["seat"] == expected_infos["seat"])[over].all()
    assert ended > 10


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponent", [None, "random", first_legal], ids=str)
@pytest.mark.parametrize("heaps", [(3, 4, 5), (40, 50, 60)], ids=["one group", "more groups"])
def test_where_games_are_cut_short_the_seat_to_move_keeps_its_mask(heaps, opponent, mode):
    seat = None if opponent is None else "random"
    env = batch(
        num_envs=20, heaps=heaps, opponent=opponent, seat=seat, max_cycles=1, autoreset_mode=mode
    )
    assert (len(env._engine._grouping.members) > 1) == (heaps[0] > 3)
    env.reset(seed=0)
    seats = set()
    for _ in range(1 if opponent is not None else 2):
        observations, rewards, terminations, truncations, infos = env.step(env.sample_actions())
    assert truncations.all()
    assert not terminations.any()
    assert not rewards.any()
    last, last_seats = observations, infos["seat"]
    if mode is AutoresetMode.SAME_STEP:
        last = {
            key: np.stack([seen[key] for seen in infos["final_obs"]])
            for key in ("observation", "action_mask")
        }
        last_seats = infos["final_info"]["seat"]
    for position, mask, agent in zip(*last.values(), last_seats, strict=True):
        # After as many moves of each player it is the turn of who moved first.
        legal = env.game.rules.action_mask(position.astype(np.int64))
        assert (mask == (legal if agent == 0 else 0)).all()
        seats.add(int(agent))
    assert seats == ({0} if opponent is None else {0, 1})


def play(env, steps=12, seed=None, actions=None):
    """Everything that some steps answer, from a reset on; random actions unless given."""
    line = [env.reset(seed=seed)]
    for step in range(steps):
        chosen = env.sample_actions() if actions is None else actions[step]
        line += [chosen, env.step(chosen)]
    return line


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"start": "uniform"},
        {"start": "balanced", "opponent": 0.5, "seat": "random"},
        {"start": "uniform", "opponent": Recorder, "seat": "random"},
        {"heaps": (200, 200, 200), "start": "uniform", "opponent": "random", "seat": "random"},
    ],
    ids=str,
)
def test_the_same_seed_gives_the_same_games(arguments, mode):
    def new():
        more = {"opponent": Recorder()} if arguments.get("opponent") is Recorder else {}
        return batch(**{**arguments, **more}, autoreset_mode=mode)

    one, other = new(), new()
    first = play(one, seed=7)
    assert same(first, play(other, seed=7))
    if arguments:
        assert not same(first, play(new(), seed=8))
    # They go on alike, and a new seed begins anew; an opponent's own generator is its own.
    assert same(play(one), play(other))
    if arguments.get("opponent") is not Recorder:
        assert same(first, play(one, seed=7))


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


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("opponent", [None, 0.5])
def test_threads_change_nothing(opponent, mode):
    arguments = {"start": "uniform", "opponent": opponent, "autoreset_mode": mode}
    size = 2 * kernels.BLOCK + 37
    lines = [
        play(batch(num_envs=size, num_threads=threads, **arguments), 8, seed=3)
        for threads in (1, 2, 3)
    ]
    assert same(lines[0], lines[1])
    assert same(lines[0], lines[2])


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


def test_the_random_numbers_are_those_of_splitmix64():
    """Known values for the seed 1234567."""
    state = np.uint64(1234567)
    drawn = []
    for _ in range(5):
        with np.errstate(over="ignore"):
            state = state + random_numbers.GAMMA
        drawn.append(int(random_numbers.mixed(state)))
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def frequencies(env, start, draws):
    """How often each action is drawn by ``draws`` in games that all begin at ``start``."""
    env.reset(seed=11, options={"start": start})
    drawn = draws(env)
    return np.bincount(drawn, minlength=env.single_action_space.n)


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ({"heaps": (3, 4, 5)}, (3, 4, 5)),
        ({"heaps": (3, 4, 5)}, (1, 0, 2)),
        ({"heaps": (1, 3, 5, 7, 9, 11)}, (1, 2, 0, 7, 0, 5)),  # several groups
    ],
    ids=str,
)
def test_sampled_actions_are_uniform_over_the_legal_ones(arguments, start):
    env = batch(num_envs=50_000, **arguments)
    counts = frequencies(env, start, lambda env: env.sample_actions())
    legal = env.game.rules.action_mask(np.array(start)).astype(bool)
    assert not counts[~legal].any()
    assert chisquare(counts[legal]).pvalue > 1e-3
    # Two draws in a row are independent.
    second = env.sample_actions()
    again = np.bincount(second, minlength=len(legal))
    assert chisquare(again[legal]).pvalue > 1e-3
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
    rules = env.game.rules
    start = env.start
    after = {
        tuple(rules.step(start, np.array(a))): a for a in np.flatnonzero(rules.action_mask(start))
    }
    return [after[tuple(position)] for position in env.positions.tolist()]


@pytest.mark.parametrize(
    ("opponent", "start"),
    [("random", (3, 4, 5)), ("optimal", (1, 3, 3)), ("optimal", (3, 3, 3)), ("optimal", (1, 2, 3))],
)
@pytest.mark.parametrize("heaps", [(3, 4, 5), (3, 4, 5, 9, 9, 9, 9)])
def test_opponents_draw_uniformly_among_what_they_play(heaps, opponent, start):
    env = batch(heaps=heaps, num_envs=50_000, opponent=opponent, seat=1)
    start = start + (0,) * (len(heaps) - len(start))
    env.start = np.array(start)
    counts = frequencies(env, start, opponents_first_moves)
    rules, solution = env.game.rules, env.game.solution
    wanted = np.flatnonzero(rules.action_mask(env.start))
    if opponent == "optimal" and solution.is_winning(start):
        wanted = solution.winning_actions(start)
    assert counts.sum() == counts[wanted].sum() == 50_000
    if len(wanted) > 1:
        assert chisquare(counts[wanted]).pvalue > 1e-3


def test_epsilon_is_the_probability_of_a_random_move():
    env = batch(num_envs=50_000, opponent=0.25, seat=1)
    env.start = np.array((3, 4, 5))
    counts = frequencies(env, (3, 4, 5), opponents_first_moves)
    (best,) = env.game.solution.winning_actions((3, 4, 5))
    legal = env.game.rules.action_mask(env.start).astype(bool)
    expected = np.where(np.arange(len(legal)) == best, 0.75, 0.0) + 0.25 * legal / legal.sum()
    assert chisquare(counts[legal], 50_000 * expected[legal]).pvalue > 1e-3


@pytest.mark.parametrize("name", GAMES)
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


def test_a_wild_game_is_answered_from_its_search():
    """Misère play of components that are not tame: only the exhaustive search knows."""
    paths = TableComponent(
        rows=((-1, -1, -1), (0, -1, -1), (1, -1, -1), (2, 0, -1), (0, -1, -1), (4, 3, 1))
    )
    game = Game(Rules("paths", (paths,) * 3, (5, 5, 5)), Convention.MISERE, UniformStart())
    env = VectorGameEnv(game, 200, opponent="optimal", seat=1)
    env.reset(seed=0, options={"start": "n_position"})
    assert not game.solution.is_winning(env.positions).any()


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
    assert chisquare(np.bincount(infos["seat"])).pvalue > 1e-3
    env = batch(heaps=(2, 3), start="balanced", num_envs=60_000)
    env.reset(seed=0)
    positions, probabilities = env.game.start.bind(env.game).support()
    lines = env.game.rules.indices(env.positions)
    expected = np.zeros(env.game.rules.num_positions)
    np.add.at(expected, env.game.rules.indices(positions), probabilities)
    counts = np.bincount(lines, minlength=len(expected))
    assert not counts[expected == 0].any()
    here = expected > 0
    assert chisquare(counts[here], 60_000 * expected[here]).pvalue > 1e-3


def test_starts_too_many_to_list_are_drawn_all_the_same():
    env = batch(heaps=(150, 150, 150), max_take=2, start="uniform", num_envs=3_000, max_cycles=1)
    env.reset(seed=0)
    first = env.positions
    assert chisquare(np.bincount(first[:, 0], minlength=151)).pvalue > 1e-3
    for _ in range(3):
        env.step(env.sample_actions())
    assert (env.positions != first).any(axis=1).mean() > 0.99


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


@pytest.mark.parametrize("encoding", ["integer", "one_hot", "binary", "unary"])
@pytest.mark.parametrize("case", ALL + LARGE, ids=label)
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


@pytest.mark.parametrize("largest", [1, 40, 10**6])
def test_however_components_are_grouped_the_tables_say_what_the_rules_say(largest):
    rules = make_game("nim", heaps=(2, 0, 9, 1, 4, 3), max_take=7).rules
    encoding = Encoding("integer", rules, np.int8)
    grouping = Grouping(rules, largest)
    assert [c for group in grouping.members for c in group] == list(range(6))
    tables, layout = tabulate(grouping, encoding), row_layout(rules, encoding)
    lattice = rules.lattice()
    states = grouping.states(lattice)
    assert (grouping.positions(states) == lattice).all()
    assert (grouping.strides @ states == np.arange(len(lattice))).all()
    rows = np.full((len(lattice), layout.words), 2**64 - 1, dtype=np.uint64)
    outcomes = np.zeros(len(lattice), dtype=np.uint8)
    kernels.write_observations(
        *(tables.groups, tables.words, tables.columns, tables.shared),
        *(states, outcomes, layout.mask_column, rows, 0, len(lattice)),
    )
    assert (layout.observations(rows) == lattice).all()
    assert (layout.action_masks(rows) == rules.action_mask(lattice)).all()


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


def test_a_called_opponents_actions_are_checked_too():
    answers = []

    def broken(observations, masks, rng):
        return answers[-1]

    for bad, named in (
        (np.full(4, 15), "15"),
        ([0, 0, -1, 0], "-1"),
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
    # What is shown is not what is played: spoiling it spoils nothing.
    positions = env.positions
    second["observation"][:] = 99
    second["action_mask"][:] = 0
    assert (env.positions == positions).all()
    observations, *_ = env.step(env.sample_actions())
    assert (observations["observation"] == env.positions).all()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "arguments",
    [
        {"start": "uniform"},
        {"start": "uniform", "opponent": 0.5, "seat": "random", "copy": False},
        {"heaps": (200, 200, 200), "start": "uniform", "encoding": "binary", "max_cycles": 2},
        {"num_envs": 2 * kernels.BLOCK, "num_threads": 2},
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


@pytest.mark.parametrize("name", GAMES)
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
    with pytest.raises(TypeError, match="heapz"):
        gymnasium.make_vec("nim_envs/Nim-v0", num_envs=2, heapz=(1, 2))


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
    assert infos[0]["final_info"] == {"seat": 0}
    assert infos[1] == {"seat": 0}


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
    ({"num_threads": 0}, ["num_threads", "0"]),
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
]


@pytest.mark.parametrize(("arguments", "named"), BAD_ARGUMENTS, ids=str)
def test_bad_arguments_are_refused_by_name(arguments, named):
    with pytest.raises(InvalidGameError) as caught:
        batch(**arguments)
    assert all(word in str(caught.value) for word in named)


def test_what_is_too_large_is_refused():
    with pytest.raises(SearchTooLargeError, match=str(10**15)):
        batch(heaps=(10**15,))
    heaps = (50,) * 12
    with pytest.raises(SearchTooLargeError, match=str(51**12)):
        batch(heaps=heaps, opponent="optimal")
    play(batch(heaps=heaps, opponent="random"), 3)


@pytest.mark.parametrize(
    ("actions", "named"),
    [
        ([0, 1, 2], "(3,)"),
        ([0, 1, 2, 15], "environment 3 was given 15"),
        ([0, -1, 2, 3], "environment 1 was given -1"),
        (np.array([0, 1, 2, 2**64 - 1], dtype=np.uint64), str(2**64 - 1)),
        ([0.0, 1.0, 2.0, 3.0], "float64"),
        ([True, False, True, True], "bool"),
        (0, "()"),
        (None, "object"),
        ("abcd", "dtype"),
        ([[0, 1, 2, 3]], "(1, 4)"),
    ],
    ids=str,
)
def test_what_are_no_actions_is_refused_by_name(actions, named):
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
def test_what_is_no_seed_is_refused_by_name(seed):
    env = batch(num_envs=3)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=seed)


@pytest.mark.parametrize(
    "mask", [[True] * 3, np.ones(2, bool), np.ones(3), np.zeros(3, bool), "all"], ids=str
)
def test_what_is_no_reset_mask_is_refused(mask):
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
    env = batch(num_envs=3 * kernels.BLOCK, num_threads=2)
    play(env, 2)
    env.close()
