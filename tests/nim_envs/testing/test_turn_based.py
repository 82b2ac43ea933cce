"""The check of turn-based environments: what is right passes, and every fault is named."""

from __future__ import annotations

import copy

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from nim_envs import GameEnv
from nim_envs.encoding import ENCODINGS
from nim_envs.starts import FixedStart
from nim_envs.testing import ConformanceError, check_env
from tests.nim_envs.testing.cases import NIM
from tests.nim_envs.testing.documented import (
    documented_entries,
    game_with,
    public_methods,
    spoiled,
)

pytestmark = pytest.mark.usefixtures("brief_checks")


def turn_based(**arguments):
    return GameEnv(NIM, **arguments)


def test_wrapped_environments_pass():
    env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(2, 3))
    check_env(OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env)))


@pytest.mark.parametrize(
    "arguments",
    [
        {"encoding": encoding, "truth_in_info": truth, "render_mode": mode}
        for encoding, truth, mode in zip(
            ENCODINGS, (True, False, True, False), ("ansi", "rgb_array", None, "ansi"), strict=True
        )
    ],
    ids=str,
)
def test_all_encodings_infos_and_pictures_pass(arguments):
    check_env(turn_based(**arguments))
    check_env(turn_based(**arguments, illegal_move="raise", max_cycles=1))


def test_an_environment_that_was_checked_can_be_played():
    env = turn_based()
    check_env(env)
    env.reset(seed=0)
    env.step(0)
    assert copy.deepcopy(env).position.tolist() == [1, 3]
    assert isinstance(env.game.start, FixedStart)


@pytest.mark.parametrize("entry", documented_entries(GameEnv))
def test_every_documented_entry_of_infos_is_judged(entry):
    class Spoiled(BaseWrapper):
        @property
        def infos(self):
            return {agent: {**i, entry: spoiled(i[entry])} for agent, i in self.env.infos.items()}

    class Missing(BaseWrapper):
        @property
        def infos(self):
            return {
                agent: {key: value for key, value in i.items() if key != entry}
                for agent, i in self.env.infos.items()
            }

    with pytest.raises(ConformanceError, match=rf"info\['{entry}'\] is (True|1), where (False|0)"):
        check_env(Spoiled(GameEnv(game_with(entry, NIM), truth_in_info=True)))
    with pytest.raises(ConformanceError, match=f"the info has no '{entry}'"):
        check_env(Missing(GameEnv(game_with(entry, NIM), truth_in_info=True)))


class MaskOfOnes(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "action_mask": np.ones_like(seen["action_mask"])}


