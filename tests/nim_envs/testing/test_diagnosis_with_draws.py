"""Parts of the diagnosis that matter where games can be drawn, against plain loops."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from nim_envs import diagnose
from nim_envs.testing.diagnosis.board import Board
from nim_envs.testing.diagnosis.moves import Case, answers_of
from nim_envs.testing.diagnosis.values import Equation
from tests import mutants

GAME = mutants.GAMES_WITH_DRAWS["table"][1]


def first_legal(positions, masks):
    return masks.argmax(axis=1)


@pytest.fixture(scope="module")
def case():
    board = Board(GAME)
    return Case(board, answers_of(first_legal, GAME, board, 0), None)


@cache
def moves_at(position):
    """Legal actions of a position, a tuple, each with the position after it."""
    actions = np.flatnonzero(GAME.rules.action_mask(position)).tolist()
    return [(action, tuple(GAME.rules.step(np.array(position), action))) for action in actions]


@cache
def value(position):
    return int(GAME.solution.value(position))


def test_losses_may_count_nothing_and_draws_half():
    rewards = np.array([1.0, -1.0, 0.0])
    assert Equation(loss=0.0).credited(rewards, 0.5).tolist() == [1.0, 0.0, 0.5]
    assert Equation().credited(rewards, 0.0).tolist() == rewards.tolist()


def test_who_knows_no_win_yet_plays_what_does_not_lose(case):
    for position, found in zip(map(tuple, case.positions), case._not_lost, strict=True):
        after = dict(moves_at(position))
        wins_now = any(value(p) == -1 and not moves_at(p) for p in after.values())
        expected = {action for action, p in after.items() if wins_now or value(p) <= 0}
        assert set(np.flatnonzero(found)) == expected


def test_right_agents_err_alike_at_positions_of_one_length_and_value(case):
    @cache
    def length(position):
        return max((1 + length(after) for _, after in moves_at(position)), default=0)

    kinds = {}
    for position, found in zip(map(tuple, case.positions), case._classes.tolist(), strict=True):
        kinds.setdefault((length(position), value(position)), set()).add(found)
    assert all(len(classes) == 1 for classes in kinds.values())
    assert len(set.union(*kinds.values())) == len(kinds)


def test_the_evidence_shows_mistakes():
    report = diagnose(first_legal, GAME, verbose=True)
    shown = re.findall(r"at (\S+) it plays (.+); (.+) (wins|keeps the draw)\n", str(report))
    assert shown
    rules = GAME.rules
    for coordinates, played, right, keeps in shown:
        position = rules.positions_at(np.array(coordinates.split("-"), dtype=np.int64))
        assert value(tuple(position)) == (0 if keeps == "keeps the draw" else 1)
        kept = {rules.describe_action(a, position) for a in GAME.solution.keeping_actions(position)}
        assert right in kept
        assert played not in kept


def learned_values(last, other, loss):
    """Values of actions where a draw counts ``last`` to who makes it and ``other`` to the other.

    Each player bootstraps from its own next turn, and the opponent replies by its own values.
    """
    rules = GAME.rules
    table = np.full((rules.num_positions, rules.num_actions), np.nan)

    def result(end, of_mover):
        won = -value(end)  # of the player who moved there
        if won == 0:
            return last if of_mover else other
        won = won if of_mover else -won
        return won if won > 0 else loss * won

    @cache
    def values(position):
        found = [value_of(after) for _, after in moves_at(position)]
        table[rules.indices(np.array(position)), [action for action, _ in moves_at(position)]] = (
            found
        )
        return found

    def value_of(after):
        if not moves_at(after):
            return result(after, of_mover=True)
        replies = values(after)
        _, reply = moves_at(after)[replies.index(max(replies))]
        return max(values(reply)) if moves_at(reply) else result(reply, of_mover=False)

    for position in map(tuple, Board(GAME).positions):
        if moves_at(position):
            values(position)
    return table


class Learner:
    """Plays by such values, which are a table."""

    def __init__(self, last, other, loss):
        self.values = learned_values(last, other, loss)

    def __call__(self, observations, masks):
        rows = GAME.rules.indices(GAME.rules.positions_at(observations.astype(np.int64)))
        return np.nanargmax(np.where(masks > 0, self.values[rows], np.nan), axis=1)


@pytest.mark.parametrize(
    ("last", "other", "loss"),
    [
        *[(1, 1, 1), (-1, -1, 1), (1, 0, 0), (0, 1, 0)],
        *(
            pytest.param(*rest, marks=pytest.mark.exhaustive)
            for rest in [(1, -1, 1), (-1, 1, 1), (1, 1, 0), (0, 0, 0)]
        ),
    ],
)
def test_values_by_which_a_draw_is_won_or_lost_name_the_fault(last, other, loss):
    report = diagnose(Learner(last, other, loss), GAME)
    assert report.faults[0].name == mutants.DRAW


def test_right_values_do_not_name_it():
    assert diagnose(Learner(0, 0, 1), GAME).verdict == "right"
