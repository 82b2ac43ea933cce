"""Games of OpenSpiel, listed breadth first."""

from __future__ import annotations

from array import array
from collections import deque
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nim_envs.adapters.openspiel.part import OpenSpielPart
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import check_table
from nim_envs.listing import LARGEST_LISTING, shared
from nim_envs.typing import Array, Int32Array, IntArray
from nim_envs.validation import checked_boolean, checked_integer

CHECKED_GAMES = 200
"""Random games that are compared with the listing."""

FORCED_PASS = "pass, as the other player moves again"
"""The pass of a player whose opponent moves twice, in words."""


def game_of(
    openspiel_game: Any, *, limit: int = LARGEST_LISTING, merge_strings: bool = False
) -> Game:
    """Return a game of OpenSpiel as a game with wins, draws and losses.

    Any deterministic game of two players with perfect information and zero sum, played in turns,
    whose states can be listed. A position is a state and the player to move.

    **Actions** are OpenSpiel's ids. Where a player moves twice in a row, the other passes in
    between: a pass is one action more, the last, and the only move where it is legal.

    **Coordinates** are the entries of ``observation_tensor`` of the player to move, in its order,
    where they are whole numbers, as the usual 0 and 1 are. Only if they do not tell all positions
    apart, more coordinates follow: the player to move; then 1 where the move is a forced pass; then
    a number among positions that are alike in all these. ``game.parts[0].coordinate_words`` says
    which.

    **Values** of finished games are the signs of their returns: a margin counts as a win.

    Two histories lead to one position if string, tensor and player to move are equal. Where their
    legal actions or returns differ, a counter or a rule on repetitions is hidden in the state, and
    the game is refused; ``CHECKED_GAMES`` random games are compared with the listing, too.

    Args:
        openspiel_game: its string, such as ``"connect_four(rows=4,columns=4)"``, or a
            ``pyspiel.Game``.
        limit: most positions to list.
        merge_strings: whether histories with equal strings lead to one position even where their
            tensors differ, as in dots and boxes, whose tensor tells who drew each line: 6,905
            instead of 452,880 positions on 2 × 2 boxes. Coordinates are then the entries in which
            such tensors agree.

    Returns:
        The game; its name is OpenSpiel's string of it, and it starts as there.

    Raises:
        InvalidGameError: OpenSpiel has no such game; or it is of another kind, over at the start,
            has moves that form a cycle, or states that are not told apart.
        SearchTooLargeError: it has more than ``limit`` positions, or too many for its actions.

    Example:
        >>> game = game_of("tic_tac_toe")
        >>> game.solution.value(game.start), game.parts[0].num_positions
        (0, 5478)
        >>> game.parts[0].coordinate_words
        '27 entries of observation_tensor'
    """
    most = checked_integer("limit", limit, 1)
    checked_boolean("merge_strings", merge_strings)
    name = str(_loaded(openspiel_game)).removesuffix("()")
    part: Any = openspiel_part(name, most, merge_strings)
    return Game(name, (part,), part.start)


@shared
def openspiel_part(name: str, limit: int, merge_strings: bool) -> OpenSpielPart:
    """The states of a game; arguments as of :func:`game_of`."""
    part = _Listing(name, limit, merge_strings).part()
    _ = part.longest_play  # it raises an error for a cycle
    return part


def _loaded(game: Any) -> Any:
    """Return a ``pyspiel.Game`` that can be solved here.

    Raises:
        InvalidGameError: OpenSpiel does not load it, or it is of another kind, which is named.
    """
    if isinstance(game, pyspiel.Game):
        game = str(game)  # any process loads it again
    if not isinstance(game, str):
        raise InvalidGameError(
            "a game of OpenSpiel is its string, such as 'connect_four(rows=4,columns=4)', or a "
            f"pyspiel.Game, not {game!r}"
        )
    names = pyspiel.registered_names()
    name = game.partition("(")[0].strip()
    if name not in names:
        meant = get_close_matches(name, names, n=1)
        guess = f"; did you mean {meant[0]!r}?" if meant else ""
        raise InvalidGameError(f"OpenSpiel has no game {name!r}{guess}")
    try:
        loaded = pyspiel.load_game(game)
    except pyspiel.SpielError as error:
        raise InvalidGameError(f"OpenSpiel does not load {game!r}: {error}") from error
    kind, kinds = loaded.get_type(), pyspiel.GameType
    players = loaded.num_players()
    faults = {
        f"it has {players} players, not 2": players == 2,
        "players move at the same time": kind.dynamics == kinds.Dynamics.SEQUENTIAL,
        "chance plays a part": kind.chance_mode == kinds.ChanceMode.DETERMINISTIC,
        "players do not see all of the state": (
            kind.information == kinds.Information.PERFECT_INFORMATION
        ),
        "its returns are not of zero sum": kind.utility == kinds.Utility.ZERO_SUM,
    }
    if not all(faults.values()):
        raise InvalidGameError(
            f"{game.removesuffix('()')} of OpenSpiel cannot be solved here: "
            f"{'; '.join(fault for fault, is_absent in faults.items() if not is_absent)}. A game "
            "of two players in turns is needed, without chance, with perfect information and zero "
            "sum"
        )
    return loaded


