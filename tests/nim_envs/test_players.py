"""Whoever plays is asked in one way: as the policy of a score, as an opponent and in matches."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import RandomAgent
from agents.evaluation import play_match
from nim_envs import make_game, optimality
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidPolicyError,
    InvalidPositionError,
)
from nim_envs.registration import make_vector, make_versus
from nim_envs.scoring import best_response, win_chances

HEAPS = (3, 4, 5)
NIM = make_game("nim", heaps=HEAPS)


def no_move(observations, masks):
    return np.full(len(masks), -1)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def matches_env(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS, **arguments)


def sometimes_none(observations, masks):
    """The first legal action, and no legal move where the first heap is empty."""
    return np.where(observations[:, 0] > 0, masks.argmax(axis=1), -1)


def test_an_action_of_minus_1_is_an_illegal_move_in_scores():
    score = optimality(no_move, NIM)
    assert (score.percent, score.illegal_percent, len(score.blunders)) == (0, 100, 102)
    assert (best_response(no_move, NIM).waiting[1:] == 1).all()
    assert (win_chances(no_move, first_legal, NIM).moving == 0).all()
    empty = [row for row in NIM.rules.lattice().tolist() if row[0] == 0 and row[1] != row[2]]
    partly, whole = optimality(sometimes_none, NIM), optimality(first_legal, NIM)
    assert partly.illegal_percent == pytest.approx(100 * len(empty) / 102)
    others = optimality(first_legal, NIM, [row for row in NIM.rules.lattice() if row[0] > 0])
    assert partly.percent == pytest.approx(others.percent * others.count / whole.count)
    # A game of one action and no illegal one: it is a blunder all the same.
    single = optimality(no_move, make_game("nim", heaps=(1,)))
    assert (single.illegal_percent, single.blunders.tolist()) == (100, [[1]])


@pytest.mark.parametrize("least", [-2, -(2**40)])
def test_other_actions_outside_the_action_space_are_errors(least):
    with pytest.raises(InvalidPolicyError, match=f"from 0 to 14, and row 0 is {least}"):
        optimality(lambda shown, masks: np.full(len(masks), least), NIM)
    env = make_versus("nim", heaps=HEAPS, opponent=lambda o, m, rng: np.full(len(m), least))
    env.reset(seed=0)
    with pytest.raises(InvalidActionError, match=f"the opponent's action.*{least}"):
        env.step(0)
    envs = make_vector("nim", 2, heaps=HEAPS, opponent=lambda o, m, rng: np.full(len(m), least))
    envs.reset(seed=0)
    with pytest.raises(InvalidActionError, match=f"the opponent's action.*{least}"):
        envs.step([0, 0])


class SaysNothing:
    def act(self, observation, action_mask, rng):
        return -1


@pytest.mark.parametrize(
    "opponent",
    [no_move, lambda o, m, rng: [-1] * len(m), SaysNothing()],
    ids=["function", "with a generator", "agent"],
)
def test_an_opponent_that_names_no_legal_move_forfeits(opponent):
    # On 5-5-5 no action of the space is illegal.
    env = make_versus("nim", heaps=(5, 5, 5), opponent=opponent, truth_in_info=True)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["winner"]) == (1, True, False, 0)
    assert not observation["action_mask"].any()
    envs = make_vector("nim", 3, heaps=(5, 5, 5), opponent=opponent, truth_in_info=True)
    envs.reset(seed=0)
    _, rewards, terminations, truncations, infos = envs.step([0, 1, 2])
    assert (rewards.tolist(), terminations.all(), truncations.any()) == ([1, 1, 1], True, False)
    assert infos["winner"].tolist() == [0, 0, 0]
    strict = {"heaps": (5, 5, 5), "opponent": opponent, "illegal_move": "raise"}
    env = make_versus("nim", **strict)
    env.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"the opponent's action -1 \(no legal move\)"):
        env.step(0)
    envs = make_vector("nim", 3, **strict)
    envs.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"action -1 \(no legal move\) in environment 0"):
        envs.step([0, 1, 2])


@pytest.mark.parametrize("player", [no_move, SaysNothing()], ids=["function", "agent"])
def test_a_player_that_names_no_legal_move_loses_its_matches(player):
    result = play_match(matches_env(), player, RandomAgent(), 6, seed=0)
    assert (result.wins, result.draws) == ((0, 0), 0)
    assert play_match(matches_env(), RandomAgent(), player, 6, seed=0).win_rate == 1
    with pytest.raises(IllegalMoveError, match="no legal move"):
        play_match(matches_env(illegal_move="raise"), RandomAgent(), player, 1, seed=0)


def test_a_game_can_be_forfeited_while_it_goes_on():
    env = matches_env(truth_in_info=True).unwrapped
    env.reset(seed=0)
    env.forfeit()
    assert (env.rewards, env.position.tolist()) == ({"player_0": -1.0, "player_1": 1.0}, [3, 4, 5])
    assert env.infos["player_0"] == {"winning": True, "kept_win": False}
    with pytest.raises(Exception, match="reset"):
        env.forfeit()
    for bad in (-1, -2):
        env.reset()
        with pytest.raises(InvalidActionError, match="from 0 to 14"):
            env.step(bad)


def test_an_opponent_whose_illegal_moves_end_every_game_at_once_is_named():
    arguments = {
        "heaps": (3, 3),
        "start": (2, 3),
        "opponent": lambda o, m, rng: np.full(len(m), 2),
        "seat": 1,
    }
    foul = r"an illegal one forfeits: the last action 2 \(heap 0: take 3\) is illegal at \[2, 3\]"
    for env in (make_versus("nim", **arguments), make_vector("nim", 2, **arguments)):
        with pytest.raises(InvalidPositionError, match=foul):
            env.reset(seed=0)
    # Where a legal move ends every game the starts are at fault.
    for opponent in ("optimal", first_legal, lambda o, m, rng: m.argmax(axis=1)):
        arguments = {"heaps": (1,), "opponent": opponent, "seat": 1}
        for env in (make_versus("nim", **arguments), make_vector("nim", 2, **arguments)):
            with pytest.raises(InvalidPositionError, match="these starts leave no move"):
                env.reset(seed=0)
