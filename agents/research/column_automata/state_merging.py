"""State merging: a small automaton that agrees with labelled words."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from agents.research.column_automata import ONE, SEPARATOR, ZERO, ColumnAutomaton
from agents.research.column_automata.heaps import Heaps

MOST_EMPTY_COLUMNS = 2
"""Most empty columns that are added above the highest bit of a position."""

NONE = -1
"""Mark of a missing transition, and of a missing label."""

Word = tuple[int, ...]
"""Letters, as a :class:`~agents.research.column_automata.ColumnAutomaton` reads them."""


def word_of(
    heaps: Sequence[int], *, zeros: bool, most_significant_first: bool, empty_columns: int = 0
) -> Word:
    """Return heaps as a word: for each column its bits, then the separator.

    Example:
        >>> word_of((1, 2), zeros=True, most_significant_first=True)
        (2, 1, 0, 1, 2, 0)
    """
    columns = range(max(1, max(heaps, default=0).bit_length()) + empty_columns)
    word: list[int] = []
    for column in reversed(columns) if most_significant_first else columns:
        bits = (heap >> column & 1 for heap in heaps)
        word.extend(ONE if bit else ZERO for bit in bits if bit or zeros)
        word.append(SEPARATOR)
    return tuple(word)


class ContradictionError(Exception):
    """Two positions with different labels are read as the same word."""

    def __init__(self, lost: Heaps, won: Heaps) -> None:
        super().__init__(lost, won)
        self.lost = lost
        self.won = won


def labelled_words(
    lost: Mapping[Heaps, bool], *, zeros: bool, most_significant_first: bool
) -> dict[Word, bool]:
    """Return labelled words of positions, each with zero to two empty columns added on top.

    If zeros are letters, each position is also written with an empty heap at either end.
    """
    words: dict[Word, bool] = {}
    of_word: dict[Word, Heaps] = {}
    for position, label in lost.items():
        alike = [position, (0, *position), (*position, 0)] if zeros else [position]
        for heaps, columns in itertools.product(alike, range(MOST_EMPTY_COLUMNS + 1)):
            word = word_of(
                heaps,
                zeros=zeros,
                most_significant_first=most_significant_first,
                empty_columns=columns,
            )
            other = of_word.setdefault(word, position)
            if words.setdefault(word, label) != label:
                raise ContradictionError(*((position, other) if label else (other, position)))
    return words


class _Merger:
    """The states of an automaton under construction, some of which are merged."""

    def __init__(self, words: Mapping[Word, bool], letters: int) -> None:
        self.letters = range(letters)
        self.next: list[list[int]] = [[NONE] * letters]
        self.label: list[int] = [NONE]
        for word in sorted(words, key=lambda word: (len(word), word)):
            state = 0
            for letter in word:
                if self.next[state][letter] == NONE:
                    self.next[state][letter] = len(self.next)
                    self.next.append([NONE] * letters)
                    self.label.append(NONE)
                state = self.next[state][letter]
            self.label[state] = int(words[word])
        # Previous values of changed transitions and labels, so that a merge can be undone.
        self._changed: list[tuple[list[int], int, int]] = []

    def _set(self, entries: list[int], place: int, value: int) -> None:
        self._changed.append((entries, place, entries[place]))
        entries[place] = value

    def undo(self) -> None:
        """Undo the last merge."""
        while self._changed:
            entries, place, value = self._changed.pop()
            entries[place] = value

    def merge(self, red: int, parent: int, letter: int) -> int | None:
        """Merge the state after ``parent`` and ``letter`` with ``red``, and their successors.

        The successors of the merged state form a tree, so that each is visited once.
        """
        self._changed.clear()
        blue = self.next[parent][letter]
        self._set(self.next[parent], letter, red)
        evidence, pairs = 0, [(red, blue)]
        while pairs:
            red_state, gone = pairs.pop()
            label = self.label[gone]
            if label != NONE:
                if self.label[red_state] == NONE:
                    self._set(self.label, red_state, label)
                elif self.label[red_state] == label:
                    evidence += 1
                else:
                    return None
            for letter in self.letters:
                after = self.next[gone][letter]
                if after != NONE:
                    if self.next[red_state][letter] == NONE:
                        self._set(self.next[red_state], letter, after)
                    else:
                        pairs.append((self.next[red_state][letter], after))
        return evidence


def merged_automaton(
    words: Mapping[Word, bool], *, zeros: bool, most_significant_first: bool
) -> ColumnAutomaton:
    """Return a small automaton that agrees with labelled words.

    Red states are states of the automaton, blue states their successors. A red and a blue state
    are merged if no labels contradict it, the pair with the most agreeing labels first. A blue
    state that can be merged with no red one becomes red. Before that, the state after a zero is
    merged with the one before it, so that zeros are ignored unless a label contradicts it.
    Transitions that no word takes lead to a sink, which claims that the position is won.

    References:
        J. Oncina and P. García, "Inferring regular languages in polynomial updated time", *Pattern
        Recognition and Image Analysis* (1992); K. J. Lang, B. A. Pearlmutter and R. A. Price,
        "Results of the Abbadingo One DFA learning competition", *ICGI* (1998), for blue-fringe and
        evidence.
    """
    merger = _Merger(words, 3 if zeros else 2)
    red = [0]
    while True:
        places = {
            merger.next[state][letter]: (state, letter)
            for state in red
            for letter in merger.letters
            if merger.next[state][letter] not in (NONE, *red)
        }
        if not places:
            break
        if _loops_at_zero(merger, places.values()):
            continue
        best: tuple[int, int, int, int] | None = None
        promoted = None
        for blue, (parent, letter) in places.items():
            fits = False
            for state in red:
                evidence = merger.merge(state, parent, letter)
                merger.undo()
                if evidence is not None:
                    fits = True
                    if best is None or evidence > best[0]:
                        best = evidence, state, parent, letter
            if not fits:
                promoted = blue
                break
        if promoted is not None:
            red.append(promoted)
        elif best is not None:
            merger.merge(*best[1:])
    # The automaton of the red states; missing transitions lead to a sink.
    state_ids = {state: place for place, state in enumerate(red)}
    rows = [[state_ids.get(after, len(red)) for after in merger.next[state]] for state in red]
    lost = [merger.label[state] == 1 for state in red]
    rows.append([len(red)] * len(merger.letters))
    return ColumnAutomaton(
        np.array(rows), np.array([*lost, False]), most_significant_first
    ).minimal()


def _loops_at_zero(merger: _Merger, places: Iterable[tuple[int, int]]) -> bool:
    """Merge the state after a zero with the one before it, at the first place where they agree."""
    for parent, letter in places:
        if letter == ZERO:
            if merger.merge(parent, parent, letter) is not None:
                return True
            merger.undo()
    return False
