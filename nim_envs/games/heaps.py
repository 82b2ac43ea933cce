"""Games on heaps: Nim and its kin, the addition game, and heaps that split."""

from collections.abc import Iterator, Sequence, Set
from functools import partial
from itertools import combinations, product
from math import prod

import numpy as np

from nim_envs import theorems
from nim_envs.game import Game, Theorem
from nim_envs.games import words as say
from nim_envs.games.octal_codes import (
    LEAVE_ONE,
    LEAVE_TWO,
    WHOLE,
    HeapGame,
    heap_game,
    octal_game,
)
from nim_envs.graph import Part, Picture, Words, check_table
from nim_envs.listing import part_from_moves, part_of_vectors, shared
from nim_envs.typing import BoolArray, IntArray, Position
from nim_envs.validation import checked_integer, checked_integers


@shared
def heap(size: int, amounts: Sequence[int]) -> Part:
    """A heap of up to ``size`` objects; each option takes one of ``amounts``, ascending."""
    move = f"take {say.objects(amounts)}" if amounts else "there is no move"
    if amounts and len(amounts) == size:
        move = "take any number of objects"
    words = Words("heap", say.take, move, numbers=say.itself, state=say.HEAP)
    return part_of_vectors((size + 1,), amounts, amounts, words, Picture("heap"))


def nim(heaps: Sequence[int], max_take: int | None = None) -> Game:
    """Nim: take any number of objects from one heap, at most ``max_take`` if that is given.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        max_take: most objects that one move may take (*bounded Nim*); ``None``: no bound.

    Example:
        >>> nim(heaps=(3, 4, 5)).board.num_actions
        15
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    bound = max(sizes) if max_take is None else checked_integer("max_take", max_take, minimum=1)
    parts = tuple(heap(size, range(1, min(size, bound) + 1)) for size in sizes)
    theorem = Theorem("Bouton's theorem", theorems.bouton) if bound >= max(sizes) else None
    return Game("nim", parts, sizes, theorem=theorem)


def subtraction(heaps: Sequence[int], subtraction_set: Sequence[int]) -> Game:
    """A subtraction game: take an amount of the subtraction set from one heap.

    A heap with fewer objects than the smallest amount has no move; so if 1 is not in the set,
    objects can be left at the end.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        subtraction_set: amounts that one move may take; at least 1 each, in any order.

    References:
        Berlekamp, Conway & Guy, *Winning Ways*, ch. 4 "Subtraction games".
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    given = [*subtraction_set] if isinstance(subtraction_set, Set) else subtraction_set
    amounts = sorted({*checked_integers("subtraction_set", given, minimum=1)})
    parts = (heap(size, tuple(each for each in amounts if each <= size)) for size in sizes)
    return Game("subtraction", tuple(parts), sizes)


@shared
def total(k: int, n: int) -> Part:
    """A running total; each option adds 1 to ``k``, while the total is at most ``n``."""
    check_table("a total", n + k + 1, k)
    totals, numbers = np.arange(n + k + 1)[:, np.newaxis], np.arange(1, k + 1)
    move = f"add {say.any_of(numbers.tolist())}, until the total is over {n}"
    phrases = "stands at {}", "stands at {}"
    who_wins = (
        f"whoever takes the total over {n} wins, so whoever reaches exactly {n} loses",
        f"whoever takes the total over {n} loses, so whoever reaches exactly {n} wins",
    )
    words = Words("total", say.add, move, numbers=say.itself, state=phrases, who_wins=who_wins)
    after = np.where(totals <= n, totals + numbers, -1)
    return Part(totals, after, numbers.tolist(), words, Picture("track"))


def addition(k: int, n: int) -> Game:
    """The addition game: from a total of 0, add 1 to ``k`` until it exceeds ``n``.

    Every move may add any of the ``k`` numbers, so totals up to ``n + k`` occur. In the game of the
    reference, the player who makes the total exceed ``n`` loses: this is misère play, as that
    player has made the last move.

    Args:
        k: largest number that one move may add; at least 1.
        n: the limit; at least 0.

    References:
        D. Blackwell & M. A. Girshick, *Theory of Games and Statistical Decisions* (1954).
    """
    most = checked_integer("k", k, minimum=1)
    limit = checked_integer("n", n, minimum=0)
    theorem = Theorem("Blackwell and Girshick's theorem", partial(addition_wins, most, limit))
    return Game("addition", (total(most, limit),), (0,), misere=True, theorem=theorem)


