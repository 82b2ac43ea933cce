"""Comparison of a policy's moves and values with those of agents with known faults; its report."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from nim_envs.envs.aec import GameEnv
from nim_envs.game import Game
from nim_envs.players import SCORED, AnyPlayer
from nim_envs.progress import bar_if_installed
from nim_envs.scoring.scored_game import scored_game
from nim_envs.testing.diagnosis.board import ROUNDING, Board, evenly, tiny_games
from nim_envs.testing.diagnosis.faults import (
    FAULTS,
    Fault,
    ModelsOfValues,
    Shows,
    Variant,
    of_steps,
    right_values,
)
from nim_envs.testing.diagnosis.moves import (
    STEPS,
    Case,
    Expected,
    answers_of,
    both,
    log_of_share,
    mean_likelihood,
)
from nim_envs.testing.diagnosis.values import Fit, log_sum, values_of
from nim_envs.testing.positions import spread
from nim_envs.typing import BoolArray, FloatArray

ERROR = 0.05
"""Largest probability that a right, partly trained agent is said to have a fault."""

LEARNED = 0.2
"""Share of right moves above the random policy's from which an agent has learned something."""

AGREEMENT = 2 / 3
"""Agreement with a fault, beyond chance, from which moves of an agent that has learned little show
it. Odds take the positions for independent, which they are not to a network: one that was trained
too little may agree by half."""

BELOW = 3.0
"""Standard errors below the random policy's score that are no accident."""

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

EXAMPLES = 3
"""Positions that a report shows of each fault."""

VERDICTS = {
    "right": "right: every move wins where one can",
    "faulty": "faulty",
    "unseen": "a part of the game was never learned: the data, or a fault",
    "unclear": "not trained enough to tell: its moves resemble those of a fault, as moves of "
    "networks that have learned little may",
    "unfinished": "no known fault fits: it plays as a right agent does that is partly trained",
    "unknown": "nothing known fits, and it plays worse than at random",
    "untrained": "not trained enough to tell, or on data that never showed most positions",
}
"""The verdicts, and their texts."""

RIGHT_BY_OUTCOME = "right: every move keeps a win, or a draw, where there is one to keep"
"""Text of the verdict *right* on games with an outcome of their own."""

LINES = 15
"""Most lines of a report without evidence."""

MEMORY = Fault(
    "stale observations",
    "it answers to the observation of the call before: look for a buffer that is read before it is "
    "written",
    (),
)
"""A fault found by the order of calls; that of the same name in :data:`FAULTS` shows in moves."""


@dataclass(frozen=True)
class Finding:
    """A fault, compared with moves and values.

    Attributes:
        name: name of the fault.
        meaning: what it is, and where to look.
        log_odds: natural logarithm of how many times more probable moves and values are with this
            fault than for a right, partly trained agent.
        next_fault: name of the next fault that fits; ``None``: none does.
        next_log_odds: the same compared with that fault; infinite where none fits.
        evidence: counts and positions, a line each.
    """

    name: str
    meaning: str
    log_odds: float
    next_fault: str | None
    next_log_odds: float
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """The score of the policy in one game.

    Attributes:
        game: the game, in short.
        percent: mean probability of a right move over all N-positions, in percent; in games with
            an outcome of their own over all positions with a move that are not lost.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move over all positions, in percent.
        count: number of these positions.
        has_outcome: whether the game has an outcome of its own.
    """

    game: str
    percent: float
    random_percent: float
    illegal_percent: float
    count: int
    has_outcome: bool = False

    def __str__(self) -> str:
        """Return the score in one line."""
        illegal = f", illegal {self.illegal_percent:.1f} %" if self.illegal_percent else ""
        return (
            f"{self.game}: {self.percent:.1f} % of {self.count} {_counted(self.has_outcome)}, "
            f"random {self.random_percent:.1f} %{illegal}"
        )


