"""The solver and plain recursion against published values and periods of octal games.

``published_octal_games.json`` has the published facts, values as digits in base 36, in the order of
the heaps. Periods and corrections: T. Czajka, "Solving octal games"
(https://github.com/tczajka/octal-games), which repeats the results of E. R. Berlekamp, J. H. Conway
and R. K. Guy, *Winning Ways*, ch. 4, and of A. Flammenkamp, "Sprague-Grundy values of octal games"
(https://wwwhomes.uni-bielefeld.de/achim/octal.html), corrects them for 0.161, 0.27 and 0.314, and
names who solved a game first. Sequences: the On-Line Encyclopedia of Integer Sequences
(https://oeis.org), most of them by N. J. A. Sloane, S. Pope, C. G. Bower and E. M. Schmidt after
*Winning Ways* and Flammenkamp. Its entry A071436 gives 326637 as the last exception of 0.56; the
long period's is 326639, which the programs here find too: only the values of that entry are given.
"""

import json
from pathlib import Path

import pytest

from nim_envs.cgt.sequences import Period, grundy_sequence, octal_period
from nim_envs.games.octal_codes import GRUNDY, heap_game
from tests.nim_envs.cgt.test_periods import by_recursion

PUBLISHED = json.loads(Path(__file__).with_name("published_octal_games.json").read_text("utf-8"))
PERIODS, LONG_PERIODS, CORRECTIONS, SEQUENCES = (
    PUBLISHED[table]["rows"] for table in ("periods", "long periods", "corrections", "sequences")
)

QUICK = 20_000
"""Values that the solver computes in a moment, for any game in the table."""

REGULAR = 12_000
"""End of the first period up to which a long period takes about a second."""

LARGEST = 100_000
"""End of the first period up to which a long one takes at most half a minute."""


def numbers(digits):
    return [int(digit, 36) for digit in digits]


def test_published_first_values_are_those_of_the_solver_and_of_the_recursion():
    tables = [(code, 0, values) for code, _, _, values in PERIODS]
    tables += [(code, first, values) for _, code, first, _, _, values in SEQUENCES]
    assert len(tables) > 100
    for code, first, values in tables:
        game, size = heap_game(code), first + len(values)
        assert grundy_sequence(game, size)[first:].tolist() == numbers(values), code
        if game is not GRUNDY:  # whose heaps must be unequal
            assert by_recursion(game.digits, size)[first:] == numbers(values), code


def check(period: Period, code, start, length):
    assert (period.start, period.length) == (start, length), code
    assert period.last_exception == start - 1, code
    assert period.proven, code


def test_published_short_periods_are_proved():
    for code, start, length, values in PERIODS:
        period = octal_period(code, QUICK)
        check(period, code, start, length)
        assert period.extend(len(values)).tolist() == numbers(values)
    for _, code, _, length, last_exception, _ in SEQUENCES:
        if length is not None and last_exception < 1_000:
            check(octal_period(code, QUICK), code, last_exception + 1, length)


@pytest.mark.parametrize(
    ("code", "start", "length", "largest", "heap"),
    [
        pytest.param(
            *row, id=row[0], marks=[pytest.mark.exhaustive] if row[1] + row[2] > REGULAR else []
        )
        for row in LONG_PERIODS
        if row[1] + row[2] <= LARGEST
    ],
)
def test_published_long_periods_are_proved(code, start, length, largest, heap):
    period = octal_period(code, 1 << 18)
    check(period, code, start, length)
    # The first period and what comes before it have every value.
    assert (period.values.max(), period.values.argmax()) == (largest, heap)
    for _, same, _, period_length, last_exception, _ in SEQUENCES:
        if same == code and period_length is not None:
            assert (period_length, last_exception) == (length, start - 1)


def test_published_mistakes_are_mistakes():
    for code, same, other, heap in CORRECTIONS:
        values, others = (grundy_sequence(name, 2_000) for name in (code, other))
        first = int((values != others).argmax())
        assert values[first] != others[first], code
        assert heap in (None, first), code
        recursion = [by_recursion(heap_game(name).digits, first + 1) for name in (code, other)]
        assert [row[first] for row in recursion] == [values[first], others[first]]
        if same is not None:
            periods = [octal_period(name, QUICK) for name in (code, same)]
            assert len({(period.start, period.length) for period in periods}) == 1
            assert (periods[0].values == periods[1].values).all()
