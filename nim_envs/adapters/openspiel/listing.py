"""Games of OpenSpiel, listed breadth first."""

import json
from array import array
from collections.abc import Sequence
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python.observation import make_observation

from nim_envs.adapters.openspiel.part import OpenSpielPart, replayed
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import LARGEST_TABLE, Words, check_table
from nim_envs.index import keys_of
from nim_envs.listing import (
    LARGEST_LISTING,
    Chunks,
    Numbers,
    find_cycles,
    say_label,
    shared,
    table_of_moves,
)
from nim_envs.typing import Array, Int32Array
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

CHECKED_GAMES = 200
"""Random games that are compared with the listing."""

AT_ONCE = 2**16
"""Most moves that are read before the states after them are compared with all that are known."""

SIZES = ("board_size", "columns", "m", "n", "num_cols", "num_rows", "rows", "size")
"""Parameters of OpenSpiel that are sizes of boards."""

SOON = 2**12
"""Positions from which on the growth of levels is looked at."""

HOPELESS = 16
"""A listing is given up where its levels grow to that many times the positions that are allowed."""


def game_of(
    openspiel_game: Any,
    parameters: dict[str, Any] | None = None,
    *,
    limit: int = LARGEST_LISTING,
    merge_strings: bool = False,
    cycles: str | None = None,
) -> Game:
    """Return a game of OpenSpiel as a game with wins, draws and losses.

    It must be deterministic, of two players in turns, with perfect information and zero sum. Two
    histories lead to one position if string, tensor and player to move are equal; where their legal
    actions or returns differ, the game is refused.

    **Actions** are OpenSpiel's ids. Where a player moves twice in a row, the other passes in
    between: a pass is one action more, the last, and the only move where it is legal.

    **Coordinates** are the entries of ``observation_tensor`` of the player to move, where they are
    whole numbers. If these do not tell all positions apart, more follow: the player to move; a
    number among positions that are alike; and, in games with passes, 1 where the other player
    passes before this position. ``game.parts[0].coordinate_words`` says which.

    **Values** of finished games are the signs of their returns: a margin counts as a win.

    Args:
        openspiel_game: its string, such as ``"connect_four(rows=4,columns=4)"``, or a
            ``pyspiel.Game``.
        parameters: beside the name of a game, as of ``pyspiel.load_game``.
        limit: most positions to list.
        merge_strings: whether histories with equal strings lead to one position even where their
            tensors differ, as in dots and boxes, whose tensor tells who drew each line. Coordinates
            are then the entries in which such tensors agree.
        cycles: ``"draw"``: moves may form cycles, and play that never ends is drawn; a limit on
            moves by which OpenSpiel ends it with a draw is left out. ``None``: every play must end.

    Returns:
        The game, whose name is OpenSpiel's string of it.

    Raises:
        InvalidGameError: OpenSpiel has no such game; or it is of another kind, over at the start,
            has moves that form a cycle, or states that are not told apart.
        SearchTooLargeError: it has more than ``limit`` positions, too many for its actions, or
            levels whose growth leads to far more.

    Example:
        >>> game = game_of("tic_tac_toe")
        >>> game.solution.value(game.start), game.parts[0].num_positions
        (0, 5478)
    """
    most = checked_integer("limit", limit, 1)
    merge = checked_boolean("merge_strings", merge_strings)
    checked_choice("cycles", cycles, ("draw",), or_none=True)
    loaded = _loaded(openspiel_game, parameters)
    name = str(loaded).removesuffix("()")
    how = loaded.get_type().short_name, json.dumps(loaded.get_parameters(), sort_keys=True)
    part: Any = openspiel_part(name, *how, most, merge, cycles is not None)
    return Game(name, (part,), part.start)


@shared
def openspiel_part(
    name: str, short_name: str, parameters: str, limit: int, merge_strings: bool, cycles: bool
) -> OpenSpielPart:
    """The states of a game, which any process loads again by its name and parameters as JSON."""
    try:
        game = pyspiel.load_game(short_name, json.loads(parameters))
        part = _Listing(name, game, limit, merge_strings, cycles).part()
    except pyspiel.SpielError as error:
        raise InvalidGameError(f"OpenSpiel cannot play {name}: {error}") from error
    find_cycles(part, cycles)
    return part


