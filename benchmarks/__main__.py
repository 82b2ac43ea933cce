"""The list of the benchmarks: python -m benchmarks."""

from __future__ import annotations

import ast
import shutil
import textwrap
from pathlib import Path

FOLDER = Path(__file__).parent


def programs() -> dict[str, str]:
    """Return the description of each benchmark, by the name of its module."""
    found = {}
    for path in sorted(FOLDER.rglob("*.py")):
        name = path.parent.name if path.name == "__main__.py" else path.stem
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = ast.get_docstring(tree)
        # No benchmark is imported for the list: some need packages that may be missing.
        if path != Path(__file__) and text and f"python -m benchmarks.{name}" in text:
            found[name] = text.partition("\n\n")[0].replace("\n", " ")
    return found


def main() -> None:
    """Print the list."""
    listed = programs()
    width = max(map(len, listed))
    print("python -m benchmarks.NAME --help explains each; --quick is for a look.\n")
    columns = min(100, shutil.get_terminal_size().columns)
    for name, text in listed.items():
        print(
            textwrap.fill(
                text, columns, initial_indent=f"  {name:{width}}  ",
                subsequent_indent=" " * (width + 4),
            )
        )  # fmt: skip


if __name__ == "__main__":
    main()