def addition_wins(k: int, n: int, totals: IntArray, misere: bool) -> BoolArray:
    """Return which totals, ``(..., 1)``, are N-positions of the addition game.

    P-positions of normal play: ``n + 1`` less the total is a multiple of ``k + 1``, or the total is
    over ``n``. Misère play, in which a total over ``n`` is won: ``n`` less the total is one.
    """
    left = np.maximum(n + 1 - totals[..., 0], 0)
    if not misere:
        return np.asarray(left % (k + 1) != 0)
    return np.asarray((left == 0) | (left % (k + 1) != 1))


@shared
def splitting_heap(game: HeapGame, size: int) -> Part:
    """A heap of up to ``size`` objects; an option takes some and may split the rest.

    An option is a number of objects to take and the size of the smaller of two heaps left, 0 if
    one heap or none is left. The larger heap stays in its slot. A heap that a move leaves without a
    move is removed at once: this frees its slot and does not change who wins.
    """
    moves: list[tuple[int, int]] = []
    for taken in range(size + 1):
        digit, left = game.digit(taken), size - taken
        is_one = (digit & WHOLE and taken) or (digit & LEAVE_ONE and left)
        most = max(left - game.unequal, 0) // 2 if digit & LEAVE_TWO else 0
        parts = range(0 if is_one else 1, most + 1)
        check_table(f"a heap of {size} objects in {game.name}", size + 1, len(moves) + len(parts))
        moves += [(taken, least) for least in parts]
    take, part = np.array(moves, dtype=np.int32).reshape(-1, 2).T
    bits = np.array([game.digit(taken) for taken, _ in moves], dtype=np.int32)
    sizes = np.arange(size + 1, dtype=np.int32)[:, np.newaxis]
    rest = sizes - take
    legal = (bits & WHOLE > 0) & (part == 0) & (rest == 0) & (take > 0)
    legal |= (bits & LEAVE_ONE > 0) & (part == 0) & (rest > 0)
    legal |= (bits & LEAVE_TWO > 0) & (part > 0) & (rest >= 2 * part + game.unequal)
    has_move = legal.any(axis=1)
    larger, smaller = np.where(legal, rest - part, 0), np.where(legal, part, 0)
    larger, smaller = larger * has_move[larger], smaller * has_move[smaller]
    first, second = np.where(larger > 0, larger, smaller), np.where(larger > 0, smaller, 0)
    takes_objects = any(game.digits[1:])

    def removed(move: tuple[int, int], position: Position) -> str:
        left = [heap for heap in (move[1], position[0] - sum(move)) if heap]
        dead = [heap for heap in left if not has_move[heap]]
        if len(dead) == 2:
            return "neither has a move, so both are removed"
        return f"the {dead[0]} left has no move and is removed" if dead else ""

    def numbers(move: tuple[int, int], position: Position) -> tuple[int, ...]:
        taken, part = move
        if not takes_objects:
            return (part,)
        return (taken, part) if part else (taken,)

    words = Words(
        "heap",
        say.split,
        say.ways_to_split(game, size),
        removed,
        numbers,
        say.HEAP,
        is_unordered=True,
    )
    seconds = second if second.any() else None
    picture = Picture("pins" if any(digit & LEAVE_TWO for digit in game.digits[1:]) else "slots")
    return Part(sizes, np.where(legal, first, -1), moves, words, picture, seconds)


def heap_game_of(part: Part) -> HeapGame | None:
    """Return the rule of a heap that may split; ``None`` of another part."""
    if part.made_by is None or part.made_by[0] is not splitting_heap:
        return None
    game: HeapGame = part.made_by[1][0]
    return game


