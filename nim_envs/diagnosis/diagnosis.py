"""Diagnosis of a policy: the faults that fit its moves and values, and the evidence for them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from tqdm import tqdm

from nim_envs.diagnosis.board import Board, tiny_games
from nim_envs.diagnosis.comparison import (
    LEARNED,
    MARGIN,
    Comparison,
    compare_all,
    compare_values,
)
from nim_envs.diagnosis.faults import FAULTS, MEMORY, Fault
from nim_envs.diagnosis.moves import Case, ExpectedMoves, answers_of, log_of_share
from nim_envs.diagnosis.positions import spread
from nim_envs.diagnosis.report import Diagnosis, Finding, Score, counted_positions
from nim_envs.diagnosis.values import values_of
from nim_envs.envs.aec import GameEnv
from nim_envs.game import Game
from nim_envs.players import SCORED, AnyPlayer
from nim_envs.scoring.scored_game import scored_game
from nim_envs.typing import BoolArray

AGREEMENT = 2 / 3
"""Agreement with a fault, beyond chance, from which moves of an agent that has learned little show
it. Odds take the positions for independent, which they are not to a network: one that was trained
too little may agree by half."""

BELOW = 3.0
"""Standard errors below the random policy's score that are no accident."""

EXAMPLES = 3
"""Positions that a report shows of each fault."""


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
    for each in tqdm(chosen, "training", unit="game", disable=None if progress else True):
        env = make_env(each)
        yield given(env), env


def _takes(given: Any, count: int) -> bool:
    """Whether it can be called with a number of arguments."""
    try:
        inspect.signature(given).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return callable(given)
    return True


def diagnosis_of(
    cases: Sequence[Case], discount: float | None = None, verbose: bool = False
) -> Diagnosis:
    """Return the diagnosis of a policy's moves, and of its values, in some games."""
    right = sum(case.right(case.everywhere) + case.of_illegal(False) for case in cases)
    faults = [fault for fault in FAULTS if any(fault.applies(case.board) for case in cases)]
    values = compare_values(faults, cases, discount)
    compared, threshold = compare_all(faults, cases, right, values)
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


def agreement(comparison: Comparison, cases: Sequence[Case]) -> float:
    """Return the agreement of moves with a fault's, beyond chance: Cohen's kappa, at most 1.

    Counted are positions where the fault plays otherwise than a right agent. It is that of the form
    of the fault that agrees most in standard deviations; 1 where illegal moves are part of it,
    which no right agent makes.

    References:
        J. Cohen, "A coefficient of agreement for nominal scales", *Educational and Psychological
        Measurement* 20 (1960).
    """
    best = (0.0, 0.0)
    for variant in comparison.fault.variants:
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


def _apart(case: Case, expected: ExpectedMoves) -> BoolArray:
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
        kinds = {component.kind for component in rules.components}
        if len(rules.components) > 1 and len(kinds) == 1:
            return fault.name.replace("component", kinds.pop())
    return fault.name


def evidence_of(comparison: Comparison, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the evidence for a fault, a line each."""
    if comparison.variant is None and comparison.fault is not MEMORY:
        return ("its values fit, and its moves do not tell",)
    if comparison.variant is None:
        before = sum(case.answers.memory.before for case in cases)
        now = sum(case.answers.memory.now for case in cases)
        return (
            f"asked one position at a time, in two orders: {before} answers belong to the call "
            f"before alone, {now} to their own",
        )
    lines = []
    for case in cases:
        expected = comparison.variant.expect(case)
        if expected is not None and expected.tells.any():
            lines += _evidence(case, expected)
    return tuple(lines)


def _evidence(case: Case, expected: ExpectedMoves) -> list[str]:
    """The evidence in one game, with positions."""
    rules = case.board.game.rules
    illegal = int((case.illegal > 0).sum())
    fault_moves = case.of_moves(expected.moves)
    other = _apart(case, expected)
    allowed = np.ones_like(case.legal) if expected.any_action else case.legal
    share = (expected.moves & allowed).sum(axis=1) / allowed.sum(axis=1)
    counted = counted_positions(case.board.game.has_outcome)
    line = (
        f"{case.board.game.summary}: at {int(other.sum())} {counted} this fault plays "
        f"otherwise than a right agent: as it does {fault_moves[other].sum():.0f} times "
        f"(by chance {share[other].sum():.0f}), right {case.hits[other].sum():.0f} times"
    )
    if expected.any_action:
        line += f"; {illegal} of {len(case.illegal)} answers are illegal"
    lines = [line]
    wrong = case.of_moves(expected.moves & ~case.keeping)
    examples = np.flatnonzero(other & (wrong > 0.5))
    for row in examples[spread(len(examples), EXAMPLES)]:
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
