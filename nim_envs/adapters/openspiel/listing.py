"""Games of OpenSpiel, listed breadth first."""

from __future__ import annotations

import json
from array import array
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python.observation import make_observation

from nim_envs.adapters.openspiel.part import OpenSpielPart
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import LARGEST_TABLE, check_table
from nim_envs.index import keys_of, ranks_of
from nim_envs.listing import (
    LARGEST_LISTING,
    Chunks,
    Runs,
    find_cycles,
    grow_beyond,
    insert_passes,
    shared,
)
from nim_envs.typing import Array, Int32Array
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

CHECKED_GAMES = 200
"""Random games that are compared with the listing."""

AT_ONCE = 2**16
"""Positions whose states wait to be compared with all that are known."""

SIZES = ("board_size", "columns", "m", "n", "num_cols", "num_rows", "rows", "size")
"""Parameters of OpenSpiel that are sizes of boards."""

SOON = 2**12
"""Positions from which on the growth of levels is looked at."""

FORCED_PASS = "pass, as the other player moves again"
"""The pass of a player whose opponent moves twice, in words."""


def game_of(
    openspiel_game: Any,
    parameters: dict[str, Any] | None = None,
    *,
    limit: int = LARGEST_LISTING,
    merge_strings: bool = False,
    cycles: str | None = None,
) -> Game:
    """Return a game of OpenSpiel as a game with wins, draws and losses.

    Any deterministic game of two players with perfect information and zero sum, played in turns,
    whose states can be listed. A position is a state and the player to move.

    **Actions** are OpenSpiel's ids. Where a player moves twice in a row, the other passes in
    between: a pass is one action more, the last, and the only move where it is legal.

    **Coordinates** are the entries of ``observation_tensor`` of the player to move, in its order,
    where they are whole numbers, as the usual 0 and 1 are. Only if they do not tell all positions
    apart, more coordinates follow: the player to move; a number among positions that are alike in
    all these; and, in games with passes, 1 where the other player passes before this position.
    ``game.parts[0].coordinate_words`` says which.

    **Values** of finished games are the signs of their returns: a margin counts as a win.

    Two histories lead to one position if string, tensor and player to move are equal. Where their
    legal actions or returns differ, a counter or a rule on repetitions is hidden in the state, and
    the game is refused; ``CHECKED_GAMES`` random games are compared with the listing, too.

    Args:
        openspiel_game: its string, such as ``"connect_four(rows=4,columns=4)"``, or a
            ``pyspiel.Game``.
        parameters: beside the name of a game, as of ``pyspiel.load_game``.
        limit: most positions to list.
        merge_strings: whether histories with equal strings lead to one position even where their
            tensors differ, as in dots and boxes, whose tensor tells who drew each line: 6,905
            instead of 452,880 positions on 2 × 2 boxes. Coordinates are then the entries in which
            such tensors agree.
        cycles: ``"draw"``: moves may form cycles, and play that never ends is drawn; a limit on
            moves by which OpenSpiel ends such play with a draw is left out. ``None``: every play
            must end.

    Returns:
        The game; its name is OpenSpiel's string of it, and it starts as there.

    Raises:
        InvalidGameError: OpenSpiel has no such game; or it is of another kind, over at the start,
            has moves that form a cycle, or states that are not told apart.
        SearchTooLargeError: it has more than ``limit`` positions, too many for its actions, or
            levels whose growth leads to far more.

    Example:
        >>> game = game_of("tic_tac_toe")
        >>> game.solution.value(game.start), game.parts[0].num_positions
        (0, 5478)
        >>> game.parts[0].coordinate_words
        '27 entries of observation_tensor'
    """
    most = checked_integer("limit", limit, 1)
    checked_boolean("merge_strings", merge_strings)
    checked_choice("cycles", cycles, ("draw",), or_none=True)
    loaded = _loaded(openspiel_game, parameters)
    name = str(loaded).removesuffix("()")
    how = loaded.get_type().short_name, json.dumps(loaded.get_parameters(), sort_keys=True)
    part: Any = openspiel_part(name, *how, most, merge_strings, cycles is not None)
    return Game(name, (part,), part.start)


@shared
def openspiel_part(
    name: str, short_name: str, parameters: str, limit: int, merge_strings: bool, cycles: bool
) -> OpenSpielPart:
    """The states of a game, which any process loads again by its name and parameters as JSON."""
    game = pyspiel.load_game(short_name, json.loads(parameters))
    try:
        part = _Listing(name, game, limit, merge_strings, cycles).part()
    except pyspiel.SpielError as error:
        raise InvalidGameError(f"OpenSpiel cannot play {name}: {error}") from error
    find_cycles(part, cycles)
    return part