def heap_rules(game: HeapGame, heaps: Sequence[int], name: str) -> Game:
    """Return a game on heaps that may split, with as many slots as there can be heaps at a time."""
    sizes = checked_integers("heaps", heaps, minimum=0)
    part = splitting_heap(game, max(sizes))
    needed = 0 if part.second is None else int(part.slots_needed[list(sizes)].sum())
    slots = max(needed, len(sizes))
    return Game(name, (part,) * slots, sizes + (0,) * (slots - len(sizes)))


def octal(code: str, heaps: Sequence[int]) -> Game:
    """An octal game: take objects from one heap, and leave nothing, one heap or two.

    A position has as many slots as there can be heaps at the same time: those of the heaps at the
    start, then empty ones.

    Args:
        code: a code such as ``"0.77"``; see :func:`nim_envs.games.octal_codes.octal_game`.
        heaps: objects in each heap at the start; at least 0 each.

    References:
        R. K. Guy and C. A. B. Smith, "The G-values of various games", *Proceedings of the
        Cambridge Philosophical Society* 52 (1956), 514-526; *Winning Ways*, ch. 4.

    Example:
        >>> game = octal(code="0.77", heaps=(5,))
        >>> after = game.board.move(game.board.state(game.start), 4)
        >>> game.start, game.describe(4, game.start), game.board.position(after)
        ((5, 0, 0), 'heap 0: take 2, leave 1 and 2', (2, 1, 0))
    """
    return heap_rules(octal_game(code), heaps, "octal")


def kayles(heaps: Sequence[int]) -> Game:
    """Kayles (0.77): knock down one pin of a row, or two adjacent pins.

    The pins on either side are then separate rows; ``heaps`` are the pins in each row.

    References:
        H. E. Dudeney, *The Canterbury Puzzles* (1907), no. 73; *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("kayles"), heaps, "kayles")


def dawsons_kayles(heaps: Sequence[int]) -> Game:
    """Dawson's Kayles (0.07): knock down two adjacent pins of a row.

    The pins on either side are then separate rows. A pin that a move leaves without a neighbour is
    removed.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_kayles"), heaps, "dawsons_kayles")


def dawsons_chess(heaps: Sequence[int]) -> Game:
    """Dawson's chess (0.137): remove an object of a row, and its neighbours.

    The objects on either side are then separate rows. The original is played with pawns on a board
    of three ranks, where a move on a file ends play on the files beside it; an object stands for a
    file. Dawson posed it in misère play.

    References:
        T. R. Dawson, *Caissa's Wild Roses* (1935), problem 80; *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_chess"), heaps, "dawsons_chess")


def officers(heaps: Sequence[int]) -> Game:
    """Officers (0.6): take one object of a heap, and split the others in two or not.

    At least one object must be left, so a heap of one cannot be taken.

    References:
        R. K. Guy, "Unsolved problems in combinatorial games", in *Games of No Chance* (1996).
    """
    return heap_rules(heap_game("officers"), heaps, "officers")


def grundy(heaps: Sequence[int]) -> Game:
    """Grundy's game: split a heap into two heaps of different sizes.

    Heaps of one or two objects cannot be split, and are removed.

    References:
        P. M. Grundy, "Mathematics and games", *Eureka* 2 (1939), 6-8.
    """
    return heap_rules(heap_game("grundy"), heaps, "grundy")


def splitting(heaps: Sequence[int]) -> Game:
    """The splitting game (4.0): split a heap into two heaps of any sizes.

    A heap of one object cannot be split, and is removed.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("splitting"), heaps, "splitting")


