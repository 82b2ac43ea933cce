"""The probe games: trees of 2 to 24 positions that a right learner masters in some hundred games.

Each position has an entry of the observation of its own, a *lamp*, so that nothing is learned from
likeness, except in the probes of observation. Decisions come in both orders of their actions. After
a decision moves are forced, so that learners of all kinds agree on the result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.own_games import game_from_moves
from nim_envs.typing import Position

ACTIONS = 3  # of each probe; a decision is between the first and the last of them
LIT = 4  # entry of a lamp that is on: halved, cut or divided it still shows
ENDS = {"won": 1, "drawn": 0, "lost": -1}  # values to the player whose turn it would be
RESULTS = {1: "win", 0: "draw", -1: "loss"}


class Question(NamedTuple):
    """A position at which some actions are right.

    Attributes:
        column: the comparison that it makes, such as ``"win over draw"``.
        position: name of the position.
        right: the right actions.
        wrong: the words for an agent that does the opposite.
    """

    column: str
    position: str
    right: frozenset[int]
    wrong: str


@dataclass(frozen=True, eq=False)
class Probe:
    """A small game, and questions about the moves of an agent that was trained on it.

    Attributes:
        name: name of the probe.
        lesson: what an agent learns on it, in a sentence.
        tree: names of the positions after each legal action, by position and action.
        starts: names of the positions at which games begin; repeats are weights.
        questions: what is asked.
        looks: entries of the observation of each position; empty: a lamp for each.
        play: ``"normal"`` or ``"misère"`` where the last move decides, else ``"outcome"``.
        weight: weight of its columns in distances between patterns.
    """

    name: str
    lesson: str
    tree: Mapping[str, Mapping[int, str]]
    starts: tuple[str, ...]
    questions: tuple[Question, ...]
    looks: Mapping[str, Position] = field(default_factory=dict)
    play: str = "outcome"
    weight: float = 1.0

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the comparisons."""
        return tuple(dict.fromkeys(question.column for question in self.questions))

    @cached_property
    def game(self) -> Game:
        """The game, as it is first trained on."""
        return self.version(0)

    def row(self, question: Question) -> int:
        """Return the place of a question's position among the positions with moves."""
        return list(self.tree).index(question.position)

    def mapped(self, action: int, version: int) -> int:
        """Return an action of the tree as the action of a version of the game, and vice versa."""
        return ACTIONS - 1 - action if version % 2 else action

    def observed(self, version: int = 0, on: Game | None = None) -> dict[str, Position]:
        """Return the observation of each position by its name; arguments as of :meth:`version`."""
        names = (*self.tree, *ENDS)
        order = np.arange(len(names))
        if version:
            order = np.random.default_rng(version).permutation(order)
        if on is not None:
            shown = np.array(_some_positions(on, len(names)))[order]
        elif self.looks:
            shown = np.roll([self.looks[name] for name in names], version, axis=1)
        else:
            shown = LIT * np.eye(len(names), dtype=np.int64)[:, order]
        return dict(zip(names, map(tuple, shown.tolist()), strict=True))

    def version(self, version: int, on: Game | None = None) -> Game:
        """Return the game with its entries permuted and, in odd versions, its actions mirrored.

        Args:
            version: 0 for the game as it is; other numbers permute.
            on: game whose positions and actions show it; ``None``: the probe has its own.
        """
        shown = self.observed(version, on)
        names = {look: name for name, look in shown.items()}

        def moves(position: Position) -> list[tuple[int, Position]]:
            after = self.tree.get(names.get(position, "drawn"), {})
            return [(self.mapped(action, version), shown[to]) for action, to in after.items()]

        def outcome(position: Position) -> int:
            return ENDS[names.get(position, "drawn")]

        starts = [shown[name] for name in self.starts]
        largest = [] if on is None else [tuple(size - 1 for size in on.fields)]
        return game_from_moves(
            self.name, starts[0], moves, starts=starts, positions=[*starts[1:], *largest],
            actions=range(ACTIONS if on is None else on.num_actions),
            outcome=outcome if self.play == "outcome" else None, misere=self.play == "misère",
        )  # fmt: skip


