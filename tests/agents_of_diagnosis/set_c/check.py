"""Right agents play small games well, and faulty ones train without an error.

python -m tests.agents_of_diagnosis.set_c.check [part of a name]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import nim_envs
from nim_envs import GameEnv

from . import ENTRIES

FORCED = {  # forced replies, draws, and a win that is four moves away
    0: [1, 2, 3], 1: [4], 2: [5, 6], 3: [7, 8, 9], 4: [10, 11], 5: [12], 6: [13], 7: [14], 8: [15],
    9: [], 10: [16], 11: [17], 12: [18], 13: [], 14: [19, 20], 15: [], 16: [], 17: [], 18: [21],
    19: [], 20: [], 21: [],
}  # fmt: skip
ENDS = {9: 1, 13: 0, 15: -1, 16: 1, 17: 0, 19: -1, 20: 1, 21: -1}


def forced(position):
    return [(f"{2 * (i % 2) + i}", (to,)) for i, to in enumerate(FORCED[position[0]])]


def lamps(position):  # put out one lamp, or two beside each other
    for i in range(4):
        for some in ((i,), (i, i + 1)):
            if all(lamp < 4 and position[lamp] for lamp in some):
                yield str(some), tuple(0 if j in some else x for j, x in enumerate(position))


def games():
    """Return the games of the check by name."""
    make = nim_envs.game_from_moves
    return {
        "nim": nim_envs.make_game("nim", heaps=(2, 3)),
        "misère nim": nim_envs.make_game("nim", heaps=(1, 2, 2), misere=True, start="uniform"),
        "forced": make("forced", (0,), forced, outcome=lambda p: ENDS[p[0]]),
        "lamps": make("lamps", (1, 1, 1, 1), lamps, outcome=lambda p: -1),
    }


def score(policy, game):
    """Return the percentage of positions with a choice at which the policy keeps the value."""
    kept = []
    for position in game.positions():
        mask, best = game.mask(position), game.solution.keeping_actions(position)
        if 0 < len(best) < mask.sum():
            kept.append(int(policy(position[None], mask[None])[0]) in best)
    return 100 * np.mean(kept)


def main(part=""):
    all_games = games()
    for entry in ENTRIES:
        if part in entry.name:
            began, scores = time.time(), []
            for name, game in all_games.items():
                if entry.fault and name in ("nim", "lamps"):
                    continue
                env = entry.make_env(game) if entry.make_env else GameEnv(game)
                scores.append(score(entry.make(games=entry.minimum)(env), game))
            low = "LOW" if not entry.fault and np.mean(scores) < 99 else ""
            text = " ".join(f"{x:5.1f}" for x in scores)
            print(f"{text}  {time.time() - began:4.1f} s {low} {entry.name}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
