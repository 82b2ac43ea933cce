"""A check of learners: the promises on which training, storage and scores rely."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from agents.base import (
    GameChoosingLearner,
    GameLearner,
    Policy,
    ScorableAgent,
    Trainable,
    Transition,
)
from agents.evaluation.visits import LearnerWrapper
from agents.games import game_of
from agents.storage import StorageError, load, save
from agents.tabular.compiled_games.self_play import compiled_self_play
from agents.training import train
from nim_envs.testing import ConformanceError, check_policy
from nim_envs.testing.requirements import COPIES, during, require, require_equal, same, text_of
from nim_envs.typing import Array, MaskArray

GAMES = 40
"""Games of each training run."""

SITUATIONS = 100
"""Most observations at which two learners are compared."""

Situations = tuple[Array, MaskArray]


def check_learner(
    learner: Trainable | Callable[[Any], Trainable], env: AECEnv[str, Any, Any]
) -> None:
    """Check that a learner keeps every promise that training, storage and scores rely on.

    - It has ``act``, ``update`` and ``greedy``; and ``begin_game`` with ``learn_from_game``, or
      neither. It acts legally, and acting teaches it nothing.
    - It does not change the observations, masks and transitions that it is given.
    - With the same seed it learns the same.
    - ``greedy()`` teaches it nothing, and returns a policy that passes
      :func:`nim_envs.testing.check_policy` and that later learning does not change.
    - A truncated game raises no error. If it learns from whole games (``learns_from_games``), it
      learns nothing from a truncated game, nor from half a game when another begins.
    - Copies by ``copy.deepcopy`` and ``pickle``, and by a file if :func:`agents.storage.save` can
      store it, know the same and continue to learn the same.
    - If its games can be compiled, it learns the same from them as from games step by step.
    - A learner that chooses its own games has ``fit`` in place of ``update``, and the rest of
      :class:`agents.GameChoosingLearner`; it keeps the promises above that are not about
      turns.

    Args:
        learner: function that makes a new learner for an environment, such as
            ``QLearning.for_env``; or a learner, copies of which are trained.
        env: turn-based environment with a small game; games are played in copies of it.

    Raises:
        ConformanceError: a promise is broken; the message says which.
        TypeError: ``learner`` is no learner, or ``env`` no turn-based environment.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> check_learner(QLearning.for_env, GameEnv(make_game("nim", heaps=(1, 2))))
    """
    if not isinstance(env, AECEnv):
        raise TypeError(f"check_learner takes a turn-based environment, an AECEnv, not {env!r}")
    checks = _Checks(learner, env)
    checks.protocols()
    checks.same_seed()
    checks.greedy_does_not_learn()
    checks.copies()
    checks.files()
    if not checks.chooses_games:
        checks.truncated_games()
        checks.compiled_games()


def contents(value: Any) -> Any:
    """Return the saved contents of a learner of this project as plain values, exact to the bit.

    Args:
        value: a learner, or the result of its ``saved``.
    """
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, (list, tuple)):
        return [contents(entry) for entry in value]
    if isinstance(value, dict):
        return {key: contents(entry) for key, entry in value.items()}
    if hasattr(value, "saved"):
        return type(value).__name__, contents(value.saved())
    return value


def _situations(env: AECEnv[str, Any, Any]) -> Situations:
    """The distinct observations of random games, and their masks."""
    env, rng = copy.deepcopy(env), np.random.default_rng(0)
    situations: dict[bytes, Situations] = {}
    for game_index in range(GAMES):
        env.reset(seed=None if game_index else 0)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            seen: Any = env.observe(env.agent_selection)
            observation, mask = seen["observation"], seen["action_mask"]
            if len(situations) < SITUATIONS:
                situations[observation.tobytes() + mask.tobytes()] = observation, mask
            env.step(int(rng.choice(np.flatnonzero(mask))))
    observations, masks = zip(*situations.values(), strict=True)
    return np.stack(observations), np.stack(masks)


class _WatchedLearner(LearnerWrapper):
    """Checks that a learner does not change its arguments, and records its games."""

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        self.games: list[list[Transition]] = [[]]

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        before = observation.copy(), action_mask.copy()
        action = super().act(observation, action_mask, rng)
        require(same((observation, action_mask), before), "act() changes what it is given")
        legal = np.flatnonzero(action_mask).tolist()
        require(
            isinstance(action, (int, np.integer)) and action in legal,
            f"act() returned {action!r} at {text_of(observation)}, where the legal actions are "
            f"{legal}",
        )
        return action

    def update(self, transition: Transition) -> None:
        before = copy.deepcopy(transition)
        super().update(transition)
        require(same(tuple(transition), tuple(before)), "update() changes the transition")
        if self.games[-1] and self.games[-1][-1].terminated:
            self.games.append([])
        self.games[-1].append(before)

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        turns, before = list(transitions), copy.deepcopy(list(transitions))
        if self._game_learner is not None:
            self._game_learner.learn_from_game(turns)
        now = list(map(tuple, turns))
        require(same(now, list(map(tuple, before))), "learn_from_game() changes the transitions")


class _Checks:
    """The checks of one kind of learner, in order."""

    def __init__(self, learner: Any, env: AECEnv[str, Any, Any]) -> None:
        if not isinstance(learner, type) and hasattr(learner, "act"):
            self._given: Any = lambda _: copy.deepcopy(learner)
        elif callable(learner):
            self._given = learner
        else:
            raise TypeError(
                f"check_learner takes a learner, or a function of an environment, not {learner!r}"
            )
        self.env = env
        self.game = game_of(env)
        self.situations = _situations(env)
        self.unfinished: list[Transition] = []

    def new(self) -> Any:
        """Return a new learner."""
        with during("making a learner"):
            return self._given(self.env)

    def trained(self, learner: Any, **arguments: Any) -> list[Any]:
        """Train a learner, step by step by default; return the log of the games."""
        options = {"games": GAMES, "seed": 0, "progress": False, "compiled": False, **arguments}
        with during("training it"):
            log = train(copy.deepcopy(self.env), learner, **options)
        return [log.winners.tolist(), log.lengths.tolist()]

    def known(self, learner: Any) -> list[Any]:
        """The visible knowledge of a learner, for comparison."""
        with during("asking what it knows"):
            seen = [learner.greedy().action_probabilities(*self.situations)]
            if isinstance(learner, Policy):
                seen.append(learner.action_probabilities(*self.situations))
        if hasattr(learner, "saved"):
            seen.append(contents(learner))
        return copy.deepcopy(seen)

    def require_alike(self, one: Any, other: Any, complaint: str) -> None:
        """Check that two learners know the same."""
        require(same(self.known(one), self.known(other)), complaint)

    def learn_on(self, one: Any, other: Any, what: str) -> None:
        """Check that two learners know the same, and learn the same from further games."""
        before = self.known(one)
        require(same(before, self.known(other)), f"{what} does not know the same")
        self.trained(other, seed=1)
        require(
            same(self.known(one), before), f"training {what} teaches the learner it was made from"
        )
        self.trained(one, seed=1)
        self.require_alike(one, other, f"{what} does not learn on alike")

    def protocols(self) -> None:
        """Check that it has a learner's methods, acts legally, and does not learn in acting."""
        learner = self.new()
        self.chooses_games = hasattr(learner, "fit")
        for method in ("act", "fit" if self.chooses_games else "update", "greedy"):
            require(callable(getattr(learner, method, None)), f"the learner has no method {method}")
        require(
            not self.chooses_games or isinstance(learner, GameChoosingLearner),
            "the learner has fit, but not all that agents.GameChoosingLearner names",
        )
        both = [method for method in ("begin_game", "learn_from_game") if hasattr(learner, method)]
        require(len(both) != 1, f"the learner has {both}: it needs begin_game and learn_from_game, "
                "or neither")  # fmt: skip
        with during("greedy()"):
            greedy = learner.greedy()
        require(
            isinstance(greedy, ScorableAgent),
            f"greedy() returned {greedy!r}, which has not both act and action_probabilities",
        )
        before = self.known(learner)
        watched, rng = _WatchedLearner(learner), np.random.default_rng(0)
        for observation, mask in zip(*self.situations, strict=True):
            watched.begin_game()
            with during(f"act() at {text_of(observation)}"):
                watched.act(observation.copy(), mask.copy(), rng)
        watched.begin_game()
        require(same(self.known(learner), before), "act() teaches the learner something")

    def same_seed(self) -> None:
        """Check that it learns the same with the same seed, and does not change transitions."""
        learner, other = self.new(), self.new()
        watched = None if self.chooses_games else _WatchedLearner(learner)
        logs = [self.trained(watched or learner), self.trained(other)]
        require_equal("the games of the same seed, winners and lengths,", logs[1], logs[0])
        self.require_alike(
            learner, other, "two learners that were trained with the same seed do not know the same"
        )
        turns = [turn for game in (watched.games if watched else []) for turn in game]
        self.unfinished = [turn for turn in turns if not turn.terminated][:1]

    def greedy_does_not_learn(self) -> None:
        """Check that ``greedy()`` does not learn, and that later learning does not change it."""
        learner, other = self.new(), self.new()
        observations, masks = self.situations
        rng = np.random.default_rng(0)

        def ask(_: int) -> None:
            policy = learner.greedy()
            policy.action_probabilities(*self.situations)
            policy.act(observations[0], masks[0], rng)

        self.trained(learner, after_game=ask)
        self.trained(other)
        self.require_alike(
            learner, other, "a learner whose greedy() was called between games does not know the "
            "same as one whose was not: greedy() must not learn",
        )  # fmt: skip
        greedy = learner.greedy()
        before = np.array(greedy.action_probabilities(*self.situations))
        self.trained(learner, seed=1)
        require_equal("the policy that greedy() returned, after the learner has learned more,",
                      greedy.action_probabilities(*self.situations), before)  # fmt: skip
        if self.game is not None:
            try:
                check_policy(greedy, self.env)
            except ConformanceError as error:
                raise ConformanceError(f"the greedy policy: {error}") from error

    def truncated_games(self) -> None:
        """Check that a truncated game raises no error, and that half a game is discarded."""
        for turn in self.unfinished:
            for truncated in (True, False):
                learner, other = self.new(), self.new()
                before = learner.greedy().action_probabilities(*self.situations)
                games = isinstance(learner, GameLearner)
                with during("a truncated game"):
                    if games:
                        learner.begin_game()
                    # As in play, a turn begins with the learner's move.
                    mask = np.zeros_like(self.situations[1][0])
                    mask[turn.legal_actions] = 1
                    learner.act(turn.observation.copy(), mask, np.random.default_rng(0))
                    learner.update(copy.deepcopy(turn._replace(truncated=truncated)))
                    if games:
                        learner.begin_game()
                if not getattr(learner, "learns_from_games", False):
                    continue
                after = learner.greedy().action_probabilities(*self.situations)
                require_equal("the policy of a learner from whole games, after a truncated game,",
                              after, before)  # fmt: skip
                if not truncated:
                    self.learn_on(other, learner, "a learner that met half a game before")

    def copies(self) -> None:
        """Check the copies of a trained learner."""
        for name, duplicate in COPIES.items():
            learner = self.new()
            self.trained(learner)
            with during(f"copying it by {name}"):
                again = duplicate(learner)
            self.learn_on(learner, again, f"a copy by {name}")

    def files(self) -> None:
        """Check the learner loaded from a file, if it can be stored."""
        learner = self.new()
        self.trained(learner)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "learner.zip")
            try:
                save(learner, path)
            except StorageError:
                return
            with during("loading it from a file"):
                again = load(path, self.game)
        require(type(again) is type(learner), f"a file brings back {again!r}, not {learner!r}")
        self.learn_on(learner, again, "what comes back from a file")

    def compiled_games(self) -> None:
        """Check that it learns the same from compiled games, if its games can be compiled."""
        learner, other = self.new(), self.new()
        env = copy.deepcopy(self.env)
        env.reset(seed=0)
        if compiled_self_play(env, (learner, learner), None) is None:
            return
        logs = [self.trained(learner, compiled=True), self.trained(other)]
        require_equal("winners and lengths of compiled games", logs[0], logs[1])
        self.require_alike(
            learner, other, "compiled games do not teach the same as games played step by step"
        )
