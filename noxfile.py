"""Checks before a change lands, each part in a virtual environment of its own.

``nox`` runs the quick parts, ``nox --list`` names all, ``nox --session tests`` runs one, and with
``--force-python 3.13`` it does so on that Python; ``.ci/run`` runs them all.
"""

import re
import shlex
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
# It is there with nox, and has the newest pip in a fraction of the time that venv takes.
nox.options.default_venv_backend = "virtualenv"
nox.options.sessions = ["format", "lint", "types", "tests"]

# For a pinned release an index may offer the build for the CPU alone, which is far smaller.
TORCH = "torch==2.13.0"

TEXT_LIBRARIES = ("trl", "inspect_ai", "verifiers")
"""The libraries that train or examine language models, each with an extra and an adapter."""

QUICKER = (
    "nim_envs", "tests/nim_envs/cli", "tests/nim_envs/envs", "tests/nim_envs/render",
    "tests/agents/cli", "tests/agents/test_storage.py", "tests/nim_envs/test_compilation.py",
    "tests/benchmarks/test_runs.py",
)  # fmt: skip
"""Tests of what meets other libraries most: environments, compiled code, windows, files."""

MANUAL = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


def run_command_of_readme(session: nox.Session, name: str, *arguments: str) -> None:
    """Run the command that stands under ``<!-- command: name -->`` in the README.

    The command installs its own dependencies, so an undeclared one makes it fail.

    Args:
        session: session whose environment is used.
        name: name of the command in that comment.
        arguments: appended to the command.
    """
    readme = Path("README.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- command: {name} -->\n```sh\n(.+?)\n```", readme, flags=re.DOTALL)
    if found is None:
        session.error(f"README.md has no command {name!r}")
    command = " ".join([found[1], *map(shlex.quote, arguments)])
    session.run("bash", "-c", command, external=True)


@nox.session
def format(session: nox.Session) -> None:  # noqa: A001
    """Check the layout of the code with Ruff; ``-- .`` rewrites it."""
    session.install("ruff>=0.12")
    session.run("ruff", "format", *(session.posargs or ["--check", "."]))


