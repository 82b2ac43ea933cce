"""Promises of the turn-based environment."""

import numpy as np
import pettingzoo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import GameEnv, make_game
from nim_envs.errors import (
    ClosedEnvironmentError,
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    NimEnvsError,
    ResetNeededError,
)
from nim_envs.registry import GAMES
from nim_envs.starts import OutcomeStart


def make(name="nim", **arguments):
    return pettingzoo.make("aec", GAMES[name].aec_id, **arguments)


def test_an_illegal_move_forfeits_and_the_sum_stays_zero():
    env = make(heaps=(2, 3))
    env.reset()
    env.step(0)
    env.step(1)  # two objects from the first heap, of which one is left
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.position.tolist() == [1, 3]
    assert not env.observe("player_0")["action_mask"].any()
    for agent, reward in (("player_0", 1.0), ("player_1", -1.0)):
        assert (env.agent_selection, env.last()[1]) == (agent, reward)
        env.step(None)


def test_an_illegal_move_can_raise_and_leaves_everything_as_it_was():
    env = make(heaps=(2, 3), illegal_move="raise", render_mode="ansi")
    env.reset()
    before = env.state().tolist(), env.render(), dict(env.rewards)
    with pytest.raises(IllegalMoveError) as caught:
        env.step(2)
    assert "heap 0: option 2" in str(caught.value)
    assert "[0, 1, 3, 4, 5]" in str(caught.value)
    assert (env.state().tolist(), env.render(), dict(env.rewards)) == before
    env.step(0)
    with pytest.raises(IllegalMoveError, match=r"heap 0: take 2.* at \[1, 3\]"):
        env.step(1)
    assert env.position.tolist() == [1, 3]


def test_reset_options_choose_the_start_of_one_game():
    env = make(heaps=(3, 4, 5))
    for start, check in (
        ("n_position", lambda p: env.game.solution.is_winning(p)),
        ("p_position", lambda p: not env.game.solution.is_winning(p)),
        ("uniform", lambda p: any(p)),
        ("fixed", lambda p: p.tolist() == [3, 4, 5]),
        ((1, 0, 2), lambda p: p.tolist() == [1, 0, 2]),
        ([1, 0, 2], lambda p: p.tolist() == [1, 0, 2]),
        (np.array([0, 1, 0]), lambda p: p.tolist() == [0, 1, 0]),
        (OutcomeStart(winning=True, low=1), lambda p: (p >= 1).all()),
    ):
        for seed in range(5):
            env.reset(seed=seed, options={"start": start})
            assert check(env.position)
    env.reset()
    assert env.position.tolist() == [3, 4, 5]


@pytest.mark.parametrize("start", [(3, 4, 6), (0, 0, 0), "nowhere", (1.0, 2, 3)])
def test_an_invalid_start_is_refused_and_the_game_goes_on(start):
    env = make(heaps=(3, 4, 5))
    env.reset()
    env.step(0)
    with pytest.raises(InvalidPositionError):
        env.reset(options={"start": start})
    assert env.position.tolist() == [2, 4, 5]
    env.step(1 * 5 + 3)
    assert env.position.tolist() == [2, 0, 5]


def test_encodings_read_as_documented():
    def shown(encoding):
        env = make(heaps=(3, 5), encoding=encoding)
        env.reset(options={"start": (2, 5)})
        return env.observe("player_0")["observation"].tolist()

    assert shown("integer") == [2, 5]
    assert shown("one_hot") == [0, 0, 1, 0] + [0, 0, 0, 0, 0, 1]
    assert shown("binary") == [0, 1] + [1, 0, 1]
    assert shown("unary") == [1, 1, 0] + [1, 1, 1, 1, 1]


def test_next_starts_are_those_of_the_resets_to_come():
    env, other = make(heaps=(3, 4, 5)), make(heaps=(3, 4, 5))
    with pytest.raises(ResetNeededError, match="generator"):
        env.next_starts(1)
    for one in (env, other):
        one.reset(seed=6)
    for wrong in (-1, None, "a", 1.5):
        with pytest.raises(InvalidGameError, match="games must be an integer from 0"):
            env.next_starts(wrong)
    for options in ({"start": "uniform"}, {"start": "n_position"}, None):
        expected = []
        for _ in range(4):
            other.reset(options=options)
            expected.append(other.position.tolist())
        assert env.next_starts(4, options=options).tolist() == expected
    assert env.position.tolist() == [3, 4, 5]
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.next_starts(1)


def test_set_position_goes_on_from_there():
    env = make(heaps=(3, 4, 5))
    env.set_position((1, 1, 1))  # before the first reset
    assert (env.agent_selection, env.state().tolist()) == ("player_0", [1, 1, 1, 0])
    env.step(0)
    env.set_position((0, 0, 1))
    assert env.agent_selection == "player_1"
    env.step(2 * 5)
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    env.set_position((1, 0, 1), agent="player_0")
    assert env.agents == ["player_0", "player_1"]
    assert not any(env.terminations.values())
    assert env.state().tolist() == [1, 0, 1, 0]
    for bad in ((0, 0, 0), (9, 0, 0), (1, 1), "x", [[1, 1, 1]]):
        with pytest.raises(InvalidPositionError):
            env.set_position(bad)
    with pytest.raises(InvalidActionError, match="player_7"):
        env.set_position((1, 0, 1), agent="player_7")
    assert env.state().tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("first", ["player_0", "player_1"])
