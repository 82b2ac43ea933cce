"""Optimality, and how well predicted outcomes agree with the solution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.game import PLAYERS, Game
from nim_envs.players import AnyPlayer
from nim_envs.rules.moves_between import are_moves, legal_counts
from nim_envs.rules.validation import checked_integer
from nim_envs.scoring.enumeration import all_positions, check_enumeration, chunks, with_progress
from nim_envs.scoring.intervals import in_words, percent_interval
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.scoring.scored_game import scored_game
from nim_envs.starts import OutcomeStart
from nim_envs.typing import BoolArray, IntArray

ROUNDING = 1e-12
"""Relative tolerance within which a score counts as 100 %."""

POSITION_SETS = ("all", "reachable", *PLAYERS)


@dataclass(frozen=True)
class Optimality:
    """Share of winning moves of a policy, over the N-positions of a set.

    Attributes:
        percent: mean probability of a move to a P-position, in percent; NaN if the set has no
            N-position.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move, in percent.
        positions: the set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        count: number of N-positions that were scored: those in the set, or those drawn.
        blunders: the N-positions where a most probable move does not win, int64
            ``(blunders, components)``; their coordinates, where the game has them.
        interval: where positions were drawn, the 95 % confidence interval of the score over the
            whole set, in percent; ``None`` where the score is exact.
    """

    percent: float
    random_percent: float
    illegal_percent: float
    positions: str
    count: int
    blunders: IntArray
    interval: tuple[float, float] | None = None

    def __repr__(self) -> str:
        """Return the score and the number of blunders in one line."""
        return f"Optimality({self}; {len(self.blunders)} blunders)"

    def __str__(self) -> str:
        """Return the score in one line."""
        which = self.positions if self.interval is None else "drawn"
        return (
            f"{self.percent:.2f} %{in_words(self.interval)} of {self.count} N-positions, {which}; "
            f"random {self.random_percent:.2f} %, illegal {self.illegal_percent:.2f} %"
        )


def optimality(
    policy: AnyPlayer,
    env_or_game: Any,
    positions: str | npt.ArrayLike = "all",
    *,
    sample: int | None = None,
    seed: int = 0,
) -> Optimality:
    """Score ``policy`` exactly: the mean probability of a winning move over the N-positions.

    P-positions do not count: every move loses there. If a greedy policy breaks ties uniformly, a
    tie scores the share of its actions that win. An illegal move does not win.

    Args:
        policy: a function of observations ``(n, ...)`` and action masks, int8 ``(n, actions)``,
            that returns actions, integers ``(n,)``, or probabilities ``(n, actions)``; with three
            required parameters it is given a generator, too. Or an object with
            ``action_probabilities(observations, action_masks)``, such as ``learner.greedy()``; or
            with ``move(position)``, which returns the position after its move, for boards with too
            many actions to list; or with ``act(observation, action_mask, rng)``, which is called
            once at each position. Of several of these methods, the first is used. It may overwrite
            its arguments; an action of -1 means no legal move, and counts as illegal.
        env_or_game: an environment of this package: the policy observes and acts as in it, through
            its wrappers; see :func:`nim_envs.scoring.wrappers.treatment` for those that scores can
            follow. Or a game: observations are positions, int64 ``(n, components)``, or their
            coordinates.
        positions: ``"all"``; ``"reachable"``: those that can be reached from the game's starts;
            ``"player_0"`` or ``"player_1"``: those that can be reached with this player to move; or
            an integer array ``(n, components)``, or of coordinates.
        sample: score this many N-positions, drawn uniformly from all, instead of all of them: for
            boards too large to enumerate.
        seed: seed of the draws, at least 0.

    Returns:
        The score of the policy, and that of the random policy.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is none of the above; ``policy`` searches its own
            position or asks a person; or a wrapper changes observations or actions in a way that
            cannot be followed.
        ValueError: an unknown set of positions, ``sample`` of another set than all, or an
            invalid ``seed``.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
        InvalidPositionError: given positions are not of this game; or there are none to draw.
        SearchTooLargeError: too many positions to enumerate; or no theorem solves the game and it
            is too large to search.

    Example:
        >>> import pettingzoo, nim_envs
        >>> env = pettingzoo.make("aec", "nim_envs/addition-v0", k=3, n=10)
        >>> score = nim_envs.optimality(lambda observations, masks: masks.argmax(axis=1), env)
        >>> score.percent, score.count, round(score.random_percent, 1)
        (37.5, 8, 33.3)
        >>> def first_legal(observations, masks):
        ...     return masks.argmax(axis=1)
        >>> large = nim_envs.make_game("nim", heaps=(300, 300, 300))
        >>> print(optimality(first_legal, large, sample=1000))
        0.20 % (0.01 to 0.86 %) of 1000 N-positions, drawn; random 0.33 %, illegal 0.00 %
    """
    scored = ScoredPolicy(policy, env_or_game, seed)
    game = scored.game
    if sample is None:
        name, total, parts = position_set(game, positions)
    else:
        total = checked_integer("sample", sample, minimum=1)
        if not isinstance(positions, str) or positions != "all":
            raise ValueError(f"sample draws from all positions; positions was {positions!r}")
        name = "all"
        drawn = OutcomeStart(winning=True).sampler(game).sample(np.random.default_rng(seed), total)
        parts = chunks(drawn, 1 if scored.moves_alone else game.rules.num_actions)
    judged = [
        _judged(scored, game, part if sample else n_positions(game, part))
        for part in with_progress(parts, total, "optimality")
    ]
    count = sum(part.number for part in judged)

    def share(amounts: Iterator[float]) -> float:
        amount = sum(amounts)
        # Rounding: thirteen thirteenths add up to slightly less than one.
        whole = math.isclose(amount, count, rel_tol=ROUNDING)
        return (100.0 if whole else 100.0 * amount / count) if count else math.nan

    percent = share(part.won for part in judged)
    interval = None
    if sample is not None:
        interval = percent_interval(percent, count)
    return Optimality(
        percent,
        share(part.random_won for part in judged),
        share(part.illegal for part in judged),
        name,
        count,
        game.rules.coordinates(
            np.concatenate(
                [np.empty((0, len(game.rules.components)), dtype=np.int64)]
                + [part.blunders for part in judged]
            )
        ),
        interval,
    )


class _Judged(NamedTuple):
    """Sums over some N-positions."""

    number: int
    won: float
    random_won: float
    illegal: float
    blunders: IntArray


def n_positions(game: Game, positions: IntArray) -> IntArray:
    """Return the N-positions among ``positions``."""
    winning = np.asarray(game.solution.is_winning(positions)) & ~game.rules.is_terminal(positions)
    here: IntArray = positions[winning]
    return here


def _judged(scored: ScoredPolicy, game: Game, here: IntArray) -> _Judged:
    """Judge a policy at N-positions, ``(n, components)``."""
    if scored.moves_alone:
        return _judged_moves(scored, game, here)
    masks = game.rules.action_mask(here)
    winning = game.solution.winning_mask(here)
    probabilities = scored.action_probabilities(here, masks)
    nothing = ~probabilities.any(axis=1)
    # The random policy plays each legal action equally likely: at an N-position there is one,
    # unless wrappers leave none.
    ways = scored.process.ways
    legal = masks if ways is None else masks * ways
    at_random = legal / legal.sum(axis=1, keepdims=True, dtype=np.int64).clip(min=1)
    likeliest = probabilities == probabilities.max(axis=1, keepdims=True, initial=0.0)
    return _Judged(
        len(here),
        float((probabilities * winning).sum()),
        float((at_random * winning).sum()),
        float((probabilities * (masks == 0)).sum() + nothing.sum()),
        here[(likeliest & ~winning).any(axis=1) | nothing],
    )


def _judged_moves(scored: ScoredPolicy, game: Game, here: IntArray) -> _Judged:
    """Judge the moves of an object with ``move``; no table of actions is needed."""
    rules = game.rules
    after = scored.moves(here)
    legal = are_moves(rules, here, after)
    won = np.zeros(len(here), dtype=np.bool_)
    won[legal] = ~np.asarray(game.solution.is_winning(after[legal]), dtype=np.bool_)
    winning = np.array([len(game.solution.winning_actions(position)) for position in here])
    return _Judged(
        len(here),
        float(won.sum()),
        float((winning / legal_counts(rules, here)).sum()),
        float((~legal).sum()),
        here[~won],
    )


def optimality_by_size(policy: AnyPlayer, env_or_game: Any) -> dict[int, Optimality]:
    """Score ``policy`` for each size of position.

    Args:
        policy: as :func:`optimality` takes it.
        env_or_game: as :func:`optimality` takes it.

    Returns:
        The score over the N-positions of each size, in ascending order; sizes without an N-position
        are left out. The size is the sum of a position's coordinates, or without these of its
        states: the objects left, or the total.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
        SearchTooLargeError: too many positions to enumerate.
    """
    rules = scored_game(env_or_game).game.rules
    check_enumeration(rules)
    lattice = rules.lattice()
    sizes = rules.coordinates(lattice).sum(axis=1)
    scores = {
        int(size): optimality(policy, env_or_game, lattice[sizes == size])
        for size in np.unique(sizes)
    }
    return {size: score for size, score in scores.items() if score.count}


@dataclass(frozen=True)
class ValueAccuracy:
    """Accuracy of predicted outcomes, N-positions or P-positions.

    Attributes:
        balanced: balanced accuracy, the mean of the two recalls; 0.5 for a constant prediction.
        n_recall: share of the N-positions that are predicted to be N-positions.
        p_recall: share of the P-positions that are predicted to be P-positions.
        plain: share of positions predicted correctly; about 0.9 where all are predicted to be
            N-positions.
    """

    balanced: float
    n_recall: float
    p_recall: float
    plain: float


def value_accuracy(winning: BoolArray, game: Game) -> ValueAccuracy:
    """Score predicted outcomes, over all positions that leave a legal move.

    Args:
        winning: whether each position is predicted to be an N-position, ``(num_positions,)`` by
            mixed-radix index; for action values, whether the largest legal one is over 0.
        game: game whose solution is the ground truth.

    Returns:
        The accuracy; NaN where the game has no N-position or no P-position.

    Raises:
        ValueError: ``winning`` is of another shape.
        SearchTooLargeError: too many positions to enumerate.
    """
    if winning.shape != (game.rules.num_positions,):
        raise ValueError(
            f"winning must have shape ({game.rules.num_positions},), not {winning.shape}"
        )
    lattice = game.rules.lattice()
    playable = ~game.rules.is_terminal(lattice)
    truth = np.asarray(game.solution.is_winning(lattice))[playable]
    predicted = winning[game.rules.indices(lattice)][playable]
    n_recall = float(predicted[truth].mean()) if truth.any() else math.nan
    p_recall = float((~predicted[~truth]).mean()) if not truth.all() else math.nan
    return ValueAccuracy(
        (n_recall + p_recall) / 2, n_recall, p_recall, float((predicted == truth).mean())
    )


def position_set(game: Game, positions: str | npt.ArrayLike) -> tuple[str, int, Iterator[IntArray]]:
    """Return the name and size of a set of positions, and the positions in chunks."""
    rules = game.rules
    name = positions if isinstance(positions, str) else "given"
    if not isinstance(positions, str):
        listed = rules.checked_positions(positions).reshape(-1, len(rules.components))
    elif positions == "all":
        return name, check_enumeration(rules), all_positions(rules)
    elif positions not in POSITION_SETS:
        raise ValueError(f"positions must be one of {POSITION_SETS} or an array, not {positions!r}")
    else:
        check_enumeration(rules)
        by_seat = game.positions_by_seat()
        seat = by_seat.any(axis=0) if name == "reachable" else by_seat[PLAYERS.index(name)]
        listed = rules.positions(np.flatnonzero(seat))
    return name, len(listed), chunks(listed, rules.num_actions)
