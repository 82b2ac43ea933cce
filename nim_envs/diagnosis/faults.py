"""The faults, each an equation for action values, and how an agent with it plays on the probes.

Nothing about patterns is written down: each equation says how a result is read, how the next value
is used, and whose turns are learned, and is solved on every probe. There are three forms. In
*negamax* the next position is the one after the move, where the opponent is to move; in *own turn*
it is the mover's own next one, after the reply; in *whole games* every move learns the result.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nim_envs.diagnosis.probes import ACTIONS, PROBES, Probe
from nim_envs.typing import BoolArray, FloatArray, IntArray, Position

DISCOUNTS = (1.0, 0.9)  # of the equations; the one nearer to the agent counts
SWEEPS = 80  # over a probe, at most; all but equations that bootstrap beyond the end need eight
ERRORS = 0.1  # probability of a random move of the opponent


class Fault(NamedTuple):
    """A fault: its name, how an agent with it plays, and the line of code to look at."""

    name: str
    meaning: str
    look_at: str


_TURNS = "One player's turns are not learned.", "which player's transitions are stored"
_LAST = "the update after the last move: both players' last moves need one"
_END = "the check for the end; a loop over agent_iter that stops at the first player who is done"
_RULE = "where the result is computed: read the environment's reward"

_LIST = (
    ("wrong sign", "It takes the opponent's values for its own.",
     "the target: subtract the value of the position after the move, where the opponent is to "
     "move, or add that of the mover's own next turn"),
    ("sign of a search's backup", "A leaf counts alike at all nodes above.", "the backup"),
    ("players swapped", "It takes the opponent's result for its own.", "whose reward is read"),
    ("result of the loser never learned", "Only the last mover learns the result.", _LAST),
    ("loser rewarded", "The loser gets the winner's reward.", _LAST),
    ("winners only", "It learns from winners' moves alone.", "what the update leaves out"),
    ("rewards clipped to 0..1", "A loss counts 0, as a draw does.", "`max(reward, 0)`"),
    ("draws as losses", "A draw counts as a loss.", "the reward of a draw, which is 0"),
    ("draws as wins", "A draw counts as a win.", "the reward of a draw, which is 0"),
    ("zero reward", "It never sees a reward other than 0.", "where the reward is read"),
    ("learning rate 0 or tiny", "Training changes nothing.", "the step size, and its use"),
    ("same action always", "It prefers the same actions everywhere.", "what the policy sees"),
    ("bootstrap beyond the end", "It adds the next game's value.", "`terminated` in targets"),
    ("end as truncation", "The end counts as a cut.", "`terminated`, where results are read"),
    ("end read one step early", "The last move is not learned.", _END),
    ("discount 0", "It sees one move ahead.", "the discount, and the next value"),
    ("next state not re-read", "Targets use the position before.", "the next observation"),
    ("target frozen", "Values in targets never change.", "updates of the target network"),
    ("maximum over illegal actions", "Targets use illegal actions.", "the mask in targets"),
    ("illegal actions played", "It plays illegal actions.", "the mask in the policy"),
    ("minimum for maximum", "It expects the worst next move.", "`max` in the target"),
    ("argmin", "It plays the move that it likes least.", "`argmax` in the policy"),
    ("one seat never learned", *_TURNS),
    ("first player's turns alone", *_TURNS),
    ("counts on the opponent's mistakes", "It expects errors.", "the opponent of training"),
    ("normal for misère", "It takes the last move for the winning one.", _RULE),
    ("misère for normal", "It takes the last move for the losing one.", _RULE),
    ("blind to an entry", "It does not see an entry of observations.", "slices and indices"),
    ("blind to the order of entries", "It sees entries in another order.", "sorting"),
    ("observations cut", "Large numbers or late entries are cut off.", "clips and slices"),
    ("observations halved", "It sees halves of numbers.", "integer division"),
    ("observations scaled otherwise in play", "It plays by other numbers.", "normalisation"),
    ("actions off by one", "It plays the action next to the one meant.", "action numbers"),
    ("actions reversed", "It plays actions in reverse order.", "the order of actions"),
    ("truncation as end", "A cut counts as the end.", "`truncated` in the target"),
)  # fmt: skip

FAULTS: Mapping[str, Fault] = {fault[0]: Fault(*fault) for fault in _LIST}
"""The faults that are known, by name."""

Triple = tuple[float, float, float]
RIGHT: Triple = (1.0, 0.0, -1.0)
SWAPPED: Triple = (-1.0, 0.0, 1.0)
NOTHING: Triple = (0.0, 0.0, 0.0)
CLIPPED: Triple = (1.0, 0.0, 0.0)
WON: Triple = (1.0, 1.0, 1.0)
LOST: Triple = (-1.0, -1.0, -1.0)
IN_ORDER = tuple(range(ACTIONS))


class Row(NamedTuple):
    """The equation of faults, in one form; without faults that of a right agent."""

    faults: tuple[str, ...]
    form: str = "negamax"  # or "own turn", "whole games"
    own: Triple = RIGHT  # how a win, a draw and a loss are read that the own move brings
    reply: Triple | None = None  # the same where the opponent's reply ends the game
    carry: float | None = None  # factor of the next value, if not -1 in negamax, else 1
    best: str = "max"  # the next position's value; others are in _best
    unlearned: int | None = None  # seat whose turns are not learned
    view: bool = False  # whether results are read as the first player's
    beyond: bool = False  # whether the value of the next game is added at the end
    at_ends: float = 0.0  # value of an end that is no result, but has a value like others
    early: float = 0.0  # factor of the last move's result as that of the move before it
    errs: bool = False  # whether the opponent moves at random
    clipped: bool = False  # whether targets are clipped to 0..1
    valued: tuple[int, ...] = IN_ORDER  # the action whose value is taken for that of each
    played: tuple[int, ...] = IN_ORDER  # the action played, by the one that it means
    least: bool = False  # whether the least valued action is played
    unmasked: bool = False  # whether illegal actions, worth 0, are played


class Look(NamedTuple):
    """A fault of observation: what is seen in place of an observation, always or in play alone."""

    faults: tuple[str, ...]
    seen: Callable[[Position], tuple[float, ...]]
    in_play: bool = False


def _both(*faults: str, **how: Any) -> tuple[Row, Row]:
    """Return the equation of faults from the next position, and from the own next turn."""
    return Row(faults, "negamax", **how), Row(faults, "own turn", **how)


def _reading(fault: str, read: Triple) -> tuple[Row, ...]:
    """Return the equations of results that are read wrong: all, or the own or the reply's alone."""
    own, reply = Row((fault,), "own turn", read, RIGHT), Row((fault,), "own turn", RIGHT, read)
    return *_both(fault, own=read), own, reply