def test_after_a_truncation_only_the_seat_to_move_keeps_its_mask(first):
    env = make(heaps=(3, 4), max_cycles=1)
    env.reset()
    env.set_position((3, 4), agent=first)
    env.step(0)
    env.step(4)
    assert env.truncations == {"player_0": True, "player_1": True}
    other = "player_1" if first == "player_0" else "player_0"
    # It holds for both last observations, and so also while the seats leave one after the other.
    for agent in (first, other):
        assert env.agent_selection == agent
        for seat in (first, other):
            expected = [1, 1, 0, 0, 1, 1, 1, 0] if seat == first else [0] * 8
            assert env.observe(seat)["action_mask"].tolist() == expected
        assert env.last()[1:4] == (0.0, False, True)
        env.step(None)
    env.reset()
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1, 1]


def test_rendering_without_a_mode_warns_and_shows_nothing():
    env = make()
    env.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_nothing_works_before_the_first_reset_and_the_error_says_so():
    env = make(render_mode="ansi")
    for ask in (
        lambda: env.step(0),
        lambda: env.step(None),
        env.last,
        env.agent_iter,
        env.state,
        env.render,
        lambda: env.observe("player_0"),
        lambda: env.position,
    ):
        with pytest.raises(ResetNeededError, match="no game is in progress: call reset"):
            ask()


def test_a_window_shows_every_position(monkeypatch):
    shown = []
    monkeypatch.setattr(GameEnv, "render", lambda env: shown.append(env.position.tolist()))
    env = GameEnv(make_game("nim", heaps=(2, 3)), render_mode="human")
    env.reset()
    env.step(0)
    env.step(1)  # a forfeit
    env.set_position((1, 1))
    assert shown == [[2, 3], [1, 3], [1, 3], [1, 1]]


def test_naming_no_legal_move_ends_the_game_as_an_illegal_move_does():
    env, other = make(heaps=(3, 4, 5)).unwrapped, make(heaps=(3, 4, 5)).unwrapped
    with pytest.raises(ResetNeededError):
        env.forfeit()
    for each in (env, other):
        each.reset()
        each.step(0)
        each.step(0)
    env.forfeit()
    other.step(2)  # three objects from the first heap, of which one is left
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    with pytest.raises(ResetNeededError, match="the game is over"):
        env.forfeit()
    for _ in range(2):
        assert env.last()[1:] == other.last()[1:]
        for each in (env, other):
            each.step(None)
    strict = make(heaps=(1,), illegal_move="raise").unwrapped
    strict.reset()
    with pytest.raises(IllegalMoveError):
        strict.forfeit()


def test_none_is_an_action_of_finished_agents_alone():
    env = make(heaps=(1,))
    env.reset()
    for agent in ("player_2", None, 0):
        with pytest.raises(InvalidActionError, match=f"not {agent!r}"):
            env.observe(agent)
    with pytest.raises(InvalidActionError, match=r"None is allowed only when the game is over"):
        env.step(None)
    env.step(0)
    for action in (0, True, 0.0):
        with pytest.raises(InvalidActionError, match="must be None"):
            env.step(action)
    env.step(None)
    assert env.agents == ["player_0"]
    assert env.rewards == {"player_0": 0.0}  # its last reward was given with the last move
    assert env.last()[1] == 1.0
    env.step(None)
    assert env.agents == []
    for ask in (lambda: env.step(None), lambda: env.step(0), env.last):
        with pytest.raises(ResetNeededError, match="over"):
            ask()
    env.reset()
    assert env.position.tolist() == [1]


CALLS = st.one_of(
    st.tuples(
        st.just("step"),
        st.one_of(
            st.integers(-3, 16),
            st.none(),
            st.floats(),
            st.booleans(),
            st.text(max_size=2),
            st.integers(),
            st.integers(0, 9).map(np.int64),
            st.lists(st.integers(), max_size=2),
        ),
    ),
    st.tuples(st.just("reset"), st.sampled_from([None, "uniform", "x", (1, 0, 0), (9, 9, 9), 3])),
    st.tuples(st.just("observe"), st.sampled_from(["player_0", "player_1", "player_2", None, 0])),
    st.tuples(st.just("last"), st.none()),
    st.tuples(
        st.just("set_position"), st.sampled_from([(1, 1, 1), (0, 0, 0), (2,), "a", None, 1.5])
    ),
)


@settings(max_examples=120, deadline=None)
@given(
    calls=st.lists(CALLS, max_size=25),
    illegal_move=st.sampled_from(["forfeit", "raise"]),
    name=st.sampled_from(sorted(GAMES)),
)
def test_arbitrary_calls_raise_only_the_packages_own_errors(calls, illegal_move, name):
    env = make(name, illegal_move=illegal_move)
    total = 0.0
    for call, value in calls:
        try:
            if call == "step":
                env.step(value)
                total = sum(env.rewards.values()) if len(env.agents) == 2 else 0.0
            elif call == "reset":
                env.reset(options={"start": value} if value is not None else None)
            elif call == "observe":
                seen = env.observe(value)
                assert env.observation_space("player_0").contains(seen)
            elif call == "last":
                env.last()
            else:
                env.set_position(value)
        except NimEnvsError as error:
            assert str(error)
        assert total == 0
        assert len(env.agents) in (0, 1, 2)
        assert len(set(map(len, (env.rewards, env.terminations, env.infos)))) == 1
