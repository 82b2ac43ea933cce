"""Values in files: no period is proved by them, and a wrong value is named."""

from __future__ import annotations

import itertools
import zipfile

import numpy as np
import pytest

from nim_envs.cgt.sequences import grundy_sequences as sequences
from nim_envs.cgt.sequences.check import value_from_options, wrong_value
from nim_envs.cgt.sequences.grundy_sequences import GrundySequence, grundy_sequence, octal_period
from nim_envs.cgt.sequences.periods import find_period
from nim_envs.cgt.sequences.sequence_file import load_sequence, save_sequence
from nim_envs.cli.main import run
from nim_envs.errors import SearchTooLargeError, SequenceFileError
from nim_envs.rules.octal_codes import heap_game

OPEN = ("0.6", "0.06", "0.04", "0.36", "0.14", "0.64", "0.74", "0.76", "0.005", "4.327")
"""Games without a known period."""

PERIODIC = ("0.77", "0.07", "0.137", "0.45", "0.115", "4.0")

FILES = [60, pytest.param(500, marks=pytest.mark.exhaustive)]
"""Numbers of files with false content."""


@pytest.fixture
def few_recomputed(monkeypatch):
    """Only the first 128 values of a file are computed anew."""
    monkeypatch.setattr(sequences, "RECOMPUTED", 64)
    monkeypatch.setattr(sequences, "RECOMPUTE_SECONDS", 0.0)


def tampered(code, right, rng):
    """Values that differ from the right ones and mostly look like a proof of a period."""
    how = rng.integers(4)
    if how == 0:  # true values, then a cycle for ever
        start = int(rng.integers(30, 300))
        cycle = rng.integers(0, 9, size=rng.integers(1, 40))
        return np.concatenate([right[:start], np.resize(cycle, 8 * start + 400)]).astype(np.uint16)
    if how == 1:  # true values, then their last ones for ever
        start, length = int(rng.integers(30, 300)), int(rng.integers(1, 20))
        cycle = right[start - length : start]
        return np.concatenate([right[:start], np.resize(cycle, 8 * start + 400)]).astype(np.uint16)
    values = right[: rng.integers(1_000, len(right))].copy()
    if how == 2:  # one value
        values[rng.integers(len(values))] += rng.integers(1, 5)
    else:  # every value from a heap on
        values[rng.integers(len(values)) :] = rng.integers(5)
    return values


@pytest.mark.parametrize("count", FILES)
def test_no_period_of_values_in_a_file_is_called_proved(count, tmp_path, few_recomputed):
    rng = np.random.default_rng(0)
    right = {code: grundy_sequence(code, 4_000, method="naive") for code in OPEN + PERIODIC}
    periods = {code: octal_period(code, 2_000) for code in PERIODIC}
    path = tmp_path / "values.zip"
    wrong = convincing = named = 0
    while wrong < count:
        code = str(rng.choice(OPEN + PERIODIC))
        values = tampered(code, right[code], rng)
        if (values[:4_000] == right[code][: len(values)]).all():
            continue
        wrong += 1
        save_sequence(path, code, values)
        found = find_period(values, heap_game(code).places)
        convincing += found is not None and found.proven
        try:
            period = octal_period(code, 4_000, checkpoint=path)
        except SequenceFileError as error:
            named += "holds a wrong value: heap" in str(error)
        except SearchTooLargeError as error:
            assert "not all recomputed" in str(error)
        else:
            # Only from values that are right.
            assert (period.length, period.start) == (periods[code].length, periods[code].start)
            assert (period.extend(4_000) == right[code]).all()
    assert convincing > wrong / 4
    assert named > wrong / 2


def test_true_values_and_a_cycle_are_no_proof_of_an_open_problem(tmp_path, capsys):
    path = tmp_path / "values.zip"
    right = grundy_sequence("0.6", 50, method="plain")
    values = np.concatenate([right, np.tile(np.arange(12, dtype=np.uint16), 400)])
    save_sequence(path, "0.6", values)
    assert find_period(values, 1).proven
    heap = next(heap for heap in range(50, 100) if wrong(values, heap))
    message = f"{path} holds a wrong value: heap {heap} of 0.6 has "
    for words in (["period", "0.6"], ["sequence", "0.6", "100"]):
        assert run([*words, "--checkpoint", str(path)]) == 2
        output, error = capsys.readouterr()
        assert "proof" not in output
        assert message in error
    assert (np.array(load_only(path)) == values).all()


def wrong(values, heap):
    return value_from_options(heap_game("0.6"), values, heap) != values[heap]


def load_only(path):
    """The values in a file, unchecked."""
    with zipfile.ZipFile(path) as archive, archive.open("values.npy") as member:
        return np.lib.format.read_array(member)


