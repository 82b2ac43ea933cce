"""Table learners: a state, pure functions of it, and the kinds of learners.

A learner is a class whose dataclass fields are its arguments. Its state is a named tuple of tables
and numbers, and its behaviour is functions of that state: ``choose``, ``learn`` and
``learn_from_game``. :class:`TableLearner` calls them as plain Python, one turn at a time, in any
environment; :mod:`agents.self_play` compiles the same functions into a loop of whole games.
"""

from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, InitVar, dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from agents.base import Transition
from agents.compiling import inlined
from agents.games import same_game
from agents.policies import AfterstatePolicy, TablePolicy, ValuedPolicy, with_exploration
from agents.rows import GameRows, Rows, rows_for, rows_from
from agents.schedules import Exploration, Schedule
from agents.selection import epsilon_greedy_action, sample, softmax
from nim_envs import Game
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_integer, checked_number

AnyLearner = TypeVar("AnyLearner", bound="TableLearner")

POSITIVE: dict[str, Any] = {"low": 0, "open_low": True}
SHARE: dict[str, Any] = {"low": 0, "high": 1}
STEP: dict[str, Any] = {**SHARE, "open_low": True}
INITIAL: dict[str, Any] = {"low": 0, "high": 1e300}  # so that differences of values are finite
"""Ranges of arguments, as :func:`nim_envs.validation.checked_number` takes them."""


class Turn(NamedTuple):
    """A turn of one seat, by rows: its move, and the opponent's reply."""

    seat: int  # seat of the mover, 0 or 1
    row: int
    action: int
    reward: float  # to the mover, from its own move
    reply_row: int  # after the move; a row without legal actions if it ended the game
    reply_reward: float  # to the mover, from the reply
    next_row: int  # after the reply; -1 if the game was truncated before it
    ended: bool  # whether the move or the reply ended the game
    truncated: bool  # whether the game was truncated there
    epsilon: float  # current probability of a random action
    games: int  # number of games that the learner has finished


class Episode(NamedTuple):
    """All turns of one seat in a game that has ended."""

    rows: IntArray  # (turns,)
    actions: IntArray  # (turns,)
    # (turns,): from its own move and the reply; the last is the result: 1 won, -1 lost, 0 drawn
    rewards: FloatArray


