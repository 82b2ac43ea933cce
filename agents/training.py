"""Training: games of learners against themselves, each other and other players."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium
import numpy as np
from tqdm import tqdm

from agents import storage
from agents.base import Agent, GameChoosingLearner
from agents.games import required_game
from agents.loop import Env, Seat, play_and_learn
from agents.opponents import Opponents, as_pair
from agents.self_play import compiled_self_play
from nim_envs.game import Game
from nim_envs.starts import as_start
from nim_envs.typing import Int32Array, ValueArray
from nim_envs.validation import checked_integer

# Compiled games are played in blocks, short enough for a progress bar and for Ctrl-C.
FIRST_BLOCK = 256
LARGEST_BLOCK = 1 << 16
BLOCK_SECONDS = 0.1


@dataclass(frozen=True)
class TrainingLog:
    """The games of a training run.

    Attributes:
        winners: seat that won each game, or :data:`agents.loop.DRAW`; int8 ``(games,)``.
        lengths: number of moves of each game; int32 ``(games,)``.
        seconds: wall-clock time of environment and learning, without compilation.
    """

    winners: ValueArray
    lengths: Int32Array
    seconds: float

    def __repr__(self) -> str:
        """Return the number of games, their time and the wins of each seat."""
        if not self.games:
            return "TrainingLog(no games)"
        return (
            f"TrainingLog({self.games} games in {self.seconds:.2f} s, {self.lengths.mean():.1f} "
            f"moves each; player_0 won {100 * (self.winners == 0).mean():.1f} %)"
        )

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.winners)


class TrainingStopped(KeyboardInterrupt):
    """Raised by Ctrl-C in a training run.

    Attributes:
        log: log of the games finished before.
    """

    def __init__(self, log: TrainingLog) -> None:
        super().__init__(f"stopped after {log.games} games")
        self.log = log


def train(
    env: Env,
    agents: Agent | tuple[Agent, Agent] | list[Agent] | Opponents,
    games: int,
    *,
    seed: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
    save_to: str | Path | None = None,
    save_every: int = 10_000,
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
        save_to: file to save the first learner to, at intervals and at the end.
        save_every: number of games between two times that it is saved.
        after_game: called with the number of games played so far; it must not
            change the environment. If it returns true, the run ends there.
        after_every: number of games between two calls of ``after_game``; it is also called at the
            end.
        compiled: whether to play in compiled code where possible: self-play of table learners
            of ``agents``, one for both seats or two of a class, in environments of ``nim_envs``
            with integer observations. Tables, games and log are the same bit for bit, a hundred
            times faster; the environment itself then stays at the start of the first game.

    Returns:
        Winner and length of every game, and the time taken.

    Raises:
        ValueError: ``games`` or ``seed`` is negative, or ``save_every`` or ``after_every`` below 1.
        TypeError: ``agents`` is neither an agent nor a pair of them.
        StorageError: the learner cannot be saved.
        TrainingStopped: a ``KeyboardInterrupt`` that holds the log so far; the learners keep
            what they have learned.
    """
    if isinstance(env, (Game, gymnasium.Env)):
        raise TypeError(f"expected a two-player environment, such as GameEnv(game), not {env!r}")
    checked_integer("games", games, minimum=0)
    checked_integer("seed", seed, minimum=0)
    checked_integer("save_every", save_every, minimum=1)
    checked_integer("after_every", after_every, minimum=1)
    winners, lengths = np.empty(games, dtype=np.int8), np.empty(games, dtype=np.int32)
    learner: Any = agents.learner if isinstance(agents, Opponents) else as_pair(agents)[0]
    done, stopped = 0, False

    def finish(count: int, is_last: bool = False) -> bool:
        """Count games, save the learner and call ``after_game`` if due; return whether to stop."""
        nonlocal done, stopped
        done += count
        bar.update(count)
        is_last = is_last or done == games
        if save_to is not None and (done % save_every == 0 or is_last):
            storage.save(learner, save_to)
        if after_game is not None and (done % after_every == 0 or is_last):
            stopped = bool(after_game(done))
        return stopped

    def chosen(winner: int, length: int) -> bool:
        """Log a game that a learner has chosen; return whether to stop."""
        winners[done], lengths[done] = winner, length
        return finish(1)

    chooses = isinstance(agents, GameChoosingLearner)
    if chooses:
        game = required_game(env, type(agents))
        if options and "start" in options:
            game = replace(game, starts=as_start(options["start"]))
    else:
        play = _player(env, agents, seed, options, compiled)
        pauses = [games, save_every] if save_to is not None else [games]
        pauses += [after_every] if after_game is not None else []
    began = time.perf_counter()
    with tqdm(desc="training", unit="game", total=games, disable=None if progress else True) as bar:
        try:
            if chooses:
                learner.fit(game, games, seed, chosen)
                if done < games and not stopped:
                    finish(0, is_last=True)
            else:
                with deferred_ctrl_c() as is_pressed:
                    while done < games and not stopped and not is_pressed():
                        here = slice(done, done + min(each - done % each for each in pauses))
                        finish(play(done, winners[here], lengths[here]))
        except KeyboardInterrupt:
            seconds = time.perf_counter() - began
            raise TrainingStopped(TrainingLog(winners[:done], lengths[:done], seconds)) from None
    return TrainingLog(winners[:done], lengths[:done], time.perf_counter() - began)


def _player(
    env: Env, agents: Any, seed: int, options: dict[str, Any] | None, compiled: bool
) -> Callable[[int, ValueArray, Int32Array], int]:
    """Return a function that plays the next games, and returns how many it has played.

    It is given the number of games before, and buffers of winners and lengths, which it fills from
    their beginning.
    """
    opponents = agents if isinstance(agents, Opponents) else None
    pair = (opponents.learner, *opponents.opponents) if opponents else as_pair(agents)
    # Made once for each agent and seat, as the pair may change after every game.
    seat_of = {(seat, id(agent)): Seat(agent) for seat in range(2) for agent in pair}
    env_seed, agent_seed, pool_seed = np.random.SeedSequence(seed).generate_state(3)
    rng, pool_rng = np.random.default_rng(agent_seed), np.random.default_rng(pool_seed)
    env.reset(seed=int(env_seed), options=options)
    self_play, block = None, FIRST_BLOCK
    if compiled and opponents is None:
        with deferred_ctrl_c():  # which would end Numba's compilation half-way
            self_play = compiled_self_play(env, as_pair(agents), options)

    def play_game(done: int, winners: ValueArray, lengths: Int32Array) -> int:
        if done:
            env.reset(options=options)
        playing = pair if opponents is None else opponents.pair(done, rng, pool_rng)
        first, second = (
            seat_of.get((seat, id(agent))) or Seat(agent) for seat, agent in enumerate(playing)
        )
        winners[0], lengths[0] = play_and_learn(env, (first, second), rng)
        if opponents is not None:
            opponents.remember(done + 1)
        return 1

    if self_play is None:
        return play_game

    def play_block(done: int, winners: ValueArray, lengths: Int32Array) -> int:
        nonlocal block
        count, began = min(block, len(winners)), time.perf_counter()
        self_play.play(rng, winners[:count], lengths[:count])
        if time.perf_counter() - began < BLOCK_SECONDS:
            block = min(2 * block, LARGEST_BLOCK)
        return count

    return play_block


@contextmanager
def deferred_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Raise the ``KeyboardInterrupt`` of the first Ctrl-C at the end; of a second one, at once.

    It yields a function that returns whether Ctrl-C was pressed. In other threads than the main
    one, which alone may handle signals, nothing changes.
    """
    pressed = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
