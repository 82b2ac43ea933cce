"""The games that tests sweep: every registered one, and unusual arguments of each."""

from typing import Any

from nim_envs.registry import GAMES

REGISTERED: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in GAMES]

UNUSUAL: list[tuple[str, dict[str, Any]]] = [
    ("nim", {"heaps": (1,)}),
    ("nim", {"heaps": (0, 3)}),
    ("nim", {"heaps": (7, 1, 2, 5)}),
    ("nim", {"heaps": (2,) * 8}),
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
    ("octal", {"code": "0.(3)", "heaps": (2, 3)}),
    ("octal", {"code": "4.7", "heaps": (4,), "misere": True}),
    ("octal", {"code": "0.1", "heaps": (1, 3)}),
    ("kayles", {"heaps": (1,)}),
    ("kayles", {"heaps": (3, 0, 4), "start": "uniform", "misere": True}),
    ("grundy", {"heaps": (2, 7), "start": "balanced"}),
    ("splitting", {"heaps": (5,), "misere": True}),
    ("graph", {"successors": ((), (0,)), "tokens": (1,)}),
    ("graph", {"successors": ((1, 2), (2,), ()), "tokens": (0, 2, 0), "misere": True}),
    ("laskers_nim", {"heaps": (2, 3), "misere": True}),
    ("moores_nim", {"heaps": (2, 1, 3, 1), "k": 3, "misere": True}),
    ("moores_nim", {"heaps": (4, 0), "k": 1}),
    ("fibonacci_nim", {"heaps": (2, 9), "start": "uniform"}),
    ("fibonacci_nim", {"heaps": (13,), "misere": True}),
    ("wythoff", {"queens": ((3, 5), (0, 2)), "misere": True}),
    ("wythoff", {"queens": ((6, 11),), "start": "p_position"}),
    ("euclid", {"pairs": ((1, 1), (8, 5))}),
    ("chomp", {"rows": 2, "columns": 3, "misere": True}),
    ("chomp", {"rows": 4, "columns": 2, "start": "n_position"}),
    ("cram", {"rows": 1, "columns": 7, "start": "balanced"}),
    ("cram", {"rows": 3, "columns": 2, "misere": True}),
    ("node_kayles", {"nodes": 1, "edges": ()}),
    ("node_kayles", {"nodes": 6, "edges": ((0, 1), (1, 2), (2, 0), (5, 4), (3, 4))}),
    ("sum", {"games": (("wythoff", {"queens": ((3, 2),)}), ("nim", {"heaps": (2,)}), "chomp")}),
    ("sum", {"games": (("grundy", {"heaps": (6,)}), ("addition", {"k": 2, "n": 3}))}),
    (
        "sum",
        {
            "games": (("kayles", {"heaps": (3,)}), "subtraction", ("kayles", {"heaps": (4,)})),
            "start": "n_position",
            "misere": True,
        },
    ),
]

ALL = REGISTERED + UNUSUAL

KINDS = ("nim", "addition", "kayles", "graph", "wythoff", "chomp", "sum")
"""A game of each kind, for libraries that see spaces and masks alone: heaps, a total, heaps that
split, a graph, coordinates, a function of moves, and a sum."""


def label(case: tuple[str, dict[str, Any]]) -> str:
    """A test id."""
    return f"{case[0]}-{case[1]}" if case[1] else case[0]


def labels(value: Any) -> str:
    """A part of a test id, where a game is one of several arguments."""
    return label(value) if isinstance(value, tuple) else str(value)
