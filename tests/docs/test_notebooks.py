"""The tutorials that are notebooks run from top to bottom, and show what they speak of."""

from __future__ import annotations

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))


def test_there_is_a_notebook():
    assert [path.stem for path in NOTEBOOKS] == ["first_steps"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


# Warnings of Jupyter's clients are not this project's.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_pictures_and_scores(path, monkeypatch):
    # Where the packages are imported from, in the kernel too.
    monkeypatch.setenv("PYTHONPATH", str(TUTORIALS.parents[1]))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in shown if "image/png" in output.get("data", {})]
    bars = "application/vnd.jupyter.widget-view+json"
    assert any(bars in output.get("data", {}) for output in shown)
    # The environment, what render() returns, the curve and the heatmap.
    assert len(pictures) == 4
    text = "".join(output.get("text", "") for output in shown)
    assert "heap 0: take 2" in text
    assert "100.00 % of 102 N-positions" in text
    said = [output["text"] for output in shown if output.get("name") == "stderr"]
    assert all(line.startswith("nim_envs: compiling ") for line in said)