def _some_positions(game: Game, count: int) -> list[Position]:
    """Return some positions of a game, found from a start; an error if they are too few."""
    start = game.starts.sampler(game).draw(np.random.default_rng(0))
    found = [tuple(start.tolist())]
    for position in found:
        if len(found) > count:
            break
        found += dict.fromkeys(after for _, after in game.moves(position) if after not in found)
    largest = tuple(size - 1 for size in game.fields)
    positions = [each for each in found if each != largest][:count]
    if len(positions) < count or game.num_actions < ACTIONS:
        raise InvalidGameError(
            f"probes_on needs a game of at least {ACTIONS} actions and {count + 1} positions, and "
            f"{game.summary} has fewer"
        )
    return positions


class _Builder:
    """A tree that grows by decisions and corridors, and the questions at the decisions."""

    def __init__(self) -> None:
        self.tree: dict[str, dict[int, str]] = {}
        self.questions: list[Question] = []

    def forced(self, value: int, moves: int) -> str:
        """Add a corridor of forced moves to a value, and return its first position."""
        if not moves:
            return next(name for name, each in ENDS.items() if each == value)
        name = f"{RESULTS[value]} in {moves}"
        self.tree[name] = {1: self.forced(-value, moves - 1)}
        return name

    def decided(
        self, column: str, right: str, other: str, wrong: str, actions: tuple[int, ...] = (0, 2)
    ) -> None:
        """Add decisions between two positions, one for each right action."""
        for action in actions:
            name = f"{column}, action {action}"
            self.tree[name] = {action: right, 2 - action: other}
            self.questions.append(Question(column, name, frozenset({action}), wrong))

    def compared(
        self, better: int, soon: int, worse: int, late: int, actions: tuple[int, ...] = (0, 2)
    ) -> None:
        """Add decisions between two results after numbers of moves."""
        best, other = RESULTS[better], RESULTS[worse]
        if soon != late:
            best, other = f"{best} in {soon}", f"{other} in {late}"
        # The decider's win is the loss of the player who moves next.
        after = self.forced(-better, soon - 1), self.forced(-worse, late - 1)
        self.decided(f"{best} over {other}", *after, f"prefers a {other} to a {best}", actions)

    def probe(self, name: str, lesson: str, *more: str, **settings: Any) -> Probe:
        """Return the probe whose games begin at its questions, and at some positions more."""
        starts = (*(question.position for question in self.questions), *more)
        return Probe(name, lesson, self.tree, starts, tuple(self.questions), **settings)


def _comparing(name: str, lesson: str, moves: int) -> Probe:
    """Return the probe that compares results after a number of moves."""
    build = _Builder()
    for better, worse in ((1, 0), (0, -1), (1, -1)):
        build.compared(better, moves, worse, moves)
    return build.probe(name, lesson)


def _second_player() -> Probe:
    lesson = "After a forced move the second player decides."
    probe = _comparing("second player", lesson, 1)
    before = {f"before {start}": {1: start} for start in probe.starts}
    return replace(probe, tree={**probe.tree, **before}, starts=tuple(before))


def _now_or_later() -> Probe:
    build = _Builder()
    build.tree["sure win"] = {1: "loss in 1"}
    build.compared(1, 1, 0, 2, (0,))
    build.compared(0, 2, -1, 1, (0,))
    build.compared(1, 2, 0, 1, (2,))
    build.compared(0, 1, -1, 2, (2,))
    lesson = "A result now, or another one move later; a third of the games are surely won."
    return build.probe("now or later", lesson, *["sure win"] * 2)


def _hope() -> Probe:
    build = _Builder()
    build.tree["hope"] = {0: "lost", 1: "won", 2: "won"}  # of three replies two err
    for value in (1, 0):
        sure = f"sure {RESULTS[value]}"
        wrong = f"hopes for the opponent's mistake rather than take a {sure}"
        build.decided(f"{sure} over hope", build.forced(-value, 1), "hope", wrong)
    lesson = "A sure result, or a win only if the opponent errs, as two of its three moves do."
    return build.probe("hope", lesson, weight=0.4)


