"""States of parts as parts of sums."""

from __future__ import annotations

from agents.research.quotients.parts import Parts
from nim_envs import Game, make_game
from tests.tables import table_part


def parts_of(name, **arguments):
    return Parts(make_game(name, **arguments))


def test_states_with_the_same_options_are_one_part_and_terminal_ones_none():
    parts = parts_of("nim", heaps=(3, 5))
    assert parts.numbers == [[None, 0, 1, 2], [None, 0, 1, 2, 3, 4]]
    assert parts_of("subtraction", heaps=(5,), subtraction_set=(2,)).numbers == [
        [None, None, 0, 0, 1, 1]
    ]
    # The smaller heaps are no parts, so that heap 3 of Grundy's game leaves nothing.
    assert parts_of("grundy", heaps=(4,)).options[0] == ((),)


def test_tables_that_split_are_read_like_heaps():
    part = table_part(((-1, -1), (0, -1), (1, 0), (2, 1)), ((0, 0), (0, 0), (0, 0), (0, 1)))
    assert Parts(Game("table", (part,) * 3, (3, 0, 0))).options == [
        ((),), ((), (0,)), ((0, 0), (1,))
    ]  # fmt: skip