@dataclass(frozen=True)
class Diagnosis:
    """Result of a diagnosis: the faults that fit a policy; printed as a report.

    Attributes:
        verdict: a key of :data:`VERDICTS`.
        faults: the faults that fit and cannot be told apart, the most probable first.
        undecided: names of the faults that the evidence neither shows nor excludes.
        excluded: names of the faults that would show in the evidence, and do not.
        scores: the score in each game.
        with_values: whether there were values besides the moves.
        verbose: whether the printed report has the evidence.
    """

    verdict: str
    faults: tuple[Finding, ...]
    undecided: tuple[str, ...]
    excluded: tuple[str, ...]
    scores: tuple[Score, ...]
    with_values: bool = False
    verbose: bool = False

    def __repr__(self) -> str:
        """Return the verdict and the names of the faults."""
        names = ", ".join(finding.name for finding in self.faults)
        return f"Diagnosis({self.verdict!r}{': ' if names else ''}{names})"

    def __str__(self) -> str:
        """Return the report, at most 15 lines without the evidence."""
        right_by_outcome = self.verdict == "right" and any(s.has_outcome for s in self.scores)
        lines = [f"Verdict: {RIGHT_BY_OUTCOME if right_by_outcome else VERDICTS[self.verdict]}"]
        if self.faults:
            first, *others = self.faults
            lines += [f"Most probable fault: {first.name}", f"  {first.meaning}"]
            lines += [f"  odds: {_against(first)}", *self._evidence_of(first)]
            if others:
                rest = ", ".join(finding.name for finding in others)
                lines.append(f"Cannot tell {first.name} from {rest}")
                if self.verbose:
                    lines += [f"  {others[0].meaning}", *self._evidence_of(others[0])]
        games = [f"Score: {score}" for score in self.scores]
        left = LINES - len(lines) - 2
        lines += games if self.verbose or len(games) <= left else [
            *games[: left - 1], f"and {len(games) - left + 1} other games"
        ]  # fmt: skip
        why = "" if self.with_values else " (moves alone do not show all of them: return values)"
        for title, names in ((f"Undecided{why}", self.undecided), ("Excluded", self.excluded)):
            if names:
                lines.append(f"{title}: {', '.join(names)}")
        return "\n".join(lines)

    def _evidence_of(self, finding: Finding) -> list[str]:
        """Return the lines of the evidence for a fault, none unless the report is to have it."""
        return [f"  {line}" for line in finding.evidence if self.verbose]


def _counted(has_outcome: bool) -> str:
    """Return the name of the positions that scores count."""
    return "positions that are not lost" if has_outcome else "N-positions"


def _against(finding: Finding) -> str:
    """Return the odds of a finding against a right agent and against the next fault."""
    text = f"{_odds(finding.log_odds)} against a right agent that is partly trained"
    if finding.next_fault is None:
        return f"{text}; no other known fault fits"
    return f"{text}, {_odds(finding.next_log_odds)} against {finding.next_fault}"


def _odds(log_odds: float) -> str:
    """Return odds as a number, or as a power of ten."""
    if log_odds < math.log(1000):
        return f"{math.exp(log_odds):.3g} to 1"
    return f"{power_of_ten(log_odds)} to 1"


def power_of_ten(log_odds: float) -> str:
    """Return odds, given by their natural logarithm, as a power of ten."""
    return f"10^{math.floor(log_odds / math.log(10))}"


