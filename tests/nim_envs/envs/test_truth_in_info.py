"""The truth in the infos, against exhaustive search, in lock-step between the environments."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from nim_envs import GameEnv, make_game
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import IllegalMoveError, SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.registration import gymnasium_id
from nim_envs.theory.search import search_winning
from tests.games import ALL
from tests.looped import in_one_test

SILENT = {"winning": False, "kept_win": False}


class Referee:
    """Says what is true of a move, from an exhaustive search alone."""

    def __init__(self, game):
        self.rules = game.rules
        self.winning = search_winning(game.rules, game.convention)

    def truth(self, position, action):
        rules = self.rules
        before = bool(self.winning[rules.indices(position)])
        if not rules.action_mask(position)[action]:
            return {"winning": before, "kept_win": False}
        after = bool(self.winning[rules.indices(rules.step(position, action))])
        return {"winning": before, "kept_win": before and not after}


def any_action(mask, rng):
    """Mostly a legal action."""
    if rng.random() < 0.9:
        return int(rng.choice(np.flatnonzero(mask)))
    return int(rng.integers(len(mask)))


def truth_in(info, index=None):
    return {
        key: bool(info[key] if index is None else info[key][index])
        for key in ("winning", "kept_win")
    }


@in_one_test("case", ALL)
def test_all_three_environments_tell_the_truth_about_every_move(case):
    game = make_game(case[0], **case[1])
    referee = Referee(game)
    aec = GameEnv(game, truth_in_info=True)
    single = VersusEnv(game, opponent=None, truth_in_info=True)
    batch = VectorGameEnv(
        game, 1, opponent=None, truth_in_info=True, autoreset_mode=AutoresetMode.DISABLED
    )
    rng = np.random.default_rng(0)
    said = set()
    starts = game.start_positions()
    for start in starts[:: max(1, len(starts) // 8)]:
        options = {"start": tuple(start.tolist())}
        aec.reset(options=options)
        _, info = single.reset(options=options)
        _, infos = batch.reset(options=options)
        assert aec.infos == dict.fromkeys(PLAYERS, SILENT)
        assert truth_in(info) == truth_in(infos, 0) == SILENT
        told = dict.fromkeys(PLAYERS, SILENT)
        ended = False
        while not ended:
            mover = aec.agent_selection
            position = aec.position
            action = any_action(info["action_mask"], rng)
            expected = referee.truth(position, action)
            said.add(tuple(expected.values()))
            aec.step(action)
            _, _, ended, _, info = single.step(action)
            *_, infos = batch.step([action])
            told[mover] = expected
            # The entries of the other player's last move stay.
            assert aec.infos == told
            assert truth_in(info) == truth_in(infos, 0) == expected
            assert type(info["kept_win"]) is type(aec.infos[mover]["winning"]) is bool
            assert infos["winning"].dtype == infos["kept_win"].dtype == np.bool_
            assert infos["_winning"].all()
            assert infos["_kept_win"].all()
    assert said <= {(True, True), (True, False), (False, False)}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["nim", "misere_nim", "kayles", "sum"])
def test_against_an_opponent_the_truth_is_of_the_agents_moves(name, seat):
    def opponent(observations, masks, rng):
        return masks.argmax(axis=1)

    game = make_game(name, start="uniform")
    referee = Referee(game)
    arguments = {"opponent": opponent, "seat": seat, "truth_in_info": True}
    single = VersusEnv(game, **arguments)
    batch = VectorGameEnv(game, 1, autoreset_mode=AutoresetMode.DISABLED, **arguments)
    rng = np.random.default_rng(1)
    said = set()
    for number in range(60):
        _, info = single.reset(seed=number)
        before = single.position
        if seat == 1:
            assert truth_in(info) == SILENT
        # The same position in the batch: as an agent that is player_0 sees it, in either seat.
        if seat == 0:
            batch.reset(options={"start": tuple(before.tolist())})
        while True:
            action = any_action(info["action_mask"], rng)
            expected = referee.truth(single.position, action)
            said.add(tuple(expected.values()))
            if seat == 0:
                *_, infos = batch.step([action])
                assert truth_in(infos, 0) == expected
            _, _, ended, _, info = single.step(action)
            assert truth_in(info) == expected
            if ended:
                break
    assert said == {(True, True), (True, False), (False, False)}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_in_a_batch_the_truth_is_of_each_games_own_move(mode):
    game = make_game("nim", start="uniform")
    referee = Referee(game)
    env = VectorGameEnv(game, 30, opponent="random", truth_in_info=True, autoreset_mode=mode)
    _, infos = env.reset(seed=0)
    assert not infos["winning"].any()
    assert not infos["kept_win"].any()
    rng = np.random.default_rng(0)
    over = np.zeros(30, dtype=bool)
    seen = 0
    for _ in range(30):
        positions = env.positions
        actions = env.sample_actions()
        illegal = rng.random(30) < 0.1
        actions[illegal] = rng.integers(env.game.rules.num_actions, size=illegal.sum())
        _, _, terminated, _, infos = env.step(actions)
        for i in range(30):
            expected = SILENT if over[i] else referee.truth(positions[i], actions[i])
            if mode is AutoresetMode.SAME_STEP and terminated[i]:
                assert truth_in(infos, i) == SILENT
                assert truth_in(infos["final_info"], i) == expected
                assert infos["final_info"]["_kept_win"][i]
            else:
                assert truth_in(infos, i) == expected
            seen += expected["kept_win"]
        over = terminated & (mode is AutoresetMode.NEXT_STEP)
        if mode is AutoresetMode.DISABLED and terminated.any():
            _, begun = env.reset(options={"reset_mask": terminated})
            assert not begun["winning"].any()
    assert seen > 20


def test_an_optimal_player_keeps_every_win():
    game = make_game("misere_nim", start="n_position")
    env = VersusEnv(game, opponent="random", truth_in_info=True)
    for seed in range(30):
        env.reset(seed=seed)
        ended = False
        while not ended:
            action = game.solution.winning_actions(env.position)[0]
            _, reward, ended, _, info = env.step(action)
            assert truth_in(info) == {"winning": True, "kept_win": True}
        assert reward == 1.0


def test_an_illegal_move_that_raises_leaves_the_infos_as_they_were():
    env = GameEnv(make_game("nim", heaps=(1, 2)), illegal_move="raise", truth_in_info=True)
    env.reset()
    env.step(0)
    before = copy.deepcopy(env.infos)
    with pytest.raises(IllegalMoveError):
        env.step(0)
    assert env.infos == before


@pytest.mark.parametrize("truth", [False, True])
def test_spaces_and_games_are_the_same_with_and_without_it(truth):
    plain = gymnasium.make(gymnasium_id("nim"))
    env = gymnasium.make(gymnasium_id("nim"), truth_in_info=truth)
    assert env.observation_space == plain.observation_space
    observation, info = env.reset(seed=1)
    expected, _ = plain.reset(seed=1)
    assert (observation["observation"] == expected["observation"]).all()
    assert ({"winning", "kept_win"} <= info.keys()) == truth


def test_an_unsolvable_game_is_refused_when_it_is_made():
    graph = {"successors": tuple(() if n == 0 else (n - 1,) for n in range(3)), "tokens": (2,)}
    GameEnv(make_game("graph", **graph), truth_in_info=True)
    # The theorem is on one queen; of two, the tables of options would be too large.
    large = make_game("wythoff", queens=((3_000, 3_000), (3_000, 3_000)))
    for cls in (GameEnv, VersusEnv):
        cls(large)
        with pytest.raises(SearchTooLargeError):
            cls(large, truth_in_info=True)
