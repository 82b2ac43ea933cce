"""A reply is read as the move that its author named, or as a fault of format, never another."""

import pytest

from nim_envs import game_from_moves, make_game
from nim_envs.game import sum_of
from nim_envs.text import move_text, prompt, read_move

NIM, KAYLES, GRUNDY = make_game("nim"), make_game("kayles"), make_game("grundy")
ROW = (7, 0, 0, 0)


def named(game, position, reply, **reading):
    """The move that a reply is read as, by its name; or the kind of fault."""
    read = read_move(game, position, reply, **reading)
    return read.kind if read.action is None else move_text(game, position, read.action)


@pytest.mark.parametrize("last_line", [False, True])
def test_no_shorter_move_is_read_out_of_a_longer_phrase(last_line):
    whole = "heap 0: take 1, leave 3 and 3"
    for said in (
        ", leaving 3 and 3", " and leave 3 and 3", ", leave 3 + 3", " and split into 3 and 3",
        ", split the rest into 3 and 3", " (leave 3 and 3)", ", leave (3, 3)", ", leaves 3 & 3.",
    ):  # fmt: skip
        assert named(KAYLES, ROW, f"heap 0: take 1{said}", last_line=last_line) == whole, said
    for said in (
        ", leave three and three", ", which leaves 3 and 3", "; leave 3", ", two heaps of 3",
        ". Split evenly.", ", half each", " so that 3 and 3 are left", " leave 3 and 3 and 3",
        ", leave 3, 3", " or 2", " and and leave 3 and 3", ", leave 3 +",
    ):  # fmt: skip
        assert named(KAYLES, ROW, f"heap 0: take 1{said}", last_line=last_line) == "format", said
    assert named(KAYLES, ROW, "heap 0: take 1.", last_line=last_line) == "heap 0: take 1"


@pytest.mark.parametrize("last_line", [False, True])
def test_numbers_end_where_they_end(last_line):
    for said in (
        "3-1", "3 - 1 = 2", "3 xor 1 = 2", "2 or 3", "2^2", "2½", "2²", "1'000", "1,000", "2e3",
        ".2", "2.0", "2; no, 3", "2, 3", "2 3", "2/3", "2*1", "2 to 3", "2%", "2+", "-2", "2?",
        "2_000", "2 two", "2 more", "2 to three", "2. Three.", "2. 3", "2. 3rd", "2 so 3",
        "2 because", "2\u0336", "٢", "２", "two", "0x2", "2nd",
    ):  # fmt: skip
        assert named(NIM, (3, 4, 5), f"heap 0: take {said}", last_line=last_line) == "format", said
    for said in ("1.0: take 2", "0-1: take 2", ".0: take 2", "0 1: take 2", "2e0: take 2"):
        assert named(NIM, (3, 4, 5), f"heap {said}", last_line=last_line) == "format", said


def test_parts_of_three_heaps_are_read_in_any_order():
    game = make_game("moores_nim", heaps=(2, 2, 2), k=3)
    name = "take 1 from heap 0 and 2 from heap 1 and 1 from heap 2"
    for said in (name, "take 2 from heap 1 and 1 from heap 2 and 1 from heap 0"):
        position = (2, 2, 2)
        assert named(game, position, said) == name
        assert named(game, position, f"So {said}.", last_line=True) == name


def test_two_components_of_one_kind_are_told_apart():
    game = make_game("chomp", rows=2, columns=2)
    two = sum_of([game, game])
    here = two.start
    assert named(two, here, "bite at (1, 0)") == "format"
    assert named(two, here, "bite at (1, 0) on bar 1") == "bar 1: bite at (1, 0)"


def test_a_component_named_apart_from_its_move_is_not_passed_over():
    game = make_game("subtraction")
    for said in ("heap 3: I take 2", "pile 3: take 2", "I take 2 in heap 5", "take 2 of 17"):
        assert named(game, (17,), said, last_line=True) in ("format", "illegal"), said
    assert named(game, (17,), "So I take 2.", last_line=True) == "take 2"


