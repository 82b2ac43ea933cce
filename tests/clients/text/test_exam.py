"""The exam in other libraries: datasets, Croissant, verifiers and Inspect."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from nim_envs.cli.main import run
from nim_envs.text.exam import Suite, asking_player

ONLY = ("misere-4-5-6-disguised", "octal-a")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    directory = tmp_path_factory.mktemp("exam") / "dataset"
    words = ["text", "exam", "export", "--seed", "0", "--seed", "7", "--output", str(directory)]
    assert run(words) == 0
    return directory


def test_datasets_loads_it_offline(exported, tmp_path):
    import datasets

    loaded = datasets.load_dataset(str(exported), cache_dir=str(tmp_path))
    assert {name: len(split) for name, split in loaded.items()} == {"seed_0": 2100, "seed_7": 2100}
    assert loaded["seed_7"][3]["moves"][0]["verdict"] in ("kept_win", "threw_win")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_its_metadata_are_valid_and_name_its_files(exported):
    import mlcroissant

    facts = json.loads((exported / "croissant.json").read_text(encoding="utf-8"))
    assert [each["contentUrl"] for each in facts["distribution"]] == [
        "data/seed_0.parquet", "data/seed_7.parquet",
    ]  # fmt: skip
    dataset = mlcroissant.Dataset(jsonld=str(exported / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    record = next(iter(dataset.records("positions_seed_0")))
    assert record["positions_seed_0/id"] == next(iter(Suite(0).items)).encode()


@pytest.fixture(scope="module")
def right():
    """Perfect replies by prompt."""
    suite = Suite(3, ONLY)
    asked = list(suite.requests(style="sentences", answer="tag"))
    said = asking_player("perfect", suite, "tag")(asked)
    return {request.prompt: answer.reply for request, answer in zip(asked, said, strict=True)}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="verifiers needs Python 3.11 or later")
def test_the_taskset_of_verifiers_judges_as_the_exam_does(right, tmp_path, monkeypatch):
    import verifiers.v1 as vf
    from verifiers.v1.utils.loaders import taskset_class

    from nim_envs.adapters.verifiers import ExamConfig, ExamTaskset

    (tmp_path / "nim_exam.py").write_text(
        "from nim_envs.adapters.verifiers import DirectHarness, ExamTaskset\n"
        "__all__ = ['DirectHarness', 'ExamTaskset']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert taskset_class("nim_exam") is ExamTaskset
    tasks = list(ExamTaskset(ExamConfig(id="nim_exam", seed=3, only=ONLY)).load())
    assert [task.data.prompt for task in tasks] == list(right)
    for number, task in enumerate(tasks):
        reply = "No idea." if number % 3 == 0 else right[task.data.prompt]
        trace = vf.Trace(
            task=vf.TraceTask(type="ExamTask", data=task.data),
            agent=vf.AgentInfo(config=vf.AgentConfig()),
            nodes=[vf.MessageNode(message=vf.AssistantMessage(content=reply), sampled=True)],
        )
        asyncio.run(task.score(trace))
        assert trace.reward == float(number % 3 > 0)
        assert trace.metrics == {"kept_win" if number % 3 else "format": 1.0}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_task_of_inspect_scores_what_a_model_says(right, tmp_path):
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from nim_envs.adapters.inspect_ai import exam

    said = [
        ModelOutput.from_content("mockllm/model", "No." if number % 4 == 0 else reply)
        for number, reply in enumerate(right.values())
    ]
    for each in said:
        each.usage = ModelUsage()  # else it counts tokens, for which it fetches a vocabulary
    model = get_model("mockllm/model", custom_outputs=said)
    (log,) = evaluate(
        exam(seed=3, only=ONLY), model=model, log_dir=str(tmp_path), display="none",
        max_samples=1, max_connections=1,
    )  # fmt: skip
    assert log.status == "success"
    assert len(log.samples) == len(right) == 100
    accuracy = log.results.scores[0].metrics["accuracy"].value
    assert accuracy == pytest.approx(0.75)
    kinds = {sample.scores["exact_verdict"].explanation for sample in log.samples}
    assert kinds == {"kept_win", "format"}


def test_the_task_of_lm_eval_judges_as_the_exam_does(right):
    from nim_envs.adapters.lm_eval import task

    class Loader(yaml.SafeLoader):
        """Reads ``!function module.name`` as lm-eval does, for this module."""

    Loader.add_constructor("!function", lambda _, node: getattr(task, node.value.split(".")[1]))
    settings = yaml.load(Path(task.__file__).with_name("nim_exam.yaml").read_text(), Loader)
    rows = settings["custom_dataset"](seed=3, only=list(ONLY), **settings["metadata"])
    asked = list(rows[settings["test_split"]])
    assert [row["prompt"] for row in asked] == list(right)
    for row in asked[::7]:
        found = settings["process_results"](row, [right[row["prompt"]]])
        assert found == {metric["metric"]: 1.0 for metric in settings["metric_list"]}
        assert settings["process_results"](row, ["No."]) == dict.fromkeys(found, 0.0)


def test_the_environment_for_earlier_releases_of_verifiers(right, monkeypatch):
    """Of their classes only the arguments are known here: those releases exclude the newer one."""
    from nim_envs.adapters.verifiers_legacy import load_environment

    from nim_envs.errors import MissingPackageError

    class Rubric:
        def __init__(self, funcs, weights):
            self.rewards = {func.__name__: func for func in funcs}
            assert len(weights) == len(funcs)

    class SingleTurnEnv:
        def __init__(self, eval_dataset, rubric, system_prompt=None):
            self.rows, self.rubric, self.system_prompt = eval_dataset, rubric, system_prompt

    earlier = ModuleType("verifiers")
    monkeypatch.setitem(sys.modules, "verifiers", earlier)
    with pytest.raises(MissingPackageError, match=r"needs a release before 0\.4"):
        load_environment()
    earlier.Rubric, earlier.SingleTurnEnv = Rubric, SingleTurnEnv
    environment = load_environment(3, ONLY, system_prompt="Play.")
    assert [row["question"] for row in environment.rows] == list(right)
    assert environment.system_prompt == "Play."
    for row in list(environment.rows)[::9]:
        for reply, expected in ((right[row["question"]], 1.0), ("No.", 0.0)):
            said = [{"role": "assistant", "content": reply}]
            paid = {
                name: reward(completion=said, info=row["info"])
                for name, reward in environment.rubric.rewards.items()
            }
            assert paid == {"kept_win": expected, "held_move": expected}
