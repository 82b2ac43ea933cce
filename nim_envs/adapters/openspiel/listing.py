"""Games of OpenSpiel, listed breadth first."""

from __future__ import annotations

from array import array
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from nim_envs.adapters.openspiel.component import FORCED_PASS, OpenSpielComponent
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.convention import LISTED_OUTCOME
from nim_envs.rules.listing.listing import LARGEST_LISTING
from nim_envs.rules.listing.readers import read_breadth_first
from nim_envs.rules.move_rows import MOVE_BYTES, MoveRows
from nim_envs.rules.rules import Rules
from nim_envs.typing import Array, IntArray
from nim_envs.validation import check_bytes, checked_boolean, checked_integer, largest_bytes

CHECKED_GAMES = 200
"""Random games that are compared with the listing."""


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
    a number among positions that are alike in all these, in the order of the listing. The
    component says which: ``game.rules.components[0].coordinate_words``.

    **Values** of finished games are the signs of their returns: a margin counts as a win.

    Two histories lead to one position if string, tensor and player to move are equal. Legal actions
    and returns must be equal then; where they are not, a counter or a rule on repetitions is hidden
    in the state, and the game is refused. Besides all histories that the listing meets,
    ``CHECKED_GAMES`` random games are compared with it.

    Agents, bots and policies of OpenSpiel play these games, and are scored, as they are; they are
    asked at the state that a shortest play leads to.

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
        SearchTooLargeError: it has more than ``limit`` positions, or they take too much memory.

    Example:
        >>> game = game_of("tic_tac_toe")
        >>> game.old_solution.value(game.rules.initial), len(game.rules.components[0].positions)
        (0, 5478)
        >>> game.rules.components[0].coordinate_words
        '27 entries of observation_tensor'
    """
    most = checked_integer("limit", limit, 1)
    checked_boolean("merge_strings", merge_strings)
    game = _loaded(openspiel_game)
    _check_kind(game)
    reader = _Reader(game, most, merge_strings)
    read_breadth_first(reader)
    reader.check_random_games()
    component, initial = reader.component()
    return Game(Rules(reader.name, (component,), (initial,)), LISTED_OUTCOME)


def _loaded(game: Any) -> Any:
    """Return a ``pyspiel.Game``.

    Raises:
        InvalidGameError: OpenSpiel does not load it.
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
        return pyspiel.load_game(game)
    except pyspiel.SpielError as error:
        raise InvalidGameError(f"OpenSpiel does not load {game!r}: {error}") from error


def _name_of(game: Any) -> str:
    """Return the string of a game, without empty parentheses."""
    return str(game).removesuffix("()")


def _check_kind(game: Any) -> None:
    """Raise ``InvalidGameError`` unless a game is one that can be solved here; it says why."""
    kind, kinds = game.get_type(), pyspiel.GameType
    faults = [
        fault
        for is_so, fault in (
            (game.num_players() != 2, f"it has {game.num_players()} players, not 2"),
            (kind.dynamics != kinds.Dynamics.SEQUENTIAL, "players move at the same time"),
            (kind.chance_mode != kinds.ChanceMode.DETERMINISTIC, "chance plays a part"),
            (
                kind.information != kinds.Information.PERFECT_INFORMATION,
                "players do not see all of the state",
            ),
            (kind.utility != kinds.Utility.ZERO_SUM, "its returns are not of zero sum"),
        )
        if is_so
    ]
    if faults:
        raise InvalidGameError(
            f"{_name_of(game)} of OpenSpiel cannot be solved here: {'; '.join(faults)}. A game of "
            "two players in turns is needed, without chance, with perfect information and zero sum"
        )


class _Signature(NamedTuple):
    """Properties in which equal histories must agree."""

    legal_actions: tuple[int, ...]
    returns: tuple[float, ...]


