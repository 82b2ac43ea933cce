"""The probe games: trees of 2 to 24 positions that a right learner masters in some hundred games.

Each position has an entry of the observation of its own, a *lamp*, so that nothing is learned from
likeness, except in the probes of observation. Decisions come in both orders of their actions. After
a decision moves are forced, so that learners of all kinds agree on the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np

from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import InvalidGameError
from nim_envs.game import PLAYERS, Game
from nim_envs.own_games import game_from_moves
from nim_envs.typing import Position

ACTIONS = 3
"""Actions of each probe; a decision is between the first and the last of them."""

LIT = 4
"""Entry of a lamp that is on: halved, cut or divided it still shows."""

ENDS = {"won": 1, "drawn": 0, "lost": -1}
"""Positions without moves, and their values to the player whose turn it would be."""

RESULTS = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class Question:
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
    looks: Mapping[str, Position]
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

    def observed(self, version: int = 0, on: Game | None = None) -> dict[str, Position]:
        """Return the observation of each position by its name; arguments as of :meth:`version`."""
        names = (*self.tree, *ENDS)
        rng = np.random.default_rng(version)
        if on is not None:
            places = _some_positions(on, len(names))
            order = rng.permutation(len(names)) if version else np.arange(len(names))
            return dict(zip(names, [places[each] for each in order], strict=True))
        shown = np.eye(len(names), dtype=np.int64) * LIT
        order = rng.permutation(len(names))
        if self.looks:
            width = len(next(iter(self.looks.values())))
            ends = {name: (2 - place, *[0] * (width - 1)) for place, name in enumerate(ENDS)}
            shown = np.array([{**ends, **self.looks}[name] for name in names])
            order = np.roll(np.arange(shown.shape[1]), version)
        if version:
            shown = shown[:, order]
        return dict(zip(names, map(tuple, shown.tolist()), strict=True))

    def mapped(self, action: int, version: int) -> int:
        """Return an action of the tree as the action of a version of the game, and vice versa."""
        return ACTIONS - 1 - action if version % 2 else action

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

        starts, actions = [shown[name] for name in self.starts], ACTIONS
        positions = starts[1:]
        if on is not None:
            largest, actions = _spaces(on)
            positions.append(largest)
        return game_from_moves(
            self.name, starts[0], moves, positions=positions, starts=starts, actions=range(actions),
            outcome=outcome if self.play == "outcome" else None, misere=self.play == "misère",
        )  # fmt: skip


def _spaces(game: Game) -> tuple[Position, int]:
    """Return the largest value of each entry of a game's observations, and its actions."""
    env = GameEnv(game)
    box = env.observation_space(PLAYERS[0])["observation"]  # type: ignore[index]
    return tuple(box.high.tolist()), int(env.action_space(PLAYERS[0]).n)  # type: ignore[attr-defined]


def _some_positions(game: Game, count: int) -> list[Position]:
    """Return some positions of a game, found from a start; an error if they are too few."""
    env, (largest, actions) = GameEnv(game), _spaces(game)
    env.reset(seed=0)
    found = [tuple(env.position.tolist())]
    for position in found:
        if len(found) > count:
            break
        found += dict.fromkeys(after for _, after in game.moves(position) if after not in found)
    positions = list(islice((each for each in found if each != largest), count))
    if len(positions) < count or actions < ACTIONS:
        raise InvalidGameError(
            f"probes_on needs a game of at least {ACTIONS} actions and {count + 1} positions, and "
            f"{game.summary} has fewer"
        )
    return positions


Tree = dict[str, dict[int, str]]


def forced(tree: Tree, value: int, moves: int) -> str:
    """Add a corridor of forced moves to a tree, and return the name of its first position.

    Args:
        tree: the tree.
        value: value to the player to move.
        moves: moves to the end.
    """
    if not moves:
        return next(name for name, each in ENDS.items() if each == value)
    name = f"{RESULTS[value]} in {moves}"
    tree[name] = {1: forced(tree, -value, moves - 1)}
    return name


