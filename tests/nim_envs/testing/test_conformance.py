"""The check of environments: what it finds of sixty faults, and that it accuses nothing right."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs.registration import GAMES, make_aec, make_versus
from nim_envs.testing import ConformanceError, check_env
from nim_envs.testing.draws import FALSE_ALARM, FAMILIES, far
from tests.conformance_table import INTERFACES, OPTIONS, made, right
from tests.faulty_environments import FAULTS, UNSEEN, kind_of
from tests.pairwise import in_turn

ROWS = list(right())


NEED_ALL_GAMES = {"ForgivesAtOnePosition", "OneWrongMove"}
"""Faults at one position of many; a tenth of the games of a user's check finds each of the rest."""


@pytest.mark.parametrize(
    "whole", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["brief", "whole"]
)
@pytest.mark.parametrize("fault", [*FAULTS, *UNSEEN], ids=lambda fault: fault.name)
def test_a_fault_is_found(fault, whole, request):
    if not whole and fault.name not in NEED_ALL_GAMES:
        request.getfixturevalue("brief_checks")
    assert fault.says.endswith(".")
    with pytest.raises(ConformanceError):
        check_env(fault.make())


def test_the_faults_are_of_every_kind_and_interface():
    assert (len(FAULTS), len(UNSEEN)) == (40, 20)
    names = [fault.name for fault in (*FAULTS, *UNSEEN)]
    assert len(set(names)) == len(names)
    for faults in (FAULTS, UNSEEN):
        kinds = [fault.kind for fault in faults]
        assert all(kinds.count(kind) >= 6 for kind in ("turn-based", "Gymnasium", "batched"))
        assert all(kind_of(type(fault.make())) == fault.kind for fault in faults)


@pytest.mark.parametrize("row", ROWS[:: len(ROWS) // len(GAMES)], ids=str)
def test_right_environments_pass(row, brief_checks):
    env = made(*row)
    if env is not None:
        check_env(env)


# In every tenth environment as many games as a user's check plays, and a tenth in the others.
@pytest.mark.exhaustive
@pytest.mark.parametrize(("number", "row"), list(enumerate(ROWS)), ids=str)
def test_every_pair_of_options_passes(number, row, request):
    if number % 10:
        request.getfixturevalue("brief_checks")
    env = made(*row)
    if env is not None:
        check_env(env)


def test_right_environments_are_of_every_game_and_option():
    assert {game for _, game, _ in ROWS} == set(GAMES)
    assert len(GAMES) == 21
    assert {interface for interface, _, _ in ROWS} == set(INTERFACES)
    for name, values in OPTIONS.items():
        assert {options[name] for _, _, options in ROWS if name in options} >= set(values)
    assert sum(made(*row) is not None for row in ROWS) > 0.9 * len(ROWS)


@pytest.mark.parametrize(("chance", "number"), in_turn([0.5, 0.1, 1 / 119, 0.9], [30, 300, 3000]))
def test_draws_are_accused_as_rarely_as_is_said(chance, number):
    # The probability that a right coin is accused, by the exact binomial distribution.
    counts = np.arange(number + 1)
    steps = np.log(np.maximum(counts, 1)).cumsum()
    logs = steps[-1] - steps - steps[::-1] + counts * np.log(chance)
    exact = np.exp(logs + (number - counts) * np.log(1 - chance))
    assert exact.sum() == pytest.approx(1)
    accused = [far([count], [number * chance], [number]).item() for count in counts.astype(float)]
    assert exact[accused].sum() <= FALSE_ALARM / FAMILIES
    assert accused[0] == (number * -np.log(1 - chance) > 17.3)  # never drawn, though often due


def test_what_draws_wrongly_by_a_third_is_accused():
    assert far([700], [500], [1000]).all()
    assert not far([540], [500], [1000]).any()


def test_an_environment_in_play_is_checked_too(effort):
    env = make_versus("nim", heaps=(2, 3))
    env.reset()
    env.step(0)
    check_env(env)
    turn_based = make_aec("nim", heaps=(2, 3))
    turn_based.reset()
    check_env(turn_based)
