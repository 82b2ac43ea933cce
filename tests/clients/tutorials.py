"""Runs the code of a tutorial, as a reader would who copies it block after block.

``python -m tests.clients.tutorials NAME`` does so in the current directory.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parent.parent.parent / "docs" / "tutorials"
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def run_tutorial(name: str, module: str = "__main__") -> dict[str, Any]:
    """Execute the Python blocks of ``docs/tutorials/NAME.md`` in order; return what they named.

    Args:
        name: of the tutorial.
        module: what ``__name__`` is to the blocks.
    """
    path = TUTORIALS / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": module}
    blocks = list(BLOCK.finditer(text))
    assert blocks, f"{path} has no Python blocks"
    for block in blocks:
        # Empty lines before it, so that errors name the tutorial's own lines.
        before = "\n" * (text[: block.start()].count("\n") + 1)
        exec(compile(before + block.group(1), str(path), "exec"), names)
    return names


if __name__ == "__main__":
    run_tutorial(sys.argv[1])
