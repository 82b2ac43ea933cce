"""The exam as a task of Inspect, called from Python and run by its command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from nim_envs.adapters.inspect_ai import exam
from nim_envs.text.exam import Suite
from tests import ROOT

ONLY = ("misere-4-5-6-disguised", "octal-a")


def right_replies():
    """Return a reply that keeps the win to each prompt, in order."""
    for setting, item in Suite(3, ONLY).items.values():
        action = min(setting.language.outcomes(item.position).keeping)
        yield f"So <move>{setting.language.move(item.position, action)}</move>"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_task_scores_what_a_model_says(tmp_path):
    said = [
        ModelOutput.from_content("mockllm/model", "No." if number % 4 == 0 else reply)
        for number, reply in enumerate(right_replies())
    ]
    for each in said:
        each.usage = ModelUsage()  # else it counts tokens, for which it fetches a vocabulary
    model = get_model("mockllm/model", custom_outputs=said)
    (log,) = evaluate(
        exam(seed=3, only=ONLY), model=model, log_dir=str(tmp_path), display="none",
        max_samples=1, max_connections=1,
    )  # fmt: skip
    assert log.status == "success"
    assert len(log.samples) == 100
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert found["accuracy"] == pytest.approx(0.75)
    wrong = [number % 4 == 0 for number in range(100)]
    for group, share in (("misère", wrong[:50]), ("octal", wrong[50:])):
        assert found[group] == pytest.approx(1 - sum(share) / 50)
    kinds = {sample.scores["exact_verdict"].explanation for sample in log.samples}
    assert kinds == {"kept_win", "format"}


def test_the_command_of_inspect_finds_the_task(tmp_path):
    words = ["eval", "nim_envs/exam", "--model", "mockllm/model", "-T", f"only={','.join(ONLY)}"]
    words += ["-T", "seed=3", "--limit", "60", "--log-dir", str(tmp_path), "--display", "none"]
    # It counts tokens by a vocabulary that it would fetch.
    (tmp_path / "tiktoken.py").write_text(
        "class get_encoding:\n    def __init__(self, name): ...\n"
        "    def encode(self, text, **_): return text.split()\n"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    script = Path(sys.executable).with_name("inspect")
    subprocess.run([script, *words], check=True, timeout=300, cwd=tmp_path, env=environ)
    (path,) = tmp_path.glob("*.eval")
    log = read_eval_log(str(path))
    assert (log.status, log.results.scores[0].metrics["accuracy"].value) == ("success", 0.0)
    assert [sample.id for sample in log.samples] == list(Suite(3, ONLY).items)[:60]