def decisions(
    tree: Tree,
    pairs: Iterable[tuple[tuple[int, int], tuple[int, int]]],
    orders: tuple[int, ...] = (0, 2),
) -> tuple[Question, ...]:
    """Add decisions between forced results to a tree, and return the questions.

    Args:
        tree: the tree.
        pairs: a better and a worse result each, the value to the player who decides, and the
            number of moves to the end, that of the decision included.
        orders: the actions that are right, each in a decision of its own.
    """
    questions = []
    for (better, soon), (worse, late) in pairs:
        best, other = RESULTS[better], RESULTS[worse]
        if soon != late:
            best, other = f"{best} in {soon}", f"{other} in {late}"
        for right in orders:
            name = f"{best} over {other}, action {right}"
            # The decider's win is the loss of the player who moves next.
            after = forced(tree, -better, soon - 1), forced(tree, -worse, late - 1)
            tree[name] = {right: after[0], 2 - right: after[1]}
            wrong = f"prefers a {other} to a {best}"
            questions.append(Question(f"{best} over {other}", name, frozenset({right}), wrong))
    return tuple(questions)


COMPARISONS = ((1, 0), (0, -1), (1, -1))
"""Win over draw, draw over loss, win over loss."""


def comparing(name: str, lesson: str, moves: int, *, second: bool = False) -> Probe:
    """Return the probe whose results come after a number of moves; the second player may decide."""
    tree: Tree = {}
    questions = decisions(tree, [((a, moves), (b, moves)) for a, b in COMPARISONS])
    starts = tuple(question.position for question in questions)
    if second:
        tree |= {f"before {start}": {1: start} for start in starts}
        starts = tuple(f"before {start}" for start in starts)
    return Probe(name, lesson, tree, starts, questions, {})


def now_or_later() -> Probe:
    """Return the probe that compares results after one and after two moves."""
    tree: Tree = {"sure win": {1: "loss in 1"}}
    questions = (
        *decisions(tree, [((1, 1), (0, 2)), ((0, 2), (-1, 1))], (0,)),
        *decisions(tree, [((1, 2), (0, 1)), ((0, 1), (-1, 2))], (2,)),
    )
    starts = (*[question.position for question in questions], *["sure win"] * 2)
    lesson = "A result now, or another one move later; a third of the games are surely won."
    return Probe("now or later", lesson, tree, starts, questions, {})


def hope() -> Probe:
    """Return the probe of a sure result against a win if the opponent errs."""
    tree: Tree = {"hope": {0: "lost", 1: "won", 2: "won"}}  # of three replies two err
    questions = []
    for value in (1, 0):
        sure = f"sure {RESULTS[value]}"
        for right in (0, 2):
            name = f"{sure} over hope, action {right}"
            tree[name] = {right: forced(tree, -value, 1), 2 - right: "hope"}
            wrong = f"hopes for the opponent's mistake rather than take a {sure}"
            questions.append(Question(f"{sure} over hope", name, frozenset({right}), wrong))
    lesson = "A sure result, or a win only if the opponent errs, as two of its three moves do."
    starts = tuple(question.position for question in questions)
    return Probe("hope", lesson, tree, starts, tuple(questions), {}, weight=0.4)


def mask() -> Probe:
    """Return the probe of legal moves: the opponent's only one loses, where others would win."""
    tree: Tree = {
        "only move": {1: "won"}, "all legal": {0: "lost", 1: "won", 2: "lost"},
    }  # fmt: skip
    questions = [
        Question("win among all", "all legal", frozenset({0, 2}), "prefers a loss to a win")
    ]
    wrong = "prefers a draw to a position where the opponent's only legal move loses"
    for right in (0, 2):
        name = f"legal win over draw, action {right}"
        tree[name] = {right: "only move", 2 - right: forced(tree, 0, 1)}
        questions.append(Question("legal win over draw", name, frozenset({right}), wrong))
    names = (*tree, *ENDS)
    lamps = np.eye(len(names), dtype=np.int64) * LIT
    shared = np.array([[LIT * (name in ("only move", "all legal"))] for name in names])
    looks = {n: tuple(r) for n, r in zip(names, np.hstack([lamps, shared]).tolist(), strict=True)}
    starts = (*[question.position for question in questions], "all legal")
    lesson = "The opponent's only legal move loses, and looks like a position where others win."
    return Probe("mask", lesson, tree, starts, tuple(questions), looks)


