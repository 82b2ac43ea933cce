"""Batches of games with draws, in lock-step with the functions that the games are made from."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import nim_envs
from nim_envs.envs.batched import VectorGameEnv
from tests.nim_envs.envs.batches import MODES, Recorder, agrees, mixed_actions
from tests.outcome_games import (
    GAMES,
    LARGER,
    LARGER_NAMES,
    dominoes,
    hex_game,
    tic_tac_toe,
)

PLAYERS = nim_envs.game.PLAYERS
BATCH = 7


class Shadow:
    """One game of a batch, played by the turn-based environment and by the game's functions."""

    def __init__(self, entry, truth):
        self.entry, self.truth = entry, truth
        self.env = nim_envs.GameEnv(entry.game, truth_in_info=True)

    def begin(self, position):
        self.env.reset(options={"start": tuple(position)})
        self.at = tuple(position)
        self.over = False

    @property
    def seat(self):
        return PLAYERS.index(self.env.agent_selection)

    def step(self, action):
        """Make a move; return its truth, and the mover's reward and the winner."""
        game, seat = self.entry.game, self.seat
        moves = {str(label): after for label, after in self.entry.moves(self.at)}
        label = game.describe(action)
        value = self.truth[self.at]
        mask = self.env.observe(PLAYERS[seat])["action_mask"]
        assert mask.sum() == len(moves)
        legal = label in moves and mask[action] == 1
        self.env.step(action)
        if not legal:
            self.over, kept, reward = True, False, -1
        else:
            self.at = moves[label]
            kept = self.truth[self.at] == -value
            self.over = not self.entry.moves(self.at)
            reward = -self.entry.outcome(self.at) if self.over else 0
        winner = -1 if reward == 0 else seat if reward == 1 else 1 - seat
        truth = {"winning": value == 1, "kept_win": kept and value == 1}
        truth |= {"value": value, "kept_value": kept}
        assert self.env.rewards == {PLAYERS[seat]: reward, PLAYERS[1 - seat]: -reward}
        assert self.env.infos[PLAYERS[seat]] == truth
        return truth, reward, winner


def shadows_of(entry):
    truth = entry.truth()
    return [Shadow(entry, truth) for _ in range(BATCH)]


def check_types(rewards, infos):
    assert rewards.dtype == np.float32
    assert not np.signbit(rewards[rewards == 0]).any()
    assert infos["winner"].dtype == infos["value"].dtype == np.int8
    assert infos["kept_value"].dtype == np.bool_
    assert infos["_value"].all()
    assert infos["_kept_value"].all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*GAMES, *LARGER_NAMES])
