"""Games from functions of moves in words: positions are coordinates."""

import copy
import pickle

import pytest

from nim_envs import game_from_moves, make_game
from nim_envs.errors import InvalidGameError
from nim_envs.game import sum_of
from nim_envs.text import (
    Language,
    TextEnv,
    TextGame,
    disguised,
    move_text,
    prompt,
    read_move,
    rules_text,
    score,
)
from tests.own_games import OWN_GAMES, own_game


def mixed():
    return sum_of([own_game("wythoff"), make_game("nim", heaps=(2,)), own_game("cram")])


@pytest.mark.parametrize("name", [*OWN_GAMES, "mixed"])
def test_moves_are_read_back_plain_and_disguised(name):
    game = mixed() if name == "mixed" else own_game(name)
    start = game.start
    hidden = disguised(game, seed=2)
    for action in game.actions(start):
        said = move_text(game, start, action)
        assert read_move(game, start, said.upper()).action == action
        told = move_text(hidden, start, action)
        assert read_move(hidden, start, told).action == action
        assert told == said or read_move(hidden, start, said).action is None


def pass_nim(**arguments):
    """Return Nim with heaps 2 and 3, in which the last number says whether a pass is left."""

    def moves(position):
        *heaps, passes = position
        for i, heap in enumerate(heaps):
            for n in range(1, heap + 1):
                yield f"heap {i}: take {n}", (*heaps[:i], heap - n, *heaps[i + 1 :], passes)
        if passes and any(heaps):
            yield "pass", (*heaps, 0)

    return game_from_moves("pass nim", (2, 3, 1), moves, **arguments)


def test_the_component_can_be_left_out_where_one_has_such_moves():
    alone, start = pass_nim(), (2, 3, 1)
    whole = read_move(alone, start, "pass nim 0: heap 1: take 2")
    assert whole.kind == "legal"
    for said in ("heap 1: take 2", "Heap 1, take 2."):
        assert read_move(alone, start, said).action == whole.action
    assert read_move(alone, start, "heap 1: take 4").kind == "illegal"
    assert read_move(alone, start, "take 2").kind == "format"
    assert read_move(alone, start, "Hm.\nSo heap 1: take 2!", last_line=True).action == whole.action
    # A whole name among the words is what is meant.
    said = "To pass comes later: pass nim 0: heap 1: take 2"
    assert read_move(alone, start, said, last_line=True).action == whole.action
    both = "heap 1: take 2 or heap 0: take 2"
    assert read_move(alone, start, both, last_line=True).why == "2 moves in one reply"
    with_queen = sum_of([alone, own_game("wythoff")])
    here = with_queen.start
    assert read_move(with_queen, here, "heap 1: take 2").action == whole.action
    left = read_move(with_queen, here, "wythoff 1: left 2")
    assert left.kind == "legal"
    assert read_move(with_queen, here, "left 2") == left
    hidden = disguised(with_queen, seed=2)
    name = move_text(hidden, here, whole.action)
    assert read_move(hidden, here, name.split(": ", 1)[1]).action == whole.action


def test_the_component_is_asked_for_where_several_have_such_moves():
    two = sum_of([own_game("wythoff"), own_game("wythoff")])
    assert read_move(two, two.start, "left 2").kind == "format"
    # It is the name of a move of the heap, and a move of pass nim without its component.
    with_heap = sum_of([pass_nim(), make_game("nim", heaps=(3,))])
    here = with_heap.start
    heap = read_move(with_heap, here, "heap 1: take 2")
    assert move_text(with_heap, here, heap.action) == "heap 1: take 2"
    assert read_move(with_heap, here, "heap 0: take 2").kind == "illegal"
    assert read_move(with_heap, here, "pass").kind == "legal"
    for position in ((3, 4, 5), (0, 0, 5)):
        assert read_move(make_game("nim"), position, "take 2").kind == "format"
    assert read_move(make_game("addition"), (0,), "add 2").action == 1


RULES = "In each turn take any number of objects from one heap, or pass once in the game."


def test_rules_that_a_game_does_not_tell_are_asked_for():
    game, start = pass_nim(), (2, 3, 1)
    for ask in (
        lambda: rules_text(game),
        lambda: prompt(game, start, "sentences"),
        lambda: TextGame(game, style="sentences"),
        lambda: TextEnv(game, style="sentences"),
        lambda: score(lambda prompts: prompts, game),
        lambda: rules_text(sum_of([game, make_game("nim")])),
        lambda: rules_text(disguised(game, 3)),
    ):
        with pytest.raises(
            InvalidGameError, match=r"what a move of pass nim is: say it with rules="
        ):
            ask()
    assert TextEnv(game, seat=0).reset(seed=0)[0] == "normal pass nim (2, 3, 1) move"
    language = Language(game, rules=RULES)
    assert rules_text(language) == (
        f"Two players move in turn. There is one pass nim. {RULES} "
        "Whoever makes the last move wins."
    )
    for asked in (language, copy.deepcopy(language), pickle.loads(pickle.dumps(language))):
        assert RULES in TextGame(asked, style="sentences").reset(seed=0)
    assert "from one " in rules_text(disguised(game, 3, RULES))
    assert RULES not in rules_text(disguised(game, 3, RULES))
    assert "In each turn pass, or take" in rules_text(pass_nim(move_in_words="pass, or take"))
    for wrong in ("", " .", 3, ["take"]):
        with pytest.raises(InvalidGameError, match="rules must be sentences"):
            Language(game, rules=wrong)