def _loaded(game: Any, parameters: dict[str, Any] | None) -> Any:
    """Return a ``pyspiel.Game`` of the kind that is solved here."""
    loaded = game
    if not isinstance(game, pyspiel.Game):
        names = pyspiel.registered_names()
        name = str(game).partition("(")[0].strip()
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
    sees_all = kind.information == kinds.Information.PERFECT_INFORMATION
    faults = {
        f"it has {loaded.num_players()} players, not 2": loaded.num_players() != 2,
        "players move at the same time": kind.dynamics != kinds.Dynamics.SEQUENTIAL,
        "chance plays a part": kind.chance_mode != kinds.ChanceMode.DETERMINISTIC,
        "players do not see all of the state": not sees_all,
        "its returns are not of zero sum": kind.utility != kinds.Utility.ZERO_SUM,
    }
    for name, value in loaded.get_parameters().items():  # some crash on a board without cells
        faults[f"its board is empty, {name}={value}"] = name in SIZES and value <= 0
    found = "; ".join(fault for fault, is_found in faults.items() if is_found)
    if found:
        raise InvalidGameError(
            f"{str(loaded).removesuffix('()')} of OpenSpiel cannot be solved here: {found}. A game "
            "needs two players in turns, no chance, perfect information and zero sum"
        )
    return loaded


class _Fate(NamedTuple):
    """Player to move, legal actions and returns: equal for all histories of one position."""

    player: int  # to move; after the end, the player who did not move last
    legal: tuple[int, ...]
    returns: tuple[float, ...]  # none before the end


class _Read(NamedTuple):
    """Key, fate and observation of a state."""

    key: bytes  # digest of string, player, and tensor unless strings are merged
    fate: _Fate
    tensor: bytes  # float32, observed by the player to move


