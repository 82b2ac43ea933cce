"""Learning rules and action selection on hand-computed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from agents import GradientBandit, QLearning, Transition
from agents.learners.gradient_bandit import gradient_bandit_update
from agents.learners.q_learning import q_learning_update
from agents.tabular.index import ObservationIndex, check_memory, num_actions
from agents.tabular.selection import (
    epsilon_greedy_action,
    greedy_action,
    largest_legal,
    random_action,
    random_of_mask,
    sample,
    softmax,
)

ONE = np.ones(2, dtype=np.int8)
NONE = np.zeros(2, dtype=np.int8)
BOTH = np.array([0, 1])
NOTHING = np.array([], dtype=np.int64)


def test_negamax_takes_the_opponents_best_reply_with_a_minus_sign():
    table = np.array([[0.5, 0.0], [0.2, 0.6]])
    q_learning_update(table, 0, 0, 0.0, 1, BOTH, 0.5, -0.9)
    # 0.5 + 0.5 * (0 - 0.9 * 0.6 - 0.5)
    assert table[0].tolist() == pytest.approx([-0.02, 0.0])
    assert table[1].tolist() == [0.2, 0.6]


def test_negamax_looks_at_legal_replies_alone():
    table = np.array([[0.0, 0.0], [0.2, 0.6]])
    q_learning_update(table, 0, 1, 0.0, 1, np.array([0]), 1.0, -1.0)
    assert table[0].tolist() == pytest.approx([0.0, -0.2])


def test_negamax_learns_the_reward_alone_where_the_game_is_over():
    table = np.array([[0.5, 0.0], [9.0, 9.0]])
    q_learning_update(table, 0, 0, 1.0, 1, NOTHING, 0.1, -0.9)
    assert table[0, 0] == pytest.approx(0.55)


def test_q_learning_finds_its_rows_by_observation():
    box = spaces.Box(low=np.array([0, 0]), high=np.array([2, 3]), dtype=np.int64)
    agent = QLearning(box, spaces.Discrete(2), learning_rate=0.5, discount=1.0)
    agent.table[1 * 4 + 1] = [0.25, -1.0]
    agent.update(
        Transition(
            seat=1,
            observation=np.array([2, 1]),
            action_mask=ONE,
            action=1,
            reward=0.0,
            reply_observation=np.array([1, 1]),
            reply_action_mask=ONE,
            reply_reward=-1.0,
            next_observation=np.array([0, 1]),
            next_action_mask=NONE,
            terminated=True,
        )
    )
    expected = np.zeros((12, 2))
    expected[5] = [0.25, -1.0]
    expected[9, 1] = 0.5 * (-0.25)
    assert agent.table.tolist() == expected.tolist()


def test_gradient_bandit_moves_preferences_by_the_advantage():
    preferences = np.zeros((1, 3))
    baselines, visits, scratch = np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros(3)
    legal = np.array([0, 1])
    # First game: a win with action 0 from baseline 0, probabilities one half each.
    gradient_bandit_update(preferences, baselines, visits, 0, legal, 0, 1.0, 0.1, 1.0, scratch)
    assert preferences[0].tolist() == pytest.approx([0.05, -0.05, 0.0])
    assert (baselines[0], visits[0]) == (1.0, 1)
    # Second game: a loss with action 1; the baseline is the mean before it, 1.
    first = 1 / (1 + math.exp(-0.1))
    gradient_bandit_update(preferences, baselines, visits, 0, legal, 1, -1.0, 0.1, 1.0, scratch)
    step = 0.1 * (-1 - 1)
    assert preferences[0].tolist() == pytest.approx(
        [0.05 - step * first, -0.05 + step * (1 - (1 - first)), 0.0]
    )
    assert (baselines[0], visits[0]) == (0.0, 2)


def bandit_turn(seat, position, action, reward, reply_reward, terminated):
    observation = np.array([position])
    return Transition(
        seat, observation, ONE, action, reward, observation, ONE, reply_reward, observation, ONE,
        terminated,
    )  # fmt: skip


def test_gradient_bandit_learns_from_all_turns_of_a_seat_when_its_game_ends():
    box = spaces.Box(low=0, high=4, shape=(1,), dtype=np.int64)
    agent = GradientBandit(box, spaces.Discrete(2), learning_rate=0.2)
    agent.update(bandit_turn(0, 1, 0, 0.0, 0.0, terminated=False))
    agent.update(bandit_turn(1, 2, 1, 0.0, 0.0, terminated=False))
    assert not agent.preferences.any()
    agent.update(bandit_turn(0, 3, 1, 0.0, -1.0, terminated=True))
    assert agent.preferences[1].tolist() == pytest.approx([-0.1, 0.1])
    assert agent.preferences[3].tolist() == pytest.approx([0.1, -0.1])
    assert not agent.preferences[2].any()
    agent.update(bandit_turn(1, 4, 1, 1.0, 0.0, terminated=True))
    assert agent.preferences[2].tolist() == pytest.approx([-0.1, 0.1])
    assert agent.visits.tolist() == [0, 1, 1, 1, 1]
    assert agent.baselines.tolist() == [0, -1, 1, -1, 1]


@given(
    values=st.lists(st.sampled_from([-1.0, 0.0, 0.5]), min_size=1, max_size=6),
    bits=st.lists(st.booleans(), min_size=6, max_size=6),
    uniform=st.floats(0, 1, exclude_max=True),
    epsilon=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_selection_picks_legal_actions_of_the_right_kind(values, bits, uniform, epsilon):
    row = np.array(values)
    mask = np.array(bits[: len(values)], dtype=np.int8)
    legal = np.flatnonzero(mask)
    allowed = legal.tolist()
    if not allowed:
        assert random_action(legal, uniform) == greedy_action(row, legal, uniform) == -1
        assert largest_legal(row, legal) == -np.inf
        return
    best = max(row[allowed])
    assert largest_legal(row, legal) == best
    assert random_action(legal, uniform) == allowed[int(uniform * len(allowed))]
    assert random_of_mask(mask, uniform) == random_action(legal, uniform)
    assert row[greedy_action(row, legal, uniform)] == best
    chosen = epsilon_greedy_action(row, legal, epsilon, uniform)
    assert chosen in allowed
    if uniform >= epsilon:
        assert row[chosen] == best
    probabilities = np.full(len(values), np.nan)
    softmax(row, legal, 0.7, probabilities)
    weights = np.exp(row / 0.7) * mask
    assert probabilities.tolist() == pytest.approx((weights / weights.sum()).tolist())
    drawn = sample(probabilities, uniform)
    below = probabilities[:drawn].sum()
    assert drawn in allowed
    assert below - 1e-9 <= uniform <= below + probabilities[drawn] + 1e-9


def test_selection_is_as_likely_as_it_should_be():
    grid = (np.arange(12_000) + 0.5) / 12_000
    row, legal = np.array([0.0, 2.0, 2.0, 5.0]), np.array([0, 1, 2])
    counts = np.bincount([epsilon_greedy_action(row, legal, 0.3, u) for u in grid], minlength=4)
    assert counts.tolist() == pytest.approx([1200, 5400, 5400, 0], abs=3)


def test_softmax_survives_preferences_of_any_size():
    probabilities = np.zeros(3)
    softmax(np.array([1e6, -1e6, 1e6]), np.array([0, 1, 2]), 1.0, probabilities)
    assert probabilities.tolist() == [0.5, 0.0, 0.5]


@given(bounds=st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=4))
def test_every_observation_has_a_number_of_its_own(bounds):
    low = np.array([bottom for bottom, _ in bounds])
    high = np.array([bottom + more for bottom, more in bounds])
    index = ObservationIndex(spaces.Box(low=low, high=high, dtype=np.int64))
    everything = np.stack(
        np.meshgrid(*[np.arange(a, b + 1) for a, b in zip(low, high, strict=True)], indexing="ij"),
        axis=-1,
    ).reshape(-1, len(bounds))
    assert index.many(everything).tolist() == list(range(index.size))
    assert [index(observation) for observation in everything] == list(range(index.size))


def test_what_no_table_can_be_made_for_is_refused():
    with pytest.raises(TypeError, match="integer"):
        ObservationIndex(spaces.Box(0.0, 1.0, (3,)))
    with pytest.raises(TypeError, match="Discrete"):
        num_actions(spaces.Box(0, 1, (3,), dtype=np.int64))
    with pytest.raises(MemoryError, match="GiB"):
        check_memory((10**9, 100))
    with pytest.raises(MemoryError, match="GiB"):
        QLearning(spaces.Box(0, 10**6, (2,), dtype=np.int64), spaces.Discrete(9))


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (QLearning, {"learning_rate": 0.0}),
        (QLearning, {"learning_rate": 1.5}),
        (QLearning, {"discount": -0.1}),
        (QLearning, {"epsilon": 2}),
        (QLearning, {"epsilon": math.nan}),
        (GradientBandit, {"learning_rate": -1.0}),
        (GradientBandit, {"temperature": 0.0}),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(make, parameter):
    box = spaces.Box(low=0, high=4, shape=(1,), dtype=np.int64)
    ((name, value),) = parameter.items()
    with pytest.raises(ValueError, match=name) as caught:
        make(box, spaces.Discrete(2), **parameter)
    assert repr(value) in str(caught.value)