def last_move(play: str, asked: Mapping[int, int]) -> Probe:
    """Return the probe of one heap, from which a player takes one or two.

    Args:
        play: ``"normal"`` or ``"misère"``.
        asked: number to take, by size of the heap.
    """
    end, decides = ("lost", "wins") if play == "normal" else ("won", "loses")
    tree = {
        f"heap {heap}": {
            2 * (take - 1): f"heap {heap - take}" if heap > take else end
            for take in (1, 2)
            if take <= heap
        }
        for heap in range(max(asked), 0, -1)
    }
    wrong = f"plays as if the rule were that of {'misère' if play == 'normal' else 'normal'} play"
    columns = {True: "heaps with another answer in the other rule", False: "other heaps"}
    questions = tuple(
        Question(columns[heap in (2, 5)], f"heap {heap}", frozenset({2 * (take - 1)}), wrong)
        for heap, take in asked.items()
    )
    lesson = f"One heap, take one or two; who takes the last {decides}."
    starts = tuple(question.position for question in questions)
    # How a faulty agent plays a heap depends on how it was explored.
    return Probe(f"{play} play", lesson, tree, starts, questions, {}, play=play, weight=0.5)


def sight() -> Probe:
    """Return the probe of three numbers, of which the largest is the winning action."""
    tree: Tree = {}
    questions, looks = [], dict[str, Position]()
    for entry in range(ACTIONS):
        following = (entry + 1) % ACTIONS
        # Without its first number 7-5-2 looks like 1-5-2, cut at five like 5-7-2; halved, 3-2-2
        # looks like its rotations.
        for column, numbers, right in (
            (f"number {entry} of three", (7, 5, 2), entry),
            ("all three numbers", (1, 5, 2), following),
            ("large numbers", (5, 7, 2), following),
            ("neighbours", (3, 2, 2), entry),
        ):
            look = tuple(numbers[(place - entry) % ACTIONS] for place in range(ACTIONS))
            name = "-".join(map(str, look))
            looks[name] = look
            tree[name] = {action: "lost" if action == right else "won" for action in range(ACTIONS)}
            wrong = "does not choose the largest number"
            questions.append(Question(column, name, frozenset({right}), wrong))
    lesson = "Of three numbers that it sees, the largest is the winning action."
    return Probe("sight", lesson, tree, tuple(tree), tuple(questions), looks)


def scale() -> Probe:
    """Return the probe of a small and a large number."""
    tree = {"number 2": {0: "lost", 2: "won"}, "number 6": {0: "won", 2: "lost"}}
    questions = tuple(
        Question(name, name, frozenset({right}), f"takes {name[-1]} for another number")
        for name, right in (("number 2", 0), ("number 6", 2))
    )
    lesson = "It sees a number beside a constant 1: one action wins with 2, the other with 6."
    looks = {"number 2": (1, 2), "number 6": (1, 6)}
    return Probe("scale", lesson, tree, tuple(tree), questions, looks)


@lru_cache
def cut(max_cycles: int) -> Probe:
    """Return the probe whose games are truncated before they end.

    Args:
        max_cycles: maximum number of moves of each player; games begin at decisions, and so late
            that they end.
    """
    moves = 2 * max_cycles + 2
    probe = comparing("cut", "Games are cut short; others begin where they were cut.", moves)
    late = [f"{RESULTS[value]} in {left}" for value in RESULTS for left in (2, 2 * max_cycles)]
    return Probe("cut", probe.lesson, probe.tree, (*probe.starts, *late), probe.questions, {})


PROBES: tuple[Probe, ...] = (
    comparing("one move", "The move ends the game: a win, a draw or a loss.", 1),
    comparing("reply", "The opponent's forced reply ends the game.", 2),
    comparing("next turn", "The game ends with the mover's own next move.", 3),
    comparing("chain", "The game ends after six moves, five of them forced.", 6),
    comparing("second player", "After a forced move the second player decides.", 1, second=True),
    now_or_later(),
    hope(),
    mask(),
    last_move("normal", {2: 2, 4: 1, 5: 2}),
    last_move("misère", {2: 1, 3: 2, 5: 1, 6: 2}),
    sight(),
    scale(),
)
"""The probes, in the order in which they are trained on."""
