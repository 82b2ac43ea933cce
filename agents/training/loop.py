"""The training loop; no algorithm in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv
from tqdm import tqdm

from agents import storage
from agents.base import Agent, Array, Learner, MaskArray, Transition

Env = AECEnv[str, Any, Any]

DRAW = -1

# Compiled games are played in blocks, short enough for a progress bar and for Ctrl-C.
FIRST_BLOCK = 256
LARGEST_BLOCK = 1 << 16
BLOCK_SECONDS = 0.1

# The first fields of a Transition: all that is known before the opponent has replied.
_Turn = tuple[int, Array, MaskArray, int, float, Array, MaskArray]


@dataclass(frozen=True)
class TrainingLog:
    """What happened in a training run.

    Attributes:
        winners: seat that won each game, or ``DRAW``; int8 ``(games,)``.
        lengths: moves in each game; int32 ``(games,)``.
        seconds: wall-clock time, environment and learning included, compilation of compiled
            games not.
    """

    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    seconds: float

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.winners)


class TrainingStopped(KeyboardInterrupt):
    """Ctrl-C in a training run.

    Attributes:
        log: of the games that were finished by then.
    """

    def __init__(self, log: TrainingLog) -> None:
        super().__init__(f"stopped after {log.games} games")
        self.log = log


def as_pair(agents: Agent | tuple[Agent, Agent] | list[Agent]) -> tuple[Agent, Agent]:
    """Return one agent for each seat: the same one twice if one was given.

    Raises:
        TypeError: neither an agent nor two of them.
    """
    if isinstance(agents, (tuple, list)):
        if len(agents) == 2 and all(isinstance(agent, Agent) for agent in agents):
            return agents[0], agents[1]
    elif isinstance(agents, Agent):
        return agents, agents
    raise TypeError(f"expected an agent or a pair of agents, one for each seat, not {agents!r}")


ORDERS = ("rotation", "random")
SEATINGS = (0, 1, "alternate")


class Opponents:
    """A learner and the opponents that it meets, one a game.

    Args:
        learner: who learns; as an opponent of itself it plays both seats and learns in both.
        opponents: agents, at least one; those that learn do so too.
        order: ``"rotation"``: each in turn; ``"random"``: drawn anew for every game.
        seat: of the learner: 0, 1, or ``"alternate"``, changing once all opponents were met
            (in rotation) or after every game (at random).

    Raises:
        ValueError: no opponents, or an unknown order or seat.
    """

    def __init__(
        self,
        learner: Learner,
        opponents: Sequence[Agent],
        *,
        order: Literal["rotation", "random"] = "rotation",
        seat: Literal[0, 1, "alternate"] = "alternate",
    ) -> None:
        if not opponents:
            raise ValueError(f"opponents must hold at least one agent, not {opponents!r}")
        if order not in ORDERS:
            raise ValueError(f"order must be one of {ORDERS}, not {order!r}")
        if seat not in SEATINGS:
            raise ValueError(f"seat must be one of {SEATINGS}, not {seat!r}")
        self.learner = learner
        self.opponents = tuple(opponents)
        self.order = order
        self.seat = seat

    def pair(self, game: int, rng: np.random.Generator) -> tuple[Agent, Agent]:
        """Return who sits where in game number ``game``, counted from 0."""
        count = len(self.opponents)
        if self.order == "rotation":
            opponent, round_number = self.opponents[game % count], game // count
        else:
            opponent, round_number = self.opponents[int(rng.random() * count)], game
        seat = round_number % 2 if self.seat == "alternate" else self.seat
        return (self.learner, opponent) if seat == 0 else (opponent, self.learner)


def train(
    env: Env,
    agents: Agent | tuple[Agent, Agent] | list[Agent] | Opponents,
    episodes: int,
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
        agents: one learner for both seats; or a pair, one a seat; or a learner with several
            :class:`Opponents`. Those that are no :class:`agents.base.Learner` play and do not
            learn.
        episodes: number of games.
        seed: seeds the environment's starts and the agents' choices; same seed, same result.
        progress: whether to show a progress bar on the standard error.
        options: passed to every ``env.reset``, such as ``{"start": "uniform"}``.
        checkpoint: a file to save the run to as it goes; if it is there already, the run goes
            on from it, and ends just as if it had never stopped.
        checkpoint_every: games between two savings.
        after_game: called with the number of games played so far; it must leave the
            environment alone. If it returns true, the run ends there.
        after_every: games between two calls of ``after_game``; it is also called at the end.
        compiled: whether to play in compiled code where that can be done: self-play of this
            package's table learners, one for both seats or one a seat, in its environments with
            integer observations. Tables, games and log are the same bit for bit, a hundred
            times sooner; the environment itself is then left at the start of the first game.

    Returns:
        Winner and length of every game, and the time taken.

    Raises:
        ValueError: ``episodes`` is negative, or ``checkpoint_every`` or ``after_every`` below 1.
        StorageError: the checkpoint is no such file, or of a run with another seed or learner.
        TypeError: ``agents`` is neither an agent nor a pair of them.
        TrainingStopped: a ``KeyboardInterrupt`` that holds the log so far; the learners keep
            what they have learned.
    """
    if episodes < 0:
        raise ValueError(f"episodes must be at least 0, not {episodes}")
    for name, games in (("checkpoint_every", checkpoint_every), ("after_every", after_every)):
        if games < 1:
            raise ValueError(f"{name} must be at least 1, not {games}")
    schedule = agents if isinstance(agents, Opponents) else None
    everyone = (schedule.learner, *schedule.opponents) if schedule else as_pair(agents)  # type: ignore[arg-type]
    # Each learner once, in order: whom a checkpoint holds.
    distinct = list({id(a): a for a in everyone if isinstance(a, Learner)}.values())
    learning = {id(learner) for learner in distinct}
    pair = (everyone[0], everyone[1])
    learners = _learners(pair, learning)
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    run = _Run(
        rng=np.random.default_rng(agent_seed),
        winners=np.empty(episodes, dtype=np.int8),
        lengths=np.empty(episodes, dtype=np.int32),
    )
    env.reset(seed=int(env_seed), options=options)
    first = 0
    if checkpoint is not None and Path(checkpoint).exists():
        first = run.resume(Path(checkpoint), env, distinct, seed)
    # Not at the top: learners import what stands beside it in this package.
    from agents.training.compiled.self_play import compiled_road

    road = compiled_road(env, pair, options) if compiled and schedule is None else None
    if road is not None and first:
        road.continue_run()
    began = time.perf_counter() - run.seconds
    # Where the run pauses: at the ends of these many games.
    pauses = [episodes]
    if checkpoint is not None:
        pauses.append(checkpoint_every)
    if after_game is not None:
        pauses.append(after_every)
    bar = tqdm(desc="training", unit="game", initial=first, total=episodes, disable=not progress)
    done, block = first, FIRST_BLOCK
    try:
        with bar:
            while done < episodes:
                if road is None:
                    if done:
                        env.reset(options=options)
                    if schedule is not None:
                        pair = schedule.pair(done, run.rng)
                        learners = _learners(pair, learning)
                    run.winners[done], run.lengths[done] = play_and_learn(
                        env, pair, learners, run.rng
                    )
                    games = 1
                else:
                    games = min(block, *(every - done % every for every in pauses))
                    started = time.perf_counter()
                    here = slice(done, done + games)
                    road.play(run.rng, run.winners[here], run.lengths[here])
                    if time.perf_counter() - started < BLOCK_SECONDS:
                        block = min(2 * block, LARGEST_BLOCK)
                done += games
                bar.update(games)
                if checkpoint is not None and (done % checkpoint_every == 0 or done == episodes):
                    run.seconds = time.perf_counter() - began
                    run.save(Path(checkpoint), env, distinct, seed, done)
                if after_game is not None and (done % after_every == 0 or done == episodes):
                    stop = after_game(done)
                    if stop:
                        break
    except KeyboardInterrupt:
        raise TrainingStopped(run.log(done, began)) from None
    return run.log(done, began)