@nox.session
def lint(session: nox.Session) -> None:
    """Check the code with Ruff; ``-- --fix`` applies its fixes."""
    session.install("ruff>=0.12")
    session.run("ruff", "check", ".", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the three packages strictly with mypy, without other suites of games."""
    session.install("--editable", ".[all]", "mypy>=1.15")
    session.run("mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the README's test command on all cores; arguments go to pytest."""
    run_command_of_readme(session, "test", *session.posargs)


@nox.session
def readme(session: nox.Session) -> None:
    """Run the README's two commands: the benchmark at its smallest setting, and the tests.

    The dependencies of both are the newest releases that this Python can have.
    """
    run_benchmark_of_readme(session)
    run_command_of_readme(session, "test", *session.posargs)


def run_benchmark_of_readme(session: nox.Session) -> None:
    """Run the README's benchmark at its smallest setting."""
    results = Path(session.create_tmp()) / "results"
    run_command_of_readme(session, "benchmark", "--quick", "--output", str(results))


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the quicker tests with the lowest version that is allowed of every dependency.

    Without the environments of other libraries and notebooks, which are for tests alone.
    """
    constraints = Path(session.create_tmp()) / "lowest.txt"
    constraints.write_text("\n".join(lowest_versions()), encoding="utf-8")
    tools = ("anywidget", "hypothesis", "pytest", "pytest-xdist")
    session.install("--editable", ".[all]", *tools, "--constraint", str(constraints))
    # Old releases meet newer ones of the packages that they need themselves.
    calm = ("-W", "ignore::DeprecationWarning")
    session.run("python", "-m", "pytest", *calm, *(session.posargs or QUICKER))


def lowest_versions() -> list[str]:
    """Return the lower bounds of what session ``lowest`` installs, as ``name==1.0``."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    extras = ("vector", "render", "solver", "benchmarks", "test")
    required = [*project["dependencies"]]
    required += [each for extra in extras for each in project["optional-dependencies"][extra]]
    # References to extras of this project have no bound.
    bounds = filter(None, (re.match(r"([\w-]+)>=([\d.]+)", each) for each in required))
    return [f"{bound[1]}=={bound[2]}" for bound in bounds]


@nox.session
def clients(session: nox.Session) -> None:
    """Run the tests of the libraries that train on these games, a missing one being a failure.

    JAX is tested in a process of its own: its threads may hang a process that forks, as Ray does,
    and it warns of that. The benchmarks that need one of these libraries are run here, at their
    smallest settings.
    """
    session.install(TORCH)
    pytest = ("python", "-m", "pytest", "-c", "tests/clients/pytest.ini")
    session.install("--editable", ".[libraries]")
    elsewhere = [f"--ignore=tests/clients/{path}" for path in ("jax", "text")]
    session.run(*pytest, "tests/clients", *elsewhere, *session.posargs)
    session.run(*pytest, "tests/clients/jax", *session.posargs)
    of_text = [f"--ignore={path}" for name in TEXT_LIBRARIES for path in adapters(name)]
    with_torch = ("agents/research", "agents/research/signed_products", "nim_envs/adapters")
    session.run(*pytest, "--doctest-modules", *with_torch, *of_text)
    # What XLA compiles here runs only a few times.
    run_benchmark(
        session, "studies.alphazero", JAX_DISABLE_MOST_OPTIMIZATIONS="1", OMP_NUM_THREADS="1"
    )
    run_benchmark(session, "studies.generalisation", "--learners", "signed-products")
    of_each = ("openspiel-dqn", "sb3", "rllib", "torchrl", "tianshou")
    run_benchmark(session, "studies.libraries", "--recipes", ",".join(of_each))


@nox.session
def text(session: nox.Session) -> None:
    """Run the tests of the libraries that train language models, without a network.

    No model is downloaded. verifiers needs Python 3.11 or later; its tests are skipped below.
    """
    session.install(TORCH)
    libraries = TEXT_LIBRARIES if sys.version_info >= (3, 11) else TEXT_LIBRARIES[:-1]
    extras = ",".join(name.replace("_", "-") for name in libraries)
    session.install("--editable", f".[{extras}]", "pytest>=8.0")
    pytest = ("python", "-m", "pytest", "-c", "tests/clients/pytest.ini")
    offline = {"HF_HUB_OFFLINE": "1"}
    session.run(*pytest, "tests/clients/text", *session.posargs, env=offline)
    tested = [path for name in libraries for path in adapters(name)]
    session.run(*pytest, "--doctest-modules", *tested, env=offline)


def adapters(library: str) -> list[str]:
    """Return the files or folders of the adapter for a library."""
    return sorted(map(str, Path("nim_envs/adapters").glob(f"{library}*")))


@nox.session
def package(session: nox.Session) -> None:
    """Build the source distribution and the wheel, check them, and use the wheel alone.

    They are left in ``dist``, or in the directory given by ``-- --outdir DIRECTORY``.
    """
    folder = Path(session.posargs[1] if session.posargs else "dist")
    session.install("build>=1.2", "twine>=6.0")
    session.run("python", "-m", "build", "--outdir", str(folder))
    made = [str(path) for path in folder.glob("nim_envs-*")]
    session.run("twine", "check", "--strict", *made)
    session.run("python", "-m", "pip", "uninstall", "--yes", "build", "twine")
    session.install(*(name for name in made if name.endswith(".whl")))
    # Outside the checkout, whose packages would be imported instead.
    script = Path("tests", "installed_wheel.py").resolve()
    session.chdir(session.create_tmp())
    session.run("python", "-I", str(script))


@nox.session
def docs(session: nox.Session) -> None:
    """Test the generator of the manual, build the manual strictly into ``site``, and play on it.

    ``-- --site-dir DIRECTORY`` sets another directory. With ``--quiet`` warnings would not count.
    Games are played in the system's Chromium; without one those tests are skipped.
    """
    tools = ("anywidget", "hypothesis", "playwright>=1.50", "pytest>=8.0", "pytest-xdist>=3.6")
    session.install("--editable", ".[docs]", *tools)
    session.run("python", "-m", "pytest", "tests/docs/test_generator.py")
    session.run("python", "-m", "mkdocs", "build", "--strict", *session.posargs, env=MANUAL)
    given = session.posargs
    site = given[given.index("--site-dir") + 1] if "--site-dir" in given else "site"
    played = {"NIM_ENVS_SITE": str(Path(site).resolve())}
    # One process: the pages are looked at one by one.
    session.run("python", "-m", "pytest", "-n", "0", "-rs", "tests/docs/test_play.py", env=played)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Run session ``readme`` with every other benchmark, and the tests marked exhaustive.

    The benchmarks need no more than their extra, but for that which compares the speed of stepping
    with environments of other libraries.
    """
    run_benchmark_of_readme(session)
    for name in (
        "published", "learning_speed", "scaling", "studies.generalisation", "studies.open_track",
        "studies.diagnosis",
    ):  # fmt: skip
        run_benchmark(session, name)
    run_command_of_readme(session, "test", *session.posargs)
    session.run("python", "-m", "pytest", "-m", "exhaustive", "tests")
    run_benchmark(session, "throughput")


def run_benchmark(session: nox.Session, name: str, *options: str, **variables: str) -> None:
    """Run a benchmark at its smallest setting; its results go to a temporary directory.

    Args:
        session: session whose environment is used.
        name: module in ``benchmarks``.
        options: its other options.
        variables: environment variables.
    """
    results = Path(session.create_tmp()) / "results" / name
    command = ("python", "-m", f"benchmarks.{name}", "--quick", "--output", str(results))
    session.run(*command, *options, env=variables)
