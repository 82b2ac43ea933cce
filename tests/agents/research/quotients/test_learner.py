"""The quotient learner: learning, proofs, play, saved files and refusals."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from agents.base import HypothesisError
from agents.research.quotients.learner import QuotientLearner
from agents.storage import load, save
from nim_envs import Game, make_game, optimality
from nim_envs.solution import graph_values
from tests.agents.without_truth import forbid_truth
from tests.heap_search import HeapSearch
from tests.tables import all_positions, table_part

GRAPH = {"successors": ((), (0,), (1, 0), (2,), (3, 1)), "tokens": (4, 3)}

SIZES = {
    # Classes of normal play: as many as Grundy values there are sums of. Of misère play: the
    # orders in Plambeck and Siegel (2008), and those that MisereSolver finds.
    ("nim", 15, False): 16, ("kayles", 40, False): 16, ("dawsons_kayles", 40, False): 8,
    ("grundy", 25, False): 8, ("nim", 15, True): 18, ("kayles", 12, True): 24,
    ("kayles", 80, True): 40, ("dawsons_kayles", 24, True): 24,
}  # fmt: skip


def learned(game, seed=0, **arguments):
    learner = QuotientLearner(game, **arguments)
    learner.fit(game, 100_000, seed)
    return learner


def heaps_of(name, heap, misere, **arguments):
    return make_game(name, heaps=(heap,), misere=misere, **arguments)


@pytest.mark.parametrize(("name", "heap", "misere"), SIZES)
def test_it_learns_and_proves_the_known_classes(name, heap, misere):
    learner = learned(heaps_of(name, heap, misere))
    assert learner.size == f"{SIZES[name, heap, misere]} classes"
    assert learner.is_complete
    assert f"heap in states 0 to {heap}" in learner.proof


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))]
)
def test_classes_that_are_too_coarse_are_repaired(seed):
    # The 24 classes of heaps up to 24 are too coarse for heap 25.
    game = heaps_of("dawsons_kayles", 25, True)
    learner = learned(game, seed)
    assert learner.size == "144 classes"
    assert learner.proof is not None


@pytest.mark.parametrize("misere", [False, True])
def test_all_kinds_of_components_are_learned(misere):
    kinds = {
        "nim": {"heaps": (3,)}, "graph": GRAPH,
        "octal": {"code": "0.6", "heaps": (4,)}, "addition": {"k": 2, "n": 3},
    }  # fmt: skip
    game = make_game("sum", games=tuple(kinds.items()), misere=misere)
    learner = learned(game)
    assert learner.proof is not None
    assert says_who_wins(learner, game)
    assert optimality(learner, game).percent == pytest.approx(100)


def says_who_wins(learner, game):
    """Whether the classes agree with exhaustive search, where there is a move."""
    positions, _ = all_positions(game)
    board, end = game.board, np.int8(1 if game.misere else -1)
    lost = graph_values(board, end) == -1
    return (learner.greedy().loss_scores(positions) == lost).all()


def random_game(rng, misere):
    rows = [(-1, -1, -1)] + [
        tuple(rng.integers(-1, state, size=3).tolist()) for state in range(1, 7)
    ]
    return Game("random", (table_part(rows),) * 3, (6, 5, 4), misere=misere)


@pytest.mark.parametrize("misere", [False, True])
def test_random_parts_are_learned(misere):
    rng = np.random.default_rng(4)
    for _ in range(25):
        game = random_game(rng, misere)
        learner = learned(game)
        assert learner.proof is not None
        assert says_who_wins(learner, game)


def test_games_with_too_many_classes_are_refused(monkeypatch):
    game = heaps_of("octal", 12, True, code="0.06")
    monkeypatch.setattr("agents.research.quotients.learner.MOST_CLASSES", 10)
    with pytest.raises(HypothesisError, match=r"more than 10 classes.* there may be infinitely"):
        learned(game)
    monkeypatch.setattr("agents.research.quotients.learner.MOST_CLASSES", 12)
    learner = QuotientLearner(heaps_of("kayles", 9, True))
    with pytest.raises(
        HypothesisError, match=r"with 9 were not found: .*Without it there are 12, which are proved"
    ):
        learner.fit(learner.game, 10_000, seed=0)
    assert learner.size == "12 classes"
    assert learner.proof is not None
    monkeypatch.setattr("agents.research.quotients.learner.MOST_READ", 20)
    with pytest.raises(HypothesisError, match="more than 20 positions"):
        learned(heaps_of("kayles", 9, True))


def test_no_solution_is_used(monkeypatch):
    forbid_truth(monkeypatch)
    for misere in (False, True):
        learner = learned(heaps_of("kayles", 12, misere))
        assert learner.is_complete
        assert learner.proof is not None


def test_a_period_is_a_conjecture_until_enough_heaps_are_learned():
    learner = learned(heaps_of("octal", 40, True, code="0.123"))
    (period,) = learner.periods()
    assert (period.claim.start, period.claim.length, period.refuted) == (5, 5, None)
    assert "n + 5" in learner.proof
    learner = learned(heaps_of("octal", 21, True, code="0.123"))
    (period,) = learner.periods()
    assert (period.claim.start, period.claim.length) == (5, 5)
    assert "up to 22" in period.refuted
    assert "n + 5" not in learner.proof
    assert "not proved" in learner.describe()


@pytest.mark.parametrize("misere", [False, True])
def test_it_plays_more_heaps_than_the_board_has(misere):
    learner = learned(heaps_of("kayles", 7, misere))
    policy = learner.greedy()
    search = HeapSearch("kayles", misere)
    for heaps in combinations_with_replacement(range(1, 8), 4):
        after = policy.move(heaps)
        assert any(
            sorted(filter(None, after)) == sorted((*heaps[:place], *option, *heaps[place + 1 :]))
            for place, heap in enumerate(heaps)
            for option in search.game.options(heap)
        )
        assert not (search.is_winning(heaps) and search.is_winning(after))


def test_it_plays_other_boards_of_its_components():
    learner = learned(make_game("nim", heaps=(7,), misere=True))
    for heaps in ((3, 4, 5), (7, 7), (1, 1, 1, 2)):
        assert optimality(learner.greedy(make_game("nim", heaps=heaps, misere=True)),
                          make_game("nim", heaps=heaps, misere=True)).percent == 100  # fmt: skip
    search = HeapSearch("nim")
    assert not search.is_winning(learner.greedy().move((7, 6, 5, 4, 3, 2)))
    with pytest.raises(ValueError, match="misère play was learned"):
        learner.greedy(make_game("nim", heaps=(3, 4)))
    with pytest.raises(ValueError, match="not of the parts of kayles"):
        learner.greedy(make_game("kayles", heaps=(7,), misere=True))


def test_unlearned_positions_are_neither_won_nor_lost():
    learner = QuotientLearner(heaps_of("kayles", 9, True))
    learner.fit(learner.game, 20, seed=0)
    assert not learner.is_complete
    assert "heap in states 0 to 9" not in learner.proof
    judged = learner.greedy().loss_scores(np.array([[9, 0, 0, 0, 0], [1, 0, 0, 0, 0]]))
    assert judged.tolist() == [0.5, 1.0]


@pytest.mark.parametrize(("games", "stored"), [(25, False), (200, True)])
def test_further_games_continue_the_learning(games, stored, tmp_path):
    # Heap 10 takes a repair of the classes, which ends after several runs too; a file has whole
    # states alone.
    game = heaps_of("dawsons_kayles", 12, True)
    learner, sizes = QuotientLearner(game), []
    while not learner.is_complete:
        learner.fit(game, games, seed=len(sizes))
        sizes.append(len(learner.quotient.elements))
        if stored:
            save(learner, tmp_path / "learner.zip")
            learner = load(tmp_path / "learner.zip")
        assert len(sizes) < 50
    assert len(set(sizes)) > (1 if stored else 2)
    assert stored or len(sizes) > len(set(sizes))
    assert learner.size == learned(game).size == "12 classes"
    played = []
    learner.fit(game, 10, 0, lambda winner, length: played.append(length) or False)
    assert played == []


def test_an_interrupt_keeps_what_was_learned():
    game = heaps_of("kayles", 9, True)
    learner, games = QuotientLearner(game), []

    def interrupt(winner, length):
        assert winner in (0, 1)
        assert length >= 1
        games.append(length)
        if len(games) == 30:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        learner.fit(game, 10_000, 0, interrupt)
    known, read = len(learner.quotient.elements), learner.positions_read
    assert known > 0
    assert read > 0
    learner.fit(game, 10_000, seed=0)
    assert learner.is_complete
    assert learner.positions_read > read
