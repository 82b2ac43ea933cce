"""The base of table learners: a state, and compiled functions of it."""

from __future__ import annotations

import functools
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, TypedDict, TypeVar, cast

import gymnasium
import numpy as np
from gymnasium import spaces

from agents.base import ScorableAgent, Transition
from agents.games import game_of
from agents.restoring.checks import check_same_arguments, check_same_arrays, known_game
from agents.tabular.index import ObservationIndex, mixed_radix_index, space_of_positions
from agents.tabular.protocol import (
    Decision,
    FinishedGame,
    LearningRule,
    UpdateContext,
    do_nothing,
)
from agents.tabular.schedules import Exploration, Schedule
from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray

AnyLearner = TypeVar("AnyLearner", bound="TabularLearner")


class SavedTables(TypedDict):
    """Contents of the file of a table learner.

    Attributes:
        arguments: constructor arguments besides spaces and game.
        observations: smallest and largest values of each entry.
        actions: size of the action space.
        game: rules, convention and start, if known.
        games: number of games that each seat has finished.
        generator: the learner's own generator, if it has one.
        learned: arrays by name.
    """

    arguments: dict[str, Any]
    observations: tuple[list[int], list[int]]
    actions: int
    game: Game | None
    games: list[int]
    generator: np.random.Generator | None
    learned: dict[str, Array]


