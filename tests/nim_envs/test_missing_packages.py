"""A package that is missing is one sentence, with a command that works for everyone."""

import re

from tests import ROOT

NEEDED = [
    (
        "numba",
        "import gymnasium, nim_envs; gymnasium.make_vec('nim_envs/Nim-v0', num_envs=2)",
        'the batched environment needs numba: python -m pip install "nim-envs[vector]"',
    ),
    (
        "numba",
        "import nim_envs.cgt.sequences",
        'a sequence of Grundy values needs numba: python -m pip install "nim-envs[solver]"',
    ),
    (
        "pygame",
        "from nim_envs import GameEnv, make_game\n"
        "GameEnv(make_game('nim'), render_mode='rgb_array')",
        'a picture of a game needs pygame: python -m pip install "nim-envs[render]"',
    ),
    (
        "jax",
        "import nim_envs.adapters.pgx",
        'the adapter for pgx needs jax: python -m pip install "nim-envs[jax]"',
    ),
    (
        "numba",
        "import agents",
        'agents needs numba: python -m pip install "nim-envs[all]"',
    ),
    (
        "torch",
        "from agents import SignedProducts\n"
        "from nim_envs import make_game\n"
        "SignedProducts(make_game('nim')).fit(make_game('nim'), 1, 0, lambda *_: False)",
        "SignedProducts needs torch: python -m pip install torch",
    ),
]


def without(package):
    """The beginning of a program that finds no module of a name."""
    return f"import sys; sys.modules[{package!r}] = None\n"


def test_it_says_what_to_install(forks):
    for package, code, sentence in NEEDED:
        finished = forks.run(without(package) + code)
        error = finished.err.splitlines()[-1]
        assert error == f"nim_envs.errors.MissingPackageError: {sentence}"
        assert finished.code == 1


PROGRAMS = [
    ("click", "nim_envs", "solver"),
    ("tabulate", "nim_envs", "solver"),
    ("click", "agents", "all"),
]
AS_A_PROGRAM = "import runpy; runpy.run_module({program!r}, run_name='__main__', alter_sys=True)"


def test_a_program_says_it_in_one_line(forks):
    for package, program, extra in PROGRAMS:
        finished = forks.run(without(package) + AS_A_PROGRAM.format(program=program))
        install = f'python -m pip install "nim-envs[{extra}]"'
        assert f"Error: the command line needs {package}: {install}" in finished.err
        assert finished.code == 1


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
        for names in re.findall(
            r'(?:"\.|nim-envs)\[([\w,]+)\]|(?:needed|imports_for)\([^()]+, "([a-z0-9]+)"\)',
            path.read_text(encoding="utf-8"),
        )
        for name in "".join(names).split(",")
    }
    assert named
    assert named <= extras()
