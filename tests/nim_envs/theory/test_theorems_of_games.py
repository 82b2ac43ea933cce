"""Theorems that games bring: boards too large for tables, and what is wrong in them."""

from __future__ import annotations

import pickle
from functools import partial

import gymnasium
import numpy as np
import pytest

from nim_envs import (
    Convention,
    Game,
    GameEnv,
    check_game,
    make_game,
    optimality,
    registration,
)
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import ConformanceError, InvalidGameError, SearchTooLargeError
from nim_envs.rules import nim, sum_of
from nim_envs.solver import solve
from nim_envs.starts import NAMED_STARTS
from nim_envs.theory.theorem_solution import TheoremSolution
from tests.plain_search import check_solution
from tests.registrable_games import golden_ratio, wythoff

LARGE = wythoff(2001)


def changed(game, theorem):
    """Return the same game with another theorem."""
    return Game(game.rules, game.convention, theorem=theorem)


def test_a_theorem_solves_the_game_and_agrees_with_search():
    game = wythoff(9)
    assert isinstance(game.solution, TheoremSolution)
    assert game.solution.method == "the theorem golden_ratio"
    check_solution(game.solution)
    check_game(game)
    searched = solve(game, method="search")
    positions = game.rules.lattice()
    masks = [each.winning_mask(positions) for each in (game.solution, searched)]
    assert (masks[0] == masks[1]).all()


def test_a_large_board_starts_is_played_and_scored():
    env = GameEnv(LARGE)
    for start in NAMED_STARTS:
        env.reset(seed=1, options={"start": start})
        small, large = sorted(env.coordinates.tolist())
        lost = small == int((large - small) * (1 + 5**0.5) / 2)
        if start.endswith("position"):
            assert lost is (start == "p_position")
    versus = VersusEnv(LARGE, opponent="optimal", seat=1, truth_in_info=True)
    _, info = versus.reset(seed=0)
    ended = False
    while not ended:
        assert not LARGE.solution.is_winning(versus.position)
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, reward, ended, _, info = versus.step(action)
    assert reward == -1
    random = optimality(lambda o, m: m / m.sum(axis=1, keepdims=True), LARGE, sample=50, seed=0)
    assert random.percent < 10

    def optimal(observations, masks):
        return LARGE.solution.winning_mask(observations).argmax(axis=1)

    assert optimality(optimal, LARGE, sample=50, seed=0).percent == 100
    with pytest.raises(SearchTooLargeError):
        LARGE.solution.grundy_value((5, 3))
    with pytest.raises(SearchTooLargeError):
        Game(LARGE.rules, Convention.MISERE).solution.is_winning((1, 1))


# Wrong ones, at the top level, as pickles need.


def at_one_position(coordinates, fields):
    """Wrong at (7, 4) alone."""
    return golden_ratio(coordinates, fields) ^ (coordinates == (7, 4)).all(axis=1)


def everywhere(coordinates, fields):
    return np.ones(len(coordinates), dtype=np.bool_)


@pytest.mark.parametrize(
    ("theorem", "side", "message"),
    [
        (at_one_position, 45, r"at_one_position at \(7, 4\) the value -1, found 1"),
        (everywhere, 9, r"everywhere at \(0, 0\) the value -1, found 1"),
    ],
)
def test_a_wrong_theorem_is_found(theorem, side, message):
    with pytest.raises(ConformanceError, match=message):
        check_game(changed(wythoff(side), theorem))


def test_a_board_too_large_for_the_search_is_refused(monkeypatch):
    monkeypatch.setattr("nim_envs.check.MOST_MOVES", 1_000)
    with pytest.raises(SearchTooLargeError, match="check a smaller board"):
        check_game(wythoff(30))


def test_what_no_game_can_have_is_refused_at_once():
    def local(coordinates, fields):
        return golden_ratio(coordinates, fields)

    rules = wythoff(4).rules
    for theorem, message in (
        (lambda coordinates, fields: None, "top level of a module"),
        (local, "top level of a module"),
        ("golden_ratio", "must be a function"),
        (3, "must be a function"),
    ):
        with pytest.raises(InvalidGameError, match=message):
            Game(rules, Convention.NORMAL, theorem=theorem)
    both = sum_of([rules, nim(heaps=(3,))])
    with pytest.raises(InvalidGameError, match=r"sum of 2 components needs Grundy values"):
        Game(both, Convention.NORMAL, theorem=golden_ratio)


def test_a_theorem_is_kept_in_pickles_and_ids(monkeypatch):
    again = pickle.loads(pickle.dumps(LARGE))
    assert again == LARGE
    assert again.solution.is_winning((1000, 1000))
    assert pickle.loads(pickle.dumps(changed(LARGE, partial(golden_ratio))))
    registration.register_game("large_wythoff", wythoff, defaults={"side": 2001})
    made = gymnasium.make(
        "nim_envs/LargeWythoff-v0", opponent="optimal", start="p_position",
        disable_env_checker=True,
    )  # fmt: skip
    made.reset(seed=0)
    assert not made.unwrapped.game.solution.is_winning(made.unwrapped.position)
    # It says who wins normal play.
    assert make_game("large_wythoff", side=9, misere=True).theorem is None
    with pytest.raises(SearchTooLargeError):
        make_game("large_wythoff", misere=True).solution.is_winning((1, 1))
    both = make_game("sum", games=("large_wythoff", "nim"))
    with pytest.raises(SearchTooLargeError):
        both.solution.is_winning(both.rules.initial)
