"""A backend of joblib that makes every call a task of an existing Ray cluster.

Ray's own backend for joblib has a pool of actors, assigns calls to them in rotation and cannot
return results as they complete; calls of an actor whose machine has failed wait for it. A task
goes to any free worker, and to another one if that worker dies.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import click
import joblib
import ray
from joblib.parallel import ParallelBackendBase

RETRIES = 10
"""Retries of a call whose worker died. A call that kills every worker fails."""


def connect() -> None:
    """Connect to the running cluster, and register the backend ``"ray_tasks"`` with joblib.

    Raises:
        click.UsageError: no cluster is running.
    """
    if not ray.is_initialized():
        try:
            _check_reachable(os.environ.get("RAY_ADDRESS", ""))
            ray.init(address="auto", log_to_driver=False)
        except (OSError, RuntimeError) as error:
            raise click.UsageError(
                "--backend ray: no Ray cluster was found; start one by `ray start --head`, or name "
                f"one in RAY_ADDRESS ({error})"
            ) from error
    joblib.register_parallel_backend("ray_tasks", RayTasks)


def _check_reachable(address: str) -> None:
    """Raise an ``OSError`` if nothing listens at ``address``; Ray would try for six minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


class RayTasks(ParallelBackendBase):  # type: ignore[misc]
    """Makes every call a Ray task of one core."""

    supports_retrieve_callback = True
    default_n_jobs = -1

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """Return ``n_jobs``; if it asks for all, the number of the cluster's cores."""
        if n_jobs is not None and n_jobs > 0:
            return n_jobs
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(
        self, func: Callable[[], Any], callback: Callable[[Future[Any]], Any] | None = None
    ) -> Future[Any]:
        """Submit a call; ``callback`` gets its future when it is done."""
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_call).remote(func)
        future: Future[Any] = task.future()
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: Future[Any]) -> Any:
        """Return the result of a call, or raise its exception."""
        return out.result()


def _call(function: Callable[[], Any]) -> Any:
    return function()
