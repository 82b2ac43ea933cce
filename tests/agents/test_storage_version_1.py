"""Files that the first version has written load, and hold what the same training gives now.

Each is of 30 games of misère Nim (2, 3) from uniform starts with seed 1, but for the sum.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import agents
from agents import (
    SARSA,
    ActorCritic,
    DoubleQLearning,
    ExpectedSARSA,
    GradientBandit,
    HeapSymmetry,
    MonteCarloES,
    NaturalPolicyGradient,
    NimSumShaping,
    QLearning,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.storage import StorageError, load, save
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay
from agents.testing import contents
from agents.training import train
from nim_envs import GameEnv, make_game
from tests.agents.learning import turn

FILES = Path(__file__).parent / "files" / "version_1"
NIM = make_game("misere_nim", heaps=(2, 3), start="uniform")
SUM = make_game(
    "sum",
    games=(
        ("kayles", {"heaps": (3,)}),
        ("graph", {"tokens": (4,)}),
        ("addition", {"k": 2, "n": 3}),
    ),
    start="balanced",
)

LEARNERS = {
    "ActorCritic": ActorCritic.for_env,
    "AfterstateTD": lambda env: RealTimeDynamicProgramming.for_env(
        env, learning_rate=0.7, dtype="float32"
    ),
    "AfterstateTDSum": RealTimeDynamicProgramming.for_env,
    "AfterstateTDSymmetric": lambda env: RealTimeDynamicProgramming.for_env(
        env, symmetric=True, sweeping=True, dtype="int8"
    ),
    "DoubleQLearning": lambda env: DoubleQLearning.for_env(env, seed=2),
    "ExpectedSARSA": ExpectedSARSA.for_env,
    "GradientBandit": GradientBandit.for_env,
    "HeapSymmetry": lambda env: HeapSymmetry(QLearning.for_env(env), env.game),
    "MonteCarloES": MonteCarloES.for_env,
    "NaturalPolicyGradient": NaturalPolicyGradient.for_env,
    "NimSumShaping": lambda env: NimSumShaping(QLearning.for_env(env), 0.25),
    "QLearning": lambda env: QLearning.for_env(
        env, epsilon=Decay(0.5, 0.9, 10, 0.05), learning_rate=0.5
    ),
    "QLearningReplay": lambda env: QLearning.for_env(
        env, replay=Replay(20, 5, 3), bootstrap="own_turn", initial_range=0.01, seed=3,
        learning_rate=0.5, win_reward=10,
    ),
    "SARSA": lambda env: SARSA.for_env(env, learning_rate=0.5),
    "WinLossRatio": lambda env: WinLossRatio.for_env(env, crystallise=0.9, forgetting=0.1),
}  # fmt: skip
"""Each file's learner, made as it was then."""

DO_NOT_EXPLORE = (ActorCritic, GradientBandit, NaturalPolicyGradient, WinLossRatio)
"""The first version did not count the games of these."""


def env_of(name):
    return GameEnv(SUM if name.endswith("Sum") else NIM)


def learned(learner):
    """What a learner has learned: all that it saves but its game, which the first version left out.

    The games of those that do not explore are left out too.
    """
    saved = learner.saved()
    if "learner" in saved:
        saved["learner"] = learned(saved["learner"])
    saved.pop("game", None)
    if isinstance(learner, DO_NOT_EXPLORE):
        del saved["games"]
    return {key: contents(value) for key, value in saved.items()}


def test_every_file_is_tried():
    assert {path.stem for path in FILES.iterdir()} == {*LEARNERS, "checkpoint"}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_file_holds_what_the_same_training_gives_now(name, tmp_path):
    path = FILES / f"{name}.zip"
    assert read(path)[0]["version"] == 1
    env = env_of(name)
    again = LEARNERS[name](env)
    train(env, again, 30, seed=1, progress=False)
    loaded = load(path)
    assert type(loaded) is type(again)
    assert learned(loaded) == learned(again)
    # It goes on as if it had never been in a file, and as a file of this version.
    save(loaded, tmp_path / "learner.zip")
    assert read(tmp_path / "learner.zip")[0]["version"] == 2
    resaved = load(tmp_path / "learner.zip", env.game)
    assert learned(resaved) == learned(loaded)
    for learner in (again, loaded, resaved):
        train(env, learner, 20, seed=2, progress=False)
        assert learned(learner) == learned(again)


@pytest.mark.parametrize("name", ["AfterstateTD", "AfterstateTDSum", "HeapSymmetry"])
def test_who_held_a_game_then_knows_it_now(name):
    learner = load(FILES / f"{name}.zip")
    assert learner.game == env_of(name).game
    assert learner.fits(env_of(name).game)


def test_a_checkpoint_of_the_first_version_is_gone_on_with(tmp_path):
    path = tmp_path / "checkpoint.zip"
    shutil.copy(FILES / "checkpoint.zip", path)
    env = GameEnv(NIM)
    resumed, whole = QLearning.for_env(env), QLearning.for_env(env)
    log = train(env, resumed, 80, seed=1, progress=False, checkpoint=path)
    expected = train(env, whole, 80, seed=1, progress=False)
    assert contents(resumed) == contents(whole)
    assert log.winners.tolist() == expected.winners.tolist()
    assert log.lengths.tolist() == expected.lengths.tolist()
    assert read(path)[0]["version"] == 2
    shutil.copy(FILES / "checkpoint.zip", path)
    with pytest.raises(StorageError, match="of a run with seed 1, this one has 2"):
        train(env, QLearning.for_env(env), 80, seed=2, progress=False, checkpoint=path)


def test_half_a_game_in_a_file_of_the_first_version_is_left_out(tmp_path):
    header, arrays = read(FILES / "WinLossRatio.zip")
    state = dict(header["content"]["dict"])["learner"]["state"]["dict"]
    # That version kept the turns of a game in progress, by seat: here there is none.
    assert state[-1] == ["_game", {"tuple": [[], []]}]
    columns = turn(5, 1, reply=3, following=2)[:11]
    numbers = [{"array": len(arrays) + number} for number in range(len(columns))]
    state[-1][1] = {"tuple": [{"turns": numbers}, []]}
    path = tmp_path / "learner.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for number, array in enumerate([*arrays, *(np.array([column]) for column in columns)]):
            with archive.open(f"{number}.npy", "w") as file:
                np.save(file, array)
    assert contents(load(path)) == contents(load(FILES / "WinLossRatio.zip"))


@pytest.mark.parametrize("statement", ["from agents import AfterstateTD", "agents.AfterstateTD"])
def test_the_old_name_says_which_learner_is_meant(statement):
    with pytest.raises(ImportError) as caught:
        exec(statement, {"agents": agents})
    assert "RealTimeDynamicProgramming" in str(caught.value)
    assert "SampledAfterstateTD" in str(caught.value)
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = agents.Nobody


def read(path):
    """The header and the arrays of a file."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        count = len(archive.namelist()) - 1
        return header, [np.load(archive.open(f"{number}.npy")) for number in range(count)]
