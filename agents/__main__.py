"""The command line: python -m agents train, evaluate, play, tournament."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from agents import AfterstateTD, Agent, EpsilonOptimalAgent, Learner, OptimalAgent, RandomAgent
from agents.evaluation import POSITION_SETS, beatable_share, optimality
from agents.human import HumanAgent, Quit, Undo
from agents.storable import STORABLE
from agents.storage import load, save
from agents.tournament import round_robin
from agents.training import train as train_agents
from nim_envs import GameEnv, make_game
from nim_envs.errors import NimEnvsError
from nim_envs.registration import GAMES
from nim_envs.render import render_text
from nim_envs.starts import NAMED_STARTS

WRAPPERS = ("HeapSymmetry", "NimSumShaping")
LEARNERS = {name: cls for name, cls in STORABLE.items() if name not in WRAPPERS}
PLAYERS = "random, optimal, epsilon=NUMBER, or a file that train has written"


def value_of(text: str) -> Any:
    """Return the number, list of numbers, truth value or word that ``text`` is."""
    if "," in text:
        return tuple(value_of(part) for part in text.split(",") if part)
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def pairs(settings: tuple[str, ...]) -> dict[str, Any]:
    """Return ``("heaps=3,4", ...)`` as keyword arguments."""
    arguments = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name or not text:
            raise click.UsageError(f"expected NAME=VALUE, not {setting!r}")
        arguments[name] = value_of(text)
    # One heap or one amount is a list too.
    for name in ("heaps", "subtraction_set"):
        if isinstance(arguments.get(name), int):
            arguments[name] = (arguments[name],)
    return arguments


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
    return GameEnv(make_game(game, start=value_of(start), **pairs(settings)), name=game)


def make_player(text: str, env: GameEnv) -> Agent:
    """Return the player that ``text`` names, ready to play ``env``."""
    if text == "random":
        return RandomAgent()
    if text == "optimal":
        return OptimalAgent(env.game)
    if text.startswith("epsilon="):
        epsilon = value_of(text.removeprefix("epsilon="))
        if not isinstance(epsilon, (int, float)):
            raise click.UsageError(f"epsilon must be a number from 0 to 1, not {epsilon!r}")
        return EpsilonOptimalAgent(env.game, epsilon)
    if not Path(text).exists():
        raise click.UsageError(f"player must be {PLAYERS}, not {text!r}")
    learner = load(text)
    seen = getattr(getattr(learner, "learner", learner), "constructor_arguments", {})
    box = seen.get("observation_space")
    fits = (
        seen["game"].rules == env.game.rules
        if "game" in seen
        else box is not None and box == env.observation_space("player_0")["observation"]  # type: ignore[index]
    )
    if not fits:
        raise click.UsageError(f"{text} was trained on another game than the one given")
    greedy: Agent = learner.greedy()
    return greedy


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Train, score and play."""


@main.command()
@game_options
@click.option("--learner", default="QLearning", type=click.Choice(sorted(LEARNERS)))
@click.option(
    "--param", multiple=True, metavar="NAME=VALUE",
    help="Argument of the learner, such as epsilon=0.1; repeatable.",
)  # fmt: skip
@click.option("--episodes", default=20_000, type=click.IntRange(min=1), show_default=True)
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True)
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--checkpoint", type=click.Path(dir_okay=False, path_type=Path),
              help="Save the run there as it goes, or go on with the run saved there.")  # fmt: skip
def train(
    game: str, settings: tuple[str, ...], start: str, learner: str, param: tuple[str, ...],
    episodes: int, seed: int, output: Path, checkpoint: Path | None,
) -> None:  # fmt: skip
    """Train a learner in self-play and save it; Ctrl-C saves what was learned."""
    env = make_env(game, settings, start)
    cls = LEARNERS[learner]
    spaces = (
        (env.game,)
        if cls is AfterstateTD
        else (env.observation_space("player_0"), env.action_space("player_0"))
    )
    agent: Learner = cls(*spaces, **pairs(param))
    stopped = ""
    try:
        train_agents(env, agent, episodes, seed=seed, checkpoint=checkpoint)
    except KeyboardInterrupt:
        stopped = "stopped; "
    save(agent, output)
    score = optimality(agent.greedy(), env.game)
    click.echo(
        f"{stopped}{score.percent:.1f} % of {score.count} N-positions played optimally "
        f"(random: {score.random_percent:.1f} %); saved to {output}"
    )


