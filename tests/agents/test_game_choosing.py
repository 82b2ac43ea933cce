"""Learners that choose their own games, in training, scores and checks."""

import pettingzoo
import pytest

from agents import GameChoosingLearner, QLearning
from agents.research.base import GeneralisingLearner
from agents.research.look_ahead import LookAheadPolicy
from agents.storage import save
from agents.training import TrainingStopped, train
from nim_envs import GameEnv, make_game, optimality
from nim_envs.errors import InvalidPositionError, StorageError


class FewestLeft(LookAheadPolicy):
    """Believes a position lost whose objects are a multiple of a number."""

    def __init__(self, game, divisor):
        super().__init__(game)
        self.divisor = divisor

    def loss_scores(self, positions):
        return (positions.sum(axis=1) % self.divisor == 0).astype(float)


class Counts(GeneralisingLearner):
    """Learns the number of games that it has played at random, up to four."""

    given = "the rules"

    def __init__(self, game, most=4):
        super().__init__(game, {"most": most})
        self.most = most
        self.count = 0

    def _fit(self, game, games, rng, after_game):
        sampler = game.starts.sampler(game)
        for _ in range(games):
            if self.count == self.most:
                self.proof = f"{self.most} is enough"
                return
            position, length = tuple(sampler.sample(rng, 1)[0].tolist()), 0
            while not game.is_over(position):
                self.positions_read += 1
                action = int(rng.choice(game.actions(position)))
                position, length = game.play(position, action), length + 1
            self.count += 1
            if after_game((length - 1) % 2, length):
                return

    def greedy(self, game=None):
        return FewestLeft(game or self.game, self.count or 1)

    @property
    def size(self):
        return f"{self.count} games"

    def describe(self):
        return f"counted to {self.count}"

    def learned(self):
        return {"count": self.count}

    def restore_learned(self, learned):
        self.count = learned["count"]


def single_heap(**arguments):
    return GameEnv(make_game("subtraction", heaps=(9,), subtraction_set=(1, 2, 3), **arguments))


def test_it_is_given_the_game_and_may_stop_early():
    env = single_heap()
    learner = Counts.for_env(env)
    log = train(env, learner, 100, seed=0, progress=False)
    assert isinstance(learner, GameChoosingLearner)
    assert log.games == 4
    assert learner.proof == "4 is enough"
    assert ((log.lengths >= 3) & (log.lengths <= 9)).all()
    assert (log.winners == (log.lengths - 1) % 2).all()
    assert optimality(learner, env).percent == 100
    assert optimality(learner.greedy(), env.game).percent == 100


def test_after_game_is_called_as_for_others_and_can_stop_it():
    env, asked = single_heap(), []
    train(env, Counts(env.game, most=7), 100, seed=0, progress=False, after_every=3,
          after_game=asked.append)  # fmt: skip
    assert asked == [3, 6, 7]
    learner = Counts(env.game, most=7)
    log = train(env, learner, 100, seed=0, progress=False, after_game=lambda games: games == 2)
    assert (log.games, learner.count) == (2, 2)


def test_ctrl_c_keeps_the_games_before_it():
    env = single_heap()
    learner = Counts(env.game)

    def interrupt(games):
        if games == 3:
            raise KeyboardInterrupt

    with pytest.raises(TrainingStopped) as stopped:
        train(env, learner, 100, seed=0, progress=False, after_game=interrupt)
    assert stopped.value.log.games == 3
    assert train(env, learner, 100, seed=0, progress=False).games == 1


def test_its_games_start_where_the_environment_or_the_options_say():
    env = single_heap()
    one = train(env, Counts(env.game), 4, seed=0, progress=False, options={"start": (1,)})
    assert one.lengths.tolist() == [1, 1, 1, 1]
    anywhere = train(env, Counts(env.game, most=50), 50, seed=0, progress=False,
                     options={"start": "uniform"})  # fmt: skip
    assert anywhere.lengths.min() == 1


def test_what_does_not_fit_is_refused(tmp_path):
    env = single_heap()
    learner = Counts(env.game)
    for arguments, message in (
        ({"options": {"start": "p_position"}}, "p_position"),
        ({"games": -1}, "-1"),
        ({"env": GameEnv(make_game("nim", heaps=(1, 2)))}, "made for subtraction, .*not for nim"),
    ):
        with pytest.raises(ValueError, match=message):
            train(**{"env": env, "agents": learner, "games": 3, "seed": 0, **arguments})
    train(env, (learner, QLearning.for_env(env)), 3, seed=0, progress=False)
    assert learner.count == 0  # in a pair it plays and does not learn
    with pytest.raises(TypeError, match=r"Counts .* environment of nim_envs"):
        Counts.for_env(pettingzoo.make("aec", "classic/tictactoe-v3"))
    with pytest.raises(StorageError, match="Counts"):  # it is not registered
        save(learner, tmp_path / "counts.zip")


def test_it_moves_only_where_there_is_a_move():
    policy = FewestLeft(make_game("nim", heaps=(3, 4)), 3)
    with pytest.raises(ValueError, match=r"no move at \(0, 0\)"):
        policy.move((0, 0))
    with pytest.raises(InvalidPositionError):
        policy.move((4, 0))
