"""Comparison of a policy's moves with those of agents with known faults."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from nim_envs.envs.aec import GameEnv
from nim_envs.game import Game
from nim_envs.players import SCORED, AnyPlayer
from nim_envs.scoring.scored_game import scored_game
from nim_envs.testing.diagnosis.answers import answers_of
from nim_envs.testing.diagnosis.board import Board
from nim_envs.testing.diagnosis.case import Case, Expected
from nim_envs.testing.diagnosis.faults import FAULTS, Fault, Variant
from nim_envs.testing.diagnosis.games import tiny_games
from nim_envs.testing.diagnosis.likelihood import (
    STEPS,
    both,
    evenly,
    log_of_share,
    log_sum,
    mean_likelihood,
)
from nim_envs.testing.diagnosis.report import Diagnosis, Finding, Score
from nim_envs.testing.positions import spread

ERROR = 0.05
"""Largest probability that a right, partly trained agent is said to have a fault."""

LEARNED = 0.2
"""Share of N-positions above the random policy's from which an agent has learned something."""

BELOW = 3.0
"""Standard errors below the random policy's score that are no accident."""

EXAMPLES = 3
"""Positions that a report shows of each fault."""

MEMORY = Fault(
    "stale observations",
    "it answers to the observation of the call before: look for a buffer that is read before it is "
    "written",
    (),
)


def diagnose(
    train_or_policy: Callable[[Any], AnyPlayer] | AnyPlayer,
    env_or_game: Any = None,
    *,
    make_env: Callable[[Game], Any] = GameEnv,
    games: Sequence[Game] | None = None,
    seed: int = 0,
) -> Diagnosis:
    """Name the fault behind a bad score, from the moves at all positions of small games.

    Given a training function, it is trained on tiny games on which faults play differently; given
    a policy, on the positions of its own game. The moves of an agent with each fault are computed,
    and compared with the policy's: a fault fits if it makes the moves more probable than any
    right but partly trained agent does, by a factor that such an agent's moves reach with
    probability 5 % at most.

    Args:
        train_or_policy: a function ``train(env)`` that returns a policy; or a policy, as
            :func:`nim_envs.optimality` takes it.
        env_or_game: the policy's game or environment, as :func:`nim_envs.optimality` takes it;
            ``None``: its attribute ``game``, or, of a function of one argument, training.
        make_env: returns the environment that is passed to ``train``, from a game.
        games: games to train on; ``None``: four tiny ones.
        seed: seed of choices among equally probable moves, at least 0.

    Returns:
        The faults that fit, those excluded, and the evidence.

    Raises:
        TypeError: neither a policy with a game nor a training function.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
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
    cases = []
    for policy, where in _policies(train_or_policy, env_or_game, make_env, games):
        board = Board(scored_game(where).game)
        cases.append(Case(board, answers_of(policy, where, board, seed)))
    return diagnosis_of([case for case in cases if len(case.rows)])


def _policies(
    given: Any, env_or_game: Any, make_env: Callable[[Game], Any], games: Sequence[Game] | None
) -> Iterable[tuple[Any, Any]]:
    """Yield policies and their games or environments."""
    game = env_or_game
    if game is None and isinstance(getattr(given, "game", None), Game):
        game = given.game
    if game is not None:
        yield given, game
        return
    if any(callable(getattr(given, name, None)) for name in SCORED) or not _trains(given):
        raise TypeError(
            f"{given!r} is no function of one argument, the environment, that returns a policy; a "
            "policy is diagnosed with its game, diagnose(policy, env_or_game)"
        )
    for each in tiny_games() if games is None else games:
        env = make_env(each)
        yield given(env), env


def _trains(given: Any) -> bool:
    """Whether it can be called with an environment alone."""
    try:
        inspect.signature(given).bind(None)
    except TypeError:
        return False
    except ValueError:
        return callable(given)
    return True


class Compared(NamedTuple):
    """A fault, compared with all games.

    Attributes:
        fault: an entry of :data:`FAULTS`, or ``MEMORY``.
        variant: its form that explains the moves best; ``None`` for a memory.
        evidence: log of how much better it explains the moves that tell than right agents do.
        total: log-likelihood of all moves.
    """

    fault: Fault
    variant: Variant | None
    evidence: float
    total: float


def diagnosis_of(cases: Sequence[Case]) -> Diagnosis:
    """Return the diagnosis of a policy's moves in some games."""
    threshold = math.log((len(FAULTS) + 1) / ERROR)
    learned = cache(best_that_learned)  # many faults show in the same games
    compared = [found for fault in FAULTS if (found := compare(fault, cases, learned)) is not None]
    right = sum(case.right(case.everywhere) + case.of_illegal(False) for case in cases)
    fitting = [each for each in compared if each.evidence >= threshold]
    best = max((each.total for each in fitting), default=right)
    fitting = [each for each in fitting if each.total >= best - threshold]
    fitting.sort(key=lambda each: -round(each.total, 6))
    memory = memory_of(cases)
    if memory >= threshold:
        fitting.insert(0, Compared(MEMORY, None, memory, best))
    findings = tuple(
        Finding(
            _name(each.fault, cases), each.fault.meaning, each.evidence, evidence_of(each, cases)
        )
        for each in fitting
    )
    named = {finding.name for finding in findings}
    excluded = {
        _name(each.fault, cases): each.total < max(best, right) - threshold
        for each in compared
        if _name(each.fault, cases) not in named
    }
    return Diagnosis(
        "faulty" if findings else verdict_without(cases),
        findings,
        tuple(name for name, out in excluded.items() if not out),
        tuple(name for name, out in excluded.items() if out),
        tuple(map(score_of, cases)),
    )


