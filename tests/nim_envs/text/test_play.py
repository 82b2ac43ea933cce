"""Whole games in text: opponents, seats, starts, faults, retries, transcripts, Gymnasium."""

import dataclasses
import json

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from nim_envs import make_game
from nim_envs.errors import InvalidGameError, InvalidResetError, ResetNeededError
from nim_envs.text import (
    TextEnv,
    TextGame,
    disguised,
    move_text,
    prompt,
    rules_text,
)
from tests.pairwise import in_turn

NIM = make_game("nim")


def play(game, choose):
    """Play a game to its end; ``choose`` takes a position and returns a reply."""
    turns = [game.reply(choose(game.position))]
    while not turns[-1].over:
        turns.append(game.reply(choose(game.position)))
    return turns


def best(language, game):
    def choose(position):
        winning = game.solution.winning_actions(position).tolist()
        return move_text(language, position, (winning or game.actions(position))[0])

    return choose


CASES = [
    ("nim", {}), ("nim", {"misere": True}), ("addition", {}), ("kayles", {}), ("graph", {}),
    ("sum", {}),
]  # fmt: skip


@pytest.mark.parametrize(("case", "opponent"), in_turn(CASES, ["optimal", "random", 0.5]), ids=str)
def test_who_plays_right_from_a_won_position_wins_every_game(case, opponent):
    name, arguments = case
    game = make_game(name, **arguments)
    language = disguised(game, 1)
    text = TextGame(language, opponent, seat=0, start="n_position")
    for _ in range(5):
        first = text.reset()
        assert first == prompt(language, text.position)
        turns = play(text, best(language, game))
        assert [turn.verdict.kind for turn in turns] == ["kept_win"] * len(turns)
        assert [turn.reward for turn in turns] == [1.0] * len(turns)
        assert [turn.result for turn in turns] == [0.0] * (len(turns) - 1) + [1.0]
        assert text.faults == ()


@pytest.mark.parametrize("reply", ["pass", "heap 0: take 9"])
def test_a_reply_without_a_move_forfeits(reply):
    text = TextGame(NIM, seat=0)
    text.reset()
    turn = text.reply(reply)
    assert (turn.over, turn.prompt, turn.result, turn.reward) == (True, None, -1.0, 0.0)
    assert turn.fault == turn.verdict == text.faults[0]
    with pytest.raises(ResetNeededError, match="call reset"):
        text.reply("heap 0: take 1")


def test_retries_ask_again_and_never_forget_the_first_fault():
    text = TextGame(NIM, seat=0, retries=2)
    begun = text.reset()
    first = text.reply("pass")
    assert (first.again, first.over, first.prompt, first.result) == (True, False, begun, 0.0)
    second = text.reply("heap 9: take 1")
    assert second.again
    assert second.verdict.kind == "illegal"
    assert second.fault.kind == "format"
    third = text.reply("heap 0: take 2")
    assert (third.verdict.kind, third.again, third.over) == ("kept_win", False, False)
    assert third.fault == first.verdict
    assert third.reward == 0.0
    # Another turn has its own retries, and a clean one earns its reward.
    assert text.reply("?").again
    choose = best(NIM, NIM)
    assert text.reply(choose(text.position)).reward == 0.0
    assert [fault.kind for fault in text.faults] == ["format", "format"]
    turns = play(text, choose)
    assert turns[-1].result == 1.0
    assert all(turn.reward == 1.0 for turn in turns)
    text.reset()
    assert text.faults == ()
    for left in (True, True, False):
        assert text.reply("pass").again == left


def test_starts_and_seats():
    own = make_game("nim", start=(0, 0, 2))
    assert TextGame(own, seat=0).reset() == "normal heaps 0 0 2 move"
    assert TextGame(own, seat=0, start="fixed").reset() == "normal heaps 3 4 5 move"
    assert TextGame(own, seat=0, start=(1, 2, 0)).reset() == "normal heaps 1 2 0 move"
    for seat in (0, 1):
        text = TextGame(NIM, "random", seat=seat)
        text.reset()
        assert text.seat == seat
        assert (sum(text.position) == 12) == (seat == 0)
    text = TextGame(NIM, None)
    text.reset((1, 1, 0))
    turn = text.reply("heap 0: take 1")
    assert (turn.opponent_move, turn.result, text.seat) == (None, 0.0, 1)
    assert text.reply("heap 1: take 1").result == 1.0


def test_any_player_is_an_opponent():
    def take_one(observations, masks, rng):
        return masks.argmax(axis=1)

    text = TextGame(make_game("nim", heaps=(2, 2)), take_one, seat=0)
    text.reset()
    assert text.reply("heap 1: take 2").opponent_move == "heap 0: take 1"
    text = TextGame(NIM, lambda observations, masks: np.full(len(masks), -1), seat=0)
    text.reset()
    turn = text.reply("heap 0: take 1")
    assert (turn.over, turn.result, turn.opponent_move) == (True, 1.0, None)


def some_games(text, number):
    prompts = []
    for _ in range(number):
        prompts.append(text.reset())
        prompts += [turn.prompt for turn in play(text, best(NIM, NIM))]
    return prompts


