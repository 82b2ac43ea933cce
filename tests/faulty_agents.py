"""Learners of this project with one fault each, and what the diagnosis calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from nim_envs import Convention, Game, GameEnv, diagnose

SIGN = "wrong sign of the bootstrap"
CONFUSED = "normal and misère play confused"
SWAPPED = "players swapped"
UNMASKED = "action mask ignored"
CONSTANT = "same action always"
BLIND = "blind to heap 1"
UNORDERED = "blind to the order of heaps"
CUT = "observations unnormalised or cut"
STALE = "stale observations"
ONE_SEAT = "one seat never learned"
ONE_MOVE = "search of depth one"
OFF_BY_ONE = "actions off by one"

FAULTS = (
    SIGN, CONFUSED, SWAPPED, UNMASKED, CONSTANT, BLIND, UNORDERED, CUT, STALE, ONE_SEAT, ONE_MOVE,
    OFF_BY_ONE,
)  # fmt: skip

OF_ONE_NETWORK = tuple(fault for fault in FAULTS if fault != ONE_SEAT)
"""Faults that make sense where one network plays both seats."""


def as_seen(looks: Callable[[Any], Any], policy: Any) -> Any:
    """Return a policy that is shown changed positions."""

    def seen(positions, masks):
        return policy.action_probabilities(np.apply_along_axis(looks, 1, positions), masks)

    return seen


def nothing(position: Any) -> Any:
    """A position of which nothing is seen."""
    return np.zeros_like(position)


def without_heap_1(position: Any) -> Any:
    """A position without its heap 1, if it has one."""
    seen = position.copy()
    seen[1:2] = 0
    return seen


def halved(position: Any) -> Any:
    """A position in whole halves."""
    return position // 2


LOOKS = {CONSTANT: nothing, BLIND: without_heap_1, UNORDERED: np.sort, CUT: halved}
"""Function from a position to the observation of a blind agent, by fault."""


class Shown(GameEnv):
    """An environment that shows changed positions."""

    looks: Callable[[Any], Any] = staticmethod(np.copy)

    def observe(self, agent):
        """Return the changed observation."""
        observed = super().observe(agent)
        observed["observation"] = self.looks(observed["observation"])
        return observed


def shown(game: Game, looks: Callable[[Any], Any]) -> GameEnv:
    """Return an environment that shows changed positions."""
    env = Shown(game)
    env.looks = looks
    return env


def with_convention(game: Game, fault: str) -> Game:
    """Return the game by whose result an agent learns that confuses who wins."""
    other = Convention.from_misere(game.convention is Convention.NORMAL)
    convention = Convention.NORMAL if fault == CONFUSED else other
    return Game(game.rules, convention, game.start)


def one_too_large(policy: Any) -> Any:
    """Return a policy whose actions have a number that is one too large."""

    def shifted(positions, masks):
        chances = policy.action_probabilities(positions, masks)
        return (chances.argmax(axis=1) + 1) % masks.shape[1]

    return shifted


def one_call_late(policy: Any) -> Any:
    """Return a policy that sees the position of the call before, with the mask of its own."""
    before = None

    def late(positions, masks):
        nonlocal before
        last = positions[:1] if before is None else before
        before = positions[-1:].copy()
        return policy.action_probabilities(np.concatenate([last, positions[:-1]]), masks)

    return late


def playing(fault: str | None, policy: Any) -> Any:
    """Return a policy that plays with the fault, if its observations or actions are at fault."""
    if fault == STALE:
        return one_call_late(policy)
    return one_too_large(policy) if fault == OFF_BY_ONE else policy


class Row(NamedTuple):
    """A row of the table that a test prints.

    Attributes:
        learner: name of the learner.
        fault: its fault.
        seed: of its training.
        verdict: of the diagnosis.
        named: the faults that the diagnosis names.
    """

    learner: str
    fault: str
    seed: int
    verdict: str
    named: tuple[str, ...]

    @property
    def first(self) -> bool:
        """Whether the fault is named first."""
        return self.named[:1] == (self.fault,)


def diagnosed(
    learner: str,
    faults: Iterable[str],
    training: Callable[[str, int], Any],
    seeds: Iterable[int] = (0, 1),
    **arguments: Any,
) -> list[Row]:
    """Return the diagnoses of a learner with each fault.

    Args:
        learner: its name.
        faults: the faults.
        training: returns a training function, from a fault and a seed.
        seeds: of the training.
        arguments: those of :func:`nim_envs.diagnose`.
    """
    rows = []
    for fault in faults:
        for seed in seeds:
            found = diagnose(training(fault, seed), **arguments)
            names = tuple(finding.name for finding in found.faults)
            rows.append(Row(learner, fault, seed, found.verdict, names))
    return rows


def table(rows: list[Row]) -> str:
    """Return rows as text."""
    lines = [f"{'learner':14} {'fault':34} seed  named"]
    for row in rows:
        named = ", ".join(row.named) or row.verdict
        lines.append(f"{row.learner:14} {row.fault:34} {row.seed:4}  {named}")
    first = sum(row.first for row in rows)
    lines.append(f"named first: {first} of {len(rows)}")
    return "\n".join(lines)
