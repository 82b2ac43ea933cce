"""The command that trains a learner on probe games and names its fault."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from agents.base import Learner
from agents.registry import LEARNERS, new_learner
from agents.training import train
from nim_envs import GameEnv
from nim_envs.cli.diagnose import diagnosis_options, print_diagnosis
from nim_envs.cli.options import search_here
from nim_envs.players import required_arguments
from nim_envs.registry import NamedGame, resolved

GAMES = 600


@click.command()
@click.argument("agent", metavar="LEARNER")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=GAMES,
    show_default=True,
    help="Games of training on each probe.",
)
@diagnosis_options
def diagnose(agent: str, games: int, seed: int, game: NamedGame | None, **options: Any) -> None:
    """Name the fault of a learner.

    LEARNER is whatever the leaderboard takes: a learner of train, or MODULE:NAME of a class, of a
    function of an environment, a number of games and a seed, or of a policy with its --game.
    """
    if ":" not in agent and agent not in LEARNERS:
        raise click.UsageError(f"{agent!r} is none of {', '.join(LEARNERS)}, nor MODULE:NAME")
    if agent in LEARNERS and game is not None:
        raise click.UsageError(f"--game is for a policy, and {agent} is trained on probes")
    search_here()
    subject = partial(new_learner, agent) if agent in LEARNERS else resolved(agent)
    if game is None:
        subject = training_function(subject, agent, seed)
    print_diagnosis(subject, agent, game=game, seed=seed, games=games, **options)


def training_function(entry: Any, name: str, seed: int) -> Callable[..., Any]:
    """Return a function that trains a learner, or calls a training function, in an environment.

    It is ``entry`` itself where that is neither a learner nor takes three arguments.
    """
    if inspect.isfunction(entry) and required_arguments(entry) == 3:

        def policy_of(env: GameEnv, games: int = GAMES) -> Any:
            trained = entry(env, games, seed)
            # Some return the policy with the environment that it observes.
            return trained[0] if isinstance(trained, tuple) else trained

        return policy_of
    if not (inspect.isclass(entry) or hasattr(entry, "for_env") or isinstance(entry, partial)):
        return entry  # type: ignore[no-any-return]

    def greedy_learner(env: GameEnv, games: int = GAMES) -> Any:
        learner = getattr(entry, "for_env", entry)(env)
        if not isinstance(learner, Learner):
            raise click.UsageError(
                f"{name} must make a learner with act, update and greedy, not {learner!r}"
            )
        train(env, learner, games, seed=seed, progress=False)
        return learner.greedy()

    return greedy_learner
