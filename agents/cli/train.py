"""The command that trains a learner."""

from pathlib import Path
from typing import Any

import click

from agents.base import GameChoosingLearner, Policy
from agents.cli.options import (
    drawing,
    game_options,
    make_env,
    make_learner,
    plots_option,
    write_pictures,
)
from agents.games import scored_positions
from agents.metrics import TrainingRecorder
from agents.registry import GENERALISING, LEARNERS
from agents.storage import encoded, save
from agents.training import TrainingStopped
from agents.training import train as train_agents
from nim_envs import Game
from nim_envs.cli.options import FILE, STOPPED, seed_option
from nim_envs.errors import SearchTooLargeError
from nim_envs.files import check_writable
from nim_envs.games.words import titled
from nim_envs.scoring import optimality

SAMPLE = 10_000
"""Positions at which a learner is scored where the board has too many."""


@click.command()
@game_options
@click.option(
    "--learner",
    type=click.Choice([*LEARNERS, *GENERALISING]),
    metavar="LEARNER",
    default="q-learning",
    show_default=True,
    help=f"Learner to train: {', '.join([*LEARNERS, *GENERALISING])}.",
)
@click.option(
    "--param",
    multiple=True,
    metavar="NAME=VALUE",
    help="Argument of the learner, such as epsilon=0.1; repeatable. A wrong name lists them all.",
)
@click.option(
    "--games", type=click.IntRange(min=1), default=20_000, show_default=True, help="Games to play."
)
@seed_option("Seeds starts and the learner's choices.")
@click.option("--output", required=True, type=FILE, help="File to save the learner to.")
@click.option(
    "--save-every",
    type=click.IntRange(min=1),
    metavar="GAMES",
    help="Save the learner after each of this number of games, too.",
)
@plots_option("training curves and heatmaps")
@click.option(
    "--every",
    type=click.IntRange(min=1),
    metavar="GAMES",
    help="Games between two points of the curves; by default 500, and in runs of over "
    "100,000 games a two-hundredth of them.",
)
def train(
    learner: str,
    param: tuple[str, ...],
    games: int,
    seed: int,
    output: Path,
    save_every: int | None,
    plots: Path | None,
    every: int | None,
    **board: Any,
) -> None:
    """Train a learner in self-play and save it; Ctrl-C saves what was learned."""
    env = make_env(**board)
    agent = make_learner(learner, param, env)
    # What cannot be saved or drawn is refused before the training, not after it.
    encoded(agent, {})
    check_writable(output)
    pauses: dict[str, Any] = {"save_to": output, "save_every": save_every} if save_every else {}
    recorder = None
    if plots is not None:
        drawing()
        every = every or max(1, min(500, games // 20), games // 200)
        recorder = TrainingRecorder(agent, env.game, every=every)
        pauses |= {"after_game": recorder, "after_every": every}
    stopped = False
    try:
        log = train_agents(env, agent, games, seed=seed, **pauses)
    except TrainingStopped as interrupt:
        log, stopped = interrupt.log, True
    save(agent, output)
    if stopped:
        click.echo(
            f"stopped after {log.games} games; what was learned is saved to {output}; "
            "agents.train goes on with agents.load of that file"
        )
    if isinstance(agent, GameChoosingLearner):
        click.echo(f"proved: {agent.proof}" if agent.proof else "nothing was proved")
    print_score(agent.greedy(), env.game, output)
    if plots is not None:
        title = " ".join([type(agent).__name__, *param, "on", titled(env.game.name)])
        if recorder is not None and log.games:
            curves = drawing().training_curves(recorder.measurements(log), title)
            write_pictures({"training": curves}, plots)
        try:
            write_pictures(drawing().heatmaps(agent, env.game, title), plots, "heatmap_")
        except SearchTooLargeError as error:
            click.echo(f"no heatmap: {error}")
    if stopped:
        raise click.exceptions.Exit(STOPPED)


def print_score(policy: Policy, game: Game, output: Path) -> None:
    """Print the score of a policy saved to ``output``, everywhere and where its games could go."""
    named, drawn = scored_positions(game), ""
    try:
        score = optimality(policy, game)
    except SearchTooLargeError:
        drawn = " drawn at random"
        try:
            score = optimality(policy, game, sample=SAMPLE, seed=0)
        except SearchTooLargeError as error:
            click.echo(f"saved to {output}; it cannot be scored: {error}")
            return
    click.echo(
        f"{score.percent:.1f} % of {score.count} {named}{drawn} played optimally "
        f"(random: {score.random_percent:.1f} %); saved to {output}"
    )
    if score.percent == 100 or drawn:
        return
    reachable = optimality(policy, game, "reachable")
    if reachable.count < score.count:
        click.echo(
            f"Games from this start can meet {reachable.count} of the {score.count} {named}, of "
            f"which it plays {reachable.percent:.1f} % optimally; --start uniform meets all."
        )
