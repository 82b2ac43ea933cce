"""Scores of replies: the same as optimality of the moves, shares, blunders, samples."""

import math

import numpy as np
import pytest

from nim_envs import make_game, optimality
from nim_envs.errors import InvalidGameError, InvalidPolicyError, InvalidPositionError
from nim_envs.text import PROMPT_VERSION, disguised, move_text, score
from tests.nim_envs.text.scripted import Scripted, playable, some_action
from tests.outcome_games import GAMES
from tests.pairwise import pairwise


def shares(result):
    return list(result.shares.values())


def scripted(game, language=None, style="sentences"):
    """Function that answers with :func:`some_action`."""
    language = language or game
    return Scripted(
        language,
        playable(game),
        lambda here: move_text(language, here, some_action(game, here)),
        style,
    )


def both_scores(game, language, style="sentences"):
    """Return the score of texts and the optimality of the same moves, whose blunders are alike."""

    def policy(observations, masks):
        return np.array([some_action(game, position) for position in observations.tolist()])

    expected = optimality(policy, game)
    speak = scripted(game, language, style)
    result = score(speak, language, style=style)
    assert result.count == result.replies
    assert [blunder.position for blunder in result.blunders] == list(
        map(tuple, expected.blunders.tolist())
    )
    assert max(speak.asked) <= 64
    return result, expected


@pytest.mark.parametrize(
    ("name", "misere", "hidden"),
    pairwise(("nim", "addition", "kayles", "grundy", "graph"), (False, True), (False, True)),
)
def test_the_score_of_texts_is_the_optimality_of_the_moves_digit_for_digit(name, misere, hidden):
    game = make_game(name, misere=misere)
    result, expected = both_scores(game, disguised(game, 2) if hidden else game)
    assert result.percent == result.kept_win == expected.percent
    assert result.random_percent == expected.random_percent
    assert result.count == expected.count


@pytest.mark.parametrize("name", ["tic-tac-toe", "dominoes"])
def test_with_draws_positions_that_leave_a_choice_are_asked(name):
    game = GAMES[name]().game
    result, expected = both_scores(game, game, "short")
    # At the others the only move is right.
    forced = expected.count - result.count
    assert forced > 0
    for ours, all_of_them in (
        (result.percent, expected.percent), (result.random_percent, expected.random_percent),
    ):  # fmt: skip
        assert ours * result.count + 100 * forced == pytest.approx(all_of_them * expected.count)
    assert result.decisive.count == expected.decisive.count
    assert result.decisive.percent == expected.decisive.percent
    assert result.decisive.random_percent == expected.decisive.random_percent
    assert sum(shares(result)) == pytest.approx(100)
    assert result.shares["kept_win"] + result.shares["kept_draw"] == pytest.approx(result.percent)
    assert "positions that are not lost and leave a choice" in str(result)


def test_shares_blunders_and_what_the_result_names():
    game = make_game("nim", heaps=(1, 2, 3))
    replies = {(1, 2, 0): "heap 0: take 1", (0, 0, 1): "pass", (0, 2, 1): "heap 0: take 1"}

    def answer(position):
        kept = game.solution.winning_actions(position)
        return replies.get(position, move_text(game, position, int(kept[0])) if len(kept) else "?")

    result = score(Scripted(game, playable(game), answer), game)
    assert result.count == result.replies == 18
    assert [(one.position, one.reply, one.verdict.kind) for one in result.blunders] == [
        ((0, 0, 1), "pass", "format"),
        ((0, 2, 1), "heap 0: take 1", "illegal"),
        ((1, 2, 0), "heap 0: take 1", "threw_win"),
    ]
    assert shares(result) == [100 * 15 / 18, 100 / 18, 0, 100 / 18, 100 / 18]
    assert (result.style, result.prompt_version) == ("sentences", PROMPT_VERSION)
    for words in ("83.33 %", "18 N-positions, all", "nim, heaps 1-2-3, normal play", "version 3"):
        assert words in str(result)
    assert repr(result).endswith("; 3 blunders)")
    with_lost = score(Scripted(game, playable(game), answer), game, lost_positions=True)
    assert with_lost.percent == result.percent
    assert with_lost.replies == 23
    assert math.isclose(sum(shares(with_lost)), 100)
    assert with_lost.format == 100 * 6 / 23
    assert with_lost.blunders == result.blunders


def test_sets_of_positions_are_those_of_optimality():
    game = make_game("nim", heaps=(3, 4, 5))
    speak = scripted(game)

    def policy(observations, masks):
        return [some_action(game, position) for position in observations.tolist()]

    for which in ("reachable", "player_0", "player_1", [[3, 4, 5], [1, 0, 0], [0, 0, 0]]):
        result = score(speak, game, which)
        expected = optimality(policy, game, which)
        assert (result.percent, result.count, result.positions) == (
            expected.percent, expected.count, expected.positions,
        )  # fmt: skip
    nothing = score(speak, game, np.zeros((0, 3), dtype=int))
    assert math.isnan(nothing.percent)
    assert nothing.replies == 0


def test_samples_have_an_interval():
    game, rng = make_game("nim", heaps=(1, 2, 3)), np.random.default_rng(0)

    def answer(position):
        right = int(game.solution.winning_actions(position)[0])
        return move_text(game, position, right) if rng.random() < 0.3 else "pass"

    result = score(Scripted(game, playable(game), answer), game, samples=10)
    assert result.replies == 10 * result.count == 180
    low, high = result.interval
    assert low < 30 < high
    assert low < result.percent < high
    assert score(scripted(game), game).interval is None


def test_prose_and_sentences_are_options_of_the_score():
    game = make_game("nim", heaps=(1, 2))

    def speak(prompts):
        assert all("Answer with one move" in text for text in prompts)
        return ["Hm.\nI choose heap 0: take 1"] * len(prompts)

    assert score(speak, game).format == 100
    assert math.isnan(score(speak, game).percent_of_moves)
    result = score(speak, game, last_line=True)
    assert (result.percent, result.percent_of_moves) == (25, 25)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda prompts: "heap 0: take 1", "not 'heap 0: take 1'"),
        (
            lambda prompts: ["heap 0: take 1"],
            r"one string for each of 4 prompts, not \['heap 0: take 1'\]",
        ),
        (lambda prompts: [None] * len(prompts), r"not \[None, None"),
        (lambda prompts: 3, "not 3"),
    ],
)
def test_functions_that_return_something_else_are_refused(returned, words):
    with pytest.raises(InvalidPolicyError, match=words):
        score(returned, make_game("nim", heaps=(1, 2)))


def test_bad_arguments_are_refused():
    game = make_game("nim", heaps=(1, 2))
    with pytest.raises(TypeError, match="speak must be a function"):
        score("me", game)
    with pytest.raises(InvalidGameError, match="samples must be an integer from 1"):
        score(scripted(game), game, samples=0)
    with pytest.raises(ValueError, match="positions must be one of"):
        score(scripted(game), game, "some")
    with pytest.raises(InvalidPositionError):
        score(scripted(game), game, [[9, 9]])
    with pytest.raises(InvalidGameError, match="last_line must be True or False, not 'no'"):
        score(scripted(game), game, last_line="no")
    with pytest.raises(ValueError, match="style must be one of"):
        score(scripted(game), game, style=np.array(["short", "sentences"]))
