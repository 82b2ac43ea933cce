"""The faults, each an equation for action values, and how an agent with it plays on the probes.

Nothing about patterns is written down: each equation says how a result is read, how the next value
is used, and whose turns are learned, and is solved on every probe. There are two forms. In
*negamax* the next position is the one after the move, where the opponent is to move; in *own turn*
it is the mover's own next one, after the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from nim_envs.diagnosis.probes import ACTIONS, ENDS, PROBES, Probe
from nim_envs.typing import BoolArray, FloatArray, IntArray, Position

DISCOUNTS = (1.0, 0.9)
"""Discounts at which the equations are solved; the one nearer to the agent counts."""

SWEEPS = 80
"""Most sweeps over a probe; all but equations that bootstrap beyond the end need eight."""

EXPLORATION = 0.1
"""Probability of a random move of the opponent in the own-turn form."""

Triple = tuple[float, float, float]
Look = Callable[[Position], Position]

RIGHT: Triple = (1.0, 0.0, -1.0)
SWAPPED: Triple = (-1.0, 0.0, 1.0)
NOTHING: Triple = (0.0, 0.0, 0.0)
CLIPPED: Triple = (1.0, 0.0, 0.0)


class Fault(NamedTuple):
    """Description of a fault: how an agent with it plays, and the line of code to look at."""

    meaning: str
    look_at: str


_TURNS = "One player's turns are not learned.", "which player's transitions are stored"
_LAST = "the update after the last move: both players' last moves need one"
_RULE = "where the result is computed: read the environment's reward"

FAULTS: Mapping[str, Fault] = {
    "wrong sign": Fault(
        "It takes the opponent's values for its own.",
        "the target: subtract the value of the position after the move, where the opponent is to "
        "move, or add that of the mover's own next turn",
    ),
    "sign of a search's backup": Fault("A leaf counts alike at all nodes above.", "the backup"),
    "players swapped": Fault("It takes the opponent's result for its own.", "whose reward is read"),
    "result of the loser never learned": Fault("Only the last mover learns the result.", _LAST),
    "loser rewarded": Fault("The loser gets the winner's reward.", _LAST),
    "winners only": Fault("It learns from winners' moves alone.", "what the update leaves out"),
    "rewards clipped to 0..1": Fault("A loss counts 0, as a draw does.", "`max(reward, 0)`"),
    "draws as losses": Fault("A draw counts as a loss.", "the reward of a draw, which is 0"),
    "draws as wins": Fault("A draw counts as a win.", "the reward of a draw, which is 0"),
    "zero reward": Fault("It never sees a reward other than 0.", "where the reward is read"),
    "learning rate 0 or tiny": Fault("Training changes nothing.", "the step size, and its use"),
    "same action always": Fault("It prefers the same actions everywhere.", "what the policy sees"),
    "bootstrap beyond the end": Fault("It adds the next game's value.", "`terminated` in targets"),
    "end read one step early": Fault("The last move is not learned.", "the check for the end"),
    "discount 0": Fault("It sees one move ahead.", "the discount, and the next value"),
    "next state not re-read": Fault("Targets use the position before.", "the next observation"),
    "target frozen": Fault("Values in targets never change.", "updates of the target network"),
    "maximum over illegal actions": Fault("Targets use illegal actions.", "the mask in targets"),
    "illegal actions played": Fault("It plays illegal actions.", "the mask in the policy"),
    "minimum for maximum": Fault("It expects the worst next move.", "`max` in the target"),
    "argmin": Fault("It plays the move that it likes least.", "`argmax` in the policy"),
    "one seat never learned": Fault(*_TURNS),
    "first player's turns alone": Fault(*_TURNS),
    "counts on the opponent's mistakes": Fault("It expects errors.", "the opponent of training"),
    "normal for misère": Fault("It takes the last move for the winning one.", _RULE),
    "misère for normal": Fault("It takes the last move for the losing one.", _RULE),
    "blind to an entry": Fault("It does not see an entry of observations.", "slices and indices"),
    "blind to the order of entries": Fault("It sees entries in another order.", "sorting"),
    "observations cut": Fault("Large numbers or late entries are cut off.", "clips and slices"),
    "observations halved": Fault("It sees halves of numbers.", "integer division"),
    "observations scaled otherwise in play": Fault("It plays by other numbers.", "normalisation"),
    "actions off by one": Fault("It plays the action next to the one meant.", "action numbers"),
    "actions reversed": Fault("It plays actions in reverse order.", "the order of actions"),
    "truncation as end": Fault("A cut counts as the end.", "`truncated` in the target"),
}
"""The faults that are known."""


class Row(NamedTuple):
    """The equation of a fault, in one form.

    Attributes:
        faults: names of the faults that it describes; none: a right agent.
        form: ``"negamax"`` or ``"own turn"``.
        own: how a win, a draw and a loss are read that the own move brings.
        reply: the same where the opponent's reply ends the game; of the own-turn form.
        carry: factor of the next value; ``None``: -1 in negamax, 1 in the own-turn form.
        best: the next position's value: ``"max"``, ``"min"``, ``"mean"``, ``"illegal"`` (the
            maximum over all actions, illegal ones being worth 0) or ``"alike"`` (1 where it looks
            like a won one).
        unlearned: seats whose turns are not learned.
        view: whether results are read as the first player's.
        beyond: whether the value of the next game is added at the end.
        early: factor of the last move's result as the result of the move before it.
        errs: whether the opponent moves at random.
        by_rule: whether only results by the last move are read so.
        look: the observation as it is seen.
        seen_in_play: the same in play alone.
        played: the action played, by the one that it means.
        least: whether the least valued action is played.
        unmasked: whether illegal actions, worth 0, are played.
    """

    faults: tuple[str, ...]
    form: str = "negamax"
    own: Triple = RIGHT
    reply: Triple = RIGHT
    carry: float | None = None
    best: str = "max"
    unlearned: tuple[int, ...] = ()
    view: bool = False
    beyond: bool = False
    early: float = 0.0
    errs: bool = False
    by_rule: str = ""
    look: Look | None = None
    seen_in_play: Look | None = None
    played: tuple[int, ...] = tuple(range(ACTIONS))
    least: bool = False
    unmasked: bool = False


def _both(faults: tuple[str, ...], own: Triple = RIGHT, reply: Triple | None = None,
          **rest: object) -> tuple[Row, Row]:  # fmt: skip
    """Return the equation of faults in both forms."""
    other = own if reply is None else reply
    return (
        Row(faults, "negamax", own, own, **rest),  # type: ignore[arg-type]
        Row(faults, "own turn", own, other, **rest),  # type: ignore[arg-type]
    )


def _without(entry: int) -> Look:
    return lambda look: (*look[:entry], 0, *look[entry + 1 :])


def _clipped(largest: int) -> Look:
    return lambda look: tuple(min(x, largest) for x in look)


def _first(entries: int) -> Look:
    return lambda look: look[:entries]


def _scaled(factor: float) -> Look:
    return lambda look: tuple(x * factor for x in look)  # type: ignore[misc]


LOSS_IS_DRAW = ("result of the loser never learned", "winners only", "rewards clipped to 0..1")
SCALED = "observations scaled otherwise in play"
NO_NEXT = ("discount 0", "next state not re-read", "target frozen")

ROWS: tuple[Row, ...] = (
    *_both(()),
    Row(("wrong sign",), carry=1.0),
    Row(("wrong sign",), "own turn", carry=-1.0),
    Row(("wrong sign", "loser rewarded"), "own turn", RIGHT, SWAPPED),
    Row(("sign of a search's backup",), own=SWAPPED, carry=1.0),
    Row(("sign of a search's backup",), "own turn", SWAPPED, RIGHT),
    *_both(("players swapped",), SWAPPED),
    *_both(("players swapped",), view=True),
    Row(("result of the loser never learned",), "own turn", RIGHT, NOTHING),
    *_both(LOSS_IS_DRAW, CLIPPED),
    Row(("result of the loser never learned",), "own turn", RIGHT, CLIPPED),
    *_both(("loser rewarded",), (1.0, 0.0, 1.0)),
    Row(("loser rewarded",), "own turn", RIGHT, (1.0, 0.0, 1.0)),
    *_both(("draws as losses",), (1.0, -1.0, -1.0)),
    *_both(("draws as wins",), (1.0, 1.0, -1.0)),
    *_both(("bootstrap beyond the end",), beyond=True),
    Row(("end read one step early",), "own turn", NOTHING, RIGHT),
    Row(("end read one step early",), own=NOTHING, early=1.0),
    Row(("end read one step early",), own=NOTHING, early=-1.0),
    *_both(NO_NEXT, carry=0.0),
    *_both(("maximum over illegal actions",), best="illegal"),
    *_both(("maximum over illegal actions",), best="alike"),
    *_both(("minimum for maximum",), best="min"),
    *_both(("argmin",), least=True),
    *_both(("one seat never learned", "first player's turns alone"), unlearned=(1,)),
    *_both(("one seat never learned",), unlearned=(0,)),
    Row(("counts on the opponent's mistakes",), "own turn", errs=True),
    Row(("counts on the opponent's mistakes",), best="mean"),
    *_both(("normal for misère",), (1.0, 1.0, 1.0), (-1.0, -1.0, -1.0)),
    *_both(("misère for normal",), (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)),
    Row(("normal for misère",), own=SWAPPED, by_rule="misère"),
    Row(("misère for normal",), own=SWAPPED, by_rule="normal"),
    *(Row(("blind to an entry",), look=_without(entry)) for entry in range(3)),
    Row(("blind to the order of entries",), look=lambda look: tuple(sorted(look))),
    *(Row(("observations cut",), look=_clipped(largest)) for largest in (1, 2, 5)),
    *(Row(("observations cut",), look=_first(entries)) for entries in (1, 2)),
    Row(("observations cut",), look=lambda look: look[: len(look) // 2]),
    Row(("observations halved",), look=lambda look: tuple(x // 2 for x in look)),
    *(Row((SCALED,), seen_in_play=_scaled(factor)) for factor in (0.1, 10)),
    *_both(("illegal actions played",), unmasked=True),
    Row(("actions off by one",), played=(1, 2, 0)),
    Row(("actions off by one",), played=(2, 0, 1)),
    Row(("actions reversed",), played=(2, 1, 0)),
)  # fmt: skip
"""The equations; the first two are those of right agents."""


class _Board:
    """The moves of a probe as arrays, in the frame of its tree.

    Attributes:
        after: row of the position after each action, ``(n, ACTIONS)``; -1 where there is none.
        ends: whether the action ends the game.
        result: 0, 1, 2 for a win, a draw, a loss of the mover, where it does.
        seat: the player to move, where a position is first reached, ``(n,)``.
    """

    def __init__(self, probe: Probe) -> None:
        names = list(probe.tree)
        shape = len(names), ACTIONS
        self.after: IntArray = np.full(shape, -1, dtype=np.int64)
        self.ends: BoolArray = np.zeros(shape, dtype=np.bool_)
        self.result: IntArray = np.zeros(shape, dtype=np.int64)
        self.seat: IntArray = np.zeros(len(names), dtype=np.int64)
        for row, name in enumerate(names):
            for action, to in probe.tree[name].items():
                if to in ENDS:
                    self.ends[row, action] = True
                    self.result[row, action] = 1 + ENDS[to]
                else:
                    self.after[row, action] = names.index(to)
        self.legal: BoolArray = self.ends | (self.after >= 0)
        self.starts = np.array([names.index(start) for start in probe.starts])
        reached, known, seat = set(self.starts.tolist()), set[int](), 0
        while reached:
            self.seat[list(reached)] = seat
            known |= reached
            reached = {int(to) for row in reached for to in self.after[row] if to >= 0} - known
            seat = 1 - seat
        self.alike = np.array([name == "only move" for name in names])


@lru_cache
def board_of(probe: Probe) -> _Board:
    """Return the moves of a probe as arrays."""
    return _Board(probe)


def solution(row: Row, probe: Probe, discount: float, version: int = 0) -> FloatArray:
    """Return the action values that an equation gives, ``(positions with moves, ACTIONS)``.

    Args:
        row: the equation.
        probe: the probe.
        discount: from 0 to 1, once a turn of the form.
        version: version of the probe, of which an equation with a look depends.
    """
    board = board_of(probe)
    own, reply = np.array(row.own), np.array(row.reply)
    if row.by_rule and row.by_rule != probe.play:
        own = reply = np.array(RIGHT)
    negamax = row.form == "negamax"
    factor = discount * ((-1.0 if negamax else 1.0) if row.carry is None else row.carry)
    view = np.where(board.seat == 1, -1.0, 1.0) if row.view else np.ones(len(board.seat))
    groups = None if row.look is None else groups_of(row.look, probe, version)
    learned = ~np.isin(board.seat, row.unlearned)
    read = own[board.result] * view[:, np.newaxis] * board.ends
    values = np.zeros(board.legal.shape)
    for _ in range(SWEEPS):
        best = _best(values, board, row.best)
        beyond = factor * best[board.starts].mean() if row.beyond else 0.0
        if negamax:
            following = factor * best
            if row.early:
                last = np.array(RIGHT)[board.result] * board.ends
                following = following + row.early * last.sum(axis=1) / board.legal.sum(axis=1)
        else:
            chances = _chances(values, board.legal, row.errs)
            later = np.where(board.after >= 0, factor * best[board.after], 0.0)
            # The player before sees the result of the reply from the other side, and seat.
            seen = reply[2 - board.result] * (-view if row.view else view)[:, np.newaxis]
            later = np.where(board.ends, seen + beyond, later)
            following = (chances * later).sum(axis=1)
        target = np.where(board.ends, read + beyond, following[board.after])
        target = np.where(board.legal & learned[:, np.newaxis], target, 0.0)
        if groups is not None:
            target = _shared(target, board.legal, groups)
        if np.abs(target - values).max() < 1e-12:
            break
        values = target
    return values


def _best(values: FloatArray, board: _Board, how: str) -> FloatArray:
    """Return the value of each position to the player to move, ``(n,)``."""
    legal = board.legal
    if how == "min":
        return np.asarray(np.where(legal, values, np.inf).min(axis=1))
    if how == "mean":
        return np.asarray(np.where(legal, values, 0.0).sum(axis=1) / legal.sum(axis=1))
    best: FloatArray = np.where(legal, values, -np.inf).max(axis=1)
    if how in ("illegal", "alike"):
        best = np.where(legal.all(axis=1), best, np.maximum(best, 0.0))
    return np.where(board.alike, 1.0, best) if how == "alike" else best


def _chances(values: FloatArray, legal: BoolArray, errs: bool) -> FloatArray:
    """Return the probabilities of the opponent's moves: greedy with exploration, or random."""
    random = legal / legal.sum(axis=1, keepdims=True)
    if errs:
        return np.asarray(random)
    share = EXPLORATION
    best = greedy(values, legal)
    return np.asarray((1 - share) * best / best.sum(axis=1, keepdims=True) + share * random)


