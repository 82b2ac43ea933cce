"""Every wrapper of Gymnasium and PettingZoo is applied, harmless or refused, as the manual says."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from contextlib import suppress
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces, wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from pettingzoo.utils import conversions
from pettingzoo.utils import wrappers as of_pettingzoo

from nim_envs import optimality
from nim_envs.scoring.wrappers import treatment
from tests.nim_envs.test_wrappers import ACTIONS, PLAIN, batch, single, turns
from tests.played_scores import Played, played_score, random_policy

PAGE = Path(__file__).parents[2] / "docs" / "wrappers.md"
LIBRARIES = (gymnasium.wrappers, gymnasium.vector, pettingzoo.utils.wrappers)
KINDS = (gymnasium.Env, gymnasium.vector.VectorEnv, pettingzoo.AECEnv, pettingzoo.ParallelEnv)
NO_WRAPPERS = {"VectorEnv", "aec_to_parallel_wrapper", "parallel_to_aec_wrapper"}
"""A base class, and what does not take games whose players move in turn."""


# A fixture, as jax and torch, which some of them import, take long to import.
@pytest.fixture(scope="module")
def classes():
    """Every wrapper of the installed libraries, by its name there."""
    modules = [gymnasium.core, conversions]
    for library in LIBRARIES:
        for found in pkgutil.walk_packages(library.__path__, f"{library.__name__}."):
            with suppress(ImportError):  # jax or torch is not installed
                modules.append(importlib.import_module(found.name))
    return {
        f"{module.__name__.partition('.')[0]}"
        f"{'.vector' if '.vector' in module.__name__ else ''}.{name}": kind
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__
        and issubclass(kind, KINDS)
        and name not in NO_WRAPPERS
        and kind not in KINDS
        and not name.startswith("_")
    }


def table():
    """The rows of the manual's tables: treatment and reason, by name of a wrapper."""
    rows = [line.split("|")[1:-1] for line in PAGE.read_text(encoding="utf-8").split("\n")
            if line.startswith("| `")]  # fmt: skip
    return {name.strip().strip("`"): (kind.strip(), why.strip()) for name, kind, why in rows}


def test_the_manual_has_every_wrapper_as_it_is_treated(classes):
    treated = {name: treatment(kind)[:2] for name, kind in classes.items()}
    said = table()
    assert treated == {name: said[name] for name in treated}


RGB = {"render_mode": "rgb_array"}
IMAGE = spaces.Box(0, 255, (6, 5, 3), np.uint8)


def picture(seen):
    image = np.zeros(IMAGE.shape, np.uint8)
    image[0, :3] = 10 * seen[:, np.newaxis]
    return image


def pictures():
    return wrappers.TransformObservation(single(**PLAIN), picture, IMAGE)


def batch_of_pictures():
    return vector.VectorizeTransformObservation(
        batch(**PLAIN), wrappers.TransformObservation, func=picture, observation_space=IMAGE
    )


BOX = spaces.Box(0, ACTIONS - 0.01, (1,), np.float32)


def of_floats(env):
    return wrappers.TransformAction(env, lambda action: int(action[0]), BOX)


def discrete(env):
    return wrappers.DiscretizeAction(env, ACTIONS)


def integers(env):
    """More actions than the game has, above those of the box too."""
    return wrappers.TransformAction(
        env, lambda action: np.array([action / 2]), spaces.Discrete(2 * ACTIONS + 9)
    )


def batch_of_floats():
    return vector.TransformAction(
        batch(), lambda actions: actions[:, 0].astype(np.int64), single_action_space=BOX,
        action_space=spaces.Box(0, ACTIONS - 0.01, (2, 1), np.float32),
    )  # fmt: skip


def batch_of_integers(env):
    return vector.TransformAction(
        env, lambda actions: actions[:, np.newaxis] * 0.03, single_action_space=spaces.Discrete(30),
        action_space=spaces.MultiDiscrete([30, 30]),
    )  # fmt: skip


def floats():
    return single(encoding="one_hot", **PLAIN)


def parallel():
    return conversions.turn_based_aec_to_parallel(turns())


def several(kind, **arguments):
    return kind([single] * 2, autoreset_mode=AutoresetMode.DISABLED, **arguments)


def plainly(env_of, wrapper):
    """Environments of one game, or batches, in a wrapper without arguments."""
    return lambda: wrapper(env_of())


class Flipped(gymnasium.ActionWrapper):
    def action(self, action):
        return ACTIONS - 1 - action


class FlippedBatch(gymnasium.vector.VectorActionWrapper):
    def actions(self, actions):
        return ACTIONS - 1 - actions