def test_the_same_seed_makes_the_same_games():
    def make(seed):
        return TextGame(NIM, 0.5, start="uniform", seed=seed)

    once = some_games(make(7), 5)
    assert once == some_games(make(7), 5)
    assert once != some_games(make(8), 5)
    text = make(9)
    some_games(text, 2)
    text.reset(seed=7)
    again = some_games(make(7), 1)[0]
    assert prompt(NIM, text.position) == again


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_transcript_replays_through_json(case):
    name, arguments = case
    game = make_game(name, **arguments)

    def make():
        return TextGame(game, "random", start="uniform", retries=1, seed=5)

    text = make()
    rng = np.random.default_rng(0)

    def choose(position):
        if rng.random() < 0.2:
            return "pass"
        return move_text(game, position, int(rng.choice(game.actions(position))))

    for position in (None, None, game.start):
        text.reset(position)
        turns = play(text, choose)
        stored = json.loads(json.dumps(dataclasses.asdict(text.transcript)))
        other = make()
        assert other.replay(stored) == turns
        assert other.transcript == text.transcript
    with pytest.raises(ValueError, match="the transcript is of"):
        TextGame(game, "random", style="sentences").replay(text.transcript)
    wrong = dataclasses.replace(text.transcript, prompts=("?",) * len(text.transcript.prompts))
    with pytest.raises(ValueError, match="prompt 0 of the transcript is '\\?'"):
        make().replay(wrong)


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidGameError, match="opponent must be"):
        TextGame(NIM, "perfect")
    with pytest.raises(InvalidGameError, match="seat must be one of"):
        TextGame(NIM, seat=2)
    with pytest.raises(InvalidGameError, match="retries must be an integer from 0"):
        TextGame(NIM, retries=-1)
    with pytest.raises(InvalidResetError, match="seed must be"):
        TextGame(NIM, seed=None)
    text = TextGame(NIM)
    with pytest.raises(ResetNeededError):
        text.reply("heap 0: take 1")
    with pytest.raises(ValueError, match="leave a legal move"):
        text.reset((0, 0, 0))


@pytest.mark.filterwarnings("ignore:.*render_modes.*")
@pytest.mark.parametrize("rewards", ["result", "turn"])
@pytest.mark.parametrize("style", ["short", "sentences"])
def test_gymnasium_finds_no_fault_with_the_environment(rewards, style):
    language = disguised(make_game("sum"), 1)
    env = TextEnv(language, retries=3, rewards=rewards, style=style, last_line=True)
    check_env(env, skip_render_check=True)


def test_the_environment_plays_and_pays_by_result_or_by_turn():
    game = make_game("nim", heaps=(1, 2))
    for rewards, expected in (("result", [0.0, 1.0]), ("turn", [1.0, 1.0])):
        env = TextEnv(game, "optimal", seat=0, rewards=rewards, render_mode="ansi")
        observation, info = env.reset(seed=1)
        assert (observation, info) == (
            "normal heaps 1 2 move", {"prompt_version": 3, "seat": 0},
        )  # fmt: skip
        paid, over = [], False
        choose = best(game, game)
        while not over:
            numbers = [int(word) for word in observation.split() if word.isdecimal()]
            observation, earned, over, truncated, info = env.step(choose(np.array(numbers)))
            assert observation in env.observation_space
            assert env.render() == observation
            assert not truncated
            assert info["kind"] == "kept_win"
            paid.append(earned)
        assert paid == expected
        assert observation == "The game is over. You win."
    env = TextEnv(game, seat=0, rewards="turn")
    env.reset(seed=0, options={"position": (1, 1)})
    assert env.step("heap 0: take 1")[1] == 0.0
    with pytest.raises(InvalidResetError, match="position"):
        env.reset(options={"start": (1, 1)})
    with pytest.raises(ValueError, match="rewards must be one of"):
        TextEnv(game, rewards="both")


def test_a_conversation_tells_the_rules_once():
    game = make_game("nim", heaps=(1, 2))
    play = TextGame(game, seat=0, style="conversation", answer="tag", retries=1)
    for _ in range(2):
        first = play.reset((1, 2))
        assert first == prompt(game, (1, 2), "sentences", answer="tag")
        assert play.opening(first) == first
        again = play.reply("heap 1: take 1")
        assert (again.verdict.kind, again.prompt) == ("format", prompt(game, (1, 2), "position"))
        turn = play.reply("That wins. <move>heap 1: take 1</move>")
        assert turn.prompt == prompt(game, play.position, "position")
        assert turn.prompt.startswith("Now heap 0 has ")
    assert [turn.prompt for turn in play.replay(play.transcript)] == [again.prompt, turn.prompt]
    short = TextGame(game, seat=0)
    assert short.opening(short.reset((1, 2))).splitlines() == [
        f"{rules_text(game)} A move is written heap <number>: take <number>.",
        "normal heaps 1 2 move",
    ]
    env = TextEnv(game, seat=0, style="conversation", answer="tag")
    observation, _ = env.reset(seed=1, options={"position": (1, 2)})
    assert observation == first
    assert env.observation_space.contains(observation)
    assert env.step("<move>heap 1: take 1</move>")[4]["kind"] == "kept_win"