class _Listing:
    """Lists the positions and moves of a game of OpenSpiel, breadth first."""

    def __init__(self, name: str, game: Any, limit: int, merge_strings: bool, cycles: bool) -> None:
        self._name, self._game, self._limit = name, game, limit
        self._merge, self._cycles = merge_strings, cycles
        self._num_actions = game.num_distinct_actions()  # the pass is the next one
        has_tensor = game.get_type().provides_observation_tensor
        self._observer = make_observation(game) if has_tensor else None
        self._numbers = Numbers()  # index of each position by its key
        self._fates: dict[_Fate, _Fate] = {}  # each once, as many positions have the same
        self._fate_of: list[_Fate] = []
        self._sources, self._actions = array("i"), array("i")  # by which each is first reached
        self._tensors: list[Array] | None = [] if has_tensor else None
        self._differs: Any = np.False_  # entries of tensors in which equal strings do not agree
        self._moves = Chunks()
        self._strings = [dict[str, None]() for _ in range(self._num_actions)]  # of each action
        self._levels = [1]  # number of new positions after each number of moves
        start = game.new_initial_state()
        if start.is_terminal():
            raise InvalidGameError(f"{name} of OpenSpiel is over at the start: no move there")
        self._begins = start.current_player()
        self._add([-1], [-1], [self._read(start, 1 - self._begins)])
        begin, step = 0, max(1, AT_ONCE // self._num_actions)
        while begin < (end := self._numbers.count):
            self._levels.append(0)
            for first in range(begin, end, step):
                self._read_moves(range(first, min(first + step, end)))
                self._levels[-1] = self._numbers.count - end
                self._check_size()
            begin = end

    def _read_moves(self, positions: range) -> None:
        """Read the moves from some positions, given by their indices."""
        sources, actions, reads, again = array("i"), array("i"), list[_Read](), list[bool]()
        before, last = self._game.new_initial_state(), -1
        for source in positions:
            if last != self._sources[source]:  # equal for positions that follow one another
                last = self._sources[source]
                before = replayed(self._game, self._sources, self._actions, last)
            state = before.child(self._actions[source]) if source else before
            player, legal, _ = self._fate_of[source]
            for action in legal:
                self._strings[action][state.action_to_string(player, action)] = None
                sources.append(source)
                actions.append(action)
                reads.append(self._read(state.child(action), player))
                again.append(reads[-1].fate.player == player)
        if reads:
            targets = self._add(sources, actions, reads)
            options = np.asarray(actions).astype(np.min_scalar_type(self._num_actions))
            self._moves.append((np.asarray(sources), options, np.where(again, ~targets, targets)))

    def _read(self, state: Any, last_player: int) -> _Read:
        """Read a state after a move of a player."""
        is_over, tensor = state.is_terminal(), b""
        player = 1 - last_player if is_over else state.current_player()
        returns = tuple(state.returns()) if is_over else ()
        fate = _Fate(player, tuple(state.legal_actions()), returns)
        if not is_over and not fate.legal:
            raise InvalidGameError(
                f"{self._name} of OpenSpiel has a state that has not ended and leaves no legal "
                f"action, after the moves {state.history()}\n{state}"
            )
        if self._observer is not None:
            self._observer.set_from(state, player)
            tensor = self._observer.tensor.tobytes()
        told = f"{player}{state}".encode()
        key = blake2b(told if self._merge else told + tensor, digest_size=16).digest()
        return _Read(key, self._fates.setdefault(fate, fate), tensor)

    def _add(self, sources: Any, actions: Any, reads: list[_Read]) -> Int32Array:
        """Return the index of the position after each move; new positions are added."""
        numbers, new = self._numbers.add(np.frombuffer(b"".join(r.key for r in reads), "S16"))
        for place in new.tolist():
            self._fate_of.append(reads[place].fate)
            self._sources.append(sources[place])
            self._actions.append(actions[place])
        for place, (number, read) in enumerate(zip(numbers.tolist(), reads, strict=True)):
            if read.fate is not self._fate_of[number]:
                before = replayed(self._game, self._sources, self._actions, sources[place])
                known = read._replace(fate=self._fate_of[number])
                self._compare(before.child(actions[place]), known, read)
        if self._tensors is not None:
            joined = b"".join(read.tensor for read in reads)
            entries = np.frombuffer(joined, "f4").reshape(len(reads), -1)
            whole = np.clip(entries, 0, 255).astype(np.uint8)
            self._tensors.append(whole[new])
            if self._merge:
                listed = np.concatenate(self._tensors)[numbers]
                self._differs = self._differs | (listed != whole).any(axis=0)
            if (whole != entries).any():
                self._tensors = None
        return numbers

    def _compare(self, state: Any, known: _Read, found: _Read) -> None:
        """Raise ``InvalidGameError`` if two histories, the second to this state, differ there."""
        (key, one, _), (its_key, other, _) = known, found
        is_cut = self._cycles and other.returns and not any(other.returns)  # by a limit on moves
        if key != its_key:
            fault = f"action {state.history()[-1]} leads to other states"
        elif one == other or is_cut:
            return
        elif one.legal != other.legal:
            fault = f"legal actions are {one.legal} or {other.legal}"
        else:
            fault = f"returns are {one.returns} or {other.returns}"
        raise InvalidGameError(
            f"{self._name} of OpenSpiel has states that their strings and tensors do not tell "
            f"apart: {fault}, here after the moves {state.history()}: a counter or a rule on "
            f"repetitions is hidden in the state\n{state}"
        )

    def _check_size(self) -> None:
        """Raise ``SearchTooLargeError`` for too many positions, or levels that grow to too many."""
        count, has = self._numbers.count, ""
        check_table(self._name, count, self._num_actions)
        most = min(self._limit, LARGEST_TABLE // self._num_actions)
        longest = self._game.max_game_length()
        if count > self._limit:
            has = f"more than {self._limit} positions, the limit"
        elif count >= SOON and grow_beyond(most, self._levels, longest):
            shown = ", ".join(map(str, self._levels[-5:]))
            has = f"levels of {shown} new positions, which grow to far more than {most}, the limit"
        if has:
            raise SearchTooLargeError(
                f"{self._name} of OpenSpiel has {has}: positions after {len(self._levels) - 1} "
                f"moves are reached, where games take up to {longest}, with {self._num_actions} "
                "actions. A larger limit may be given as limit=..."
            )

    def part(self) -> OpenSpielPart:
        """Return the part of the game; random games are compared with it."""
        labels = [" or ".join(each) or f"action {i}" for i, each in enumerate(self._strings)]
        points, words = self._coordinates()
        points, after, index_of = table_of_moves(
            self._name, points, self._moves, np.arange(self._num_actions), [0] * self._begins
        )
        has_passes = after.shape[1] > self._num_actions
        if has_passes:
            words += ", 1 where the other player passes first"
            labels.append("pass, as the other player moves again")
        kind = self._game.get_type()
        says = Words(kind.short_name, say_label, f"make a move of {kind.long_name}")
        part = OpenSpielPart(points, after, labels, says)
        part.openspiel_game, part.coordinate_words = self._game, words
        part.reached_by = self._sources, self._actions, index_of
        part.has_passes = has_passes
        results = [each.returns[each.player] if each.returns else 0 for each in self._fate_of]
        part.outcome = np.sign(results).astype(np.int8)[index_of]
        first = np.flatnonzero(index_of == 0)  # the row of the pass is the last of them
        part.start = part.position(first[-self._begins])
        self._check_random_games(part)
        return part

    def _check_random_games(self, part: OpenSpielPart) -> None:
        """Compare random games with the part, whole histories, from a fixed seed."""
        rng, start = np.random.default_rng(0), part.state(part.start)
        row: Any
        for _ in range(CHECKED_GAMES):
            state, row = self._game.new_initial_state(), start
            for _ in range(self._game.max_game_length()):  # there may be no other end
                if part.is_forced_pass(part.position(row)):
                    row = part.move(row, self._num_actions)
                if state.is_terminal():
                    break
                player, action = state.current_player(), int(rng.choice(state.legal_actions()))
                state.apply_action(action)
                row = part.move(row, action)
                listed = self._read(part.openspiel_state(part.position(row)), player)
                self._compare(state, listed, self._read(state, player))

    def _coordinates(self) -> tuple[Array, str]:
        """Return the coordinates of positions, ``(positions, fields)``, and their meaning."""
        table, words = np.zeros((self._numbers.count, 0), dtype=np.uint8), []
        if self._tensors:
            table, self._tensors = np.concatenate(self._tensors), None
            agree = ""
            if self._differs.any():
                table = table[:, ~self._differs]
                agree = ", in which states with equal strings agree"
            some = f"{table.shape[1]} entr{'y' if table.shape[1] == 1 else 'ies'}"
            words.append(f"{some} of observation_tensor{agree}")
        ranks = ranks_of(table)
        if ranks.any():
            players = np.array([fate.player for fate in self._fate_of], dtype=np.uint8)
            more = np.column_stack([table, players])
            of_more = ranks_of(more)
            if (of_more > 0).sum() < (ranks > 0).sum():
                table, ranks = more, of_more
                words.append("the player to move")
        if ranks.any():
            table = np.column_stack([table, ranks])
            words.append("a number among positions that are alike in these")
        return table, ", ".join(words)


def grow_beyond(most: int, levels: Sequence[int], moves: int) -> bool:
    """Return whether the levels of a game grow to far more than ``most`` positions.

    ``levels`` has the number of new positions after each number of moves, of at most ``moves``. The
    factor from level to level is taken to fall further, as fast as at the last levels: less than it
    falls in most games, where moves run out.
    """
    logs, left = np.log(np.maximum(levels[-5:], 1)), moves - len(levels) + 1
    if len(logs) < 3 or left < 1:
        return False
    growth = np.diff(logs)
    slowing = max(0.0, (growth[0] - growth[-1]) / (len(growth) - 1))
    largest = logs[-1] + np.cumsum(growth[-1] - slowing * np.arange(1, left + 1)).max()
    return bool(largest > np.log(HOPELESS * most))


def ranks_of(table: Array) -> Int32Array:
    """Return the rank of each row among those equal to it, from 0, ``(n, k)`` to ``(n,)``."""
    keys = keys_of(table)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_first = np.concatenate([[True], keys[1:] != keys[:-1]])
    places, ranks = np.arange(len(table)), np.empty(len(table), dtype=np.int32)
    ranks[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return ranks
