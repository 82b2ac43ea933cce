"""A score is of the process that a policy plays, through all wrappers of its environment."""

from __future__ import annotations

import gc
import itertools
import threading
from contextlib import suppress

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces, wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from pettingzoo.utils import BaseWrapper

from nim_envs import GameEnv, diagnose, make_game, optimality
from nim_envs.errors import ConformanceError, InvalidPolicyError
from nim_envs.registration import make_vector
from nim_envs.scoring import beatable_share, best_response, expected_scores, optimality_by_size
from nim_envs.testing import check_env, check_policy
from tests.played_scores import HEAPS, POSITIONS, Played, is_lost, played_score, random_policy

ACTIONS = len(HEAPS) * max(HEAPS)
FEW = np.array([11, 3, 0, 6, 5])
"""Five actions of the game."""


def single(**arguments):
    return gymnasium.make(
        "nim_envs/Nim-v0", heaps=HEAPS, opponent=None, disable_env_checker=True, **arguments
    )


def turns(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS, **arguments)


def batch(number=2, **arguments):
    return make_vector("nim", number, heaps=HEAPS, opponent=None, **arguments)


def backwards(env):
    return wrappers.TransformAction(env, lambda action: ACTIONS - 1 - action, None)


class Few(gymnasium.ActionWrapper, gymnasium.utils.RecordConstructorArgs):
    """Fewer actions than the game has."""

    def __init__(self, env):
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ActionWrapper.__init__(self, env)
        self.action_space = spaces.Discrete(len(FEW))

    def action(self, action):
        return FEW[action]


