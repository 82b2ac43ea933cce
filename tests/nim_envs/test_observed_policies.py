"""A policy is scored on what its environment shows it, wrappers and all, or not at all."""

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import wrappers
from gymnasium.spaces import Box, flatten
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import vector
from pettingzoo.utils import OrderEnforcingWrapper

from agents.players.human import HumanAgent
from agents.players.search import AlphaBetaAgent
from nim_envs import make_game, optimality
from nim_envs.errors import InvalidGameError
from nim_envs.registration import make_vector
from nim_envs.scoring import best_response
from nim_envs.testing import check_policy
from tests.pairwise import in_turn

HEAPS = (3, 4, 5)
NIM = make_game("nim", heaps=HEAPS)
FIRST = optimality(lambda observations, masks: masks.argmax(axis=1), NIM)


def single(**arguments):
    return gymnasium.make("nim_envs/Nim-v0", heaps=HEAPS, disable_env_checker=True, **arguments)


def halved(env):
    """Half of each number, as a wrapper shows it."""
    return wrappers.TransformObservation(env, lambda o: o / 2, Box(0, 3, (3,), np.float32))


def halved_batch(env):
    return vector.TransformObservation(
        env, lambda o: o / 2, single_observation_space=Box(0, 3, (3,), np.float32),
        observation_space=Box(0, 3, (env.num_envs, 3), np.float32),
    )  # fmt: skip


def seen(env, expected):
    """Whether a policy observes what ``expected`` returns of positions and masks."""
    shown = []

    def policy(observations, masks):
        shown.append((observations, masks))
        return masks.argmax(axis=1)

    score = optimality(policy, env)
    assert (score.percent, score.blunders.tolist()) == (FIRST.percent, FIRST.blunders.tolist())
    winnable = [row for row in NIM.rules.lattice() if NIM.solution.is_winning(row)]
    assert len(shown) == 1
    rows = zip(*shown[0], winnable, strict=True)
    return all(np.array_equal(row, expected(here, mask)) for row, mask, here in rows)


PLAIN = {"mask_in_observation": False}


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (lambda: halved(single(**PLAIN)), lambda here, mask: here / 2),
        (lambda: halved(halved(single(**PLAIN))), lambda here, mask: here / 4),
        (
            lambda: wrappers.FlattenObservation(single(encoding="unary")),
            lambda here, mask: flatten(
                single(encoding="unary").observation_space,
                {"observation": single(encoding="unary").unwrapped.encoding.encode(here),
                 "action_mask": mask},
            ),
        ),
        (
            lambda: wrappers.TransformObservation(
                single(), lambda o: {**o, "observation": o["observation"][::-1]}, None
            ),
            lambda here, mask: here[::-1],
        ),
        (lambda: wrappers.FilterObservation(single(), ["observation"]), lambda here, mask: here),
        (
            lambda: wrappers.DtypeObservation(single(**PLAIN), np.float64),
            lambda here, mask: here.astype(np.float64),
        ),
        (
            lambda: wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(single(), 9)),
            lambda here, mask: here,
        ),
        (lambda: SyncVectorEnv([lambda: halved(single(**PLAIN))] * 2), lambda here, _: here / 2),
        (
            lambda: halved_batch(make_vector("nim", 4, heaps=HEAPS, **PLAIN)),
            lambda here, mask: here / 2,
        ),
        (
            lambda: vector.FlattenObservation(make_vector("nim", 5, heaps=HEAPS)),
            lambda here, mask: np.concatenate([here, mask]),
        ),
        (
            lambda: halved_batch(SyncVectorEnv([lambda: halved(single(**PLAIN))] * 7)),
            lambda here, mask: here / 4,
        ),
        (
            lambda: OrderEnforcingWrapper(pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS)),
            lambda here, mask: here,
        ),
    ],
    ids=["transform", "twice", "flatten", "dictionary", "filter", "dtype", "others",
         "vector of wrapped", "wrapped batch", "flattened batch", "both", "turn-based"],
)  # fmt: skip
def test_a_policy_observes_what_wrappers_make_of_it(env, expected):
    assert seen(env(), expected)


class Counted(gymnasium.ObservationWrapper):
    """Each observation with its number."""

    number = 0

    def observation(self, observation):
        self.number += 1
        return np.append(observation, self.number)


