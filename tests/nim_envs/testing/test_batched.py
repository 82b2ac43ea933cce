"""The check of batched environments: what is right passes, and every fault is named."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from nim_envs import make_game
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.registration import make_vector
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

PASSING = [
    {"opponent": None, "encoding": "one_hot", "truth_in_info": True, "render_mode": "ansi"},
    {"opponent": 0.3, "seat": "random", "encoding": "unary", "mask_in_observation": False},
    {
        "opponent": "random",
        "seat": 1,
        "max_cycles": 1,
        "illegal_move": "raise",
        "render_mode": "rgb_array",
        "copy": False,
    },
    {"opponent": "optimal", "seat": "random", "encoding": "binary", "truth_in_info": True},
    {"opponent": last_legal, "seat": "random", "truth_in_info": True},
]


@pytest.mark.parametrize(
    ("arguments", "mode"), in_turn(PASSING, ["NextStep", "SameStep", "Disabled"])
)
def test_batched_environments_pass(arguments, mode, effort):
    game = PATHS if mode == "SameStep" else NIM
    check_env(VectorGameEnv(game, 4, autoreset_mode=mode, **arguments))


def test_wrapped_environments_pass(effort):
    for wrapper in (RecordEpisodeStatistics, DictInfoToList):
        check_env(wrapper(make_vector("nim", 4, heaps=(2, 3), truth_in_info=True)))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_gymnasiums_vectors_of_environments_pass(mode, effort):
    check_env(
        gymnasium.make_vec(
            "nim_envs/Nim-v0",
            3,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": mode},
            opponent="random",
            truth_in_info=True,
        )
    )


@pytest.mark.parametrize("opponent", [None, "optimal"])
@pytest.mark.parametrize("entry", documented_entries(VectorGameEnv))
def test_every_documented_entry_of_infos_is_judged(entry, opponent):
    class Spoiled(gymnasium.vector.VectorWrapper):
        def changed(self, infos):
            chosen = [key for key in infos if key.startswith(entry)]
            return {**infos, **{key: spoiled(infos[key]) for key in chosen}}

        def reset(self, **arguments):
            observations, infos = super().reset(**arguments)
            return observations, self.changed(infos)

        def step(self, actions):
            *rest, infos = super().step(actions)
            return *rest, self.changed(infos)

    class Missing(Spoiled):
        def changed(self, infos):
            return {key: value for key, value in infos.items() if not key.startswith(entry)}

    arguments = {"opponent": opponent, "truth_in_info": True, "autoreset_mode": "SameStep"}
    for wrapper in (Spoiled, Missing):
        with pytest.raises(ConformanceError, match=f"{entry}|at the end"):
            check_env(wrapper(VectorGameEnv(game_with(entry, NIM), 4, **arguments)))


@pytest.mark.parametrize(("disagreement", "seat"), in_turn(DISAGREEMENTS, [0, 1]))
def test_an_opponent_that_plays_otherwise_than_named_is_found(disagreement, seat):
    said, played, named = disagreement
    env = VectorGameEnv(make_game("nim", heaps=(3, 4, 5)), 4, opponent=played, seat=seat)
    env.opponent = said
    with pytest.raises(ConformanceError, match=named):
        check_env(env)


class RewardsOfTheOther(gymnasium.vector.VectorWrapper):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, -rewards, *rest


class SeedIgnored(gymnasium.vector.VectorWrapper):
    def reset(self, *, seed=None, options=None):
        return super().reset(options=options)


class MasksMixedUp(gymnasium.vector.VectorWrapper):
    def step(self, actions):
        observations, *rest = super().step(actions)
        return {**observations, "action_mask": observations["action_mask"][::-1].copy()}, *rest


BATCHED_FAULTS = {
    RewardsOfTheOther: r"in game \d, after action \d at .*, the reward is",
    SeedIgnored: r"reset\(seed=3\) did not give the same games the second time",
    MasksMixedUp: r"after action \d at .*, the mask is|the mask is .* where the game has ended",
}


@pytest.mark.parametrize("wrapper", BATCHED_FAULTS, ids=lambda wrapper: wrapper.__name__)
def test_a_fault_of_a_wrapper_is_named(wrapper):
    env = VectorGameEnv(NIM, 4, opponent=None)
    with pytest.raises(ConformanceError, match=BATCHED_FAULTS[wrapper]):
        check_env(wrapper(env))


class OneAction(VectorGameEnv):
    """Samples actions whether they are legal or not."""

    def sample_actions(self):
        return np.full(self.num_envs, 2)


class FirstLegalAction(VectorGameEnv):
    def sample_actions(self):
        return self.game.rules.action_mask(self.positions).argmax(axis=1)


class SmallActions(VectorGameEnv):
    def sample_actions(self):
        return super().sample_actions().astype(np.int8)


class ActionsOfNoSeed(VectorGameEnv):
    def sample_actions(self):
        masks = self.game.rules.action_mask(self.positions)
        rng = np.random.default_rng()
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


class SamplesAndMoves(VectorGameEnv):
    def sample_actions(self):
        actions = super().sample_actions()
        self.step(actions)
        return actions


class OneSeedForAll(VectorGameEnv):
    def reset(self, *, seed=None, options=None):
        seeds = [seed] * self.num_envs if isinstance(seed, int) else seed
        return super().reset(seed=seeds, options=options)


class ResetsAll(VectorGameEnv):
    def reset(self, *, seed=None, options=None):
        options = dict(options or {})
        which = options.pop("reset_mask", np.ones(self.num_envs, dtype=bool))
        observations, infos = super().reset(seed=seed, options=options)
        return observations, {k: which if k[0] == "_" else v for k, v in infos.items()}


class AlwaysFull(VectorGameEnv):
    def reset(self, *, seed=None, options=None):
        options = dict(options or {})
        if options.get("start") != "uniform":
            options.pop("start", None)
        return super().reset(seed=seed, options=options)


class PositionsOfTheOther(VectorGameEnv):
    @property
    def positions(self):
        return super().positions[::-1]


class WrongCoordinates(VectorGameEnv):
    @property
    def coordinates(self):
        return super().coordinates[::-1]


class OnePicture(VectorGameEnv):
    def __init__(self, game):
        super().__init__(game, 4, render_mode="ansi")

    def render(self):
        return super().render()[:1]


class OtherPictures(VectorGameEnv):
    def __init__(self, game):
        super().__init__(game, 4, render_mode="ansi")

    def render(self):
        return super().render()[::-1]


class NeverCloses(VectorGameEnv):
    def close(self):
        pass


class FlagsOfNone(VectorGameEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {**infos, "_winner": np.zeros(self.num_envs, dtype=bool)}


class WinnersAsIntegers(VectorGameEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {**infos, "winner": infos["winner"].astype(np.int64)}


class TruthUnasked(VectorGameEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {**infos, "kept_win": np.ones(self.num_envs, dtype=bool)}


KINDS = {
    OneAction: ("sample_actions", r"sample_actions\(\) drew 2 at \[\d, \d\], where"),
    FirstLegalAction: ("sample_actions", r"sample_actions\(\) does not draw evenly"),
    SmallActions: ("sample_actions", "an array of dtype int8"),
    ActionsOfNoSeed: ("sample_actions", r"what sample_actions\(\) returns after the same seed"),
    SamplesAndMoves: ("sample_actions", r"sample_actions\(\)"),
    OneSeedForAll: ("reset", r"what follows reset\(seed=\[3, 3 \+ 1, ...\]\), beside"),
    ResetsAll: ("reset", r"after a reset of the games \[0, 2\] the positions of the others"),
    AlwaysFull: ("reset", r"P-positions were to be drawn, \[2, 3\] is won"),
    WrongCoordinates: ("coordinates", r"env\.coordinates is"),
    PositionsOfTheOther: ("positions", r"in game \d, .*the (position|observation)"),
    OnePicture: ("render", "the number of pictures is 1, where 4 is expected"),
    OtherPictures: ("render", r"render\(\) returned .*, which does not end with"),
    NeverCloses: (None, r"reset\(\) after close\(\) did not raise"),
    FlagsOfNone: ("step", r"infos\['_winner'\] is \[False, False, False, False\], where"),
    WinnersAsIntegers: ("step", r"info\['winner'\] has dtype int64, not int8"),
    TruthUnasked: ("step", r"infos\['_kept_win'\] is None|the info has 'kept_win', without"),
}
"""The method that is wrong, if the class defines it, and what is said of it."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_fault_of_an_environment_is_named(kind):
    env = kind(NIM) if kind.__init__ is not VectorGameEnv.__init__ else kind(NIM, 4)
    with pytest.raises(ConformanceError, match=KINDS[kind][1]):
        check_env(env)


def test_every_public_method_has_a_fault():
    assert public_methods(VectorGameEnv) == {method for method, _ in KINDS.values() if method}
