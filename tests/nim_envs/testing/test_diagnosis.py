"""The diagnosis names the fault of a learner, and accuses no right one."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from agents import MonteCarloES, OptimalAgent, QLearning, RandomAgent
from agents.training import train as play
from nim_envs import Game, GameEnv, diagnose, make_game, optimality
from nim_envs.errors import SearchTooLargeError
from nim_envs.testing.diagnosis import tiny_games
from tests import faulty_agents as faulty
from tests.faulty_agents import FAULTS, as_seen, diagnosed, shown, table

NIM = make_game("nim", heaps=(3, 4, 5))


def learner(kind, fault, env, seed):
    """A learner with the fault, if it is one of learning."""
    if kind == "Monte Carlo":
        return MonteCarloES.for_env(env, epsilon=0.2)
    arguments = {
        faulty.SIGN: {"bootstrap": "opponent_max", "discount": 0.8, "loss_reward": 0.0},
        faulty.ONE_MOVE: {"discount": 0.0},
        faulty.ONE_SEAT: {"bootstrap": "own_turn", "learning_rate": 0.5},
    }.get(fault, {"discount": 0.9})
    return QLearning.for_env(env, seed=seed, **arguments)


def training(kind, fault, seed):
    """A training function with the fault."""

    def train(env):
        game, games = env.game, 4_000 if kind == "Q-learning" else 40_000
        if fault in (faulty.CONFUSED, faulty.SWAPPED):
            env = GameEnv(faulty.with_convention(game, fault))
        elif fault in faulty.LOOKS:
            env, games = shown(game, faulty.LOOKS[fault]), 700
        learned = learner(kind, fault, env, seed)
        one_seat = fault == faulty.ONE_SEAT
        pair = (learned, learner(kind, fault, env, seed)) if one_seat else learned
        compiled = fault not in faulty.LOOKS
        play(env, pair, games, seed=seed, progress=False, compiled=compiled)
        policy = learned.greedy()
        if fault in faulty.LOOKS:
            return as_seen(faulty.LOOKS[fault], policy)
        if fault == faulty.UNMASKED:
            return lambda seen, _: learned.table[learned.index.many(seen)].argmax(axis=1)
        return faulty.playing(fault, policy)

    return train


BOOTSTRAPPED = (faulty.SIGN, faulty.ONE_MOVE)


def rows(kind, seeds=(0, 1), faults=FAULTS):
    """Diagnoses of a table learner with each of the faults that makes sense in it."""
    sensible = [fault for fault in faults if kind == "Q-learning" or fault not in BOOTSTRAPPED]
    return diagnosed(kind, sensible, partial(training, kind), seeds)


# Each fault in one of the learners; all in both, as `python -m tests.diagnosis_table` prints them.
@pytest.mark.parametrize(
    ("q_learning", "monte_carlo", "seeds"),
    [
        (FAULTS[::2], FAULTS[1::2], [0]),
        pytest.param(FAULTS, FAULTS, [0, 1], marks=pytest.mark.exhaustive),
    ],
    ids=["each", "all"],
)
def test_the_fault_of_a_table_learner_is_named(q_learning, monte_carlo, seeds, capsys):
    found = [*rows("Q-learning", seeds, q_learning), *rows("Monte Carlo", seeds, monte_carlo)]
    with capsys.disabled():
        print(f"\n{table(found)}")
    assert not any(row.verdict == "right" for row in found)
    assert sum(row.first for row in found) >= 0.9 * len(found)


BOARDS = (
    *tiny_games(),
    NIM,
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("nim", heaps=(6, 7)),
    make_game("nim", heaps=(5, 5, 2), max_take=3, misere=True),
    make_game("subtraction", heaps=(25,), subtraction_set=(1, 3, 4)),
)


def stopped_early(game, rng):
    """A learner without a fault that was not trained for long."""
    env = GameEnv(Game(game.rules, game.convention, "uniform"))
    seed = int(rng.integers(2**31))
    if rng.random() < 0.3:
        learned = MonteCarloES.for_env(env, epsilon=float(rng.uniform(0.05, 0.5)))
    else:
        learned = QLearning.for_env(
            env, discount=float(rng.uniform(0.7, 1)), learning_rate=float(rng.uniform(0.2, 1)),
            epsilon=float(rng.uniform(0.05, 1)), seed=seed,
        )  # fmt: skip
    play(env, learned, int(10 ** rng.uniform(1, 3.3)), seed=seed, progress=False)
    policy = learned.greedy()
    if rng.random() < 0.5:
        return policy
    # Ties by the lowest action.
    return lambda seen, masks: policy.action_probabilities(seen, masks).argmax(axis=1)


def forgetful(game, rng):
    """A policy that wins where it knows the position, the less the longer the game."""
    rules = game.rules
    positions = rules.lattice()
    length = positions.sum(axis=1) / sum(rules.initial)
    scale, steepness = rng.uniform(0.1, 0.9), rng.uniform(0, 2)
    knows = rng.random(len(length)) < scale + (1 - scale) * (1 - length**steepness)
    wins = game.solution.winning_mask(positions) * knows[:, np.newaxis]
    shape = (1, rules.num_actions) if rng.random() < 0.5 else wins.shape
    preferred = 4 * wins + rng.random(shape)

    def policy(positions, masks):
        return np.where(masks, preferred[rules.indices(positions)], -1).argmax(axis=1)

    return policy


def accused(first_seed, trials):
    """Right agents between random + 20 points and 90 %, and those that are called faulty."""
    tried, found, seed = 0, [], first_seed
    while tried < trials:
        rng = np.random.default_rng(seed)
        game = BOARDS[seed % len(BOARDS)]
        make = stopped_early if rng.random() < 0.5 else forgetful
        policy = make(game, rng)
        score = optimality(policy, game)
        if score.random_percent + 20 <= score.percent <= 90:
            tried += 1
            report = diagnose(policy, game)
            if report.verdict == "faulty":
                found.append((seed, make.__name__, game.in_short, repr(report), score.percent))
        seed += 1
    return found, seed


@pytest.mark.parametrize("trials", [20, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_right_agents_that_are_partly_trained_are_not_accused(trials, capsys):
    found, _ = accused(0, trials)
    with capsys.disabled():
        print(f"\nright agents between random + 20 points and 90 %: {len(found)} accused")
    assert len(found) <= 0.05 * trials, found


def to_lose(positions, masks):
    """Winning moves of misère play, as a policy for normal play."""
    misere = make_game("nim", misere=True, heaps=(3, 4, 5))
    return (2 * misere.solution.winning_mask(positions) + masks).argmax(axis=1)


def test_a_policy_is_diagnosed_on_its_own_game_in_the_words_of_the_game():
    first = lambda positions, masks: masks.argmax(axis=1)  # noqa: E731
    report = diagnose(first, GameEnv(NIM, encoding="one_hot"))
    assert report.verdict == "faulty"
    assert report.faults[0].name == faulty.CONSTANT
    assert "heap 0: take 1" in str(report)
    assert "Excluded: " in str(report)
    assert report.scores[0].percent == optimality(first, NIM).percent


def test_the_optimal_player_is_right_and_the_random_one_not_trained():
    assert diagnose(OptimalAgent(NIM), NIM).verdict == "right"
    assert diagnose(RandomAgent(), NIM).verdict == "untrained"
    assert diagnose(lambda env: OptimalAgent(env.game)).verdict == "right"


def test_a_policy_that_shuns_winning_moves_in_no_known_way_is_not_called_right():
    def shunning(positions, masks):
        rng = np.random.default_rng(0)
        wrong = masks * ~NIM.solution.winning_mask(positions)
        return (wrong * (1 + rng.random(masks.shape)) + 0.1 * masks).argmax(axis=1)

    report = diagnose(shunning, NIM)
    assert report.verdict in ("unknown", "faulty")
    assert report.scores[0].percent < report.scores[0].random_percent


def test_the_same_seed_gives_the_same_report():
    assert diagnose(to_lose, NIM, seed=3) == diagnose(to_lose, NIM, seed=3)


def test_what_cannot_be_diagnosed_is_refused():
    with pytest.raises(TypeError, match=r"diagnose\(policy, env_or_game\)"):
        diagnose(to_lose)
    with pytest.raises(TypeError, match="must be a function"):
        diagnose(3, NIM)
    with pytest.raises(SearchTooLargeError, match="smaller board"):
        diagnose(to_lose, make_game("nim", heaps=(60, 60, 60)))
