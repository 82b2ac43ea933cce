"""The published Q-learners of three-heap Nim, in plain Python, wrong sign included.

Both bootstrap from the largest value of the position after the move, as if it were the mover's
own. It is the opponent's: a good position there is bad for the mover.
"""

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from nim_envs.typing import FloatArray

HEAPS = 3
LARGEST = 10

State = tuple[int, ...]
Move = tuple[int, int]
Player = Callable[[State], Move]


def moves_of(state: State) -> list[Move]:
    """Return the legal moves of a position: heap and amount."""
    return [(heap, amount) for heap, size in enumerate(state) for amount in range(1, size + 1)]


def after(state: State, move: Move) -> State:
    """Return the position after a move."""
    heap, amount = move
    return (*state[:heap], state[heap] - amount, *state[heap + 1 :])


def optimal_move(state: State, rng: random.Random) -> Move:
    """Return a move to nim-sum 0, or a random one where there is none."""
    total = state[0] ^ state[1] ^ state[2]
    if total:
        for heap, size in enumerate(state):
            if size ^ total < size:
                return heap, size - (size ^ total)
    return rng.choice(moves_of(state))


@dataclass(kw_only=True, eq=False)
class PublishedQLearner:
    """A table of action values with the published learners' rule.

    Args:
        learning_rate: step size.
        discount: factor of the value of the position after the move, added with the wrong sign.
        win: reward of the move that takes the last object.
        loss: reward of the last move of the player who did not take it.
        nim_sum_bonus: reward of a move that leaves nim-sum 0.
        initial_range: initial values are uniform between minus and plus this.
        seed: seed of all its random numbers.
    """

    learning_rate: float
    discount: float
    win: float
    loss: float = 0.0
    nim_sum_bonus: float = 0.0
    initial_range: float = 0.0
    seed: int

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.values: dict[State, dict[Move, float]] = {}

    def row(self, state: State) -> dict[Move, float]:
        """Return the action values at a position, drawn at the first call."""
        row = self.values.get(state)
        if row is None:
            around = self.initial_range
            row = self.values[state] = {
                move: self.rng.uniform(-around, around) if around else 0.0
                for move in moves_of(state)
            }
        return row

    def best_move(self, state: State) -> Move:
        """Return the move of the largest value."""
        row = self.row(state)
        return max(row, key=row.__getitem__)

    def learn(self, state: State, move: Move, reward: float, later: State) -> None:
        """Update one value towards reward plus, with the wrong sign, the best next value."""
        row = self.row(state)
        following = self.row(later)
        target = reward + (self.discount * max(following.values()) if following else 0.0)
        row[move] += self.learning_rate * (target - row[move])

    def start(self) -> State:
        """Return a random start: every heap from 1 to 10."""
        return tuple(self.rng.randint(1, LARGEST) for _ in range(HEAPS))


def action_values(values: Mapping[State, Mapping[Move, float]], largest: int) -> FloatArray:
    """Return values of heaps up to ``largest`` as a table of positions by actions."""
    table = np.zeros((largest + 1,) * HEAPS + (HEAPS * largest,))
    for state, row in values.items():
        for (heap, amount), value in row.items():
            table[state][heap * largest + amount - 1] = value
    return table.reshape(-1, HEAPS * largest)


def train_baseline(games: int, seed: int) -> PublishedQLearner:
    """Train as first published: random moves, learning rate 1, reward 100 for a win only."""
    learner = PublishedQLearner(learning_rate=1.0, discount=0.8, win=100.0, seed=seed)
    for _ in range(games):
        state = learner.start()
        while any(state):
            move = learner.rng.choice(moves_of(state))
            later = after(state, move)
            learner.learn(state, move, 0.0 if any(later) else learner.win, later)
            state = later
    return learner


def train_improved(games: int, seed: int) -> PublishedQLearner:
    """Train as published later.

    Opponents in rotation (itself, random, optimal), rewards 100 and −100 for win and loss and 10
    for leaving nim-sum 0, replay of 32 turns out of 1,000 every 10 games, and exploration that
    decays from 0.3 by a factor of 0.95 every 500 games, to at least 0.05.
    """
    learner = PublishedQLearner(
        learning_rate=0.3, discount=0.95, win=100.0, loss=-100.0, nim_sum_bonus=10.0,
        initial_range=0.01, seed=seed,
    )  # fmt: skip
    rng = learner.rng
    remembered: deque[tuple[State, Move, float, State]] = deque(maxlen=1000)
    epsilon = 0.3

    def own_move(state: State) -> Move:
        return rng.choice(moves_of(state)) if rng.random() < epsilon else learner.best_move(state)

    opponents: list[Player] = [
        own_move,
        lambda state: rng.choice(moves_of(state)),
        lambda state: optimal_move(state, rng),
    ]
    for game in range(games):
        opponent = opponents[game % len(opponents)]
        learners = (True, opponent is own_move)
        first = game // len(opponents) % 2
        state, ply = learner.start(), 0
        last: list[tuple[State, Move, State] | None] = [None, None]
        while any(state):
            seat = (ply + first) % 2
            move = own_move(state) if seat == 0 else opponent(state)
            later = after(state, move)
            if learners[seat]:
                reward = learner.nim_sum_bonus if not later[0] ^ later[1] ^ later[2] else 0.0
                reward += 0.0 if any(later) else learner.win
                learner.learn(state, move, reward, later)
                remembered.append((state, move, reward, later))
            last[seat] = (state, move, later)
            state, ply = later, ply + 1
        loser = (ply + first) % 2
        lost = last[loser]
        if learners[loser] and lost is not None:
            learner.learn(lost[0], lost[1], learner.loss, lost[2])
            remembered.append((lost[0], lost[1], learner.loss, lost[2]))
        if (game + 1) % 10 == 0 and remembered:
            for _ in range(32):
                learner.learn(*remembered[rng.randrange(len(remembered))])
        if (game + 1) % 500 == 0:
            epsilon = max(0.05, epsilon * 0.95)
    return learner