class Outside(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"] + 100}


class OtherPosition(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"] * 0}


class OtherOrder(BaseWrapper):
    def observe(self, agent):
        return dict(reversed(super().observe(agent).items()))


class Generous(BaseWrapper):
    @property
    def rewards(self):
        return {agent: abs(reward) for agent, reward in self.env.rewards.items()}


class OneGoesOn(BaseWrapper):
    @property
    def terminations(self):
        found = self.env.terminations
        return {agent: ended and agent == "player_0" for agent, ended in found.items()}


class WithoutSeed(BaseWrapper):
    def reset(self, seed=None, options=None):
        super().reset(options=options)


class AlwaysTheSameSeed(BaseWrapper):
    def reset(self, seed=None, options=None):
        super().reset(seed=seed and 0, options=options)


class Shared(BaseWrapper):
    def __deepcopy__(self, memo):
        return Shared(self.env)


class Lenient(BaseWrapper):
    """Makes a legal move in place of an illegal one."""

    def step(self, action):
        if action is not None and 0 <= action < 6:
            mask = self.env.observe(self.env.agent_selection)["action_mask"]
            action = action if mask[int(action)] else int(mask.argmax())
        super().step(action)


class Clipping(BaseWrapper):
    """Takes what is no action for the nearest that is."""

    def step(self, action):
        super().step(action if action is None else int(np.clip(action, 0, 5)))


class ItsOwnArrays(BaseWrapper):
    """Shows the array that it plays on."""

    def observe(self, agent):
        seen = super().observe(agent)
        position = self.env.unwrapped._position
        return {**seen, "observation": position}


class PlayerZeroFirst(BaseWrapper):
    def set_position(self, position, agent=None):
        self.env.set_position(position, "player_0")


TURN_BASED_FAULTS = {
    MaskOfOnes: r"for player_0, who is to move at \[2, 3\], the mask is \[1, 1, 1, 1, 1, 1\], "
    r"where \[1, 1, 0, 1, 1, 1\] is expected",
    Outside: r"the observation .*102, 103.* is not in the observation space",
    OtherPosition: r"at \[2, 3\], the observation is \[0, 0\], where \[2, 3\] is expected",
    OtherOrder: r"the keys of the observation is \['action_mask', 'observation'\]",
    Generous: r"env.rewards is .*'player_1': 1.0.*where .*-1.0.* is expected",
    OneGoesOn: r"env.terminations is .*'player_1': False.*, where .*True.*True.* is expected",
    WithoutSeed: r"reset\(seed=3\) did not give the same games the second time",
    AlwaysTheSameSeed: "reset ignores its seed",
    Shared: "the position after steps of a copy by copy.deepcopy, which must not share its state",
    Lenient: r"after the illegal action \d of player_\d at .*, env.(terminations|rewards) is",
    Clipping: r"step\(-1\), which is no action of a game that goes on, did not raise",
    ItsOwnArrays: "after what was observed was written to, the position is",
    PlayerZeroFirst: r"after set_position\(.*, 'player_1'\), the agent to move is 'player_0'",
}


@pytest.mark.parametrize("wrapper", TURN_BASED_FAULTS, ids=lambda wrapper: wrapper.__name__)
def test_a_fault_of_a_wrapper_is_named(wrapper):
    with pytest.raises(ConformanceError, match=TURN_BASED_FAULTS[wrapper]):
        check_env(wrapper(turn_based()))


class TruthUnasked(GameEnv):
    """The infos tell a truth that was not asked for."""

    def step(self, action):
        super().step(action)
        self.infos = {agent: {"winning": True} for agent in self.agents}


class TruthOfTheNextMove(GameEnv):
    """Infos about the position after a move, instead of the move."""

    def __init__(self, game):
        super().__init__(game, truth_in_info=True)

    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        if action is not None and not self.terminations[mover]:
            self.infos[mover]["winning"] = self.game.solution.is_winning(self.position)


class LastRewardOfTheOther(GameEnv):
    def last(self, observe=True):
        observation, reward, *rest = super().last(observe)
        return observation, -reward, *rest


class StateOfTheOtherSeat(GameEnv):
    def state(self):
        state = super().state()
        state[-1] = 1 - state[-1]
        return state


class OneAgentAlone(GameEnv):
    def agent_iter(self, max_iter=1):
        return super().agent_iter(1)


class StartsOfItsOwn(GameEnv):
    def next_starts(self, games, options=None):
        return super().next_starts(games)


class StartsThatBegin(GameEnv):
    def next_starts(self, games, options=None):
        self.reset()
        return super().next_starts(games, options)


class AlwaysFull(GameEnv):
    def reset(self, seed=None, options=None):
        asked = (options or {}).get("start")
        super().reset(seed, options if asked == "uniform" else None)


class BeginsAtItsOwnStart(GameEnv):
    def begin_from(self, sampler, seed=None):
        super().begin_from(self.starts.sampler(None), seed)


class TextOfTheStart(GameEnv):
    def __init__(self, game):
        super().__init__(game, render_mode="ansi")

    def render(self):
        return "heap 0  2  oo\nheap 1  3  ooo"


class GreyPictures(GameEnv):
    def __init__(self, game):
        super().__init__(game, render_mode="rgb_array")

    def render(self):
        return super().render().mean(axis=2)


class NeverCloses(GameEnv):
    def close(self):
        pass


class AlwaysOpen(GameEnv):
    def check_open(self):
        pass


class ItsOwnPosition(GameEnv):
    @property
    def position(self):
        return self._current()


class WrongCoordinates(GameEnv):
    @property
    def coordinates(self):
        return super().coordinates[::-1]


class ActionAtTheEnd(GameEnv):
    """Takes any action at the end of a game for ``None``."""

    def step(self, action):
        over = any(self.terminations.values())
        super().step(None if over else action)


class ActionAtTheVeryEnd(GameEnv):
    """Goes on where no agent is left."""

    def step(self, action):
        if self.agents:
            super().step(action)


class ForfeitsForTheOther(GameEnv):
    def forfeit(self):
        super().forfeit()
        self.rewards = {agent: -reward for agent, reward in self.rewards.items()}


class NewSpaces(GameEnv):
    def observation_space(self, agent):
        return copy.deepcopy(super().observation_space(agent))


class NewActionSpaces(GameEnv):
    def action_space(self, agent):
        return spaces.Discrete(6)


class MaskForBoth(GameEnv):
    def observe(self, agent):
        return super().observe(self.agent_selection)


class WrongSetPosition(GameEnv):
    def set_position(self, position, agent=None):
        super().set_position(np.sort(position)[::-1], agent)


class EmptyStep(GameEnv):
    """Passes the turn where the second player should move."""

    def step(self, action):
        if self.agent_selection == "player_1" and action == 3:
            self.agent_selection = "player_0"
        else:
            super().step(action)


FAULTS = {
    TruthUnasked: (None, "the info has 'winning', without truth_in_info=True"),
    TruthOfTheNextMove: (None, r"info\['winning'\] is (True|False), where"),
    LastRewardOfTheOther: ("last", r"the reward of last\(\) for player_\d is -?1.0, where"),
    StateOfTheOtherSeat: ("state", r"env.state\(\) is \[2, 3, 1\], where \[2, 3, 0\]"),
    OneAgentAlone: ("agent_iter", "env.agents after agent_iter"),
    StartsOfItsOwn: ("next_starts", r"next_starts\(6\) is \[\[2, 3\], .*where .* is expected"),
    StartsThatBegin: ("next_starts", "next_starts"),
    AlwaysFull: ("reset", r"P-positions were to be drawn, \[2, 3\] is won"),
    BeginsAtItsOwnStart: ("begin_from", "reset ignores its seed"),
    TextOfTheStart: ("render", r"render\(\) returned .*, which does not end with"),
    GreyPictures: ("render", "an array of dtype float64"),
    NeverCloses: ("close", r"reset\(\) after close\(\) did not raise"),
    AlwaysOpen: ("check_open", r"after close\(\) did not raise"),
    ItsOwnPosition: ("position", "after what was observed was written to, the position"),
    WrongCoordinates: ("coordinates", r"env\.coordinates is"),
    ActionAtTheEnd: ("step", "an action at the end of a game did not raise"),
    ActionAtTheVeryEnd: ("step", "a step (when no agent is left|before .*) did not raise"),
    ForfeitsForTheOther: ("forfeit", r"after forfeit\(\) of player_0 at .*, env.rewards is"),
    NewSpaces: ("observation_space", "makes a new space"),
    NewActionSpaces: ("action_space", "makes a new space"),
    MaskForBoth: ("observe", "for player_1, who is not to move at .*, the mask"),
    WrongSetPosition: ("set_position", r"after set_position\(.*, the position is"),
    EmptyStep: ("step", r"after action 3 of player_1 at .*, the position is|the agent to move is"),
}
"""The method that is wrong, if it is a method, and what is said of it."""


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_fault_of_an_environment_is_named(kind):
    with pytest.raises(ConformanceError, match=FAULTS[kind][1]):
        check_env(kind(NIM))


def test_every_public_method_has_a_fault():
    assert public_methods(GameEnv) == {method for method, _ in FAULTS.values() if method}