def _loaded(game: Any, parameters: dict[str, Any] | None) -> Any:
    """Return a ``pyspiel.Game`` that can be solved here.

    Raises:
        InvalidGameError: OpenSpiel does not load it, or it is of another kind, which is named.
    """
    loaded = game
    if not isinstance(game, pyspiel.Game):
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
            given = () if parameters is None else (parameters,)
            loaded = pyspiel.load_game(game, *given)
        except Exception as error:  # of its parameters and files; a bare IndexError where one lacks
            raise InvalidGameError(
                f"OpenSpiel does not load {game!r}: {type(error).__name__}: {error}"
            ) from error
    elif parameters is not None:
        raise InvalidGameError("a game that is loaded has its parameters: give no others")
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
    for name, value in loaded.get_parameters().items():  # some crash on a board without cells
        faults[f"its board is empty, {name}={value}"] = name not in SIZES or value > 0
    if not all(faults.values()):
        raise InvalidGameError(
            f"{str(loaded).removesuffix('()')} of OpenSpiel cannot be solved here: "
            f"{'; '.join(fault for fault, is_absent in faults.items() if not is_absent)}. A game "
            "of two players in turns is needed, without chance, with perfect information and zero "
            "sum"
        )
    return loaded


class _Read(NamedTuple):
    """What tells a position apart, and what equal ones have in common."""

    key: bytes  # digest of string, player, and tensor unless strings are merged
    player: int
    fate: int  # index of the legal actions, or of the returns of a finished game
    tensor: bytes  # float32, what this player observes


