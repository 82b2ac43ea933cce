"""One run: a model learns to speak, or one that speaks learns to play; both are scored exactly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from agents.research.language_model import (
    Credit,
    Decoder,
    PolicyGradient,
    PolicyGradientSettings,
    SupervisedSettings,
    Words,
    learn_to_speak,
    speaker,
)

from benchmarks.text.settings import (
    BETWEEN_SCORES,
    BOARDS,
    MOVES,
    QUICK_BETWEEN,
    QUICK_MOVES,
    QUICK_UPDATES,
    ROWS,
    SAMPLES,
)
from nim_envs.text import score
from nim_envs.typing import Position

Weights = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class SpeechResult:
    """A model that has learned to speak.

    Attributes:
        board: a key of :data:`~benchmarks.text.settings.BOARDS`.
        seed: seed of the weights and the training.
        seconds: CPU time of the training.
        legal: percent of sampled replies that are legal moves.
        percent: percent of the scored positions at which the greedy reply keeps the win.
        learned: the same at the N-positions that are learned from.
        random: the same of random legal moves, at the scored positions.
        count: number of scored positions.
        parameters: number of weights.
        words: size of the vocabulary.
        weights: the model.
    """

    board: str
    seed: int
    seconds: float
    legal: float
    percent: float
    learned: float
    random: float
    count: int
    parameters: int
    words: int
    weights: Weights


@dataclass(frozen=True)
class PlayResult:
    """A model that has learned to play.

    Attributes:
        board: a key of :data:`~benchmarks.text.settings.BOARDS`.
        row: a key of :data:`~benchmarks.text.settings.ROWS`.
        seed: seed of supervised training and of policy gradient.
        moves: sampled replies.
        seconds: CPU time of policy gradient, without that of the scores.
        percent: percent of the scored positions at which the greedy reply keeps the win.
        learned: the same at the N-positions that are learned from.
        curve: moves and percent, from before the first update on.
    """

    board: str
    row: str
    seed: int
    moves: int
    seconds: float
    percent: float
    learned: float
    curve: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Split:
    """The positions of a board, by their use.

    Attributes:
        supervised: positions whose legal moves are trained on.
        trained: N-positions at which the policy is trained.
        scored: N-positions that are scored.
    """

    supervised: Sequence[Position]
    trained: Sequence[Position]
    scored: Sequence[Position]


def split(words: Words, share: float, seed: int) -> Split:
    """Return which positions are learned from and which are scored.

    Args:
        words: words of the game.
        share: of N-positions that are held out; 0: all are scored, and learned from.
        seed: seed of the draw.
    """
    if not share:
        return Split(words.positions, words.won, words.won)
    order = np.random.default_rng(seed).permutation(len(words.won)).tolist()
    last = round(share * len(order))
    scored = {words.won[index] for index in order[:last]}
    return Split(
        [here for here in words.positions if here not in scored],
        [here for here in words.won if here not in scored],
        [here for here in words.won if here in scored],
    )


def speak(board: str, seed: int, quick: bool) -> SpeechResult:
    """Teach a new model to speak, and score it.

    Args:
        board: a key of :data:`~benchmarks.text.settings.BOARDS`.
        seed: seed of the weights and the training.
        quick: whether to learn little.
    """
    torch.set_num_threads(1)
    words = Words(BOARDS[board].make())
    use = split(words, BOARDS[board].held_out, seed)
    settings = SupervisedSettings(updates=QUICK_UPDATES) if quick else SupervisedSettings()
    began = time.process_time()
    model = learn_to_speak(words, seed, settings, use.supervised)
    seconds = time.process_time() - began
    sampled = score(
        speaker(words, model, seed), words.language, words.positions, samples=SAMPLES,
        lost_positions=True, style="short",
    )  # fmt: skip
    greedy = score(speaker(words, model), words.language, use.scored, style="short")
    return SpeechResult(
        board,
        seed,
        seconds,
        100 - sampled.illegal - sampled.format,
        greedy.percent,
        score(speaker(words, model), words.language, use.trained, style="short").percent,
        greedy.random_percent,
        greedy.count,
        sum(each.numel() for each in model.parameters()),
        len(words.words),
        {name: each.numpy() for name, each in model.state_dict().items()},
    )


def learn(board: str, row: str, seed: int, weights: Weights, quick: bool) -> PlayResult:
    """Let a model that speaks learn to play, and score it as it learns.

    Args:
        board: a key of :data:`~benchmarks.text.settings.BOARDS`.
        row: a key of :data:`~benchmarks.text.settings.ROWS`.
        seed: seed of the training; of the model that speaks, too, where positions are held out.
        weights: weights of the model that speaks.
        quick: whether to learn little.
    """
    torch.set_num_threads(1)
    words = Words(BOARDS[board].make())
    use = split(words, BOARDS[board].held_out, seed)
    reference = Decoder(words, seed)
    # Copied, as another process may have lent its memory read-only.
    reference.load_state_dict({name: torch.tensor(each) for name, each in weights.items()})
    settings = PolicyGradientSettings(moves=QUICK_MOVES if quick else MOVES)
    between = QUICK_BETWEEN if quick else BETWEEN_SCORES
    learner = PolicyGradient(words, reference, Credit(**ROWS[row]), settings, seed, use.trained)

    def percent(positions: Sequence[Position]) -> float:
        speak = speaker(words, learner.model)
        return score(speak, words.language, positions, style="short").percent

    curve = [(0, percent(use.scored))]
    seconds = 0.0
    while learner.moves < settings.moves:
        began = time.process_time()
        learner.update()
        seconds += time.process_time() - began
        if learner.moves >= min(len(curve) * between, settings.moves):
            curve.append((learner.moves, percent(use.scored)))
    return PlayResult(
        board, row, seed, learner.moves, seconds, curve[-1][1], percent(use.trained), tuple(curve)
    )
