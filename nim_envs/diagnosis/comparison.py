"""Comparison of faults with a policy's moves and values: the evidence for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import NamedTuple

import numpy as np

from nim_envs.diagnosis.board import ROUNDING
from nim_envs.diagnosis.faults import (
    MEMORY,
    Fault,
    ModelsOfValues,
    Shows,
    Variant,
    of_steps,
    right_values,
)
from nim_envs.diagnosis.moves import STEPS, Case, ExpectedMoves, both, mean_likelihood
from nim_envs.diagnosis.values import Fit, log_sum
from nim_envs.typing import FloatArray

ERROR = 0.05
"""Largest probability that a right, partly trained agent is said to have a fault."""

LEARNED = 0.2
"""Share of right moves above the random policy's from which an agent has learned something."""

MARGIN = 10.0
"""Odds below which one fault cannot be told from another."""

EXCLUDED = math.log(1e6)
"""Log-odds against a fault from which it is excluded, where it would show."""

EXPLAINED = 0.6
"""Share of the values that a fault explains where it is present, at least."""

AT_ENDS, ELSEWHERE = 0.95, 0.6
"""Shares of the values, where a move ends the game and elsewhere, that are close to those of a
fault that is named by them, in most games: before, learning has not gone far enough to tell."""

HIDDEN = 5.0
"""Odds against a fault that moves do not show, before it shows in anything."""

NEAR = 3
"""Moves from the end of the game up to which an agent may play right whatever its targets."""

DISCOUNTS = (1.0, 0.99, 0.95, 0.9, 0.8, 0.65, 0.5)
"""Discounts that are compared where it is unknown."""


class Comparison(NamedTuple):
    """A fault, compared with all games.

    Attributes:
        fault: an entry of :data:`FAULTS`, or ``MEMORY``.
        variant: its form that explains the moves best; ``None`` where there is none.
        evidence: logarithm of the factor by which it explains moves and values better than right
            agents do.
        total: log-likelihood of moves and values.
        excluded: whether it would show in the moves or values at hand, and does not.
    """

    fault: Fault
    variant: Variant | None
    evidence: float
    total: float
    excluded: bool = False


class MoveComparison(NamedTuple):
    """A fault, compared with the moves in all games.

    Attributes:
        variant: its form that explains the moves best; ``None`` where there is none.
        evidence: logarithm of the factor by which it explains the moves that tell better than
            right agents do.
        total: log-likelihood of all moves.
        possible: the same where an agent with the fault may also make moves that do not show it.
        agrees: whether it is a fault without exceptions, and no move contradicts it.
    """

    variant: Variant | None
    evidence: float
    total: float
    possible: float
    agrees: bool = False


class ValueComparison(NamedTuple):
    """A fault, compared with the values in all games.

    Attributes:
        fitted: log-likelihood of the values.
        counted: the same, at most that of right agents where the values do not tell.
        gained: logarithm of the factor by which it explains them better than right agents do.
        explained: share of the values that its best form explains.
    """

    fitted: float
    counted: float
    gained: float
    explained: float


def compare_all(
    faults: Sequence[Fault],
    cases: Sequence[Case],
    right: float,
    by_values: Sequence[ValueComparison | None],
) -> tuple[list[Comparison], float]:
    """Compare faults with moves and values, and return the evidence from which one fits.

    Faults that show in no game are left out.

    Args:
        faults: those that make sense in one of the games.
        cases: the moves in each game.
        right: log-likelihood of the moves for right agents.
        by_values: comparison of each fault with the values; ``None`` where there are none.
    """
    by_moves = _compare_with_moves(faults, cases, right)
    showing = [
        (fault, moves, values)
        for fault, moves, values in zip(faults, by_moves, by_values, strict=True)
        if moves is not None
    ]
    # The error is shared by the faults that can show in the moves or values, and memory.
    tests = 1 + sum(bool(moves.variant or values) for _, moves, values in showing)
    threshold = math.log(tests / ERROR)
    best_of_moves = max([right, *(moves.possible for _, moves, _ in showing)])
    best_of_values = max((values.fitted for values in by_values if values), default=0.0)
    compared = []
    for fault, moves, values in showing:
        evidence, total = _weigh(fault, moves, values, right)
        gained = values.gained if values else 0.0
        fits = moves.evidence + gained >= threshold
        excluded = not fits and (
            _moves_contradict(fault, moves, best_of_moves, cases)
            or _values_contradict(fault, values, best_of_values)
        )
        compared.append(Comparison(fault, moves.variant, evidence, total, excluded))
    return compared, threshold