def _mask() -> Probe:
    build = _Builder()
    build.tree |= {"only move": {1: "won"}, "all legal": {0: "lost", 1: "won", 2: "lost"}}
    both = frozenset({0, 2})
    build.questions += [Question("win among all", "all legal", both, "prefers a loss to a win")]
    wrong = "prefers a draw to a position where the opponent's only legal move loses"
    build.decided("legal win over draw", "only move", build.forced(0, 1), wrong)
    names = (*build.tree, *ENDS)
    lamps = np.eye(len(names), len(names) + 1, dtype=np.int64) * LIT
    lamps[:2, -1] = LIT  # the first two share a lamp
    looks = dict(zip(names, map(tuple, lamps.tolist()), strict=True))
    lesson = "The opponent's only legal move loses, and looks like a position where others win."
    return build.probe("mask", lesson, "all legal", looks=looks)


def _last_move(play: str, other: str, end: str, decides: str, asked: Mapping[int, int]) -> Probe:
    """Return the probe of one heap, with the number to take by size of the heaps asked about."""
    build = _Builder()
    for heap in range(max(asked), 0, -1):
        left = {2 * (take - 1): heap - take for take in (1, 2) if take <= heap}
        after = {a: f"heap {rest}" if rest else end for a, rest in left.items()}
        build.tree[f"heap {heap}"] = after
    wrong = f"plays as if the rule were that of {other} play"
    for heap, take in asked.items():
        column = "heaps where the two rules differ" if heap in (2, 5) else "other heaps"
        right = frozenset({2 * (take - 1)})
        build.questions.append(Question(column, f"heap {heap}", right, wrong))
    lesson = f"One heap, take one or two; who takes the last {decides}."
    # How a faulty agent plays a heap depends on how it was explored.
    return build.probe(f"{play} play", lesson, play=play, weight=0.5)


def _seen(name: str, lesson: str, wrong: str, *seen: tuple[str, Position, int]) -> Probe:
    """Return a probe of single moves; given are columns, observations and the winning action."""
    build, width = _Builder(), len(seen[0][1])
    looks = {end: (2 - place, *[0] * (width - 1)) for place, end in enumerate(ENDS)}
    for column, look, right in seen:
        position = "-".join(map(str, look)) if width == ACTIONS else column
        actions = range(ACTIONS) if width == ACTIONS else (0, 2)
        build.tree[position] = {each: "lost" if each == right else "won" for each in actions}
        build.questions.append(Question(column, position, frozenset({right}), wrong))
        looks[position] = look
    return build.probe(name, lesson, looks=looks)


def _sight() -> Probe:
    # Without its first number 7-5-2 looks like 1-5-2, cut at five like 5-7-2; halved, 5-4-4
    # looks like its rotations, rounded up or down.
    shown = [
        (column, tuple(np.roll(numbers, entry).tolist()), (entry + largest) % ACTIONS)
        for entry in range(ACTIONS)
        for column, numbers, largest in (
            (f"number {entry} of three", (7, 5, 2), 0), ("all three numbers", (1, 5, 2), 1),
            ("large numbers", (5, 7, 2), 1), ("neighbours", (5, 4, 4), 0),
        )
    ]  # fmt: skip
    lesson = "Of three numbers that it sees, the largest is the winning action."
    return _seen("sight", lesson, "does not choose the largest number", *shown)


def cut(max_cycles: int) -> Probe:
    """Return the probe whose games are truncated, after ``max_cycles`` moves of each player."""
    lesson = "Games are truncated; others begin so late that they end."
    probe = _comparing("cut", lesson, 2 * max_cycles + 2)
    late = [f"{RESULTS[value]} in {left}" for value in RESULTS for left in (2, 2 * max_cycles)]
    return replace(probe, starts=(*probe.starts, *late))


PROBES: tuple[Probe, ...] = (
    _comparing("one move", "The move ends the game: a win, a draw or a loss.", 1),
    _comparing("reply", "The opponent's forced reply ends the game.", 2),
    _comparing("next turn", "The game ends with the mover's own next move.", 3),
    _comparing("chain", "The game ends after six moves, five of them forced.", 6),
    _second_player(),
    _now_or_later(),
    _hope(),
    _mask(),
    _last_move("normal", "misère", "lost", "wins", {2: 2, 4: 1, 5: 2}),
    _last_move("misère", "normal", "won", "loses", {2: 1, 3: 2, 5: 1, 6: 2}),
    _sight(),
    _seen(
        "scale", "It sees a number beside a constant 1: one action wins with 2, the other with 6.",
        "takes it for another number", ("number 2", (1, 2), 0), ("number 6", (1, 6), 2),
    ),
)  # fmt: skip
"""The probes, in the order in which they are trained on."""
