"""The check of learners: right ones pass, and every fault is named."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest

from agents import QLearning, RandomAgent
from agents.tabular.learner import TabularLearner
from agents.testing import check_learner
from nim_envs import GameEnv
from nim_envs.testing import ConformanceError
from tests.agents.learning import own_game, small_env


class Greedy:
    """Takes the legal action of the highest score, the first of several."""

    def __init__(self, scores):
        self.scores = scores

    def action_probabilities(self, observations, masks):
        rows = [
            np.where(mask, self.scores.get(observation.tobytes(), 0.0), -np.inf)
            for observation, mask in zip(observations, masks, strict=True)
        ]
        return np.eye(masks.shape[1])[np.argmax(rows, axis=1)]

    def act(self, observation, action_mask, rng):
        return int(self.action_probabilities(observation[None], action_mask[None])[0].argmax())


class Scores:
    """A custom learner: a score for each action, which moves half of the way to the reward."""

    def __init__(self):
        self.scores = {}

    def row(self, observation):
        return self.scores.setdefault(observation.tobytes(), np.zeros(self.actions))

    def act(self, observation, action_mask, rng):
        self.actions = len(action_mask)
        if rng.random() < 0.3:
            return int(rng.choice(np.flatnonzero(action_mask)))
        return Greedy(self.scores).act(observation, action_mask, rng)

    def update(self, transition):
        row = self.row(transition.observation)
        reward = transition.reward + transition.reply_reward
        row[transition.action] += 0.5 * (reward - row[transition.action])

    def greedy(self):
        return Greedy({key: row.copy() for key, row in self.scores.items()})


class FromGames(Scores):
    """The same from whole games."""

    learns_from_games = True

    def begin_game(self):
        pass

    def update(self, transition):
        pass

    def learn_from_game(self, transitions):
        for transition in transitions:
            super().update(transition)


@pytest.mark.parametrize("learner", [Scores, FromGames])
def test_a_learner_of_ones_own_passes(learner):
    check_learner(lambda env: learner(), small_env())
    check_learner(learner(), GameEnv(own_game()))
    check_learner(
        learner(), pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(1, 2), encoding="unary")
    )


def test_a_learner_passes_in_a_foreign_environment():
    check_learner(Scores(), pettingzoo.make("aec", "classic/tictactoe-v3"))


class IgnoresTheMask(Scores):
    def act(self, observation, action_mask, rng):
        return int(rng.integers(len(action_mask)))


class NoInteger(Scores):
    def act(self, observation, action_mask, rng):
        return float(super().act(observation, action_mask, rng))


class LearnsInAct(Scores):
    def act(self, observation, action_mask, rng):
        action = super().act(observation, action_mask, rng)
        self.row(observation)[action] -= 1
        return action


class WritesToTheMask(Scores):
    def act(self, observation, action_mask, rng):
        action = super().act(observation, action_mask, rng)
        action_mask[:] = 0
        return action


class ChangesTheTransition(Scores):
    def update(self, transition):
        super().update(transition)
        transition.observation[:] = 0


class ChangesTheGame(FromGames):
    def learn_from_game(self, transitions):
        super().learn_from_game(transitions)
        transitions.reverse()


class ItsOwnRandomness(Scores):
    def act(self, observation, action_mask, rng):
        return super().act(observation, action_mask, np.random.default_rng())


class LearnsInGreedy(Scores):
    def greedy(self):
        for row in self.scores.values():
            row[:] = np.roll(row, 1)
        return super().greedy()


class GreedyThatLearnsOn(Scores):
    def greedy(self):
        return Greedy(self.scores)


class ActsAlone:
    def act(self, observation, action_mask, rng):
        return int(action_mask.argmax())


class GreedyWithoutProbabilities(Scores):
    def greedy(self):
        return ActsAlone()


class OfTheBatch(Greedy):
    def action_probabilities(self, observations, masks):
        return masks / masks.sum()


class GreedyThatIsNotNormalised(Scores):
    def greedy(self):
        return OfTheBatch(self.scores)


class WithoutWholeGames(Scores):
    def begin_game(self):
        pass


class LearnsFromTruncatedGames(FromGames):
    def update(self, transition):
        if transition.truncated:
            self.row(transition.observation)[transition.action] = -1


class RemembersHalfAGame(FromGames):
    def __init__(self):
        super().__init__()
        self.turns = []

    def update(self, transition):
        self.turns.append(transition._replace(reward=-1.0) if not self.turns else transition)

    def learn_from_game(self, transitions):
        super().learn_from_game(self.turns)
        self.turns = []


class FailsAtTruncation(Scores):
    def update(self, transition):
        if transition.truncated:
            raise NotImplementedError("truncation")
        super().update(transition)


class SharedByCopies(Scores):
    def __deepcopy__(self, memo):
        return self


class Forgets(Scores):
    def __getstate__(self):
        return {"scores": {}}


class Local(Scores):
    def __init__(self):
        super().__init__()
        self.schedule = lambda games: 0.1


class ShiftedStepByStep(QLearning):
    """Adds to its table where compiled games do not."""

    def update(self, transition):
        super().update(transition)
        self.table[0, 0] += 1.0


FAULTS = {
    IgnoresTheMask: r"act\(\) returned \d at \[.*\], where the legal actions are \[",
    NoInteger: r"act\(\) returned \d\.0 at",
    LearnsInAct: r"act\(\) teaches the learner something",
    WritesToTheMask: r"act\(\) changes what it is given",
    ChangesTheTransition: r"update\(\) changes the transition",
    ChangesTheGame: r"learn_from_game\(\) changes the transitions",
    ItsOwnRandomness: "the games of the same seed, winners and lengths, is",
    LearnsInGreedy: r"greedy\(\) must not learn",
    GreedyThatLearnsOn: r"the policy that greedy\(\) returned, after the learner has learned more",
    GreedyWithoutProbabilities: r"has not both act and action_probabilities",
    GreedyThatIsNotNormalised: "the greedy policy: .* does not sum to 1",
    WithoutWholeGames: r"the learner has \['begin_game'\]: it needs begin_game and learn_from_game",
    LearnsFromTruncatedGames: "the policy of a learner from whole games, after a truncated game",
    RemembersHalfAGame: "a learner that met half a game before does not learn on alike",
    FailsAtTruncation: "a truncated game raised NotImplementedError: truncation",
    SharedByCopies: r"training a copy by copy.deepcopy teaches the learner it was made from",
    Forgets: "a copy by copy.deepcopy does not know the same",
    Local: r"copying it by pickle raised .*lambda",
}


@pytest.mark.parametrize("learner", FAULTS, ids=lambda learner: learner.__name__)
def test_a_fault_of_a_learner_is_named(learner):
    with pytest.raises(ConformanceError, match=FAULTS[learner]):
        check_learner(lambda env: learner(), small_env())


def test_compiled_games_that_teach_something_else_are_named():
    with pytest.raises(ConformanceError, match="compiled games"):
        check_learner(ShiftedStepByStep.for_env, small_env())


def test_a_file_that_does_not_bring_everything_back_is_named(monkeypatch):
    monkeypatch.setattr(TabularLearner, "restore", lambda self, saved: None)
    with pytest.raises(ConformanceError, match="what comes back from a file does not know the"):
        check_learner(QLearning.for_env, small_env())


def test_objects_that_are_no_learners_are_named():
    with pytest.raises(ConformanceError, match="the learner has no method update"):
        check_learner(RandomAgent(), small_env())
    with pytest.raises(TypeError, match="learner"):
        check_learner(7, small_env())
    with pytest.raises(TypeError, match="AECEnv"):
        check_learner(Scores(), own_game())