def test_self_play_is_that_of_the_functions(name, mode):
    entry = (GAMES | LARGER)[name]()
    env = VectorGameEnv(entry.game, BATCH, opponent=None, truth_in_info=True, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    shadows = shadows_of(entry)
    observations, infos = env.reset(seed=0)
    assert not infos["value"].any()
    assert not infos["kept_value"].any()
    for shadow, position in zip(shadows, env.positions, strict=True):
        shadow.begin(position)
    met = set()
    for _ in range(60):
        for i, shadow in enumerate(shadows):
            assert infos["seat"][i] == shadow.seat
            assert tuple(env.positions[i]) == shadow.at
            assert agrees(observations, i, shadow.env.observe(shadow.env.agent_selection))
        actions = mixed_actions(observations["action_mask"], rng, legal=0.98)
        waiting = [shadow.over for shadow in shadows]
        observations, rewards, terminations, truncations, infos = env.step(actions)
        check_types(rewards, infos)
        assert not truncations.any()
        for i, shadow in enumerate(shadows):
            if waiting[i]:
                shadow.begin(env.positions[i])
                truth, reward, winner = dict.fromkeys(("value", "kept_value"), 0), 0, -1
            else:
                truth, reward, winner = shadow.step(int(actions[i]))
                met |= {reward} if shadow.over else set()
            assert (rewards[i], terminations[i]) == (reward, shadow.over)
            own = infos
            if mode is AutoresetMode.SAME_STEP and shadow.over:
                own = infos["final_info"]
                assert infos["_final_info"][i]
                final = infos["final_obs"][i]["observation"]
                assert tuple(final) == tuple(shadow.env.observe(PLAYERS[0])["observation"])
                assert (infos["winner"][i], infos["value"][i]) == (-1, 0)
                shadow.begin(env.positions[i])
            assert own["winner"][i] == winner
            assert {key: own[key][i] for key in truth} == truth
        if mode is AutoresetMode.DISABLED and terminations.any():
            observations, infos = env.reset(options={"reset_mask": terminations})
            for i in np.flatnonzero(terminations):
                shadows[i].begin(env.positions[i])
            infos["seat"][~terminations] = [
                shadow.seat for shadow, new in zip(shadows, terminations, strict=True) if not new
            ]
    ends = {-entry.outcome(p) for p in shadows[0].truth if not entry.moves(p)} | {-1}
    assert met == ends or name.startswith(("random", "connect"))


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("name", ["tic-tac-toe", "dominoes", "random-2"])
def test_against_an_opponent_rewards_are_the_agents(name, seat):
    entry = GAMES[name]()
    opponent = Recorder()
    env = VectorGameEnv(entry.game, BATCH, opponent=opponent, seat=seat, truth_in_info=True)
    rng = np.random.default_rng(0)
    shadows = shadows_of(entry)
    start = entry.game.start

    def replies(i):
        """Make the opponent's moves in the shadow of game ``i``, as it was asked for them."""
        for _, masks, actions in opponent.asked:
            if masks[i].any():
                yield shadows[i].step(int(actions[i]))

    observations, infos = env.reset(seed=0)
    over = np.ones(BATCH, dtype=bool)
    met = set()
    for _ in range(80):
        for i in np.flatnonzero(over):
            shadows[i].begin(start)
            for _ in replies(i):
                if shadows[i].over:  # an illegal first move: another game has begun
                    shadows[i].begin(start)
            assert infos["seat"][i] == shadows[i].seat
        opponent.asked.clear()
        assert np.array_equal(env.positions, [shadow.at for shadow in shadows])
        actions = mixed_actions(observations["action_mask"], rng, legal=0.98)
        waiting = [shadow.over for shadow in shadows]
        observations, rewards, terminations, _, infos = env.step(actions)
        check_types(rewards, infos)
        over = np.array(waiting)
        for i, shadow in enumerate(shadows):
            if waiting[i]:
                assert (rewards[i], infos["winner"][i], terminations[i]) == (0, -1, False)
                continue
            truth, reward, winner = shadow.step(int(actions[i]))
            if not shadow.over:
                ((_, reply, winner),) = replies(i)
                reward = -reply
            assert {key: infos[key][i] for key in truth} == truth
            assert (rewards[i], infos["winner"][i]) == (reward, winner)
            assert terminations[i] == shadow.over
            met |= {reward} if shadow.over else set()
    assert met == {1, 0, -1} or name.startswith("random")


@pytest.mark.parametrize("make", [tic_tac_toe, dominoes, hex_game])
def test_an_optimal_opponent_draws_among_all_moves_that_keep_the_value(make):
    entry = make()
    truth, game = entry.truth(), entry.game
    positions = [p for p, value in truth.items() if entry.moves(p)]
    rng = np.random.default_rng(0)
    env = VectorGameEnv(entry.game, 600, opponent="optimal")
    seen = set()
    for _ in range(12):
        before = positions[rng.integers(len(positions))]
        env.reset(seed=int(rng.integers(1000)), options={"start": before})
        action = int(rng.choice(game.actions(before)))
        own = game.play(before, action)
        after = {reached for _, reached in entry.moves(own)}
        keeping = {p for p in after if truth[own] >= 0 and truth[p] == -truth[own]} or after
        env.step(np.full(600, action))
        met = set(map(tuple, env.positions.tolist()))
        assert met == (keeping or {own})
        seen.add(truth[own])
    assert len(seen) >= 2