def shop(**arguments):
    """Return a game with labels that have digits and points."""

    def moves(position):
        (left,) = position
        if left >= 2:
            yield "w2", (left - 2,)
            yield "pay 1.50", (left - 1,)
        if left >= 3:
            yield "w3", (left - 3,)
            yield "pay 2.75 for 2", (0,)

    return game_from_moves("shop", (5,), moves, **arguments)


@pytest.mark.parametrize("last_line", [False, True])
def test_labels_with_digits_and_points_are_read_as_they_are(last_line):
    game = shop(move_in_words="buy")
    for said, name in (
        ("shop 0: w2", "w2"), ("W2.", "w2"), ("w 2", "format"), ("w4", "format"),
        ("w23", "format"), ("pay 1.50", "pay 1.50"), ("Pay 1.50.", "pay 1.50"),
        ("pay 1.5", "format"), ("pay 1.505", "format"), ("pay 1", "format"), ("pay 50", "format"),
        ("pay 2.75 for 2", "pay 2.75 for 2"), ("pay 2.75 for 3", "illegal"),
        ("shop 1: w2", "illegal"), ("w2.5", "format"), ("w2-1", "format"),
    ):  # fmt: skip
        assert named(game, (5,), said, last_line=last_line) == name, said
    asked = prompt(game, (5,), "sentences")
    for label in (" w2 or", " pay 1.50", "pay 2.75 for <number>"):
        assert label in asked


def test_many_labels_are_told_by_their_form():
    def moves(position):
        for taken in range(1, position[0] + 1):
            yield f"w{taken}", (position[0] - taken,)

    game = game_from_moves("row", (30,), moves, move_in_words="take")
    assert prompt(game, (30,), "sentences").endswith("in this form: w<number>")
    assert named(game, (30,), "row 0: w17") == "w17"
    assert named(game, (3,), "row 0: w17") == "illegal"
    assert named(game, (3,), "row 0: w31") == "format"


def test_parts_of_own_games_keep_their_order():
    def moves(position):
        one, other = position
        if one:
            yield "swap 1 and 2", (one - 1, other)
        if other:
            yield "swap 2 and 1", (one, other - 1)

    game = game_from_moves("swap", (1, 1), moves)
    assert named(game, (0, 1), "swap 2 and 1") == "swap 2 and 1"
    assert named(game, (0, 1), "swap 1 and 2") == "illegal"


def test_faults_say_why():
    for said, why in (
        ("heap 0: take 2, heap 1: take 1", "2 moves in one reply"),
        ("I resign", "not of the form heap <number>: take <number>"),
        ("heap 0: take 4", "not allowed here: heap 0 take 4"),
        (f"heap 0: take {'9' * 20}", "not allowed here: heap 0 take (a number too long)"),
        ("", "empty"),
        ("x" * (1 << 17), "131072 characters; at most 65536 are read"),
    ):
        for last_line in (False, True):
            assert read_move(NIM, (3, 4, 5), said, last_line=last_line).why == why
    for said, why in (
        ("never heap 0: take 2", "the word 'never' beside the move"),
        ("I don't play heap 0: take 2", 'the word "n\'t" beside the move'),
        ("xheap 0: take 2, -heap 0: take 2", "'-' before the move"),
        ("3 heap 0: take 2", "a number or a sign before the move"),
        ("heap 1: heap 0: take 2", "another component before the move"),
        ("heap 0: take 2 please", "'please' after the move"),
        ("heap 0: take 2. Two!", "a number after the move"),
        ("heap 0: take 2! Yes?", "a question"),
        ("take 1 there. So heap 0: take 2", "a part of another move in one reply"),
    ):
        assert read_move(NIM, (3, 4, 5), said, last_line=True).why == why
    said = "heap 0: take 1, because"
    assert read_move(KAYLES, ROW, said, last_line=True).why == "text after a move that may go on"
