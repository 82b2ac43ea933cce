"""The network with signed products learns by self-play with PyTorch."""

import numpy as np
import pytest

from agents import SignedProducts
from agents.training import train
from nim_envs import GameEnv, make_game, optimality
from tests.agents.learning import contents
from tests.agents.without_truth import forbid_truth
from tests.clients.nim import lost

SMALL = {"heaps": (7, 7, 7), "start": "uniform"}


def trained(name="nim", games=800, seed=0, board=SMALL, **arguments):
    env = GameEnv(make_game(name, **board))
    learner = SignedProducts.for_env(env, **arguments)
    log = train(env, learner, games, seed=seed, progress=False)
    return learner, log


@pytest.fixture(scope="module")
def nim():
    return trained()


def test_it_learns_small_boards_and_plays_larger_ones(nim):
    learner, log = nim
    assert log.games < 800  # it ends by itself
    assert optimality(learner.greedy(), learner.game).percent == 100
    rng = np.random.default_rng(0)
    policy = learner.greedy(make_game("nim", heaps=(63,) * 8))
    for position in rng.integers(64, size=(30, 8)):
        if not lost(position, misere=False):
            assert lost(policy.move(position), misere=False)
    assert learner.proof is None
    assert "nothing was proved" in learner.describe()


def test_it_learns_misere_play_on_its_own_board():
    learner, _ = trained("misere_nim", 1_000, board={"heaps": (3, 3, 3), "start": "uniform"})
    lattice = learner.game.positions()
    for position in lattice[lattice.sum(axis=1) > 0]:
        if not lost(position, misere=True):
            assert lost(learner.greedy().move(position), misere=True)


def test_factors_are_rounded_in_the_end_and_order_and_empty_heaps_change_nothing(nim):
    state = nim[0].state
    factors = np.round(state.network.factors(state.weights))
    assert state.rounded
    assert set(factors.ravel().tolist()) <= {-1, 0, 1}
    assert (factors[1] == -1).any()  # or it could not tell odd from even
    policy = nim[0].greedy(make_game("nim", heaps=(7,) * 5))
    same = policy.loss_scores(np.array([[1, 2, 4, 0, 0], [0, 4, 0, 2, 1], [4, 2, 1, 0, 0]]))
    np.testing.assert_allclose(same, same[0], rtol=1e-5)
    few = nim[0].greedy().loss_scores(np.array([[4, 1, 2]]))
    np.testing.assert_allclose(few, same[:1], rtol=1e-5)


@pytest.mark.parametrize(
    "arguments", [{"factors": "unsigned"}, {"rounding": False}, {"architecture": "mlp"}]
)
def test_other_options_learn_and_the_same_seed_teaches_the_same(arguments):
    board = {"heaps": (2, 3)}
    one, other, third = (trained(board=board, games=64, seed=s, **arguments) for s in (1, 1, 2))
    assert contents(one[0]) == contents(other[0])
    assert contents(one[0]) != contents(third[0])
    np.testing.assert_array_equal(one[1].lengths, other[1].lengths)
    rounds = arguments == {"factors": "unsigned"}
    assert one[0].state.rounded == rounds
    if "factors" in arguments:
        assert one[0].state.network.factors(one[0].state.weights).min() >= 0


def test_without_negative_factors_it_does_not_learn_and_says_so():
    learner, log = trained(factors="unsigned", games=400)
    assert log.games == 400
    assert learner.state.contradictions > 0
    assert "contradictions in the last exam" in learner.describe()
    assert optimality(learner.greedy(), learner.game).percent < 100


def test_it_stops_where_it_is_told_to_and_keeps_what_it_has_learned():
    learner = SignedProducts(make_game("nim", **SMALL))
    before = learner.greedy().loss_scores(np.array([[1, 2, 3]]))
    played = []

    def interrupt(winner, length):
        played.append((winner, length))
        if len(played) == 40:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        learner.fit(learner.game, 400, 0, interrupt)
    assert learner.greedy().loss_scores(np.array([[1, 2, 3]])) != before
    assert learner.positions_read > 0
    learner.fit(learner.game, 400, 0, lambda winner, length: bool(played.append((winner, length))))
    assert all(length > 0 and winner == (length + 1) % 2 for winner, length in played)
    played.clear()
    learner.fit(learner.game, 400, 0, lambda winner, length: not played.append((winner, length)))
    assert len(played) == 1


def test_learning_and_stopping_use_no_knowledge_of_who_wins(monkeypatch):
    forbid_truth(monkeypatch)
    learner, log = trained()
    assert learner.state.contradictions == 0
    assert log.games < 800
