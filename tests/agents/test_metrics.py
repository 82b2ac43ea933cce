"""Measurements during training: they are exact, and do not change the training."""

import os
import signal

import numpy as np
import pettingzoo
import pytest

from agents import GradientBandit, OptimalAgent, QLearning, RandomAgent
from agents.loop import DRAW
from agents.metrics import TrainingRecorder, learning_curve, mean_entropy
from agents.training import TrainingLog, TrainingStopped, train
from nim_envs import VersusEnv, make_game
from nim_envs.game import PLAYERS as SEATS
from nim_envs.scoring import optimality
from tests.agents.learning import CASES, contents, small_env
from tests.pairwise import in_turn

ADDITION = pettingzoo.make("aec", "nim_envs/addition", k=3, n=10)


def learner(env, make=QLearning):
    return make.for_env(env)


def test_entropy_is_the_limit_of_the_mean_over_many_games():
    game = make_game("nim", heaps=(2, 3), start="uniform")
    env = small_env()
    agent = learner(env, GradientBandit)
    train(env, agent, 300, seed=1, progress=False)
    entropies = [[], []]
    rng = np.random.default_rng(0)
    for _ in range(1_500):
        position, seat = tuple(rng.choice(game.start_positions()).tolist()), 0
        while not game.is_over(position):
            mask = np.zeros((1, game.num_actions), np.int8)
            mask[0, game.actions(position)] = 1
            chances = agent.action_probabilities(np.array([position]), mask)[0]
            entropies[seat].append(-(chances[chances > 0] * np.log(chances[chances > 0])).sum())
            position, seat = game.play(position, int(rng.choice(len(chances), p=chances))), 1 - seat
    exact = mean_entropy((agent, agent), game).policy
    for sample, truth in zip(entropies, exact, strict=True):
        # Moves of one game hang together, so more than the error of independent ones.
        assert abs(np.mean(sample) - truth) < 8 * np.std(sample) / len(sample) ** 0.5


@pytest.mark.parametrize(("name", "compiled"), in_turn(list(CASES), [True, False]))
def test_recording_does_not_change_the_training(name, compiled):
    runs = []
    for recorded in (False, True):
        env = small_env()
        agent = CASES[name](env)[0]
        recorder = TrainingRecorder(agent, env.game, every=30) if recorded else None
        log = train(
            env, agent, 100, seed=3, progress=False, compiled=compiled,
            after_game=recorder, after_every=30 if recorded else 1,
        )  # fmt: skip
        runs.append((log.winners.tolist(), log.lengths.tolist(), contents(agent)))
    assert runs[0] == runs[1]
    measured = recorder.measurements(log)
    assert measured.games.tolist() == [30, 60, 90, 100]
    assert (measured.entropies >= 0).all()
    assert (measured.entropies <= measured.uniform_entropies + 1e-12).all()
    # The last point is of what was learned in the end.
    score = optimality(agent.greedy(), env.game)
    assert measured.optimality["all"][-1] == score.percent
    final = mean_entropy((agent, agent), env.game)
    assert measured.entropies[:, -1].tolist() == final.policy.tolist()


def test_results_are_means_of_each_interval_the_last_one_shorter():
    log = TrainingLog(
        np.array([0, 1, 0, 0, DRAW], dtype=np.int8), np.array([1, 2, 3, 4, 5], dtype=np.int32), 1.0
    )
    recorder = TrainingRecorder(RandomAgent(), ADDITION.game, every=2)
    measured = recorder.measurements(log)
    assert measured.games.tolist() == [2, 4, 5]
    assert measured.win_rates.tolist() == [[0.5, 1, 0], [0.5, 0, 0]]
    assert measured.lengths.tolist() == [1.5, 3.5, 5]
    assert measured.first_seat_advantage.tolist() == [0, 1, 0]
    assert measured.optimality == {}  # nobody learns
    none = TrainingLog(np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int32), 0.0)
    assert recorder.measurements(none).win_rates.shape == (2, 0)


def test_a_learner_for_each_seat_is_scored_over_positions_its_seat_can_face():
    pair = tuple(learner(ADDITION, GradientBandit) for _ in SEATS)
    recorder = TrainingRecorder(pair, ADDITION.game, every=1_000)
    log = train(
        ADDITION, pair, 2_500, seed=0, progress=False, after_game=recorder, after_every=1_000
    )
    measured = recorder.measurements(log)
    assert measured.games.tolist() == [1_000, 2_000, 2_500]
    for seat, agent in zip(SEATS, pair, strict=True):
        score = optimality(agent.greedy(), ADDITION.game, seat)
        assert measured.optimality[seat][-1] == score.percent
    against_oracle = (pair[0], OptimalAgent(ADDITION.game))
    one = TrainingRecorder(against_oracle, ADDITION.game).measurements(log)
    assert list(one.optimality) == ["player_0"]
    with pytest.raises(TypeError, match="no learner to score"):
        learning_curve(ADDITION, RandomAgent(), ADDITION.game, 10, seed=0, every=5)
    with pytest.raises(TypeError, match="a two-player environment, such as"):
        train(VersusEnv(ADDITION.game), agent, 10, seed=0)


class Impatient(RandomAgent):
    """Presses Ctrl-C at its 50th move."""

    moves = 0

    def act(self, observation, action_mask, rng):
        self.moves += 1
        if self.moves == 50:
            raise KeyboardInterrupt
        return super().act(observation, action_mask, rng)


def test_ctrl_c_in_the_last_block_of_compiled_games_is_not_lost():
    def pressed(games):
        if games == 99:
            os.kill(os.getpid(), signal.SIGINT)
        return 0.2

    agent = QLearning.for_env(ADDITION, epsilon=pressed)
    with pytest.raises(TrainingStopped) as stopped:
        train(ADDITION, agent, 100, seed=0, progress=False)
    assert stopped.value.log.games == 100


def test_a_stopped_run_keeps_its_log():
    agent = learner(ADDITION)
    recorder = TrainingRecorder((agent, Impatient()), ADDITION.game, every=5)
    with pytest.raises(KeyboardInterrupt) as stopped:
        train(ADDITION, (agent, Impatient()), 1_000, seed=0, progress=False, after_game=recorder)
    log = stopped.value.log
    assert isinstance(stopped.value, TrainingStopped)
    whole = train(ADDITION, (learner(ADDITION), RandomAgent()), log.games, seed=0, progress=False)
    assert 10 < log.games < 50
    assert log.winners.tolist() == whole.winners.tolist()
    assert log.lengths.tolist() == whole.lengths.tolist()
    assert recorder.measurements(log).games[-1] == log.games


def test_an_agent_without_probabilities_has_no_entropy():
    class Mute:
        def act(self, observation, action_mask, rng):
            return int(np.argmax(action_mask))

    pair = learner(ADDITION), Mute()
    recorder = TrainingRecorder(pair, ADDITION.game)
    measured = recorder.measurements(train(ADDITION, pair, 20, seed=0, progress=False))
    assert np.isnan(measured.entropies).all()
    assert not np.isnan(measured.optimality["player_0"]).any()
