"""Learners in files: what they have proved is proved again, whatever the file says."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

from agents.research.column_automata import ColumnAutomaton
from agents.research.column_automata.learner import ColumnAutomatonLearner
from agents.research.quotients.learner import QuotientLearner
from agents.research.quotients.quotient import Quotient
from agents.research.signed_products.learner import SignedProducts
from agents.storage import load, save
from nim_envs import make_game
from nim_envs.errors import StorageError
from tests.agents.research.column_automata.claims import board, truth

LIE = "who wins, for every number of heaps of every size: any game at all"

FILES = [60, pytest.param(500, marks=pytest.mark.exhaustive)]
"""Numbers of files with false content."""


def stored(learner, tmp_path):
    """The learner as it comes back from a file."""
    save(learner, tmp_path / "learner.zip")
    return load(tmp_path / "learner.zip")


def check_not_proved(learner):
    """Check that neither attribute nor text calls anything proved."""
    assert learner.proof is None
    assert "; proved" not in repr(learner)
    lines = learner.describe().splitlines()
    assert not any(line.startswith("proved") or line.endswith("(proved)") for line in lines)
    assert not any(LIE in line for line in lines)
    assert lines[-1].startswith("not proved")


# Column automata

GAMES = [(None, False), (None, True), (1, False), (3, False), (3, True)]


def column_learner(max_take, misere):
    game = make_game("nim", heaps=(7, 7, 7), max_take=max_take, misere=misere)
    learner = ColumnAutomatonLearner(game)
    learner.fit(game, 5_000, seed=0)
    assert learner.proof is not None
    return learner


def changed_automaton(automaton, rng):
    """An automaton that differs in one thing, or in all lost states."""
    transitions, lost = automaton.transitions.copy(), automaton.lost.copy()
    first = automaton.most_significant_first
    how = rng.integers(4)
    if how == 0:
        lost = ~lost
    elif how == 1:
        lost[rng.integers(len(lost))] ^= True
    elif how == 2:
        transitions[tuple(rng.integers(transitions.shape))] = rng.integers(len(lost))
    else:
        rows = rng.permutation(len(lost))
        transitions = transitions[rows]
    return ColumnAutomaton(transitions, lost, first)


@pytest.mark.parametrize("count", FILES)
def test_no_wrong_automaton_in_a_file_is_called_proved(count, tmp_path):
    rng = np.random.default_rng(0)
    learners = {game: column_learner(*game) for game in GAMES}
    right = {game: learner.automaton for game, learner in learners.items()}
    wrong = refuted = 0
    while wrong < count:
        game = GAMES[rng.integers(len(GAMES))]
        learner = learners[game]
        other = right[GAMES[rng.integers(len(GAMES))]]
        learner.automaton = changed_automaton(right[game], rng) if rng.random() < 0.8 else other
        learner.proof = LIE
        learner.verdict = f"proved: {LIE}"
        if (learner.automaton.is_lost(board(3, 8)) == truth(*game, 3, 8)).all():
            continue
        wrong += 1
        again = stored(learner, tmp_path)
        check_not_proved(again)
        refuted += bool(
            re.search(r"refuted: (\(\d.*\)|the position without .*) is claimed", str(again))
        )
    assert refuted > wrong * 0.9


def test_a_right_automaton_is_proved_again_in_words_of_its_own(tmp_path):
    learner = column_learner(3, True)
    proof = learner.proof
    learner.proof = LIE
    again = stored(learner, tmp_path)
    assert again.proof == proof
    assert again.verdict == "proved: for every number of heaps of every size"
    assert again.describe() == column_learner(3, True).describe()


# Quotients

RULES = {
    "kayles": {(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)},
    "dawsons_kayles": {(2, 0), (2, 1), (2, 2)},
}
"""Moves on heaps, as the objects taken and the number of heaps left."""


@cache
def is_lost(name, misere, heaps):
    """By recursion, whether a position is lost; ``heaps`` ascending, none empty."""
    options = list(after_moves(name, heaps))
    return not any(is_lost(name, misere, after) for after in options) if options else not misere


def after_moves(name, heaps):
    for place, heap in enumerate(heaps):
        rest = heaps[:place] + heaps[place + 1 :]
        for taken, left in RULES[name]:
            size = heap - taken
            if left == 0 and size == 0:
                yield rest
            elif left == 1 and size > 0:
                yield tuple(sorted((*rest, size)))
            elif left == 2:
                for one in range(1, size // 2 + 1):
                    yield tuple(sorted((*rest, one, size - one)))


def is_right(learner, name, misere):
    """Whether no position of at most five heaps contradicts the learned classes."""
    claim = learner.claim()
    states = [state for _, state in learner.parts.states]
    for word in combinations_with_replacement(range(len(claim.elements)), 5):
        element = 0
        for part in word:
            element = claim.products[element, claim.elements[part]]
        heaps = tuple(sorted(states[part] for part in word if states[part]))
        if claim.lost[element] != is_lost(name, misere, heaps):
            return False
    return True


def quotient_learner(name, misere, heap):
    game = make_game(name, heaps=(heap,), misere=misere)
    learner = QuotientLearner(game)
    learner.fit(game, 10_000, seed=0)
    assert learner.proof is not None
    assert is_right(learner, name, misere)
    return learner


def changed_quotient(quotient, rng):
    """Classes that differ in one product, one part or some lost classes."""
    products, elements = quotient.products.copy(), list(quotient.elements)
    lost, order = quotient.lost.copy(), quotient.order
    how = rng.integers(4)
    if how == 0:
        lost[rng.integers(order)] ^= True
    elif how == 1:
        lost = ~lost
    elif how == 2:
        elements[rng.integers(len(elements))] = int(rng.integers(order))
    else:
        one, two, three = rng.integers(order, size=3)
        products[one, two] = products[two, one] = three
    return Quotient(quotient.parts, products, tuple(elements), lost)


@pytest.mark.parametrize("count", FILES)
def test_no_wrong_classes_in_a_file_are_called_proved(count, tmp_path):
    rng = np.random.default_rng(0)
    games = [(name, misere, 6) for name in RULES for misere in (False, True)]
    learners = {game: quotient_learner(*game) for game in games}
    right = {game: learner.quotient for game, learner in learners.items()}
    wrong = refused = 0
    while wrong < count:
        game = games[rng.integers(len(games))]
        learner = learners[game]
        learner.quotient = changed_quotient(right[game], rng)
        learner.proof = LIE
        if is_right(learner, *game[:2]):
            continue
        wrong += 1
        try:
            again = stored(learner, tmp_path)
        except StorageError:
            refused += 1
        else:
            check_not_proved(again)
    assert refused < wrong / 2


def test_no_period_of_wrong_classes_is_proved(tmp_path):
    game = make_game("octal", code="0.123", heaps=(40,), misere=True)
    learner = QuotientLearner(game)
    learner.fit(game, 100_000, seed=0)
    assert [period.refuted for period in learner.periods()] == [None]
    quotient = learner.quotient
    learner.quotient = Quotient(
        quotient.parts, quotient.products, quotient.elements, ~quotient.lost
    )
    again = stored(learner, tmp_path)
    check_not_proved(again)
    assert [period.refuted for period in again.periods()] == ["the classes are not proved"]


# Signed products


def test_a_learner_that_proves_nothing_does_not_through_a_file(tmp_path):
    learner = SignedProducts(make_game("nim", heaps=(3, 3)))
    learner.proof = LIE
    assert stored(learner, tmp_path).proof is None
