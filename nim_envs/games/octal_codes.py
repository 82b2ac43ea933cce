"""Games on heaps that may split: octal games by code, Grundy's game, the splitting game.

Only the rule of one heap is here: the options of a heap of ``n`` objects.
"""

import re
from dataclasses import dataclass

from nim_envs.errors import InvalidGameError

WHOLE, LEAVE_ONE, LEAVE_TWO = 1, 2, 4
"""The bits of a digit: take the whole heap; leave one heap; leave two heaps, none empty."""

CODE = re.compile(r"([04]?)\.([0-7]*)(?:\(([0-7])\)|([0-7])(?:\.\.\.|…))?")

NAMES = {
    "grundy": "grundy",
    "nim": "0.(3)",
    "kayles": "0.77",
    "dawsons_kayles": "0.07",
    "dawsons_chess": "0.137",
    "officers": "0.6",
    "splitting": "4.0",
    "laskers_nim": "4.(3)",
}
"""Codes of the octal games that have a name, and Grundy's game, which has no code."""


@dataclass(frozen=True)
class HeapGame:
    """A rule for one heap: take some objects, and leave one heap or two of what remains.

    Args:
        digits: those of an octal code; see :func:`octal_game`.
        repeating: whether the last digit holds for any larger number of objects, too.
        unequal: whether two heaps must be of different sizes.

    Raises:
        InvalidGameError: the digits allow no move.

    References:
        R. K. Guy and C. A. B. Smith, "The G-values of various games", *Proceedings of the
        Cambridge Philosophical Society* 52 (1956), 514-526; *Winning Ways*, ch. 4.

    Example:
        >>> kayles = octal_game("0.77")
        >>> kayles.options(4)
        [(3,), (2, 1), (2,), (1, 1)]
    """

    digits: tuple[int, ...]
    repeating: bool = False
    unequal: bool = False

    def __post_init__(self) -> None:
        digits = self.digits
        # Normal form, so that rules with the same options compare equal.
        repeating = self.repeating and digits[-1] != 0
        while len(digits) > (2 if repeating else 1) and digits[-1] == repeating * digits[-2]:
            digits = digits[:-1]
        if not any(digits):
            raise InvalidGameError("the digits must allow a move; they are all 0")
        unequal = self.unequal and any(digit & LEAVE_TWO for digit in digits)
        for field, value in (("digits", digits), ("repeating", repeating), ("unequal", unequal)):
            object.__setattr__(self, field, value)

    @property
    def places(self) -> int | None:
        """Number of digits after the point; ``None`` where the last one repeats."""
        return None if self.repeating else len(self.digits) - 1

    @property
    def name(self) -> str:
        """The code of an octal game, such as ``0.77`` or ``0.(3)``."""
        head, *digits = (str(digit) for digit in self.digits)
        if self.repeating:
            digits[-1] = f"({digits[-1]})"
        code = f"{head}.{''.join(digits) or '0'}"
        if not self.unequal:
            return code
        return "grundy" if code == "4.0" else f"{code} with unequal heaps"

    def digit(self, taken: int) -> int:
        """Return the digit of the code for taking ``taken`` objects."""
        if taken < len(self.digits):
            return self.digits[taken]
        return self.digits[-1] if self.repeating else 0

    def options(self, heap: int) -> list[tuple[int, ...]]:
        """Return the options of a heap, each as the tuple of heaps left, larger one first.

        Args:
            heap: objects in the heap; at least 0.

        Returns:
            ``()`` where nothing is left, ``(a,)``, or ``(a, b)`` with ``a >= b >= 1``; every
            option once, in the order of the objects taken.
        """
        options: list[tuple[int, ...]] = []
        for taken in range(heap + 1 if self.repeating else min(heap + 1, len(self.digits))):
            digit, left = self.digit(taken), heap - taken
            if digit & WHOLE and left == 0 and heap:
                options.append(())
            if digit & LEAVE_ONE and left:
                options.append((left,))
            if digit & LEAVE_TWO:
                smaller = range(1, (left - 1 if self.unequal else left) // 2 + 1)
                options.extend((left - one, one) for one in smaller)
        return options


GRUNDY = HeapGame((LEAVE_TWO,), unequal=True)
"""Grundy's game: split a heap into two of different sizes."""


def octal_game(code: str) -> HeapGame:
    """Return the octal game of a code such as ``"0.77"``.

    The bits of the ``r``-th digit after the point are the allowed results of taking ``r`` objects
    from a heap: 1 for no heap (the whole heap is taken), 2 for one heap left, 4 for two. A digit
    that repeats without end is put in brackets, ``"0.(3)"``, or followed by dots, ``"0.3..."`` or
    ``"0.333…"``. The digit before the point is 0, which may be left out, or 4 if a heap may be
    split without taking anything.

    Args:
        code: one digit 0 or 4 before the point, octal digits after it.

    Raises:
        InvalidGameError: ``code`` is not an octal code, or allows no move.

    Example:
        >>> octal_game("0.3...") == octal_game("0.(3)") == octal_game(".33…")
        True
        >>> octal_game("0.137").options(5), octal_game("4.0").options(4)
        ([(3,), (2,), (1, 1)], [(3, 1), (2, 2)])
    """
    match = CODE.fullmatch(code) if isinstance(code, str) else None
    if match is None or not any(match.groups()):
        raise InvalidGameError(
            "an octal code is 0 or 4, a point and digits from 0 to 7, of which the last may "
            f"repeat, as in 0.77, 4.0, 0.(3) or 0.3..., not {code!r}"
        )
    head, digits, bracketed, dotted = match.groups()
    repeated = bracketed or dotted
    return HeapGame(
        tuple(int(digit) for digit in (head or "0") + digits + (repeated or "")),
        repeating=repeated is not None,
    )


def heap_game(name: str | HeapGame) -> HeapGame:
    """Return the heap game called ``name``; a heap game itself unchanged.

    Args:
        name: an octal code, or a key of :data:`NAMES`, such as ``"kayles"``.

    Raises:
        InvalidGameError: it is none of these.

    Example:
        >>> heap_game("kayles").name, heap_game("grundy").options(5)
        ('0.77', [(4, 1), (3, 2)])
    """
    if isinstance(name, HeapGame):
        return name
    if name == "grundy":
        return GRUNDY
    try:
        return octal_game(NAMES.get(str(name), name))
    except InvalidGameError as error:
        raise InvalidGameError(
            f"there is no {name!r}; choose from {', '.join(NAMES)}; or: {error}"
        ) from None
