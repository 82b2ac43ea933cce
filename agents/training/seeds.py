"""The same training with several seeds, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import joblib
from tqdm import tqdm

from agents.base import Agent
from agents.training import Env, TrainingLog, as_pair, train
from nim_envs.validation import checked_integer


class SeedRun(NamedTuple):
    """The result of one seed."""

    seed: int
    agents: Agent | tuple[Agent, Agent]  # the trained agents, as ``make`` returned them
    log: TrainingLog


def train_seeds(
    make: Callable[[int], tuple[Env, Agent | tuple[Agent, Agent]]],
    games: int,
    *,
    seeds: Iterable[int],
    workers: int | None = None,
    progress: bool = True,
    **arguments: Any,
) -> list[SeedRun]:
    """Train once for each seed, in parallel processes.

    Self-play of one table cannot be shared among cores: each update reads values that the previous
    one wrote, so with parallel games the table would depend on the machine's timing. Seeds are
    independent of each other, for every learner. The result of a seed equals that of
    :func:`agents.training.train`, for any number of workers.

    Args:
        make: returns a new environment, and an agent or a pair of them, for a seed. It is
            called in another process.
        games: number of games to play with each seed.
        seeds: integer seeds.
        workers: number of processes; ``None``: one for each core.
        progress: whether to show a progress bar on the standard error.
        arguments: further arguments of :func:`agents.training.train`.

    Returns:
        One run for each seed, in the order of ``seeds``, with the trained agents.

    Raises:
        ValueError: no seeds, the same seed twice, or fewer than 1 worker; and as ``train``.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> def make(seed):
        ...     env = GameEnv(make_game("nim", heaps=(1, 2), start="uniform"))
        ...     spaces = env.observation_space("player_0"), env.action_space("player_0")
        ...     return env, QLearning(*spaces, seed=seed)
        >>> runs = train_seeds(make, 100, seeds=range(3), workers=1, progress=False)
        >>> [run.seed for run in runs]
        [0, 1, 2]
    """
    chosen = list(seeds)
    if not chosen or len(set(chosen)) != len(chosen):
        raise ValueError(f"seeds must be different ones, at least one, not {chosen}")
    if workers is not None:
        checked_integer("workers", workers, minimum=1)
    parallel = joblib.Parallel(n_jobs=workers or joblib.cpu_count(), return_as="generator")
    runs = parallel(joblib.delayed(_train)(make, games, seed, arguments) for seed in chosen)
    hidden = None if progress else True
    return list(tqdm(runs, "seeds", unit="seed", total=len(chosen), disable=hidden))


def _train(
    make: Callable[[int], tuple[Env, Agent | tuple[Agent, Agent]]],
    games: int,
    seed: int,
    arguments: dict[str, Any],
) -> SeedRun:
    env, agents = make(seed)
    as_pair(agents)
    log = train(env, agents, games, seed=seed, progress=False, **arguments)
    return SeedRun(seed, agents, log)
