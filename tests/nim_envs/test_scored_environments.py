"""Observations of a policy in environments that are scored, and wrappers that are refused."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import wrappers
from pettingzoo.utils import BaseWrapper, OrderEnforcingWrapper

from agents.players import HumanAgent
from agents.search import AlphaBetaAgent
from nim_envs import GameEnv, diagnose, make_game, optimality
from nim_envs.errors import InvalidGameError
from nim_envs.registry import make_vector
from nim_envs.scoring import beatable_share, best_response, expected_scores

HEAPS = (3, 4, 5)
NIM = make_game("nim", heaps=HEAPS)
ADVICE = r"score the game, and put your change into the policy: optimality\(lambda o, m: "


def single(**arguments):
    return gymnasium.make("nim_envs/Nim-v0", heaps=HEAPS, **arguments)


def plain(**arguments):
    return single(mask_in_observation=False, **arguments)


def turns():
    return pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def seen(env):
    """Observations of the policy, and the N-positions where it is asked, a row each."""
    shown = []

    def policy(observations, masks):
        shown.append((observations.copy(), masks.copy()))
        return masks.argmax(axis=1)

    optimality(policy, env)
    lattice = NIM.board.positions(np.arange(NIM.board.num_positions))
    return *shown[0], lattice[NIM.solution.is_winning(lattice)]


@pytest.mark.parametrize(
    "env",
    [
        single, turns,
        lambda: wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(single(), 9)),
        lambda: OrderEnforcingWrapper(turns()),
        lambda: wrappers.vector.RecordEpisodeStatistics(make_vector("nim", 3, heaps=HEAPS)),
    ],
)  # fmt: skip
def test_wrappers_that_order_check_limit_and_record_change_nothing(env):
    observations, masks, positions = seen(env())
    assert (observations == positions).all()
    assert (masks == NIM.board.mask(NIM.board.find(positions))).all()


class Halved(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return observation / 2


class Everything(gymnasium.ObservationWrapper):
    """All actions seem legal, and heaps one larger; it changes what it is given."""

    def observation(self, observation):
        observation["observation"] += 1
        observation["action_mask"][:] = 1
        return observation


def test_observation_wrappers_are_applied_to_each_observation():
    observations, _, positions = seen(Halved(Halved(plain())))
    assert (observations == positions / 4).all()
    observations, masks, _ = seen(Everything(single()))
    assert (observations == positions + 1).all()
    assert masks.all()
    observations, masks, _ = seen(wrappers.FlattenObservation(single()))
    assert (observations == np.hstack([positions, masks])).all()
    turned = wrappers.TransformObservation(plain(), lambda heaps: heaps[::-1], None)
    assert (seen(turned)[0] == positions[:, ::-1]).all()


class Twice(gymnasium.Wrapper):
    def step(self, action):
        self.env.step(action)
        return self.env.step(action)


class OtherMoves(BaseWrapper):
    def step(self, action):
        super().step(None if action is None else 14 - action)


class OtherEnv(GameEnv):
    def observe(self, agent):
        return super().observe(agent)


class OwnReset(gymnasium.ObservationWrapper):
    def reset(self, **arguments):
        return super().reset(**arguments)

    def observation(self, observation):
        return observation


class Reads(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return self.unwrapped.position


class Counts(gymnasium.ObservationWrapper):
    number = 0

    def observation(self, observation):
        self.number += 1
        return np.append(observation, self.number)


REFUSED = {
    "Twice": lambda: Twice(single()),
    "OtherMoves": lambda: OtherMoves(turns()),
    "OtherEnv overrides observe": lambda: OtherEnv(NIM),
    "OwnReset overrides reset": lambda: OwnReset(plain()),
    "Reads reads the environment, .* no attribute 'position'": lambda: Reads(plain()),
    "Counts shows another observation when it is asked again": lambda: Counts(plain()),
    "NormalizeObservation": lambda: wrappers.NormalizeObservation(plain()),
    "DelayObservation": lambda: wrappers.DelayObservation(plain(), 1),
    "FrameStackObservation": lambda: wrappers.FrameStackObservation(plain(), 2),
    "TransformAction": lambda: wrappers.TransformAction(single(), lambda action: action, None),
    "FilterObservation shows no 'observation'": lambda: wrappers.FilterObservation(
        single(), ["action_mask"]
    ),
    "FlattenObservation": lambda: wrappers.vector.FlattenObservation(
        make_vector("nim", 2, heaps=HEAPS)
    ),
    "SyncVectorEnv": lambda: gymnasium.make_vec("nim_envs/Nim-v0", 2, vectorization_mode="sync"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_all_others_are_refused_by_name_with_what_to_do_instead(name):
    with pytest.raises(TypeError, match=f"{name}.*{ADVICE}"):
        optimality(first_legal, REFUSED[name]())


@pytest.mark.parametrize(
    "score",
    [
        best_response, beatable_share, diagnose,
        lambda policy, env: expected_scores(policy, first_legal, env),
    ],
)  # fmt: skip
def test_every_score_goes_through_the_same_door(score):
    with pytest.raises(TypeError, match="Twice"):
        score(first_legal, Twice(single()))


def test_a_score_leaves_wrappers_and_the_game_in_progress_as_they_are():
    env = Counts(plain())
    env.reset(seed=1)
    position = env.unwrapped.position
    with pytest.raises(TypeError):
        optimality(first_legal, env)
    assert env.number == 1
    assert (env.unwrapped.position == position).all()


@pytest.mark.parametrize("sample", [None, 40])
@pytest.mark.parametrize("subject", [NIM, single(), make_vector("nim", 3, heaps=HEAPS)])
def test_a_policy_that_overwrites_its_arguments_gets_the_score_of_its_answers(subject, sample):
    def spoils(observations, masks):
        answer = masks.argmax(axis=1)
        observations[:], masks[:] = 1, 1 - masks
        return answer

    clean = optimality(first_legal, subject, sample=sample)
    dirty = optimality(spoils, subject, sample=sample)
    assert str(dirty) == str(clean)
    assert dirty.blunders.tolist() == clean.blunders.tolist()


def test_searching_and_human_players_cannot_be_scored():
    env = turns()
    with pytest.raises(TypeError, match="cannot be scored: it searches"):
        optimality(AlphaBetaAgent(env), env)
    with pytest.raises(TypeError, match="cannot be scored: it asks a person"):
        best_response(HumanAgent(NIM), NIM)


@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_an_invalid_seed_is_named(seed):
    with pytest.raises(
        InvalidGameError, match=r"seed must be an integer from 0 .*not " + str(seed)
    ):
        optimality(first_legal, NIM, sample=10, seed=seed)
