"""A package that is missing is one sentence, with a command that works for everyone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

NEEDED = [
    (
        "numba",
        "import gymnasium, nim_envs; gymnasium.make_vec('nim_envs/Nim-v0', num_envs=2)",
        "the batched environment needs numba: python -m pip install numba",
    ),
    (
        "numba",
        "from nim_envs.envs.vector import VectorGameEnv",
        "the batched environment needs numba: python -m pip install numba",
    ),
    (
        "numba",
        "from nim_envs.cgt.sequences import GrundySequence; GrundySequence('0.77', method='naive')",
        "the naive method needs numba: python -m pip install numba",
    ),
    (
        "pygame",
        "from nim_envs import GameEnv, make_game\n"
        "GameEnv(make_game('nim'), render_mode='rgb_array')",
        "a picture of a game needs pygame: python -m pip install pygame-ce",
    ),
    (
        "matplotlib",
        "import numpy as np\n"
        "from nim_envs.render.plots import plot_sequence\n"
        "plot_sequence(np.arange(9), None, 'title')",
        "a plot needs matplotlib: python -m pip install matplotlib",
    ),
    (
        "tqdm",
        "from nim_envs.cgt.sequences import GrundySequence\n"
        "GrundySequence('0.77').extend(9, progress=True)",
        "a progress bar needs tqdm: python -m pip install tqdm",
    ),
    (
        "stable_baselines3",
        "import nim_envs.adapters.sb3",
        "the adapter for Stable-Baselines3 needs stable_baselines3: "
        "python -m pip install stable-baselines3 sb3-contrib",
    ),
    (
        "jax",
        "import nim_envs.adapters.pgx",
        "the adapter for pgx needs jax: python -m pip install jax pgx",
    ),
    (
        "equinox",
        "import agents.deep.alphazero",
        "AlphaZero needs equinox: python -m pip install equinox mctx optax pgx",
    ),
    (
        "ray",
        "import nim_envs.adapters.rllib",
        'the adapter for RLlib needs ray: python -m pip install "ray[rllib]" torch',
    ),
]


@pytest.mark.parametrize(("package", "code", "sentence"), NEEDED, ids=lambda one: one[:30])
def test_it_says_what_to_install(package, code, sentence):
    blocked = f"import sys; sys.modules[{package!r}] = None\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"nim_envs.errors.MissingPackageError: {sentence}"


@pytest.mark.parametrize("package", ["click", "tabulate"])
def test_the_command_line_says_it_in_one_line(package):
    blocked = (
        f"import runpy, sys; sys.argv = ['nim_envs', 'games']; sys.modules[{package!r}] = None\n"
        "runpy.run_module('nim_envs', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: the command line needs {package}: python -m pip install click tabulate\n"
    )


def extras():
    """The extras in pyproject.toml, by name."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = text.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    return set(re.findall(r"^(\w+) = \[", table, flags=re.MULTILINE))


def test_every_extra_that_is_named_exists():
    files = [
        *ROOT.glob("*.md"), ROOT / "noxfile.py", ROOT / "pyproject.toml",
        *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.py"),
        *(ROOT / "nim_envs").rglob("*.py"), *(ROOT / "agents").rglob("*.py"),
    ]  # fmt: skip
    named = {
        name
        for path in files
        for names in re.findall(r'(?:"\.|nim-envs)\[([\w,]+)\]', path.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    assert named
    assert named <= extras()


def test_no_extra_promises_a_package_missing_from_the_wheel():
    assert "agents" not in extras()
    assert {"vector", "render", "solver", "sb3", "rllib", "torchrl"} <= extras()
