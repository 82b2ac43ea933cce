"""Games on boards and graphs: queens, pairs of numbers, bars, dominoes, nodes and tokens."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, product
from math import comb

import numpy as np

from nim_envs import theorems
from nim_envs.errors import InvalidGameError
from nim_envs.game import Game, Theorem
from nim_envs.games import words as say
from nim_envs.graph import LARGEST_TABLE, Part, Picture, Words, check_table
from nim_envs.listing import cell_moves, part_from_moves, part_of_vectors, shared
from nim_envs.typing import IntArray, Position
from nim_envs.validation import checked_integer, checked_integers, checked_pairs, is_listing


@shared
def queen(files: int, ranks: int) -> Part:
    """A queen on a board; its options move left by 1, 2 and so on, then down, then diagonally."""
    both = min(files, ranks)
    check_table("a queen", (files + 1) * (ranks + 1), files + ranks + both)
    steps = [(n, 0) for n in range(1, files + 1)]
    steps += [(0, n) for n in range(1, ranks + 1)]
    steps += [(n, n) for n in range(1, both + 1)]

    def square(step: tuple[int, int], position: Position) -> tuple[int, int]:
        return position[0] - step[0], position[1] - step[1]

    def describe(step: tuple[int, int], position: Position | None) -> str:
        direction = "diagonally" if all(step) else "down" if step[1] else "left"
        move = f"move {direction} {max(step)}"
        return move if position is None else f"{move}, to {square(step, position)}"

    words = Words(
        "queen",
        describe,
        "move any number of squares left (towards column 0), down (towards row 0) or "
        "diagonally (both at once, equally far); a queen is at (column, row)",
        numbers=square,
        states_result=True,
    )
    picture = Picture("piece", ("file", "rank"))
    return part_of_vectors((files + 1, ranks + 1), steps, steps, words, picture)


def wythoff(queens: Sequence[Sequence[int]]) -> Game:
    """Wythoff's game: move a queen left, down, or diagonally left and down.

    A queen moves any number of squares, and never away from the corner (0, 0), where it has no move
    left. Seen as heaps, a queen on (3, 5) is a heap of 3 and one of 5 objects: take any number from
    one of them, or the same number from both. Several queens stand on boards of their own.

    In normal play the lost squares of one queen are (0, 0), (1, 2), (3, 5), (4, 7), (6, 10) and so
    on: (⌊nφ⌋, ⌊nφ⌋ + n) for n = 0, 1, 2, ..., where φ is the golden ratio, and their mirror images.

    Args:
        queens: square of each queen at the start, a pair of file and rank; at least 0 each.

    References:
        *Winning Ways*, ch. 3 "Wyt Queens".

    Example:
        >>> wythoff(queens=((8, 8),)).describe(2, (8, 8))
        'move left 3, to (5, 8)'
    """
    squares = checked_pairs("queens", queens)
    theorem = Theorem("Wythoff's theorem", theorems.wythoff) if len(squares) == 1 else None
    parts = tuple(queen(file, rank) for file, rank in squares)
    return Game("wythoff", parts, tuple(chain(*squares)), theorem=theorem)


def euclid_moves(pair: Position) -> Iterator[tuple[int, Position]]:
    """Subtract a multiple of the smaller number from the larger one, of equal ones the first."""
    first, second = pair
    small = min(pair)
    for times in range(1, max(pair) // small + 1 if small else 1):
        lower = times * small
        yield times, (first - lower, second) if first >= second else (first, second - lower)


def subtract_multiple(times: int, pair: Position | None) -> str:
    """Return the subtraction of a multiple of the smaller of two numbers in words."""
    after = {} if pair is None else dict(euclid_moves(pair))
    if pair is None or times not in after:
        return f"subtract {times} times the smaller number"
    return f"subtract {times} times {min(pair)}, leave {after[times]}"


@shared
def number_pair(first: int, second: int) -> Part:
    """Two numbers up to ``first`` and ``second``; option ``j`` subtracts a multiple, ``j + 1``."""
    check_table("a pair", (first + 1) * (second + 1), max(first, second))
    words = Words(
        "pair",
        subtract_multiple,
        "subtract a multiple of the smaller number from the larger one, not below 0",
        numbers=say.itself,
        states_result=True,
    )
    pairs = product(range(first + 1), range(second + 1))
    multiples = range(1, max(first, second) + 1)
    return part_from_moves((0, 0), euclid_moves, words, positions=pairs, actions=multiples)


def euclid(pairs: Sequence[Sequence[int]]) -> Game:
    """The game of Euclid: subtract a multiple of the smaller number from the larger one.

    A move subtracts the smaller number once or several times; the result must not be negative. Of
    two equal numbers the first becomes 0. A pair with a 0 has no move.

    In normal play a single pair is lost if a number is 0, or if the ratio of the larger number to
    the smaller one is above 1 and below the golden ratio.

    Args:
        pairs: two numbers for each pair at the start; at least 1 each.

    Example:
        >>> euclid(pairs=((60, 22),)).describe(1, (60, 22))
        'subtract 2 times 22, leave (16, 22)'
    """
    numbers = checked_pairs("pairs", pairs, minimum=1)
    theorem = None
    if len(numbers) == 1:
        theorem = Theorem("Cole and Davie's theorem", theorems.euclid, misere=False)
    parts = tuple(number_pair(first, second) for first, second in numbers)
    return Game("euclid", parts, tuple(chain(*numbers)), theorem=theorem)


def chomp_moves(columns: int, bars: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Bite at a square, with all below it and to its right; never at the poisoned one, (0, 0).

    ``bars`` are the squares left in each row, ``(n, rows)``; moves are given as arrays.
    """
    rows = bars.shape[1]
    row, column = np.divmod(np.arange(1, rows * columns), columns)
    bar, square = np.nonzero(bars[:, row] > column)
    eaten = np.arange(rows) >= row[square, np.newaxis]
    before = bars[bar]
    after = np.where(eaten, np.minimum(before, column[square, np.newaxis]), before)
    return bar, square + 1, after


