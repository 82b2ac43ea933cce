"""The commands of ``python -m agents``: train, evaluate, show, play, tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from agents import RealTimeDynamicProgramming, Agent, Learner
from agents.cli.match import Match
from agents.cli.options import (
    LEARNERS,
    PLAYERS,
    game_options,
    make_agent,
    make_env,
    make_player,
    optional,
    picture_options,
)
from agents.cli.play_window import PlayWindow
from agents.evaluation import POSITION_SETS, beatable_share, optimality
from agents.evaluation.sample_game import sample_game
from agents.evaluation.tournament import round_robin
from agents.players.human import HumanAgent, Quit, Undo
from agents.storage import save
from agents.training import TrainingStopped
from agents.training import train as train_agents
from agents.training.metrics import TrainingRecorder
from nim_envs import Game, GameEnv
from nim_envs.cli.arguments import arguments_of, value_of
from nim_envs.errors import NimEnvsError, SearchTooLargeError
from nim_envs.render import render_text


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
@picture_options("training curves and heatmaps")
@click.option("--every", type=click.IntRange(min=1), metavar="GAMES",
              help="Games between two points of the curves; by default 500, and in runs of over "
              "100,000 games a two-hundredth of them.")  # fmt: skip
def train(
    game: str, settings: tuple[str, ...], start: str, learner: str, param: tuple[str, ...],
    episodes: int, seed: int, output: Path, checkpoint: Path | None, plots: Path | None,
    picture: str, every: int | None,
) -> None:  # fmt: skip
    """Train a learner in self-play and save it; Ctrl-C saves what was learned."""
    env = make_env(game, settings, start)
    cls = LEARNERS[learner]
    spaces = (
        (env.game,)
        if cls is RealTimeDynamicProgramming
        else (env.observation_space("player_0"), env.action_space("player_0"))
    )
    agent: Learner = cls(*spaces, **arguments_of(param, {}))
    recorder = None
    if plots is not None:
        # What is missing or too large is refused before the training, not after it.
        optional("agents.plotting.curves")
        plots.mkdir(parents=True, exist_ok=True)
        recorder = TrainingRecorder(agent, env.game, every=every or max(500, episodes // 200))
    stopped = ""
    log = None
    try:
        log = train_agents(
            env, agent, episodes, seed=seed, checkpoint=checkpoint, after_game=recorder,
            after_every=recorder.every if recorder else 1,
        )  # fmt: skip
    except KeyboardInterrupt as interrupt:
        stopped = "stopped; "
        log = interrupt.log if isinstance(interrupt, TrainingStopped) else None
    save(agent, output)
    score = optimality(agent.greedy(), env.game)
    click.echo(
        f"{stopped}{score.percent:.1f} % of {score.count} N-positions played optimally "
        f"(random: {score.random_percent:.1f} %); saved to {output}"
    )
    if plots is not None:
        title = " ".join([learner, *param, "on", game, *settings])
        figures = {}
        if recorder is not None and log is not None and log.games:
            draw = optional("agents.plotting.curves").training_curves
            figures["training"] = draw(recorder.measurements(log), title)
        try:
            figures.update(heatmaps_of(agent, env.game, title))
        except SearchTooLargeError as error:
            click.echo(f"no heatmap: {error}")
        write_pictures(figures, plots, picture)


def write_pictures(figures: dict[str, Any], directory: Path, kind: str) -> None:
    """Write figures to files by their names, and say so."""
    for name, figure in figures.items():
        path = directory / f"{name}.{kind}"
        optional("agents.plotting.style").save_figure(figure, path)
        click.echo(f"wrote {path}")


def heatmaps_of(agent: Agent, game: Game, title: str) -> dict[str, Any]:
    """Return the heatmaps of an agent by the names of their files."""
    figures = optional("agents.plotting.heatmaps").heatmaps(agent, game, title)
    return {f"heatmap_{name}": figure for name, figure in figures.items()}


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
            [positions, score.count, score.percent, score.random_percent, len(score.blunders)]
        )
    click.echo(
        tabulate(
            rows,
            ("positions", "N-positions", "optimality %", "random %", "blunders"),
            floatfmt=".1f",
        )
    )
    share = 100 * beatable_share(player, env.game)
    click.echo(f"can be beaten from {share:.1f} % of the N-positions")


@main.command()
@game_options
@click.option("--agent", required=True, metavar="PLAYER", help=f"{PLAYERS}.")
@click.option("--position", "positions", multiple=True, metavar="POSITION",
              help="Show this position, such as 3,4,5; repeatable. All by default.")  # fmt: skip
@click.option("--sample-game", "sample", is_flag=True,
              help="Show a game of the player against itself, not a table.")  # fmt: skip
@click.option("--greedy", is_flag=True,
              help="Show what a learner plays without exploration.")  # fmt: skip
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True,
              help="Of the sample game.")  # fmt: skip
@picture_options("heatmaps")
def show(
    game: str, settings: tuple[str, ...], start: str, agent: str, positions: tuple[str, ...],
    sample: bool, greedy: bool, seed: int, plots: Path | None, picture: str,
) -> None:  # fmt: skip
    """Show what a player does at every position, or in a game."""
    env = make_env(game, settings, start)
    player: Any = make_player(agent, env) if greedy else make_agent(agent, env)
    if plots is not None:
        title = " ".join([type(player).__name__, "on", game, *settings])
        write_pictures(heatmaps_of(player, env.game, title), plots, picture)
        return
    text = optional("agents.plotting.policy_tables")
    if sample:
        text.show(text.game_text(env.game, sample_game(player, env.game, seed=seed)))
    else:
        chosen = [tuple(np.atleast_1d(value_of(word)).tolist()) for word in positions] or None
        text.show(text.policy_table(player, env.game, chosen))
        click.echo(text.policy_summary(player, env.game, chosen))


@main.command()
@game_options
@click.option("--against", default="optimal", show_default=True, metavar="PLAYER",
              help=f"{PLAYERS}, or human.")  # fmt: skip
@click.option("--seat", default="first", type=click.Choice(["first", "second"]), show_default=True)
@click.option("--seed", type=click.IntRange(min=0))
@click.option("--window", is_flag=True, help="Play by mouse in a window.")
def play(
    game: str, settings: tuple[str, ...], start: str, against: str, seat: str, seed: int | None,
    window: bool,
) -> None:  # fmt: skip
    """Play against an agent, or two people against each other."""
    env = make_env(game, settings, start)
    if window:
        play_in_window(env, against, seat, seed)
        return
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
            words = env.game.rules.describe_action(action, history[-1][0])
            click.echo(f"player {mover + 1}: {words}")
    except Quit:
        click.echo("\nGoodbye.")
        return
    winner = 0 if env.rewards["player_0"] > 0 else 1
    click.echo("\n" + render_text(env.game.rules, env.position, "the game is over"))
    if other is human:
        click.echo(f"Player {winner + 1} has won.")
    else:
        click.echo("You have won." if players[winner] is human else "You have lost.")


def play_in_window(env: GameEnv, against: str, seat: str, seed: int | None) -> None:
    """Open a window to play in, until it is closed."""
    opponent = None if against == "human" else make_player(against, env)
    first = seat == "first"
    names = ("you", Path(against).stem) if first else (Path(against).stem, "you")
    if opponent is None:
        names = ("player 1", "player 2")
    match = Match(env, opponent, 0 if first else 1, names, seed)
    PlayWindow(match, title=f"{env.game.rules.name}, {names[0]} against {names[1]}").run()


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
