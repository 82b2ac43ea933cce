"""Optimality, and how well predicted outcomes agree with the solution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidPositionError
from nim_envs.game import PLAYERS, Game
from nim_envs.players import AnyPlayer
from nim_envs.rules.moves_between import are_moves, legal_counts
from nim_envs.scoring.enumeration import all_positions, check_enumeration, chunks, with_progress
from nim_envs.scoring.intervals import in_words, percent_interval
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.scoring.scored_game import scored_game
from nim_envs.starts import OutcomeStart
from nim_envs.typing import BoolArray, IntArray, ValueArray
from nim_envs.validation import checked_integer

ROUNDING = 1e-12
"""Relative tolerance within which a score counts as 100 %."""

POSITION_SETS = ("all", "reachable", *PLAYERS)


@dataclass(frozen=True)
class Decisive:
    """Share of right moves over the positions at which some move loses value.

    Attributes:
        percent: mean probability of a right move, in percent; NaN if there is no such position.
        random_percent: the same for the random policy.
        count: number of such positions.
    """

    percent: float
    random_percent: float
    count: int

    def __str__(self) -> str:
        """Return the share and that of the random policy."""
        return (
            f"{self.percent:.2f} % of {self.count} decisive ones "
            f"(random {self.random_percent:.2f} %)"
        )


@dataclass(frozen=True)
class Optimality:
    """Share of right moves of a policy, over the positions of a set that are not lost.

    Without draws these are the N-positions, and right are the moves that win. In games with an
    outcome of their own drawn positions count, too, and right is a move that keeps the value.

    Attributes:
        percent: mean probability of a right move, in percent; NaN if the set has no such position.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move, in percent.
        positions: the set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        count: number of positions that were scored: those in the set, or those sampled.
        blunders: the positions where a most probable move is not right, int64
            ``(blunders, components)``; their coordinates, where the game has them.
        interval: if positions were sampled, the 95 % confidence interval of the score over the
            whole set, in percent; ``None`` where the score is exact.
        decisive: in games with an outcome of their own, the same over the *decisive* positions, at
            which some move loses value; else ``None``.
    """

    percent: float
    random_percent: float
    illegal_percent: float
    positions: str
    count: int
    blunders: IntArray
    interval: tuple[float, float] | None = None
    decisive: Decisive | None = None

    def __repr__(self) -> str:
        """Return the score and the number of blunders in one line."""
        return f"Optimality({self}; {len(self.blunders)} blunders)"

    def __str__(self) -> str:
        """Return the score in one line."""
        which = self.positions if self.interval is None else "drawn"
        positions = "N-positions" if self.decisive is None else "positions that are not lost"
        return (
            f"{self.percent:.2f} %{in_words(self.interval)} of {self.count} {positions}, {which}; "
            f"{'' if self.decisive is None else f'{self.decisive}; '}"
            f"random {self.random_percent:.2f} %, illegal {self.illegal_percent:.2f} %"
        )


def optimality(
    policy: AnyPlayer,
    env_or_game: Any,
    positions: str | npt.ArrayLike = "all",
    *,
    sample: int | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Optimality:
    """Score ``policy`` exactly: the mean probability of a winning move over the N-positions.

    P-positions do not count: every move loses there. If a greedy policy breaks ties uniformly, a
    tie scores the share of its actions that win. An illegal move does not win.

    In games with an outcome of their own, where draws exist, every position counts that leaves a
    move and is not lost, and a move is right if it keeps the value: a win at a won position, the
    draw at a drawn one. There ``decisive`` is the share at positions where some move is wrong.

    Args:
        policy: a function of observations ``(n, ...)`` and action masks, int8 ``(n, actions)``,
            that returns actions, integers ``(n,)``, or probabilities ``(n, actions)``; with three
            required parameters it is given a generator, too. Or an object with
            ``action_probabilities(observations, action_masks)``, such as ``learner.greedy()``; or
            with ``move(position)``, which returns the position after its move, for boards with too
            many actions to list; or with ``act(observation, action_mask, rng)``, which is called
            once at each position. Of several of these methods, the first is used. It may overwrite
            its arguments; an action of -1 means no legal move, and counts as illegal.
        env_or_game: an environment of this package, whose observations the policy gets; in wrappers
            that change nothing, or in observation wrappers of Gymnasium whose ``observation`` is a
            function of the observation alone. Or a game: observations are positions, int64
            ``(n, components)``, or their coordinates.
        positions: ``"all"``; ``"reachable"``: those that can be reached from the game's starts;
            ``"player_0"`` or ``"player_1"``: those that can be reached with this player to move; or
            an integer array ``(n, components)``, or of coordinates.
        sample: score this many of these positions, drawn uniformly from all, instead of all of
            them: for boards too large to enumerate.
        samples: for a policy that draws its actions, the number of times that it is asked about
            each position; the mean counts. By default it is asked once, and again about 50
            positions one by one: its answers must not depend on the batch or on earlier calls.
        seed: seed of the draws, at least 0.

    Returns:
        The score of the policy, and that of the random policy.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is none of the above; ``policy`` searches its own
            position or asks a person; or the environment is in another wrapper.
        ValueError: an unknown set of positions, ``sample`` of another set than all, ``samples`` of
            a policy that moves on a board without a table, or an invalid number.
        InvalidPolicyError: the policy returned neither actions nor probabilities, or others when
            it was asked again.
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
    scored = ScoredPolicy(policy, env_or_game, seed, samples)
    game = scored.game
    if samples is not None and scored.needs_moves:
        raise ValueError("samples is for policies with actions, not for those asked by move()")
    if sample is None:
        name, total, parts = position_set(game, positions)
    else:
        total = checked_integer("sample", sample, minimum=1)
        if not isinstance(positions, str) or positions != "all":
            raise ValueError(f"sample draws from all positions; positions was {positions!r}")
        name = "all"
        drawn = _drawn_positions(game, np.random.default_rng(seed), total)
        parts = chunks(drawn, 1 if scored.needs_moves else game.rules.num_actions)
    sums = [
        _sums(scored, game, part if sample else scored_positions(game, part))
        for part in with_progress(parts, total, "optimality")
    ]
    count, num_decisive = sum(part.count for part in sums), sum(part.decisive for part in sums)

    def share(amounts: Iterator[float], count: int = count) -> float:
        amount = sum(amounts)
        # Rounding: thirteen thirteenths add up to slightly less than one.
        whole = math.isclose(amount, count, rel_tol=ROUNDING)
        return (100.0 if whole else 100.0 * amount / count) if count else math.nan

    percent = share(part.right for part in sums)
    decisive = None
    if game.has_outcome:
        decisive = Decisive(
            share((part.decisive_right for part in sums), num_decisive),
            share((part.random_decisive_right for part in sums), num_decisive),
            num_decisive,
        )
    no_blunders = np.empty((0, len(game.rules.components)), dtype=np.int64)
    blunders = np.concatenate([no_blunders, *(part.blunders for part in sums)])
    return Optimality(
        percent=percent,
        random_percent=share(part.random_right for part in sums),
        illegal_percent=share(part.illegal for part in sums),
        positions=name,
        count=count,
        blunders=game.rules.coordinates(blunders),
        interval=None if sample is None else percent_interval(percent, count),
        decisive=decisive,
    )