def greedy(values: FloatArray, legal: BoolArray, margin: float = 1e-6) -> BoolArray:
    """Return the legal actions of the largest value, ``(n, ACTIONS)``, up to a margin."""
    masked = np.where(legal, values, -np.inf)
    best: BoolArray = masked >= masked.max(axis=1, keepdims=True) - margin
    return best


def groups_of(look: Look, probe: Probe, version: int) -> IntArray:
    """Return the first position that looks the same as each, ``(n,)``."""
    seen = [look(probe.observed(version)[name]) for name in probe.tree]
    first = {each: row for row, each in reversed(list(enumerate(seen)))}
    return np.array([first[each] for each in seen])


def _shared(values: FloatArray, legal: BoolArray, groups: IntArray) -> FloatArray:
    """Return the mean value of each action over the positions of each group."""
    sums, counts = np.zeros(values.shape), np.zeros(values.shape)
    np.add.at(sums, groups, values * legal)
    np.add.at(counts, groups, legal)
    return np.asarray((sums / np.maximum(counts, 1))[groups])


@cache
def answers(row: Row, probe: Probe, discount: float, version: int = 0) -> FloatArray:
    """Return the probabilities of actions that an agent with a fault plays, ``(n, ACTIONS)``.

    Rows are positions with moves, actions those of the tree.
    """
    board = board_of(probe)
    values = solution(row, probe, discount, version)
    if row.seen_in_play is not None:
        known = np.array([probe.observed(version)[name] for name in probe.tree], dtype=np.float64)
        seen = np.array([row.seen_in_play(tuple(look)) for look in known])
        # A table or network answers as where it was trained: at the nearest observation.
        distances = np.linalg.norm(known - seen[:, np.newaxis], axis=2)
        values = values[distances.argmin(axis=1)]
    allowed = board.legal | row.unmasked
    # Values of positions that look the same are means, which depend on how often each is visited.
    best = greedy(-values if row.least else values, allowed, 0.5 if row.look else 1e-6)
    chances: FloatArray = best / best.sum(axis=1, keepdims=True)
    played = np.array([probe.mapped(action, version) for action in row.played])
    order = np.array([played[probe.mapped(action, version)] for action in range(ACTIONS)])
    shifted: FloatArray = np.zeros(chances.shape)
    shifted[:, order] = chances
    return shifted


