"""Grundy sequences: every method against the definition, resuming, and periods with proof."""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from functools import reduce
from operator import xor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nim_envs.cgt.sequences import grundy_sequences as sequences
from nim_envs.cgt.sequences import sparse_space
from nim_envs.cgt.sequences.grundy_sequences import GrundySequence, grundy_sequence, octal_period
from nim_envs.cgt.sequences.periods import find_period
from nim_envs.cgt.sequences.sequence_file import checksum, load_sequence, save_sequence
from nim_envs.cgt.sequences.sparse_plan import make_plan, sparse_mask
from nim_envs.cgt.sequences.sparse_space import saves_time
from nim_envs.errors import (
    InvalidGameError,
    MissingPackageError,
    SearchTooLargeError,
    SequenceFileError,
)
from nim_envs.rules.octal_codes import HeapGame, heap_game, octal_game
from nim_envs.theory import mex

ROOT = Path(__file__).resolve().parents[4]

GAMES = [
    "0.77", "0.07", "0.137", "0.6", "0.16", "0.354", "0.376", "0.007", "0.4", "0.04", "4.3",
    "4.007", "0.01", "0.333", "0.07007", "grundy", "splitting", "0.(3)", "0.(7)", "0.1(2)",
    "0.0(5)", "0.(4)", "0.6(1)", "4.(3)",
]  # fmt: skip


def by_definition(game, size):
    """Values as the mex over the options that the rule lists: shares nothing with the methods."""
    values = []
    for heap in range(size):
        options = (
            reduce(xor, (values[left] for left in option), 0) for option in game.options(heap)
        )
        values.append(mex(options))
    return values


# Values.


def test_every_method_gives_the_values_of_the_definition():
    for name in GAMES:
        game = heap_game(name)
        expected = by_definition(game, 100)
        for method in ("plain", "naive", "auto"):
            assert grundy_sequence(game, 100, method=method).tolist() == expected, (name, method)


@settings(max_examples=60)
@given(
    head=st.sampled_from([0, 4]),
    digits=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    repeating=st.booleans(),
    unequal=st.booleans(),
    split=st.integers(1, 59),
)
def test_methods_agree_for_any_digits_and_in_any_steps(head, digits, repeating, unequal, split):
    if not (head or any(digits)):
        return
    game = HeapGame((head, *digits), repeating, unequal)
    expected = by_definition(game, 60)
    for method in ("plain", "naive", "auto"):
        sequence = GrundySequence(game, method=method)
        sequence.extend(split)
        assert sequence.values[:split].tolist() == expected[:split]
        sequence.extend(60)
        assert sequence.values[:60].tolist() == expected


def test_known_sequences():
    known = {
        "kayles": [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6],
        "dawsons_chess": [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2],
        "dawsons_kayles": [0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2],
        "grundy": [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1],
        "splitting": [0, 0, 1, 0, 1, 0, 1],
        "nim": list(range(200)),
    }
    for name, values in known.items():
        assert grundy_sequence(name, len(values)).tolist() == values


def test_values_of_games_whose_values_grow_are_not_cut_off():
    assert grundy_sequence("0.(3)", 3000, method="naive").tolist() == list(range(3000))
    assert grundy_sequence("0.(3)", 300, method="plain").tolist() == list(range(300))


# The sparse-space method.


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("0.6", 20_000), ("grundy", 20_000), ("0.16", 20_000), ("0.354", 14_000), ("0.376", 14_000),
        ("0.77", 9_000), ("0.07", 9_000), ("splitting", 9_000), ("4.6", 9_000), ("0.404", 9_000),
        ("0.106", 12_000), ("0.0000000000000006", 9_000),
    ],
)  # fmt: skip
def test_the_sparse_space_method_gives_the_naive_values(name, size):
    sparse = grundy_sequence(name, size, method="sparse")
    naive = grundy_sequence(name, size, method="naive")
    assert (sparse == naive).all()
    assert checksum(sparse) == checksum(naive)


