"""The package needs no compiled code and nothing else of the agents."""

from __future__ import annotations

import subprocess
import sys

from tests.test_imports import MODULES, ROOT, imports

ROOM = "agents.turn_credit"


def test_it_imports_numpy_and_the_rules_alone():
    found = {
        name
        for module, path in MODULES.items()
        if module.startswith(ROOM)
        for name in imports(path)
    }
    outside = {name.split(".")[0] for name in found} - {"agents", "nim_envs"}
    assert outside - set(sys.stdlib_module_names) == {"numpy"}
    assert not [n for n in found if n.startswith("agents") and not n.startswith(ROOM)]
    assert "nim_envs.compilation" not in found


def test_nothing_compiled_is_loaded_in_a_fresh_process():
    # The package around it imports compiled learners, so that an empty one stands in its place.
    names = sorted(name for name in MODULES if name.startswith(ROOM))
    code = (
        "import importlib, sys, types\n"
        "bare = types.ModuleType('agents'); bare.__path__ = ['agents']\n"
        "sys.modules['agents'] = bare\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "from nim_envs import make_game\n"
        "from agents.turn_credit import ESTIMATORS, Exact, Task\n"
        "task = Task(make_game('kayles', heaps=(3,)))\n"
        "exact = Exact(task, task.legal * 0.0)\n"
        "assert exact.objective_gradient.any()\n"
        "for estimator in ESTIMATORS.values(): estimator.gradient(exact)\n"
        "heavy = ('numba', 'llvmlite', 'jax', 'torch', 'scipy')\n"
        "print(len(sys.modules) > 100, [name for name in heavy if name in sys.modules])\n"
        "print([name for name in sys.modules\n"
        f"       if name.startswith('agents.') and not name.startswith({ROOM!r})])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["True []", "[]"]