LETTERS = "+~?-*"
COSTS = np.array(
    [[0, 0.5, 1, 1.5], [0.5, 0, 0.5, 1], [1, 0.7, 0, 0.7], [1.5, 1.5, 1, 0], [0.25] * 4]
)
"""Cost of a letter that is expected (rows) where another is seen (columns); ``*`` expects none."""


def letter(share: float) -> str:
    """Return the letter of a share of right answers: right, nearly, a tie or noise, opposite."""
    return "+" if share > 0.99 else "~" if share >= 0.85 else "?" if share >= 0.15 else "-"


Pattern = dict[tuple[str, str], str]
"""A letter for each column of each probe."""


def pattern_of(played: Callable[[Probe, int], FloatArray], versions: Mapping[str, int]) -> Pattern:
    """Return the letters of an agent's moves.

    Args:
        played: probabilities of actions at the positions of a version of a probe, ``(n, ACTIONS)``.
        versions: number of versions of each probe that count, by name of the probe.
    """
    found: Pattern = {}
    legal = []
    for probe in PROBES:
        if probe.name not in versions:
            continue
        names = list(probe.tree)
        shares: dict[str, list[float]] = {column: [] for column in probe.columns}
        for version in range(versions[probe.name]):
            chances = played(probe, version)
            legal.append((chances * board_of(probe).legal).sum(axis=1).mean())
            for question in probe.questions:
                right = chances[names.index(question.position), list(question.right)].sum()
                shares[question.column].append(float(right))
        for column, each in shares.items():
            found[probe.name, column] = letter(float(np.mean(each)))
    found[LEGAL] = letter(float(np.mean(legal)))
    return found


LEGAL = ("all", "legal moves")
"""The column of legal moves at all positions."""

WEIGHTS = {(probe.name, column): probe.weight for probe in PROBES for column in probe.columns}
WEIGHTS[LEGAL] = 2.0


def distance(expected: Pattern, seen: Pattern) -> float:
    """Return the distance of what is seen from what is expected."""
    return sum(
        WEIGHTS[key] * float(COSTS[LETTERS.index(expected[key]), LETTERS.index(each)])
        for key, each in seen.items()
    )


@cache
def expected_pattern(row: Row, discount: float, versions: tuple[tuple[str, int], ...]) -> Pattern:
    """Return the letters of an agent with a fault."""

    def played(probe: Probe, version: int) -> FloatArray:
        return answers(
            row, probe, discount, version if row.look or row.seen_in_play else version % 2
        )

    found = pattern_of(played, dict(versions))
    if row.view or row.unlearned:  # both players come to most positions of a heap
        found |= {key: "*" for key in found if key[0] in ("normal play", "misère play")}
    return found