@shared
def chocolate_bar(rows: int, columns: int) -> Part:
    """A bar of squares; its options are bites at them, row by row.

    The coordinates are the squares left in each row; no row is longer than the one above it.
    """
    bars = comb(rows + columns, rows) - 1
    check_table("a bar", bars, rows * columns)
    words = Words(
        "bar",
        lambda square, _: f"bite at {divmod(square, columns)}",
        "bite at a square (row, column), but not at (0, 0), which removes all squares from that "
        "row and column on; a bar is given by the number of squares in each row",
        numbers=lambda square, _: divmod(square, columns),
    )
    return part_from_moves(
        (columns,) * rows,
        partial(chomp_moves, columns),
        words,
        Picture("rows"),
        actions=range(rows * columns),
        limit=bars,
        vectorized=True,
    )


def chomp(rows: int, columns: int) -> Game:
    """Chomp: bite a square off a bar, with all squares below it and to its right.

    The square (0, 0), above and to the left of all others, is poisoned. No move eats it, so in
    normal play whoever is left with it alone has lost.

    In normal play the first player wins on every rectangle of two squares or more, by strategy
    stealing: biting off the last square wins, or some answer to it does, which the first player
    could have made at once. No general rule for the winning move is known. On a square bar it is
    (1, 1). A bar of two rows is lost exactly if the first one is longer by one square.

    Args:
        rows: number of rows; at least 2, as one row is a heap of Nim.
        columns: number of columns; at least 2.

    References:
        F. Schuh, "Spel van delers", *Nieuw Tijdschrift voor Wiskunde* 39 (1952), 299-304.

    Example:
        >>> chomp(rows=3, columns=4).describe(6)
        'bite at (1, 2)'
    """
    height = checked_integer("rows", rows, minimum=2)
    width = checked_integer("columns", columns, minimum=2)
    theorem = None
    if min(height, width) == 2:
        theorem = Theorem("Gale's theorem on two rows", theorems.chomp, misere=False)
    return Game("chomp", (chocolate_bar(height, width),), (width,) * height, theorem=theorem)


