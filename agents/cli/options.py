"""What the words of the command line mean: games, learners, players."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path

import click

from agents import AfterstateTD, Agent, EpsilonOptimalAgent, Learner, OptimalAgent, RandomAgent
from agents.storable import STORABLE
from agents.storage import load
from nim_envs import GameEnv
from nim_envs.cli.arguments import arguments_of, value_of
from nim_envs.cli.options import registered_game
from nim_envs.cli.running import using
from nim_envs.registration import GAMES
from nim_envs.starts import NAMED_STARTS

WRAPPERS = ("HeapSymmetry", "NimSumShaping")
LEARNERS = {name: cls for name, cls in STORABLE.items() if name not in WRAPPERS}
PLAYERS = "random, optimal, epsilon=NUMBER, or a file that train has written"


def game_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name a game."""
    for option in (
        click.option("--start", default="fixed", help=f"{', '.join(NAMED_STARTS)}, or a position."),
        click.option(
            "--set", "settings", multiple=True, metavar="NAME=VALUE",
            help="Argument of the game, such as heaps=3,4,5, k=3 or misere=true; repeatable.",
        ),
        click.option("--game", required=True, type=click.Choice(list(GAMES))),
    ):  # fmt: skip
        command = option(command)
    return command


def make_env(game: str, settings: tuple[str, ...], start: str) -> GameEnv:
    """Return the environment of the game that the options name."""
    return GameEnv(registered_game(game, settings, value_of(start)), name=game)


def make_learner(name: str, settings: tuple[str, ...], env: GameEnv) -> Learner:
    """Return a new learner for ``env``.

    Args:
        name: of its class.
        settings: its arguments, of the form ``NAME=VALUE``.
        env: where it is to learn.

    Raises:
        click.UsageError: arguments that the learner does not take, or a game too large for it.
    """
    cls = LEARNERS[name]
    spaces = (
        (env.game,)
        if cls is AfterstateTD
        else (env.observation_space("player_0"), env.action_space("player_0"))
    )
    defaults = {
        argument.name: argument.default
        for argument in signature(cls).parameters.values()
        if argument.default is not argument.empty
    }
    arguments = arguments_of(name, settings, defaults)
    # Without arguments only the game can be wrong for it: too large, say.
    refused = (TypeError, ValueError) if settings else ValueError
    try:
        learner: Learner = cls(*spaces, **arguments)
    except refused as error:
        raise click.UsageError(f"{' '.join([name, *settings])}: {error}") from error
    return learner


def make_player(text: str, env: GameEnv) -> Agent:
    """Return the player that ``text`` names, ready to play ``env``; a learner plays greedily."""
    agent = make_agent(text, env)
    return agent.greedy() if isinstance(agent, Learner) else agent


def make_agent(text: str, env: GameEnv) -> Agent:
    """Return the player that ``text`` names; a learner as it was saved."""
    if text == "random":
        return RandomAgent()
    if text == "optimal":
        return OptimalAgent(env.game)
    if text.startswith("epsilon="):
        epsilon = value_of(text.removeprefix("epsilon="))
        if not (isinstance(epsilon, (int, float)) and 0 <= epsilon <= 1):
            raise click.UsageError(f"epsilon must be a number from 0 to 1, not {epsilon!r}")
        return EpsilonOptimalAgent(env.game, epsilon)
    if not Path(text).exists():
        raise click.UsageError(f"player must be {PLAYERS}, not {text!r}")
    with using(Path(text)):
        learner: Learner = load(text)
    seen = getattr(getattr(learner, "learner", learner), "constructor_arguments", {})
    box = seen.get("observation_space")
    fits = (
        seen["game"].rules == env.game.rules
        if "game" in seen
        else box is not None
        and box == env.observation_space("player_0")["observation"]  # type: ignore[index]
        and seen["action_space"] == env.action_space("player_0")
    )
    if not fits:
        raise click.UsageError(f"{text} was trained on another game than the one given")
    return learner