def diagnose(
    train_or_policy: Callable[[Any], AnyPlayer] | AnyPlayer,
    env_or_game: Any = None,
    *,
    make_env: Callable[[Game], Any] = GameEnv,
    games: Sequence[Game] | None = None,
    discount: float | None = None,
    seed: int = 0,
    verbose: bool = False,
    progress: bool = True,
) -> Diagnosis:
    """Name the fault behind a bad score, from moves and values at all positions of small games.

    Given a training function, it is trained on tiny games on which faults play differently; given
    a policy, on the positions of its own game. The moves of an agent with each fault are computed,
    and compared with the policy's: a fault fits if it makes the moves more probable than any
    right but partly trained agent does, by a factor that such an agent's moves reach with
    probability 5 % at most. Where the policy has ``values``, those of each position are compared
    with those of the positions after it, which tells faults apart that moves alone do not.

    Args:
        train_or_policy: a function ``train(env)`` that returns a policy; or a policy, as
            :func:`nim_envs.optimality` takes it. Its attribute ``values``, if there is one, holds
            values in units of the environment's rewards, to the player to move: a function of
            observations ``(k, ...)`` and action masks ``(k, actions)``, or a table with a row for
            each position in the order of ``rules.indices``; of actions, ``(k, actions)``, those of
            illegal ones included, or of positions, ``(k,)``.
        env_or_game: the policy's game or environment, as :func:`nim_envs.optimality` takes it;
            ``None``: its attribute ``game``, or, of a function of one argument, training.
        make_env: returns the environment that is passed to ``train``, from a game.
        games: games to train on; ``None``: five tiny ones.
        discount: discount for each move that the values were learned with; ``None``: any.
        seed: seed of choices among equally probable moves, at least 0.
        verbose: whether the printed report has the evidence.
        progress: whether to show a progress bar on standard error while training, if tqdm is
            installed.

    Returns:
        The faults that fit, those excluded, and the evidence.

    Raises:
        TypeError: neither a policy with a game nor a training function.
        ValueError: ``discount`` is not from 0 to 1; or there is no game, or none in which a move
            can be right.
        InvalidPolicyError: the policy returned neither actions nor probabilities, or its values
            have another shape.
        SearchTooLargeError: the game has too many positions.

    References:
        L. Wasserman, A. Ramdas & S. Balakrishnan, "Universal inference", *PNAS* 117 (2020): the
        likelihood of any alternative, divided by the largest under the hypothesis, exceeds ``c``
        with probability at most ``1 / c`` where the hypothesis holds.

    Example:
        >>> from nim_envs import make_game
        >>> normal = make_game("nim", heaps=(3, 4, 5))
        >>> misere = make_game("nim", heaps=(3, 4, 5), misere=True)
        >>> def agent(positions, masks):  # learned misère play
        ...     return (2 * misere.solution.winning_mask(positions) + masks).argmax(axis=1)
        >>> report = diagnose(agent, normal)
        >>> [finding.name for finding in report.faults]
        ['normal and misère play confused', 'players swapped']
        >>> print(report.faults[0].evidence[1].strip())
        at 0-0-2 it plays heap 2: take 1; heap 2: take 2 wins
    """
    if discount is not None and not 0 <= discount <= 1:
        raise ValueError(f"discount must be from 0 to 1, not {discount!r}")
    cases = []
    for policy, where in _policies(train_or_policy, env_or_game, make_env, games, progress):
        board = Board(scored_game(where).game)
        answers = answers_of(policy, where, board, seed)
        cases.append(Case(board, answers, values_of(policy, where, board, answers.rows)))
    cases = [case for case in cases if len(case.rows)]
    if not cases:
        raise ValueError("no game to diagnose on has a position at which a move can be right")
    return diagnosis_of(cases, discount, verbose)


def _policies(
    given: Any,
    env_or_game: Any,
    make_env: Callable[[Game], Any],
    games: Sequence[Game] | None,
    progress: bool,
) -> Iterable[tuple[Any, Any]]:
    """Yield policies and their games or environments."""
    game = env_or_game
    if game is None and isinstance(getattr(given, "game", None), Game):
        game = given.game
    if game is not None:
        if inspect.isroutine(given) and _takes(given, 1) and not _takes(given, 2):
            raise TypeError(
                f"{given!r} is a function of one argument, as training is, diagnose(train) or "
                "diagnose(train, games=[...]); a policy that is diagnosed with its game is a "
                "function of two, observations and action masks"
            )
        yield given, game
        return
    if any(callable(getattr(given, name, None)) for name in SCORED) or not _takes(given, 1):
        raise TypeError(
            f"{given!r} is no function of one argument, the environment, that returns a policy; a "
            "policy is diagnosed with its game, diagnose(policy, env_or_game)"
        )
    chosen = tiny_games() if games is None else games
    total = len(chosen)
    with bar_if_installed(
        desc="training", unit="game", total=total, shown=progress, delay=0.0
    ) as bar:
        for each in chosen:
            env = make_env(each)
            yield given(env), env
            bar.update()