def _learners(
    pair: tuple[Agent, Agent], learning: set[int]
) -> tuple[Learner | None, Learner | None]:
    """The agents of ``pair`` that learn; asked of a set because protocols are slow to check."""
    first, second = (cast(Learner, a) if id(a) in learning else None for a in pair)
    return first, second


@dataclass
class _Run:
    """What a training run needs to go on, besides its learners."""

    rng: np.random.Generator
    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    seconds: float = 0.0

    def log(self, done: int, began: float) -> TrainingLog:
        """Return the log after ``done`` games of a run that began at ``began``."""
        seconds = time.perf_counter() - began
        return TrainingLog(self.winners[:done], self.lengths[:done], seconds)

    def save(self, path: Path, env: Env, learners: list[Learner], seed: int, done: int) -> None:
        """Save the run after ``done`` games."""
        storage.save_content(
            {
                "training": done,
                "seed": seed,
                "seconds": self.seconds,
                "rng": self.rng,
                "env_rng": _generator_of(env),
                "winners": self.winners[:done],
                "lengths": self.lengths[:done],
                "learners": learners,
            },
            path,
        )

    def resume(self, path: Path, env: Env, learners: list[Learner], seed: int) -> int:
        """Go back to where the run at ``path`` was; return the games done by then."""
        saved = storage.load_content(path)
        if "training" not in saved:
            raise storage.StorageError(f"{path} holds {sorted(saved)}, not a training run")
        done = int(saved["training"])
        if saved["seed"] != seed:
            raise storage.StorageError(
                f"{path} is of a run with seed {saved['seed']}, this one has {seed}"
            )
        if done > len(self.winners):
            raise storage.StorageError(
                f"{path} is of a run of {done} games already, this one has {len(self.winners)}"
            )
        if [type(learner) for learner in learners] != [
            type(learner) for learner in saved["learners"]
        ]:
            raise storage.StorageError(f"{path} is of a run with other learners")
        for learner, before in zip(learners, saved["learners"], strict=True):
            storage.restore(learner, before)
        self.rng = saved["rng"]
        generator = _generator_of(env)
        if generator is not None and saved["env_rng"] is not None:
            generator.bit_generator.state = saved["env_rng"].bit_generator.state
        self.winners[:done], self.lengths[:done] = saved["winners"], saved["lengths"]
        self.seconds = float(saved["seconds"])
        return done