@dataclass(eq=False, repr=False)
class TableLearner(ABC):
    """A learner with a row of its tables for each position, or for each observation.

    Subclasses are dataclasses of the learner's arguments. They have the functions below, which both
    loops call; those of the state are functions of a module, decorated with
    :func:`agents.compiling.inlined`, and change its arrays in place.

    - ``choose(state, row, legal, epsilon, uniform)`` returns an action: one of ``legal``, which are
      ascending.
    - ``learn(state, moves, turn)`` learns from a :class:`Turn`.
    - ``learn_episode(state, moves, episode)`` learns from an :class:`Episode`. It is not called for
      truncated games. A learner that plays both seats gets two: first that of the last mover.
    - ``begin(state)`` clears the data of the previous game.

    Args:
        board: the game to learn, or the rows of the tables.

    Attributes:
        rows: the rows of the tables.
        state: arrays and numbers: :meth:`initial_tables` and :meth:`constants`.
        exploration: current probability of a random action.

    Raises:
        ValueError: an argument out of its range.
        SearchTooLargeError: the table would be too large.
    """

    board: InitVar[Game | Rows]
    _: KW_ONLY

    choose: ClassVar[Callable[..., int]]
    learn: ClassVar[Callable[..., None] | None] = None
    learn_episode: ClassVar[Callable[..., None] | None] = None
    begin: ClassVar[Callable[..., None] | None] = None

    begins_at_random: ClassVar[bool] = False
    """Whether its first move of each game is random: epsilon is 1 there."""

    State: ClassVar[Any]
    """Type of the state, a named tuple: an attribute of the class, where Numba's cache finds it."""

    uses_rules: ClassVar[bool] = False
    """Whether it uses the rules, to look one move ahead."""

    def __post_init__(self, board: Game | Rows) -> None:
        self.check()
        self.rows = GameRows(board) if isinstance(board, Game) else board
        if self.uses_rules and self.rows.game is None:
            name = type(self).__name__
            raise TypeError(f"{name} looks ahead by the rules: it needs an environment of nim_envs")
        self.exploration = Exploration(getattr(self, "epsilon", 0.0))
        seed = checked_integer("seed", getattr(self, "seed", 0), minimum=0)
        self.generator = np.random.default_rng(seed)
        tables = self.initial_tables(len(self.rows), self.rows.num_actions)
        self._tables, self._size = tuple(tables), len(self.rows)
        self.state: Any = self._new_state({**tables, **self.constants()})
        self._is_first = self.begins_at_random

    @classmethod
    def for_env(cls: type[AnyLearner], env: Any, **arguments: Any) -> AnyLearner:
        """Return a new learner for a PettingZoo AEC environment with masks, or a Gymnasium one.

        In an environment of ``nim_envs`` that observes positions as they are, its tables have a row
        for each position; in any other, for each observation that it meets.

        Raises:
            TypeError: it looks ahead by the rules, and ``env`` is not of ``nim_envs``.

        Example:
            >>> from agents import QLearning
            >>> from nim_envs import GameEnv, make_game
            >>> agent = QLearning.for_env(GameEnv(make_game("nim", heaps=(1, 2))), epsilon=0.1)
            >>> agent.table.shape, agent.game.name
            ((6, 4), 'nim')
        """
        return cls(rows_for(env, cls.uses_rules), **arguments)

    def __repr__(self) -> str:
        """Return its game, the size of its tables, and the number of games it has finished."""
        played = f", {self.exploration.games} games" if self.exploration.games else ""
        game = "" if self.game is None else f"{self.game.summary}; "
        size = f"{len(self.rows)} rows, {self.rows.num_actions} actions"
        return f"{type(self).__name__}({game}{size}{played})"

    def check(self) -> None:
        """Check the arguments: those with a range, which their metadata are."""
        for each in fields(self):
            if each.metadata:
                checked_number(each.name, getattr(self, each.name), **each.metadata)

    @abstractmethod
    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return the arrays of the state that are learned, by name, with an entry for each row."""

    def constants(self) -> dict[str, Any]:
        """Return all else in the state, by name: its arguments that are numbers, and a buffer."""
        numbers: dict[str, Any] = {}
        for name, value in self.arguments.items():
            if isinstance(value, Real) and name not in ("epsilon", "seed"):
                numbers[name] = float(value)
        return {**numbers, "buffer": np.zeros(self.rows.num_actions)}

    def _new_state(self, content: dict[str, Any]) -> Any:
        """Return a state; the first one of a class makes its type."""
        cls = type(self)
        if "State" not in vars(cls) or cls.State._fields != tuple(content):
            cls.State = namedtuple("State", content)  # type: ignore[misc]
            cls.State.__module__ = cls.__module__
            cls.State.__qualname__ = f"{cls.__qualname__}.State"
        return cls.State(**content)

    def __getstate__(self) -> dict[str, Any]:
        """Return its attributes; the type of its state may not exist where they are restored."""
        return {**vars(self), "state": self.state._asdict()}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """Restore its attributes."""
        vars(self).update(attributes, state=self._new_state(attributes["state"]))

    @abstractmethod
    def policy(self) -> TablePolicy:
        """Return the greedy policy of its tables as they are now; :meth:`greedy` copies them."""

    @property
    def game(self) -> Game | None:
        """The game that it learns; ``None`` if its rows are observations."""
        return self.rows.game

    @property
    def arguments(self) -> dict[str, Any]:
        """Its arguments by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def learned(self) -> dict[str, Array]:
        """The arrays that learning changes, by name."""
        return {name: getattr(self.state, name) for name in self._tables}

    def fits(self, game: Game) -> bool:
        """Return whether its rows are the positions of ``game``, and its actions the same."""
        return self.game is not None and same_game(self.game, game)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action chosen by its behaviour policy."""
        legal: Any = action_mask.nonzero()[0].tolist()  # plain integers are faster
        row, epsilon = self._row(observation, legal), self.exploration.epsilon
        if self._is_first:
            epsilon, self._is_first = 1.0, False
        return self.choose(self.state, row, legal, epsilon, rng.random())

    def _row(self, observation: Array, legal: Array) -> int:
        """Return the row of an observation; the tables grow where it is a new one."""
        row = self.rows.row(observation, legal)
        if row >= self._size:
            self._size = len(self.rows)
            tables = self.initial_tables(self._size, self.rows.num_actions)
            for name, table in tables.items():
                table[: len(getattr(self.state, name))] = getattr(self.state, name)
            self.state = self.state._replace(**tables)
        return row

    def begin_game(self) -> None:
        """Prepare for a new game."""
        self._is_first = self.begins_at_random
        if self.begin is not None:
            self.begin(self.state)

    def update(self, transition: Transition) -> None:
        """Learn from one turn, unless it learns from whole games alone."""
        exploration = self.exploration
        if self.learn is not None:
            turn = self._turn(transition)  # which may make the tables grow
            self.learn(self.state, self.rows.moves, turn)
        if transition.terminated or transition.truncated:
            exploration.games_by_seat[transition.seat] += 1
            exploration.set_games(exploration.games_by_seat)

    def _turn(self, turn: Transition) -> Turn:
        next_row = -1
        if turn.terminated or not turn.truncated or len(turn.next_legal_actions):
            next_row = self._row(turn.next_observation, turn.next_legal_actions)
        return Turn(
            turn.seat, self._row(turn.observation, turn.legal_actions), int(turn.action),
            float(turn.reward), self._row(turn.reply_observation, turn.reply_legal_actions),
            float(turn.reply_reward), next_row, turn.terminated, turn.truncated,
            self.exploration.epsilon, self.exploration.games,
        )  # fmt: skip

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Learn from a game that has ended, if it learns from whole games."""
        if self.learn_episode is None:
            return
        rows = [self._row(turn.observation, turn.legal_actions) for turn in transitions]
        actions = [turn.action for turn in transitions]
        rewards = [float(turn.reward + turn.reply_reward) for turn in transitions]
        episode = Episode(np.array(rows), np.array(actions), np.array(rewards))
        self.learn_episode(self.state, self.rows.moves, episode)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities of its behaviour policy, by default an epsilon-greedy one."""
        greedy = self.policy().action_probabilities(observations, action_masks)
        return with_exploration(greedy, action_masks, self.exploration.epsilon)

    def greedy(self) -> TablePolicy:
        """Return the greedy policy of a copy of its tables."""
        return deepcopy(self.policy())

    def saved(self) -> dict[str, Any]:
        """Return the content of its file, for :meth:`from_saved`."""
        return {
            "arguments": self.arguments,
            "rows": self.rows.saved(),
            "games": self.exploration.games_by_seat,
            "generator": self.generator,
            "learned": self.learned,
        }

    @classmethod
    def from_saved(cls: type[AnyLearner], saved: dict[str, Any]) -> AnyLearner:
        """Return the learner from the result of :meth:`saved`, or raise any error."""
        learner = cls(rows_from(saved["rows"]), **saved["arguments"])
        learner.restore(saved["learned"])
        first, second = saved["games"]
        learner.exploration.set_games((int(first), int(second)))
        learner.generator.bit_generator.state = saved["generator"].bit_generator.state
        return learner

    def restore(self, learned: dict[str, Array]) -> None:
        """Copy the arrays of another learner of the same class and game."""
        check_same_arrays(learned, self.learned)
        for name, array in self.learned.items():
            array[...] = learned[name]


def check_same_arrays(saved: dict[str, Array], own: dict[str, Array]) -> None:
    """Raise ``ValueError`` unless saved arrays have the names, shapes and dtypes of ``own``."""
    theirs, ours = (
        {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
        for arrays in (saved, own)
    )
    if theirs != ours:
        raise ValueError(f"the saved arrays are {theirs}, those of this one {ours}")


@dataclass(eq=False, repr=False)
class ActionValueLearner(TableLearner):
    """A learner of a ``table`` of action values that acts epsilon-greedily on it."""

    @staticmethod
    @inlined
    def choose(state: Any, row: int, legal: Array, epsilon: float, uniform: float) -> int:
        """Choose epsilon-greedily by the table."""
        return epsilon_greedy_action(state.table[row], legal, epsilon, uniform)

    @property
    def table(self) -> FloatArray:
        """Action values, float64 ``(rows, actions)``."""
        return self.state.table  # type: ignore[no-any-return]

    def policy(self) -> TablePolicy:
        """Return the policy that is greedy by the action values."""
        return ValuedPolicy(self.rows, self.table)


@dataclass(eq=False, repr=False)
class StepLearner(ActionValueLearner):
    """A learner of action values by steps towards targets.

    Args:
        learning_rate: step size, over 0 to 1.
        discount: factor of later rewards, 0 to 1.
        epsilon: probability of a random action while learning: a number from 0 to 1, or a
            schedule over finished games such as :class:`agents.Decay`.
        initial_range: initial values are uniform between minus and plus this.
        seed: seed of the initial values, and of the learner's own random numbers.

    Other arguments and errors: :class:`TableLearner`.
    """

    learning_rate: float = field(default=1.0, metadata=STEP)
    discount: float = field(default=1.0, metadata=SHARE)
    epsilon: float | Schedule = 0.2
    initial_range: float = field(default=0.0, metadata=INITIAL)
    seed: int = 0

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return the action values, of zeros or random numbers."""
        table = np.zeros((rows, actions))
        if self.initial_range:
            table = self.generator.uniform(-self.initial_range, self.initial_range, table.shape)
        return {"table": table}