def _looks(fault: str, *looks: Any, in_play: bool = False) -> tuple[Look, ...]:
    return tuple(Look((fault,), seen, in_play) for seen in looks)


LOSER = "result of the loser never learned"
EARLY = "end read one step early"
NO_NEXT = ("discount 0", "next state not re-read", "target frozen")
LOSS_IS_DRAW = (LOSER, "winners only", "rewards clipped to 0..1")

ROWS: tuple[Row | Look, ...] = (
    *_both(),
    Row(("wrong sign", "sign of a search's backup"), carry=1.0),
    Row(("wrong sign",), "own turn", carry=-1.0),
    Row(("wrong sign", "loser rewarded"), "own turn", RIGHT, SWAPPED),
    Row(("sign of a search's backup",), own=SWAPPED, carry=1.0),
    Row(("sign of a search's backup",), "own turn", SWAPPED, RIGHT),
    *_both("players swapped", own=SWAPPED),
    *_both("players swapped", view=True),
    *(Row((LOSER,), form, RIGHT, NOTHING) for form in ("negamax", "own turn", "whole games")),
    Row((LOSER,), "own turn", RIGHT, CLIPPED),
    *_both(*LOSS_IS_DRAW, own=CLIPPED),
    Row(LOSS_IS_DRAW, clipped=True),
    *_reading("loser rewarded", (1.0, 0.0, 1.0)),
    *_reading("draws as losses", (1.0, -1.0, -1.0)),
    *_reading("draws as wins", (1.0, 1.0, -1.0)),
    *_both("bootstrap beyond the end", beyond=True),
    *(Row(("end as truncation",), own=NOTHING, at_ends=value) for value in (0.5, -0.5)),
    *(Row((EARLY,), form, NOTHING, RIGHT) for form in ("own turn", "whole games")),
    *(Row((EARLY,), own=NOTHING, early=factor) for factor in (1.0, -1.0)),
    *_both(EARLY, best="forced"),
    Row((*NO_NEXT, EARLY), carry=0.0),
    Row(NO_NEXT, "own turn", carry=0.0),
    *_both("maximum over illegal actions", best="illegal"),
    *_both("maximum over illegal actions", best="alike"),
    Row(("minimum for maximum", "sign of a search's backup"), best="min"),
    Row(("minimum for maximum",), "own turn", best="min"),
    *_both("argmin", "actions off by one", "actions reversed", least=True),
    *_both("one seat never learned", "first player's turns alone", unlearned=1),
    *_both("one seat never learned", unlearned=0),
    Row(("counts on the opponent's mistakes",), "own turn", errs=True),
    Row(("counts on the opponent's mistakes",), best="mean"),
    Row(("normal for misère",), own=WON),
    Row(("normal for misère",), "own turn", WON, LOST),
    Row(("misère for normal",), own=LOST),
    Row(("misère for normal",), "own turn", LOST, WON),
    *_looks("blind to an entry", *(
        lambda look, entry=entry: (*look[:entry], 0, *look[entry + 1 :])
        for entry in range(3)
    )),
    *_looks(
        "blind to the order of entries", lambda look: tuple(sorted(look)),
        lambda look: min(look, look[::-1]),
    ),
    *_looks(
        "observations cut", *(
            lambda look, largest=largest: tuple(min(x, largest) for x in look)
            for largest in range(1, 6)
        ),
        lambda look: look[:1], lambda look: look[:2],
        lambda look: look[: len(look) // 2], lambda look: look[len(look) // 2 :],
    ),
    *_looks("observations halved", lambda look: tuple(x // 2 for x in look)),
    *_looks(
        "observations scaled otherwise in play", lambda look: tuple(10 * x for x in look),
        lambda look: tuple(x / 10 for x in look),
        lambda look: tuple(x / max(look) for x in look), in_play=True,
    ),
    *_both("illegal actions played", unmasked=True),
    *(Row(("actions off by one",), played=each)
      for each in ((1, 2, 0), (2, 0, 1), (0, 0, 1), (1, 2, 2))),
    *(Row(("actions off by one",), valued=each) for each in ((1, 2, 0), (2, 0, 1))),
    Row(("actions reversed",), played=(2, 1, 0)),
)  # fmt: skip
"""The equations; the first two are those of right agents."""

IGNORANT = Row((), own=NOTHING)  # to such an agent all moves are alike


class Board(NamedTuple):
    """The moves of a probe as arrays, in the frame of its tree."""

    after: IntArray  # (n, ACTIONS), row of the position after each action; -1 where there is none
    result: IntArray  # (n, ACTIONS), where it ends: 0, 1, 2 for a win, a draw, a loss of the mover
    ends: BoolArray  # (n, ACTIONS)
    legal: BoolArray  # (n, ACTIONS)
    seat: IntArray  # (n,), the player to move where a position is first reached
    starts: list[int]  # rows at which games begin


@cache
def board_of(probe: Probe) -> Board:
    """Return the moves of a probe as arrays."""
    names = [*probe.tree, "lost", "drawn", "won"]  # for the player to move there
    after = np.full((len(probe.tree), ACTIONS), -1, dtype=np.int64)
    for row, moves in enumerate(probe.tree.values()):
        for action, to in moves.items():
            after[row, action] = names.index(to)
    seat, reached = dict[str, int](), set(probe.starts)
    for depth in range(len(names)):
        seat = {**dict.fromkeys(reached, depth % 2), **seat}
        reached = {to for name in reached for to in probe.tree.get(name, {}).values()}
    result, legal = after - len(probe.tree), after >= 0
    return Board(
        np.where(result >= 0, -1, after), np.maximum(result, 0), result >= 0, legal,
        np.array([seat[name] for name in probe.tree]), [names.index(name) for name in probe.starts],
    )  # fmt: skip


@cache
def solution(row: Row, probe: Probe, discount: float) -> FloatArray:
    """Return the action values that an equation gives, ``(positions with moves, ACTIONS)``.

    The discount, from 0 to 1, counts once a turn of the form.
    """
    board, negamax = board_of(probe), row.form == "negamax"
    own, right = np.array(row.own), np.array(RIGHT)
    reply = own if row.reply is None else np.array(row.reply)
    factor = discount * ((-1.0 if negamax else 1.0) if row.carry is None else row.carry)
    view = np.where((board.seat == 1) & row.view, -1.0, 1.0)[:, np.newaxis]
    learned = board.legal & (board.seat != row.unlearned)[:, np.newaxis]
    count = board.legal.sum(axis=1)
    errors, random = 1.0 if row.errs else ERRORS, board.legal / count[:, np.newaxis]

    def swept(own: FloatArray, reply: FloatArray) -> FloatArray:
        """Return the values after a sweep over the positions."""
        best = _best(values, probe, row.best)
        beyond = row.at_ends + (factor * best[board.starts].mean() if row.beyond else 0.0)
        chances = (1 - errors) * _greedy(values, board.legal) + errors * random
        # The player before sees the result of a reply from the other side, and seat.
        replied = reply[2 - board.result] * (-view if row.view else view) + beyond
        ended = (chances * replied * board.ends).sum(axis=1)
        if negamax:
            early = (board.ends * right[board.result]).sum(axis=1) / count
            following = factor * best + row.early * early
            if row.reply is not None:
                following = np.where((chances * board.ends).sum(axis=1) > 0.5, ended, following)
        else:
            goes_on = chances * (board.after >= 0)
            following = ended + (goes_on * factor * best[board.after]).sum(axis=1)
        target = np.where(board.ends, own[board.result] * view + beyond, following[board.after])
        return np.where(learned, np.clip(target, 0.0, 1.0) if row.clipped else target, 0.0)

    whole, values = row.form == "whole games", np.zeros(board.legal.shape)
    for _ in range(SWEEPS):
        target = swept(right, right) if whole else swept(own, reply)
        if np.abs(target - values).max() < 1e-12:
            break
        values = target
    return swept(own, reply) if whole else values


def _best(values: FloatArray, probe: Probe, how: str) -> FloatArray:
    """Return the value of each position to the player to move, ``(n,)``."""
    legal = board_of(probe).legal
    count = legal.sum(axis=1)
    best: FloatArray = np.where(legal, values, -np.inf).max(axis=1)
    if how == "min":
        best = np.where(legal, values, np.inf).min(axis=1)
    elif how == "mean":
        best = np.where(legal, values, 0.0).sum(axis=1) / count
    elif how == "forced":  # no value where one move is legal
        best = np.where(count > 1, best, 0.0)
    elif how in ("illegal", "alike"):  # the maximum over all actions, of which some are worth 0
        best = np.where(count == ACTIONS, best, np.maximum(best, 0.0))
    if how == "alike":  # it looks like a position that is won
        best = np.where([name == "only move" for name in probe.tree], 1.0, best)
    return best


def _greedy(values: FloatArray, legal: BoolArray) -> FloatArray:
    """Return the probabilities of the actions of the largest value, ``(n, ACTIONS)``."""
    masked = np.where(legal, values, -np.inf)
    best = masked >= masked.max(axis=1, keepdims=True) - 1e-6
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def answers(
    row: Row, probe: Probe, discount: float, version: int = 0, first: bool = False
) -> FloatArray:
    """Return the probabilities of actions that an agent with a fault plays, ``(n, ACTIONS)``.

    It is asked on a version of the probe, and plays the first of equal actions, or any.
    """
    mirror = slice(None, None, -1 if version else 1)
    values = solution(row, probe, discount)[:, mirror][:, row.valued]
    legal = board_of(probe).legal[:, mirror] | row.unmasked
    means = _greedy(-values if row.least else values, legal)
    if first:
        means = np.eye(ACTIONS)[means.argmax(axis=1)]
    chances = np.zeros(means.shape)
    for action, played in enumerate(row.played):
        chances[:, played] += means[:, action]
    return chances[:, mirror]


LETTERS = "+~?-*"
COSTS = np.array(
    [[0, 0.5, 1, 1.5], [0.5, 0, 0.5, 1], [1, 0.7, 0, 0.7], [1.5, 1.5, 1, 0], [0.25] * 4]
)
"""Cost of a letter that is expected (rows) where another is seen (columns); ``*`` expects none."""

LEGAL = ("all", "legal moves")  # the column of legal moves at all positions
WEIGHTS = {(probe.name, column): probe.weight for probe in PROBES for column in probe.columns}
WEIGHTS[LEGAL] = 2.0

Played = Mapping[tuple[Probe, int], FloatArray]  # (n, ACTIONS), by probe and version
Pattern = dict[tuple[str, str], str]  # a letter for each column of each probe


def letter(share: float) -> str:
    """Return the letter of a share of right answers: right, nearly, a tie or noise, opposite."""
    return "+" if share > 0.99 else "~" if share >= 0.85 else "?" if share >= 0.15 else "-"


def pattern_of(played: Played) -> Pattern:
    """Return the letters of an agent's moves."""
    shares: dict[tuple[str, str], list[float]] = {}
    for (probe, _), chances in played.items():
        on_legal = (chances * board_of(probe).legal).sum(axis=1)
        shares.setdefault(LEGAL, []).append(on_legal.mean())
        for question in probe.questions:
            right = chances[probe.row(question), list(question.right)].sum()
            shares.setdefault((probe.name, question.column), []).append(right)
    return {key: letter(float(np.mean(each))) for key, each in shares.items()}


@cache
def expected_pattern(
    row: Row, discount: float, versions: tuple[tuple[Probe, int], ...], first: bool = False
) -> Pattern:
    """Return the letters of an agent with a fault, on versions of probes."""
    found = pattern_of({
        (probe, version): answers(row, probe, discount, version, first)
        for probe, version in versions
    })  # fmt: skip
    if row.view or row.unlearned is not None:  # both players come to most positions of a heap
        found |= {key: "*" for key in found if key[0] in ("normal play", "misère play")}
    return found


def distance(expected: Pattern, seen: Pattern) -> float:
    """Return the distance of what is seen from what is expected."""
    return sum(
        WEIGHTS[key] * float(COSTS[LETTERS.index(expected[key]), LETTERS.index(each)])
        for key, each in seen.items()
    )


def distance_of_look(look: Look, played: Played) -> float:
    """Return the distance of moves from those of an agent that sees otherwise.

    Where it cannot tell positions apart any answer fits, but the same one at all of them:
    else the distance is infinite.
    """
    same: list[bool] = []
    wrong: dict[tuple[str, str], list[float]] = {}
    for (probe, version), chances in played.items():
        shown, rows = probe.observed(version), list(probe.tree)
        seen = {position: look.seen(shown[position]) for position in rows}
        right = {question.position: question.right for question in probe.questions}
        for column, position, _, _ in probe.questions:
            here, moves = chances[rows.index(position)], set(probe.tree[position])
            if look.in_play:  # it answers as at the nearest observation that it was trained on
                far = [np.linalg.norm(np.subtract(shown[p], seen[position])) for p in rows]
                alike = [rows[int(np.argmin(far))]]
            else:
                alike = [p for p in right if seen[p] == seen[position]]
                alike = [p for p in alike if set(probe.tree[p]) == moves]
                if alike[0] != position:
                    there = chances[rows.index(alike[0])]
                    same.append(bool(np.abs(here - there).max() < 0.5))
            fits = frozenset.intersection(*(right.get(p, frozenset(IN_ORDER)) for p in alike))
            share = float(here[list(fits or IN_ORDER)].sum())
            wrong.setdefault((probe.name, column), []).append(1 - share)
    if same and np.mean(same) <= 0.97:
        return float("inf")
    return sum(1.5 * WEIGHTS[key] * float(np.mean(each)) for key, each in wrong.items())


def distance_of(row: Row | Look, played: Played, seen: Pattern) -> float:
    """Return the distance of moves, and of their letters, from those of a fault.

    The discount and the choice among ties count that are nearest.
    """
    if isinstance(row, Look):
        return distance_of_look(row, played)
    versions = tuple(dict.fromkeys((probe, version % 2) for probe, version in played))
    return min(
        distance(expected_pattern(row, discount, versions, first), seen)
        for discount in DISCOUNTS for first in (False, True)
    )  # fmt: skip
