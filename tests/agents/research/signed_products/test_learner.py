"""The learner of signed products without PyTorch: its network, play and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import HypothesisError, SignedProducts
from agents.research.signed_products.larger_boards import examine
from agents.research.signed_products.value_networks import (
    PRODUCTS,
    UNITS,
    SignedProductsNetwork,
)
from agents.research.signed_products.value_state import ValueState
from agents.research.signed_products.visited_positions import (
    HeapBoard,
    heap_options,
)
from agents.storage import load, save
from nim_envs import GameEnv, make_game
from nim_envs.errors import SearchTooLargeError
from tests.tables import all_positions

HEAPS = st.lists(st.integers(0, 30), min_size=1, max_size=6)


def random_state(seed, signed=True, rounded=False):
    """Values whose factors of an empty heap are 1, as they are after training."""
    state = ValueState(SignedProductsNetwork(signed), 3, 3, False, np.random.default_rng(seed))
    state.weights["angles"][0] = 0
    state.rounded = rounded
    return state


def logit(state, heaps, columns=5):
    board = HeapBoard(heap_options(make_game("nim", heaps=(31,))), len(heaps), state.network)
    assert columns >= board.columns
    table = state.network.key_table(len(heaps), columns)
    key = sum(table[heap, size] for heap, size in enumerate(heaps))
    return state.logits(np.array([key]), len(heaps), columns)[0]


def by_the_formula(weights, heaps, columns, signed, rounded):
    """The formula of the module's docstring, one position and one heap at a time."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def times(name, x):
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    factors = np.cos(weights["angles"].astype(float))
    factors = factors if signed else (1 + factors) / 2
    factors = np.round(factors) if rounded else factors
    state = np.zeros(UNITS)
    for bit in reversed(range(columns)):
        product = np.ones(PRODUCTS)
        for heap in heaps:
            product = product * factors[heap >> bit & 1]
        gates = times("input", times("mixed", np.tanh(times("hidden", product))))
        before = times("state", state)
        reset, keep = sigmoid((gates + before)[: 2 * UNITS]).reshape(2, UNITS)
        new = np.tanh(gates[2 * UNITS :] + reset * before[2 * UNITS :])
        state = keep * state + (1 - keep) * new
    return times("output", state)[0]


@settings(deadline=None, max_examples=50)
@given(HEAPS, st.booleans(), st.booleans(), st.integers(0, 99))
def test_it_computes_the_formula_of_its_docstring(heaps, signed, rounded, seed):
    state = random_state(seed, signed, rounded)
    state.weights["angles"][0] = np.linspace(0, 0.3, PRODUCTS)
    expected = by_the_formula(state.weights, heaps, 5, signed, rounded)
    assert logit(state, heaps) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("kayles", {}, "split"),
        ("addition", {}, "empty heap"),
    ],
)
def test_games_without_equal_heaps_are_refused_with_the_reason(name, arguments, reason):
    with pytest.raises(HypothesisError, match=reason):
        SignedProducts(make_game(name, **arguments))


@pytest.mark.parametrize("architecture", ["signed-products", "mlp"])
def test_before_it_has_learned_it_plays_legally_and_can_be_saved(tmp_path, architecture):
    env = GameEnv(make_game("nim", heaps=(1, 2, 4)))
    learner = SignedProducts.for_env(env, architecture=architecture)
    after = learner.greedy().move((1, 2, 4))
    assert sorted(a != b for a, b in zip(after, (1, 2, 4), strict=True)) == [False, False, True]
    save(learner, tmp_path / "learner")
    again = load(tmp_path / "learner")
    for name, array in learner.state.weights.items():
        np.testing.assert_array_equal(again.state.weights[name], array)
    assert again.describe() == learner.describe()


def test_it_plays_only_boards_of_its_own_game():
    learner = SignedProducts(make_game("nim", heaps=(3, 5)))
    assert learner.greedy(make_game("nim", heaps=(40, 2, 7))).move((0, 0, 1)) == (0, 0, 0)
    for other in (
        make_game("misere_nim", heaps=(3, 5)),
        make_game("nim", heaps=(9, 9), max_take=2),
        make_game("kayles"),
    ):
        with pytest.raises(ValueError, match="says nothing of"):
            learner.greedy(other)
    plain = SignedProducts(make_game("nim", heaps=(3, 5)), architecture="mlp")
    with pytest.raises(ValueError, match="says nothing of"):
        plain.greedy(make_game("nim", heaps=(3, 5, 7)))


def test_large_boards_are_judged_like_small_ones(monkeypatch):
    game = make_game("nim", heaps=(3, 5, 2))
    learner = SignedProducts(game)
    positions, masks = all_positions(game)
    by_table = learner.greedy().action_values(positions, masks)
    monkeypatch.setattr("agents.research.look_ahead.LARGEST_TABLE", 0)
    by_keys = learner.greedy().action_values(positions, masks)
    np.testing.assert_allclose(by_keys, by_table, atol=1e-5)


def test_an_exam_finds_that_random_values_contradict_themselves():
    board = HeapBoard(heap_options(make_game("nim", heaps=(7, 7))), 2, SignedProductsNetwork())
    contradictions, read = examine(random_state(0), board, np.random.default_rng(0))
    assert contradictions > 0.1
    assert read > 0


def test_heaps_whose_exam_is_too_large_are_refused_at_once():
    with pytest.raises(SearchTooLargeError, match="options of heaps of up to 65535 in the exam"):
        SignedProducts(make_game("nim", heaps=(600, 600)))
    SignedProducts(make_game("nim", heaps=(600, 600), max_take=3))
    with pytest.raises(ValueError, match=r"game must be a nim_envs.Game, not 'nim'"):
        SignedProducts("nim")