@pytest.mark.parametrize("seed", range(6))
def test_the_sparse_space_method_is_exact_for_any_game(seed):
    rng = np.random.default_rng(seed)
    digits = (int(rng.choice([0, 4])), *rng.integers(0, 8, size=rng.integers(1, 6)).tolist(), 4)
    game = HeapGame(digits, unequal=bool(rng.integers(2)))
    size = 7_000
    sparse = grundy_sequence(game, size, method="sparse")
    assert (sparse == grundy_sequence(game, size, method="naive")).all(), game.name


def test_the_sparse_space_method_is_exact_whatever_the_mask(monkeypatch):
    expected = grundy_sequence("0.6", 9_000, method="naive")
    for mask in (1, 0b10, 0b1111):
        monkeypatch.setattr("nim_envs.cgt.sequences.sparse_plan.sparse_mask", lambda *_, m=mask: m)
        assert (grundy_sequence("0.6", 9_000, method="sparse") == expected).all()


def options_far_out(values, digits, unequal, heap):
    """Values of all options of one heap, by the words of the rule."""
    for taken, digit in enumerate(digits):
        left = heap - taken
        if digit & 2:
            yield values[left : left + 1]
        if digit & 4:
            one = np.arange(1, (left - 1 if unequal else left) // 2 + 1)
            yield values[one] ^ values[left - one]


def test_values_far_out_are_what_trying_every_pair_gives():
    # Too far for the naive method from the start; heap by heap it is not.
    for name in ("0.6", "grundy", "0.376"):
        game = heap_game(name)
        values = grundy_sequence(name, 150_000, method="sparse").astype(np.int64)
        for heap in np.random.default_rng(0).integers(100_000, 150_000, size=40).tolist():
            options = options_far_out(values, game.digits, game.unequal, heap)
            assert values[heap] == mex(np.concatenate(list(options)).tolist())


def test_the_mask_leaves_the_fewest_rare_values():
    values = grundy_sequence("0.6", 5_000, method="naive") % 64
    rare = [
        sum((value & mask).bit_count() % 2 == 0 for value in values.tolist())
        for mask in range(1, 64)
    ]
    assert sparse_mask(values, 64) == int(np.argmin(rare)) + 1


def test_the_mask_leaves_few_rare_values_among_all_not_only_the_last():
    # 0.376 has a period of 4 from heap 2,268,248 on: the last values alone say nothing of the mask.
    values = grundy_sequence("0.376", 20_000, method="naive")
    values = np.concatenate([values, np.resize(values[-4:], 1 << 19)])
    plan = make_plan(values, heap_game("0.376"))
    assert (plan.common[values[:20_000]] == 0).sum() < 2_000


def test_auto_changes_over_where_values_take_many_times_as_long_as_usual(monkeypatch):
    clock, real = [0], sparse_space.advance

    def advance(values, known, until, plan):
        after = real(values, known, until, plan)
        clock[0] += (after - known) * (10**9 if after > 20_000 else 1_000)
        return after

    monkeypatch.setattr(sparse_space, "advance", advance)
    monkeypatch.setattr(sparse_space.time, "thread_time_ns", lambda: clock[0])
    monkeypatch.setattr(sequences, "PIECE", 1_024)
    begun, naive = [], GrundySequence._naive_values

    def noted(sequence, until):
        begun.append(len(sequence.values))
        return naive(sequence, until)

    monkeypatch.setattr(GrundySequence, "_naive_values", noted)
    values = grundy_sequence("0.6", 30_000)
    assert clock[0] > 10**12
    assert any(20_000 < heap < 23_000 for heap in begun)
    assert (values == grundy_sequence("0.6", 30_000, method="naive")).all()


def test_few_positions_of_officers_are_rare_and_the_memory_is_bounded():
    sequence = GrundySequence("0.6", method="sparse")
    sequence.extend(100_000)
    plan = make_plan(sequence.values, sequence.game)
    rare = (plan.common[sequence.values] == 0).sum()
    assert rare < 2_000
    held = sum(field.nbytes for field in plan if isinstance(field, np.ndarray))
    assert held < 20_000_000


@pytest.mark.parametrize("name", ["0.6", "0.06", "grundy", "4.327", "0.106"])
def test_auto_gives_the_naive_values_whichever_methods_it_takes(name, monkeypatch):
    expected = grundy_sequence(name, 12_000, method="naive")
    assert (grundy_sequence(name, 12_000) == expected).all()
    choices = itertools.cycle([True, False])
    monkeypatch.setattr("nim_envs.cgt.sequences.sparse_space.saves_time", lambda *_: next(choices))
    sequence = GrundySequence(name)
    for size in (5_000, 5_001, 9_000, 12_000):
        sequence.extend(size)
    assert (sequence.values[:12_000] == expected).all()


def test_auto_takes_the_sparse_space_method_only_where_few_values_are_rare():
    for name, size, wanted in (
        ("0.06", 1 << 14, False), ("0.04", 1 << 14, False), ("0.005", 1 << 14, False),
        ("4.327", 1 << 14, False), ("0.6", 1 << 12, False), ("0.6", 1 << 14, True),
        ("0.16", 1 << 13, True), ("grundy", 1 << 14, True),
    ):  # fmt: skip
        values = grundy_sequence(name, size, method="naive")
        assert saves_time(values, heap_game(name)) == wanted, name


def test_games_of_very_many_places_are_not_for_the_sparse_space_method():
    game = HeapGame((0,) * 1001 + (6, 4))
    with pytest.raises(InvalidGameError, match="at most 1000"):
        grundy_sequence(game, 10, method="sparse")
    naive = grundy_sequence(game, 5_000, method="naive")
    assert (grundy_sequence(game, 5_000) == naive).all()


@pytest.mark.parametrize("name", ["0." + "0" * 600 + "6", "0." + "2" * 600 + "4", "0.6666"])
def test_the_sparse_space_method_takes_many_places(name):
    naive = grundy_sequence(name, 7_000, method="naive")
    assert (grundy_sequence(name, 7_000, method="sparse") == naive).all()


# Checkpoints.


def test_a_checkpoint_is_gone_on_from_to_the_same_values(tmp_path):
    path = tmp_path / "deep" / "officers.zip"
    whole = grundy_sequence("0.6", 30_000)
    grundy_sequence("0.6", 11_111, checkpoint=path)
    assert len(load_sequence(path, "0.6")) >= 11_111
    resumed = GrundySequence("0.6", checkpoint=path)
    assert len(resumed.values) >= 11_111
    resumed.extend(30_000)
    assert checksum(resumed.values[:30_000]) == checksum(whole)
    assert [entry.name for entry in path.parent.iterdir()] == ["officers.zip"]
    # Any method may go on from any other's values.
    for method in ("naive", "plain", "sparse"):
        short = tmp_path / f"{method}.zip"
        grundy_sequence("0.6", 3_000, method="plain", checkpoint=short)
        assert (
            grundy_sequence("0.6", 5_000, method=method, checkpoint=short) == whole[:5_000]
        ).all()


@pytest.mark.parametrize("name", ["0.(3)", "0.0(5)", "0.(7)"])
def test_games_whose_digits_repeat_are_resumed_too(name, tmp_path):
    path = tmp_path / "values.zip"
    whole = grundy_sequence(name, 700)
    for method in ("naive", "plain"):
        grundy_sequence(name, 200, checkpoint=path)
        assert (grundy_sequence(name, 700, method=method, checkpoint=path) == whole).all()
        path.unlink()


def test_an_interrupted_run_leaves_its_values(tmp_path):
    path = tmp_path / "officers.zip"
    code = (
        "from nim_envs.cgt.sequences.grundy_sequences import GrundySequence\n"
        f"sequence = GrundySequence('0.6', checkpoint={str(path)!r})\n"
        "sequence.extend(6_000)\n"
        "print('ready', flush=True)\n"
        "sequence.extend(500_000_000)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    process.stdout.close()
    values = load_sequence(path, "0.6")
    assert len(values) > 6_000
    assert (values[:6_000] == grundy_sequence("0.6", 6_000, method="naive")).all()
    assert [entry.name for entry in tmp_path.iterdir()] == ["officers.zip"]


def damaged(path):
    """Ways in which a file can be damaged, as functions of its content."""
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        header, values = archive.read("header.json"), archive.read("values.npy")

    def rebuilt(header, values):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", header)
            archive.writestr("values.npy", values)
        return path.read_bytes()

    flipped = bytearray(values)
    flipped[-7] ^= 1
    fields = json.loads(header)
    yield "empty", b""
    yield "truncated", content[: len(content) // 2]
    yield "cut short", content[:-1]
    yield "foreign", b"not a sequence\n" * 100
    yield (
        "a bit of the archive",
        bytes(byte ^ (index == len(content) // 2) for index, byte in enumerate(content)),
    )
    yield "a bit of the values", rebuilt(header, bytes(flipped))
    yield "fewer values", rebuilt(header, values[:-2])
    yield "another header", rebuilt(b"{}", values)
    yield "no object", rebuilt(b"[1]", values)
    for version in (99, 0, -1, True, 1.0, "1", None):
        yield f"version {version!r}", rebuilt(json.dumps({**fields, "version": version}), values)
    for number in (999, 10**30, -1, True, "1000", None):
        yield f"{number!r} values", rebuilt(json.dumps({**fields, "values": number}), values)
    yield "another game", rebuilt(json.dumps({**fields, "game": "os:system"}), values)
    for missing in ("game", "values", "sha256", "version"):
        yield f"no {missing}", rebuilt(json.dumps({**fields, missing: None}), values)


def test_values_are_computed_without_a_checkpoint_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    sequence = GrundySequence("0.07", checkpoint=tmp_path / "file" / "values.zip")
    with pytest.warns(RuntimeWarning, match=r"values\.zip cannot be written .* goes on without"):
        sequence.extend(200)
    whole = GrundySequence("0.07")
    whole.extend(200)
    assert (sequence.values[:200] == whole.values[:200]).all()


def test_a_damaged_checkpoint_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "values.zip"
    save_sequence(path, "0.6", grundy_sequence("0.6", 1_000))
    for what, content in list(damaged(path)):
        path.write_bytes(content)
        with pytest.raises(SequenceFileError) as caught:
            grundy_sequence("0.6", 2_000, checkpoint=path)
        assert str(path) in str(caught.value), what
        assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["values.zip"]


@pytest.mark.parametrize("large", ["header", "values", "after the values", "shape"])
def test_no_more_is_unpacked_than_the_header_promises(large, tmp_path):
    path, zeros = tmp_path / "values.zip", bytes(1 << 24)
    save_sequence(path, "0.6", np.zeros(1_000, dtype=np.uint16))
    with zipfile.ZipFile(path) as archive:
        header, values = archive.read("header.json"), archive.read("values.npy")
    if large == "header":
        header += b" " * (1 << 24)
    elif large == "values":
        values = io.BytesIO()
        np.save(values, np.frombuffer(zeros, dtype=np.uint32))
        values = values.getvalue()
        header = json.dumps({**json.loads(header), "values": 1 << 22})
    elif large == "after the values":
        values += zeros
    else:
        values = values.replace(b"(1000,), }      ", b"(2000000000,), }")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", header)
        archive.writestr("values.npy", values)
    tracemalloc.start()
    try:
        with pytest.raises(SequenceFileError, match="large"):
            load_sequence(path, "0.6")
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_a_checkpoint_of_another_game_is_refused(tmp_path):
    path = tmp_path / "values.zip"
    grundy_sequence("0.77", 1_000, checkpoint=path)
    with pytest.raises(SequenceFileError, match=r"0\.77, not of 0\.6"):
        grundy_sequence("0.6", 2_000, checkpoint=path)


def test_a_failed_saving_leaves_the_earlier_file_and_the_values(tmp_path, monkeypatch):
    path = tmp_path / "values.zip"
    grundy_sequence("0.6", 1_000, checkpoint=path)
    before = path.read_bytes()

    def failing(_):
        raise OSError("disk full")

    monkeypatch.setattr("nim_envs.files.os.fsync", failing)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        values = grundy_sequence("0.6", 2_000, checkpoint=path)
    assert len(values) == 2_000
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["values.zip"]


def test_values_are_saved_as_time_goes_by(tmp_path, monkeypatch):
    monkeypatch.setattr(sequences, "CHECKPOINT_SECONDS", 0.0)
    saved = []
    monkeypatch.setattr(
        sequences, "save_sequence", lambda path, game, values: saved.append(len(values))
    )
    grundy_sequence("0.6", 20_000, checkpoint=tmp_path / "values.zip")
    assert len(saved) > 5
    assert saved == sorted(saved)
    assert saved[-1] >= 20_000


# Bad input.


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="'fast'"):
        grundy_sequence("0.77", 10, method="fast")
    for name in ("0.(3)", "0.333"):
        with pytest.raises(InvalidGameError, match="splitting move"):
            grundy_sequence(name, 10, method="sparse")
    for size in (-1, 2.5, "10"):
        with pytest.raises(InvalidGameError, match="size"):
            grundy_sequence("0.77", size)
    with pytest.raises(SearchTooLargeError, match=str(2**40)):
        grundy_sequence("0.77", 2**40)
    with pytest.raises(InvalidGameError, match=r"an octal code .* not 77"):
        grundy_sequence(77, 10)
    with pytest.raises(ValueError, match="read-only"):
        grundy_sequence("0.77", 10)[3] = 5


def test_without_numba_the_plain_method_serves_and_the_others_say_what_to_install(monkeypatch):
    monkeypatch.setattr(sequences, "installed", lambda package: False)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert grundy_sequence("0.77", 12).tolist() == [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]
    for method in ("naive", "sparse"):
        with pytest.raises(MissingPackageError, match="pip install") as caught:
            grundy_sequence("0.77", 10, method=method)
        assert "numba" in str(caught.value)


def test_importing_the_theory_of_sequences_leaves_numba_alone():
    code = (
        "import sys, nim_envs.cgt.sequences.grundy_sequences, nim_envs.cgt.misere_quotients.heaps; "
        "print([m for m in ('numba', 'tqdm', 'click', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_a_progress_bar_counts_the_values_of_a_long_run(capsys, monkeypatch):
    grundy_sequence("0.6", 4_000, progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sequences, "PROGRESS_DELAY", 0.0)
    grundy_sequence("0.6", 12_000, progress=True)
    error = capsys.readouterr().err
    assert "0.6: 100%" in error
    assert "12.0k/12.0k" in error


# Periods.

PERIODS = {
    # Period and last exception, as in the tables of Winning Ways, ch. 4, and of A. Flammenkamp.
    "0.07": (34, 52),
    "0.77": (12, 70),
    "0.137": (34, 51),
    "0.156": (349, 3478),
    "0.17": (34, 32),
    "0.45": (20, 497),
    "0.165": (1550, 5180),
    "0.356": (142, 7314),
    "0.055": (148, 258),
    "0.644": (442, 3255),
    "0.4": (34, 53),
    "0.115": (14, 0),
    "0.15": (10, 0),
    "4.0": (2, 0),
    "0.3": (2, None),
}


@pytest.mark.parametrize("code", PERIODS)
def test_known_periods_and_last_exceptions_come_out_with_proof(code):
    period = octal_period(code, 20_000)
    assert (period.length, period.last_exception) == PERIODS[code]
    assert period.proven
    places = octal_game(code).places
    assert period.needed == 2 * period.start + 2 * period.length + places + (period.start == 0)
    assert period.known >= period.needed
    # The period holds by another method too, and no shorter one would do.
    size = min(period.needed + 500, 9_000)
    values = grundy_sequence(code, size, method="naive")
    assert (period.extend(size) == values).all()
    assert [period.value(heap) for heap in (0, size // 2, size - 1)] == [
        values[0], values[size // 2], values[size - 1]
    ]  # fmt: skip
    start, length = period.start, period.length
    if start + 2 * length < size:
        assert (values[start + length :] == values[start:-length]).all()
        if start:
            assert values[start - 1] != values[start - 1 + length]
        cycle = values[start : start + length]
        for shorter in range(1, length):
            if length % shorter == 0:
                assert (cycle != np.roll(cycle, shorter)).any()


def test_exceptions_of_kayles():
    period = octal_period("kayles")
    assert period.exceptions().tolist() == [0, 3, 6, 9, 11, 15, 18, 21, 22, 28, 34, 39, 57, 70]
    assert period.value(10**18) == period.value(10**18 % 12 + 72)
    with pytest.raises(ValueError, match="-1"):
        period.value(-1)


def test_a_period_is_proven_by_the_last_value_needed_and_not_before():
    period = octal_period("0.77")
    values = grundy_sequence("0.77", 400, method="naive")
    assert find_period(values[: period.needed], 2).proven
    before = find_period(values[: period.needed - 1], 2)
    assert (before.length, before.start, before.proven) == (12, 71, False)
    assert before.needed == period.needed


def test_more_places_need_more_values():
    values = np.tile(np.array([0, 1, 2], dtype=np.uint16), 40)
    assert find_period(values, 3).needed == 10
    assert find_period(values, 100).needed == 107
    assert find_period(values, 113).proven
    assert not find_period(values, 114).proven


@given(
    start=st.integers(0, 40), cycle=st.lists(st.integers(0, 300), min_size=1, max_size=30),
    seed=st.integers(0, 1000), places=st.integers(0, 5),
)  # fmt: skip
@example(start=0, cycle=[0, 1, 1], seed=0, places=0)
@example(start=3, cycle=[0] * 29 + [1], seed=0, places=5)
def test_the_least_period_of_any_periodic_sequence_is_found(start, cycle, seed, places):
    head = np.random.default_rng(seed).integers(0, 300, size=start)
    size = 2 * start + 2 * len(cycle) + places + 1
    values = np.concatenate([head, np.resize(cycle, max(8, 2 * size))]).astype(np.uint16)
    period = find_period(values, places)

    def repeats(begin, length):
        return (values[begin + length :] == values[begin : len(values) - length]).all()

    length = next(p for p in range(1, len(cycle) + 1) if repeats(start, p))
    first = next(begin for begin in range(start + 1) if repeats(begin, length))
    assert (period.length, period.start, period.proven) == (length, first, True)


def test_no_period_is_claimed_without_proof():
    with pytest.raises(SearchTooLargeError, match="5000 values, which is the limit"):
        octal_period("0.6", 5_000)
    # 0.156 has been periodic for long, but this is not enough to prove it.
    with pytest.raises(SearchTooLargeError, match="7659 values would prove it"):
        octal_period("0.156", 6_000)
    assert find_period(np.arange(100, dtype=np.uint16), 2) is None
    assert find_period(np.zeros(3, dtype=np.uint16), 2) is None


@pytest.mark.parametrize("name", ["grundy", "0.(3)"])
def test_games_that_the_theorem_is_not_about_are_refused(name):
    with pytest.raises(InvalidGameError, match="theorem on periods"):
        octal_period(name)


def test_a_proven_period_gives_the_rest_of_a_sequence():
    sequence = GrundySequence("0.07")
    sequence.extend(300_000)
    assert sequence.period.length == 34
    assert (sequence.values[53 + 34 :] == sequence.values[53:-34]).all()
    sequence.extend(300_001)
    assert len(sequence.values) == 300_001


def test_the_checksum_depends_on_values_alone():
    values = grundy_sequence("0.77", 3_000_000)
    assert checksum(values) == checksum(values.astype(np.int64))
    changed = values.copy()
    changed[2_999_999] ^= 1
    assert checksum(values) != checksum(changed)
