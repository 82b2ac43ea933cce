"""Datasets in the format of Minari, written and read."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gymnasium

from benchmarks.datasets.mistakes import Episode
from nim_envs import __version__
from nim_envs.optional import needed

NAMESPACE = "nim_envs"
"""Namespace of the datasets."""

ROOT_VARIABLE = "MINARI_DATASETS_PATH"
"""Environment variable by which Minari finds datasets."""


@contextmanager
def datasets_in(root: Path) -> Iterator[Any]:
    """Return Minari, whose datasets are in a folder while the context lasts.

    Raises:
        MissingPackageError: Minari is not installed.
    """
    minari = needed("minari", "a dataset", "datasets")
    before = os.environ.get(ROOT_VARIABLE)
    os.environ[ROOT_VARIABLE] = str(root)
    try:
        yield minari
    finally:
        if before is None:
            del os.environ[ROOT_VARIABLE]
        else:
            os.environ[ROOT_VARIABLE] = before


def make_namespace(root: Path) -> None:
    """Make the namespace, if it is not there, before several processes write to it."""
    with datasets_in(root), suppress(ValueError):
        needed("minari.namespace", "a dataset", "datasets").create_namespace(
            NAMESPACE, description="Exactly solved games, played at known rates of mistakes."
        )


def write_dataset(
    root: Path,
    name: str,
    env: gymnasium.Env[Any, Any],
    episodes: Sequence[Episode],
    description: str,
    metadata: Mapping[str, Any],
) -> None:
    """Write games as a dataset of Minari; one of the same name is replaced.

    Args:
        root: folder of datasets.
        name: id of the dataset.
        env: environment in which the games were played, recoverable from its ``spec``.
        episodes: the games.
        description: for a reader, in Markdown.
        metadata: further values, for JSON.
    """
    shutil.rmtree(root / name, ignore_errors=True)
    buffers = [
        needed("minari.data_collector", "a dataset", "datasets").EpisodeBuffer(
            id=index,
            observations=episode.observations,
            actions=episode.actions,
            rewards=episode.rewards,
            terminations=[False] * (len(episode.actions) - 1) + [True],
            truncations=[False] * len(episode.actions),
            infos=episode.infos,
        )
        for index, episode in enumerate(episodes)
    ]
    with datasets_in(root) as minari, warnings.catch_warnings():
        # Minari warns that e-mail address, link and environment for evaluation are missing.
        warnings.simplefilter("ignore", UserWarning)
        dataset = minari.create_dataset_from_buffers(
            name, buffers, env=env, algorithm_name="optimal but for mistakes of a known rate",
            author="nim_envs", description=description,
            requirements=[f"nim-envs>={__version__}"],
        )  # fmt: skip
    dataset.storage.update_metadata(dict(metadata))


def read_dataset(root: Path, name: str) -> Any:
    """Return a dataset of Minari."""
    with datasets_in(root) as minari:
        return minari.load_dataset(name)
