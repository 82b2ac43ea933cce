"""Claims of replies are true or false as plain recursion says, and read only in their forms."""

from __future__ import annotations

import functools
import itertools
import re

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidGameError
from nim_envs.registered_games import GAMES as REGISTERED
from nim_envs.text import check_claims, disguised, move_text, prompt
from nim_envs.text.language import Language
from tests.outcome_games import GAMES, tic_tac_toe

NIM = make_game("nim", heaps=(2, 3, 4))
MISERE = make_game("misere_nim", heaps=(2, 3, 4))
KAYLES = make_game("kayles", heaps=(7,))
RULES = "Mark an empty cell; three in a row win"


def claim(text):
    return f"<claim>{text}</claim>"


def truths(game, position, *texts):
    """Whether each of some claims is true; they are all read."""
    found = check_claims(game, position, " ".join(map(claim, texts)))
    assert [each.text for each in found] == list(texts)
    return [each.is_true for each in found]


@functools.cache
def wins(heaps, misere):
    """Whether the player to move wins at Nim, by recursion."""
    after = [
        (*heaps[:i], left, *heaps[i + 1 :]) for i, heap in enumerate(heaps) for left in range(heap)
    ]
    return any(not wins(each, misere) for each in after) if after else misere


@functools.cache
def kayles_value(heap):
    """The Grundy value of a row of pins, by recursion."""
    after = {
        kayles_value(left) ^ kayles_value(heap - taken - left)
        for taken in (1, 2)
        for left in range(heap - taken + 1)
        if heap >= taken
    }
    return next(value for value in itertools.count() if value not in after)


def nim_sum(heaps):
    """The nim-sum, bit by bit."""
    return sum(2**bit * (sum(heap >> bit for heap in heaps) % 2) for bit in range(3))


@pytest.mark.parametrize("misere", [False, True])
def test_claims_at_every_position_of_nim(misere):
    game = MISERE if misere else NIM
    numbers = range(8)
    for heaps in itertools.product(range(3), range(4), range(5)):
        assert truths(
            game, heaps, *(f"The nim-sum of the heaps is {number}" for number in numbers)
        ) == [number == nim_sum(heaps) for number in numbers]
        for index, heap in enumerate(heaps):  # as Sprague and Grundy define it, in misère play too
            said = [f"The Grundy value of heap {index} is {number}" for number in numbers]
            assert truths(game, heaps, *said) == [number == heap for number in numbers]
        won = wins(heaps, misere)
        said = ("The position is won", "The position is lost")
        assert truths(game, heaps, *said) == [won, not won]


def test_grundy_values_of_heaps_that_split():
    for heaps in itertools.product(range(4), repeat=2):
        position = (*sorted(heaps, reverse=True), 0, 0)
        for index, number in itertools.product(range(3), range(5)):
            truth = number == kayles_value(position[index])
            said = f"The Grundy value of heap {index} is {number}"
            assert truths(KAYLES, position, said) == [truth]
        total = kayles_value(heaps[0]) ^ kayles_value(heaps[1])
        assert truths(KAYLES, position, "The position is won") == [total > 0]


@pytest.mark.parametrize("name", GAMES)
def test_values_and_lines_where_games_are_drawn(name):
    entry = GAMES[name]()
    truth, kind = entry.truth(), entry.game.rules.components[0].kind
    rng, kinds = np.random.default_rng(0), set()
    words = {1: "won", 0: "drawn", -1: "lost"}
    lists = [[here for here in sorted(truth) if truth[here] == value] for value in words]
    lists = [each for each in lists if each]
    for number in range(180):
        listed = lists[number % len(lists)]
        here = listed[int(rng.integers(len(listed)))]
        said = [f"The position is {word}" for word in words.values()]
        expected = [value == truth[here] for value in words]
        assert truths(entry.game, here, *said) == expected
        moves, fault = [], None
        now = here
        while (legal := entry.moves(now)) and len(moves) < 4:
            best = [each for each in legal if -truth[each[1]] == truth[now]]
            chosen = best if rng.random() < 0.7 else legal
            label, after = chosen[int(rng.integers(len(chosen)))]
            if fault is None and truth[now] >= 0 and -truth[after] != truth[now]:
                fault = len(moves) + 1, {1: "win", 0: "draw"}[truth[now]]
            moves.append(f"{kind} 0: {label}")
            now = after
        if moves:
            (line,) = check_claims(entry.game, here, claim(f"Line: {'; '.join(moves)}"))
            assert line.is_true == (fault is None)
            assert line.why == (
                f"best play, moves: {len(moves)}"
                if fault is None
                else f"move {fault[0]} throws the {fault[1]} away"
            )
            kinds.add(fault and fault[1])
    assert kinds == {None} | {
        {1: "win", 0: "draw"}[truth[here]]
        for here in truth
        if truth[here] >= 0 and any(-truth[after] < truth[here] for _, after in entry.moves(here))
    }


def test_lines_of_moves_that_are_not_allowed():
    for said, why in (
        ("Line: heap 2: take 3; heap 0: take 3", "move 2: not allowed here: heap 0 take 3"),
        ("Line: heap 2: take 3; heap 2: take 1; heap 1: take 2", "move 3 throws the win away"),
        ("Line: heap 1: take 3; heap 2: take 9", "move 1 throws the win away"),
    ):  # fmt: skip
        (line,) = check_claims(NIM, (2, 3, 4), claim(said))
        assert (line.kind, line.is_true, line.why) == ("line", False, why)
    (line,) = check_claims(NIM, (1, 0, 0), claim("Line: heap 0: take 1; heap 0: take 1"))
    assert (line.is_true, line.why) == (False, "the game is over before move 2")
    # Every move of a lost position is a best one.
    assert truths(NIM, (1, 1, 0), "line: take 1 from heap 0; heap 1, take 1.") == [True]