@pytest.mark.parametrize(
    "code", ["0.77", "0.6", "4.0", "0.26", "grundy", "0.(3)", "4.(3)", "0.0(5)"]
)
def test_a_single_value_is_that_of_the_definition(code):
    game = heap_game(code)
    values = grundy_sequence(code, 300, method="plain")
    for heap in (*range(20), *range(20, 300, 17)):
        options = {
            int(np.bitwise_xor.reduce(values[list(option)], initial=0))
            for option in game.options(heap)
        }
        mex = next(value for value in itertools.count() if value not in options)
        assert value_from_options(game, values, heap) == mex == values[heap]
    assert wrong_value(game, values) is None
    changed = values.copy()
    changed[20] += 1
    heap, right = wrong_value(game, changed)
    assert (heap, right) == (20, values[20])


def test_random_heaps_are_checked_far_from_the_first(tmp_path):
    path = tmp_path / "values.zip"
    values = grundy_sequence("0.77", 200_000).copy()
    values[100_000:] = 1
    save_sequence(path, "0.77", values)
    with pytest.raises(SequenceFileError, match=r"heap 1\d{5} of 0\.77 has \d+, .* not 1$"):
        load_sequence(path, "0.77")


def test_all_values_are_computed_anew_where_that_is_cheap(tmp_path):
    path = tmp_path / "values.zip"
    values = grundy_sequence("0.6", 16_000, checkpoint=path)
    again = GrundySequence("0.6", checkpoint=path)
    assert again.recomputed == len(again.values) >= 16_000
    assert again.caution(10**9) is None
    changed = again.values.copy()
    changed[15_000] ^= 1
    save_sequence(path, "0.6", changed)
    with pytest.raises(SequenceFileError, match=f"heap 15000 of 0.6 has {values[15_000]}, "):
        GrundySequence("0.6", checkpoint=path)


def test_sentences_say_that_values_are_from_a_file(tmp_path, few_recomputed, capsys):
    path = tmp_path / "values.zip"
    grundy_sequence("0.6", 3_000, checkpoint=path)
    resumed = GrundySequence("0.6", checkpoint=path)
    caution = f"values from {path}, not all recomputed"
    assert 128 <= resumed.recomputed < 3_000
    assert resumed.caution(100) is None
    assert resumed.caution(3_000) == caution
    # Values computed from those of a file are no better.
    resumed.extend(4_000)
    assert resumed.caution(4_000) == caution
    with pytest.raises(SearchTooLargeError, match=f"which is the limit; {caution}"):
        octal_period("0.6", 3_000, checkpoint=path)
    for words, said in (
        (["sequence", "0.6", "100"], False), (["sequence", "0.6", "3000"], True),
        (["sequence", "0.6", "3000", "--summary"], True),
        (["period", "0.6", "--limit", "3000"], True),
    ):  # fmt: skip
        run([*words, "--checkpoint", str(path)])
        output, error = capsys.readouterr()
        assert (caution in " ".join((output + error).split())) == said, words
    resumed.recompute(10**6)
    assert resumed.recomputed == len(resumed.values)
    assert resumed.caution(4_000) is None


def test_a_picture_of_values_of_a_file_shows_no_period(
    tmp_path, few_recomputed, capsys, monkeypatch
):
    path, drawn = tmp_path / "values.zip", []
    monkeypatch.setattr(
        "nim_envs.render.plots.plot_sequence",
        lambda values, output, title, start: drawn.append((title, start)),
    )
    grundy_sequence("0.07", 2_000, checkpoint=path)
    words = ["plot", "0.07", "2000", "--output", str(tmp_path / "a.png")]
    assert run(words) == 0
    assert drawn.pop() == ("Grundy values of 0.07", 53)
    capsys.readouterr()
    assert run([*words, "--checkpoint", str(path)]) == 0
    title, start = drawn.pop()
    assert title == f"Grundy values of 0.07; values from {path}, not all recomputed"
    assert start is None
    assert "not all recomputed" in capsys.readouterr().out


def test_a_period_is_used_and_proved_with_recomputed_values_alone(tmp_path, few_recomputed):
    path = tmp_path / "values.zip"
    grundy_sequence("0.156", 8_000, method="naive", checkpoint=path)
    sequence = GrundySequence("0.156", checkpoint=path)
    sequence.extend(9_000)
    assert sequence.period is None
    assert sequence.caution(9_000) is not None
    period = octal_period("0.156", 8_000, checkpoint=path)
    assert (period.length, period.last_exception, period.needed) == (349, 3_478, 7_659)
    # One wrong value among those that the proof needs.
    changed = grundy_sequence("0.156", 8_000, method="naive").copy()
    changed[200] += 1
    save_sequence(path, "0.156", changed)
    with pytest.raises(SequenceFileError, match=r"heap \d+ of 0\.156"):
        octal_period("0.156", 8_000, checkpoint=path)