UNFOLLOWED = [
    (lambda: wrappers.NormalizeObservation(single(**PLAIN)), "NormalizeObservation"),
    (lambda: wrappers.FrameStackObservation(single(**PLAIN), 2), "FrameStackObservation"),
    (lambda: wrappers.DelayObservation(single(**PLAIN), 1), "DelayObservation"),
    (lambda: wrappers.MaxAndSkipObservation(single(**PLAIN)), "MaxAndSkipObservation"),
    (lambda: wrappers.TimeAwareObservation(wrappers.TimeLimit(single(**PLAIN), 9)), "TimeAw"),
    (lambda: wrappers.AddRenderObservation(single(render_mode="rgb_array")), "AddRender"),
    (lambda: halved(Counted(single(**PLAIN))), "Counted"),
    (
        lambda: vector.NormalizeObservation(make_vector("nim", 2, heaps=HEAPS, **PLAIN)),
        "NormalizeObservation",
    ),
    (
        lambda: SyncVectorEnv([lambda: wrappers.NormalizeObservation(single(**PLAIN))] * 2),
        "NormalizeObservation",
    ),
    (lambda: wrappers.FilterObservation(single(), ["action_mask"]), "no 'observation'"),
]


@pytest.mark.parametrize(
    ("unfollowed", "score"), in_turn(UNFOLLOWED, [optimality, best_response, check_policy])
)
def test_wrappers_that_cannot_be_followed_are_refused_by_name(unfollowed, score):
    env, named = unfollowed
    with pytest.raises(TypeError, match=named):
        score(lambda observations, masks: masks.argmax(axis=1), env())


def test_wrappers_in_other_processes_are_read_where_they_are_made():
    def make(**arguments):
        return gymnasium.make_vec(
            "nim_envs:nim_envs/Nim-v0", 2, vectorization_mode="async", heaps=HEAPS,
            vector_kwargs={"context": "spawn"}, **arguments,
        )  # fmt: skip

    env = make(wrappers=(wrappers.FlattenObservation,))
    assert seen(env, lambda here, mask: np.concatenate([here, mask]))
    env.close()
    env = make(mask_in_observation=False)
    assert seen(halved_batch(env), lambda here, mask: here / 2)
    env.close()


def spoils(chosen):
    """A policy that writes to all that it is given."""

    def policy(observations, masks):
        answer = chosen(observations.copy(), masks.copy())
        observations[:] = 1
        masks[:] = 1 - masks
        return answer

    return policy


@pytest.mark.parametrize("sample", [None, 40])
@pytest.mark.parametrize(
    "subject_of",
    [lambda: NIM, single, lambda: make_vector("nim", 3, heaps=HEAPS)],
    ids=["game", "environment", "batch"],
)
def test_a_policy_that_overwrites_its_arguments_gets_the_score_of_its_answers(subject_of, sample):
    subject = subject_of()

    def shares(observations, masks):
        return masks / masks.sum(axis=1, keepdims=True)

    for chosen in (
        shares,
        lambda observations, masks: masks.argmax(axis=1),
        lambda observations, masks: np.zeros(len(masks), dtype=int),
    ):
        clean = optimality(chosen, subject, sample=sample)
        dirty = optimality(spoils(chosen), subject, sample=sample)
        assert str(dirty) == str(clean)
        assert dirty.blunders.tolist() == clean.blunders.tolist()

    class Acts:
        def act(self, observation, action_mask, rng):
            action = int(action_mask.argmax())
            observation[:], action_mask[:] = 1, 0
            return action

    assert str(optimality(Acts(), subject)) == str(FIRST)
    check_policy(Acts(), subject)
    check_policy(spoils(shares), subject)


def test_searching_and_human_players_cannot_be_scored():
    env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS)
    with pytest.raises(TypeError, match="cannot be scored: it searches"):
        optimality(AlphaBetaAgent(env), env)
    with pytest.raises(TypeError, match="cannot be scored: it asks a person"):
        best_response(HumanAgent(NIM), NIM)


@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_an_invalid_seed_is_named(seed):
    with pytest.raises(
        InvalidGameError, match=r"seed must be an integer from 0 .*not " + str(seed)
    ):
        optimality(lambda observations, masks: masks.argmax(axis=1), NIM, sample=10, seed=seed)
