"""Learners named on the command line, of this project or anyone's: how each is made and trained."""

import itertools
import sys
from collections.abc import Callable, Iterable
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import click

from agents import (
    ColumnAutomatonLearner,
    GameChoosingLearner,
    Learner,
    OptimalAgent,
    QLearning,
    QuotientLearner,
    RandomAgent,
    RealTimeDynamicProgramming,
    SignedProducts,
    registry,
)
from agents.games import same_game
from agents.training import train
from benchmarks.sorted_heaps import in_any_order, sorted_game
from benchmarks.timing import timed
from nim_envs import Game, GameEnv
from nim_envs.errors import InvalidGameError
from nim_envs.game import PLAYERS as SEATS
from nim_envs.players import required_arguments
from nim_envs.registry import resolved
from nim_envs.scoring import Optimality, optimality

Maker = Callable[[GameEnv], tuple[Any, ...]]
"""Makes the agents for an environment: one for both seats, or one for each."""

UNTRAINED = ("random", "optimal")

LEARNERS: dict[str, Maker] = {
    "random": lambda _: (RandomAgent(),),
    "optimal": lambda env: (OptimalAgent(env.game),),
    **{name: row.make for name, row in registry.LEARNERS.items()},
}
"""The learners of this project, and two players that do not learn, by name."""


def with_sorted_heaps(make: Callable[[GameEnv], Any]) -> Callable[[GameEnv, int, int], Any]:
    """Return a function of environment, games and seed that trains a learner of sorted heaps."""

    def train_sorted(env: GameEnv, games: int, seed: int) -> Any:
        sorted_env = GameEnv(sorted_game(env.game))
        learner = make(sorted_env)
        train(sorted_env, learner, games, seed=seed, progress=False)
        return in_any_order(learner.greedy(), env.game)

    return train_sorted


MORE_LEARNERS: dict[str, Callable[..., Any]] = {
    "q-learning-symmetric": with_sorted_heaps(partial(QLearning.for_env, epsilon=0.5)),
    "real-time-dynamic-programming-symmetric": with_sorted_heaps(
        partial(RealTimeDynamicProgramming.for_env, epsilon=0.3)
    ),
    "column-automaton": lambda env: (ColumnAutomatonLearner.for_env(env, play_from="start"),),
    "column-automaton-of-q-learning": lambda env: (
        ColumnAutomatonLearner.for_env(env, labels="q-learning"),
    ),
    "quotient": lambda env: (QuotientLearner.for_env(env),),
    "signed-products": lambda env: (SignedProducts.for_env(env),),
}
"""More learners of this project, which know what positions consist of, by name; some as functions
of environment, games and seed that train one."""

KNOWLEDGE = {
    "random": "nothing",
    "optimal": "the solution",
    **{name: row.knows for name, row in registry.LEARNERS.items()},
    "q-learning-symmetric": "the order of heaps",
    "real-time-dynamic-programming-symmetric": "the rules and the order of heaps",
    "column-automaton": "the rules, the order of heaps and bits",
    "column-automaton-of-q-learning": "the rules, the order of heaps and bits",
    "quotient": "the rules, the order of heaps and starts",
    "signed-products": "the rules, the order of heaps and bits",
}
"""Knowledge of each learner besides observations and rewards, in words."""

POLICY, TRAINER = 2, 3
"""Numbers of arguments of a function that is a policy, and of one that trains one."""


class TrainedLearner(NamedTuple):
    """A learner after training, before it is scored.

    Attributes:
        games: games that it was to play, or played where it chooses them; 0 if it does not learn.
        seconds: time of training.
        policies: the greedy policy of both seats, or one for each.
        env_or_game: game or environment in which they observe and act.
        policy_on: returns the policy on another board of the game, or raises a ``ValueError``;
            ``None``: it plays no other board.
    """

    games: int
    seconds: float
    policies: tuple[Any, ...]
    env_or_game: Any
    policy_on: Callable[[Game], Any] | None

    def scores(self, positions: str) -> list[Optimality]:
        """Score the policy of both seats, or each seat's over those positions that it can face."""
        sets = (positions,) if len(self.policies) == 1 else SEATS
        return [
            optimality(policy, self.env_or_game, each)
            for policy, each in zip(self.policies, sets, strict=True)
        ]


def is_own(name: str) -> bool:
    """Return whether a name is that of a learner of the user's own, ``"module:Name"``."""
    return name not in LEARNERS and name not in MORE_LEARNERS


def sources(own: Iterable[str]) -> list[Path]:
    """Return the modules of the user's own learners, and those beside them."""
    files = [sys.modules[name.partition(":")[0]].__file__ for name in own]
    folders = {Path(file).parent for file in files if file}
    return sorted(path for folder in folders for path in folder.glob("*.py"))


def learns(name: str) -> bool:
    """Return whether a learner of this name plays games in training, so that its seed matters."""
    return name not in UNTRAINED and _arguments(name) != POLICY


def calls_of(
    tasks: Iterable[str], learners: Iterable[str], seeds: int, quick: bool
) -> list[tuple[str, str, int, bool]]:
    """Return task, learner, seed and ``quick`` of each run; without training, of seed 0 alone."""
    # Neighbouring runs have different learners, so workers compile different functions.
    every = itertools.product(range(seeds), tasks, learners)
    return [
        (task, learner, seed, quick)
        for seed, task, learner in every
        if seed == 0 or learns(learner)
    ]


