"""Table of the check of environments: ``python -m tests.conformance_table``.

It prints how many of the faulty environments the check finds, how many right ones it accuses, and
how long it takes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from nim_envs.errors import ConformanceError, InvalidPositionError
from nim_envs.registration import GAMES, make_aec, make_vector, make_versus
from nim_envs.testing import check_env
from tests.faulty_environments import FAULTS, SIZE, UNSEEN, Fault
from tests.pairwise import pairwise

INTERFACES = ("turn-based", "Gymnasium", "NextStep", "SameStep", "Disabled")

OPTIONS: dict[str, tuple[Any, ...]] = {
    "misere": (False, True),
    "start": ("fixed", "uniform", "balanced", "p_position", "n_position"),
    "encoding": ("integer", "one_hot", "binary", "unary"),
    "illegal_move": ("forfeit", "raise"),
    "max_cycles": (None, 1, 3),
    "truth_in_info": (False, True),
    "render_mode": (None, "ansi", "rgb_array"),
    "show_winning_moves": (False, True),
    "opponent": (None, "random", "optimal", 0.5),
    "seat": (0, 1, "random"),
    "mask_in_observation": (True, False),
    "copy": (True, False),
}
"""Values of every option; the last four are not options of every interface."""


def right() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the interface, the game and the options of right environments.

    Every pair of values of two options, games or interfaces is among them.
    """
    for interface, game, *values in pairwise(INTERFACES, list(GAMES), *OPTIONS.values()):
        options = dict(zip(OPTIONS, values, strict=True))
        if interface in INTERFACES[:2]:
            del options["copy"]
        if interface == INTERFACES[0]:
            for name in ("opponent", "seat", "mask_in_observation"):
                del options[name]
        elif options["opponent"] is None:
            options["seat"] = None
        yield interface, game, options


def made(interface: str, game: str, options: dict[str, Any]) -> Any:
    """Return an environment, or ``None`` where the game has no such start."""
    try:
        if interface == "turn-based":
            env: Any = make_aec(game, **options)
        elif interface == "Gymnasium":
            env = make_versus(game, **options)
        else:
            env = make_vector(game, SIZE, autoreset_mode=interface, **options)
        env.reset(seed=0)
    except InvalidPositionError:
        return None
    return env


def said(env: Any) -> str | None:
    """Return the accusation of an environment, or ``None``."""
    try:
        check_env(env)
    except ConformanceError as error:
        return str(error)
    return None


def missed(faults: list[Fault]) -> list[str]:
    """Return the faulty environments that the check lets pass."""
    return [fault.name for fault in faults if said(fault.make()) is None]


def main() -> None:
    """Print the table."""
    for what, faults in (("known faults", FAULTS), ("faults set apart", UNSEEN)):
        names = missed(faults)
        print(f"{what}: {len(faults) - len(names)} of {len(faults)} found", *names)
    accused, number = [], 0
    for case in right():
        env = made(*case)
        if env is not None:
            number += 1
            message = said(env)
            if message is not None:
                accused.append((case, message))
    print(f"right environments: {len(accused)} of {number} accused")
    for case, message in accused:
        print(*case, message, sep="\n    ")
    for interface in INTERFACES:
        more = {} if interface == INTERFACES[0] else {"opponent": "optimal", "seat": "random"}
        env = made(interface, "nim", more)
        begin = time.perf_counter()
        check_env(env)
        print(f"Nim 3-4-5, {interface}: {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
