"""Learners named on the command line, of this project or anyone's: how each is made and trained."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from agents import Learner, OptimalAgent, RandomAgent, registry
from agents.evaluation import SEATS, Optimality, optimality
from agents.games import same_game
from agents.training import train
from benchmarks.timing import timed
from nim_envs import GameEnv
from nim_envs.references import required_arguments, resolved

Maker = Callable[[GameEnv], tuple[Any, ...]]
"""Makes the agents for an environment: one for both seats, or one for each."""

UNTRAINED = ("random", "optimal")

LEARNERS: dict[str, Maker] = {
    "random": lambda _: (RandomAgent(),),
    "optimal": lambda env: (OptimalAgent(env.game),),
    **{name: row.make for name, row in registry.LEARNERS.items()},
}
"""The learners of this project, and two players that do not learn, by name."""

POLICY, TRAINER = 2, 3
"""Numbers of arguments of a function that is a policy, and of one that trains one."""


class TrainedEntry(NamedTuple):
    """A learner after training, and its exact scores.

    Attributes:
        games: games that it was to play; 0 if it does not learn.
        seconds: time of training.
        scores: one over all N-positions, or one for each seat over those that it can face.
    """

    games: int
    seconds: float
    scores: list[Optimality]


def is_own(name: str) -> bool:
    """Return whether a name is that of a learner from elsewhere, ``"module:Name"``."""
    return name not in LEARNERS


def sources(name: str) -> list[Path]:
    """Return the modules beside that of a learner from elsewhere, and its own."""
    resolved(name)
    file = sys.modules[name.partition(":")[0]].__file__
    return sorted(Path(file).parent.glob("*.py")) if file else []


def learns(name: str) -> bool:
    """Return whether a learner of this name plays games in training, so that its seed matters."""
    return name not in UNTRAINED and _arguments(name) != POLICY


def maker(name: str) -> Maker:
    """Return the function that makes a learner of this project or of any other.

    Args:
        name: a key of :data:`LEARNERS`; or ``"package.module:Name"``, where ``Name`` is a class or
            a function. Its method ``for_env`` is called with the environment; without that method,
            it is called itself. The result is an :class:`agents.base.Learner` for both seats, or a
            pair of them, one for each.

    Raises:
        InvalidGameError: there is no such module, or no such name in it.
    """
    if name in LEARNERS:
        return LEARNERS[name]
    made = resolved(name)
    make = getattr(made, "for_env", made)

    def agents(env: GameEnv) -> tuple[Any, ...]:
        found = make(env)
        return found if isinstance(found, tuple) else (found,)

    return agents


def trained(name: str, env: GameEnv, games: int, seed: int) -> TrainedEntry:
    """Train a learner and score it.

    Args:
        name: as for :func:`maker`; or the name of a function of observations and action masks,
            which is scored as it is; or that of a function of the environment, a number of games
            and a seed, which trains and returns what :func:`nim_envs.optimality` scores. If that
            reads observations in another encoding, it returns a pair of it and an environment of
            the same game in that encoding.
        env: environment to learn in.
        games: number of games to play.
        seed: integer seed.

    Raises:
        click.UsageError: the pair's environment is of another game.
    """
    if _arguments(name) == POLICY:
        return TrainedEntry(0, 0.0, [optimality(resolved(name), env.game, "all")])
    if _arguments(name) == TRAINER:
        seconds, found = timed(partial(resolved(name), env, games, seed))
        policy, seen = found if isinstance(found, tuple) else (found, env)
        if not same_game(seen.game, env.game):
            raise click.UsageError(
                f"--learners {name}: scored on {seen.game.summary}, not {env.game.summary}"
            )
        return TrainedEntry(games, seconds, [optimality(policy, seen, "all")])
    agents = maker(name)(env)
    if not isinstance(agents[0], Learner):
        return TrainedEntry(0, 0.0, _scores(agents, env))
    # Compiled functions are loaded by a copy, so that seconds are of training alone.
    throw_away = maker(name)(env)
    train(env, _pair(throw_away), 2, seed=0, progress=False)
    log = train(env, _pair(agents), games, seed=seed, progress=False)
    return TrainedEntry(games, log.seconds, _scores([agent.greedy() for agent in agents], env))


def _pair(agents: tuple[Any, ...]) -> tuple[Any, ...]:
    return agents * 2 if len(agents) == 1 else agents


def _scores(policies: Any, env: GameEnv) -> list[Optimality]:
    """Score one policy over all N-positions, or each seat's over those that the seat can face."""
    if len(policies) == 1:
        return [optimality(policies[0], env.game, "all")]
    return [
        optimality(policy, env.game, seat) for policy, seat in zip(policies, SEATS, strict=True)
    ]


def knows(name: str) -> str:
    """Return a learner's knowledge besides its observations and rewards, in words.

    Args:
        name: as for :func:`trained`; one of another project has it in an attribute ``knows``.
    """
    if name in UNTRAINED:
        return {"random": "nothing", "optimal": "the solution"}[name]
    if name in registry.LEARNERS:
        return registry.LEARNERS[name].knows
    return str(getattr(resolved(name), "knows", "not said"))


def check(name: str, env: GameEnv) -> None:
    """Check, before any training, that a name makes learners or is a function that can be scored.

    Raises:
        click.UsageError: it makes something that lacks a method of a learner.
    """
    if _arguments(name) in (POLICY, TRAINER):
        return
    agents = maker(name)(env)
    if len(agents) not in (1, 2) or not all(isinstance(agent, Learner) for agent in agents):
        raise click.UsageError(
            f"--learners {name} must make a learner with act, update and greedy, or a pair of "
            f"them, not {agents if len(agents) > 1 else agents[0]!r}"
        )


def _arguments(name: str) -> int:
    """Return the number of required positional arguments of a function; 0 of anything else."""
    made = None if name in LEARNERS else resolved(name)
    if made is None or isinstance(made, type) or hasattr(made, "for_env"):
        return 0
    return required_arguments(made)