def _takes(given: Any, count: int) -> bool:
    """Whether it can be called with a number of arguments."""
    try:
        inspect.signature(given).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return callable(given)
    return True


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


def diagnosis_of(
    cases: Sequence[Case], discount: float | None = None, verbose: bool = False
) -> Diagnosis:
    """Return the diagnosis of a policy's moves, and of its values, in some games."""
    right = sum(case.right(case.everywhere) + case.of_illegal(False) for case in cases)
    faults = [fault for fault in FAULTS if any(fault.applies(case.board) for case in cases)]
    values = compare_values(faults, cases, discount)
    compared, threshold = _compare_all(faults, cases, right, values)
    fitting = [each for each in compared if each.evidence >= threshold]
    fitting.sort(key=lambda each: -round(each.total, 6))
    memory = memory_of(cases)
    if memory >= threshold:
        total = max([right, *(each.total for each in fitting)]) + memory
        fitting.insert(0, Comparison(MEMORY, None, memory, total))
    findings = _findings(fitting, cases)
    named = {finding.name for finding in findings}
    others = [each for each in compared if _name(each.fault, cases) not in named]
    return Diagnosis(
        _verdict(fitting, threshold, cases),
        tuple(findings),
        tuple(_name(each.fault, cases) for each in others if not each.excluded),
        tuple(_name(each.fault, cases) for each in others if each.excluded),
        tuple(map(score_of, cases)),
        any(case.backups is not None for case in cases),
        verbose,
    )


def _findings(fitting: Sequence[Comparison], cases: Sequence[Case]) -> list[Finding]:
    """Return the first of the faults that fit, and those that cannot be told from it."""
    findings = []
    for each, following in zip_longest(fitting, fitting[1:]):
        if each.total < fitting[0].total - math.log(MARGIN):
            break
        findings.append(
            Finding(
                _name(each.fault, cases),
                each.fault.meaning,
                each.evidence,
                _name(following.fault, cases) if following else None,
                each.total - following.total if following else math.inf,
                evidence_of(each, cases),
            )
        )
    return findings


def _verdict(fitting: Sequence[Comparison], threshold: float, cases: Sequence[Case]) -> str:
    """Return the verdict, from the faults that fit, the most probable first."""
    without_fault = verdict_without_fault(cases)
    if not fitting:
        return without_fault
    first = fitting[0]
    best_by_data = max((each.total for each in fitting if each.fault.or_data), default=-math.inf)
    if first.fault.or_data or first.total - threshold < best_by_data:
        return "unseen"
    if without_fault != "untrained" or any(case.backups is not None for case in cases):
        return "faulty"
    conclusive = not first.fault.as_untrained and agreement(first, cases) >= AGREEMENT
    return "faulty" if conclusive else "unclear"


