"""The environment for JAX plays as the turn-based one does, and as pgx's own games do."""

from __future__ import annotations

import copy
import pickle
import sys
from functools import lru_cache
from itertools import product
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import pgx
import pytest
from pgx.experimental import auto_reset
from scipy.stats import chisquare

import nim_envs
from nim_envs import GameEnv
from nim_envs.adapters.pgx import PgxEnv, layouts, make_pgx
from nim_envs.adapters.pgx.layouts import ComponentLayout, JointLayout
from nim_envs.adapters.pgx.starts import start_of
from nim_envs.encoding import ENCODINGS, Encoding
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.starts import UniformStart
from tests.clients.tutorials import run_tutorial
from tests.games import REGISTERED, UNUSUAL, label, labels
from tests.outcome_games import GAMES, LARGER, when_to_run
from tests.pairwise import in_turn

GAMES_AT_A_TIME = 8


def keys(number, seed=0):
    return jax.random.split(jax.random.PRNGKey(seed), number)


@lru_cache
def functions(env):
    """``init`` and ``step`` of many games at a time."""
    return jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))


def some_actions(rng, masks, illegal):
    """An action for each mask: a legal one, or with probability ``illegal`` one that is not."""
    actions = []
    for mask in masks:
        wanted = np.flatnonzero(mask == (rng.random() >= illegal))
        actions.append(rng.choice(wanted if len(wanted) else len(mask)))
    return np.array(actions, dtype=np.int32)


# What XLA compiles for a game takes a second: unusual boards are tried by one of the two tests.
@pytest.mark.parametrize("case", REGISTERED + UNUSUAL[::2], ids=label)
def test_it_is_in_lock_step_with_the_turn_based_environment(case):
    name, arguments = case
    env = make_pgx(name, **arguments)
    for illegal in (0.0, 0.1):
        play_in_lock_step(env, illegal)


LAYOUTS = [JointLayout, ComponentLayout]

