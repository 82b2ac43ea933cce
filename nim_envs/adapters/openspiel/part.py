"""The part of a game whose positions are states of a game of OpenSpiel."""

from collections.abc import Sequence
from typing import Any

from nim_envs.graph import Part
from nim_envs.typing import Int32Array, Position


class OpenSpielPart(Part):
    """The states of a game of OpenSpiel; options are OpenSpiel's ids, and a forced pass the last.

    Attributes:
        openspiel_game: the game, a ``pyspiel.Game``.
        coordinate_words: meaning of the coordinates.
        start: the initial position.
        reached_by: sources and actions, as of :func:`replayed`, and the index of each row.
    """

    openspiel_game: Any
    coordinate_words: str
    start: Position
    reached_by: tuple[Sequence[int], Sequence[int], Int32Array]

    def openspiel_state(self, position: Position) -> Any:
        """Return a new ``pyspiel.State``, the one at a position, reached by a shortest play.

        At a forced pass it is the state of the player who moves again.
        """
        sources, actions, index_of = self.reached_by
        index = int(index_of[self.state(position)])
        return replayed(self.openspiel_game, sources, actions, index)

    def is_forced_pass(self, position: Position) -> bool:
        """Return whether the only move at a position is to pass, as the other moves again."""
        return self.has_passes and position[-1] == 1

    def describe(self, option: int, position: Position | None = None) -> str:
        """Return OpenSpiel's string of an action at a position; without one, those at all."""
        if position is not None and not self.is_forced_pass(position):
            reached = self.openspiel_state(position)
            if option in reached.legal_actions():
                return str(reached.action_to_string(reached.current_player(), option))
        return super().describe(option, position)


def replayed(game: Any, sources: Sequence[int], actions: Sequence[int], index: int) -> Any:
    """Return the state at an index, made anew by its moves, as all together take much memory.

    The first move to each state, but to the initial one, has a source, the index of the state
    before it, and an action.
    """
    played = []
    while index > 0:
        played.append(actions[index])
        index = sources[index]
    state = game.new_initial_state()
    for action in reversed(played):
        state.apply_action(action)
    return state
