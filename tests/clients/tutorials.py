"""Runs the code of a tutorial, as a reader would who copies it block after block.

``python -m tests.clients.tutorials NAME`` does so in the current directory.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docs.generator.outputs import OUTPUT, runs

TUTORIALS = Path(__file__).resolve().parent.parent.parent / "docs" / "tutorials"


def outputs(name: str, names: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """Run a tutorial; return what its blocks print, and what stands below them, in words.

    Args:
        name: of the tutorial.
        names: what its blocks name is put there, if it is given.

    Returns:
        A pair for each block that has its output below it, in a block of text. Line breaks do not
        count.
    """
    text = (TUTORIALS / f"{name}.md").read_text(encoding="utf-8")
    names = {} if names is None else names
    names["__name__"] = "__main__"
    found = []
    for program, printed in runs(text, names):
        below = OUTPUT.match(text, program.end())
        if below is not None:
            found.append((" ".join(printed.split()), " ".join(below[1].split())))
    return found


def run_tutorial(name: str, module: str = "__main__", **constants: Any) -> dict[str, Any]:
    """Execute the Python blocks of ``docs/tutorials/NAME.md`` in order; return what they named.

    Args:
        name: of the tutorial.
        module: what ``__name__`` is to the blocks.
        constants: other values for names in capitals that the tutorial sets on lines of their own,
            so that a test takes less time than a reader.
    """
    path = TUTORIALS / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    for constant, value in constants.items():
        line = re.compile(rf"^{constant} = .*$", flags=re.MULTILINE)
        assert len(line.findall(text)) == 1, f"{path} does not set {constant} once"
        text = line.sub(f"{constant} = {value!r}", text)
    names: dict[str, Any] = {"__name__": module}
    printed = [output for _, output in runs(text, names)]
    assert printed, f"{path} has no programs"
    print("".join(printed))
    return names


if __name__ == "__main__":
    run_tutorial(sys.argv[1])