class _Listing:
    """Lists the positions and moves of a game of OpenSpiel, breadth first.

    Args:
        name: string of the game.
        game: the game.
        limit: most positions.
        merge_strings: whether tensors may differ at a position.
        cycles: whether a drawn end is none where the same position is known with moves.

    Raises:
        InvalidGameError: the game is over at the start, or has states that are not told apart.
        SearchTooLargeError: it has too many positions.
    """

    def __init__(self, name: str, game: Any, limit: int, merge_strings: bool, cycles: bool) -> None:
        self._name, self._game, self._limit = name, game, limit
        self._merge, self._cycles = merge_strings, cycles
        self._pass_option = game.num_distinct_actions()
        has_tensor = game.get_type().provides_observation_tensor
        self._observer = make_observation(game) if has_tensor else None
        self._numbers = Runs()  # index of each position by its key
        self._fates: list[tuple[bool, tuple[Any, ...]]] = []  # whether it is over, and the rest
        self._index_of_fate: dict[tuple[bool, tuple[Any, ...]], int] = {}
        self._fate_of, self._player_of = array("i"), array("b")
        self._sources, self._actions = array("i"), array("i")  # by which each is first reached
        self._tensors: list[Array] | None = [] if has_tensor else None
        self._differs: Any = np.False_  # entries of tensors in which equal strings do not agree
        self._moves = Chunks()
        self._strings: dict[int, dict[str, None]] = {}
        self._levels = [1]  # number of new positions after each number of moves
        start = game.new_initial_state()
        if start.is_terminal():
            raise InvalidGameError(f"{name} of OpenSpiel is over at the start: no move there")
        self._begins = start.current_player()
        self._add([self._read(start, 1 - self._begins)], [(-1, -1)])
        begin = 0
        while begin < (end := len(self._fate_of)):
            self._levels.append(0)
            while begin < end:
                begin = self._read_moves(begin, end)
                self._levels[-1] = len(self._fate_of) - end
                most = min(self._limit, LARGEST_TABLE // self._pass_option)
                moves = self._game.max_game_length()
                if len(self._fate_of) >= SOON and grow_beyond(most, self._levels, moves):
                    shown = ", ".join(map(str, self._levels[-5:]))
                    raise self._too_large(
                        f"levels of {shown} new positions, which grow to far more than {most}, the "
                        "limit"
                    )

    def _state(self, index: int) -> Any:
        """Return a state at a position, made anew by its moves: all states together are large."""
        actions = []
        while index:
            actions.append(self._actions[index])
            index = self._sources[index]
        state = self._game.new_initial_state()
        for action in reversed(actions):
            state.apply_action(action)
        return state

    def _read_moves(self, begin: int, end: int) -> int:
        """Read the moves from position ``begin`` on, up to the one returned, at most ``end``."""
        reads, reached, index_of = list[_Read](), list[tuple[int, int]](), dict[bytes, int]()
        sources, options, targets = array("i"), array("i"), array("i")
        for source in range(begin, end):
            if len(reads) >= AT_ONCE:
                end = source
                break
            over, actions = self._fates[self._fate_of[source]]
            if over:
                continue
            state, player = self._state(source), self._player_of[source]
            for action in actions:
                words = self._strings.setdefault(action, {})
                words.setdefault(state.action_to_string(player, action))
                after = state.child(action)
                read = self._read(after, player)
                index = index_of.setdefault(read.key, len(reads))
                if index == len(reads):
                    reads.append(read)
                    reached.append((source, action))
                elif reads[index] != read:
                    self._compare(after, reads[index], read)
                sources.append(source)
                options.append(action)
                targets.append(~index if read.player == player else index)
        if not reads:
            return end
        listed, numbers = np.asarray(targets), self._add(reads, reached)
        listed = np.where(listed < 0, ~numbers[~listed], numbers[listed])
        narrow = np.min_scalar_type(self._pass_option)
        self._moves.append((np.asarray(sources), np.asarray(options).astype(narrow), listed))
        return end

    def _read(self, state: Any, last_player: int) -> _Read:
        """Read a state after a move of a player; where the game is over, the other one is next."""
        over, tensor = state.is_terminal(), b""
        player = 1 - last_player if over else state.current_player()
        fate = over, tuple(state.returns() if over else state.legal_actions())
        index = self._index_of_fate.setdefault(fate, len(self._fates))
        if index == len(self._fates):
            self._fates.append(fate)
            if fate == (False, ()):
                raise InvalidGameError(
                    f"{self._name} of OpenSpiel has a state that has not ended and leaves no "
                    f"legal action, after the moves {state.history()}\n{state}"
                )
        if self._observer is not None:
            self._observer.set_from(state, player)
            tensor = self._observer.tensor.tobytes()
        told = f"{player}{state}".encode()
        key = blake2b(told if self._merge else told + tensor, digest_size=16).digest()
        return _Read(key, player, index, tensor)

    def _add(self, reads: list[_Read], reached: list[tuple[int, int]]) -> Int32Array:
        """Return the index of each position, none twice; new ones are added.

        Args:
            reads: the positions.
            reached: index before the first move to each, and the action.
        """
        keys = np.frombuffer(b"".join(read.key for read in reads), "S16")
        order, numbers = np.argsort(keys), np.empty(len(keys), dtype=np.int32)
        numbers[order] = self._numbers.find(keys[order])
        known, new = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
        for place in known.tolist():
            listed = reads[place]._replace(fate=self._fate_of[numbers[place]])
            if listed != reads[place]:
                source, action = reached[place]
                self._compare(self._state(source).child(action), listed, reads[place])
        count = len(self._fate_of)
        numbers[new] = np.arange(count, count + len(new))
        self._numbers.add(keys[new], numbers[new])
        for place in new.tolist():
            self._fate_of.append(reads[place].fate)
            self._player_of.append(reads[place].player)
            self._sources.append(reached[place][0])
            self._actions.append(reached[place][1])
        if len(self._fate_of) > self._limit:
            raise self._too_large(f"more than {self._limit} positions, the limit")
        check_table(self._name, len(self._fate_of), self._pass_option)
        if self._tensors is not None:
            joined = b"".join(read.tensor for read in reads)
            entries = np.frombuffer(joined, "f4").reshape(len(reads), -1)
            whole = np.clip(entries, 0, 255).astype(np.uint8)
            if self._merge and len(known):
                others = np.concatenate(self._tensors)[numbers[known]]
                self._differs = self._differs | (others != whole[known]).any(axis=0)
            self._tensors.append(whole[new])
            if (whole != entries).any():
                self._tensors = None
        return numbers

    def _compare(self, state: Any, known: _Read, read: _Read) -> None:
        """Compare two histories that lead to one position, the second of them to this state.

        Raises:
            InvalidGameError: their legal actions or returns differ.
        """
        if known.tensor != read.tensor:  # with merged strings alone
            pair = [np.frombuffer(each.tensor, "f4") for each in (known, read)]
            self._differs = self._differs | (pair[0] != pair[1])
        (was_over, one), (over, other) = self._fates[known.fate], self._fates[read.fate]
        is_cut = self._cycles and over and not any(other)  # by a limit on moves
        if known.fate != read.fate and not is_cut:
            words = "returns" if was_over and over else "legal actions"
            if was_over != over:  # returns are no legal actions
                one, other = ((), other) if was_over else (one, ())
            raise self._not_told_apart(state, f"{words} are {one} or {other}")

    def _not_told_apart(self, state: Any, difference: str) -> InvalidGameError:
        """Return the error for histories that lead to one position and differ."""
        return InvalidGameError(
            f"{self._name} of OpenSpiel has states that their strings and tensors do not tell "
            f"apart: {difference}, here after the moves {state.history()}: a counter or a rule on "
            f"repetitions is hidden in the state\n{state}"
        )

    def _too_large(self, has: str) -> SearchTooLargeError:
        """Return the error for too many positions."""
        return SearchTooLargeError(
            f"{self._name} of OpenSpiel has {has}: positions after {len(self._levels) - 1} moves "
            f"are reached, where games take up to {self._game.max_game_length()}, with "
            f"{self._pass_option} actions. A larger limit may be given as limit=..."
        )

    def part(self) -> OpenSpielPart:
        """Return the part of the game; random games are compared with it."""
        labels = [
            " or ".join(self._strings.get(action, ())) or f"action {action}"
            for action in range(self._pass_option)
        ]
        points, words = self._coordinates()
        reached_by = np.stack([self._sources, self._actions], axis=1)
        if self._begins or any((targets < 0).any() for *_, targets in self._moves):
            points, self._moves = insert_passes(
                points, self._moves, self._pass_option, [0] * self._begins
            )
            reached_by = np.concatenate([reached_by, reached_by[self._moves[-1][2]]])
            words += ", 1 where the other player passes first"
            labels.append(FORCED_PASS)
        order = np.argsort(keys_of(points))
        for column in points.T:  # in place, which saves the memory of a copy
            column[:] = column[order]
        row_of = np.empty(len(order), dtype=np.int32)
        row_of[order] = np.arange(len(order))
        after = np.full((len(points), len(labels)), -1, dtype=np.int32)
        while self._moves:  # each is freed as soon as it is in the table
            sources, options, targets = self._moves.pop()
            after[row_of[sources], options] = row_of[targets]
        self._check_random_games(after, row_of)
        values = np.zeros(len(points), dtype=np.int8)  # 0 at passes
        signs = [np.sign(each) if over else (0, 0) for over, each in self._fates]
        found = row_of[: len(self._fate_of)]
        values[found] = np.array(signs, dtype=np.int8)[self._fate_of, self._player_of]
        reached_by[:, 0] = np.where(reached_by[:, 0] < 0, -1, row_of[reached_by[:, 0]])
        first = int(row_of[len(found) if self._begins else 0])
        return OpenSpielPart(
            self._game, points, words, after, labels, values, reached_by[order], first
        )

    def _check_random_games(self, after: Int32Array, row_of: Int32Array) -> None:
        """Compare random games with the table of moves, whole histories, from a fixed seed.

        Args:
            after: the table.
            row_of: row of each position by its index.
        """
        rng = np.random.default_rng(0)
        for _ in range(CHECKED_GAMES):
            state, row = self._game.new_initial_state(), row_of[0]
            for _ in range(self._game.max_game_length()):  # there may be no other end
                if state.is_terminal():
                    break
                player, action = state.current_player(), int(rng.choice(state.legal_actions()))
                state.apply_action(action)
                row, read = after[row, action], self._read(state, player)
                if read.player == player:
                    row = after[row, self._pass_option]
                index = int(self._numbers.find(np.frombuffer(read.key, "S16"))[0])
                if row_of[index] != row or index < 0:
                    raise self._not_told_apart(state, f"action {action} leads to other states")
                self._compare(state, read._replace(fate=self._fate_of[index]), read)

    def _coordinates(self) -> tuple[Array, str]:
        """Return the coordinates of positions, ``(positions, fields)``, and their meaning."""
        count = len(self._fate_of)
        table, words = np.zeros((count, 0), dtype=np.uint8), []
        if self._tensors:
            table, self._tensors = np.concatenate(self._tensors), None
            agree = ""
            if self._differs.any():
                table = table[:, ~self._differs]
                agree = ", in which states with equal strings agree"
            some = f"{table.shape[1]} entr{'y' if table.shape[1] == 1 else 'ies'}"
            words.append(f"{some} of observation_tensor{agree}")
        distinct, ranks = ranks_of(table)
        if distinct < count:
            more = np.column_stack([table, np.array(self._player_of, dtype=np.uint8)])
            now, of_more = ranks_of(more)
            if now > distinct:
                table, distinct, ranks = more, now, of_more
                words.append("the player to move")
        if distinct < count:
            table = np.column_stack([table, ranks])
            words.append("a number among positions that are alike in these")
        return table, ", ".join(words)
