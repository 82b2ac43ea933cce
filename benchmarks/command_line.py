"""The command line of a benchmark: common options, and options that take several names."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import joblib

from benchmarks.parallel import BACKENDS, Runner
from benchmarks.run_log import NAME, RunLog
from benchmarks.shards import RUNS, MergedRuns, Plan, Shard, ShardRuns, ShardType
from nim_envs.cli.layout import SETTINGS, Choice, Command, version_option
from nim_envs.cli.running import run, using
from nim_envs.names import not_among


class NamesOption(click.Option):
    """An option that takes several of ``choices``, separated by spaces.

    Args:
        args: as for click's option.
        choices: allowed names.
        least: smallest number of names; 0: the option without names means all choices.
        others: whether names of the form ``"module:Name"`` are allowed too.
        settings: as for click's option.
    """

    def __init__(
        self, *args: Any, choices: Iterable[Any], least: int, others: bool = False, **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.choices = choices
        self.others = others
        self.least = least

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the list of choices with these names."""
        if not isinstance(value, str):
            return value
        known = {str(choice): choice for choice in self.choices}
        names = value.split()
        for name in names:
            if name not in known and not (self.others and ":" in name):
                more = ", or package.module:Name" if self.others else ""
                message = not_among(name, known) + more
                raise click.BadParameter(message, ctx, self)
        if len(names) < self.least:
            message = f"expected at least {self.least} of {', '.join(known)}"
            raise click.BadParameter(message, ctx, self)
        if not names:
            return list(known.values())
        return [known.get(name, name) for name in names]