class _Reader:
    """Reads the positions and moves of a game of OpenSpiel, in the order of their indices.

    Args:
        game: a ``pyspiel.Game``.
        limit: most positions.
        merge_strings: whether tensors may differ at a position.

    Raises:
        InvalidGameError: the game is over at the start.
    """

    def __init__(self, game: Any, limit: int, merge_strings: bool) -> None:
        self.name, self.done = _name_of(game), 0
        self._game, self._limit, self._merge = game, limit, merge_strings
        self._pass_option = game.num_distinct_actions()
        self._has_tensor = game.get_type().provides_observation_tensor
        self._is_whole = self._has_tensor
        self._width = game.observation_tensor_size() if self._has_tensor else 0
        self._index_of: dict[tuple[int, bool, str, bytes], int] = {}
        self._signatures: list[_Signature] = []
        self._interned: dict[_Signature, _Signature] = {}
        self._tensors: list[bytes] = []
        self._differing = 0  # bytes of tensors as one integer, 0 where equal strings agree
        self._players, self._passes, self._values = array("b"), array("b"), array("b")
        self._unread: dict[int, Any] = {}  # states whose moves are still to be read
        self._sources, self._options, self._targets = array("i"), array("i"), array("i")
        self._strings: dict[int, dict[str, None]] = {}
        start = game.new_initial_state()
        if start.is_terminal():
            raise InvalidGameError(f"{self.name} of OpenSpiel is over at the start: no move there")
        self._index_after_move(start, last_player=1)

    @property
    def found(self) -> int:
        """Number of positions found."""
        return len(self._tensors)

    def read_some(self) -> None:
        """Read the moves of the next position."""
        state = self._unread.pop(self.done, None)  # none where the game is over, and at a pass
        if state is not None:
            self._read(self.done, state)
        self.done += 1

    def check_random_games(self) -> None:
        """Compare random games with the listing, whole histories, drawn from a fixed seed.

        Raises:
            InvalidGameError: states are not told apart.
        """
        rng = np.random.default_rng(0)
        keys = self._move_keys(np.array(self._sources), np.array(self._options))
        order = np.argsort(keys)
        keys, targets = keys[order], np.array(self._targets)[order]
        for _ in range(CHECKED_GAMES):
            state, index = self._game.new_initial_state(), 0
            for _ in range(self._game.max_game_length()):  # there may be no other end
                if state.is_terminal():
                    break
                if self._passes[index]:
                    index = int(
                        targets[np.searchsorted(keys, self._move_keys(index, self._pass_option))]
                    )
                player, action = state.current_player(), int(rng.choice(state.legal_actions()))
                state.apply_action(action)
                listed = targets[np.searchsorted(keys, self._move_keys(index, action))]
                index = self._index_after_move(state, player)
                if index != listed:
                    raise self._not_told_apart(state, f"action {action} leads to other states")

    def _move_keys(self, source: Any, option: Any) -> Any:
        """Return the key of each move, one number for its source and option."""
        return np.int64(source) * (self._pass_option + 1) + option

    def _read(self, index: int, state: Any) -> None:
        """Read the moves at a position."""
        player = state.current_player()
        for action in state.legal_actions():
            words = self._strings.setdefault(action, {})
            words.setdefault(state.action_to_string(player, action))
            self._add_move(index, action, self._index_after_move(state.child(action), player))

    def _add_move(self, source: int, option: int, target: int) -> None:
        self._sources.append(source)
        self._options.append(option)
        self._targets.append(target)

    def _index_after_move(self, state: Any, last_player: int) -> int:
        """Return the index of the position after a move; it is added if it is new.

        That is a pass, which leads to the state, where the player who moved last moves again.

        Args:
            state: the state after the move.
            last_player: the player who moved last; before the first move that is player 1.
        """
        over = state.is_terminal()
        if over or state.current_player() != last_player:
            return self._index_with_player(state, 1 - last_player, over=over, passing=False)
        known = self.found
        index = self._index_with_player(state, 1 - last_player, over=False, passing=True)
        after = self._index_with_player(state, last_player, over=False, passing=False)
        if index == known:
            self._add_move(index, self._pass_option, after)
        return index

    def _index_with_player(self, state: Any, player: int, *, over: bool, passing: bool) -> int:
        """Return the index of a state with a player to move; it is added if it is new.

        Raises:
            InvalidGameError: an equal state has other legal actions or returns.
            SearchTooLargeError: there are too many.
        """
        string, tensor = str(state), self._tensor(state, player)
        key = player, passing, string, b"" if self._merge else tensor
        index = self._index_of.setdefault(key, self.found)
        signature = _Signature(() if over else tuple(state.legal_actions()), tuple(state.returns()))
        if index == self.found:
            self._tensors.append(tensor)
            self._players.append(player)
            self._passes.append(passing)
            self._values.append(int(np.sign(signature.returns[player])) if over else 0)
            self._signatures.append(self._interned.setdefault(signature, signature))
            self._check_size(state)
            if not over and not passing:
                self._unread[index] = state
        elif self._signatures[index] != signature:
            differences = (
                f"{words} are {one} or {other}"
                for words, one, other in zip(
                    ("legal actions", "returns"), self._signatures[index], signature, strict=True
                )
                if one != other
            )
            raise self._not_told_apart(state, next(differences))
        elif self._tensors[index] != tensor:  # with merged strings alone
            self._differing |= int.from_bytes(self._tensors[index]) ^ int.from_bytes(tensor)
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
            f"{self.name} of OpenSpiel has states that their strings and tensors do not tell "
            f"apart: {difference}, here after the moves {state.history()}: a counter or a rule on "
            f"repetitions is hidden in the state\n{state}"
        )

    def _check_size(self, state: Any) -> None:
        """Raise ``SearchTooLargeError`` if there are too many positions."""
        needed = self.found * 8 * (self._width + 1) + len(self._options) * MOVE_BYTES
        if self.found <= self._limit and needed <= largest_bytes():
            return
        game = self._game
        size = (
            f"positions after {state.move_number()} moves are reached, where games take up to "
            f"{game.max_game_length()}, with {game.num_distinct_actions()} actions"
        )
        if self.found > self._limit:
            raise SearchTooLargeError(
                f"{self.name} of OpenSpiel has more than {self._limit} positions, the limit: "
                f"{size}. A larger limit may be given as limit=..."
            )
        check_bytes(f"{self.found} positions of {self.name} and their moves ({size})", needed)

    def component(self) -> tuple[OpenSpielComponent, int]:
        """Return the component, and its initial state; nothing more can be read then."""
        for large in (self._index_of, self._signatures, self._interned):
            large.clear()
        coordinates, in_words = self._coordinates()
        order = np.lexsort(coordinates.T[::-1])
        state_of = np.empty(len(order), dtype=np.int32)
        state_of[order] = np.arange(len(order))
        moves = MoveRows.of(
            len(order),
            state_of[np.array(self._sources)],
            np.array(self._options),
            state_of[np.array(self._targets)],
        )
        component = OpenSpielComponent(
            self.name,
            tuple(coordinates[0].tolist()),
            in_words,
            coordinates[order],
            moves,
            self._descriptions(),
            kind=self._game.get_type().short_name,
            move_in_words=f"make a move of {self._game.get_type().long_name}",
            values=np.array(self._values)[order],
        )
        initial = component.coordinate_system.states_at(coordinates[0])
        return component, int(initial)

    def _coordinates(self) -> tuple[IntArray, str]:
        """Return the coordinates of positions, ``(positions, fields)``, and their meaning."""
        size = self.found
        columns: list[Array] = []
        parts = []
        if self._is_whole and self._width:
            table = np.frombuffer(b"".join(self._tensors), dtype=np.uint8).reshape(size, -1)
            agreeing = np.frombuffer(self._differing.to_bytes(self._width), dtype=np.uint8) == 0
            columns.append(table[:, agreeing])
            others = "" if agreeing.all() else ", in which states with equal strings agree"
            entries = f"{agreeing.sum()} entr{'y' if agreeing.sum() == 1 else 'ies'}"
            parts.append(f"{entries} of observation_tensor{others}")
        distinct = _count_distinct(columns)
        for column, words in (
            (self._players, "the player to move"),
            (self._passes, "1 where the only move is to pass"),
        ):
            more = [*columns, np.array(column, dtype=np.uint8)[:, np.newaxis]]
            if (now := _count_distinct(more)) > distinct:
                columns, distinct = more, now
                parts.append(words)
        if distinct < size:
            columns.append(_ranks_among_equal(columns, size))
            parts.append("a number among positions that are alike in these")
        return np.concatenate(columns, axis=1), ", ".join(parts)

    def _descriptions(self) -> list[str]:
        """Return the strings of each action at all states, and the words of a pass."""
        words = [
            " or ".join(self._strings.get(action, ())) or f"action {action}"
            for action in range(self._pass_option)
        ]
        return [*words, FORCED_PASS] if self._pass_option in self._options else words


def _count_distinct(columns: list[Array]) -> int:
    """Return the number of different rows of columns of bytes; 1 without a column."""
    rows = np.concatenate(columns, axis=1) if columns else np.empty((1, 0), dtype=np.uint8)
    if not rows.shape[1]:
        return 1
    return len(np.unique(np.ascontiguousarray(rows).view(f"V{rows.shape[1]}")))


def _ranks_among_equal(columns: list[Array], size: int) -> IntArray:
    """Return the rank of each row among those equal to it, from 0, ``(size, 1)``."""
    seen: dict[bytes, int] = {}
    ranks = np.empty((size, 1), dtype=np.int64)
    for index in range(size):
        key = b"".join(column[index].tobytes() for column in columns)
        ranks[index] = seen.get(key, 0)
        seen[key] = int(ranks[index, 0]) + 1
    return ranks
