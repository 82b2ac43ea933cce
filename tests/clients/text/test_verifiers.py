"""verifiers scores single moves and plays whole games, and comes to the exact scores."""

import asyncio
import re
import sys

import pytest

if sys.version_info < (3, 11):
    pytest.skip("verifiers needs Python 3.11 or later", allow_module_level=True)

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import environment_class, taskset_class

from nim_envs import make_game
from nim_envs.adapters.verifiers import (
    GameConfig,
    MoveTaskset,
    PlayEnv,
    PlayEnvConfig,
    PlayTaskset,
)
from nim_envs.text import TextGame, disguised, prompt, score
from tests.docs.blocks import TUTORIALS, with_outputs

NIM = make_game("nim", heaps=(1, 2, 3))


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory):
    """Names of the tutorial's programs, which print what stands below them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("verifiers"))
        patch.setattr(sys, "path", sys.path.copy())
        names = {"__name__": "__main__"}
        text = (TUTORIALS / "verifiers.md").read_text(encoding="utf-8")
        assert with_outputs(text, names) == text
        yield names
        names["server"].shutdown()
        names["server"].server_close()


def first_heap(prompts):
    """Replies of the tutorial's stand-in for a model."""
    found = [
        re.findall(r"heap (\d+) has ([1-9]\d*)", text.rpartition("Now ")[2]) for text in prompts
    ]
    return [f"heap {heaps[0][0]}: take 1" for heaps in found]


def test_the_mean_reward_of_single_moves_is_the_exact_score(tutorial):
    assert all(episode.ok for episode in tutorial["episodes"])
    expected = score(first_heap, NIM, style="sentences").percent
    assert 100 * sum(tutorial["rewards"]) / len(tutorial["rewards"]) == pytest.approx(expected)
    assert len(tutorial["asked"]) > len(tutorial["rewards"]) == 18


def test_modules_of_two_lines_name_taskset_and_environment(tutorial):
    assert taskset_class("nim_moves") is MoveTaskset
    assert taskset_class("nim_games") is PlayTaskset
    assert environment_class("nim_games") is PlayEnv


def played(tutorial, **taskset):
    """The traces of games with these settings, played by the stand-in."""
    environment = PlayEnv(
        PlayEnvConfig(
            taskset={"id": "nim_games", "arguments": {"heaps": (1, 2, 3)}, **taskset},
            player={"harness": {"id": "nim_games"}, "runtime": vf.SubprocessConfig()},
        )
    )
    tasks = list(environment.taskset)
    episodes = asyncio.run(tutorial["play"](environment, tasks))
    assert all(episode.ok for episode in episodes), [episode.errors for episode in episodes]
    return tasks, [episode.traces[0] for episode in episodes]


@pytest.mark.parametrize("rewards", ["result", "turn"])
def test_whole_games_are_those_of_the_engine(tutorial, rewards):
    tasks, traces = played(tutorial, games=4, opponent=0.5, rewards=rewards)
    for number, (task, trace) in enumerate(zip(tasks, traces, strict=True)):
        play = TextGame(NIM, 0.5, start="n_position", seed=number, style="sentences")
        now, turns = play.reset(), []
        assert task.data.prompt == now
        while now is not None:
            turns.append(play.reply(first_heap([now])[0]))
            now = turns[-1].prompt
        assert trace.info["verdicts"] == [turn.verdict.kind for turn in turns]
        assert trace.info["rewards_by_turn"] == [turn.reward for turn in turns]
        paid = [turn.reward for turn in turns if turn.reward is not None]
        kept = sum(paid) / len(paid) if paid else 0.0
        assert trace.reward == pytest.approx(
            kept if rewards == "turn" else float(turns[-1].result > 0)
        )
        said = [node.message.content for node in trace.nodes if node.message.role == "user"]
        assert len(said) == len(turns)
        assert all(text.startswith("I play heap ") for text in said[1:])


def test_replies_without_a_move_are_asked_again_and_then_forfeit(tutorial):
    """The stand-in takes one object where two or three may be taken."""
    _, (trace,) = played(
        tutorial, games=1, game="subtraction", retries=1, seat=0, start="fixed",
        arguments={"heaps": (5, 1), "subtraction_set": (2, 3)},
    )  # fmt: skip
    assert trace.info["verdicts"] == ["illegal", "illegal"]
    assert trace.reward == 0.0
    said = [node.message.content for node in trace.nodes if node.message.role == "user"]
    # The rules stand in the first prompt alone.
    assert said[1].startswith(
        "That is no move: not allowed here: heap 0 take 1. Now heap 0 has 5 objects"
    )


def test_lost_positions_pay_nothing_and_disguises_are_told():
    hidden = disguised(NIM, 4)
    task = next(
        iter(MoveTaskset(GameConfig(id="nim_moves", arguments={"heaps": (1, 2, 3)}, disguise=4)))
    )
    assert task.data.prompt == prompt(hidden, task.data.position, "sentences")
    lost = task.with_data(position=(1, 1, 0), disguise=None)
    trace = vf.Trace(
        task=vf.TraceTask(type="MoveTask", data=lost.data),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        nodes=[vf.MessageNode(message=vf.AssistantMessage(content="heap 0: take 1"), sampled=True)],
    )
    asyncio.run(lost.score(trace))
    assert trace.rewards == {}
    assert trace.metrics == {"lost_position": 1.0}
