"""Runs the programs of a tutorial and writes what each prints below it.

``python -m docs.generator.outputs NAME ...`` rewrites ``docs/tutorials/NAME.md``. Programs run in
order in one namespace, in a temporary directory; a picture that the page shows below a program, and
that the program saves under that name, is copied to ``docs/images``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
PROGRAM = re.compile(r"^```python\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"\n```text\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(\.\./images/([^)]+)\)")


def runs(text: str, names: dict[str, Any]) -> Iterator[tuple[re.Match[str], str]]:
    """Run the programs of a page in order.

    Args:
        text: the page.
        names: the namespace that they share.

    Yields:
        The match of each program, and what it printed.
    """
    for program in PROGRAM.finditer(text):
        # Empty lines before it, so that errors name the page's own lines.
        before = "\n" * (text[: program.start()].count("\n") + 1)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(before + program[1], "tutorial", "exec"), names)
        yield program, printed.getvalue()


def with_outputs(text: str) -> str:
    """Return a page with what each program prints below it, in place of what stood there."""
    parts, done = [], 0
    for program, printed in runs(text, {"__name__": "__main__"}):
        parts.append(text[done : program.end()])
        done = program.end()
        if printed.strip():
            parts.append(f"\n```text\n{printed.rstrip()}\n```\n")
            before = OUTPUT.match(text, done)
            done = before.end() if before else done
    return "".join(parts) + text[done:]


def main(names: list[str]) -> None:
    """Rewrite tutorials."""
    for name in names:
        path = DOCS / "tutorials" / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                shown = with_outputs(text)
            finally:
                os.chdir(here)
            for picture in PICTURE.findall(text):
                if (saved := Path(folder, picture)).exists():
                    shutil.copy(saved, DOCS / "images" / picture)
        path.write_text(shown, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
