"""Modules import only in the direction of the architecture, and importing stays light."""

import ast
import subprocess
import sys
from functools import cache

import pytest

from tests import ROOT

OPTIONAL = ("diagnosis", "text", "adapters", "render", "cgt")
"""Rooms of nim_envs that its core does without."""

OTHERS = {
    "nim_envs.render": ("nim_envs", "agents", "benchmarks"),
    "nim_envs.text": ("nim_envs.adapters",),
    "nim_envs.cgt": ("agents.research",),
}
"""Optional rooms that other rooms may import at module level: by which."""

RESEARCH = ("agents.research", "benchmarks.published", "benchmarks.studies")
"""Rooms that import ``agents.research``; besides them the registry does, by name."""


def modules():
    for package in ("nim_envs", "agents", "benchmarks"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__"), path


MODULES = dict(modules())


def within(name, *rooms):
    """Whether a module is one of these rooms or inside one."""
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def room_of(name):
    """The optional room of a module of nim_envs; ``"core"`` for all others."""
    parts = name.split(".")
    if parts[0] == "nim_envs" and len(parts) > 1 and parts[1] in OPTIONAL:
        return f"nim_envs.{parts[1]}"
    return "core"


@cache
def imports(path):
    """The modules that a module imports, each with whether this is at module level.

    Imports for type checkers alone are left out.
    """
    found = []

    def visit(node, inside):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for child in node.orelse:
                visit(child, inside)
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name, not inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                found.append((deeper if deeper in MODULES else node.module, not inside))
        inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(path.read_text(encoding="utf-8")), False)
    return found


def wrong(rule):
    """The imports that break a rule: a function of importer, imported and whether at the top."""
    return [
        f"{name} imports {imported}"
        for name, path in MODULES.items()
        for imported, at_top in imports(path)
        if not rule(name, imported, at_top)
    ]


def test_the_core_imports_no_optional_room_at_module_level():
    """But for commands: the module of a command is imported when it is called."""

    def rule(name, imported, at_top):
        of_core = name.startswith("nim_envs") and room_of(name) == "core"
        of_core = of_core and not within(name, "nim_envs.cli")
        return not (of_core and at_top and room_of(imported) != "core")

    assert wrong(rule) == []


def test_optional_rooms_import_the_core_and_few_others():
    def rule(name, imported, at_top):
        room, other = room_of(name), room_of(imported)
        if other in ("core", room) or (room == "core" and within(name, "nim_envs")):
            return True
        return within(name, *OTHERS.get(other, ("agents", "benchmarks"))) or not at_top

    assert wrong(rule) == []


def test_packages_import_in_one_direction():
    def rule(name, imported, at_top):
        if within(imported, "tests") or (within(imported, "agents") and within(name, "nim_envs")):
            return False
        if within(imported, "agents.research"):
            return within(name, *RESEARCH)
        return not within(imported, "benchmarks") or within(name, "benchmarks")

    assert wrong(rule) == []


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import nim_envs; assert sum(m.startswith('nim_envs.') for m in sys.modules) < 8",
         "numba scipy pygame matplotlib torch tqdm agents"),
        ("import nim_envs.scoring, nim_envs.envs.versus, nim_envs.solution",
         "nim_envs.cgt nim_envs.text nim_envs.render nim_envs.diagnosis nim_envs.adapters "
         "numba agents pygame matplotlib torch jax pgx"),
        ("import agents, agents.registry", "agents.research torch matplotlib benchmarks"),
    ],
)  # fmt: skip
def test_importing_stays_light(code, absent):
    script = f"import sys; {code}; print([m for m in {absent.split()} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
