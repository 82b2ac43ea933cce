"""The check of Gymnasium environments of one player: every fault is named."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

from nim_envs import make_game
from nim_envs.encoding import ENCODINGS
from nim_envs.envs.versus import VersusEnv
from nim_envs.registration import make_versus
from nim_envs.testing import ConformanceError, check_env
from tests.nim_envs.testing.cases import DISAGREEMENTS, NIM, PATHS, last_legal
from tests.nim_envs.testing.documented import (
    documented_entries,
    game_with,
    public_methods,
    spoiled,
)
from tests.pairwise import in_turn

pytestmark = pytest.mark.usefixtures("brief_checks")


def versus(**arguments):
    return VersusEnv(NIM, **arguments)


def test_wrapped_environments_pass():
    check_env(gymnasium.make("nim_envs/Nim-v0", opponent=0.5, seat="random"))
    check_env(gymnasium.wrappers.RecordEpisodeStatistics(versus(mask_in_observation=False)))
    check_env(TimeLimit(make_versus("nim", heaps=(5, 5), opponent="random"), 2))
    check_env(gymnasium.wrappers.RenderCollection(versus(render_mode="rgb_array")))
    with pytest.warns(UserWarning, match="FlattenObservation changes observations .* apply"):
        check_env(gymnasium.wrappers.FlattenObservation(versus()))


def test_a_broken_promise_is_told_with_the_wrappers_that_change_actions():
    changed = gymnasium.wrappers.TransformAction(versus(), lambda action: action ^ 1, None)
    told = "TransformAction changes actions by its method action, which scores apply"
    with pytest.raises(ConformanceError, match=told):
        check_env(changed)


PASSING = [
    {"opponent": None, "encoding": "integer", "truth_in_info": True, "render_mode": "ansi"},
    {"opponent": "random", "encoding": "one_hot", "seat": 1, "render_mode": "rgb_array"},
    {"opponent": "optimal", "encoding": "binary", "seat": "random", "truth_in_info": True},
    {"opponent": 0.3, "encoding": "unary", "seat": 0, "illegal_move": "raise"},
    {"opponent": last_legal, "encoding": "integer", "seat": "random", "max_cycles": 1},
]


@pytest.mark.parametrize(("arguments", "game"), in_turn(PASSING, [NIM, PATHS]))
def test_environments_pass(arguments, game):
    assert {case["encoding"] for case in PASSING} == set(ENCODINGS)
    check_env(VersusEnv(game, **arguments))


@pytest.mark.parametrize("opponent", [None, "optimal"])
@pytest.mark.parametrize("entry", documented_entries(VersusEnv))
def test_every_documented_entry_of_infos_is_judged(entry, opponent):
    class Spoiled(gymnasium.Wrapper):
        changed = staticmethod(lambda info: {**info, entry: spoiled(info[entry])})

        def reset(self, **arguments):
            observation, info = super().reset(**arguments)
            return observation, self.changed(info)

        def step(self, action):
            *rest, info = super().step(action)
            return *rest, self.changed(info)

    class Missing(Spoiled):
        changed = staticmethod(lambda info: {k: v for k, v in info.items() if k != entry})

    arguments = {"opponent": opponent, "truth_in_info": True}
    with pytest.raises(ConformanceError, match=rf"info\['{entry}'\] is .*, where .* is expected"):
        check_env(Spoiled(VersusEnv(game_with(entry, NIM), **arguments)))
    with pytest.raises(ConformanceError, match=f"the info has no '{entry}'|is None, where"):
        check_env(Missing(VersusEnv(game_with(entry, NIM), **arguments)))


@pytest.mark.parametrize(("disagreement", "seat"), in_turn(DISAGREEMENTS, [0, 1]))
def test_an_opponent_that_plays_otherwise_than_named_is_found(disagreement, seat):
    said, played, named = disagreement
    env = VersusEnv(make_game("nim", heaps=(3, 4, 5)), opponent=played, seat=seat)
    env.opponent = said
    with pytest.raises(ConformanceError, match=named):
        check_env(env)


def test_a_player_of_both_seats_is_not_given_the_wrong_one():
    class SecondPlayer(gymnasium.Wrapper):
        def reset(self, **arguments):
            observation, info = super().reset(**arguments)
            return observation, {**info, "seat": np.int8(1)}

    with pytest.raises(ConformanceError, match=r"info\['seat'\] is \d, where"):
        check_env(SecondPlayer(versus(seat="random")))


class Doubled(gymnasium.Wrapper):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, 2 * reward, *rest


class NeverEnds(gymnasium.Wrapper):
    def step(self, action):
        observation, reward, _, *rest = super().step(action)
        return observation, reward, False, *rest


class MaskAtTheEnd(gymnasium.Wrapper):
    def step(self, action):
        observation, *rest = super().step(action)
        if rest[1]:
            observation["action_mask"][:] = 1
        return observation, *rest


class Float64(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return {**observation, "observation": observation["observation"] * 1.0}


class SeedOfItsOwn(gymnasium.Wrapper):
    def reset(self, *, seed=None, options=None):
        return super().reset(options=options)


class SharedByCopies(gymnasium.Wrapper):
    def __deepcopy__(self, memo):
        return self


class TwoMovesAtOnce(gymnasium.Wrapper):
    def step(self, action):
        answer = super().step(action)
        if not answer[2]:
            answer = super().step(int(answer[0]["action_mask"].argmax()))
        return answer


SINGLE_FAULTS = {
    Doubled: r"the reward is -?2.0, where -?1.0 is expected",
    NeverEnds: "terminated is False, where True is expected",
    MaskAtTheEnd: r"where the game has ended, the mask is \[1, 1, 1, 1, 1, 1\]",
    Float64: "is not in the observation space",
    SeedOfItsOwn: r"reset\(seed=3\) did not give the same games the second time",
    SharedByCopies: "which must not share its state",
    TwoMovesAtOnce: r"the position is .*, and no reply leads there|the position is",
}


@pytest.mark.parametrize("wrapper", SINGLE_FAULTS, ids=lambda wrapper: wrapper.__name__)
def test_a_fault_of_a_wrapper_is_named(wrapper):
    with pytest.raises(ConformanceError, match=SINGLE_FAULTS[wrapper]):
        check_env(wrapper(versus()))


class InvertedMasks(VersusEnv):
    def action_masks(self):
        return ~super().action_masks()


class IntegerMasks(VersusEnv):
    def action_masks(self):
        return super().action_masks().astype(np.int8)


class ItsOwnPosition(VersusEnv):
    @property
    def position(self):
        return self._aec._current()


class WrongCoordinates(VersusEnv):
    @property
    def coordinates(self):
        return super().coordinates[::-1]


class AlwaysFull(VersusEnv):
    def reset(self, *, seed=None, options=None):
        asked = (options or {}).get("start")
        return super().reset(seed=seed, options=options if asked == "uniform" else None)


class SharedMask(VersusEnv):
    """The mask in the info is the one that the environment goes on with."""

    def _observation_and_info(self, mover, winner):
        observation, info = super()._observation_and_info(mover, winner)
        return observation, {**info, "action_mask": self._aec._mask}


class TextOfTheStart(VersusEnv):
    def __init__(self, game):
        super().__init__(game, render_mode="ansi")

    def render(self):
        return "heap 0  2  oo\nheap 1  3  ooo"


class PictureWithoutMode(VersusEnv):
    def render(self):
        return np.zeros((2, 2, 3), dtype=np.uint8)


class NeverCloses(VersusEnv):
    def close(self):
        pass


class PlaysOn(VersusEnv):
    """Answers a step after the end."""

    def step(self, action):
        return super().step(action) if self._ready else (None, 0.0, True, False, {})


class TruthUnasked(VersusEnv):
    def step(self, action):
        *rest, info = super().step(action)
        return *rest, {**info, "winning": True}


class WinnerAsInteger(VersusEnv):
    def step(self, action):
        *rest, info = super().step(action)
        return *rest, {**info, "winner": int(info["winner"])}


KINDS = {
    InvertedMasks: ("action_masks", r"action_masks\(\) is \[False, False, True, False"),
    IntegerMasks: ("action_masks", r"action_masks\(\) has dtype int8, not bool"),
    ItsOwnPosition: ("position", "after what was observed was written to, the position"),
    WrongCoordinates: ("coordinates", r"env\.coordinates is"),
    AlwaysFull: ("reset", r"P-positions were to be drawn, \[2, 3\] is won"),
    SharedMask: (None, r"action_masks\(\) is"),
    TextOfTheStart: ("render", r"render\(\) returned .*, which does not end with"),
    PictureWithoutMode: ("render", r"render\(\) without a render mode returned"),
    NeverCloses: ("close", r"reset\(\) after close\(\) did not raise"),
    PlaysOn: ("step", "ended the game, did not raise|before the first reset did not raise"),
    TruthUnasked: ("step", "the info has 'winning', without truth_in_info=True"),
    WinnerAsInteger: ("step", r"info\['winner'\] has dtype int64, not int8"),
}
"""The method that is wrong, if it is a method, and what is said of it."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_fault_of_an_environment_is_named(kind):
    with pytest.raises(ConformanceError, match=KINDS[kind][1]):
        check_env(kind(NIM))


def test_every_public_method_has_a_fault():
    assert public_methods(VersusEnv) == {method for method, _ in KINDS.values() if method}
