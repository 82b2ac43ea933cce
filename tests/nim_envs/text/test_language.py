"""Moves and positions in words, plain and disguised."""

import copy
import pickle
import re

import pytest

from nim_envs import make_game
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
)
from nim_envs.text import (
    disguised,
    move_text,
    prompt,
    read_move,
    rules_text,
    verdict,
)
from nim_envs.text.language import as_language
from tests.games import ALL
from tests.nim_envs.text.scripted import playable
from tests.pairwise import in_turn

MOST = 30
"""Positions of a game that are swept."""

GAMES = {
    name: [make_game(name, **arguments) for other, arguments in ALL if other == name]
    for name, _ in ALL
}
"""The games of each name, with several arguments."""


def some_positions(game):
    positions = playable(game)
    return positions[:: -(-len(positions) // MOST)]


def several(name):
    """Positions of each game of a name, and the game."""
    return [(game, position) for game in GAMES[name] for position in some_positions(game)]


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_move_has_a_description_of_its_own_and_is_read_back(name):
    for game, position in several(name):
        actions = game.actions(position)
        texts = [game.describe(action, position) for action in actions]
        assert len(set(texts)) == len(texts)
        for action, text in zip(actions, texts, strict=True):
            assert move_text(game, position, action) == text
            assert read_move(game, position, text).action == action
            changed = "  " + text.upper().replace(":", "").replace(",", " ,") + ".\n"
            assert read_move(game, position, changed).action == action


@pytest.mark.parametrize("name", GAMES)
def test_a_disguise_renames_moves_one_to_one_and_hides_the_plain_names(name):
    for game in GAMES[name]:
        language = disguised(game, seed=5)
        for position in some_positions(game)[::3]:
            actions = game.actions(position)
            texts = [move_text(language, position, action) for action in actions]
            assert len(set(texts)) == len(texts)
            for action, text in zip(actions, texts, strict=True):
                assert read_move(language, position, text).action == action
                plain = move_text(game, position, action)
                assert read_move(language, position, plain).kind == "format"
                assert read_move(game, position, text).kind == "format"
            assert prompt(language, position) != prompt(game, position)
        plain_words = set(language.disguise.words)
        told = set(re.findall("[a-z]+", prompt(language, position, "sentences").lower()))
        assert told & plain_words <= {"move", "moves"}  # what a player does in a turn


def test_disguises_are_bijections_of_words_and_numbers():
    game = make_game("sum")
    for seed in range(20):
        disguise = disguised(game, seed).disguise
        assert len(set(disguise.words.values())) == len(disguise.words)
        assert not set(disguise.words) & set(disguise.words.values())
        assert sorted(disguise.labels) == [1, 2, 3, 4, 5]
        nodes = [disguise.node_label(game.parts[4], node) for node in range(12)]
        assert sorted(nodes) == list(range(1, 13))
    assert prompt(disguised(game, 1), game.start) == prompt(disguised(game, 1), game.start)
    assert len({move_text(disguised(game, seed), game.start, 0) for seed in range(9)}) > 3


@pytest.mark.parametrize(("name", "style"), in_turn(list(GAMES), ["short", "sentences"]))
def test_prompts_are_one_line_and_tell_positions_apart(name, style):
    for game in GAMES[name]:
        for language in (game, disguised(game, seed=3)):
            positions = some_positions(game)
            prompts = {prompt(language, position, style) for position in positions}
            assert len(prompts) == len(positions)
            assert all(text.isprintable() and text == text.strip() for text in prompts)


def test_rules_name_convention_limits_arrows_and_slots():
    assert "Whoever makes the last move loses." in rules_text(make_game("misere_nim"))
    assert "take 1 to 3 objects" in rules_text(make_game("nim", heaps=(6, 4), max_take=3))
    assert "until the total is over 10" in rules_text(make_game("addition"))
    assert "from node 3 to 0, 1 and 2" in rules_text(make_game("graph"))
    kayles = rules_text(make_game("kayles"))
    assert "two heaps" in kayles
    assert "first empty heap" in kayles
    assert "first empty" not in rules_text(make_game("nim"))
    everything = rules_text(make_game("sum"))
    for word in ("heaps 0 to 2", "heap 3", "token 4", "Arrows"):
        assert word in everything


def test_bad_arguments_are_refused_by_name():
    game = make_game("nim")
    with pytest.raises(TypeError, match="Game or a Language is expected, not 'nim'"):
        prompt("nim", (3, 4, 5))
    with pytest.raises(InvalidPositionError, match=r"\(9, 4, 5\) is no position of nim"):
        prompt(game, (9, 4, 5))
    with pytest.raises(InvalidPositionError, match="a position of nim is 3 integers"):
        prompt(game, [[3, 4, 5]])
    verdict(game, (3, 4, 1), "heap 0: take 1")
    with pytest.raises(InvalidPositionError):
        verdict(game, (3.0, 4, 1), "heap 0: take 1")
    with pytest.raises(InvalidPositionError):
        verdict(game, ([3], 4, 1), "heap 0: take 1")
    with pytest.raises(ValueError, match=r"style must be one of .* not 'long'"):
        prompt(game, (3, 4, 5), style="long")
    with pytest.raises(InvalidActionError, match="from 0 to 14, not 15"):
        move_text(game, (3, 4, 5), 15)
    with pytest.raises(IllegalMoveError, match="is illegal at"):
        move_text(game, (3, 4, 5), 4)
    with pytest.raises(InvalidGameError, match="seed must be a Python integer"):
        disguised(game, -1)
    with pytest.raises(TypeError, match="Game is expected"):
        disguised(disguised(game, 1), 1)
    with pytest.raises(TypeError, match="a reply is a string, not None"):
        read_move(game, (3, 4, 5), None)


def test_languages_are_copied_and_pickled():
    language = disguised(make_game("kayles"), seed=4)
    text = prompt(language, (7, 0, 0, 0), "sentences")
    for other in (pickle.loads(pickle.dumps(language)), copy.deepcopy(language)):
        assert prompt(other, (7, 0, 0, 0), "sentences") == text


def test_the_name_of_a_language_tells_games_apart():
    names = [
        disguised(make_game("nim"), 7).name,
        repr(disguised(make_game("nim", heaps=(6, 4), max_take=2), 1)),
    ]
    assert names == [
        "nim, heaps 3-4-5, normal play, disguised by seed 7",
        "Language(nim, heaps 6-4, normal play, max_take 2, disguised by seed 1)",
    ]
    # Whichever of two equal games is spoken of first.
    named = [as_language(make_game("chomp", **each)).name for each in ({}, {"rows": 4})]
    assert named == [f"chomp, bar (5, 5, 5, 5), normal play{end}" for end in ("", ", rows 4")]