class Benchmark(Command):
    """A benchmark as a command; calling it runs it.

    A :class:`NamesOption` takes all arguments up to the next option: ``--boards nim-3-4-5``.
    """

    logged = True

    def __call__(self, arguments: Sequence[str] | None = None, merged: Path | None = None) -> None:
        """Run the benchmark.

        Args:
            arguments: command-line arguments; ``None``: those of the process.
            merged: directory of finished shards, of which only the tables are made.

        Raises:
            SystemExit: it was stopped, or an argument or a file that it names is wrong; the
                error is one line on standard error.
        """
        code = run(self, arguments, f"python -m benchmarks.{self.name}", obj=merged)
        if code:
            raise SystemExit(code)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, after joining those that belong to one option."""
        ctx.meta[__name__] = _without_shard(args)
        several = {
            name
            for option in self.params
            if isinstance(option, NamesOption)
            for name in option.opts
        }
        joined = []
        while args:
            joined.append(args[0])
            args = args[1:]
            if joined[-1] in several:
                names = list(takewhile(lambda argument: not argument.startswith("-"), args))
                joined.append(" ".join(names))
                args = args[len(names) :]
        return super().parse_args(ctx, joined)

    def invoke(self, ctx: click.Context) -> None:
        """Make the directory for the results, run the benchmark, and print how long it took.

        Raises:
            KeyboardInterrupt: it was stopped by Ctrl-C; the results so far are written.
        """
        shard: Shard | None = ctx.params.get("shard")
        if ctx.obj is not None:
            ctx.params["output"] = ctx.obj
        output: Path = ctx.params["output"]
        with using(output):
            output.mkdir(parents=True, exist_ok=True)
            log = RunLog(output / NAME)
            if ctx.obj is not None:
                log = MergedRuns(output, Plan.read(output))
            elif shard is not None:
                Plan.of(ctx, ctx.meta[__name__]).join(output)
                log = ShardRuns(output, shard)
        runner = Runner(log, ctx.params.pop("jobs", None), ctx.params.pop("backend", "local"))
        if self.logged:
            ctx.params["runner"] = runner
            ctx.params.pop("shard")
        began = time.perf_counter()
        try:
            super().invoke(ctx)
        except click.exceptions.Exit:
            print(f"shard {shard}: its runs are in {output / RUNS}")
            print(f"when all shards have finished: python -m benchmarks merge {output}")
            return
        except KeyboardInterrupt:
            if not log.has_runs():
                raise
            runner.complete = False
        seconds = f"{time.perf_counter() - began:.0f} s"
        if not runner.complete:
            print(f"\nstopped after {seconds}; what was finished is in {output}")
            if log.has_runs():
                print("the same command goes on with what is left")
            raise KeyboardInterrupt
        log.forget()
        print(f"\n{seconds} in all; written to {output}")


def _without_shard(words: Sequence[str]) -> list[str]:
    """Return command-line arguments without the option ``--shard`` and its value."""
    remaining = iter(words)
    others = []
    for word in remaining:
        if word == "--shard":
            next(remaining, None)
        elif not word.startswith("--shard="):
            others.append(word)
    return others


def benchmark(
    name: str, writes: str, quick: str | None, output: str | None = None, logged: bool = True
) -> Callable[[Callable[..., None]], Benchmark]:
    """Return a decorator that makes a function the command of a benchmark.

    The function writes the results. Besides its options, but for ``--jobs`` and ``--backend``, it
    gets ``runner``, which makes its runs.

    Args:
        name: name of its module, without the package.
        writes: files that it writes to the directory ``--output``, in words.
        quick: effect of ``--quick``, in words; ``None``: there is no such option.
        output: default of ``--output``; ``None``: a directory in ``results``.
        logged: whether its runs are added to a file as they end.
    """
    log = f"; and {NAME}, to which each run is added as it ends: stopped, the same command goes on"

    def decorate(function: Callable[..., None]) -> Benchmark:
        command = click.command(name, cls=Benchmark, context_settings=SETTINGS)(function)
        command.logged = logged
        command.params.append(
            click.Option(
                ["--output"], default=output or f"results/{name}", show_default=True,
                type=click.Path(file_okay=False, path_type=Path), metavar="DIRECTORY",
                help=f"Where to write {writes}{log if logged else ''}.",
            )
        )  # fmt: skip
        if logged:
            command.params.append(
                click.Option(
                    ["--shard"], type=ShardType(), metavar="K/N",
                    help="Only every N-th run, from the K-th on, each into a file of its own in "
                    f"DIRECTORY/{RUNS}; python -m benchmarks merge DIRECTORY makes the tables.",
                )
            )  # fmt: skip
        if quick is not None:
            command.params.append(click.Option(["--quick"], is_flag=True, help=quick))
        return version_option(command)

    return decorate


def names_option(
    flag: str,
    choices: Iterable[Any],
    text: str,
    default: str = "all",
    least: int = 1,
    others: bool = False,
) -> Callable[[Any], Any]:
    """Return a decorator that adds an option that takes several names.

    Args:
        flag: name of the option, such as ``"--boards"``.
        choices: allowed names, in order.
        text: help text.
        default: default in words; ``"all"`` gives the command all choices, other words ``None``.
        least: smallest number of names; 0: the option without names means all choices.
        others: whether names of the form ``"module:Name"`` are allowed too.
    """
    return click.option(
        flag, cls=NamesOption, choices=choices, least=least, others=others,
        metavar=f"{flag[2:].removesuffix('s').upper()}...",
        default=(lambda: list(choices)) if default == "all" else None,
        help=f"{text}, out of: {', '.join(map(str, choices))} (default: {default}).",
    )  # fmt: skip


def count_option(flag: str, text: str, metavar: str = "N", **settings: Any) -> Callable[[Any], Any]:
    """Return a decorator that adds an option that takes a whole number of at least 1."""
    return click.option(
        flag, type=click.IntRange(min=1), metavar=metavar, help=f"{text}.", **settings
    )


def seeds_option(default: str) -> Callable[[Any], Any]:
    """Return a decorator that adds ``--seeds``; ``default`` is the default number in words."""
    return count_option("--seeds", f"Seeds 0 to N-1 (default: {default})")


def run_options(command: Any) -> Any:
    """Add ``--jobs`` and ``--backend`` to the command of a benchmark."""
    command = click.option(
        "--backend", type=Choice(BACKENDS), default="local", show_default=True,
        help="Where runs take place: on the cores of this machine, or on the Ray cluster that "
        "RAY_ADDRESS names or that runs here, whose machines all have this checkout installed.",
    )(command)  # fmt: skip
    jobs = (
        f"Runs at the same time (default: all {joblib.cpu_count()} cores; on Ray as many as "
        "it has room for)"
    )
    return count_option("--jobs", jobs)(command)


def invocation() -> str:
    """Return the command that is running, as it was typed, without its shard."""
    ctx = click.get_current_context()
    return " ".join([ctx.command_path, *ctx.meta[__name__]])