def maker(name: str) -> Maker:
    """Return the function that makes a learner of this project or of any other.

    Args:
        name: a key of :data:`LEARNERS` or :data:`MORE_LEARNERS`; or ``"package.module:Name"``,
            where ``Name`` is a class or a function. Its method ``for_env`` is called with the
            environment; without that method, it is called itself. The result is a
            :class:`agents.base.Learner` or a
            :class:`agents.research.base.GameChoosingLearner` for both seats, or a pair of the
            former, one for each.

    Raises:
        InvalidGameError: there is no such module, or no class or function of that name in it.
    """
    entry = _entry(name)
    make = getattr(entry, "for_env", entry)
    if not callable(make):
        raise InvalidGameError(f"{name} must be a class or a function, not {entry!r}")

    def agents(env: GameEnv) -> tuple[Any, ...]:
        result = make(env)
        return result if isinstance(result, tuple) else (result,)

    return agents


def train_learner(name: str, env: GameEnv, games: int, seed: int) -> TrainedLearner:
    """Train a learner.

    Args:
        name: as for :func:`maker`; or the name of a function of observations and action masks,
            which is scored as it is; or that of a function of the environment, a number of games
            and a seed, which trains and returns what :func:`nim_envs.optimality` scores, or a
            learner whose ``greedy`` takes a game. If that reads observations in another encoding,
            it returns a pair of it and an environment of the same game in that encoding.
        env: environment to learn in.
        games: number of games to play.
        seed: integer seed.

    Raises:
        click.UsageError: the pair's environment is of another game.
    """
    if _arguments(name) == POLICY:
        return TrainedLearner(0, 0.0, (resolved(name),), env.game, lambda _: resolved(name))
    if _arguments(name) == TRAINER:
        seconds, result = timed(partial(_entry(name), env, games, seed))
        policy, env_or_game = result if isinstance(result, tuple) else (result, env)
        if not same_game(env_or_game.game, env.game):
            raise click.UsageError(
                f"--learners {name}: scored on {env_or_game.game.summary}, not {env.game.summary}"
            )
        policy_on = _on_other_boards(policy)
        greedy = policy if policy_on is None else policy.greedy()
        return TrainedLearner(games, seconds, (greedy,), env_or_game, policy_on)
    agents = maker(name)(env)
    if isinstance(agents[0], GameChoosingLearner):
        log = train(env, agents[0], games, seed=seed, progress=False)
        policy = agents[0].greedy()
        return TrainedLearner(log.games, log.seconds, (policy,), env.game, agents[0].greedy)
    if not isinstance(agents[0], Learner):
        return TrainedLearner(0, 0.0, agents, env.game, lambda game: maker(name)(GameEnv(game))[0])
    # Compiled functions are loaded by a copy, so that seconds are of training alone.
    warm_up = maker(name)(env)
    train(env, _pair(warm_up), 2, seed=0, progress=False)
    log = train(env, _pair(agents), games, seed=seed, progress=False)
    policy_on = _on_other_boards(agents[0]) if len(agents) == 1 else None
    return TrainedLearner(
        games, log.seconds, tuple(agent.greedy() for agent in agents), env.game, policy_on
    )


def _on_other_boards(learner: Any) -> Callable[[Game], Any] | None:
    """Return the method ``greedy`` of a learner if it takes a game, for policies on its board."""
    greedy = getattr(learner, "greedy", None)
    return greedy if callable(greedy) and signature(greedy).parameters else None


def _pair(agents: tuple[Any, ...]) -> tuple[Any, ...]:
    return agents * 2 if len(agents) == 1 else agents


def knows(name: str) -> str:
    """Return a learner's knowledge besides its observations and rewards, in words."""
    if name in KNOWLEDGE:
        return KNOWLEDGE[name]
    return str(getattr(resolved(name), "knows", "not said"))


def checked_own(learners: Iterable[str], env: GameEnv) -> list[str]:
    """Return those of some learners that are the user's own, each of them checked.

    Raises:
        click.UsageError: there is no such name, or it makes something that lacks a method of a
            learner.
    """
    own = [name for name in learners if is_own(name)]
    for name in own:
        try:
            agents = () if _arguments(name) in (POLICY, TRAINER) else maker(name)(env)
        except InvalidGameError as error:
            raise click.UsageError(f"--learners {name}: {error}") from error
        except (TypeError, AttributeError) as error:
            raise click.UsageError(
                f"--learners {name} is called with an environment, and raised {error!r}"
            ) from error
        if len(agents) > 2 or not all(
            isinstance(agent, (Learner, GameChoosingLearner)) for agent in agents
        ):
            raise click.UsageError(
                f"--learners {name} must make a learner with act, update and greedy, or a pair of "
                f"them, not {agents if len(agents) > 1 else agents[0]!r}"
            )
    return own


def _entry(name: str) -> Any:
    """Return what a name stands for: a function of this project, or anything of the user's."""
    known = {**LEARNERS, **MORE_LEARNERS}
    return known[name] if name in known else resolved(name)


def _arguments(name: str) -> int:
    """Return the number of required positional arguments of a function; 0 of anything else."""
    entry = _entry(name)
    if isinstance(entry, type) or hasattr(entry, "for_env"):
        return 0
    return required_arguments(entry)
