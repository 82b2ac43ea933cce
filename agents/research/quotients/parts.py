"""The states of a game's parts as parts of sums, each numbered after its options."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from agents.base import HypothesisError
from nim_envs import Game
from nim_envs.cgt.misere_quotients.parts import Parts as SumParts
from nim_envs.cgt.misere_quotients.parts import Word
from nim_envs.games.heaps import heap_game_of, splitting_heap
from nim_envs.graph import Part

MOST_OPTIONS = 1_000_000
"""Most options, over all states, of a part that can be learned."""


class Kind:
    """The states of one kind of part: heaps of one game, or states of one graph."""

    def __init__(self, part: Part, states: int) -> None:
        self.part = part
        self.states = states
        self.heap_game = heap_game_of(part)

    def options(self, state: int) -> list[tuple[int, ...]]:
        """Return the options of a state, each as a tuple of none, one or two states."""
        if self.heap_game is not None:
            return self.heap_game.options(state)
        after = self.part.after[state]
        second = np.zeros_like(after) if self.part.second is None else self.part.second[state]
        legal = np.flatnonzero(after >= 0)
        pairs = zip(after[legal].tolist(), second[legal].tolist(), strict=True)
        return [(one, other) if other else (one,) for one, other in pairs]

    def is_like(self, part: Part) -> bool:
        """Return whether the states of a part have the same moves as those of this kind."""
        other = Kind(part, min(part.num_positions, self.states))
        if self.heap_game is not None or other.heap_game is not None:
            return other.heap_game == self.heap_game
        return all(
            sorted(other.options(state)) == sorted(self.options(state))
            for state in range(other.states)
        )

    def all_options(self) -> list[list[tuple[int, ...]]]:
        """Return the options of all states."""
        size = 0 if self.heap_game else self.part.after.size
        options_by_state: list[list[tuple[int, ...]]] = []
        while size <= MOST_OPTIONS and len(options_by_state) < self.states:
            options_by_state.append(self.options(len(options_by_state)))
            size += len(options_by_state[-1]) if self.heap_game else 0
        if size > MOST_OPTIONS:
            raise HypothesisError(
                f"the states of a {self.part.words.kind} are learned one by one: {self.states} of "
                f"them have more than {MOST_OPTIONS} options, which is the limit"
            )
        return options_by_state

    def lengths(self) -> list[int]:
        """Return the number of moves in the longest play from each state."""
        sized = self.part
        if self.heap_game is not None:
            sized = splitting_heap(self.heap_game, self.states - 1)
        lengths: list[int] = sized.longest_play.tolist()
        return lengths


class Parts(SumParts):
    """The states of a game's parts as parts of sums, those with short play first.

    States with the same options are the same part; states without a move are left out.

    Attributes:
        kinds: kinds of parts, in the order of the parts.
        options: for each part, its distinct options, as words of earlier parts.
        lengths: for each part, the number of moves in the longest play.
        names: for each part, a kind and a state of it.
        states: all states with their kinds, those without a move first, each after its options.
        numbers: for each kind and state, the part; ``None`` where there is no move.
    """

    def __init__(self, game: Game) -> None:
        super().__init__()
        sizes: dict[Hashable, int] = {}
        parts: dict[Hashable, Part] = {}
        for part in game.parts:
            key: Hashable = heap_game_of(part) or part
            sizes[key] = max(part.num_positions, sizes.get(key, 0))
            parts.setdefault(key, part)
        self.kinds = [Kind(parts[key], states) for key, states in sizes.items()]
        self.names: list[tuple[int, int]] = []
        self.numbers: list[list[int | None]] = [[None] * kind.states for kind in self.kinds]
        self.states: list[tuple[int, int]] = []
        for number, state, options in self._in_order():
            self.states.append((number, state))
            if not options:
                continue
            index = self.index(self.word(number, left) for left in options)
            if index == len(self.names):
                self.names.append((number, state))
            self.numbers[number][state] = index

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self.options)

    def _in_order(self) -> Iterator[tuple[int, int, list[tuple[int, ...]]]]:
        """Yield kind, state and options of all states, shortest play first."""
        entries = []
        for index, kind in enumerate(self.kinds):
            options = kind.all_options()
            for state, length in enumerate(kind.lengths()):
                entries.append((length, index, state, options[state]))
        for _, index, state, left in sorted(entries, key=lambda entry: entry[:3]):
            yield index, state, left

    def word(self, kind: int, states: Sequence[int]) -> Word:
        """Return the sum of states of one kind as a word."""
        parts = (self.numbers[kind][state] for state in states)
        return tuple(sorted(part for part in parts if part is not None))

    def name(self, word: Word) -> str:
        """Return a sum as text, such as ``"1+1+4"``; the empty sum is ``"0"``.

        With several kinds, each state has the letter of its kind: ``"a1+b4"``.
        """
        letters = [_letter(kind) if len(self.kinds) > 1 else "" for kind in range(len(self.kinds))]
        named = (self.names[part] for part in word)
        return "+".join(f"{letters[kind]}{state}" for kind, state in named) or "0"

    def kind_name(self, kind: int) -> str:
        """Return a name for parts of a kind, with its letter where there are several."""
        name = self.kinds[kind].part.words.kind
        return name if len(self.kinds) == 1 else f"{name} {_letter(kind)}"


def _letter(kind: int) -> str:
    """Return the letters of a kind: a, b, ..., z, aa, ab, ..."""
    letters = ""
    while kind >= 0:
        kind, last = divmod(kind, 26)
        letters, kind = chr(ord("a") + last) + letters, kind - 1
    return letters