@inlined
def follow_gradient(
    preferences: FloatArray,
    action: int,
    legal: Array,
    temperature: float,
    step: float,
    buffer: FloatArray,
) -> None:
    """H(s, b) += step [1{b = a} − π(b | s)] for legal b; π is the softmax of H(s, ·)/τ.

    In square brackets is the gradient τ ∂ log π(a | s) / ∂ H(s, b).

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8.
    """
    softmax(preferences, legal, temperature, buffer)
    for other in legal:
        preferences[other] += step * ((1.0 if other == action else 0.0) - buffer[other])


@dataclass(eq=False, repr=False)
class PreferenceLearner(TableLearner):
    """A learner of ``preferences`` that acts by their softmax; its state has a ``temperature``."""

    @staticmethod
    @inlined
    def choose(state: Any, row: int, legal: Array, epsilon: float, uniform: float) -> int:
        """Draw an action by the softmax."""
        softmax(state.preferences[row], legal, state.temperature, state.buffer)
        return sample(state.buffer, uniform)

    @property
    def preferences(self) -> FloatArray:
        """Preferences, float64 ``(rows, actions)``, zeros at first."""
        return self.state.preferences  # type: ignore[no-any-return]

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the softmax policy."""
        scaled = self.preferences[self.rows.find(observations)] / self.state.temperature
        legal = np.where(action_masks == 1, scaled, -np.inf)
        weights = np.exp(legal - legal.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def policy(self) -> TablePolicy:
        """Return the policy that is greedy by the preferences."""
        return TablePolicy(self.rows, self.preferences)


@dataclass(eq=False, repr=False)
class CriticLearner(PreferenceLearner):
    """A learner of preferences with a critic.

    Args:
        actor_rate: step size of the preferences, over 0.
        critic_rate: step size of the critic, over 0 to 1.
        discount: factor of the value of the position after the move, 0 to 1.

    Other arguments and errors: :class:`TableLearner`.
    """

    actor_rate: float = field(default=0.3, metadata=POSITIVE)
    critic_rate: float = field(default=0.3, metadata=STEP)
    discount: float = field(default=1.0, metadata=SHARE)

    criticises_actions: ClassVar[bool] = False
    """Whether the critic has values of actions, not of positions."""

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return preferences and critic, of zeros."""
        critic = np.zeros((rows, actions) if self.criticises_actions else rows)
        return {"preferences": np.zeros((rows, actions)), "critic": critic}

    def constants(self) -> dict[str, Any]:
        """Return numbers, a buffer, and the temperature of the softmax."""
        return {**super().constants(), "temperature": 1.0}

    def policy(self) -> TablePolicy:
        """Return the policy that is greedy by the preferences, with the critic's values."""
        return ValuedPolicy(self.rows, self.preferences, self.state.critic)