@dataclass(frozen=True)
class _Sums:
    """Sums over some scored positions: of probabilities, and counts.

    Those over decisive positions are of games with an outcome of their own alone.
    """

    count: int
    right: float
    random_right: float
    illegal: float
    blunders: IntArray
    decisive: int
    decisive_right: float
    random_decisive_right: float


def scored_positions(game: Game, positions: IntArray) -> IntArray:
    """Return the positions that scores count: those with a legal move that are not lost.

    Args:
        game: its solution is used.
        positions: ``(n, components)``.

    Returns:
        Some of them; in games without draws the N-positions.
    """
    lost = np.asarray(game.old_solution.is_losing(positions))
    here: IntArray = positions[~(lost | game.rules.is_terminal(positions))]
    return here


def _drawn_positions(game: Game, rng: np.random.Generator, count: int) -> IntArray:
    """Return scored positions, drawn uniformly from all, ``(count, components)``."""
    if not game.has_outcome:
        return OutcomeStart(winning=True).sampler(game).sample(rng, count)
    here = scored_positions(game, game.rules.lattice())
    if not len(here):
        raise InvalidPositionError(f"every position of {game.rules.name} with a move is lost")
    return np.asarray(here[rng.integers(len(here), size=count)])


def _sums(scored: ScoredPolicy, game: Game, here: IntArray) -> _Sums:
    """Judge a policy at positions that are not lost, ``(n, components)``."""
    if scored.needs_moves:
        return _sums_of_moves(scored, game, here)
    masks = game.rules.action_mask(here)
    right = game.old_solution.keeping_mask(here)
    probabilities = scored.repeatable_probabilities(here, masks)
    no_move = ~probabilities.any(axis=1)
    at_random = masks / masks.sum(axis=1, keepdims=True, dtype=np.int64)
    likeliest = probabilities == probabilities.max(axis=1, keepdims=True, initial=0.0)
    on_right, random_on_right = probabilities * right, at_random * right
    decisive = np.zeros(len(here), dtype=np.bool_)
    if game.has_outcome:
        decisive = right.sum(axis=1) < masks.sum(axis=1, dtype=np.int64)
    return _Sums(
        count=len(here),
        right=float(on_right.sum()),
        random_right=float(random_on_right.sum()),
        illegal=float((probabilities * (masks == 0)).sum() + no_move.sum()),
        blunders=here[(likeliest & ~right).any(axis=1) | no_move],
        decisive=int(decisive.sum()),
        decisive_right=float(on_right[decisive].sum()),
        random_decisive_right=float(random_on_right[decisive].sum()),
    )


