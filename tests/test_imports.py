"""Modules import only in the direction of the architecture, and importing stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A module may import from its own layer and those above it in this list.
LAYERS = [
    [
        "nim_envs.arguments",
        "nim_envs.compilation",
        "nim_envs.errors",
        "nim_envs.files",
        "nim_envs.optional",
    ],
    ["nim_envs.rules"],
    ["nim_envs.theory"],
    ["nim_envs.starts", "nim_envs.game"],
    ["nim_envs.encoding", "nim_envs.opponents", "nim_envs.render"],
    ["nim_envs.aec", "nim_envs.tabulation"],
    ["nim_envs.kernels"],
    ["nim_envs.vector", "nim_envs.versus"],
    ["nim_envs.registration"],
    ["nim_envs"],
    ["nim_envs.adapters"],
    ["agents"],
    ["benchmarks"],
]


def layer(module):
    """The layer of a module: that of its longest prefix in the list."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        for number, names in enumerate(LAYERS):
            if prefix in names:
                return number
    return None


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules():
    for package in ("nim_envs", "agents", "benchmarks"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__"), path


def test_every_import_goes_in_the_direction_of_the_architecture():
    checked = 0
    for name, path in modules():
        for imported in imports(path):
            if imported.split(".")[0] in ("nim_envs", "agents", "benchmarks", "tests"):
                assert layer(imported) is not None, f"{name} imports {imported}"
                assert layer(imported) <= layer(name), f"{name} imports {imported}"
                checked += 1
    assert checked > 50


def test_every_module_has_a_layer():
    for name, _ in modules():
        assert layer(name) is not None


def test_importing_the_package_leaves_numba_and_the_agents_alone():
    code = (
        "import sys, nim_envs; "
        "print([m for m in ('numba', 'agents', 'pygame', 'matplotlib', 'torch') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
