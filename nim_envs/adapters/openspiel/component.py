"""A component whose positions are states of a game of OpenSpiel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from nim_envs.rules.acyclic import cycle_along
from nim_envs.rules.listed_component import ListedComponent, OptionDescriptions
from nim_envs.rules.move_rows import MoveRows
from nim_envs.typing import IntArray

FORCED_PASS = "pass, as the other player moves again"
"""The pass of a player whose opponent moves twice, in words."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OpenSpielComponent(ListedComponent):
    """The states of a game of OpenSpiel, and its actions under their own ids.

    Args:
        game: the game's string, with which ``pyspiel.load_game`` loads it.
        start: coordinates of the initial position, ``(fields,)``.
        coordinate_words: the meaning of the coordinates, in words.
        positions: as of :class:`ListedComponent`.
        moves: as of :class:`ListedComponent`; an option beyond OpenSpiel's ids is a forced pass.
        descriptions: description of each option.
        kind: short name of the game.
        move_in_words: a move in words.
        values: as of :class:`ListedComponent`.
    """

    game: str
    start: tuple[int, ...]
    coordinate_words: str

    def __init__(
        self,
        game: str,
        start: tuple[int, ...],
        coordinate_words: str,
        positions: npt.ArrayLike,
        moves: MoveRows,
        descriptions: Sequence[str],
        *,
        kind: str,
        move_in_words: str,
        values: npt.ArrayLike,
    ) -> None:
        super().__init__(
            positions, moves, descriptions, kind=kind, move_in_words=move_in_words, values=values
        )
        for name, value in {
            "game": game, "start": start, "coordinate_words": coordinate_words
        }.items():  # fmt: skip
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Return the game, the numbers of positions and options, and the meaning of coordinates."""
        size = f"{self.num_places} positions, {self.options} options"
        return f"{type(self).__name__}({self.game}, {size}, coordinates: {self.coordinate_words})"

    @cached_property
    def digest(self) -> bytes:
        """Digest of the game's string, the start, and all that a listed component has."""
        own = repr((self.game, self.start, self.coordinate_words)).encode()
        return blake2b(own + super().digest).digest()

    @cached_property
    def openspiel_game(self) -> Any:
        """The game, ``pyspiel.Game``."""
        return pyspiel.load_game(self.game)

    @cached_property
    def words(self) -> ActionStrings:
        """The strings that OpenSpiel has for actions."""
        return ActionStrings(self.descriptions, self.move_in_words, self)

    def openspiel_state(self, state: int) -> Any:
        """Return the state of OpenSpiel at a position, reached by a shortest play.

        Where the position is a forced pass, it is the state of the player who moves again.

        Args:
            state: one of the component's states.

        Returns:
            A new ``pyspiel.State``.
        """
        actions = []
        before, options = self._shortest_plays
        place = int(self.place_of(np.array(state)))
        while options[place] >= 0:
            actions.append(int(options[place]))
            place = int(before[place])
        reached = self.openspiel_game.new_initial_state()
        for action in reversed(actions):
            if action < self.openspiel_game.num_distinct_actions():  # a pass changes no state
                reached.apply_action(action)
        return reached

    def is_forced_pass(self, state: int) -> bool:
        """Return whether the only move at a position is to pass, as the other moves again."""
        _, options, _ = self.legal_moves(np.array([state], dtype=np.int64))
        return len(options) == 1 and options[0] >= self.openspiel_game.num_distinct_actions()

    @cached_property
    def _shortest_plays(self) -> tuple[IntArray, IntArray]:
        """Place before each place on a shortest play to it, and the option; -1 at the start."""
        before = np.full(self.num_places, -1, dtype=np.int64)
        options = np.full(self.num_places, -1, dtype=np.int64)
        reached = np.zeros(self.num_places, dtype=np.bool_)
        start = self.coordinate_system.states_at(np.array([self.start]))
        here = self.place_of(start)
        reached[here] = True
        while len(here):
            index, option, after = self.legal_moves(self.states_at_places(here))
            places = self.place_of(after)
            new, first = np.unique(places, return_index=True)
            fresh = ~reached[new]
            new, first = new[fresh], first[fresh]
            before[new], options[new] = here[index[first]], option[first]
            reached[new] = True
            here = new
        return before, options

    @cached_property
    def cycle_of_moves(self) -> str:
        """Description of a cycle of moves by OpenSpiel's states; empty where there is none."""
        states = self.states_at_places(np.arange(self.num_places))
        return cycle_along(
            self.num_places,
            *self.move_edges,
            lambda place: self._in_one_line(int(states[place])),
        )

    def _in_one_line(self, state: int) -> str:
        """Return OpenSpiel's string of a state, its lines one after the other."""
        return " / ".join(str(self.openspiel_state(state)).strip().split("\n"))


@dataclass(frozen=True)
class ActionStrings(OptionDescriptions):
    """Strings of actions; that of an action may depend on the state.

    Args:
        component: the component, which finds OpenSpiel's states.
    """

    component: OpenSpielComponent

    def describe(self, option: int, state: int | None = None) -> str:
        """Return the string of an action at ``state``; without one, its strings at all states."""
        if state is not None and not self.component.is_forced_pass(state):
            reached = self.component.openspiel_state(state)
            if option in reached.legal_actions():
                return str(reached.action_to_string(reached.current_player(), option))
        return super().describe(option, state)