def _sums_of_moves(scored: ScoredPolicy, game: Game, here: IntArray) -> _Sums:
    """Judge the moves of an object with ``move``; no table of actions is needed."""
    rules = game.rules
    after = scored.moves(here)
    legal = are_moves(rules, here, after)
    right = np.zeros(len(here), dtype=np.bool_)
    value = game.old_solution.value
    right[legal] = np.asarray(value(after[legal])) == -np.asarray(value(here[legal]))
    num_right = np.array([len(game.old_solution.keeping_actions(position)) for position in here])
    num_legal = legal_counts(rules, here)
    at_random, decisive = num_right / num_legal, num_right < num_legal
    return _Sums(
        count=len(here),
        right=float(right.sum()),
        random_right=float(at_random.sum()),
        illegal=float((~legal).sum()),
        blunders=here[~right],
        decisive=int(decisive.sum()),
        decisive_right=float(right[decisive].sum()),
        random_decisive_right=float(at_random[decisive].sum()),
    )


def optimality_by_size(policy: AnyPlayer, env_or_game: Any) -> dict[int, Optimality]:
    """Score ``policy`` for each size of position.

    Args:
        policy: as :func:`optimality` takes it.
        env_or_game: as :func:`optimality` takes it.

    Returns:
        The score over the positions of each size that are not lost, in ascending order; sizes
        without one are left out. The size is the sum of a position's coordinates, or without these
        of its states: the objects left, or the total.

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
    """Accuracy of predicted outcomes.

    Attributes:
        balanced: balanced accuracy, the mean of the recalls; 0.5 for a constant prediction of two
            outcomes.
        n_recall: share of the N-positions that are predicted to be N-positions.
        p_recall: share of the P-positions that are predicted to be P-positions.
        plain: share of positions predicted correctly; about 0.9 where all are predicted to be
            N-positions.
        draw_recall: in games with an outcome of their own, the share of the drawn positions that
            are predicted to be drawn; else ``None``.
    """

    balanced: float
    n_recall: float
    p_recall: float
    plain: float
    draw_recall: float | None = None


def value_accuracy(predicted: BoolArray | ValueArray, game: Game) -> ValueAccuracy:
    """Score predicted outcomes, over all positions that leave a legal move.

    Args:
        predicted: whether each position is predicted to be an N-position, ``(num_positions,)`` by
            mixed-radix index; for action values, whether the largest legal one is over 0. In games
            with an outcome of their own the predicted values, 1, 0 or -1.
        game: game whose solution is the ground truth.

    Returns:
        The accuracy; NaN where the game has no N-position or no P-position. In games with an
        outcome of their own the balanced accuracy is over the outcomes that occur.

    Raises:
        ValueError: ``predicted`` is of another shape, or booleans in a game with draws.
        SearchTooLargeError: too many positions to enumerate.
    """
    if predicted.shape != (game.rules.num_positions,):
        raise ValueError(
            f"predicted must have shape ({game.rules.num_positions},), not {predicted.shape}"
        )
    if game.has_outcome and predicted.dtype == np.bool_:
        raise ValueError(
            f"{game.rules.name} has an outcome of its own: predict values 1, 0 and -1, not booleans"
        )
    lattice = game.rules.lattice()
    playable = ~game.rules.is_terminal(lattice)
    truth = np.asarray(game.old_solution.value(lattice))[playable]
    values = predicted[game.rules.indices(lattice)][playable]
    if values.dtype == np.bool_:
        values = np.where(values, 1, -1)

    def recall(value: int) -> float:
        here = truth == value
        return float((values[here] == value).mean()) if here.any() else math.nan

    n_recall, p_recall, plain = recall(1), recall(-1), float((values == truth).mean())
    if not game.has_outcome:
        return ValueAccuracy((n_recall + p_recall) / 2, n_recall, p_recall, plain)
    draw_recall = recall(0)
    # Not every outcome need occur: the mean is over those that do.
    balanced = float(np.nanmean([n_recall, p_recall, draw_recall]))
    return ValueAccuracy(balanced, n_recall, p_recall, plain, draw_recall)


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
