"""Training with PyTorch: a value network learns in self-play, from one-move look-ahead targets.

The target of a position is "won" if the network values some option as lost, otherwise "lost":
values are for the player to move, so a win at an option is the mover's loss (negamax).
A position is a contradiction if its value differs from its target. The network learns from all
positions with at most as many objects as the smallest contradiction: all positions with fewer
agree with their targets, down to the end of the game, whose result is known.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from agents.base import AfterGame
from agents.research.signed_products.larger_boards import examine
from agents.research.signed_products.value_networks import Column, unchanged
from agents.research.signed_products.value_state import ValueState
from agents.research.signed_products.visited_positions import (
    NO_OPTION,
    HeapBoard,
    VisitedPositions,
)
from nim_envs.starts import Sampler
from nim_envs.typing import Array, FloatArray, IntArray

GAMES_AT_ONCE = 16
STEPS = 20  # gradient steps after each batch of games
BATCH = 128  # positions in each gradient step
RANDOM_MOVES = 0.3  # probability of a random move in self-play
LEARNING_RATE = 1e-2  # annealed to 2 % of it over the second half of the games
AVERAGE = 0.95  # decay of the moving average of weights, which plays and makes the targets
NOISE = 0.25  # standard deviation of the noise on the recurrent state, in training
LARGEST_GRADIENT = 1.0  # norm to which gradients are clipped
ROUNDED_AFTER = 0.4  # share of an attempt's games after which factors are rounded
MOST_ATTEMPTS = 8  # each begins with new weights, after an exam has found contradictions
FEWEST_GAMES = 1_000  # in an attempt, unless fewer are left
EXAM_EVERY = 10  # batches of games
MOST_EMPTY_HEAPS, MOST_EMPTY_COLUMNS = 2, 1  # added at random to training positions


@dataclass(eq=False)
class ValueTraining:
    """Trains the values of a network by self-play."""

    state: ValueState
    board: HeapBoard
    starts: Sampler
    rng: np.random.Generator
    rounding: bool

    def __post_init__(self) -> None:
        self.visited = VisitedPositions(self.board)
        self.noise = torch.Generator().manual_seed(int(self.rng.integers(1 << 62)))
        self._examined = 0
        self.values = np.ones(1)  # probability of a win, by key number; NO_OPTION counts as won
        # Every game reaches the empty position.
        self.visited.visit(np.zeros((1, self.board.heaps), dtype=np.int64))

    @property
    def positions_read(self) -> int:
        """Number of positions whose options were looked up, exams included."""
        return len(self.visited.positions) + self._examined

    def learn(self, games: int, after_game: AfterGame) -> None:
        """Learn from at most ``games`` games, until the exams find no contradiction."""
        attempts = max(1, min(MOST_ATTEMPTS, games // FEWEST_GAMES))
        best = None
        try:
            with one_thread():
                for attempt in range(attempts):
                    if attempt:
                        self.state.begin_again(self.rng)
                    share = games // attempts + (attempt < games % attempts)
                    if self._attempt(share, after_game) or self.state.contradictions == 0:
                        return
                    if best is None or self.state.contradictions < best.contradictions:
                        best = self.state.copy()
        finally:
            # Keep the best attempt: a later or interrupted one may be worse.
            if best is not None and best.contradictions < self.state.contradictions:
                self.state.copy_from(best)

    def _attempt(self, games: int, after_game: AfterGame) -> bool:
        """Learn until an exam finds no contradiction; return whether ``after_game`` ended it."""
        tensors = {
            name: torch.from_numpy(array.copy()).requires_grad_()
            for name, array in self.state.weights.items()
        }
        optimizer = torch.optim.Adam(tensors.values(), lr=LEARNING_RATE)
        played = batches = 0
        while played < games:
            done = played / games
            if self.rounding and done >= ROUNDED_AFTER:
                self.state.rounded = True
            optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(0.02, min(1.0, 2 * (1 - done)))
            count = min(GAMES_AT_ONCE, games - played)
            self._evaluate_all()
            for length in self._play(count):
                played += 1
                if after_game(self.state.winner(length), length):
                    return True
            self._gradient_steps(tensors, optimizer)
            batches += 1
            late = done >= max(0.5, ROUNDED_AFTER)
            if played == games or (late and batches % EXAM_EVERY == 0):
                self.state.contradictions = self._exam()
                if self.state.contradictions == 0:
                    break
        return False

    def _exam(self) -> float:
        """Return the share of contradictions at visited positions, or if 0, on larger boards."""
        self._evaluate_all()
        share = float(self._wrong(self._targets()).mean())
        if share == 0:
            share, read = examine(self.state, self.board, self.rng)
            self._examined += read
        return share

    def _evaluate_all(self) -> None:
        """Recompute the value of every key."""
        self.values = np.ones(1)
        self._evaluate_new()

    def _evaluate_new(self) -> None:
        """Compute the values of new keys."""
        new = self.visited.keys[len(self.values) :]
        if len(new):
            values = self.state.win_probabilities(new, self.board.heaps, self.board.columns)
            self.values = np.concatenate([self.values, values])

    def _play(self, games: int) -> list[int]:
        """Play games against itself; return their lengths."""
        positions = np.sort(self.starts.sample(self.rng, games), axis=1)
        lengths, playing = np.zeros(games, dtype=np.int64), np.arange(games)
        while len(playing):
            rows = self.visited.visit(positions)
            self._evaluate_new()
            after = self.visited.after[rows]
            legal = after != NO_OPTION
            going_on = legal.any(axis=1)
            positions, playing = positions[going_on], playing[going_on]
            after, legal = after[going_on], legal[going_on]
            lengths[playing] += 1
            # Ties are broken at random.
            chances = self.rng.random(after.shape)
            at_random = self.rng.random((len(playing), 1)) < RANDOM_MOVES
            worth = np.where(at_random, 0.0, self.values[after]) + 1e-6 * chances
            positions = self.board.positions_after(
                positions, np.where(legal, worth, np.inf).argmin(axis=1)
            )
        return lengths.tolist()

    def _targets(self) -> FloatArray:
        """The target of every visited position: 1.0 for won, 0.0 for lost."""
        after = self.visited.after
        won = (self.values[after] < 0.5).any(axis=1)
        over = (after == NO_OPTION).all(axis=1)
        return np.where(over, float(self.state.misere), won.astype(np.float64))

    def _wrong(self, targets: FloatArray) -> Array:
        """Whether each visited position contradicts itself: its value is not its target."""
        return np.asarray((self.values[self.visited.own] >= 0.5) != (targets == 1.0))

    def _gradient_steps(
        self, tensors: dict[str, torch.Tensor], optimizer: torch.optim.Optimizer
    ) -> None:
        """Learn the targets of the positions up to the smallest contradiction."""
        targets = self._targets()
        wrong = self._wrong(targets)
        objects = self.visited.positions.sum(axis=1)
        rows = np.flatnonzero(objects <= objects[wrong].min(initial=objects.max()))
        # Positions with one key count as one.
        cumulative = (1 / self.visited.key_counts[self.visited.own[rows]]).cumsum()
        for _ in range(STEPS):
            indices = cumulative.searchsorted(self.rng.random(BATCH) * cumulative[-1])
            batch = rows[indices.clip(max=len(rows) - 1)]
            keys, targets_of_keys, shares = self._inputs(batch, targets[batch])
            heaps, inputs = self._padded(keys)
            logits = self.state.network.logits(
                tensors, inputs, heaps, torch,
                rounded_straight_through if self.state.rounded else unchanged, self._disturbed,
            )  # fmt: skip
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, torch.from_numpy(targets_of_keys), torch.from_numpy(shares), reduction="sum"
            )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tensors.values(), LARGEST_GRADIENT)
            optimizer.step()
            for name, tensor in tensors.items():
                average = self.state.weights[name]
                average += np.float32(1 - AVERAGE) * (tensor.detach().numpy() - average)

    def _inputs(self, rows: IntArray, targets: FloatArray) -> tuple[IntArray, Array, Array]:
        """The distinct keys of positions, the mean target of each, and its share of the batch."""
        positions = self.visited.positions[rows]
        if not self.state.network.other_boards:
            positions = self.rng.permuted(positions, axis=1)  # other networks ignore the order
        keys, inverse, counts = np.unique(
            self.board.keys(positions), return_inverse=True, return_counts=True
        )
        means = np.bincount(inverse.reshape(-1), targets) / counts
        return keys, means.astype(np.float32), (counts / len(rows)).astype(np.float32)

    def _padded(self, keys: IntArray) -> tuple[int, Any]:
        """Number of heaps, and inputs, with empty heaps and columns added at random."""
        heaps, columns = self.board.heaps, self.board.columns
        network = self.state.network
        if not network.other_boards:
            return heaps, torch.from_numpy(network.inputs(keys, heaps, columns))
        columns += int(self.rng.integers(MOST_EMPTY_COLUMNS + 1))
        inputs = [
            Column(torch.from_numpy(counts), torch.from_numpy(parents))
            for counts, parents in network.inputs(keys, heaps, columns)
        ]
        return heaps + int(self.rng.integers(MOST_EMPTY_HEAPS + 1)), inputs

    def _disturbed(self, state: torch.Tensor) -> torch.Tensor:
        """The recurrent state with noise, which makes it learn few, well separated values."""
        return state + NOISE * torch.randn(state.shape, generator=self.noise)


def rounded_straight_through(factors: torch.Tensor) -> torch.Tensor:
    """Return the nearest integers; the gradient is that of the identity.

    References:
        Y. Bengio, N. Léonard & A. Courville, "Estimating or propagating gradients through
        stochastic neurons for conditional computation", 2013, arXiv:1308.3432.
    """
    return factors + (factors.round() - factors).detach()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread; networks this small are slower on several."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
