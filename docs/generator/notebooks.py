"""Notebooks: executed for their outputs, and written as pages of the manual.

What is kept of the outputs is text and pictures; progress bars and messages are not.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

KEPT = ("image/png", "text/plain")
"""Kinds of outputs, the first one that an output has being shown."""

Notebook = dict[str, Any]


def _kept(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the outputs of a cell that are kept, all that is printed in one."""
    kept = list[dict[str, Any]]()
    for output in outputs:
        if output["output_type"] == "stream":
            if output["name"] != "stdout":
                continue
            lines = output["text"].splitlines(keepends=True)
            if kept and kept[-1]["output_type"] == "stream":
                kept[-1]["text"] += lines
            else:
                kept.append({**output, "text": lines})
            continue
        data = output["data"]
        kind = next((kind for kind in KEPT if kind in data), None)
        if kind and "application/vnd.jupyter.widget-view+json" not in data:
            kept.append({"data": {kind: data[kind]}, "metadata": {}, "output_type": "display_data"})
    return kept


def executed(notebook: Notebook) -> Notebook:
    """Return a notebook, run from top to bottom with this checkout's packages."""
    import nbclient
    import nbformat

    node = nbformat.reads(json.dumps(notebook), as_version=4)
    client = nbclient.NotebookClient(node, timeout=600, kernel_name="python3", record_timing=False)
    client.execute(env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])})
    cells = []
    for before, cell in zip(notebook["cells"], node["cells"], strict=True):
        if cell["cell_type"] == "code":
            before = {**before, "execution_count": None, "outputs": _kept(cell["outputs"])}
        cells.append(before)
    return {**notebook, "cells": cells}


def rewrite(path: Path) -> None:
    """Execute a notebook in its place."""
    notebook = executed(json.loads(path.read_text(encoding="utf-8")))
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def page(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as a page.

    Returns:
        The text in Markdown, and the pictures by the names under which it shows them.
    """
    parts, pictures = list[str](), dict[str, bytes]()
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            elif "image/png" in output["data"]:
                name = f"pictures/{path.stem}_{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode("".join(output["data"]["image/png"]))
                parts.append(f"![Output of the program above]({name})")
            else:
                parts.append(f"```text\n{''.join(output['data']['text/plain'])}\n```")
    title, _, rest = parts[0].partition("\n")
    note = f"This page is the notebook [{path.name}]({path.name}) with its outputs."
    return "\n\n".join([title, note, rest, *parts[1:]]) + "\n", pictures
