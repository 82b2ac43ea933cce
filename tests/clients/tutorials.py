"""Runs the programs of a tutorial, as a reader would who copies them one after the other."""

import re
import tempfile
from pathlib import Path
from typing import Any

from tests.docs.blocks import TUTORIALS, as_program, runs


def run_tutorial(
    name: str,
    folder: Path | None = None,
    names: dict[str, Any] | None = None,
    **constants: Any,
) -> dict[str, Any]:
    """Run a tutorial; return what its programs named.

    Args:
        name: of the tutorial.
        folder: directory for the files that it writes; by default a temporary one.
        names: names that are there before; ``__name__`` is ``"__main__"`` if it is not among them.
        constants: other values for names in capitals that the tutorial sets on lines of their own,
            so that a test takes less time than a reader.
    """
    path = TUTORIALS / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    for constant, value in constants.items():
        line = re.compile(rf"^{constant} = .*$", flags=re.MULTILINE)
        assert len(line.findall(text)) == 1, f"{path} does not set {constant} once"
        text = line.sub(f"{constant} = {value!r}", text)
    names = {"__name__": "__main__", **(names or {})}
    with tempfile.TemporaryDirectory() as temporary, as_program(folder or Path(temporary)):
        printed = [output for _, output in runs(text, names)]
    assert printed, f"{path} has no programs"
    print("".join(printed))
    return names
