"""The number of plays of a game, the usual test of rules (perft)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nim_envs.game import Game


def count_games(game: Game, position: Sequence[int] | None = None) -> int:
    """Return the number of distinct complete games, sequences of moves to a position without one.

    Args:
        game: the game.
        position: position to start from; the initial one by default.

    Raises:
        InvalidGameError: play may never end.
        InvalidPositionError: ``position`` is not one position of the game.

    Example:
        >>> from nim_envs.games import nim
        >>> count_games(nim(heaps=(5,), max_take=3))
        13
    """
    game.check_ends("count_games")
    board: Any = game.board
    sequences = Counter({game.checked_state(game.start if position is None else position): 1})
    ended = 0
    while sequences:  # of one move more each time, by their last state
        following: Counter[Any] = Counter()
        for state, count in sequences.items():
            actions = board.actions(state)
            ended += 0 if actions else count
            for action in actions:
                following[board.move(state, action)] += count
        sequences = following
    return ended
