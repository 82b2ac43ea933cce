"""Reads files that the first version of this package saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from gymnasium import spaces

from agents.registry import LEARNERS
from agents.tabular import replay
from agents.tabular.heap_symmetry import HeapSymmetry
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay, harmonic
from agents.tabular.shaping import NimSumShaping
from nim_envs import Convention, Game, Rules
from nim_envs.rules import (
    AdditionTotal,
    HeapGame,
    SplittingHeap,
    SubtractionHeap,
    TableComponent,
    Token,
)
from nim_envs.starts import BalancedStart, FixedStart, OutcomeStart, UniformStart


class ReplayBuffer(NamedTuple):
    """A replay buffer as the first version stored it."""

    positions: Any
    actions: Any
    rewards: Any
    later_positions: Any
    later_legal_actions: Any
    later_counts: Any
    counters: Any
    batch: int
    interval: int


VALUES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        AdditionTotal,
        BalancedStart,
        Decay,
        FixedStart,
        Game,
        HeapGame,
        OutcomeStart,
        Replay,
        ReplayBuffer,
        Rules,
        SplittingHeap,
        SubtractionHeap,
        TableComponent,
        Token,
        UniformStart,
    )
}
"""The classes of values that files of that version hold; there will be no more of them."""

CLASSES: dict[str, Any] = {
    **{row.learner.__name__: row.learner for row in LEARNERS.values()},
    # Despite its name it looked at all options, by the rules.
    "AfterstateTD": LEARNERS["real-time-dynamic-programming"].learner,
}

REPLAY = tuple(f"replay_{name}" for name in replay.ReplayBuffer._fields[:7])
"""The present names of the arrays of such a buffer, in their order."""


def decode_version_1(code: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return the content of a file of the first version.

    An unfinished game that a learner had stored is left out.

    Args:
        code: the JSON content.
        arrays: those of the file.

    Raises:
        ValueError: the content is damaged.
        KeyError: likewise.
    """
    if isinstance(code, list):
        return [decode_version_1(entry, arrays) for entry in code]
    if not isinstance(code, dict):
        return code
    kind, body = next(iter(code.items()))

    def decoded(part: Any) -> Any:
        return decode_version_1(part, arrays)

    if kind == "array":
        return arrays[body]
    if kind in ("turn", "turns"):
        return None
    if kind == "tuple":
        return tuple(decoded(entry) for entry in body)
    if kind == "range":
        return range(*body)
    if kind == "dict":
        return {decoded(key): decoded(value) for key, value in body}
    if kind == "convention":
        return Convention(body)
    if kind == "box":
        low, high, dtype = body
        bounds: Any = np.array(low, dtype=dtype), np.array(high, dtype=dtype)
        return spaces.Box(low=bounds[0], high=bounds[1], dtype=np.dtype(dtype).type)
    if kind == "discrete":
        return spaces.Discrete(body)
    if kind == "schedule":
        return {"harmonic": harmonic}[body]
    if kind == "generator":
        return generator(body[0])
    if kind == "value":
        return VALUES[body](**decoded(code["fields"]))
    if kind == "part":
        return decoded(code["state"])
    if kind == "learner":
        return _learner(body, decoded(code["arguments"]), decoded(code["state"]))
    raise ValueError(f"unknown entry {kind!r}")


def _learner(name: str, arguments: dict[str, Any], state: Mapping[str, Any]) -> Any:
    """A learner made with ``arguments``, with ``state`` as what it has learned."""
    if name == "NimSumShaping":
        return NimSumShaping(**arguments)
    if name == "HeapSymmetry":
        return HeapSymmetry(**arguments)
    learner = CLASSES[name](**arguments)
    saved = learner.saved()
    before = dict(state)
    if "tables" in before:
        before["first"], before["second"] = before["tables"]
    if before.get("buffer") is not None:
        before.update(zip(REPLAY, before["buffer"][:7], strict=True))
    saved["learned"] = {name: before[name] for name in saved["learned"]}
    if "exploration" in state:
        saved["games"] = state["exploration"]["ended"]
    if "rng" in state:
        saved["generator"] = state["rng"]
    learner.restore(saved)
    return learner


def generator(state: dict[str, Any]) -> np.random.Generator:
    """Return a generator in this state."""
    bits = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}[state["bit_generator"]]()
    bits.state = cast(Any, state)
    return np.random.Generator(bits)
