"""The part of a game whose positions are states of a game of OpenSpiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nim_envs.graph import Part, Words
from nim_envs.listing import say_label
from nim_envs.typing import Array, Int32Array, Position, ValueArray


class OpenSpielPart(Part):
    """The states of a game of OpenSpiel; its options are OpenSpiel's ids.

    Where a player moves twice in a row, the other passes in between: a pass is one option more.

    Args:
        openspiel_game: the game, a ``pyspiel.Game``.
        coordinates: as of :class:`nim_envs.graph.Graph`.
        coordinate_words: meaning of the coordinates.
        after: as of :class:`nim_envs.graph.Graph`.
        labels: the strings of each action at all states.
        outcome: value of each position without moves, as of :class:`nim_envs.graph.Part`.
        reached_by: row before each position on a play to it, without passes, and the option,
            ``(n, 2)``; -1 at the initial position.
        first: row of the initial position.
    """

    def __init__(
        self,
        openspiel_game: Any,
        coordinates: Array,
        coordinate_words: str,
        after: Int32Array,
        labels: Sequence[str],
        outcome: ValueArray,
        reached_by: Int32Array,
        first: int,
    ) -> None:
        kind = openspiel_game.get_type()
        words = Words(kind.short_name, say_label, f"make a move of {kind.long_name}")
        super().__init__(coordinates, after, labels, words)
        self.openspiel_game, self.coordinate_words = openspiel_game, coordinate_words
        self.outcome, self._reached_by = outcome, reached_by
        self.start = self.position(first)

    def openspiel_state(self, position: Position) -> Any:
        """Return the state of OpenSpiel at a position, reached by a shortest play.

        Where the position is a forced pass, it is the state of the player who moves again.

        Args:
            position: one position of the part.

        Returns:
            A new ``pyspiel.State``.
        """
        actions: list[int] = []
        row, option = self._reached_by[self.state(position)].tolist()
        while row >= 0:
            actions.append(option)
            row, option = self._reached_by[row].tolist()
        reached = self.openspiel_game.new_initial_state()
        for action in reversed(actions):
            reached.apply_action(action)
        return reached

    def is_forced_pass(self, position: Position) -> bool:
        """Return whether the only move at a position is to pass, as the other moves again."""
        state = self.state(position)
        assert state is not None
        return self.actions(state)[:1] == [self.openspiel_game.num_distinct_actions()]

    def describe(self, option: int, position: Position | None = None) -> str:
        """Return OpenSpiel's string of an action at a position; without one, those at all."""
        if position is not None and not self.is_forced_pass(position):
            reached = self.openspiel_state(position)
            if option in reached.legal_actions():
                return str(reached.action_to_string(reached.current_player(), option))
        return super().describe(option, position)