def laskers_nim(heaps: Sequence[int]) -> Game:
    """Lasker's Nim (4.(3)): take any number of objects of a heap, or split it in two.

    The Grundy value of a heap is its size, except that 3 and 4 are exchanged, as are 7 and 8, and
    so on.

    References:
        E. Lasker, *Brettspiele der Völker* (1931); *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("laskers_nim"), heaps, "laskers_nim")


@shared
def heap_group(sizes: tuple[int, ...], k: int) -> Part:
    """A group of heaps; a move takes objects from at least one and at most ``k`` of them.

    An option is an amount for each heap. Options are sorted by the number of heaps taken from, then
    by these heaps, then by the amounts.
    """
    amounts: list[tuple[int, ...]] = []
    positions = prod(size + 1 for size in sizes)
    for count in range(1, k + 1):
        for chosen in combinations(range(len(sizes)), count):
            ways = prod(sizes[place] for place in chosen)
            check_table("a group of heaps", positions, len(amounts) + ways)
            taken = (
                range(1, size + 1) if place in chosen else (0,) for place, size in enumerate(sizes)
            )
            amounts += product(*taken)
    heaps = "one heap" if k == 1 else f"each of 1 to {k} heaps"

    def describe(amounts: tuple[int, ...], position: Position | None) -> str:
        parts = [f"{taken} from heap {heap}" for heap, taken in enumerate(amounts) if taken]
        return f"take {' and '.join(parts)}"

    words = Words(
        "group",
        describe,
        f"take any number of objects from {heaps}; heaps are numbered from 0, and a group is "
        "given by the number of objects in each heap",
        numbers=lambda amounts, _: amounts,
        is_unordered=True,
    )
    sides = [size + 1 for size in sizes]
    return part_of_vectors(sides, amounts, amounts, words, Picture("coins"))


def moores_nim(heaps: Sequence[int], k: int) -> Game:
    """Moore's Nim: take any number of objects from each of up to ``k`` heaps.

    A move takes at least one object. With ``k = 1`` it is Nim.

    A position is lost in normal play if, for every binary digit, the number of heaps that have a 1
    there is divisible by ``k + 1``. In misère play it is the same if some heap holds 2 or more;
    else the number of heaps of 1 must be congruent to 1 modulo ``k + 1``.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        k: most heaps that one move may take from; at least 1.

    References:
        *Winning Ways*, ch. 15.
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    most = min(checked_integer("k", k, minimum=1), len(sizes))
    theorem = Theorem("Moore's theorem", partial(theorems.moore, k=most))
    return Game("moores_nim", (heap_group(sizes, most),), sizes, theorem=theorem)


def fibonacci_moves(position: Position) -> Iterator[tuple[int, Position]]:
    """Take up to the limit; the next one is twice as many objects, at most those that remain."""
    objects, limit = position
    for taken in range(1, limit + 1):
        left = objects - taken
        yield taken, (left, min(2 * taken, left))


@shared
def fibonacci_heap(size: int) -> Part:
    """A heap of up to ``size`` objects with a limit on the next move."""
    check_table("a heap", size * (size + 1) // 2 + 1, size)
    words = Words(
        "heap",
        say.take,
        "take one object or more, up to the limit; a heap is at (objects, limit), and the next "
        "limit is twice the number of objects in this move, but at most those that remain",
        numbers=say.itself,
    )
    return part_from_moves(
        (0, 0),
        fibonacci_moves,
        words,
        Picture("coins", ("objects", "limit")),
        positions=[(n, limit) for n in range(1, size + 1) for limit in range(1, n + 1)],
        actions=range(1, size + 1),
    )


def fibonacci_nim(heaps: Sequence[int]) -> Game:
    """Fibonacci Nim: take at most twice as many objects as the move before.

    The first move takes at least one object and must leave one. Every later move takes at least
    one object, and at most twice as many as the move before it. Each of several heaps has its own
    limit, twice the number that the last move took from it.

    Every positive integer is a unique sum of non-consecutive Fibonacci numbers, its Zeckendorf
    representation. In normal play a single heap is lost if the limit is below the smallest term of
    that sum; at the start, if its size is a Fibonacci number.

    Args:
        heaps: objects in each heap at the start; at least 2 each.
    """
    sizes = checked_integers("heaps", heaps, minimum=2)
    theorem = Theorem("Whinihan's theorem", theorems.fibonacci_nim) if len(sizes) == 1 else None
    start = tuple(number for size in sizes for number in (size, size - 1))
    return Game("fibonacci_nim", tuple(map(fibonacci_heap, sizes)), start, theorem=theorem)
