"""State merging: the automaton agrees with every word that it was given."""

from hypothesis import given
from hypothesis import strategies as st

from agents.research.column_automata.state_merging import (
    ContradictionError,
    labelled_words,
    merged_automaton,
    word_of,
)
from tests.agents.research.column_automata.claims import right_claim

HEAPS = st.lists(st.integers(1, 9), max_size=3).map(tuple)
READINGS = st.fixed_dictionaries({"zeros": st.booleans(), "most_significant_first": st.booleans()})


def claimed(automaton, word):
    """Whether an automaton accepts a word, read letter by letter."""
    state = 0
    for letter in word:
        state = automaton.transitions[state, letter]
    return bool(automaton.lost[state])


@given(HEAPS, READINGS, st.integers(0, 2))
def test_words_equal_those_that_automata_read(heaps, reading, empty_columns):
    claim = right_claim(3, True, reading["most_significant_first"], 3 if reading["zeros"] else 2)
    word = word_of(heaps, **reading, empty_columns=empty_columns)
    padded = claim.padded
    assert claimed(padded, word) == bool(claim.is_lost(heaps or (0,)))


@given(st.dictionaries(HEAPS, st.booleans(), min_size=1, max_size=12), READINGS)
def test_the_automaton_agrees_with_every_label(labels, reading):
    try:
        words = labelled_words(labels, **reading)
    except ContradictionError as error:
        assert labels[error.lost]
        assert not labels[error.won]
        assert not reading["zeros"] or set(error.args) != {error.lost}
        return
    automaton = merged_automaton(words, **reading)
    assert all(claimed(automaton, word) == lost for word, lost in words.items())
    assert automaton.reads_zeros == reading["zeros"]
    assert automaton.most_significant_first == reading["most_significant_first"]
    for heaps, lost in labels.items():
        assert bool(automaton.is_lost(heaps or (0,))) == lost