def _weigh(
    fault: Fault, moves: MoveComparison, values: ValueComparison | None, right: float
) -> tuple[float, float]:
    """Return the evidence for a fault by moves and values, and the log-likelihood of both."""
    if values is None:
        return moves.evidence if moves.variant else -math.inf, moves.total
    evidence, total = moves.evidence, moves.total
    if fault.shows is not Shows.EVERYWHERE:
        # Moves that cannot be computed beforehand are evidence together with values alone.
        evidence, total = max(evidence, moves.possible - right), moves.possible
    return evidence + values.gained, total + values.counted


def _moves_contradict(
    fault: Fault, moves: MoveComparison, best: float, cases: Sequence[Case]
) -> bool:
    """Return whether the moves would show a fault, and do not.

    Args:
        fault: any fault.
        moves: its comparison with the moves.
        best: largest log-likelihood of the moves, with any fault or of right agents.
        cases: the moves in each game.
    """
    if fault.shows is Shows.NOWHERE:
        return False
    # With draws, moves that are not known are not noise: some end the game well by accident.
    if moves.variant is None and any(case.board.has_draws for case in cases):
        return False
    if fault.name == MEMORY.name and any(case.answers.memory.changed for case in cases):
        return False
    return not moves.agrees and moves.possible < best - EXCLUDED


def _values_contradict(fault: Fault, values: ValueComparison | None, best: float) -> bool:
    """Return whether the values would show a fault, and do not.

    Args:
        fault: any fault.
        values: its comparison with the values; ``None`` where there are none.
        best: largest log-likelihood of the values, with any fault or of right agents.
    """
    if values is None or fault.values is None:
        return False
    return values.fitted < best - EXCLUDED and values.explained < EXPLAINED


def compare_values(
    faults: Sequence[Fault], cases: Sequence[Case], discount: float | None
) -> Sequence[ValueComparison | None]:
    """Compare faults with the values; ``None`` each where there are none.

    Args:
        faults: those that make sense in one of the games.
        cases: the games, those without values are left out.
        discount: that of the training; ``None``: it is averaged over :data:`DISCOUNTS`.
    """
    backups = [case.backups for case in cases if case.backups is not None]
    if not backups:
        return [None] * len(faults)
    discounts = DISCOUNTS if discount is None else (discount,)

    def fits(models: ModelsOfValues) -> Fit:
        """The fits in all games, ``(games, forms)``; forms and discounts are the same in each."""
        games = []
        for each in backups:
            parts = zip(*(models(each, gamma) for gamma in discounts), strict=True)
            games.append([np.concatenate(part) for part in parts])
        return Fit(*(np.array(part) for part in zip(*games, strict=True)))

    # Values that have not converged may lag by another discount in each game.
    of_right = fits(right_values)
    right = of_right.logs.max(axis=1)
    usual = _log_mean(of_right.logs.sum(axis=0))

    def compare_one(fault: Fault) -> ValueComparison:
        """The mean likelihood, and how much larger it is than the largest of right agents."""
        fit = of_right if fault.values is None else fits(fault.values)
        by_form = fit.logs.sum(axis=0)
        explained = float(fit.explained.mean(axis=0).max())
        log = _log_mean(by_form)
        if fault.values is None:
            return ValueComparison(log, log, 0.0, explained)
        best = int(by_form.argmax())
        # Only if values are close to it nearly everywhere, they have converged.
        ends, others = (float(np.median(each[:, best])) for each in (fit.at_ends, fit.elsewhere))
        tells = ends >= AT_ENDS and others >= ELSEWHERE
        if fault.in_every_game:
            tells &= bool((fit.logs[:, best] >= right - math.log(MARGIN)).all())
        tells |= fault.values is of_steps
        gained = max(log - float(right.sum()), min(log - usual, 0.0))
        if tells or gained <= 0:
            return ValueComparison(log, log, gained, explained)
        return ValueComparison(log, min(log, usual), 0.0, explained)

    return list(map(compare_one, faults))


