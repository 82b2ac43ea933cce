"""Games with draws, in lock-step with the functions that the games are made from."""

import numpy as np
import pytest

import nim_envs
from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.game import PLAYERS
from tests.outcome_games import (
    GAMES,
    LARGER,
    LARGER_NAMES,
    dominoes,
    tic_tac_toe,
)


# The other environments agree with this one, as their own tests say.
@pytest.mark.parametrize("name", [*GAMES, *LARGER_NAMES])
def test_moves_ends_and_truth_are_those_of_the_functions(name):
    entry = (GAMES | LARGER)[name]()
    truth, game, rng = entry.truth(), entry.game, np.random.default_rng(0)
    env = nim_envs.GameEnv(game, truth_in_info=True)
    met = set()
    for _ in range(60):
        env.reset()
        at, over = tuple(game.start), False
        while not over:
            mover = PLAYERS.index(env.agent_selection)
            moves = {str(label): after for label, after in entry.moves(at)}
            mask = env.observe(PLAYERS[mover])["action_mask"]
            assert {game.describe(action) for action in np.flatnonzero(mask)} == {*moves}
            action = int(rng.integers(len(mask)))
            if rng.random() < 0.98:
                action = int(rng.choice(np.flatnonzero(mask)))
            env.step(action)
            value, after = truth[at], moves.get(game.describe(action)) if mask[action] else None
            kept = after is not None and truth[after] == -value
            told = {"winning": value == 1, "kept_win": kept and value == 1}
            assert env.infos[PLAYERS[mover]] == told | {"value": value, "kept_value": kept}
            assert env.infos[PLAYERS[mover]]["value"].dtype == np.int8
            over = after is None or not entry.moves(after)
            reward = 0 if not over else -1 if after is None else -entry.outcome(after)
            assert env.rewards == {PLAYERS[mover]: reward, PLAYERS[1 - mover]: -reward}
            assert env.terminations == dict.fromkeys(PLAYERS, over)
            at = at if after is None else after
            assert tuple(env.position) == at
            met |= {reward} if over else set()
    ends = {-entry.outcome(p) for p in truth if not entry.moves(p)} | {-1}
    assert met == ends or name.startswith(("random", "connect"))


@pytest.mark.parametrize("make", [tic_tac_toe, dominoes])
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


def test_an_optimal_opponent_keeps_the_draw():
    env = VersusEnv(tic_tac_toe().game, opponent="optimal", seat=0)
    rng = np.random.default_rng(1)
    results = set()
    for seed in range(40):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            _, reward, ended, _, info = env.step(action)
        assert info["winner"] == {1.0: 0, 0.0: -1, -1.0: 1}[reward]
        results.add(reward)
    assert results == {0.0, -1.0}
