"""States of components as parts of sums."""

from __future__ import annotations

import pytest

from agents.research.quotients.parts import Parts
from nim_envs import make_game
from nim_envs.rules import TableComponent
from nim_envs.rules.rules import Rules


def parts_of(name, **arguments):
    return Parts(make_game(name, **arguments).rules)


def test_parts_come_after_their_options():
    parts = parts_of(
        "sum",
        games=(("grundy", {"heaps": (12,)}), ("addition", {"k": 3, "n": 6}),
               ("graph", {"successors": ((), (0,), (1, 0), (2,)), "tokens": (3,)})),
    )  # fmt: skip
    assert len(parts) > 10
    for part, words in enumerate(parts.options):
        assert words
        assert all(left < part for word in words for left in word)
        longest = max(sum(parts.lengths[left] for left in word) for word in words)
        assert parts.lengths[part] == 1 + longest


def test_states_with_the_same_options_are_one_part_and_terminal_ones_none():
    parts = parts_of("nim", heaps=(3, 5))
    assert parts.numbers == [[None, 0, 1, 2], [None, 0, 1, 2, 3, 4]]
    assert parts_of("subtraction", heaps=(5,), subtraction_set=(2,)).numbers == [
        [None, None, 0, 0, 1, 1]
    ]
    # The smaller heaps are no parts, so that heap 3 of Grundy's game leaves nothing.
    assert parts_of("grundy", heaps=(4,)).options[0] == ((),)


def test_tables_that_split_are_read_like_heaps():
    table = TableComponent(
        rows=((-1, -1), (0, -1), (1, 0), (2, 1)), second_rows=((0, 0), (0, 0), (0, 0), (0, 1))
    )
    assert Parts(Rules("table", (table,) * 3, (3, 0, 0))).options == [
        ((),), ((), (0,)), ((0, 0), (1,))
    ]  # fmt: skip


@pytest.mark.parametrize("largest", [0, 4, 30])
def test_heaps_up_to_the_largest_are_parts_of_games_of_heaps(largest):
    parts = Parts(make_game("kayles", heaps=(9,)).rules, largest)
    assert [len(numbers) for numbers in parts.numbers] == [largest + 1]
    assert len(parts) == largest


def test_sums_have_names():
    assert parts_of("kayles", heaps=(9,)).name((0, 0, 8)) == "1+1+9"
    several = parts_of("sum", games=(("kayles", {"heaps": (4,)}), ("nim", {"heaps": (3,)})))
    assert several.name(()) == "0"
    assert several.name((several.numbers[0][4], several.numbers[1][3])) in {"a4+b3", "a4+a3"}
    assert several.kind_name(1) == "heap b"
