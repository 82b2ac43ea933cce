"""Random games, which no book solves: octal codes, graphs, and games with their own rules."""

from collections.abc import Callable, Iterator
from functools import wraps

import numpy as np

from nim_envs.game import Game
from nim_envs.games.words import listed
from nim_envs.own_games import game_from_moves
from nim_envs.registry import make_game
from nim_envs.text.exam.truth import truth_of
from nim_envs.text.language import Language, as_language

LEAST_POSITIONS = 50
"""Least N-positions of a random game."""

RANDOM_PERCENTS = (10.0, 55.0)
"""Least and greatest score of random moves in a random game, in percent."""

HEIGHT = 16
"""Size of the boards of games with rules of their own, in each direction."""

Coordinates = tuple[int, ...]
Moves = Iterator[tuple[str, Coordinates]]
Draw = Callable[[np.random.Generator], Language]


def _until_fit(draw: Callable[[np.random.Generator], Game | Language | None]) -> Draw:
    """Return a function that draws until there is a game, and that is fit for the exam."""

    @wraps(draw)
    def draw_until_fit(rng: np.random.Generator) -> Language:
        while True:
            game = draw(rng)
            if game is not None and _is_fit(language := as_language(game)):
                return language

    return draw_until_fit


def _is_fit(language: Language) -> bool:
    """Return whether a game has enough N-positions, neither too hard nor too easy to guess."""
    truth = truth_of(language.game, "reachable")
    if len(truth.positions) < LEAST_POSITIONS:
        return False
    low, high = RANDOM_PERCENTS
    return bool(low <= truth.random_percent.mean() <= high)


@_until_fit
def octal_game(rng: np.random.Generator) -> Game | None:
    """Draw an octal code of four digits, and a heap.

    Lists of who wins end at codes of three digits (E. Berlekamp, J. Conway, R. Guy, *Winning Ways*,
    chapter 4). Grundy values of all heaps are computed by mex, and with them a position is lost
    exactly if their nim-sum is 0: the theorem of Sprague and Grundy.
    """
    digits = rng.integers(0, 8, size=4)
    if digits[-1] == 0 or not (digits >= 4).any() or np.count_nonzero(digits) < 3:
        return None
    code = "0." + "".join(map(str, digits.tolist()))
    game = make_game("octal", code=code, heaps=(int(rng.integers(11, 15)),))
    return None if game.is_over(game.start) else game


@_until_fit
def graph_game(rng: np.random.Generator) -> Game:
    """Draw a graph of 14 nodes, each with arrows to one to three nodes, and two tokens on it.

    The numbers of the nodes do not show the way to the end.
    """
    nodes = 14
    names = rng.permutation(nodes).tolist()
    successors: list[tuple[int, ...]] = [()] * nodes
    for node in range(1, nodes):
        degree = min(node, int(rng.integers(1, 4)))
        targets = rng.permutation(node)[:degree].tolist()
        successors[names[node]] = tuple(sorted(names[target] for target in targets))
    return make_game(
        "graph", successors=tuple(successors), tokens=(names[nodes - 1], names[nodes - 2])
    )


@_until_fit
def steps_game(rng: np.random.Generator) -> Language:
    """Draw a game with a piece on a board that makes one of four steps towards the corner."""
    every = [(left, down) for left in range(4) for down in range(4) if left + down]
    steps = sorted(every[index] for index in rng.permutation(len(every))[:4].tolist())

    def moves(position: Coordinates) -> Moves:
        column, row = position
        for left, down in steps:
            if left <= column and down <= row:
                yield f"left {left} down {down}", (column - left, row - down)

    ways = ", ".join(f"{left} to the left and {down} down" for left, down in steps)
    words = (
        f"The piece stands at (column, row). In each turn make one of these steps: {ways}. "
        "Neither number may fall below 0. A move names the step, as in left 2 down 1"
    )
    game = game_from_moves("steps", (HEIGHT, HEIGHT - 2), moves, kind="piece")
    return Language(game, rules=words)


@_until_fit
def exchange_game(rng: np.random.Generator) -> Language:
    """Draw a game with red and blue stones, in which blue ones can be turned into red ones."""
    red, blue, painted = (sorted((rng.permutation(5)[:2] + 1).tolist()) for _ in range(3))

    def moves(position: Coordinates) -> Moves:
        reds, blues = position
        for count in red:
            if count <= reds:
                yield f"remove {count} red", (reds - count, blues)
        for count in blue:
            if count <= blues:
                yield f"remove {count} blue", (reds, blues - count)
        for count in painted:
            if count <= blues and reds + count <= HEIGHT:
                yield f"paint {count} blue", (reds + count, blues - count)

    words = (
        "The pile has red and blue stones, given as (red, blue). In each turn remove "
        f"{_either(red)} red stones, or remove {_either(blue)} blue stones, or paint "
        f"{_either(painted)} blue stones red, as long as there are at most {HEIGHT} red ones"
    )
    game = game_from_moves("exchange", (HEIGHT // 2, HEIGHT // 2), moves, kind="pile")
    return Language(game, rules=words)


@_until_fit
def number_game(rng: np.random.Generator) -> Language:
    """Draw a game with a number, which is divided, or from which one of three is subtracted."""
    amounts = sorted((rng.permutation(9)[:3] + 1).tolist())
    divisor = int(rng.integers(2, 5))

    def moves(position: Coordinates) -> Moves:
        (number,) = position
        for count in amounts:
            if count <= number:
                yield f"minus {count}", (number - count,)
        if number >= divisor:
            yield "divide", (number // divisor,)

    words = (
        f"The counter shows a number. In each turn subtract {_either(amounts)}, which is written "
        f"as in minus {amounts[0]}, or divide by {divisor} and drop the remainder, which is "
        f"written divide and takes a number of at least {divisor}. It may not fall below 0"
    )
    game = game_from_moves("number", (int(rng.integers(130, 170)),), moves, kind="counter")
    return Language(game, rules=words)


def _either(numbers: list[int]) -> str:
    """``"1, 2 or 3"``."""
    return listed([str(number) for number in numbers], "or")
