"""Games with draws in text: verdicts, rewards, scores and whole games against plain recursion."""

import functools

import numpy as np
import pytest

from nim_envs.errors import InvalidGameError
from nim_envs.text import (
    Language,
    TextGame,
    prompt,
    reward,
    rules_text,
    verdict,
)
from tests.outcome_games import GAMES, tic_tac_toe

RULES = "In each turn mark an empty cell. Three marks in a row win; a full board is a draw"
KINDS = {  # by the value before a move and the value that the mover has after it
    (1, 1): ("kept_win", 1.0),
    (1, 0): ("threw_win", 0.0),
    (1, -1): ("threw_win", 0.0),
    (0, 0): ("kept_draw", 0.5),
    (0, -1): ("threw_draw", 0.0),
    (-1, -1): ("lost_position", None),
}


@functools.cache
def truth_of(name):
    """Return the values of a game's positions, by recursion."""
    return GAMES[name]().truth()


def some_positions(name, most=300):
    """Return positions that leave a move, spread over the game, with their moves."""
    entry, truth = GAMES[name](), truth_of(name)
    open_ones = [(here, moves) for here in sorted(truth) if (moves := entry.moves(here))]
    return open_ones[:: max(1, len(open_ones) // most)]


@pytest.mark.parametrize("name", GAMES)
def test_every_move_gets_the_verdict_and_the_reward_of_plain_recursion(name):
    game, truth = GAMES[name]().game, truth_of(name)
    seen = set()
    for here, moves in some_positions(name):
        for label, after in moves:
            said = verdict(game, here, f"{game.name} 0: {label}")
            values = truth[here], -truth[after]
            assert (said.kind, reward(said)) == KINDS[values], (here, label)
            assert (said.value, said.winning) == (truth[here], truth[here] == 1)
            assert said.after == after
            assert said.kept_value == (values[0] == values[1] >= 0)
            assert said.kept_win == (values == (1, 1))
            seen.add(values)
        nothing = verdict(game, here, "pass on everything")
        assert (nothing.kind, nothing.value, reward(nothing)) == ("format", truth[here], 0.0)
    assert name != "tic-tac-toe" or seen == set(KINDS)


def test_prompts_need_words_that_say_who_wins():
    game = tic_tac_toe().game
    start = (0,) * 9
    assert prompt(game, start).startswith("outcome tic-tac-toe (0, 0")
    for needs_rules in (rules_text, lambda each: prompt(each, start, "sentences")):
        with pytest.raises(InvalidGameError, match="does not say in words who wins"):
            needs_rules(game)
    told = rules_text(Language(game, rules=RULES))
    assert told.endswith(f"{RULES}.")
    assert "last move" not in told
    assert f"{RULES}. Now " in prompt(Language(game, rules=RULES), start, "sentences")


@pytest.mark.parametrize("opponent", ["optimal", "random", None])
def test_whole_games_end_with_the_result_of_the_rules(opponent):
    entry, ended = tic_tac_toe(), set()
    truth = truth_of("tic-tac-toe")
    play = TextGame(entry.game, opponent, seat="random", seed=5)
    rng = np.random.default_rng(0)
    for _ in range(30):
        play.reset()
        over = False
        while not over:
            here = play.position
            moves = entry.moves(here)
            label = moves[rng.integers(len(moves))][0]
            turn = play.reply(f"tic-tac-toe 0: {label}")
            over = turn.over
            if not over:
                assert (turn.result, turn.points) == (0.0, 0.0)
        last = play.position
        replied_last = opponent is None or turn.opponent_move is None
        to_mover = float(entry.outcome(last))
        assert not entry.moves(last)
        assert turn.result == (-to_mover if replied_last else to_mover)
        assert not np.signbit(turn.result) or turn.result == -1.0
        assert turn.points == (turn.result + 1) / 2
        ended.add(turn.ending)
        assert opponent != "optimal" or turn.result <= 0.0 or truth[(0,) * 9] > 0
        transcript = play.transcript
        assert play.replay(transcript)[-1].ending == turn.ending
    assert "The game is drawn." in ended
