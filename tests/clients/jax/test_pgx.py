"""The environment for JAX plays as the turn-based one does, and as pgx's own games do."""

import copy
import dataclasses
import pickle
import sys
from functools import lru_cache
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
from nim_envs.adapters import pgx as adapter
from nim_envs.adapters.pgx import PgxEnv, make_pgx
from nim_envs.encoding import ENCODINGS
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.starts import UniformStart
from tests.clients.tutorials import run_tutorial
from tests.games import REGISTERED, UNUSUAL, label
from tests.outcome_games import GAMES
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
@pytest.mark.parametrize("case", REGISTERED + UNUSUAL[::4], ids=label)
def test_it_is_in_lock_step_with_the_turn_based_environment(case):
    name, arguments = case
    env = make_pgx(name, **arguments)
    for illegal in (0.0, 0.1):
        play_in_lock_step(env, illegal)


@pytest.mark.parametrize("case", REGISTERED[::3] + UNUSUAL[2::4], ids=label)
def test_sums_are_in_lock_step_by_the_tables_of_their_parts(case, monkeypatch):
    monkeypatch.setattr(adapter, "LARGEST_GRAPH", 0)
    name, arguments = case
    # Another start, as the same game would be the same environment.
    env = make_pgx(name, **{**arguments, "start": "n_position"})
    play_in_lock_step(env, 0.1)


@pytest.mark.parametrize("name", ["tic-tac-toe", "dominoes", "random-2"])
def test_games_with_draws_are_in_lock_step_too(name):
    game = dataclasses.replace(GAMES[name]().game, starts=UniformStart())
    for illegal in (0.0, 0.1):
        play_in_lock_step(PgxEnv(game), illegal)


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
            assert shown.observation[index].tolist() == other.position.tolist()
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


STARTS = ["uniform", "n_position", "p_position", "balanced", "fixed"]


@pytest.mark.parametrize(("start", "largest"), in_turn(STARTS, [2**20, 0]))
def test_starts_are_drawn_from_their_distribution(start, largest, monkeypatch):
    monkeypatch.setattr(adapter, "LARGEST_GRAPH", largest)
    game = nim_envs.make_game("misere_nim", heaps=(3, 2, 2), start=start)
    support, chances = game.starts.sampler(game).support()
    positions = functions(PgxEnv(game))[0](keys(30_000)).position
    found, counts = np.unique(np.asarray(positions), axis=0, return_counts=True)
    order = np.lexsort(support.T[::-1])
    assert found.tolist() == support[order].tolist()
    assert len(found) == 1 or chisquare(counts, 30_000 * chances[order]).pvalue > 1e-4


def test_starts_of_boxes_that_are_too_large_to_list_are_refused():
    with pytest.raises(SearchTooLargeError, match="the limit for listing its positions"):
        make_pgx("nim", heaps=(50,) * 5, start="uniform")


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
    assert pickle.loads(pickle.dumps(env)) is env is make_pgx(env.game) is PgxEnv(env.game)


def test_states_at_positions_of_ones_own():
    env = make_pgx("nim", heaps=(3, 4, 5), encoding="one_hot")
    state = env.state_at((1, 0, 5), current_player=1)
    assert (state.position.tolist(), int(state.current_player)) == ([1, 0, 5], 1)
    assert not state.terminated
    assert env.step(state, 10).position.tolist() == [1, 0, 4]
    with pytest.raises(InvalidPositionError, match=r"\(9, 0, 0\)"):
        env.state_at((9, 0, 0))
    board = env.game.board
    states = jax.vmap(env.state_at)(board.coordinates)
    assert (states.position == board.coordinates).all()
    assert (states.terminated == board.ends).all()
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
