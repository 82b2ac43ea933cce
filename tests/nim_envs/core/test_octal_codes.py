"""Octal codes: the options of a heap by its digits, names, and what is no code."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nim_envs.errors import InvalidGameError
from nim_envs.games.heaps import octal
from nim_envs.games.octal_codes import GRUNDY, NAMES, HeapGame, heap_game, octal_game


@given(
    head=st.sampled_from([0, 4]),
    digits=st.lists(st.integers(0, 7), max_size=6),
    repeating=st.booleans(),
    unequal=st.booleans(),
    heap=st.integers(0, 15),
)
def test_options_are_what_the_digits_say(head, digits, repeating, unequal, heap):
    digits = (head, *digits)
    assume(any(digits) and not (repeating and len(digits) == 1))
    game = HeapGame(digits, repeating, unequal)
    wanted = set()
    for taken in range(heap + 1):
        digit = digits[taken] if taken < len(digits) else (digits[-1] if repeating else 0)
        left = heap - taken
        if digit & 1 and left == 0 and taken:
            wanted.add(())
        if digit & 2 and left:
            wanted.add((left,))
        if digit & 4:
            wanted |= {
                (left - one, one)
                for one in range(1, left)
                if left - one >= one and not (unequal and 2 * one == left)
            }
    options = game.options(heap)
    assert set(options) == wanted
    assert len(options) == len(wanted)


@given(digits=st.text("01234567", min_size=1, max_size=6), repeats=st.booleans())
def test_a_name_is_a_code_of_the_same_game(digits, repeats):
    code = f"0.{digits[:-1]}({digits[-1]})" if repeats else f"0.{digits}"
    if not digits.strip("0"):
        with pytest.raises(InvalidGameError, match="all 0"):
            octal_game(code)
        return
    game = octal_game(code)
    assert octal_game(game.name) == game
    assert octal_game(game.name).name == game.name
    if repeats:
        assert octal_game(f"0.{digits}...") == octal_game(f".{digits}{digits[-1]}…") == game
        assert game == octal_game("0." + digits + f"({digits[-1]})")
    else:
        assert octal_game(f"{code}0") == octal_game(f"{code}(0)") == game


def test_games_that_go_by_a_name():
    assert {name: heap_game(name).name for name in NAMES} == NAMES
    assert heap_game("grundy") is GRUNDY
    assert GRUNDY.name == "grundy"
    assert heap_game("4.") == heap_game("splitting")
    codes = "0.77", "0.007", "4.0", "0.(3)"
    assert [octal_game(code).places for code in codes] == [2, 3, 0, None]


@pytest.mark.parametrize(("code", "size"), [("0.0(3)", 1), ("4.0(3)", 1), ("0.00(3)", 2)])
def test_heaps_may_be_too_small_for_the_digit_that_repeats(code, size):
    game = octal(code, (size,))
    assert game.is_over(game.start)


@pytest.mark.parametrize("code", ["", "77", "0.3..", "0.(37)", "0.77\n", "0.77.7"])
def test_an_impossible_code_is_refused_with_what_is_allowed(code):
    for function in (octal_game, heap_game):
        with pytest.raises(InvalidGameError) as caught:
            function(code)
        assert repr(code) in str(caught.value)
        assert "0.77" in str(caught.value)
    assert "kayles" in str(caught.value)