def _generator_of(env: Env) -> np.random.Generator | None:
    """The environment's source of randomness, where it has one."""
    for name in ("_rng", "np_random", "_np_random"):
        generator = getattr(env.unwrapped, name, None)
        if isinstance(generator, np.random.Generator):
            return generator
    return None


def play_and_learn(
    env: Env,
    agents: tuple[Agent, Agent],
    learners: tuple[Learner | None, ...],
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Play one game in an environment that was just reset; learners learn as it goes.

    Args:
        env: the environment.
        agents: the agent of each seat, in the order of ``env.possible_agents``.
        learners: the same agents where they learn, ``None`` where they do not.
        rng: the agents' source of randomness.

    Returns:
        The seat that won, or ``DRAW``, and the number of moves.
    """
    players = env.possible_agents
    # A turn is not complete before the opponent has replied: it waits here until then.
    waiting: list[_Turn | None] = [None, None]
    seat = players.index(env.agent_selection)
    seen: Any = env.observe(players[seat])
    moves = 0
    while True:
        observation, action_mask = seen["observation"], seen["action_mask"]
        action = agents[seat].act(observation, action_mask, rng)
        mover, other = players[seat], 1 - seat
        env.step(action)
        moves += 1
        seen = env.observe(players[other])
        after, after_mask = seen["observation"], seen["action_mask"]
        rewards = env.rewards
        over = env.terminations[mover] or env.truncations[mover]
        turn = (seat, observation, action_mask, action, rewards[mover], after, after_mask)
        learner = learners[seat]
        if over and learner is not None:
            learner.update(Transition(*turn, 0.0, after, after_mask, True))
        learner, earlier = learners[other], waiting[other]
        if earlier is not None and learner is not None:
            reply_reward = rewards[players[other]]
            learner.update(Transition(*earlier, reply_reward, after, after_mask, over))
        if over:
            first, second = (rewards[player] for player in players)
            return DRAW if first == second else int(second > first), moves
        waiting[seat] = turn
        seat = other