def _compare_all(
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
    wanted = max(min(LEARNED * num_positions, 0.9 * possible), 1e-9)
    best = reduce(both, [case.right_by_knowledge(wanted) for case in cases])
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
        found = _compare_moves(fault, cases, learned)
        if fault.shows in hidden:
            least = hidden[fault.shows] - math.log(HIDDEN)
            if found is None:
                found = MoveComparison(None, least - right, least, least)
            else:
                found = found._replace(possible=float(np.logaddexp(found.total, least)))
        compared.append(found)
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
    found = [variant.expect(case) for case in cases]
    pairs = [
        (case, expected) for case, expected in zip(cases, found, strict=True)
        if expected is not None and expected.tells.any()
    ]  # fmt: skip
    if not pairs:
        return None
    if variant.learned and all(expected.tells.all() for _, expected in pairs):
        right = max(learned(*(case for case, _ in pairs)), sum(case.by_chance for case, _ in pairs))
    else:
        right = sum(case.right(expected.tells) for case, expected in pairs)
    slips = sum(case.of_illegal(False) for case, _ in pairs)
    evidence = _with_fault(pairs, variant.exact) - right - slips
    as_right = [Expected(evenly(case.keeping), case.keeping, case.everywhere) for case in cases]
    everywhere = [
        (case, (expected or usual)._replace(tells=case.everywhere))
        for case, expected, usual in zip(cases, found, as_right, strict=True)
    ]
    total = _with_fault(everywhere, exact=False)
    agrees = variant.exact and all(
        bool((case.of_moves(expected.moves) > 1 - ROUNDING).all()) for case, expected in pairs
    )
    return MoveComparison(variant, evidence, total, total, agrees)


def _with_fault(pairs: Sequence[tuple[Case, Expected]], exact: bool) -> float:
    """Log-likelihood with a fault of the moves that tell.

    Args:
        pairs: the moves in each game, and the expectation of the fault.
        exact: whether there are no errors.
    """
    ways = []
    for in_order in (False, True):
        games = [case.with_fault(expected, in_order) for case, expected in pairs]
        ways.append(
            sum(float(game[:, 0].sum()) for game in games) if exact else mean_likelihood(games)
        )
    illegal = sum(case.of_illegal(expected.any_action) for case, expected in pairs)
    return _log_mean(ways) + illegal


def _log_mean(logs: Sequence[float] | FloatArray) -> float:
    return log_sum(np.array(logs)) - math.log(len(logs))


def agreement(found: Comparison, cases: Sequence[Case]) -> float:
    """Return the agreement of moves with a fault's, beyond chance: Cohen's kappa, at most 1.

    Counted are positions where the fault plays otherwise than a right agent. It is that of the form
    of the fault that agrees most in standard deviations; 1 where illegal moves are part of it,
    which no right agent makes.

    References:
        J. Cohen, "A coefficient of agreement for nominal scales", *Educational and Psychological
        Measurement* 20 (1960).
    """
    best = (0.0, 0.0)
    for variant in found.fault.variants:
        alike = chance = count = variance = 0.0
        for case in cases:
            expected = variant.expect(case)
            if expected is None:
                continue
            if expected.any_action:
                return 1.0
            rows = _apart(case, expected)
            moves, legal = (expected.moves & case.legal)[rows], case.legal[rows]
            by_chance = moves.sum(axis=1) / legal.sum(axis=1)
            alike += float(case.of_moves(expected.moves)[rows].sum())
            chance += float(by_chance.sum())
            variance += float((by_chance * (1 - by_chance)).sum())
            count += len(by_chance)
        if variance > 0:
            beyond = alike - chance
            best = max(best, (beyond / math.sqrt(variance), beyond / (count - chance)))
    return best[1]


def _apart(case: Case, expected: Expected) -> BoolArray:
    """Positions at which no move of a fault is right; where there is none, those that tell."""
    apart: BoolArray = expected.tells & ~(expected.moves & case.keeping).any(axis=1)
    return apart if apart.any() else expected.tells


def memory_of(cases: Sequence[Case]) -> float:
    """Return the log-odds that answers are to the call before, rather than to their own.

    Calls that agree with one alone are counted; by chance both are equally frequent.
    """
    now = sum(case.answers.memory.now for case in cases)
    before = sum(case.answers.memory.before for case in cases)
    if before <= now:
        return 0.0
    return log_of_share(before, now) + (now + before) * math.log(2)


def verdict_without_fault(cases: Sequence[Case]) -> str:
    """Return the verdict where no fault fits."""
    hits = np.concatenate([case.hits for case in cases])
    chance = np.concatenate([case.at_random for case in cases])
    if (hits > 1 - 1e-9).all() and not any(case.illegal.any() for case in cases):
        return "right"
    above = float((hits - chance).sum())
    if above >= LEARNED * len(hits):
        return "unfinished"
    deviation = math.sqrt(float((chance * (1 - chance)).sum()))
    return "unknown" if above < -BELOW * deviation else "untrained"


def score_of(case: Case) -> Score:
    """Return the score of a policy in a game."""
    legal = case.board.legal[case.answers.rows]
    probabilities = case.answers.probabilities
    illegal = (probabilities * ~legal).sum(axis=1) + ~probabilities.any(axis=1)
    return Score(
        case.board.game.summary,
        100 * float((case.probabilities * case.keeping).sum(axis=1).mean()),
        100 * float(case.at_random.mean()),
        100 * float(illegal.mean()),
        len(case.rows),
        case.board.game.has_outcome,
    )


def _name(fault: Fault, cases: Sequence[Case]) -> str:
    """The name of a fault, in the words of a game with several components or coordinates."""
    for case in cases:
        rules = case.board.game.rules
        if rules.has_coordinates:
            return fault.name.replace("component", "coordinate")
        if len(rules.components) > 1:
            return fault.name.replace("component", rules.components[0].kind)
    return fault.name


def evidence_of(found: Comparison, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the evidence for a fault, a line each."""
    if found.variant is None and found.fault is not MEMORY:
        return ("its values fit, and its moves do not tell",)
    if found.variant is None:
        before = sum(case.answers.memory.before for case in cases)
        now = sum(case.answers.memory.now for case in cases)
        return (
            f"asked one position at a time, in two orders: {before} answers belong to the call "
            f"before alone, {now} to their own",
        )
    lines = []
    for case in cases:
        expected = found.variant.expect(case)
        if expected is not None and expected.tells.any():
            lines += _evidence(case, expected)
    return tuple(lines)


def _evidence(case: Case, expected: Expected) -> list[str]:
    """The evidence in one game, with positions."""
    rules = case.board.game.rules
    illegal = int((case.illegal > 0).sum())
    made = case.of_moves(expected.moves)
    other = _apart(case, expected)
    allowed = np.ones_like(case.legal) if expected.any_action else case.legal
    share = (expected.moves & allowed).sum(axis=1) / allowed.sum(axis=1)
    counted = _counted(case.board.game.has_outcome)
    line = (
        f"{case.board.game.summary}: at {int(other.sum())} {counted} this fault plays "
        f"otherwise than a right agent: as it does {made[other].sum():.0f} times "
        f"(by chance {share[other].sum():.0f}), right {case.hits[other].sum():.0f} times"
    )
    if expected.any_action:
        line += f"; {illegal} of {len(case.illegal)} answers are illegal"
    lines = [line]
    wrong = case.of_moves(expected.moves & ~case.keeping)
    shown = np.flatnonzero(other & (wrong > 0.5))
    for row in shown[spread(len(shown), EXAMPLES)]:
        position = case.positions[row]
        action = int((case.shares[row, :-1] * expected.moves[row] * ~case.keeping[row]).argmax())
        right = int(np.flatnonzero(case.keeping[row])[0])
        keeps = "keeps the draw" if case.board.values[case.rows[row]] == 0 else "wins"
        is_legal = case.legal[row, action]
        lines.append(
            f"  at {'-'.join(map(str, rules.coordinate_tuple(position)))} it plays "
            f"{rules.describe_action(action, position if is_legal else None)}"
            f"{'' if is_legal else ' (illegal)'}; "
            f"{rules.describe_action(right, position)} {keeps}"
        )
    return lines