@dataclass(eq=False, repr=False)
class AfterstateLearner(TableLearner):
    """A learner of ``values`` of positions that chooses moves by looking one move ahead.

    Args:
        learning_rate: step size, over 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.

    Other arguments and errors: :class:`TableLearner`.
    """

    learning_rate: float = field(default=1.0, metadata=STEP)
    epsilon: float | Schedule = 0.2

    uses_rules = True

    @staticmethod
    @inlined
    def choose(state: Any, row: int, legal: Array, epsilon: float, uniform: float) -> int:
        """Choose epsilon-greedily by minus the values after the actions."""
        if uniform >= epsilon:  # a random action needs no values
            for action in legal:
                state.buffer[action] = -state.values[state.after[row, action]]
        return epsilon_greedy_action(state.buffer, legal, epsilon, uniform)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return values of 0."""
        return {"values": np.zeros(rows)}

    def constants(self) -> dict[str, Any]:
        """Return numbers, a buffer, and the row after each action."""
        assert isinstance(self.rows, GameRows)
        return {**super().constants(), "after": self.rows.graph.after}

    @property
    def values(self) -> FloatArray:
        """Values of positions to the player to move, float64 ``(rows,)``."""
        return self.state.values  # type: ignore[no-any-return]

    def policy(self) -> TablePolicy:
        """Return the policy that moves to a position of the least value for the opponent."""
        return AfterstatePolicy(self.rows, self.values)
