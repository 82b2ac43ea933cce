"""The learner of column automata: learning, proofs, play and refusals."""

import numpy as np
import pytest

from agents import HypothesisError
from agents.research.column_automata.learner import ColumnAutomatonLearner
from agents.storage import load, save
from nim_envs import Game, make_game, optimality
from tests.agents.research.column_automata.claims import board, truth
from tests.agents.without_truth import TruthUsedError, forbid_truth, forbidden
from tests.tables import table_part

FULL = (1, 3, 5, 7, 9)


def learned(game, games=1_000, seed=0, **arguments):
    """A learner after its games, and the number of them."""
    learner, lengths = ColumnAutomatonLearner(game, **arguments), []
    learner.fit(game, games, seed, lambda winner, length: bool(lengths.append(length)))
    return learner, len(lengths)


@pytest.mark.parametrize("letters", ["1 |", "0 1 |"])
@pytest.mark.parametrize("seed", [0, 1])
def test_games_from_one_full_board_are_enough_for_all_of_nim(letters, seed):
    game = make_game("nim", heaps=FULL)
    learner, games = learned(game, 30, seed, letters=letters, play_from="start")
    assert learner.proof.startswith("who wins, for every number of heaps of every size")
    assert games <= 30
    assert learner.positions_read < game.board.num_positions / 10
    score = optimality(learner.greedy(), game)
    assert (score.count, score.percent) == (3_456, 100)
    assert (learner.automaton.is_lost(board(3, 8)) == truth(None, False, 3, 8)).all()


@pytest.mark.parametrize(
    ("heaps", "max_take", "misere", "letters"),
    [
        ((15, 15, 15, 15), None, True, "1 |"),
        ((7, 7), 1, False, "1 |"),
        ((7, 7), 3, False, "1 |"),
        ((7, 7), 3, False, "0 1 |"),
        ((15, 15, 15), 3, True, "1 |"),
        ((15, 15, 15), 7, False, "1 |"),
    ],
)
def test_other_games_are_proved_and_played_on_unseen_boards(heaps, max_take, misere, letters):
    arguments = {"max_take": max_take, "misere": misere}
    learner, _ = learned(make_game("nim", heaps=heaps, **arguments), letters=letters)
    assert learner.proof
    assert (learner.automaton.is_lost(board(3, 12)) == truth(max_take, misere, 3, 12)).all()
    larger = make_game("nim", heaps=(17, 5, 9), **arguments)
    assert optimality(learner.greedy(larger), larger).percent == 100


def test_it_moves_in_heaps_too_large_for_environments():
    learner, _ = learned(make_game("nim", heaps=FULL))
    policy = learner.greedy()
    heaps = [int(size) for size in np.random.default_rng(0).integers(2**59, 2**60, 20)]
    after = policy.move(heaps)
    changed = [index for index in range(20) if after[index] != heaps[index]]
    assert len(changed) == 1
    assert after[changed[0]] < heaps[changed[0]]
    total = 0
    for size in after:
        total ^= size
    assert total == 0
    assert policy.move(after) != after
    assert policy.move((2**100, 1)) == (1, 1)
    assert policy.move((1, 1)) == (0, 1)
    with pytest.raises(ValueError, match="no move"):
        policy.move((0, 0))


@pytest.mark.parametrize(
    ("k", "n"), [(2, 10), (5, 31), pytest.param(10, 60, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("misere", [False, True])
def test_a_single_total_is_learned_for_any_k_and_every_limit(k, n, misere):
    learner, _ = learned(make_game("addition", k=k, n=n, misere=misere))
    assert "for one heap of every size" in learner.proof
    larger = make_game("addition", k=k, n=7 * n, misere=misere)
    assert optimality(learner.greedy(larger), larger).percent == 100


def test_games_that_refute_the_hypothesis_are_refused_with_the_reason(monkeypatch):
    for game in (
        make_game("kayles", heaps=(5, 5)),
        make_game("subtraction", heaps=(5,), subtraction_set=(1, 3)),
        Game("table", (table_part([[-1, -1], [0, -1], [1, 0]]),) * 2, (2, 2)),
    ):
        with pytest.raises(HypothesisError, match="cannot learn"):
            ColumnAutomatonLearner(game)
    take_two = make_game("nim", heaps=(7, 7, 7), max_take=2)
    with pytest.raises(HypothesisError, match=r"\(3,\) and \(1, 2\) are the same .* one is lost"):
        learned(take_two)
    monkeypatch.setattr("agents.research.column_automata.learner.MOST_GUESSES", 1)
    with pytest.raises(HypothesisError, match="within 1 guesses and 50 states"):
        learned(make_game("nim", heaps=(7, 7), max_take=3))


def test_training_can_continue_to_the_proof_after_an_early_end(tmp_path):
    game = make_game("nim", heaps=(15, 15, 15, 15), misere=True)
    learner, games = learned(game, 7)
    assert (games, learner.proof) == (7, None)
    assert "not proved" in learner.describe()
    save(learner, tmp_path / "learner.zip")
    again = load(tmp_path / "learner.zip")
    assert again.positions_read == learner.positions_read
    again.fit(game, 1_000, seed=1)
    assert again.proof
    before = again.positions_read
    again.fit(game, 1_000, seed=2)
    assert again.positions_read == before


@pytest.mark.parametrize("labels", ["look-ahead", "q-learning"])
def test_no_solution_is_used(labels, monkeypatch):
    forbid_truth(monkeypatch)
    game = make_game("nim", heaps=(15, 15, 15), misere=True, start="uniform")
    with pytest.raises(TruthUsedError):
        _ = game.solution
    with pytest.raises(TruthUsedError):
        forbidden()
    learner, _ = learned(game, 200_000, labels=labels)
    assert learner.proof
    monkeypatch.undo()
    assert (learner.automaton.is_lost(board(3, 8)) == truth(None, True, 3, 8)).all()
