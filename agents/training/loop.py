"""The training loop, the same for all learners."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from agents import storage
from agents.base import Agent, GameChoosingLearner, Learner
from agents.tabular.compiled_games.self_play import compiled_self_play
from agents.training.checkpoints import Env, TrainingRun
from agents.training.game_choosing import train_game_choosing_learner
from agents.training.log import TrainingLog, TrainingStopped
from agents.training.one_game import Seat, play_and_learn
from agents.training.opponents import Opponents, as_pair
from nim_envs.files import check_writable
from nim_envs.validation import checked_integer

# Compiled games are played in blocks, short enough for a progress bar and for Ctrl-C.
FIRST_BLOCK = 256
LARGEST_BLOCK = 1 << 16
BLOCK_SECONDS = 0.1


def train(
    env: Env,
    agents: Agent | tuple[Agent, Agent] | list[Agent] | Opponents,
    games: int,
    *,
    seed: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 10_000,
    after_game: Callable[[int], bool | None] | None = None,
    after_every: int = 1,
    compiled: bool = True,
) -> TrainingLog:
    """Let agents play against each other and learn.

    Args:
        env: a two-player turn-based environment with action masks in its observations.
        agents: one learner for both seats; or a pair, one for each seat; or a learner with
            several :class:`Opponents`. An agent that is not a :class:`agents.base.Learner` plays
            and does not learn. A :class:`agents.GameChoosingLearner` gets the game of ``env``
            and chooses its own games.
        games: number of games to play.
        seed: seeds the environment's starts and the agents' choices; same seed, same result.
        progress: whether to show a progress bar on the standard error.
        options: passed to every ``env.reset``, such as ``{"start": "uniform"}``.
        checkpoint: file to save the run to, at intervals; if it exists, the run continues from
            it, and ends exactly as if it had not been interrupted. It holds game, start,
            options, players, seed and number of games, which :func:`agents.training.saved_run`
            returns. Not for a learner that chooses its own games: save that with
            :func:`agents.storage.save`.
        checkpoint_every: number of games between two checkpoints.
        after_game: called with the number of games played so far; it must not
            change the environment. If it returns true, the run ends there.
        after_every: number of games between two calls of ``after_game``; it is also called at the
            end.
        compiled: whether to play in compiled code where possible: self-play of table learners
            of ``agents``, one for both seats or one for each, in environments of ``nim_envs``
            with integer observations. Tables, games and log are the same bit for bit, a hundred
            times faster; the environment itself then stays at the start of the first game.

    Returns:
        Winner and length of every game, and the time taken.

    Warns:
        UserWarning: games of a table learner are played step by step, as it was made for the space
            of coordinates, and these are too many to list, or the other learner was not.

    Raises:
        ValueError: ``games`` is negative, ``checkpoint_every`` or ``after_every`` below 1, or a
            ``checkpoint`` for a learner that chooses its own games.
        StorageError: the file is not a checkpoint, or is of a run with another game, start,
            environment, options, players or seed; or a learner cannot be saved.
        OSError: the checkpoint cannot be written.
        TypeError: ``agents`` is neither an agent nor a pair of them.
        TrainingStopped: a ``KeyboardInterrupt`` that holds the log so far; the learners keep
            what they have learned.
    """
    checked_integer("games", games, minimum=0)
    checked_integer("checkpoint_every", checkpoint_every, minimum=1)
    checked_integer("after_every", after_every, minimum=1)
    if isinstance(agents, GameChoosingLearner):
        if checkpoint is not None:
            raise ValueError(
                f"{type(agents).__name__} chooses its own games, and its run has no checkpoint, "
                f"not {checkpoint!r}: save the learner itself, and train on from there"
            )
        return train_game_choosing_learner(
            env, agents, games, seed=seed, progress=progress, options=options,
            after_game=after_game, after_every=after_every,
        )  # fmt: skip
    opponents = agents if isinstance(agents, Opponents) else None
    players = (opponents.learner, *opponents.opponents) if opponents else as_pair(agents)  # type: ignore[arg-type]
    # Each learner once, in order, as in a checkpoint.
    learners = list({id(a): a for a in players if isinstance(a, Learner)}.values())
    pair = (players[0], players[1])
    # Made once for each agent and seat, as the pair may change after every game.
    seat_of = {(seat, id(agent)): Seat(agent) for seat in range(2) for agent in players}
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    run = TrainingRun(
        env, opponents or pair, learners, games, seed, options, np.random.default_rng(agent_seed)
    )
    env.reset(seed=int(env_seed), options=options)
    resumed = 0  # games played before
    if checkpoint is not None:
        if Path(checkpoint).exists():
            resumed = run.resume(Path(checkpoint))
        # Before games are played whose result could not be saved.
        check_writable(checkpoint)
        storage.check_savable({"learners": learners})
    self_play = None  # compiled, if it can be
    if compiled and opponents is None:
        self_play = compiled_self_play(env, pair, options, resumed=resumed > 0)
    # Intervals at which the run pauses, in games.
    pauses = [games]
    if checkpoint is not None:
        pauses.append(checkpoint_every)
    if after_game is not None:
        pauses.append(after_every)
    title = f"training, resumed after {resumed:,} games" if resumed else "training"
    hidden = None if progress else True
    bar = tqdm(desc=title, unit="game", initial=resumed, total=games, disable=hidden)
    done, block = resumed, FIRST_BLOCK
    began = time.perf_counter() - run.seconds
    try:
        with bar:
            while done < games:
                if self_play is None:
                    if done:
                        env.reset(options=options)
                    if opponents is not None:
                        pair = opponents.pair(done, run.rng)
                    seats = seat_of[0, id(pair[0])], seat_of[1, id(pair[1])]
                    run.winners[done], run.lengths[done] = play_and_learn(env, seats, run.rng)
                    played = 1
                    if done == resumed:  # it compiled what the next games use
                        began = time.perf_counter() - run.seconds
                else:
                    played = min(block, *(every - done % every for every in pauses))
                    started = time.perf_counter()
                    here = slice(done, done + played)
                    self_play.play(run.rng, run.winners[here], run.lengths[here])
                    if time.perf_counter() - started < BLOCK_SECONDS:
                        block = min(2 * block, LARGEST_BLOCK)
                done += played
                bar.update(played)
                if checkpoint is not None and (done % checkpoint_every == 0 or done == games):
                    run.seconds = time.perf_counter() - began
                    run.save(Path(checkpoint), done)
                is_due = done % after_every == 0 or done == games
                if after_game is not None and is_due and after_game(done):
                    bar.set_description_str(f"stopped after {done:,} games")
                    break
    except KeyboardInterrupt:
        raise TrainingStopped(run.log(done, began)) from None
    return run.log(done, began)