@pytest.mark.parametrize(
    "said",
    [
        "The nim-sum of the heaps is 5-0", "The nim-sum of the heaps is not 5",
        "The nim-sum of the heaps is 5 or 6", "The nim-sum of the heaps is .5", "nim-sum 5",
        "The nim-sum of the heaps is five", "The nim-sum of the trays is 5",
        "The nim-sum of the heaps is 5, so the position is won", "The position is not won",
        "The position is drawn", "Is the position won", "If I take 1, the position is lost",
        "The Grundy value of heap 0 is 2 xor 0", "The Grundy value of 2 is 2", "", "Line:",
        "Line: heap 0: take 2 or 1", "Line: I take 2; you take 3", "heap 0: take 2", "x" * 100_000,
    ],
)  # fmt: skip
def test_what_has_none_of_the_forms_is_neither_true_nor_false(said):
    (found,) = check_claims(NIM, (2, 3, 4), claim(said))
    assert (found.kind, found.is_true, found.text) == ("format", None, said)


def test_usual_variants_of_a_form_are_read():
    for said in (
        "**The nim-sum of the heaps is 5.**", "the nim-sum of the heaps = 5", "`Position is won`",
        "THE POSITION IS WON!", " The\n Grundy value of heap 1:  is 3 ", "Line : heap 0: TAKE 1",
        "Grundy value of heap 2 = 4", "Line:\nheap 0: take 1;\nheap 1: take 1",
    ):  # fmt: skip
        (found,) = check_claims(NIM, (2, 3, 4), f"Hm, so <CLAIM>{said}</Claim>.")
        assert found.kind != "format", said
        assert found.is_true or found.kind == "line"
    assert truths(NIM, (2, 3, 4), "The Grundy value of heap 7 is 3") == [False]


def test_only_what_is_marked_is_a_claim():
    for reply in (
        "The position is lost", "<claim>The position is lost", "The position is lost</claim>",
        "<claim><claim>" * 50_000, "</claim>" * 100_000,
    ):  # fmt: skip
        assert check_claims(NIM, (2, 3, 4), reply) == ()
    reply = "<claim>The position is lost. No: <claim>The position is won</claim></claim>"
    assert [each.is_true for each in check_claims(NIM, (2, 3, 4), reply)] == [True]
    with pytest.raises(TypeError, match="a reply is a string, not 3"):
        check_claims(NIM, (2, 3, 4), 3)


def forms_in(text):
    """The forms of claims that a prompt asks for, with its numbers as 0."""
    asked = text.partition("State each of your reasons")[2].partition("You may think first")[0]
    return [form.replace("<number>", "0") for form in re.findall('"([^"]+)"', asked)]


@pytest.mark.parametrize("name", REGISTERED)
def test_every_form_that_a_prompt_asks_for_is_read(name):
    game = make_game(name)
    for language in (Language(game), disguised(game, 3)):
        here = game.rules.initial
        text = prompt(language, here, "sentences", answer="tag", reasons=True)
        plain = prompt(language, here, "sentences", answer="tag")
        assert text.startswith(plain.partition("You may think first")[0])
        first = move_text(language, here, int(np.flatnonzero(game.rules.action_mask(here))[0]))
        forms = [form if form != "Line: " else form + first for form in forms_in(text)]
        assert len(forms) >= 4
        for found in check_claims(language, here, " ".join(map(claim, forms))):
            assert found.kind != "format", found


def test_forms_are_asked_for_only_where_they_make_sense():
    entry = tic_tac_toe()
    for game, asked in (
        (NIM, ["The nim-sum of the heaps is 0", "The Grundy value of heap 0 is 0",
               "The position is won", "The position is lost", "Line: "]),
        (make_game("wythoff"), ["The Grundy value of queen 0 is 0", "The position is won",
                                "The position is lost", "Line: "]),
        (Language(entry.game, rules=RULES), ["The position is won", "The position is drawn",
                                             "The position is lost", "Line: "]),
    ):  # fmt: skip
        rules = Language(game).game.rules if not isinstance(game, Language) else game.game.rules
        text = prompt(game, rules.initial, "sentences", answer="json", reasons=True)
        assert forms_in(text) == asked
    for given in ({}, {"style": "sentences"}, {"style": "position", "answer": "tag"}):
        with pytest.raises(InvalidGameError, match="reasons=True needs style='sentences'"):
            prompt(NIM, (2, 3, 4), reasons=True, **given)
    with pytest.raises(InvalidGameError, match="reasons"):
        prompt(NIM, (2, 3, 4), "sentences", answer="tag", reasons=1)


def test_a_grundy_value_that_cannot_be_computed_is_neither_true_nor_false():
    game = make_game("wythoff", queens=((10**6, 10**6),))
    (found,) = check_claims(game, game.rules.initial, claim("The Grundy value of queen 0 is 3"))
    assert (found.kind, found.is_true) == ("grundy_value", None)
    assert found.why.startswith("unknown: ")