@shared
def domino_board(rows: int, columns: int) -> Part:
    """A board of cells; its options are the horizontal dominoes, then the vertical ones.

    Its coordinates are 1 for each cell that is covered, row by row, and 0 for each free one. Its
    positions are the boards that play reaches.
    """
    cells = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([cells[:, :-1], cells[:, 1:]], axis=-1).reshape(-1, 2)
    down = np.stack([cells[:-1], cells[1:]], axis=-1).reshape(-1, 2)
    dominoes = np.concatenate([across, down])
    covered = np.zeros((len(dominoes), cells.size), dtype=np.bool_)
    covered[np.arange(len(dominoes))[:, np.newaxis], dominoes] = True
    named = [(divmod(one, columns), divmod(other, columns)) for one, other in dominoes.tolist()]
    words = Words(
        "board",
        lambda option, _: "cover {} and {}".format(*named[option]),
        "cover two free neighbouring cells, each named (row, column); a board is given row by "
        "row, 0 for a free cell and 1 for any other",
        numbers=lambda option, _: (*named[option][0], *named[option][1]),
        is_unordered=True,
    )
    return part_from_moves(
        (0,) * cells.size,
        partial(cell_moves, covered, covered),
        words,
        Picture("cells", board=(rows, columns)),
        actions=range(len(dominoes)),
        limit=LARGEST_TABLE,
        vectorized=True,
    )


def cram(rows: int, columns: int) -> Game:
    """Cram: cover two free neighbouring cells of a board with a domino.

    Both players may place it horizontally or vertically.

    In normal play, with an even number of rows and of columns, the second player wins by answering
    each domino with its image under point reflection in the centre. If one of the numbers is even,
    the first player wins: by the domino in the centre, then by such answers. If both are odd and
    greater than 1, no rule is known. One row of *n* cells is Dawson's Kayles with a heap of *n*.
    The Grundy value of two rows is 0 if the number of columns is even, else 1.

    Args:
        rows: number of rows; at least 1.
        columns: number of columns; at least 1, and 2 if there is one row.

    References:
        M. Gardner, "Mathematical games", *Scientific American* 230 (1974), no. 2; *Winning Ways*,
        ch. 15; M. Schneider, *Das Spiel Juvavum* (2009); J. Lemoine and S. Viennot, "Nimbers are
        inevitable", *Theoretical Computer Science* 462 (2012), 70-79.

    Example:
        >>> cram(rows=2, columns=3).describe(5)
        'cover (0, 1) and (1, 1)'
    """
    height = checked_integer("rows", rows, minimum=1)
    width = checked_integer("columns", columns, minimum=1)
    if height * width < 2:
        raise InvalidGameError("a board must have at least 2 cells, for a domino to fit in")
    return Game("cram", (domino_board(height, width),), (0,) * (height * width))


@shared
def node_set(nodes: int, edges: tuple[tuple[int, int], ...]) -> Part:
    """The nodes of a graph; option ``j`` takes node ``j``, which must be free, and its neighbours.

    Edges are pairs of nodes, the smaller one first, in ascending order, each once.
    """
    needed = np.eye(nodes, dtype=np.bool_)
    taken = needed.copy()
    for one, other in edges:
        taken[one, other] = taken[other, one] = True
    pairs = "; ".join(f"{one} and {other}" for one, other in edges)
    words = Words(
        "graph",
        lambda node, _: f"take node {node}",
        "take a free node and all of its neighbours; a graph is given node by node, 0 for a "
        "free node and 1 for any other",
        details=f"Neighbours are nodes {pairs}" if pairs else "No nodes are neighbours",
    )
    return part_from_moves(
        (0,) * nodes,
        partial(cell_moves, needed, taken),
        words,
        Picture("nodes", edges=edges),
        actions=range(nodes),
        limit=LARGEST_TABLE,
        vectorized=True,
    )


