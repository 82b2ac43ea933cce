"""Players: one protocol for scores, opponents and matches.

A player is whatever :func:`nim_envs.optimality` takes as a policy. One that cannot be asked about
arbitrary positions, and so not be scored, gives the reason in an attribute ``unscorable``.
Answers are checked in :mod:`~nim_envs.player_answers`.
"""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from itertools import repeat
from pkgutil import resolve_name
from typing import Any, Protocol, runtime_checkable

import numpy as np

from nim_envs.errors import InvalidActionError, InvalidPolicyError
from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE, as_actions, as_array, one_action
from nim_envs.typing import Array, BoolArray, FloatArray, IntArray, MaskArray, Position
from nim_envs.validation import integers_of, is_listing

PolicyFunction = Callable[[Array, MaskArray], Any]
OpponentFunction = Callable[[Array, MaskArray, np.random.Generator], Any]
MoveFunction = Callable[[Position], Sequence[int] | int]

SCORED = ("position_probabilities", "action_probabilities", "move", "act")
"""The methods that a score looks for, in this order, before a call."""

PLAYED = ("position_probabilities", "act", "action_probabilities", "move")
"""The methods that a game looks for, in this order, before a call."""

SB3_PACKAGES = ("stable_baselines3", "sb3_contrib")

OPENSPIEL_PACKAGES = ("open_spiel", "pyspiel")
OPENSPIEL_ADAPTER = "nim_envs.adapters.openspiel.players:OpenSpielPlayer"
"""Adapter of players of OpenSpiel, given the game; its ``position_probabilities`` takes
positions, and returns probabilities of actions."""


