"""The exam of a quotient finds counterexamples to wrong claims, and none to right ones."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from agents.research.quotients.counterexamples import CounterexampleSearch
from agents.research.quotients.outcomes import GameBudget
from agents.research.quotients.parts import Parts
from agents.research.quotients.quotient import Quotient
from nim_envs import make_game
from nim_envs.cgt.misere_quotients import misere_quotient
from tests.heap_search import HeapSearch


def games():
    return GameBudget(0, 10**9, np.random.default_rng(0), lambda winner, length: False)


def known_quotient(name, heap):
    known = misere_quotient(name, heap)
    parts = Parts(make_game(name, heaps=(heap,), misere=True))
    elements = tuple(known.elements[parts.names[part][1]] for part in range(len(parts)))
    lost = np.isin(np.arange(known.order), list(known.lost))
    return Quotient(parts, known.products, elements, lost)


@pytest.mark.parametrize(("name", "heap"), [("kayles", 12), ("dawsons_kayles", 25), ("nim", 9)])
def test_the_true_quotient_has_no_counterexample(name, heap):
    quotient, counted = known_quotient(name, heap), games()
    assert CounterexampleSearch(quotient, counted).counterexample(quotient, 0) is None
    assert counted.read > 0
    # Part by part it is the same.
    exam = CounterexampleSearch(quotient, games())
    first = Quotient(quotient.parts, quotient.products, quotient.elements[:1], quotient.lost)
    assert exam.counterexample(first, 0) is None
    assert exam.counterexample(quotient, 1) is None


def test_counterexamples_are_wrong_by_the_rules_and_all_wrong_claims_have_one():
    right = known_quotient("kayles", 7)
    search = HeapSearch("kayles")
    rng, found = np.random.default_rng(0), 0
    for _ in range(300):
        lost, elements = right.lost.copy(), list(right.elements)
        if rng.integers(2):
            lost[1 + rng.integers(len(lost) - 1)] ^= True
        else:
            elements[rng.integers(len(elements))] = rng.integers(len(lost))
        try:
            claim = Quotient(right.parts, right.products, tuple(elements), lost)
            word = CounterexampleSearch(claim, games()).counterexample(claim, 0)
        except KeyError:  # some class has no position any more
            continue
        agrees = all(
            search.is_winning([part + 1 for part in parts]) != lost[claim.of(parts)]
            for size in range(1, 5)
            for parts in combinations_with_replacement(range(7), size)
        )
        if word is None:
            assert agrees
            continue
        found += 1
        options = [
            (*word[:place], *left, *word[place + 1 :])
            for place, part in enumerate(word)
            for left in right.parts.options[part]
        ]
        lost_option = any(lost[claim.of(option)] for option in options)
        assert lost[claim.of(word)] == lost_option
    assert found > 100