class Doubled(gymnasium.ActionWrapper):
    """Two actions for each of the game's, as an attribute of the object."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = spaces.Discrete(2 * env.action_space.n)
        self.action = lambda action: int(action) // 2


class Moved(gymnasium.ObservationWrapper):
    def observation(self, observation):
        observation["observation"] += 1  # in place
        return observation


class WithNimSum(gymnasium.ObservationWrapper):
    """What it shows is read in the environment."""

    def observation(self, observation):
        position = self.unwrapped.position
        legal = self.get_wrapper_attr("action_masks")().sum()
        return np.array([*position, np.bitwise_xor.reduce(position), legal])


class Shifted(gymnasium.ActionWrapper):
    """Actions in another order, and the masks of that order, for learners that ask for them."""

    def action(self, action):
        return (action + 5) % ACTIONS

    def action_masks(self):
        return np.roll(self.env.get_wrapper_attr("action_masks")(), -5)


class Backwards(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"][::-1]}


class Everything(wrappers.TransformObservation):
    """All actions seem legal."""

    def __init__(self, env):
        super().__init__(
            env, lambda seen: {**seen, "action_mask": np.ones_like(seen["action_mask"])}, None
        )


def vectors(mode, *layers, **arguments):
    return gymnasium.make_vec(
        "nim_envs:nim_envs/Nim-v0", 2, vectorization_mode=mode, wrappers=layers, heaps=HEAPS,
        opponent=None, vector_kwargs={"autoreset_mode": AutoresetMode.DISABLED}, **arguments,
    )  # fmt: skip


def small_actions(env):
    return vector.TransformAction(
        env, lambda actions: FEW[actions], single_action_space=spaces.Discrete(len(FEW)),
        action_space=spaces.MultiDiscrete([len(FEW)] * env.num_envs),
    )  # fmt: skip


PLAIN = {"mask_in_observation": False}

PLAYED = {
    "nothing": single,
    "turns": turns,
    "transformed action": lambda: backwards(single()),
    "fewer actions": lambda: Few(single()),
    "more actions": lambda: Doubled(single()),
    "three of them": lambda: Few(Doubled(backwards(single()))),
    "a space alone": lambda: wrappers.TransformAction(
        single(), lambda action: action, spaces.Discrete(3)
    ),
    "observation in place": lambda: Moved(single()),
    "read in the environment": lambda: WithNimSum(single()),
    "own masks": lambda: Shifted(single()),
    "other masks": lambda: Everything(single()),
    "observation and action": lambda: Moved(backwards(Everything(single()))),
    "flattened": lambda: wrappers.FlattenObservation(backwards(single(encoding="unary"))),
    "half": lambda: wrappers.TransformObservation(single(**PLAIN), lambda seen: seen / 2, None),
    "by its specification": lambda: gymnasium.make(Few(single()).spec),
    "observe": lambda: Backwards(turns()),
    "observe twice": lambda: Backwards(Backwards(turns(encoding="one_hot"))),
    "batch": batch,
    "actions of a batch": lambda: small_actions(batch()),
    "actions of a larger batch": lambda: small_actions(batch(7)),
    "vectorized": lambda: vector.VectorizeTransformAction(
        batch(3), wrappers.TransformAction, func=lambda action: FEW[action],
        action_space=spaces.Discrete(len(FEW)),
    ),
    "observations of a batch": lambda: vector.FlattenObservation(small_actions(batch(5))),
    "vector of wrapped": lambda: SyncVectorEnv(
        [lambda: Few(single())] * 2, autoreset_mode=AutoresetMode.DISABLED
    ),
    "make_vec": lambda: vectors("sync", Few, Moved),
    "make_vec in processes": lambda: vectors("async", Few, wrappers.FlattenObservation),
    "both": lambda: small_actions(vectors("sync", backwards)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAYED)
def test_the_score_is_that_of_the_game_as_it_is_played(name):
    env = PLAYED[name]()
    policy = random_policy(Played(env).actions)
    score = optimality(policy, env)
    assert (score.percent, score.illegal_percent) == pytest.approx(played_score(policy, env))
    env.close()


def first_legal(observations, masks):
    return masks.argmax(axis=1)


class Twice(gymnasium.Wrapper):
    def step(self, action):
        return self.env.step(ACTIONS - 1 - action)


class Blurred(gymnasium.Wrapper):
    """A wrapper with a game of its own changes observations."""

    def __init__(self, env):
        super().__init__(env)
        self.game, self.encoding = env.unwrapped.game, env.unwrapped.encoding

    def reset(self, **arguments):
        observation, info = self.env.reset(**arguments)
        return {**observation, "observation": observation["observation"] // 2}, info


class OtherMoves(BaseWrapper):
    def step(self, action):
        super().step(None if action is None else ACTIONS - 1 - action)


class OtherLast(BaseWrapper):
    def last(self, observe=True):
        return super().last(observe)


class ForOne(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"] + (agent == "player_1")}


class OtherEnv(GameEnv):
    def step(self, action):
        super().step(action)


class OfTheGame(gymnasium.ActionWrapper):
    """The legal actions, by their number among these."""

    def action(self, action):
        legal = np.flatnonzero(self.unwrapped.action_masks())
        return legal[action % len(legal)]


class Sticky(gymnasium.ActionWrapper):
    """The action before, whatever the action."""

    before = 0

    def action(self, action):
        self.before, action = action, self.before
        return action


class FromTheFirst(gymnasium.ObservationWrapper):
    first = None

    def observation(self, observation):
        if self.first is None:
            self.first = observation["observation"].copy()
        return {**observation, "observation": observation["observation"] - self.first}


class Locked(gymnasium.ActionWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.lock = threading.Lock()

    def action(self, action):
        return action


class Both(gymnasium.ActionWrapper, gymnasium.ObservationWrapper):
    def action(self, action):
        return action

    def observation(self, observation):
        return observation


def of_its_own(env):
    """A wrapper whose step is set on the object."""
    wrapped = gymnasium.Wrapper(env)
    wrapped.step = lambda action: env.step(ACTIONS - 1 - action)
    return wrapped


def by_closure(env):
    return wrappers.TransformAction(env, lambda action: int(env.unwrapped.position[0]), None)


def noisy(env):
    rng = np.random.default_rng(0)
    return wrappers.TransformObservation(
        env, lambda seen: {**seen, "observation": seen["observation"] + rng.random()}, None
    )


def different():
    numbers = itertools.count()

    def make():
        shift = next(numbers)
        return wrappers.TransformAction(single(), lambda action: (action + shift) % ACTIONS, None)

    return SyncVectorEnv([make, make])


REFUSED = {
    "Twice overrides step": lambda: Twice(single()),
    "Blurred overrides reset": lambda: Blurred(single()),
    "Wrapper overrides step": lambda: of_its_own(single()),
    "OtherMoves overrides step": lambda: OtherMoves(turns()),
    "OtherLast overrides last": lambda: OtherLast(turns()),
    "OtherEnv overrides step": lambda: OtherEnv(make_game("nim", heaps=HEAPS)),
    "Both overrides reset, observation": lambda: Both(single()),
    "ForOne does not do the same for both agents": lambda: ForOne(turns()),
    "OfTheGame reads the position of the game in progress": lambda: OfTheGame(single()),
    "TransformAction reads the position of the game in progress": lambda: by_closure(single()),
    "TransformObservation does not answer the same": lambda: noisy(single()),
    "Sticky does not answer the same": lambda: Sticky(single()),
    "FromTheFirst does not answer the same": lambda: FromTheFirst(single()),
    "Locked cannot be copied": lambda: Locked(single()),
    r"TransformAction raises IndexError .* in action": lambda: wrappers.TransformAction(
        single(), lambda action: [0, 1][action], None
    ),
    r"has actions in Box.*, where a score takes the integers from 0": lambda: (
        wrappers.TransformAction(single(), lambda action: 0, spaces.Box(0, 1))
    ),
    "whose actions differ": different,
    "Twice overrides step, which": lambda: vectors("sync", Twice),
    "Twice overrides step, which a": lambda: vectors("async", Twice),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_followed_is_refused_by_name(message):
    env = REFUSED[message]()
    with pytest.raises(TypeError, match=message):
        optimality(first_legal, env)
    env.close()


@pytest.mark.parametrize(
    "score",
    [
        optimality, optimality_by_size, best_response, beatable_share, check_policy,
        lambda policy, env: expected_scores(policy, first_legal, env), diagnose,
        lambda policy, env: diagnose(lambda _: policy, make_env=lambda g: OtherMoves(GameEnv(g))),
    ],
)  # fmt: skip
def test_every_score_goes_through_the_same_door(score):
    with pytest.raises(TypeError, match=r"(Twice|OtherMoves) overrides step"):
        score(first_legal, Twice(single()))


def test_all_scores_are_of_the_process_that_is_played():
    """The best player with actions the other way round is best in every score."""
    game = make_game("nim", heaps=HEAPS)

    def best(observations, masks):
        return ACTIONS - 1 - game.solution.winning_mask(observations).argmax(axis=1)

    env = backwards(single())
    score = optimality(best, env)
    assert (score.percent, len(score.blunders)) == (100, 0)
    assert optimality(best, game).percent < 50
    assert {each.percent for each in optimality_by_size(best, env).values()} == {100}
    assert beatable_share(best, env) == 0
    check_policy(best, env, illegal=True)  # at P-positions
    chances = expected_scores(best, first_legal, env).moving
    lost = [is_lost(position) for position in game.rules.lattice()]
    assert (chances[~np.array(lost)] == 1).all()
    assert diagnose(best, env).scores[0].percent == 100


def test_the_random_policy_draws_among_the_actions_of_the_policy():
    """It has two ways to make a move, or none."""

    def weighed(action):
        return min(action, 3)

    env = wrappers.TransformAction(single(), weighed, spaces.Discrete(6))

    def uniform(observations, masks):
        legal = masks[:, [0, 1, 2, 3, 3, 3]].astype(float)
        legal[~legal.any(axis=1), 0] = 1  # an illegal action
        return legal / legal.sum(axis=1, keepdims=True)

    score = optimality(uniform, env)
    assert 0 < score.random_percent == pytest.approx(score.percent)
    plain = optimality(first_legal, single())
    assert score.random_percent != pytest.approx(plain.random_percent)


def test_an_action_that_becomes_none_of_the_game_is_an_error_where_it_is_chosen():
    env = wrappers.TransformAction(single(), lambda action: action - 1, None)
    shifted = optimality(lambda seen, masks: masks.argmax(axis=1) + 1, env, POSITIONS[:-1])
    assert shifted.percent == optimality(first_legal, single(), POSITIONS[:-1]).percent
    with pytest.raises(InvalidPolicyError, match="takes action 0, which the wrappers of"):
        optimality(lambda seen, masks: np.zeros(len(masks), int), env)


class Plain(wrappers.TimeLimit):
    """It overrides nothing that is played."""

    def render(self):
        return None


class Logged(gymnasium.Wrapper):
    transparent = True

    def step(self, action):
        return self.env.step(action)


class OnTopOfIt(Logged):
    def step(self, action):
        return super().step(ACTIONS - 1 - action)


def test_wrappers_that_override_nothing_or_declare_so_are_harmless():
    for env in (Plain(single(), 9), Logged(single())):
        assert str(optimality(first_legal, env)) == str(optimality(first_legal, single()))
    with pytest.raises(TypeError, match="OnTopOfIt overrides step"):
        optimality(first_legal, OnTopOfIt(single()))


@pytest.mark.parametrize("wrapper", [Moved, WithNimSum, Few, OfTheGame, Sticky])
def test_a_score_leaves_the_game_in_progress_as_it_is(wrapper):
    env = wrapper(single())
    env.reset(seed=1)
    env.unwrapped.step(0)
    kinds, position = type(env.unwrapped), env.unwrapped.position
    before = {name: value for name, value in vars(env).items() if name != "env"}
    with suppress(TypeError):
        optimality(first_legal, env, [position])
    assert type(env.unwrapped) is kinds
    assert (env.unwrapped.position == position).all()
    assert before == {name: value for name, value in vars(env).items() if name != "env"}
    env.unwrapped.step(1)


def test_a_batch_stays_open():
    env = small_actions(batch())
    env.reset(seed=0)
    optimality(lambda seen, masks: np.zeros(len(masks), int), env)
    gc.collect()
    env.step(np.array([2, 2]))
    assert not env.unwrapped.closed


def test_check_env_says_what_wrappers_change():
    told = (
        "Moved changes observations by its method observation, which scores apply; "
        "TransformAction changes actions by its method action, which scores apply"
    )
    with pytest.raises(ConformanceError, match=told):
        check_env(Moved(backwards(single())))
    with pytest.raises(ConformanceError, match="OtherMoves overrides step, which scores refuse"):
        check_env(OtherMoves(turns()))
    with pytest.warns(UserWarning, match="OtherLast overrides last, which scores refuse"):
        check_env(OtherLast(turns()))