def node_kayles(nodes: int, edges: Sequence[Sequence[int]]) -> Game:
    """Node Kayles: take a node of a graph, with all of its neighbours.

    Play goes on until no node is left.

    A path of *n* nodes has the Grundy value of a heap of *n* in Dawson's chess, or of *n* + 1 in
    Dawson's Kayles. Every move on a cycle of *n* nodes leaves a path of *n* − 3, so the Grundy
    value of the cycle is 1 if that of the path is 0, else 0. To decide who wins on a given graph is
    PSPACE-complete.

    Args:
        nodes: number of nodes, which are numbered from 0; at least 1.
        edges: pairs of different nodes; a pair in either order is the same edge.

    References:
        T. J. Schaefer, "On the complexity of some two-person perfect-information games", *Journal
        of Computer and System Sciences* 16 (1978), 185-225; H. L. Bodlaender and D. Kratsch,
        "Kayles and nimbers", *Journal of Algorithms* 43 (2002), 106-119; *Winning Ways*, ch. 4.
    """
    count = checked_integer("nodes", nodes, minimum=1)
    pairs = checked_pairs("edges", edges, min_pairs=0)
    for index, pair in enumerate(pairs):
        if max(pair) >= count or pair[0] == pair[1]:
            raise InvalidGameError(
                f"edges[{index}] must be two different nodes from 0 to {count - 1}, not {pair}"
            )
    distinct = sorted({(min(pair), max(pair)) for pair in pairs})
    return Game("node_kayles", (node_set(count, tuple(distinct)),), (0,) * count)


@shared
def token(successors: tuple[tuple[int, ...], ...]) -> Part:
    """A token on a graph; option ``j`` moves it along the ``j``-th edge out of its node."""
    options = max(map(len, successors))
    after = np.full((len(successors), options), -1, dtype=np.int32)
    for node, targets in enumerate(successors):
        after[node, : len(targets)] = targets
    arrows = "; ".join(
        f"from node {node} to {say.listed([*map(str, targets)], 'and')}"
        for node, targets in enumerate(successors)
        if targets
    )

    def describe(edge: int, position: Position | None) -> str:
        if position is None or edge >= len(successors[position[0]]):
            return f"move along edge {edge}"
        return f"move to {successors[position[0]][edge]}"

    words = Words(
        "token",
        describe,
        "move along one arrow",
        numbers=lambda edge, token: (successors[token[0]][edge],),
        state=("is on node {}", "is on node {}"),
        details=f"Arrows lead {arrows}" if arrows else "There is no arrow",
        names_states=True,
    )
    nodes = np.arange(len(successors))[:, np.newaxis]
    part = Part(nodes, after, range(options), words, Picture("graph"))
    _ = part.longest_play  # it raises an error for a cycle
    return part


def graph(successors: Sequence[Sequence[int]], tokens: Sequence[int]) -> Game:
    """A graph game: move one token along an edge of a directed acyclic graph.

    Several tokens may be on one node. A token on a node without an edge out of it cannot move.

    Args:
        successors: for each node a list of the nodes that its outgoing edges lead to.
        tokens: node of each token at the start.

    References:
        R. P. Sprague, "Über mathematische Kampfspiele", *Tôhoku Mathematical Journal* 41 (1935);
        *Winning Ways*, ch. 3 and 12.

    Example:
        >>> graph(successors=((), (0,), (0, 1)), tokens=(2, 1)).describe(1, (2, 1))
        'token 0: move to 1'
    """
    lists = [*successors] if is_listing(successors) else []
    if not lists:
        raise InvalidGameError(
            "successors must be a list of the nodes that can be moved to from each node, for one "
            f"node at least, not {successors!r}"
        )
    last = len(lists) - 1
    nodes = [
        checked_integers(f"successors[{node}]", targets, 0, last, or_none=True)
        for node, targets in enumerate(lists)
    ]
    for node, targets in enumerate(nodes):
        if len(set(targets)) < len(targets):
            raise InvalidGameError(
                f"successors[{node}] must name every node once, not {list(targets)}"
            )
    start = checked_integers("tokens", tokens, 0, last)
    return Game("graph", (token(tuple(nodes)),) * len(start), start)