@main.command()
@game_options
@click.option("--agent", required=True, metavar="PLAYER", help=f"{PLAYERS}.")
def evaluate(game: str, settings: tuple[str, ...], start: str, agent: str) -> None:
    """Score a player exactly."""
    env = make_env(game, settings, start)
    player: Any = make_player(agent, env)
    rows = []
    for positions in POSITION_SETS:
        score = optimality(player, env.game, positions)
        rows.append(
            [positions, score.count, score.percent, score.random_percent, len(score.fumbles)]
        )
    click.echo(
        tabulate(
            rows,
            ("positions", "N-positions", "optimality %", "random %", "fumbles"),
            floatfmt=".1f",
        )
    )
    share = 100 * beatable_share(player, env.game)
    click.echo(f"can be beaten from {share:.1f} % of the N-positions")


@main.command()
@game_options
@click.option("--against", default="optimal", show_default=True, metavar="PLAYER",
              help=f"{PLAYERS}, or human.")  # fmt: skip
@click.option("--seat", default="first", type=click.Choice(["first", "second"]), show_default=True)
@click.option("--seed", type=click.IntRange(min=0))
def play(
    game: str, settings: tuple[str, ...], start: str, against: str, seat: str, seed: int | None
) -> None:
    """Play against an agent, or two people against each other."""
    env = make_env(game, settings, start)
    human = HumanAgent(env.game, write=click.echo)
    other = human if against == "human" else make_player(against, env)
    players = [human, other] if seat == "first" else [other, human]
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    history: list[tuple[Any, str]] = []
    try:
        while not env.terminations[env.agent_selection]:
            mover = env.possible_agents.index(env.agent_selection)
            seen = env.observe(env.agent_selection)
            if players[mover] is human:
                headline = f"player {mover + 1} to move" if other is human else "you are to move"
                click.echo("\n" + render_text(env.game.rules, env.position, headline))
            try:
                action = players[mover].act(seen["observation"], seen["action_mask"], rng)
            except Undo:
                # Against an agent, its reply goes back too.
                moves = 1 if other is human else 2
                if len(history) < moves:
                    click.echo("There is no move of yours to take back.")
                    continue
                position, agent = history[-moves]
                del history[-moves:]
                env.set_position(position, agent=agent)
                continue
            history.append((env.position, env.agent_selection))
            env.step(action)
            click.echo(f"player {mover + 1}: {env.game.rules.describe_action(action)}")
    except Quit:
        click.echo("\nGoodbye.")
        return
    winner = 0 if env.rewards["player_0"] > 0 else 1
    click.echo("\n" + render_text(env.game.rules, env.position, "the game is over"))
    if other is human:
        click.echo(f"Player {winner + 1} has won.")
    else:
        click.echo("You have won." if players[winner] is human else "You have lost.")


@main.command()
@game_options
@click.option("--player", "players", multiple=True, required=True, metavar="PLAYER",
              help=f"{PLAYERS}; at least two.")  # fmt: skip
@click.option("--games", default=100, type=click.IntRange(min=1), show_default=True,
              help="Games of each pairing.")  # fmt: skip
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True)
def tournament(
    game: str,
    settings: tuple[str, ...],
    start: str,
    players: tuple[str, ...],
    games: int,
    seed: int,
) -> None:
    """Let players meet each other, and print their Elo ratings."""
    env = make_env(game, settings, start)
    result = round_robin(env, {name: make_player(name, env) for name in players}, games, seed=seed)
    header = ("player", "Elo", "low", "high")
    click.echo(tabulate(result.ranking(), header, floatfmt=".0f"))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. Errors are one line on standard error."""
    try:
        main.main(arguments, prog_name="python -m agents", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message())
        return 2
    except click.ClickException as error:
        click.echo(f"error: {error.format_message()}", err=True)
        return 2
    except (NimEnvsError, ValueError, TypeError, MemoryError, OSError) as error:
        click.echo(f"error: {' '.join(str(error).split())}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(run())
