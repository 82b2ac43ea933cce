"""Shards: the runs of a benchmark spread over many machines, and merged into its tables.

A shard is every N-th run. All shards write into one directory, a file for each finished run, which
no two processes write to at the same time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import click

from benchmarks.as_json import decoded
from benchmarks.run_log import Result, RunLog
from nim_envs.files import write_atomically

RUNS = "runs"
"""Name of the folder of finished runs among the results of a benchmark."""

PLAN = "shards.json"
"""Name of the file that says which command the shards are of."""

FREE = ("backend", "jobs", "output", "shard")
"""Options in which shards of one command may differ."""


class Shard(NamedTuple):
    """One of the equal parts of a benchmark's runs.

    Attributes:
        number: from 1 to ``total``.
        total: number of shards.
    """

    number: int
    total: int

    def __str__(self) -> str:
        """Return the shard as it is typed, such as ``3/20``."""
        return f"{self.number}/{self.total}"


class ShardType(click.ParamType):  # type: ignore[type-arg]
    """The type of the option ``--shard``, such as ``3/20``."""

    name = "shard"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Shard:
        """Return the shard that the text names."""
        match = re.fullmatch(r"(\d+)/(\d+)", str(value))
        shard = Shard(*map(int, match.groups())) if match else Shard(0, 0)
        if not 1 <= shard.number <= shard.total:
            self.fail(f"{value!r} is not a shard from 1/N to N/N, such as 3/20", param, ctx)
        return shard


class Plan(NamedTuple):
    """The command that shards are of, which the first of them writes beside its runs.

    Attributes:
        benchmark: name of the benchmark.
        arguments: its command-line arguments, without the shard.
        options: values of the options in which all shards agree, in words.
        total: number of shards.
    """

    benchmark: str
    arguments: list[str]
    options: dict[str, str]
    total: int

    @classmethod
    def of(cls, ctx: click.Context, arguments: Sequence[str]) -> Plan:
        """Return the plan of a command that is running as a shard."""
        options = {name: str(value) for name, value in ctx.params.items() if name not in FREE}
        total = ctx.params["shard"].total
        return cls(str(ctx.command.name), list(arguments), options, total)

    @classmethod
    def read(cls, directory: Path) -> Plan:
        """Return the plan of the shards in a directory.

        Raises:
            click.UsageError: there is none.
        """
        try:
            return cls(**json.loads((directory / PLAN).read_bytes()))
        except (OSError, TypeError, ValueError) as error:
            raise click.UsageError(
                f"{directory} has no shards of a benchmark; python -m benchmarks NAME --shard 1/20 "
                f"--output {directory} writes one"
            ) from error

    def join(self, directory: Path) -> None:
        """Write the plan to a directory, where there may be shards of the same command.

        Raises:
            click.UsageError: there are shards of another command.
        """
        path = directory / PLAN
        if path.exists():
            there = Plan.read(directory)
            if there._replace(arguments=self.arguments) != self:
                first = there.command(Shard(1, there.total))
                raise click.UsageError(f"{directory} has shards of another command: {first}")
        else:
            write_atomically(path, json.dumps(self._asdict(), indent=1).encode())

    def command(self, shard: Shard) -> str:
        """Return the command line of a shard."""
        return " ".join(
            ["python -m benchmarks", self.benchmark, *self.arguments, "--shard", str(shard)]
        )


class RunFiles(RunLog):
    """A folder of finished runs, with a file for each; the first that is written stays."""

    def append(
        self, key: str, function: Callable[..., Any], task: Sequence[Any], result: Result
    ) -> Result:
        """Add a finished run, and return its result, or that of another process which was first."""
        super().append(key, function, task, result)
        there: dict[str, Result] = self.results([key])
        return there.get(key, result)

    def results(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the results of calls with these keys, as far as they are finished."""
        finished = {}
        for key in keys:
            with suppress(OSError, ValueError):
                finished[key] = decoded(json.loads(self._path(key).read_bytes())["result"])
        return finished

    def forget(self) -> None:
        """Keep all runs: shards are merged later, or merged again."""

    def _path(self, key: str) -> Path:
        return self.path / f"{key}.json"

    def _write(self, key: str, line: str) -> None:
        if not self.results([key]):
            write_atomically(self._path(key), line.encode())

    def _lines(self) -> Iterator[dict[str, str]]:
        for path in self.path.glob("*.json"):
            with suppress(ValueError):
                yield json.loads(path.read_bytes())


class ShardRuns(RunFiles):
    """The runs of one shard.

    Args:
        directory: folder of the results of the benchmark.
        shard: the shard.
    """

    def __init__(self, directory: Path, shard: Shard) -> None:
        super().__init__(directory / RUNS)
        self.path.mkdir(exist_ok=True)
        self._shard = shard
        self._counted = 0  # runs of all shards in earlier calls of ``own_indices``
        self._keys: list[str] = []

    def own_indices(self, keys: Sequence[str], shared: bool = False) -> Sequence[int]:
        """Return the indices of this shard's runs."""
        indices: Sequence[int] = range(len(keys))
        if not shared:
            number, total = self._shard
            indices = range((number - 1 - self._counted) % total, len(keys), total)
            self._counted += len(keys)
        self._keys += [keys[index] for index in indices]
        return indices

    def end_runs(self) -> None:
        """End the process before tables are made, as interrupted if runs are missing."""
        if len(self.results(self._keys)) < len(set(self._keys)):
            raise KeyboardInterrupt
        raise click.exceptions.Exit


class MergedRuns(RunFiles):
    """The finished runs of all shards; missing ones are named, not made.

    Args:
        directory: folder of the results of the benchmark.
        plan: command that the shards are of.
    """

    def __init__(self, directory: Path, plan: Plan) -> None:
        super().__init__(directory / RUNS)
        self._plan = plan
        self._counted = 0  # runs of all shards in earlier calls of ``own_indices``
        self._missing: set[Shard] = set()

    def own_indices(self, keys: Sequence[str], shared: bool = False) -> Sequence[int]:
        """Return the indices of the finished runs, and note the shards of the missing ones."""
        total = self._plan.total
        finished = self.results(keys)
        for index, key in enumerate(keys):
            if key not in finished:
                shards = range(total) if shared else [(self._counted + index) % total]
                self._missing |= {Shard(each + 1, total) for each in shards}
        self._counted += 0 if shared else len(keys)
        return [index for index, key in enumerate(keys) if key in finished]

    def end_runs(self) -> None:
        """Refuse to make tables of a part of the runs."""
        if self._missing:
            missing = sorted(self._missing)
            raise click.UsageError(
                f"missing, unfinished or of other code: shard {', '.join(map(str, missing))}; "
                f"{self._plan.command(missing[0])} makes its runs"
            )
