"""The benchmarks: their list, and one by its name."""

import ast
from importlib import import_module
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]

PROGRAMS = {
    "optimality": "benchmarks.optimality",
    "published": "benchmarks.published.__main__",
    "learning_speed": "benchmarks.learning_speed",
    "scaling": "benchmarks.scaling",
    "throughput": "benchmarks.throughput",
    "pictures": "benchmarks.pictures",
    "alphazero": "benchmarks.studies.alphazero.__main__",
    "diagnosis": "benchmarks.studies.diagnosis",
    "generalisation": "benchmarks.studies.generalisation.__main__",
    "libraries": "benchmarks.studies.libraries.__main__",
    "open_track": "benchmarks.studies.open_track.__main__",
}
"""The module of each benchmark, by its name."""


def command(name: str) -> click.Command:
    """Return the command of a benchmark, a key of :data:`PROGRAMS`."""
    main: click.Command = import_module(PROGRAMS[name]).main
    return main


def about(name: str) -> str:
    """Return the first paragraph of a benchmark's docstring; it is not imported for that."""
    path = ROOT.joinpath(*PROGRAMS[name].split(".")).with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


class Benchmarks(click.Group):
    """The benchmarks as commands, each imported when it runs, as some need packages of others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the benchmarks."""
        return list(PROGRAMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a benchmark; ``None`` if there is none of this name."""
        return command(cmd_name) if cmd_name in PROGRAMS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of the benchmarks."""
        with formatter.section("Benchmarks"):
            formatter.write_dl([(name, about(name)) for name in PROGRAMS])


@click.command(cls=Benchmarks, invoke_without_command=True)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Run a benchmark: --help after its name explains it, --quick is for a look."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


if __name__ == "__main__":
    main()