TOO_LARGE = ["connect-4", "connect-3"]
"""Games whose positions are not tabulated."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *product(["tic-tac-toe", "dominoes", "random-2"], LAYOUTS),
        *(
            pytest.param(*each, marks=pytest.mark.exhaustive)
            for each in product(["hex-3", "connect-3-small"], LAYOUTS)
        ),
        *(
            pytest.param(*each, marks=when_to_run(each[0]))
            for each in [
                *product(TOO_LARGE, [ComponentLayout]),
                *in_turn([name for name in LARGER if name not in TOO_LARGE], LAYOUTS),
            ]
        ),
    ],
)
def test_games_with_draws_are_in_lock_step_too(name, kind, monkeypatch):
    if kind is ComponentLayout:
        monkeypatch.setattr(layouts, "LARGEST_JOINT", 0)
    entry = (GAMES | LARGER)[name]()
    game = nim_envs.Game(entry.game.rules, entry.game.convention, UniformStart())
    env = PgxEnv(game, "integer" if kind is JointLayout else "one_hot")
    assert isinstance(env.layout, kind)
    if kind is JointLayout:
        for illegal in (0.0, 0.1):
            play_in_lock_step(env, illegal)
    # Every move, by the functions that the game is made from.
    rules = game.rules
    action_of = {rules.describe_action(a).split(": ")[1]: a for a in range(rules.num_actions)}
    before, actions, after, ends = [], [], [], []
    for position in entry.truth():
        for name_of_move, reached in entry.moves(position):
            before.append(position)
            actions.append(action_of[str(name_of_move)])
            after.append(reached)
            ends.append(not entry.moves(reached))
    gets = np.array([-entry.outcome(p) if end else 0 for p, end in zip(after, ends, strict=True)])
    states = jax.vmap(env.state_at)(rules.checked_positions(np.array(before)))
    states = functions(env)[1](states, np.array(actions))
    assert np.array_equal(states.terminated, ends)
    assert np.array_equal(states.position, rules.checked_positions(np.array(after)))
    assert np.array_equal(states.rewards, np.stack([gets, -gets], axis=1))
    assert not np.signbit(states.rewards[states.rewards == 0]).any()
    assert {0} < {*gets.tolist()} or name.startswith("random")


def test_starts_of_games_with_draws_are_drawn_on_the_device():
    entry = GAMES["tic-tac-toe"]()
    values = entry.truth()
    for start, shares in (("draw_position", {0: 1}), ("balanced", {1: 1 / 3, 0: 1 / 3, -1: 1 / 3})):
        game = nim_envs.Game(entry.game.rules, entry.game.convention, start)
        states = functions(PgxEnv(game))[0](keys(3000))
        shown = game.rules.coordinates(np.asarray(states.position)).tolist()
        drawn = np.array([values[tuple(each)] for each in shown])
        assert {*drawn.tolist()} == {*shares}
        for value, share in shares.items():
            assert abs((drawn == value).mean() - share) < 0.05


def play_in_lock_step(env, illegal):
    init, step = functions(env)
    states = init(keys(GAMES_AT_A_TIME))
    others = []
    for position, player in zip(states.position, states.current_player, strict=True):
        other = GameEnv(env.game)
        other.reset(seed=0)
        other.set_position(np.asarray(position), PLAYERS[int(player)])
        others.append(other)
    rng = np.random.default_rng(env.num_actions)
    while True:
        shown = jax.tree.map(np.asarray, states)
        for index, other in enumerate(others):
            assert shown.position[index].tolist() == other.position.tolist()
            assert shown.observation[index].tolist() == other.coordinates.tolist()
            over = all(other.terminations.values())
            assert shown.terminated[index] == over
            assert not shown.truncated[index]
            mask = shown.legal_action_mask[index]
            if over:
                assert mask.all()
                continue
            agent = other.agent_selection
            assert PLAYERS[shown.current_player[index]] == agent
            assert mask.tolist() == (other.observe(agent)["action_mask"] != 0).tolist()
        if shown.terminated.all():
            break
        actions = some_actions(rng, shown.legal_action_mask, illegal)
        states = step(states, actions)
        for index, other in enumerate(others):
            rewards = states.rewards[index].tolist()
            if shown.terminated[index]:
                assert rewards == [0.0, 0.0]
            else:
                other.step(int(actions[index]))
                assert rewards == [other.rewards[agent] for agent in PLAYERS]
    assert max(states._step_count.tolist()) >= 1


@pytest.mark.parametrize(
    ("case", "shown"), in_turn(REGISTERED + UNUSUAL[1::2], ENCODINGS), ids=labels
)
def test_both_layouts_and_all_encodings_are_the_rules(case, shown):
    name, arguments = case
    game = nim_envs.make_game(name, **arguments)
    rules = game.rules
    rng = np.random.default_rng(0)
    positions = rng.permutation(rules.lattice())[:40]
    masks = rules.action_mask(positions)
    actions = some_actions(rng, masks != 0, 0.2)
    legal = masks[np.arange(len(masks)), actions] != 0
    after = positions.copy()
    after[legal] = rules.step(positions[legal], actions[legal])
    encoding = Encoding(shown, rules, np.int32)

    def looked_up(layout, places):
        """All that a layout says, with the game compiled once."""
        return (
            jax.vmap(layout.observe)(places),
            jax.vmap(lambda place: layout.mask(layout.legal(place)))(places),
            layout.positions(places),
            layout.positions(jax.vmap(layout.step)(places, actions)),
        )

    @jax.jit
    def both():
        kinds = [kind(rules, encoding) for kind in (JointLayout, ComponentLayout)]
        return [looked_up(one, jnp.asarray(one.places(positions))) for one in kinds]

    for seen, seen_masks, seen_positions, moved in both():
        assert seen.dtype == encoding.space.dtype
        assert (seen == encoding.encode(positions)).all()
        assert (seen_masks == (masks != 0)).all()
        assert (seen_positions == positions).all()
        assert (moved == after).all()


@pytest.mark.parametrize(("encoding", "name"), in_turn(ENCODINGS, ["misere_nim", "sum"]))
def test_observations_are_those_of_the_turn_based_environment(name, encoding):
    env = make_pgx(name, encoding=encoding)
    other = GameEnv(env.game, encoding=encoding)
    other.reset(seed=0)
    state = env.init(jax.random.PRNGKey(3))
    assert state.observation.shape == env.observation_shape
    while not state.terminated:
        seen = other.observe(other.agent_selection)["observation"]
        assert state.observation.tolist() == seen.tolist()
        assert (env.observe(state) == state.observation).all()
        action = int(np.flatnonzero(state.legal_action_mask)[-1])
        state = env.step(state, action)
        other.step(action)
    assert all(other.terminations.values())


@pytest.mark.parametrize("action", [-1, 12, 1000])
def test_an_action_that_there_is_not_is_illegal_and_a_finished_game_stays(action):
    env = make_pgx("nim", heaps=(4, 4, 4))
    state = env.init(jax.random.PRNGKey(0))
    after = env.step(state, action)
    assert after.terminated
    assert after.rewards[state.current_player] == -1
    assert after.position.tolist() == [4, 4, 4]
    again = env.step(after, action)
    assert again.rewards.tolist() == [0, 0]
    assert again.position.tolist() == [4, 4, 4]


@pytest.mark.parametrize("name", ["nim", "kayles"])
def test_it_passes_the_test_of_pgx(name, monkeypatch):
    env = make_pgx(name)
    # The list of ids there is of pgx's own games alone, and with this version of JAX its random
    # player fails in any game.
    tested = sys.modules["pgx._src.api_test"]
    monkeypatch.setattr(tested, "EnvId", Literal[env.id])
    choose = jax.jit(lambda key, mask: jax.random.categorical(key, jnp.log(mask)))
    monkeypatch.setattr(tested, "act_randomly", choose)
    pgx.api_test(env, 1)
    pgx.api_test(env, 1, use_key=False)


def test_either_player_begins():
    first = functions(make_pgx("nim"))[0](keys(4000)).current_player
    assert set(first.tolist()) == {0, 1}
    assert chisquare(np.bincount(first)).pvalue > 1e-4


def test_it_resets_itself_in_a_scan_and_both_players_win_as_often():
    env = make_pgx("misere_nim", heaps=(1, 2), start="uniform")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(states, key):
        draw, reset = jax.random.split(key)
        action = jax.random.categorical(draw, jnp.log(states.legal_action_mask))
        states = step(states, action, jax.random.split(reset, 100))
        return states, (states.terminated, states.rewards, states.position, states._step_count)

    states = jax.vmap(env.init)(keys(100))
    play = jax.jit(lambda states: jax.lax.scan(one, states, keys(60, seed=1)))
    terminated, rewards, positions, counts = map(np.asarray, play(states)[1])
    assert (np.abs(rewards).sum(axis=-1) == 2 * terminated).all()
    assert (rewards.sum(axis=-1) == 0).all()
    assert (counts[terminated] == 0).all()
    assert positions.any(axis=-1).all()
    winners = np.bincount(rewards[terminated].argmax(axis=-1))
    assert winners.sum() > 1000
    assert chisquare(winners).pvalue > 1e-4


def drawn(start, layout, number):
    """Positions that a start draws, and how often each was drawn."""
    words = jax.random.bits(jax.random.PRNGKey(0), (number, max(1, start.words)), jnp.uint32)
    positions = layout.positions(jax.jit(jax.vmap(start.place))(words))
    return np.unique(np.asarray(positions), axis=0, return_counts=True)


def assert_drawn_from(sampler, game, support, chances, kind=JointLayout):
    layout = kind(game.rules, Encoding("integer", game.rules, np.int32))
    found, counts = drawn(start_of(sampler, game.rules, layout), layout, 30_000)
    support = game.rules.positions_at(support)
    order = np.lexsort(support.T[::-1])
    assert found.tolist() == support[order].tolist()
    assert len(found) == 1 or chisquare(counts, 30_000 * chances[order]).pvalue > 1e-4


STARTS = ["uniform", "n_position", "p_position", "balanced", "fixed"]


@pytest.mark.parametrize(("start", "kind"), in_turn(STARTS, [JointLayout, ComponentLayout]))
def test_starts_that_are_listed(start, kind):
    game = nim_envs.make_game("misere_nim", heaps=(3, 2, 2), start=start)
    sampler = game.starts.sampler(game)
    assert_drawn_from(sampler, game, *sampler.support(), kind)


def test_starts_of_boxes_that_are_too_large_to_list_are_refused():
    with pytest.raises(SearchTooLargeError, match="the limit for listing its positions"):
        make_pgx("nim", heaps=(50,) * 5, start="uniform")


def test_tables_that_are_too_large_are_refused_in_bytes_before_they_are_made(monkeypatch):
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "1000000")
    with pytest.raises(
        SearchTooLargeError, match=r"tables on the device of 2 different .* would take 4\d{6} bytes"
    ):
        make_pgx("nim", heaps=(1000, 9))
    make_pgx("nim", heaps=(300, 300))
    with pytest.raises(SearchTooLargeError, match="lists on the device of 99999 starts"):
        make_pgx("nim", heaps=(9,) * 5, start="uniform")


def test_it_can_be_made_while_a_function_is_traced():
    @jax.jit
    def begin(key):
        return make_pgx("addition", k=2, n=5).init(key).position

    assert begin(jax.random.PRNGKey(0)).tolist() == [0]
    assert make_pgx("addition", k=2, n=5).init(jax.random.PRNGKey(0)).position.tolist() == [0]


def test_copies_and_pickles_are_the_same_environment():
    env = make_pgx("octal", start="uniform")
    state = env.init(jax.random.PRNGKey(0))
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert again.env is env
        assert (env.step(again, 0).position == env.step(state, 0).position).all()
    assert pickle.loads(pickle.dumps(env)) is env


def test_states_at_positions_of_ones_own():
    env = make_pgx("nim", heaps=(3, 4, 5), encoding="one_hot")
    state = env.state_at((1, 0, 5), current_player=1)
    assert (state.position.tolist(), int(state.current_player)) == ([1, 0, 5], 1)
    assert not state.terminated
    assert env.step(state, 10).position.tolist() == [1, 0, 4]
    with pytest.raises(InvalidPositionError, match=r"not \(9, 0, 0\)"):
        env.state_at((9, 0, 0))
    lattice = env.game.rules.lattice()
    states = jax.vmap(env.state_at)(lattice)
    assert (states.position == lattice).all()
    assert (states.terminated == env.game.rules.is_terminal(lattice)).all()
    assert states.legal_action_mask[0].all()


@pytest.mark.parametrize("encoding", ["integer", "one_hot"])
def test_optimality_takes_the_environment_and_functions_of_jax(encoding):
    env = make_pgx("nim", heaps=(3, 4, 5), encoding=encoding)
    game = env.game

    @jax.jit
    def uniform(observations, masks):
        assert observations.shape[1:] == env.observation_shape
        assert observations.dtype == env.encoding.space.dtype
        return masks / jnp.asarray(masks).sum(axis=1, keepdims=True)

    @jax.jit
    def first(observations, masks):
        return jnp.argmax(masks, axis=1)

    score = nim_envs.optimality(uniform, env)
    assert score.percent == pytest.approx(score.random_percent)
    numpy = nim_envs.optimality(lambda _, masks: masks.argmax(axis=1), game)
    assert nim_envs.optimality(first, env).percent == numpy.percent > 0


def test_pictures_show_the_positions(tmp_path):
    env = make_pgx("nim", heaps=(3, 4, 5))
    states = jax.vmap(env.init)(keys(2))
    for state, number in ((env.init(jax.random.PRNGKey(0)), 1), (states, 2)):
        assert state.to_svg().count("heap 2  5  ooooo") == number
    states.save_svg(tmp_path / "states.svg", color_theme="dark", scale=2.0)
    assert (tmp_path / "states.svg").read_text().startswith("<svg")
    assert "ooooo" in env.init(jax.random.PRNGKey(0))._repr_html_()


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidGameError, match="encoding must be one of"):
        make_pgx("nim", encoding="ternary")
    with pytest.raises(TypeError, match="'heap'; it takes heaps"):
        make_pgx("nim", heap=(3,))


def test_the_tutorial_learns_and_scores():
    score = run_tutorial("pgx")["score"]
    assert score.count == 102
    assert score.illegal_percent == 0
    assert score.percent > 90 > 2 * score.random_percent
