"""Grundy values of heap games, heap after heap: by the definition or by faster methods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.sequences.check import Values, option_values, places_of, wrong_value_error
from nim_envs.cgt.sequences.periods import Period, find_period, proven_period
from nim_envs.cgt.sequences.sequence_file import load_sequence, save_sequence
from nim_envs.errors import InvalidGameError, NotProvenError, SearchTooLargeError
from nim_envs.files import going_on_without
from nim_envs.optional import installed, needed
from nim_envs.progress import progress_bar
from nim_envs.rules.octal_codes import LEAVE_TWO, HeapGame, heap_game
from nim_envs.validation import checked_choice, checked_integer

METHODS = ("auto", "sparse", "naive", "plain")

LARGEST_SEQUENCE = 2**32 - 2**20
"""Most heaps of a sequence."""

SMALL_GAME = 1000
"""Most places of a game, without repeating digits, whose values are stored in 16 bits."""

FEW = 512
"""Number of values that plain NumPy computes in less time than Numba takes to import."""

PIECE = 1 << 16
"""Approximate largest number of values computed between two checks of the time."""

CHECKPOINT_SECONDS = 30.0
"""Seconds between two saves of the checkpoint."""

RECOMPUTED = 1 << 13
"""Number of values from a checkpoint, from heap 0 on, that are always computed anew."""

RECOMPUTE_SECONDS = 2.0
"""Seconds for computing further values of a checkpoint anew, approximately."""

PROGRESS_DELAY = 1.0
"""Seconds after which a progress bar appears."""


class GrundySequence:
    """The Grundy values of heaps of 0, 1, 2, … objects of a game, computed on demand.

    Methods: ``"plain"`` tries every option with NumPy; ``"naive"`` does so in compiled code;
    ``"sparse"`` is the sparse-space method, for Grundy's game and octal games that split and whose
    digits do not repeat; ``"auto"`` chooses the fastest for each range of heaps, and uses the
    period once one is proven. All give the same values.

    A file proves nothing, so the first values of a checkpoint are computed anew, as far as that
    takes about two seconds, and others are checked at random. Until all are computed anew, no
    period is used, and :meth:`caution` says so.

    Args:
        game: a game, or the name of one, see :func:`nim_envs.rules.octal_codes.heap_game`.
        method: one of the above.
        checkpoint: a file to save the values to as they are computed; if it exists already, the
            computation goes on from its values.

    Attributes:
        game: the game.
        method: the method.
        period: the period, once one is proven by the method ``"auto"``.
        recomputed: number of values, from heap 0 on, that depend on no file.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or not one for the method.
        ValueError: an unknown method.
        SequenceFileError: the checkpoint is damaged, or of another game, or has a wrong value.
        MissingPackageError: the method needs Numba, which is not installed.

    Example:
        >>> kayles = GrundySequence("0.77")
        >>> kayles.extend(12)
        >>> kayles.values.tolist()
        [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]
    """

    def __init__(
        self,
        game: HeapGame | str,
        *,
        method: Literal["auto", "sparse", "naive", "plain"] = "auto",
        checkpoint: str | Path | None = None,
    ) -> None:
        self.game = heap_game(game)
        checked_choice("method", method, METHODS)
        splits = any(digit & LEAVE_TWO for digit in self.game.digits)
        wide = self.game.repeating or len(self.game.digits) > SMALL_GAME
        if method == "sparse" and (wide or not splits):
            raise InvalidGameError(
                "the sparse-space method takes games with a splitting move whose digits do not "
                f"repeat and are at most {SMALL_GAME}, not {self.game.name}"
            )
        if method in ("sparse", "naive"):
            needed("numba", f"the {method} method", "solver")
        self.method = method
        self.period: Period | None = None
        self._sparse = method == "sparse" or (
            method == "auto" and splits and not wide and installed("numba")
        )
        self._sparse_space: Any = None
        self._plain = method == "plain" or (method == "auto" and not installed("numba"))
        self._memory: Values = np.zeros(1, dtype=np.uint32 if wide else np.uint16)
        self._known = 1
        # Values of options of every later heap, as the last digit repeats.
        self._always = np.zeros(2, dtype=np.uint8)
        self._recorded = 0
        self._checkpoint = None if checkpoint is None else Path(checkpoint)
        # Computes the values of the checkpoint anew; ``None`` where all values are this one's own.
        self._anew: GrundySequence | None = None
        if self._checkpoint is not None and self._checkpoint.exists():
            values = load_sequence(self._checkpoint, self.game.name)
            self._memory, self._known = values.astype(self._memory.dtype), len(values)
            self._anew = GrundySequence(self.game)
            self._compare()
            self._recompute_cheaply()

    @property
    def values(self) -> Values:
        """The values so far, ``(heaps,)``; uint16, or uint32 for games with many places."""
        values = self._memory[: self._known]
        values.flags.writeable = False
        return values

    @property
    def recomputed(self) -> int:
        """Number of values, from heap 0 on, that depend on no file."""
        return self._known if self._anew is None else min(len(self._anew.values), self._known)

    def caution(self, size: int) -> str | None:
        """Return that some of the first ``size`` values depend on a file, in words.

        Returns:
            ``None`` where all of them were computed here.
        """
        if min(size, self._known) <= self.recomputed:
            return None
        return f"values from {self._checkpoint}, not all recomputed"

    def recompute(self, size: int, progress: bool = False) -> None:
        """Recompute those of the first ``size`` values that come from a file, and compare them.

        Args:
            size: number of values, at most as many as there are.
            progress: whether to show a progress bar on the standard error.

        Raises:
            SequenceFileError: the file has a wrong value.
        """
        if self._anew is not None:
            self._anew.extend(min(size, self._known), progress)
            self._compare()

    def _recompute_cheaply(self) -> None:
        """Compute values of the checkpoint anew, as far as that takes little time."""
        began = time.monotonic()
        while self._anew is not None:
            known = len(self._anew.values)
            self.recompute(max(RECOMPUTED, 2 * known))
            # Twice as many values may take four times as long. The first ones load Numba.
            if known >= RECOMPUTED and 4 * (time.monotonic() - began) > RECOMPUTE_SECONDS:
                break
            began = time.monotonic()

    def _compare(self) -> None:
        """Compare the values with those computed anew; drop the latter when all are the same."""
        assert self._anew is not None
        anew = self._anew.values[: self._known]
        wrong = np.flatnonzero(anew != self._memory[: len(anew)])
        if len(wrong):
            heap = int(wrong[0])
            raise wrong_value_error(
                str(self._checkpoint), self.game.name, heap, int(anew[heap]),
                int(self._memory[heap]),
            )  # fmt: skip
        if len(anew) == self._known:
            self._anew = None

    def extend(self, size: int, progress: bool = False) -> None:
        """Compute the values of heaps up to ``size - 1``, and perhaps a few more.

        Where the checkpoint cannot be written, as on a full disk, a ``RuntimeWarning`` says so and
        the computation goes on.

        Args:
            size: number of values wanted.
            progress: whether to show a progress bar on the standard error.

        Raises:
            InvalidGameError: ``size`` is not an integer of at least 0.
            SearchTooLargeError: ``size`` exceeds ``LARGEST_SEQUENCE``, or a value does not fit.
        """
        size = checked_integer("size", size, 0)
        if size > LARGEST_SEQUENCE:
            raise SearchTooLargeError(
                f"a sequence may have {LARGEST_SEQUENCE} values, which is the limit, not {size}"
            )
        if size <= self._known:
            return
        bar: Any = None
        if progress:
            bar = progress_bar(
                desc=self.game.name, unit="value", initial=self._known,
                total=size, delay=PROGRESS_DELAY,
            )  # fmt: skip
        saved, saved_at = self._known, time.monotonic()
        try:
            for known in self._extended(size):
                if bar is not None:
                    bar.update(min(known, size) - bar.n)
                if self._checkpoint and time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                    with going_on_without(self._checkpoint, "the computation"):
                        self.save(self._checkpoint)
                        saved = self._known
                    saved_at = time.monotonic()
        finally:
            if bar is not None:
                bar.close()
            if self._checkpoint and saved < self._known:
                with going_on_without(self._checkpoint, "the computation"):
                    self.save(self._checkpoint)

    def save(self, path: str | Path) -> None:
        """Save the values so far, atomically."""
        save_sequence(path, self.game.name, self.values)

    def _extended(self, size: int) -> Iterator[int]:
        """Compute values up to ``size``; yield the growing number of known values."""
        begin = 0
        if self._sparse:
            from nim_envs.cgt.sequences import sparse_space

            begin = sparse_space.least_known(self.game)
            self._reserve(size + sparse_space.OVERSHOOT)
            self._sparse_space = self._sparse_space or sparse_space.SparseSpace(self.game)
        else:
            self._reserve(size)
        while self._known < size:
            if self._use_period(size):
                yield self._known
                return
            ready = self._sparse and self._known >= begin
            sparse = ready and (
                self.method == "sparse"
                or sparse_space.saves_time(self.values, self.game, self._sparse_space.cost)
            )
            # A method that is not worth its cost yet may soon be.
            growth = 3 if ready and not sparse else 4
            until = min(size, max(self._known * growth // 2, 256))
            if self._plain or (self.method == "auto" and size <= FEW):
                steps = self._plain_values(until)
            elif sparse:
                steps = self._sparse_space.extend(self._memory, self._known, until, PIECE)
            else:
                steps = self._naive_values(min(until, begin) if self._known < begin else until)
            try:
                for known in steps:
                    self._known = known
                    yield known
            except OverflowError as error:
                raise SearchTooLargeError(str(error)) from None

    def _reserve(self, size: int) -> None:
        if size > len(self._memory):
            memory = np.zeros(size, dtype=self._memory.dtype)
            memory[: self._known] = self._memory[: self._known]
            self._memory = memory

    def _use_period(self, size: int) -> bool:
        """Fill the values up to ``size`` by a period if one is proven; return whether it was."""
        if self.method != "auto" or self._anew is not None:
            return False
        self.period = self.period or proven_period(self.game, self.values)
        if self.period is None:
            return False
        self._memory, self._known = self.period.extend(size), size
        return True

    def _naive_values(self, until: int) -> Iterator[int]:
        from nim_envs.cgt.sequences.naive_mex import convolve

        digits = np.array(self.game.digits, dtype=np.int64)
        while len(self._always) <= self.values.max():
            self._enlarge_bound()
        while self._known < until:
            # Fewer values at a time as the number of options of a heap grows.
            step = min(PIECE, max(256, 2**28 // (self._known + 1)))
            piece = min(until, self._known + step)
            known = convolve(
                self._memory, self._known, piece, digits, self.game.repeating,
                self.game.unequal, self._always, self._recorded,
            )  # fmt: skip
            self._recorded = known
            yield known
            if known < piece:
                self._enlarge_bound()

    def _plain_values(self, until: int) -> Iterator[int]:
        for heap in range(self._known, until):
            for earlier in range(self._recorded, heap):
                self._record(earlier)
            self._recorded = heap
            arrays: list[npt.NDArray[np.integer]] = [np.flatnonzero(self._always)]
            for taken in range(len(self.game.digits)):
                arrays += option_values(self.game, self._memory, heap, taken)
            options = np.concatenate(arrays)
            is_option = np.zeros(int(options.max(initial=0)) + 2, dtype=np.bool_)
            is_option[options] = True
            self._memory[heap] = np.argmin(is_option)
            if heap % 256 == 255 or heap == until - 1:
                yield heap + 1

    def _record(self, heap: int) -> None:
        """Record values of options of all heaps after ``heap``, by the repeating digit."""
        if self.game.repeating:
            last = len(self.game.digits) - 1
            for values in option_values(self.game, self._memory, heap, last):
                while values.max() >= len(self._always):
                    self._enlarge_bound()
                self._always[values] = 1

    def _enlarge_bound(self) -> None:
        bound = 2 * len(self._always)
        if bound > 1 << 8 * self._memory.itemsize:
            raise SearchTooLargeError(
                f"a Grundy value of {self.game.name} does not fit in {8 * self._memory.itemsize} "
                f"bits after {self._known} values"
            )
        self._always = np.concatenate([self._always, np.zeros_like(self._always)])


def grundy_sequence(
    game: HeapGame | str,
    size: int,
    *,
    method: Literal["auto", "sparse", "naive", "plain"] = "auto",
    checkpoint: str | Path | None = None,
    progress: bool = False,
) -> Values:
    """Return the Grundy values of heaps of 0 to ``size - 1`` objects.

    Args:
        game: a game, or the name of one, such as ``"0.77"`` or ``"grundy"``.
        size: number of values.
        method: see :class:`GrundySequence`.
        checkpoint: see :class:`GrundySequence`.
        progress: whether to show a progress bar on the standard error.

    Returns:
        ``(size,)``; uint16, or uint32 for games with many places.

    Raises:
        InvalidGameError: ``game`` is not a heap game, or not one for the method; or ``size`` is
            not an integer.
        SearchTooLargeError: ``size`` is more than the limit, or a value does not fit.
        SequenceFileError: the checkpoint is damaged, or of another game, or has a wrong value.
        MissingPackageError: the method needs Numba, which is not installed.

    References:
        R. P. Sprague (1935); P. M. Grundy (1939); Guy and Smith (1956); *Winning Ways*, ch. 4.

    Example:
        >>> grundy_sequence("grundy", 16).tolist()
        [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1]
    """
    sequence = GrundySequence(game, method=method, checkpoint=checkpoint)
    sequence.extend(size, progress)
    return sequence.values[:size]


def octal_period(
    game: HeapGame | str,
    limit: int = 1 << 22,
    *,
    checkpoint: str | Path | None = None,
    progress: bool = False,
) -> Period:
    """Return the least period of the Grundy values of an octal game, with proof.

    All values that the proof needs are computed here: of those in a checkpoint that show a period,
    as many as the proof needs are computed anew.

    Args:
        game: an octal game whose digits do not repeat, or the name of one.
        limit: most values to compute.
        checkpoint: see :class:`GrundySequence`.
        progress: whether to show a progress bar on the standard error.

    Returns:
        A period that is proven; see :func:`nim_envs.cgt.sequences.periods.find_period`.

    Raises:
        InvalidGameError: ``game`` is not an octal game whose digits do not repeat.
        NotProvenError: no period is proven by the values within the limit.
        SequenceFileError: the checkpoint is damaged, or of another game, or has a wrong value.

    Example:
        >>> kayles = octal_period("0.77")
        >>> kayles.length, kayles.last_exception, len(kayles.exceptions())
        (12, 70, 14)
    """
    sequence = GrundySequence(game, checkpoint=checkpoint)
    places = places_of(sequence.game)
    limit = checked_integer("limit", limit, 1)
    size = 256
    while True:
        size = min(size, limit)
        sequence.extend(size, progress)
        values = sequence.values[:limit]
        proven = sequence.period or proven_period(sequence.game, values)
        if proven is not None:
            sequence.recompute(proven.needed, progress)
            return proven
        period = find_period(values, places)
        if size == limit:
            caution = sequence.caution(limit)
            raise NotProvenError(
                f"no period of {sequence.game.name} is proven by {limit} values, which is the limit"
                + ("" if period is None else f"; one of {period.length} may begin at "
                   f"{period.start}, and {period.needed} values would prove it")
                + ("" if caution is None else f"; {caution}")
            )  # fmt: skip
        doubled = 2 * len(sequence.values)
        size = doubled if period is None else max(size + 1, min(doubled, period.needed))