def best_that_learned(*cases: Case) -> float:
    """Return the log of the best likelihood of right agents that have learned something."""
    num_positions = sum(len(case.rows) for case in cases)
    possible = sum(float((1 - case.at_random).sum()) for case in cases)
    knowledge = max(min(LEARNED * num_positions, 0.9 * possible), 1e-9)
    best = reduce(both, [case.right_by_knowledge(knowledge) for case in cases])
    return float(best[STEPS])


def _compare_with_moves(
    faults: Sequence[Fault], cases: Sequence[Case], right: float
) -> list[MoveComparison | None]:
    """Compare faults with the moves in all games; ``None`` where no game shows one.

    Args:
        faults: those that make sense in one of the games.
        cases: the moves in each game.
        right: log-likelihood of the moves for right agents.
    """
    learned = cache(best_that_learned)  # many faults show in the same games
    near = sum(case.at_random_beyond(NEAR) + case.of_illegal(False) for case in cases)
    hidden = {Shows.FAR_FROM_THE_END: near, Shows.NOWHERE: max(right, near)}
    compared = []
    for fault in faults:
        comparison = _compare_moves(fault, cases, learned)
        if fault.shows in hidden:
            least = hidden[fault.shows] - math.log(HIDDEN)
            if comparison is None:
                comparison = MoveComparison(None, least - right, least, least)
            else:
                comparison = comparison._replace(
                    possible=float(np.logaddexp(comparison.total, least))
                )
        compared.append(comparison)
    return compared


def _compare_moves(
    fault: Fault, cases: Sequence[Case], learned: Callable[..., float]
) -> MoveComparison | None:
    """Compare the forms of a fault with the moves; ``None`` where no game shows one.

    Args:
        fault: any fault.
        cases: the moves in each game.
        learned: :func:`best_that_learned`, with a cache.
    """
    compared = [_compare_variant(variant, cases, learned) for variant in fault.variants]
    forms = [form for form in compared if form is not None]
    if not forms:
        return None
    evidence = _log_mean([form.evidence for form in forms])
    total = _log_mean([form.total for form in forms])
    best = max(forms, key=lambda form: form.total)
    return MoveComparison(best.variant, evidence, total, total, any(form.agrees for form in forms))


def _compare_variant(
    variant: Variant, cases: Sequence[Case], learned: Callable[..., float]
) -> MoveComparison | None:
    """Compare a form of a fault with the moves; ``None`` where no game shows it."""
    expectations = {case: variant.expect(case) for case in cases}
    pairs = [
        (case, expected)
        for case, expected in expectations.items()
        if expected is not None and expected.tells.any()
    ]
    if not pairs:
        return None
    if variant.learned and all(expected.tells.all() for _, expected in pairs):
        right = max(learned(*(case for case, _ in pairs)), sum(case.by_chance for case, _ in pairs))
    else:
        right = sum(case.right(expected.tells) for case, expected in pairs)
    slips = sum(case.of_illegal(False) for case, _ in pairs)
    logs = {
        case: case.with_fault(expected or case.as_right) for case, expected in expectations.items()
    }
    evidence = _with_fault(pairs, logs, variant.exact) - right - slips
    everywhere = [
        (case, (expected or case.as_right)._replace(tells=case.everywhere))
        for case, expected in expectations.items()
    ]
    total = _with_fault(everywhere, logs, exact=False)
    agrees = variant.exact and all(
        bool((case.of_moves(expected.moves) > 1 - ROUNDING).all()) for case, expected in pairs
    )
    return MoveComparison(variant, evidence, total, total, agrees)


def _with_fault(
    pairs: Sequence[tuple[Case, ExpectedMoves]], logs: Mapping[Case, list[FloatArray]], exact: bool
) -> float:
    """Log-likelihood with a fault of the moves that tell.

    Args:
        pairs: the moves in each game, and the expectation of the fault.
        logs: log-likelihoods of all moves of each game, of :meth:`Case.with_fault`.
        exact: whether there are no errors.
    """
    ways = []
    for way in range(2):
        games = [case.by_distance(logs[case][way], expected.tells) for case, expected in pairs]
        ways.append(
            sum(float(game[:, 0].sum()) for game in games) if exact else mean_likelihood(games)
        )
    illegal = sum(case.of_illegal(expected.any_action) for case, expected in pairs)
    return _log_mean(ways) + illegal


def _log_mean(logs: Sequence[float] | FloatArray) -> float:
    return log_sum(np.array(logs)) - math.log(len(logs))
