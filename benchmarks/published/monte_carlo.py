"""The published Monte-Carlo control with exploring starts, in plain Python with its defects.

Its "optimal" opponent always moves in the largest heap; where that heap has no winning move, it
silently passes. Its exploration takes one object only.
"""

import random

from benchmarks.published.q_learner import HEAPS, Move, State, after, moves_of

LARGEST = 3


def opponent_move(state: State, rng: random.Random) -> Move | None:
    """Return the published opponent's move; ``None`` where it passes."""
    total = state[0] ^ state[1] ^ state[2]
    if not total:
        return rng.choice(moves_of(state))
    heap = state.index(max(state))
    left = state[heap] ^ total
    return (heap, state[heap] - left) if left < state[heap] else None


def train_published(games: int, seed: int) -> dict[State, dict[Move, float]]:
    """Return the mean results by position and move after ``games`` games."""
    rng = random.Random(seed)
    means: dict[State, dict[Move, float]] = {}
    counts: dict[tuple[State, Move], int] = {}
    for game in range(games):
        state: State = ()
        while not any(state):
            state = tuple(rng.randint(0, LARGEST) for _ in range(HEAPS))
        epsilon = 1 / (game + 1)
        episode: list[tuple[State, Move]] = []
        mine = True
        while any(state):
            move: Move | None
            if not mine:
                move = opponent_move(state, rng)
            elif not episode:
                move = rng.choice(moves_of(state))
            elif rng.random() < epsilon:
                move = (rng.choice([heap for heap in range(HEAPS) if state[heap]]), 1)
            else:
                row = means.setdefault(state, dict.fromkeys(moves_of(state), 0.0))
                move = max(row, key=row.__getitem__)
            if move is not None:
                if mine:
                    episode.append((state, move))
                state = after(state, move)
            mine = not mine
        result = 0.0 if mine else 1.0
        # A pass can bring a position back; only its first visit counts.
        for visit in dict.fromkeys(episode):
            counts[visit] = counts.get(visit, 0) + 1
            row = means.setdefault(visit[0], dict.fromkeys(moves_of(visit[0]), 0.0))
            row[visit[1]] += (result - row[visit[1]]) / counts[visit]
    return means
