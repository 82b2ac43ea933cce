"""The games that tests sweep: every registered one, and unusual arguments of each."""

from __future__ import annotations

from typing import Any

from nim_envs.registration import GAMES

REGISTERED: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in GAMES]

UNUSUAL: list[tuple[str, dict[str, Any]]] = [
    ("nim", {"heaps": (1,)}),
    ("nim", {"heaps": (0, 3)}),
    ("nim", {"heaps": (7, 1, 2, 5)}),
    ("nim", {"heaps": (2,) * 10}),
    ("nim", {"heaps": (6, 4), "max_take": 2}),
    ("nim", {"heaps": (6, 4), "max_take": 2, "misere": True}),
    ("nim", {"heaps": (3, 4, 5), "start": "uniform"}),
    ("nim", {"heaps": (3, 4, 5), "start": "balanced"}),
    ("misere_nim", {"heaps": (1,)}),
    ("misere_nim", {"heaps": (1, 1, 1)}),
    ("misere_nim", {"heaps": (4, 1, 3), "start": "p_position"}),
    ("addition", {"k": 1, "n": 0}),
    ("addition", {"k": 1, "n": 7}),
    ("addition", {"k": 5, "n": 2}),
    ("addition", {"k": 4, "n": 20, "misere": False}),
    ("subtraction", {"heaps": (9, 5), "subtraction_set": (2, 3)}),
    ("subtraction", {"heaps": (9, 2, 7), "subtraction_set": (3, 5), "misere": True}),
    ("subtraction", {"heaps": (12,), "subtraction_set": (1, 4), "misere": True}),
]

ALL = REGISTERED + UNUSUAL


def label(case: tuple[str, dict[str, Any]]) -> str:
    """A test id."""
    return f"{case[0]}-{case[1]}" if case[1] else case[0]