class _Found(NamedTuple):
    """A position: a state of OpenSpiel with the player to move."""

    legal_actions: tuple[int, ...]
    returns: tuple[float, ...]
    value: int  # of a finished game to the player to move, else 0
    player: int
    passing: bool  # whether this player passes, as the other moves again
    tensor: bytes  # what this player observes


class _Listing:
    """Lists the positions and moves of a game of OpenSpiel, breadth first.

    Args:
        name: string of the game.
        limit: most positions.
        merge_strings: whether tensors may differ at a position.

    Raises:
        InvalidGameError: the game is over at the start, or has states that are not told apart.
        SearchTooLargeError: it has too many positions.
    """

    def __init__(self, name: str, limit: int, merge_strings: bool) -> None:
        self._name, self._limit, self._merge = name, limit, merge_strings
        self._game = game = _loaded(name)
        self._pass_option = game.num_distinct_actions()
        self._has_tensor = self._is_whole = game.get_type().provides_observation_tensor
        self._index_of: dict[tuple[int, bool, str, bytes], int] = {}
        self._found: list[_Found] = []
        self._moves = array("i")  # index before each move, option, index after it
        self._differing = 0  # bytes of tensors as one integer, 0 where equal strings agree
        self._waiting: deque[tuple[int, Any]] = deque()  # states whose moves are still to be read
        self._strings: dict[int, dict[str, None]] = {}
        start = game.new_initial_state()
        if start.is_terminal():
            raise InvalidGameError(f"{self._name} of OpenSpiel is over at the start: no move there")
        self._index_after_move(start, last_player=1)
        while self._waiting:
            index, state = self._waiting.popleft()
            player = state.current_player()
            for action in state.legal_actions():
                words = self._strings.setdefault(action, {})
                words.setdefault(state.action_to_string(player, action))
                after = self._index_after_move(state.child(action), player)
                self._moves.extend((index, action, after))

    def _index_after_move(self, state: Any, last_player: int) -> int:
        """Return the index of the position after a move; it is added if it is new.

        That is a pass, which leads to the state, where the player who moved last moves again.

        Args:
            state: the state after the move.
            last_player: the player who moved last; before the first move that is player 1.
        """
        passing = not state.is_terminal() and state.current_player() == last_player
        known = len(self._found)
        index = self._index_with_player(state, 1 - last_player, passing)
        if passing:
            after = self._index_with_player(state, last_player, False)
            if index == known:
                self._moves.extend((index, self._pass_option, after))
        return index

    def _index_with_player(self, state: Any, player: int, passing: bool) -> int:
        """Return the index of a state with a player to move; it is added if it is new."""
        over, returns, tensor = state.is_terminal(), state.returns(), self._tensor(state, player)
        legal = () if over else tuple(state.legal_actions())
        value = int(np.sign(returns[player])) if over else 0
        here = _Found(legal, tuple(returns), value, player, passing, tensor)
        key = player, passing, str(state), b"" if self._merge else tensor
        index = self._index_of.setdefault(key, len(self._found))
        if index == len(self._found):
            self._found.append(here)
            self._check_size(state)
            if not over and not passing:
                self._waiting.append((index, state))
            return index
        known = self._found[index]
        for words, one, other in zip(("legal actions", "returns"), known, here, strict=False):
            if one != other:
                raise self._not_told_apart(state, f"{words} are {one} or {other}")
        if known.tensor != tensor:  # with merged strings alone
            self._differing |= int.from_bytes(known.tensor) ^ int.from_bytes(tensor)
        return index

    def _tensor(self, state: Any, player: int) -> bytes:
        """Return the tensor that a player observes, a byte an entry while all are whole numbers."""
        if not self._has_tensor:
            return b""
        entries = state.observation_tensor(player)
        try:
            whole = bytes(map(int, entries))
            if list(whole) == entries:
                return whole
        except ValueError:  # below 0, above 255, or no number
            pass
        self._is_whole = False
        return array("d", entries).tobytes()

    def _not_told_apart(self, state: Any, difference: str) -> InvalidGameError:
        """Return the error for histories that lead to one position and differ."""
        return InvalidGameError(
            f"{self._name} of OpenSpiel has states that their strings and tensors do not tell "
            f"apart: {difference}, here after the moves {state.history()}: a counter or a rule on "
            f"repetitions is hidden in the state\n{state}"
        )

    def _check_size(self, state: Any) -> None:
        """Raise ``SearchTooLargeError`` if there are too many positions."""
        if len(self._found) > self._limit:
            raise SearchTooLargeError(
                f"{self._name} of OpenSpiel has more than {self._limit} positions, the limit: "
                f"positions after {state.move_number()} moves are reached, where games take up to "
                f"{self._game.max_game_length()}, with {self._pass_option} actions. A larger limit "
                "may be given as limit=..."
            )
        check_table(self._name, len(self._found), self._pass_option)

    def part(self) -> OpenSpielPart:
        """Return the part of the game; random games are compared with it."""
        sources, options, targets = np.array(self._moves, dtype=np.int64).reshape(-1, 3).T
        labels = [
            " or ".join(self._strings.get(action, ())) or f"action {action}"
            for action in range(self._pass_option)
        ]
        if options.max() == self._pass_option:
            labels.append(FORCED_PASS)
        after = np.full((len(self._found), len(labels)), -1, dtype=np.int32)
        after[sources, options] = targets
        self._check_random_games(after)
        coordinates, words = self._coordinates()
        order = np.lexsort(coordinates.T[::-1])
        row_of = np.empty(len(order), dtype=np.int32)
        row_of[order] = np.arange(len(order))
        reached, first = np.unique(targets, return_index=True)
        reached_by = np.full((len(order), 2), -1, dtype=np.int64)
        reached_by[reached] = np.stack([row_of[sources[first]], options[first]], axis=1)
        reached_by[0] = -1
        return OpenSpielPart(
            self._game,
            coordinates[order],
            words,
            np.where(after >= 0, row_of[after], -1)[order],
            labels,
            np.array([each.value for each in self._found], dtype=np.int8)[order],
            reached_by[order],
        )

    def _check_random_games(self, after: Int32Array) -> None:
        """Compare random games with the listing, whole histories, drawn from a fixed seed."""
        rng = np.random.default_rng(0)
        for _ in range(CHECKED_GAMES):
            state, index = self._game.new_initial_state(), 0
            for _ in range(self._game.max_game_length()):  # there may be no other end
                if state.is_terminal():
                    break
                if self._found[index].passing:
                    index = int(after[index, self._pass_option])
                player, action = state.current_player(), int(rng.choice(state.legal_actions()))
                state.apply_action(action)
                listed, index = after[index, action], self._index_after_move(state, player)
                if index != listed:
                    raise self._not_told_apart(state, f"action {action} leads to other states")

    def _coordinates(self) -> tuple[IntArray, str]:
        """Return the coordinates of positions, ``(positions, fields)``, and their meaning."""
        table, words = np.zeros((len(self._found), 0), dtype=np.uint8), []
        if self._is_whole and self._found[0].tensor:
            joined = b"".join(each.tensor for each in self._found)
            entries = np.frombuffer(joined, dtype=np.uint8).reshape(len(self._found), -1)
            differing = self._differing.to_bytes(entries.shape[1])
            table = entries[:, np.frombuffer(differing, dtype=np.uint8) == 0]
            agree = ", in which states with equal strings agree" if self._differing else ""
            count = f"{table.shape[1]} entr{'y' if table.shape[1] == 1 else 'ies'}"
            words.append(f"{count} of observation_tensor{agree}")
        distinct = len(_ranks(table)[0])
        for name, meaning in (
            ("player", "the player to move"),
            ("passing", "1 where the only move is to pass"),
        ):
            column = np.array([[getattr(each, name)] for each in self._found], dtype=np.uint8)
            more = np.concatenate([table, column], axis=1)
            if (now := len(_ranks(more)[0])) > distinct:
                table, distinct = more, now
                words.append(meaning)
        if distinct < len(table):
            table = np.concatenate([table, _ranks(table)[1][:, np.newaxis]], axis=1)
            words.append("a number among positions that are alike in these")
        return table.astype(np.int64), ", ".join(words)


def _ranks(table: Array) -> tuple[Array, IntArray]:
    """Return the distinct rows of bytes as keys, and the rank of each row among those equal to it.

    Args:
        table: uint8 ``(n, k)``.

    Returns:
        ``(distinct,)``, and ``(n,)`` from 0.
    """
    padded = np.ascontiguousarray(np.pad(table, ((0, 0), (0, 1)), constant_values=1))
    keys = padded.view(f"S{padded.shape[1]}")[:, 0]
    distinct, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    ranks = np.empty(len(table), dtype=np.int64)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    ranks[np.argsort(group, kind="stable")] = np.arange(len(table)) - first
    return distinct, ranks