@runtime_checkable
class Policy(Protocol):
    """An object that returns the probabilities of its actions."""

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action, ``(n, actions)``, in rows that sum to 1.

        Args:
            observations: ``(n, ...)``.
            action_masks: int8 ``(n, actions)``, 1 where legal.
        """
        ...


@runtime_checkable
class Mover(Protocol):
    """An object that moves from position to position, without actions, on boards of any size."""

    def move(self, position: tuple[int, ...], /) -> Sequence[int] | int:
        """Return the coordinates after its move; an integer will do where there is one."""
        ...


@runtime_checkable
class Agent(Protocol):
    """An object that chooses an action from the observation of one game."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action.

        Args:
            observation: ``"observation"`` of the environment for the mover.
            action_mask: int8 ``(actions,)``, 1 where legal.
            rng: generator of all random choices.
        """
        ...


AnyPlayer = Policy | Mover | Agent | PolicyFunction | OpponentFunction | MoveFunction
"""Anything that can be scored, be an opponent or play matches."""


class PlayerAdapter:
    """Any player, asked about positions, in a batch of games, or in one game.

    Args:
        player: anything of :data:`AnyPlayer`.
        game: the game, for a player that is asked about positions; ``None`` if unknown.
        is_scored: whether it is scored, by the first method of :data:`SCORED` that it has, and not
            playing games, by one of :data:`PLAYED`. A player without any is called.

    Attributes:
        moves: whether it is asked about positions of the game instead of observations.
        refused: the last position that it returned although no move leads to it; ``None`` before.

    Raises:
        TypeError: ``player`` is not a player, or takes another number of arguments.
    """

    def __init__(self, player: Any, game: Game | None, *, is_scored: bool = False) -> None:
        if not is_player(player):
            raise TypeError(
                f"{player!r} plays nothing: a policy must be a function of observations and action "
                "masks, or of a position, or an object with action_probabilities, move or act"
                f"{hint(player)}"
            )
        if _is_of_openspiel(player):
            player = resolve_name(OPENSPIEL_ADAPTER)(player, game)
        self.player, self.game = player, game
        methods = SCORED if is_scored else PLAYED
        self._method = next((name for name in methods if _has(player, name)), "")
        arguments = 0 if self._method else _count_arguments(player, 2 if is_scored else 3)
        if arguments == 1:
            self._method = "move"
        self.moves = self._method in ("move", "position_probabilities")
        if self._method == "move" and game is None:
            raise TypeError(f"{player!r} moves from positions: only environments of nim_envs tell")
        self._batch: OpponentFunction | None = player if arguments == 3 else None
        if self._method == "act":
            self._batch = getattr(player, "act_many", None)
        self.refused: Position | None = None

    def answer(
        self, observations: Array, masks: MaskArray, positions: IntArray, rng: np.random.Generator
    ) -> Any:
        """Return the player's answer where it is to move, not checked.

        Args:
            observations: ``(n, ...)``, may be overwritten.
            masks: int8 ``(n, actions)``, may be overwritten.
            positions: int64 ``(n, fields)``, for a player that :attr:`moves`.
            rng: source of all random numbers.

        Returns:
            Actions ``(n,)``, or probabilities ``(n, actions)``.
        """
        if self._method == "position_probabilities":
            return self.player.position_probabilities(positions)
        if self._method == "action_probabilities":
            return self.player.action_probabilities(observations, masks)
        if self._method == "move":
            return [self._action_of_move(tuple(position)) for position in positions.tolist()]
        if self._method == "act":
            return [self.player.act(*one, rng) for one in zip(observations, masks, strict=True)]
        if self._batch is not None:
            return self._batch(observations, masks, rng)
        return self.player(observations, masks)

    def actions(
        self,
        observations: Array,
        masks: MaskArray,
        rng: np.random.Generator,
        positions: Callable[[], IntArray],
        due: BoolArray | None = None,
    ) -> Any:
        """Return its actions in a batch, ``(n,)``, not checked; any where it is not to move.

        A function with a generator receives the whole batch, with masks of zeros where it is not to
        move; so does an object with ``act_many``, the batched ``act``. All others receive only the
        games in which they are to move, with integer observations as int64, as in the turn-based
        environment.

        Args:
            observations: ``(n, ...)``, may be overwritten.
            masks: int8 ``(n, actions)``, may be overwritten; zeros where it is not to move.
            rng: source of all random numbers.
            positions: returns the positions, int64 ``(n, fields)``.
            due: games in which it is to move, ``(n,)``; ``None``: everywhere.

        Raises:
            InvalidActionError: neither actions nor probabilities of them.
        """
        if self._batch is None and observations.dtype.kind == "i":
            observations = observations.astype(np.int64)
        here = slice(None) if due is None else due
        try:
            if self._batch is not None:
                answer = self._batch(observations, masks, rng)
                if type(answer) is np.ndarray and answer.ndim == 1:
                    return answer
                array, _ = as_array(answer)
                if array.ndim != 2:  # in a list, a boolean among integers can still be told
                    return answer if isinstance(answer, list) else array
                # Of another length it is refused below, as it is.
                answer = array[here] if len(array) == len(masks) else array
            elif self._method == "act":
                act = self.player.act
                turns = zip(observations, masks, repeat(True) if due is None else due, strict=False)
                return [
                    one_action(act(observation, mask, rng), masks.shape[1], rng) if to_move else 0
                    for observation, mask, to_move in turns
                ]
            else:
                there = positions()[here] if self.moves else observations[:0]
                answer = self.answer(observations[here], masks[here], there, rng)
            chosen = as_actions(answer, masks[here].shape, rng)
        except InvalidPolicyError as error:
            raise InvalidActionError(f"actions are wrong: {error}") from None
        if due is None:
            return chosen
        actions = np.zeros(len(masks), dtype=np.int64)
        actions[due] = chosen
        return actions

    def action(
        self,
        observation: Array,
        mask: MaskArray,
        rng: np.random.Generator,
        positions: Callable[[], IntArray],
    ) -> Any:
        """Return its action in one game; arguments and errors are those of :meth:`actions`."""
        batch = observation[np.newaxis], mask[np.newaxis]
        actions = np.asarray(self.actions(*batch, rng, positions))
        if actions.shape != (1,):
            raise InvalidActionError(
                f"actions must be an array of shape (1,), not of shape {actions.shape}"
            )
        return actions[0]

    def _action_of_move(self, position: Position) -> int:
        """Return the action of the move that the player makes at a position."""
        assert self.game is not None
        try:
            chosen = position_after(getattr(self.player, "move", self.player), position)
        except InvalidPolicyError as error:
            raise InvalidPolicyError(f"at {position}: {error}") from None
        wanted = _without_order(self.game, chosen)
        # Equal heaps can be reached by several actions, which are then the same move.
        for action, after in self.game.moves(position):
            if _without_order(self.game, after) == wanted:
                return action
        self.refused = chosen
        return NO_LEGAL_MOVE


def _without_order(game: Game, position: Position) -> Any:
    """Return a position with the parts that split sorted: the order of slots does not matter."""
    parts = [*zip(game.parts, game.split(position), strict=True)]
    slots = sorted((id(part), here) for part, here in parts if part.second is not None)
    return slots, [here for part, here in parts if part.second is None]


def position_after(move: MoveFunction, position: Position) -> Position:
    """Return the position after the move that a function of a position makes.

    Raises:
        InvalidPolicyError: it did not return one integer for each coordinate.
    """
    returned, size = move(position), len(position)
    after = integers_of([returned] if size == 1 and not is_listing(returned) else returned)
    if after is None or len(after) != size:
        raise InvalidPolicyError(
            f"{getattr(move, '__name__', 'move')}() must return the position after the move, a "
            f"tuple of integers like {tuple(position)}, from which it moves, not {returned!r}"
        )
    return after


def is_player(player: Any) -> bool:
    """Return whether ``player`` is anything of :data:`AnyPlayer`; a class is not."""
    if isinstance(player, type):
        return False
    if any(_has(player, name) for name in SCORED) or _is_of_openspiel(player):
        return True
    return callable(player) and not hint(player)


def hint(player: Any) -> str:
    """Return advice for the error about something that is not a player; mostly empty."""
    # A model of Stable-Baselines3, or its network.
    if hasattr(player, "predict") and not _packages(player).isdisjoint(SB3_PACKAGES):
        return "; nim_envs.adapters.sb3.sb3_policy(model) plays as a model of Stable-Baselines3"
    return ""


def _is_of_openspiel(player: Any) -> bool:
    return not _packages(player).isdisjoint(OPENSPIEL_PACKAGES)


def _packages(player: Any) -> set[str]:
    """Return the packages of a player's class and of those above it."""
    return {kind.__module__.partition(".")[0] for kind in type(player).__mro__}