class TabularLearner(ABC):
    """A learner whose learning rule is compiled.

    Its behaviour is written once, as functions of its state: see :mod:`agents.tabular.protocol`.
    This class calls them for one move or one turn at a time; compiled self-play calls them for
    whole blocks of games, and ends in the same tables.

    Args:
        index: the row of each observation in the tables.
        state: ``NamedTuple`` of the learner's arrays and numbers.
        learned: arrays that learning changes, by name; a file stores them.
        arguments: constructor arguments besides spaces and game; a file stores them.
        num_actions: size of the action space.
        epsilon: probability of a random action while learning, or a schedule over finished games.
        generator: the learner's own generator, if it draws random numbers as it learns.
        game: rules, convention and start of the game that it learns, if known.

    Attributes:
        index: as given.
        state: as given; its arrays change in place.
        num_actions: as given.
        exploration: current probability of a random action.
        generator: as given.
        game: as given; :meth:`for_env` takes it from the environment.
        rule: functions of the state that both training loops call.
        learns_from_games: whether it learns from whole games.
    """

    rule: LearningRule

    uses_rules: ClassVar[bool] = False
    """Whether it uses the rules; its constructor then takes the game in place of spaces."""

    def __init__(
        self,
        index: ObservationIndex,
        state: Any,
        *,
        learned: dict[str, Array],
        arguments: dict[str, Any],
        num_actions: int,
        epsilon: float | Schedule = 0.0,
        generator: np.random.Generator | None = None,
        game: Game | None = None,
    ) -> None:
        self.index = index
        self.state = state
        self.num_actions = num_actions
        self._learned = learned
        self._arguments = arguments
        self.exploration = Exploration(epsilon)
        self.generator = generator
        self.game = game
        self._first_move = True
        self.learns_from_games = self.rule.learn_from_game is not None
        # Passing a plain tuple to compiled code takes half the time of a named one.
        self._fields = tuple(state)
        state_type: Any = type(state)
        self._compiled = compiled_calls(self.rule, state_type)

    def __repr__(self) -> str:
        """Return its game, the size of its tables, and the number of games it has finished."""
        played = f", {self.exploration.games} games" if self.exploration.games else ""
        game = "" if self.game is None else f"{self.game.summary}; "
        size = f"{self.index.size} observations, {self.num_actions} actions"
        return f"{type(self).__name__}({game}{size}{played})"

    @classmethod
    def make(
        cls: type[AnyLearner], observations: Any, actions: Any, game: Game | None, **arguments: Any
    ) -> AnyLearner:
        """Return a new learner from spaces or game, whichever its constructor takes.

        Args:
            observations: observation space of a player.
            actions: action space of a player.
            game: rules, convention and start, if known.
            arguments: other constructor arguments.

        Raises:
            TypeError: the constructor takes a game, and none is known.
        """
        constructor: Any = cls
        if not cls.uses_rules:
            rules = None
            if game is not None and _observes_coordinates(observations, game):
                rules = game.rules
                observations = space_of_positions(rules)
            learner: AnyLearner = constructor(observations, actions, **arguments)
            learner.index.rules = rules  # it looks up the position of coordinates
            # An environment may have another kind of observations.
            learner.game = game if game is not None and learner.fits(game) else None
            return learner
        if game is None:
            raise TypeError(
                f"{cls.__name__} looks ahead by the rules: it needs an environment of nim_envs"
            )
        return cast(AnyLearner, constructor(game, **arguments))

    @classmethod
    def for_env(cls: type[AnyLearner], env: Any, **arguments: Any) -> AnyLearner:
        """Return a new learner for an environment.

        Args:
            env: a PettingZoo AEC environment, or a Gymnasium one.
            arguments: constructor arguments besides spaces and game.

        Raises:
            TypeError: the constructor takes a game, and ``env`` is not of ``nim_envs``.

        Example:
            >>> from agents import QLearning
            >>> from nim_envs import GameEnv, make_game
            >>> agent = QLearning.for_env(GameEnv(make_game("nim", heaps=(1, 2))), epsilon=0.1)
            >>> agent.table.shape, agent.game.rules.name
            ((6, 4), 'nim')
        """
        if isinstance(env, gymnasium.Env):
            both = env.observation_space, env.action_space
        else:
            player = env.possible_agents[0]
            both = env.observation_space(player), env.action_space(player)
        return cls.make(*both, game_of(env), **arguments)

    def fits(self, game: Game) -> bool:
        """Return whether its tables are numbered like the positions and actions of ``game``."""
        return (
            self.num_actions == game.rules.num_actions
            and self.index.offset == 0
            and self.index.size == game.rules.num_positions
            and np.array_equal(self.index.strides, game.rules.strides)
        )

    def fits_coordinates(self, game: Game) -> bool:
        """Return whether its tables are numbered by the coordinates of ``game``, as they are."""
        rules = game.rules
        return (
            rules.has_coordinates
            and self.index.rules is None
            and self.num_actions == rules.num_actions
            and self.index.bounds == ([0] * len(rules.fields), [n - 1 for n in rules.fields])
        )

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action chosen by its behaviour policy."""
        first_move, self._first_move = self._first_move, False
        if observation.ndim != 1:
            observation = observation.reshape(-1)
        if self.index.rules is not None:
            observation = self.index.positions(observation)
        action = self._compiled.choose(
            self._fields, self.index.strides, self.index.offset, observation, action_mask,
            first_move, self.exploration.epsilon, rng.random(),
        )  # fmt: skip
        return int(action)

    @abstractmethod
    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the behaviour policy; see :class:`nim_envs.players.Policy`."""

    @abstractmethod
    def greedy(self) -> ScorableAgent:
        """Return the current greedy policy."""

    def begin_game(self) -> None:
        """Prepare for a new game."""
        self._first_move = True
        if self.rule.begin_game is not None:
            self.rule.begin_game(self.state)

    def update(self, transition: Transition) -> None:
        """Learn from one turn, unless it learns from whole games alone."""
        if self.rule.learn is not None:
            games = self.exploration.games
            if self.rule.draw_numbers is not None:
                self.rule.draw_numbers(self.state, games, self.generator)
            if transition.observation.ndim != 1:
                transition = transition.with_observations(np.ravel)
            epsilon, index = self.exploration.epsilon, self.index
            if index.rules is not None:
                transition = transition.with_observations(index.positions)
            turn = tuple(transition)
            self._compiled.learn(self._fields, index.strides, index.offset, turn, epsilon, games)
        if transition.terminated or transition.truncated:
            self.exploration.finish(transition.seat)

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Learn from a game that has ended, if it learns from whole games."""
        if not self.learns_from_games:
            return
        turns, last = len(transitions), transitions[-1]
        observed = np.concatenate([turn.observation.reshape(-1) for turn in transitions])
        positions = self.index.positions(observed.reshape(turns, -1))
        legal_counts = np.array([len(turn.legal_actions) for turn in transitions])
        legal_actions = np.zeros((turns, self.num_actions), dtype=np.int64)
        for row, turn in zip(legal_actions, transitions, strict=True):
            row[: len(turn.legal_actions)] = turn.legal_actions
        self._compiled.learn_from_game(
            self._fields, self.index.strides, self.index.offset, positions,
            legal_actions, legal_counts,
            np.array([turn.action for turn in transitions]),
            np.array([turn.reward + turn.reply_reward for turn in transitions]),
            float(last.reward + last.reply_reward),
        )  # fmt: skip

    def saved(self) -> SavedTables:
        """Return the contents of its file: values, arrays and generators by name."""
        return {
            "arguments": self._arguments,
            "observations": self.index.bounds,
            "actions": self.num_actions,
            "game": self.game,
            "games": list(self.exploration.games_by_seat),
            "generator": self.generator,
            "learned": self._learned,
        }

    @classmethod
    def from_saved(cls: type[AnyLearner], saved: SavedTables) -> AnyLearner:
        """Return the learner from the result of :meth:`saved`.

        Raises:
            ValueError: no learner can have saved this: its parts contradict each other.
        """
        game = known_game(saved["game"]) if cls.uses_rules else saved["game"]
        low, high = saved["observations"]
        actions = saved["actions"]
        if len(low) != len(high) or any(map(operator.gt, low, high)):
            raise ValueError(f"there are no observations from {low} to {high}")
        entries = math.prod(top - bottom + 1 for bottom, top in zip(low, high, strict=True))
        # Checked before arrays of that size are made.
        shape = (entries,) if cls.uses_rules else (entries, actions)
        if shape not in [array.shape for array in saved["learned"].values()]:
            raise ValueError(
                f"it has no table for {actions} actions at observations from {low} to {high}"
            )
        if game is not None:
            largest = [states - 1 for states in game.rules.shape]
            of_game = [0] * len(largest), largest, game.rules.num_actions
            if (low, high, actions) != of_game:
                raise ValueError(
                    f"its table is of {actions} actions at observations from {low} to {high}, "
                    f"which are not those of {game.summary}"
                )
        observations = spaces.Box(np.array(low), np.array(high), dtype=np.int64)
        learner = cls.make(observations, spaces.Discrete(actions), game, **saved["arguments"])
        learner.restore(saved)
        return learner

    def restore(self, saved: SavedTables) -> None:
        """Restore the result of :meth:`saved`.

        Args:
            saved: result of :meth:`saved` of a learner of this class.

        Raises:
            ValueError: that learner was made with other arguments, or is of another class.
        """
        check_same_arguments(saved["arguments"], self._arguments)
        check_same_arrays(saved["learned"], self._learned)
        generator, games = saved["generator"], saved["games"]
        if len(games) != 2 or not all(0 <= number < 1 << 62 for number in games):
            raise ValueError(
                f"games must be two counts of finished games, one by seat, not {games}"
            )
        if (generator is None) != (self.generator is None):
            raise ValueError("only one of the saved learner and this one has a random generator")
        for name, array in self._learned.items():
            array[...] = saved["learned"][name]
        self.exploration.set_games(games)
        if self.generator is not None and generator is not None:
            self.generator.bit_generator.state = generator.bit_generator.state


def _observes_coordinates(observations: Any, game: Game) -> bool:
    """Return whether a learner observes a game's coordinates, and has to look up the positions.

    Args:
        observations: observation space of a player; for a learner from a file, space of positions.
        game: any game, with coordinates or without.
    """
    rules = game.rules
    box = observations["observation"] if isinstance(observations, spaces.Dict) else observations
    if not rules.has_coordinates or not isinstance(box, spaces.Box):
        return False
    if box.dtype is None or box.dtype.kind not in "iu" or box.low.any():
        return False
    highest = tuple(value + 1 for value in box.high.reshape(-1).tolist())
    return highest in (rules.fields, rules.shape)


class CompiledCalls(NamedTuple):
    """The compiled functions of one learning rule, as called from Python."""

    choose: Any
    learn: Any
    learn_from_game: Any


@functools.cache
def compiled_calls(rule: LearningRule, state_type: Any) -> CompiledCalls:
    """Return the compiled functions of a rule for one move, one turn and one game.

    They do for the step-by-step loop what the compiled loop does between games: they look up the
    indices of observations, and call the rule's own functions with them. Each takes the fields of
    the state as a tuple, and the observations of the environment.

    Args:
        rule: functions of the learner.
        state_type: class of the learner's state, a ``NamedTuple``.
    """
    choose, learn = rule.choose, rule.learn or do_nothing
    learn_from_game = rule.learn_from_game or do_nothing

    @compiled
    def choose_once(
        fields: Any,
        strides: IntArray,
        offset: int,
        observation: Array,
        action_mask: MaskArray,
        first_move: bool,
        epsilon: float,
        uniform: float,
    ) -> int:
        decision = Decision(
            state=mixed_radix_index(observation, strides, offset),
            first_move=first_move,
            epsilon=epsilon,
            uniform=uniform,
        )
        legal_actions = np.flatnonzero(action_mask)
        action: int = choose(state_type(*fields), observation, legal_actions, decision)
        return action

    @compiled
    def learn_once(
        fields: Any, strides: IntArray, offset: int, turn: Any, epsilon: float, finished_games: int
    ) -> None:
        transition = Transition(*turn)
        context = UpdateContext(
            state=mixed_radix_index(transition.observation, strides, offset),
            reply_state=mixed_radix_index(transition.reply_observation, strides, offset),
            next_state=mixed_radix_index(transition.next_observation, strides, offset),
            epsilon=epsilon,
            finished_games=finished_games,
        )
        learn(state_type(*fields), transition, context)

    @compiled
    def learn_from_game_once(
        fields: Any,
        strides: IntArray,
        offset: int,
        observations: Array,
        legal_actions: IntArray,
        legal_counts: IntArray,
        actions: IntArray,
        rewards: FloatArray,
        result: float,
    ) -> None:
        turns = np.arange(len(observations))
        states = np.zeros(len(turns), dtype=np.int64)
        for turn in turns:
            states[turn] = mixed_radix_index(observations[turn], strides, offset)
        game = FinishedGame(states, turns, legal_actions, legal_counts, actions, rewards, result)
        learn_from_game(state_type(*fields), game)

    return CompiledCalls(choose_once, learn_once, learn_from_game_once)
