"""Replies are read and judged: every kind, bad input, and what a reply earns."""

import random

import pytest

from nim_envs import make_game
from nim_envs.text import KINDS, disguised, move_text, read_move, verdict
from tests.nim_envs.text.second_reader import grundy_move, kayles_move, nim_move

NIM = make_game("nim")
KAYLES = make_game("kayles")
GRUNDY = make_game("grundy")
POSITION = (3, 4, 5)


def kind(reply, position=POSITION, game=NIM, **reading):
    return verdict(game, position, reply, **reading).kind


def test_a_reply_gets_its_kind_of_verdict():
    expected = [
        ("heap 0: take 2", "kept_win"),
        ("HEAP 0 TAKE 2", "kept_win"),
        ("\theap  0 :take 2 .\r\n", "kept_win"),
        ("`heap 0: take 02`", "kept_win"),
        ('**"heap 0: take 2"**', "kept_win"),
        ("heap0:take2", "kept_win"),
        ("heap 99999999999999999999999: take 2", "illegal"),
        ("heap 0: take " + "9" * 10**4, "illegal"),
        ("heap 0: take " + "0" * 10**4 + "2", "illegal"),
        ("", "format"),
        ("   \n", "format"),
        ("heap 0: take 2\nheap 0: take 2", "format"),
        ("token 0: move to 2", "format"),
        ("héap 0: take 2", "format"),
        ("heap 0: ta\u212ae 2", "format"),  # the sign of Kelvin, a k in small letters
        ("heap\u00a00: take 2", "format"),
        ("heap 0: take 2\x00", "format"),
        ("heap\x0b0: take 2", "format"),
        ("heap 0:\ntake 2", "format"),
        ("\ud800", "format"),
        ("9" * 10**4, "format"),
        ("heap 0: take 2 " * 10**5, "format"),
    ]
    assert [(reply, kind(reply)) for reply, _ in expected] == expected


PIECES = [
    "heap", "take", "leave", "and", "token", "move to", "add", "0", "1", "2", "3", "17", "07", "-1",
    ":", ",", ".", " ", "\n", "\t", "\r", "\x00", "\x1b", "é", "堆", "２", "٣", "²", "`", '"', "K",
    "9" * 30, "1.5", "heap 0: take 2", "heap 1: take 2, leave 1 and 2", "\u2028", "\ud800", "🂡",
    "jar", "draw", "I choose", "#", "<number>", "%s", "\\", "1e9", "∞",
]  # fmt: skip


def random_reply(rng):
    if rng.random() < 0.2:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randrange(20)))
    parts = [rng.choice(PIECES) for _ in range(rng.randrange(9))]
    return rng.choice(["", " "]).join(parts)


@pytest.mark.parametrize("replies", [4_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_random_replies_each_get_a_verdict(replies):
    rng = random.Random(0)
    languages = [(NIM, POSITION), (KAYLES, (7, 0, 0, 0)), (disguised(GRUNDY, 1), (10, 0, 0))]
    seen = set()
    for number in range(replies):
        game, position = languages[number % 3]
        truth = verdict(game, position, random_reply(rng), last_line=bool(number % 2))
        assert (truth.action is None) == (truth.kind in ("illegal", "format"))
        seen.add(truth.kind)
    assert {"kept_win", "illegal", "format"} <= seen <= set(KINDS)


WORDS = [
    "heap", "take", "leave", "leaving", "split", "into", "the rest", "and", "from", "in", "choose",
    "objects", "+", "&", "(", ")", "0", "1", "2", "3", "4", "5", "7", ".", ",", ":", "-", "^", "or",
    "not", "I", ";", "?", "2.5", "1,000", "\u00bd", "**", '"', "so", "heap 0", "heap 1", "take 1",
    "take 2", "leave 3 and 3", "leave 5 and 1", "split into 1 and 4", "xor", "two",
]  # fmt: skip

MOVES = [
    "heap {} take {}", "take {} from heap {}", "heap {} take {} leave {} and {}",
    "take {} from heap {} leave {} and {}", "heap {} leave {} and {}", "choose heap {} and take {}",
    "heap {} take {} and split into {} and {}", "leave {} and {} in heap {}",
    "heap {} take {} ( leave {} + {} )", "split the rest into {} and {} in heap {}",
]  # fmt: skip


def generated_reply(rng):
    """A move in some wording, or words at random; often changed in one or two places."""
    move = rng.choice(MOVES)
    numbers = [rng.choice([0, 0, 1, 1, 2, 3, 4, 5]) for _ in range(move.count("{}"))]
    words = move.format(*numbers).split(" ")
    if rng.random() < 0.2:
        words = [rng.choice(WORDS) for _ in range(rng.randrange(1, 9))]
    for _ in range(rng.choice([0, 0, 1, 2])):
        place = rng.randrange(len(words) + 1)
        words[place : place + rng.randrange(2)] = [rng.choice(WORDS)] * rng.randrange(2)
    text = "".join(word + rng.choice([" ", " ", " ", ", ", ": ", ""]) for word in words)
    return rng.choice(["{}", "{}", "{}.", "**{}**", '"{}".', "```\n{}\n```", "{}!"]).format(text)


def nim_action(position, said):
    heap, taken = said
    legal = heap < len(position) and 1 <= taken <= position[heap]
    return f"heap {heap}: take {taken}" if legal else None


def kayles_action(position, said):
    heap, taken, parts = said
    if heap >= len(position) or taken not in (1, 2) or taken > position[heap]:
        return None
    left = position[heap] - taken
    if not parts:
        return f"heap {heap}: take {taken}"
    legal = min(parts) > 0 and sum(parts) == left
    return f"heap {heap}: take {taken}, leave {parts[0]} and {parts[1]}" if legal else None


def grundy_action(position, said):
    heap, one, other = said
    legal = heap < len(position) and 0 < one < other and one + other == position[heap]
    return f"heap {heap}: leave {one} and {other}" if legal else None


@pytest.mark.parametrize("replies", [4_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_replies_are_read_as_a_second_reader_reads_them(replies):
    rng = random.Random(1)
    games = [
        (NIM, POSITION, nim_move, nim_action),
        (make_game("kayles", heaps=(5, 3)), (5, 3, 0, 0, 0), kayles_move, kayles_action),
        (make_game("grundy", heaps=(6, 4)), (6, 4), grundy_move, grundy_action),
    ]
    seen = dict.fromkeys(("legal", "illegal", "format"), 0)
    for _ in range(replies):
        game, position, second, named = rng.choice(games)
        reply = generated_reply(rng)
        said = second(reply)
        expected = ("format", None)
        if said is not None:
            move = named(position, said)
            expected = ("illegal" if move is None else "legal", move)
        found = read_move(game, position, reply)
        move = None if found.action is None else move_text(game, position, found.action)
        assert (reply, found.kind, move) == (reply, *expected)
        seen[found.kind] += 1
        # On a last line it is this move, or none; and never one where the words are of another.
        line = read_move(game, position, f"Well.\nSo {reply}", last_line=True)
        if line.action is not None and said is not None:
            assert line.action == found.action, reply
    assert min(seen.values()) > replies / 100
