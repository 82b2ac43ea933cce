"""Modules import only in the direction of the architecture, and importing stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A module may import from its own layer and those above it in this list. A folder that is named
# holds all its modules but those that are named apart; a package at the root holds itself alone.
LAYERS = [
    [
        "nim_envs.archive",
        "nim_envs.caches",
        "nim_envs.compilation",
        "nim_envs.compiled_files",
        "nim_envs.errors",
        "nim_envs.files",
        "nim_envs.interrupts",
        "nim_envs.names",
        "nim_envs.optional",
        "nim_envs.progress",
        "nim_envs.references",
        "nim_envs.typing",
        "nim_envs.validation",
    ],
    ["nim_envs.lazy", "nim_envs.registered_games"],
    ["nim_envs.rules"],
    ["nim_envs.theory"],
    ["nim_envs.cgt"],
    ["nim_envs.solver"],
    ["nim_envs.starts"],
    ["nim_envs.game"],
    ["nim_envs.own_games"],
    [
        "nim_envs.encoding",
        "nim_envs.envs.move_truth",
        "nim_envs.envs.reset_arguments",
        "nim_envs.player_answers",
        "nim_envs.players",
        "nim_envs.render",
    ],
    [
        "nim_envs.envs.opponents",
        "nim_envs.envs.renderer",
        "nim_envs.envs.vector.grouping",
        "nim_envs.envs.vector.random_numbers",
    ],
    ["nim_envs.envs.vector.tables"],
    ["nim_envs.envs.vector.winning"],
    [
        "nim_envs.envs.aec",
        "nim_envs.envs.vector.checks",
        "nim_envs.envs.vector.games",
        "nim_envs.envs.vector.moves",
        "nim_envs.envs.vector.new_games",
        "nim_envs.envs.vector.outputs",
    ],
    ["nim_envs.envs.vector.action_choice"],
    ["nim_envs.envs.vector.kernels"],
    ["nim_envs.envs.vector.engine", "nim_envs.envs.vector.pictures"],
    ["nim_envs.envs"],
    ["nim_envs.scoring"],
    ["nim_envs.render.notebook"],
    ["nim_envs.text"],
    ["nim_envs.constructors"],
    ["nim_envs.registration"],
    ["nim_envs.text.exam"],
    ["nim_envs.testing"],
    ["nim_envs"],
    ["nim_envs.adapters", "nim_envs.cli"],
    ["nim_envs.__main__"],
    ["agents.turn_credit"],
    ["agents.base", "agents.games", "agents.restoring"],
    ["agents.tabular"],
    ["agents.learners"],
    ["agents.research"],
    ["agents.players"],
    ["agents.registry"],
    ["agents.storage"],
    ["agents.research"],
    ["agents.training"],
    ["agents.evaluation"],
    ["agents.plotting", "agents.testing"],
    ["agents"],
    ["agents.cli"],
    ["agents.__main__"],
    [
        "benchmarks",
        "benchmarks.__main__",
        "benchmarks.as_json",
        "benchmarks.both_seats",
        "benchmarks.command_line",
        "benchmarks.parallel",
        "benchmarks.ray_tasks",
        "benchmarks.report",
        "benchmarks.run_log",
        "benchmarks.shards",
        "benchmarks.tasks",
    ],
    [
        "benchmarks.entries",
        "benchmarks.leaderboard",
        "benchmarks.pictures",
        "benchmarks.timing",
    ],
    ["benchmarks.optimality", "benchmarks.rollouts", "benchmarks.scaling", "benchmarks.solver"],
    [
        "benchmarks.batched",
        "benchmarks.studies.alphazero",
        "benchmarks.studies.generalisation",
        "benchmarks.published",
    ],
    ["benchmarks.datasets", "benchmarks.studies.open_track"],
    [
        "benchmarks.learning_speed",
        "benchmarks.studies.libraries",
        "benchmarks.text",
        "benchmarks.throughput",
        "benchmarks.turn_credit",
    ],
    ["benchmarks.credit_audit"],
]

ROOTS = ("nim_envs", "agents", "benchmarks")


def modules():
    for package in ROOTS:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__"), path


MODULES = dict(modules())


@cache
def layer(module):
    """The layer of a module: its own, or that of the nearest folder in the list."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in ROOTS and prefix != module:
            return None
        for number, names in enumerate(LAYERS):
            if prefix in names:
                return number
    return None


@cache
def imports(path):
    """The names that a module imports: modules where they are modules, else where they are from."""
    names = []
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                names.append(deeper if deeper in MODULES else node.module)
        else:  # no import is within an expression, of which there are most
            nodes += [
                child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)
            ]
    return names


def test_every_import_goes_in_the_direction_of_the_architecture():
    checked = 0
    for name, path in MODULES.items():
        for imported in imports(path):
            if imported.split(".")[0] in (*ROOTS, "tests"):
                assert layer(imported) is not None, f"{name} imports {imported}"
                assert layer(imported) <= layer(name), f"{name} imports {imported}"
                checked += 1
    assert checked > 50


def test_every_module_has_a_layer():
    assert [name for name in MODULES if layer(name) is None] == []


def test_a_module_that_no_layer_names_has_none():
    unknown = ("agents.nowhere", "agents.nowhere.thing", "nim_envs.new", "benchmarks.new")
    assert [layer(name) for name in (*unknown, "tests.games")] == [None] * 5


def test_every_layer_names_what_there_is():
    for names in LAYERS:
        assert set(names) <= set(MODULES)


def test_only_the_solver_and_the_command_line_know_the_research():
    users = {
        name
        for name, path in MODULES.items()
        if name.startswith("nim_envs.") and not name.startswith("nim_envs.cgt")
        for imported in imports(path)
        if imported.startswith("nim_envs.cgt")
    }
    assert "nim_envs.solver" in users
    assert {name for name in users if not name.startswith("nim_envs.cli.")} == {"nim_envs.solver"}


def test_importing_the_package_imports_no_game_and_no_environment():
    code = (
        "import sys, nim_envs; "
        "print(sorted(m for m in sys.modules if m.startswith(('nim_envs.', 'numba', 'scipy'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ast.literal_eval(done.stdout) == [
        "nim_envs.errors",
        "nim_envs.interrupts",
        "nim_envs.lazy",
        "nim_envs.names",
        "nim_envs.references",
        "nim_envs.registered_games",
    ]


def test_importing_the_package_leaves_numba_and_the_agents_alone():
    code = (
        "import sys, nim_envs, nim_envs.scoring, nim_envs.envs.versus, nim_envs.theory; "
        "print([m for m in ('nim_envs.cgt', 'numba', 'agents', 'pygame', 'matplotlib', 'torch', "
        "'tqdm', 'jax', 'pgx') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