def best_that_learned(*cases: Case) -> float:
    """Return the log of the best likelihood of right agents that have learned something."""
    number = sum(len(case.rows) for case in cases)
    possible = sum(float((1 - case.at_random).sum()) for case in cases)
    wanted = max(min(LEARNED * number, 0.9 * possible), 1e-9)
    best = reduce(both, [case.right_by_knowledge(wanted) for case in cases])
    return float(best[STEPS])


def compare(
    fault: Fault, cases: Sequence[Case], learned: Callable[..., float] = best_that_learned
) -> Compared | None:
    """Compare a fault with the moves in all games; ``None`` where no game shows it.

    Args:
        fault: any fault.
        cases: the moves in each game.
        learned: :func:`best_that_learned`, or the same with a cache.
    """
    forms = []
    for variant in fault.variants:
        found = [variant.expect(case) for case in cases]
        pairs = [
            (case, expected) for case, expected in zip(cases, found, strict=True)
            if expected is not None and expected.tells.any()
        ]  # fmt: skip
        if pairs:
            right = (
                max(learned(*(case for case, _ in pairs)), sum(case.by_chance for case, _ in pairs))
                if variant.learned
                else sum(case.right(expected.tells) for case, expected in pairs)
            )
            slips = sum(case.of_illegal(False) for case, _ in pairs)
            evidence = _with_fault(pairs, everywhere=False) - right - slips
            everything = [
                (case, expected or Expected(evenly(case.winning), case.winning, case.everywhere))
                for case, expected in zip(cases, found, strict=True)
            ]
            forms.append((variant, evidence, _with_fault(everything, everywhere=True)))
    if not forms:
        return None
    best = max(forms, key=lambda form: form[2])
    return Compared(
        fault,
        best[0],
        _log_mean([evidence for _, evidence, _ in forms]),
        _log_mean([total for _, _, total in forms]),
    )


def _with_fault(pairs: Sequence[tuple[Case, Expected]], everywhere: bool) -> float:
    """Log-likelihood of the moves with a fault, of all or of those that tell."""
    games = [
        case.by_distance(
            case.with_fault(expected), case.everywhere if everywhere else expected.tells
        )
        for case, expected in pairs
    ]
    illegal = sum(case.of_illegal(expected.any_action) for case, expected in pairs)
    return mean_likelihood(games) + illegal


def _log_mean(logs: Sequence[float]) -> float:
    return log_sum(np.array(logs)) - math.log(len(logs))


def memory_of(cases: Sequence[Case]) -> float:
    """Return the log-odds that answers are to the call before, rather than to their own.

    Calls that agree with one alone are counted; by chance both are equally frequent.
    """
    now = sum(case.answers.memory.now for case in cases)
    before = sum(case.answers.memory.before for case in cases)
    if before <= now:
        return 0.0
    return log_of_share(before, now) + (now + before) * math.log(2)


def verdict_without(cases: Sequence[Case]) -> str:
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
    chances = case.answers.chances
    illegal = (chances * ~legal).sum(axis=1) + ~chances.any(axis=1)
    return Score(
        case.board.game.in_short,
        case.percent,
        100 * float(case.at_random.mean()),
        100 * float(illegal.mean()),
        len(case.rows),
    )


def _name(fault: Fault, cases: Sequence[Case]) -> str:
    """The name of a fault, in the words of a game with several components."""
    for case in cases:
        components = case.board.game.rules.components
        if len(components) > 1:
            return fault.name.replace("component", components[0].kind)
    return fault.name


def evidence_of(found: Compared, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the evidence for a fault, a line each."""
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
    apart = expected.tells & ~(expected.moves & case.winning).any(axis=1)
    other = apart if apart.any() else expected.tells
    allowed = np.ones_like(case.legal) if expected.any_action else case.legal
    share = (expected.moves & allowed).sum(axis=1) / allowed.sum(axis=1)
    line = (
        f"{case.board.game.in_short}: at {int(other.sum())} N-positions this fault plays "
        f"otherwise than a right agent: as it does {made[other].sum():.0f} times "
        f"(by chance {share[other].sum():.0f}), right {case.hits[other].sum():.0f} times"
    )
    if expected.any_action:
        line += f"; {illegal} of {len(case.illegal)} answers are illegal"
    lines = [line]
    shown = np.flatnonzero(other & (made > 0.5) & (case.hits < 0.5))
    for row in shown[spread(len(shown), EXAMPLES)]:
        position = case.positions[row]
        action = int(case.shares[row].argmax())
        wins = int(np.flatnonzero(case.winning[row])[0])
        is_legal = case.legal[row, action]
        lines.append(
            f"  at {'-'.join(map(str, rules.shown(position)))} it plays "
            f"{rules.describe_action(action, position if is_legal else None)}"
            f"{'' if is_legal else ' (illegal)'}; {rules.describe_action(wins, position)} wins"
        )
    return lines