class Halved(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return {**observation, "observation": observation["observation"] / 2}


class HalvedBatch(gymnasium.vector.VectorObservationWrapper):
    def observations(self, observations):
        return {**observations, "observation": observations["observation"] / 2}


MADE = {
    "gymnasium.Wrapper": plainly(single, gymnasium.Wrapper),
    "gymnasium.ActionWrapper": plainly(single, Flipped),
    "gymnasium.ObservationWrapper": plainly(single, Halved),
    "gymnasium.RewardWrapper": plainly(single, gymnasium.RewardWrapper),
    "gymnasium.AddRenderObservation": lambda: wrappers.AddRenderObservation(single(**RGB)),
    "gymnasium.AddWhiteNoise": lambda: wrappers.AddWhiteNoise(single(**RGB), 0.5),
    "gymnasium.ArrayConversion": None,
    "gymnasium.AtariPreprocessing": None,
    "gymnasium.Autoreset": plainly(single, wrappers.Autoreset),
    "gymnasium.ClipAction": lambda: integers(wrappers.ClipAction(of_floats(single()))),
    "gymnasium.ClipReward": lambda: wrappers.ClipReward(single(), -1, 1),
    "gymnasium.DelayObservation": lambda: wrappers.DelayObservation(single(**PLAIN), 1),
    "gymnasium.DiscretizeAction": lambda: discrete(of_floats(single())),
    "gymnasium.DiscretizeObservation": lambda: wrappers.DiscretizeObservation(floats(), 2),
    "gymnasium.DtypeObservation": lambda: wrappers.DtypeObservation(single(**PLAIN), np.float64),
    "gymnasium.FilterObservation": lambda: wrappers.FilterObservation(single(), ["observation"]),
    "gymnasium.FlattenObservation": plainly(single, wrappers.FlattenObservation),
    "gymnasium.FrameStackObservation": lambda: wrappers.FrameStackObservation(single(**PLAIN), 2),
    "gymnasium.GrayscaleObservation": plainly(pictures, wrappers.GrayscaleObservation),
    "gymnasium.HumanRendering": lambda: wrappers.HumanRendering(single(**RGB)),
    "gymnasium.JaxToNumpy": None,
    "gymnasium.JaxToTorch": None,
    "gymnasium.MaxAndSkipObservation": lambda: wrappers.MaxAndSkipObservation(single(**PLAIN)),
    "gymnasium.NormalizeObservation": lambda: wrappers.NormalizeObservation(single(**PLAIN)),
    "gymnasium.NormalizeReward": plainly(single, wrappers.NormalizeReward),
    "gymnasium.NumpyToTorch": lambda: importlib.import_module(
        "gymnasium.wrappers.numpy_to_torch"
    ).NumpyToTorch(single()),
    "gymnasium.ObstructView": lambda: wrappers.ObstructView(single(**RGB), 0.5, 2),
    "gymnasium.OrderEnforcing": plainly(single, wrappers.OrderEnforcing),
    "gymnasium.PassiveEnvChecker": plainly(single, wrappers.PassiveEnvChecker),
    "gymnasium.RecordEpisodeStatistics": plainly(single, wrappers.RecordEpisodeStatistics),
    "gymnasium.RecordVideo": None,
    "gymnasium.RenderCollection": lambda: wrappers.RenderCollection(single(**RGB)),
    "gymnasium.RescaleAction": lambda: discrete(wrappers.RescaleAction(of_floats(single()), 0, 1)),
    "gymnasium.RescaleObservation": lambda: wrappers.RescaleObservation(
        floats(), np.float32(-1), np.float32(1)
    ),
    "gymnasium.RepeatAction": lambda: wrappers.RepeatAction(single(), 2),
    "gymnasium.ReshapeObservation": lambda: wrappers.ReshapeObservation(single(**PLAIN), (3, 1)),
    "gymnasium.ResizeObservation": lambda: wrappers.ResizeObservation(pictures(), (3, 5)),
    "gymnasium.StickyAction": lambda: wrappers.StickyAction(single(), 0.5),
    "gymnasium.TimeAwareObservation": lambda: wrappers.TimeAwareObservation(
        wrappers.TimeLimit(single(**PLAIN), 9)
    ),
    "gymnasium.TimeLimit": lambda: wrappers.TimeLimit(single(), 9),
    "gymnasium.TransformAction": lambda: wrappers.TransformAction(
        single(), lambda action: action ^ 1, None
    ),
    "gymnasium.TransformObservation": pictures,
    "gymnasium.TransformReward": lambda: wrappers.TransformReward(single(), lambda won: -won),
    "gymnasium.vector.VectorWrapper": plainly(batch, gymnasium.vector.VectorWrapper),
    "gymnasium.vector.VectorActionWrapper": plainly(batch, FlippedBatch),
    "gymnasium.vector.VectorObservationWrapper": plainly(batch, HalvedBatch),
    "gymnasium.vector.VectorRewardWrapper": plainly(batch, gymnasium.vector.VectorRewardWrapper),
    "gymnasium.vector.ArrayConversion": None,
    "gymnasium.vector.AsyncVectorEnv": lambda: several(gymnasium.vector.AsyncVectorEnv),
    "gymnasium.vector.ClipAction": lambda: batch_of_integers(vector.ClipAction(batch_of_floats())),
    "gymnasium.vector.ClipReward": lambda: vector.ClipReward(batch(), -1, 1),
    "gymnasium.vector.DictInfoToList": plainly(batch, vector.DictInfoToList),
    "gymnasium.vector.DtypeObservation": lambda: vector.DtypeObservation(
        batch(**PLAIN), np.float64
    ),
    "gymnasium.vector.FilterObservation": lambda: vector.FilterObservation(
        batch(), ["observation"]
    ),
    "gymnasium.vector.FlattenObservation": plainly(batch, vector.FlattenObservation),
    "gymnasium.vector.GrayscaleObservation": plainly(
        batch_of_pictures, vector.GrayscaleObservation
    ),
    "gymnasium.vector.HumanRendering": None,
    "gymnasium.vector.JaxToNumpy": None,
    "gymnasium.vector.JaxToTorch": None,
    "gymnasium.vector.NormalizeObservation": lambda: vector.NormalizeObservation(batch(**PLAIN)),
    "gymnasium.vector.NormalizeReward": plainly(batch, vector.NormalizeReward),
    "gymnasium.vector.NumpyToTorch": None,
    "gymnasium.vector.RecordEpisodeStatistics": plainly(batch, vector.RecordEpisodeStatistics),
    "gymnasium.vector.RecordVideo": None,
    "gymnasium.vector.RescaleAction": lambda: batch_of_integers(
        vector.RescaleAction(batch_of_floats(), 0, 1)
    ),
    "gymnasium.vector.RescaleObservation": lambda: vector.RescaleObservation(
        batch(encoding="one_hot", **PLAIN), np.float32(-1), np.float32(1)
    ),
    "gymnasium.vector.ReshapeObservation": lambda: vector.ReshapeObservation(
        batch(**PLAIN), (3, 1)
    ),
    "gymnasium.vector.ResizeObservation": lambda: vector.ResizeObservation(
        batch_of_pictures(), (3, 5)
    ),
    "gymnasium.vector.SyncVectorEnv": lambda: several(SyncVectorEnv),
    "gymnasium.vector.TransformAction": lambda: batch_of_integers(batch_of_floats()),
    "gymnasium.vector.TransformObservation": lambda: vector.TransformObservation(
        batch(**PLAIN), lambda seen: seen[:, ::-1]
    ),
    "gymnasium.vector.TransformReward": lambda: vector.TransformReward(batch(), lambda won: -won),
    "gymnasium.vector.VectorizeTransformAction": lambda: vector.VectorizeTransformAction(
        batch(), wrappers.TransformAction, func=lambda action: action ^ 1, action_space=None
    ),
    "gymnasium.vector.VectorizeTransformObservation": batch_of_pictures,
    "gymnasium.vector.VectorizeTransformReward": lambda: vector.VectorizeTransformReward(
        batch(), wrappers.TransformReward, func=lambda won: -won
    ),
    "pettingzoo.AssertOutOfBoundsWrapper": plainly(turns, of_pettingzoo.AssertOutOfBoundsWrapper),
    "pettingzoo.BaseParallelWrapper": plainly(parallel, of_pettingzoo.BaseParallelWrapper),
    "pettingzoo.BaseWrapper": plainly(turns, of_pettingzoo.BaseWrapper),
    "pettingzoo.CaptureStdoutWrapper": None,
    "pettingzoo.ClipOutOfBoundsWrapper": None,
    "pettingzoo.MultiEpisodeEnv": lambda: of_pettingzoo.MultiEpisodeEnv(turns(), 2),
    "pettingzoo.MultiEpisodeParallelEnv": lambda: of_pettingzoo.MultiEpisodeParallelEnv(
        parallel(), 2
    ),
    "pettingzoo.OrderEnforcingWrapper": plainly(turns, of_pettingzoo.OrderEnforcingWrapper),
    "pettingzoo.RecordVideo": None,
    "pettingzoo.RecordVideoParallel": None,
    "pettingzoo.TerminateIllegalWrapper": lambda: of_pettingzoo.TerminateIllegalWrapper(
        turns(), -1
    ),
    "pettingzoo.turn_based_aec_to_parallel_wrapper": parallel,
}
"""Environments with the wrapper outermost, or below what makes actions integers again; ``None``:
it takes none of this package's environments, or needs other libraries."""


def test_every_wrapper_is_made_here_or_known_not_to_be(classes):
    assert classes.keys() <= MADE.keys()


@pytest.mark.parametrize("name", [name for name, make in MADE.items() if make])
def test_every_wrapper_is_scored_as_the_table_says(name, classes):
    if name not in classes:
        pytest.skip("not in the installed libraries")
    try:
        env = MADE[name]()
    except gymnasium.error.DependencyNotInstalled:
        pytest.skip("needs another library")
    kind, why = table()[name]
    if kind == "refused":
        with pytest.raises(TypeError, match=f"{classes[name].__name__} {why}"):
            optimality(random_policy(ACTIONS), env)
    elif kind == "applied":
        policy = random_policy(Played(env).actions)
        score = optimality(policy, env)
        assert (score.percent, score.illegal_percent) == pytest.approx(played_score(policy, env))
    else:
        policy = random_policy(ACTIONS)
        plain = turns() if "pettingzoo" in name else single()
        assert optimality(policy, env).percent == optimality(policy, plain).percent
    env.close()


def test_the_example_of_the_manual_runs_as_printed(capsys):
    code, printed = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed
