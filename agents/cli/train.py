"""The command that trains a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from agents.base import GameChoosingLearner, Policy, Trainable
from agents.cli.options import (
    game_options,
    learner_defaults,
    make_env,
    make_learner,
    start_of,
    with_typed_game,
)
from agents.cli.pictures import heatmaps_of, picture_options, plotting, write_pictures
from agents.evaluation import Optimality, optimality
from agents.games import scored_in_words
from agents.registry import GENERALISING, LEARNERS
from agents.storage import check_savable, save
from agents.training import TrainingStopped, saved_run
from agents.training import train as train_agents
from agents.training.metrics import TrainingRecorder
from nim_envs import Game, GameEnv, make_game
from nim_envs.cli.games import as_word
from nim_envs.cli.layout import Choice, Command, say
from nim_envs.cli.options import FILE, game_with_settings, seed_option
from nim_envs.cli.running import make_directory, using
from nim_envs.errors import SearchTooLargeError
from nim_envs.files import check_writable
from nim_envs.registered_games import NamedGame
from nim_envs.rules.words import titled

SAMPLE = 10_000
"""Positions at which a learner is scored where the board has too many."""


def score_of(policy: Policy, game: Game) -> tuple[Optimality, str]:
    """Return the score of a policy; of a board too large for all positions, at a sample of them.

    Returns:
        The score, and how the positions were drawn, in words; empty where it is of all.

    Raises:
        SearchTooLargeError: the game is too large for a sample, too.
    """
    try:
        return optimality(policy, game), ""
    except SearchTooLargeError:
        return optimality(policy, game, sample=SAMPLE, seed=0), " drawn at random"


def reachable_in_words(policy: Policy, game: Game, count: int) -> str:
    """Return the score over the positions that games from the start can meet; empty if all.

    Args:
        policy: policy of a learner that played ``game`` from its start.
        game: game with the start.
        count: number of N-positions of the whole board.
    """
    score = optimality(policy, game, "reachable")
    if score.count == count:
        return ""
    named = scored_in_words(game)[1]
    return (
        f"Games from this start can meet {score.count} of the {count} {named}, of which it "
        f"plays {score.percent:.1f} % optimally; --start uniform meets all."
    )


def arguments_of_checkpoint(path: Path, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the learner's name and the arguments of training: those given, else the checkpoint's.

    Training refuses those that contradict the checkpoint.

    Args:
        path: the checkpoint.
        given: options of the command that were given, by name.

    Raises:
        click.UsageError: the run is not of one learner in both seats.
        StorageError: the file is damaged, or does not hold all of its run.
    """
    with using(path):
        env, agents, games, seed, options = with_typed_game(
            given.get("game"), lambda game: saved_run(path, game)
        )
    agent: Trainable = agents[0]
    if agent is not agents[1]:
        raise click.UsageError(f"{path} is of a run of two learners, and this trains one")
    if {"game", "settings", "start"} & set(given):
        env = GameEnv(
            changed_game(env.game, given),
            encoding=env.encoding.name, illegal_move=env.illegal_move, max_cycles=env.max_cycles,
        )  # fmt: skip
    of_class: dict[type, str] = {row.learner: name for name, row in LEARNERS.items()}
    learner = given.get("learner", of_class.get(type(agent), type(agent).__name__))
    if {"learner", "param"} & set(given):
        if learner not in (*LEARNERS, *GENERALISING):
            raise click.UsageError(f"{path} is of a run of a {learner}, which takes no --param")
        agent = make_learner(learner, given.get("param", ()), env)
    return learner, {
        "env": env,
        "agents": agent,
        "games": given.get("games", games),
        "seed": given.get("seed", seed),
        "options": options,
    }


def changed_game(game: Game, given: dict[str, Any]) -> Game:
    """Return the game that the command names, or the one saved; what is not given is as saved.

    Raises:
        click.UsageError: the command has settings without the name of a game.
    """
    if game.registered is None:
        raise ValueError("a game of a checkpoint is a registered one")
    name, arguments = game.registered
    start = start_of(given["start"]) if "start" in given else arguments.get("start", "fixed")
    if "game" in given:
        return game_with_settings(given["game"], given.get("settings", ()), start)
    if "settings" in given:
        raise click.UsageError(f"--set {given['settings'][0]} says something of a game: add --game")
    return make_game(name, **{**arguments, "start": start})


class Train(Command):
    """The command, whose help ends with the arguments of every learner."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments of every learner with their defaults."""
        rows = [
            (
                name,
                ", ".join(
                    f"{key}={as_word(value)}" for key, value in learner_defaults(name).items()
                ),
            )
            for name in (*LEARNERS, *GENERALISING)
        ]
        with formatter.section("Arguments of the learners for --param, with their defaults"):
            formatter.write_dl(rows)


@click.command(cls=Train)
@game_options
@click.option("--learner", default="q-learning", show_default=True,
              type=Choice([*LEARNERS, *GENERALISING]), help="Learner to train.")  # fmt: skip
@click.option(
    "--param", multiple=True, metavar="NAME=VALUE",
    help="Argument of the learner, such as epsilon=0.1; repeatable. They are listed below.",
)  # fmt: skip
@click.option("--games", default=20_000, type=click.IntRange(min=1), show_default=True,
              help="Games to play.")  # fmt: skip
@seed_option("Seeds starts and the learner's choices.")
@click.option("--output", required=True, type=FILE,
              help="File to save the learner to.")  # fmt: skip
@click.option("--checkpoint", type=FILE,
              help="Save the run there as it goes, or go on with the run saved there, all of which "
              "is in the file; not for a learner that chooses its own games.")  # fmt: skip
@picture_options("training curves and heatmaps")
@click.option("--every", type=click.IntRange(min=1), metavar="GAMES",
              help="Games between two points of the curves; by default 500, and in runs of over "
              "100,000 games a two-hundredth of them.")  # fmt: skip
def train(
    game: NamedGame | None, settings: tuple[str, ...], start: str | None, learner: str,
    param: tuple[str, ...],
    games: int, seed: int, output: Path, checkpoint: Path | None, plots: Path | None,
    picture: str, every: int | None,
) -> None:  # fmt: skip
    """Train a learner in self-play and save it; Ctrl-C saves what was learned."""
    context = click.get_current_context()
    if checkpoint is not None and checkpoint.exists():
        given = {
            name: value for name, value in context.params.items()
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT
        }  # fmt: skip
        learner, arguments = arguments_of_checkpoint(checkpoint, given)
    else:
        env = make_env(game, settings, start)
        agent = make_learner(learner, param, env)
        arguments = {"env": env, "agents": agent, "games": games, "seed": seed}
    env, agent, games = (arguments[name] for name in ("env", "agents", "games"))
    if checkpoint is not None and isinstance(agent, GameChoosingLearner):
        raise click.UsageError(
            f"{learner} chooses its own games, and its run has no checkpoint, not {checkpoint}"
        )
    recorder = None
    # What cannot be saved or drawn is refused before the training, not after it.
    check_savable({"learner": agent})
    make_directory(output.parent)
    with using(output):
        check_writable(output)
    if checkpoint is not None:
        make_directory(checkpoint.parent)
    if plots is not None:
        plotting("curves")
        make_directory(plots)
        recorder = TrainingRecorder(agent, env.game, every=every or max(500, games // 200))
    stopped = ""
    log = None
    try:
        with using(checkpoint):
            log = train_agents(
                **arguments, checkpoint=checkpoint, after_game=recorder,
                after_every=recorder.every if recorder else 1,
            )  # fmt: skip
    except KeyboardInterrupt as interrupt:
        stopped = "stopped; "
        log = interrupt.log if isinstance(interrupt, TrainingStopped) else None
    with using(output):
        saved = save(agent, output)
    if isinstance(agent, GameChoosingLearner):
        click.echo(f"proved: {agent.proof}" if agent.proof else "nothing was proved")
    try:
        score, random_score = score_of(agent.greedy(), env.game)
    except SearchTooLargeError as error:
        click.echo(f"{stopped}saved to {saved}; it cannot be scored: {error}")
        return
    named = scored_in_words(env.game)[1]
    click.echo(
        f"{stopped}{score.percent:.1f} % of {score.count} {named}{random_score} played optimally "
        f"(random: {score.random_percent:.1f} %); saved to {saved}"
    )
    if score.percent < 100 and not random_score:
        about_start = reachable_in_words(agent.greedy(), env.game, score.count)
        if about_start:
            say(about_start)
    if plots is not None:
        title = " ".join([learner, *param, "on", titled(env.game.rules.name), *settings])
        figures = {}
        if recorder is not None and log is not None and log.games:
            draw = plotting("curves").training_curves
            figures["training"] = draw(recorder.measurements(log), title)
        try:
            figures.update(heatmaps_of(agent, env.game, title))
        except SearchTooLargeError as error:
            click.echo(f"no heatmap: {error}")
        write_pictures(figures, plots, picture)
    if saved != output:
        raise click.UsageError(f"{output} was not written: what was learned is in {saved}")