def _has(player: Any, method: str) -> bool:
    return callable(getattr(player, method, None))


def required_arguments(function: Any) -> int:
    """Return the number of positional arguments of a function that have no default.

    Example:
        >>> required_arguments(lambda observations, action_masks, rng=None: ...)
        2
    """
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is Parameter.empty for each in parameters)


def _takes(function: Any, count: int) -> bool:
    """Return whether a function can be called with that many arguments, as far as is known."""
    try:
        signature(function).bind(*[None] * count)
    except ValueError:  # of some built-in functions nothing is known
        return True
    except TypeError:
        return False
    return True


def _count_arguments(function: Any, otherwise: int) -> int:
    """Return with how many arguments a function is called: 1, a position, or 2 or 3.

    Where its required parameters do not decide between 2 and 3 it is ``otherwise``.
    """
    if required_arguments(function) == 1 and not _takes(function, 2):
        return 1
    # A module of PyTorch takes anything when called, and names its parameters in ``forward``.
    for callee in (function, getattr(function, "forward", function)):
        required = required_arguments(callee)
        if required in (2, 3):
            return required
        if not _takes(callee, otherwise):
            raise TypeError(
                f"{function!r} takes {signature(callee)}; a player that is a function takes "
                "observations and action masks, and may take a generator, or it takes a position "
                "alone"
            )
    return otherwise
