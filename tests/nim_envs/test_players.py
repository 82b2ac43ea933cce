"""Whoever plays is asked in one way: as the policy of a score, as an opponent and in matches."""

import functools

import numpy as np
import pettingzoo
import pytest
from pettingzoo.classic import tictactoe_v3

from agents import RandomAgent
from agents.match import play_match
from nim_envs import make_game, optimality
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPolicyError,
    InvalidPositionError,
)
from nim_envs.registry import make_vector, make_versus
from nim_envs.scoring import best_response, expected_scores

HEAPS = (3, 4, 5)
NIM = make_game("nim", heaps=HEAPS)


def no_move(observations, masks):
    return np.full(len(masks), -1)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def first_shares(observations, masks):
    return np.eye(masks.shape[1])[masks.argmax(axis=1)]


def first_of_three(observations, masks, rng):
    return first_legal(observations, masks).tolist()


class Called:
    def __call__(self, observations, masks):
        return first_shares(observations, masks).astype(np.float32)


class Probable:
    def action_probabilities(self, observations, action_masks):
        return first_shares(observations, action_masks)


class Moves:
    """Takes one of the first heap that is there."""

    def move(self, position):
        first = next(i for i, heap in enumerate(position) if heap)
        return [heap - (i == first) for i, heap in enumerate(position)]


class Acts:
    def act(self, observation, action_mask, rng):
        return int(action_mask.argmax())


class ActsByShares:
    def act(self, observation, action_mask, rng):
        return first_shares(observation, action_mask[np.newaxis])[0]


FIRSTS = [
    first_legal, first_shares, first_of_three, Called(), Probable(), Moves(), Acts(),
    ActsByShares(), lambda observations, masks, rng: first_shares(observations, masks),
    lambda *turn: first_legal(*turn[:2]), functools.partial(first_legal), Moves().move,
]  # fmt: skip


def matches_env(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS, **arguments)


def sometimes_none(observations, masks):
    """The first legal action, and no legal move where the first heap is empty."""
    return np.where(observations[:, 0] > 0, masks.argmax(axis=1), -1)


@functools.cache
def rewards_against(opponent, seat=1, **arguments):
    """The rewards of some games of the last legal move, one by one and in a batch."""
    env = make_versus("nim", heaps=HEAPS, opponent=opponent, seat=seat, **arguments)
    envs = make_vector("nim", 5, heaps=HEAPS, opponent=opponent, seat=seat, **arguments)
    line = []
    for game in range(6):
        _, info = env.reset(seed=7 if game == 0 else None)
        ended = False
        while not ended:
            action = int(np.flatnonzero(info["action_mask"])[-1])
            _, reward, ended, _, info = env.step(action)
            line.append(reward)
    _, infos = envs.reset(seed=7)
    for _ in range(12):
        masks = infos["action_mask"]
        actions = np.where(masks.any(axis=1), 14 - masks[:, ::-1].argmax(axis=1), 0)
        _, rewards, *_, infos = envs.step(actions)
        line.extend(rewards.tolist())
    return line


@pytest.mark.parametrize("player", FIRSTS, ids=lambda player: getattr(player, "__name__", None))
def test_every_scored_player_can_be_an_opponent_and_play_matches(player):
    assert str(optimality(player, NIM)) == str(optimality(first_legal, NIM))
    assert rewards_against(player) == rewards_against(first_of_three)
    assert rewards_against(player, seat=0) == rewards_against(first_of_three, seat=0)
    assert {-1, 0, 1} == {*rewards_against(player), *rewards_against(player, seat=0)}
    results = [
        play_match(matches_env(start="uniform"), *pair, 10, seed=3)
        for each in (player, Acts())
        for pair in ((each, last_legal), (last_legal, each))
    ]
    assert results[:2] == results[2:]


def test_a_score_looks_for_probabilities_first_and_a_game_for_an_act():
    def answering(*methods):
        asked = []

        def act(self, observation, mask, rng):
            asked.append("act")
            return int(mask.argmax())

        def action_probabilities(self, observations, masks):
            asked.append("action_probabilities")
            return first_shares(observations, masks)

        def move(self, position):
            asked.append("move")
            return Moves().move(position)

        def __call__(self, observations, masks, rng):  # noqa: N807 - becomes a method
            asked.append("__call__")
            return masks.argmax(axis=1)

        known = {m.__name__: m for m in (act, action_probabilities, move, __call__)}
        return type("Player", (), {name: known[name] for name in methods})(), asked

    scored = ["action_probabilities", "move", "act", "__call__"]
    played = ["act", "action_probabilities", "move", "__call__"]
    for first in range(4):
        player, asked = answering(*scored[first:])
        optimality(player, NIM)
        assert set(asked) == {scored[first]}
        for env in (make_versus, lambda *a, **k: make_vector(*a, 3, **k)):
            player, asked = answering(*played[first:])
            env("nim", heaps=HEAPS, opponent=player, seat=1).reset(seed=0)
            assert set(asked) == {played[first]}
        player, asked = answering(*played[first:])
        play_match(matches_env(), player, RandomAgent(), 1, seed=0)
        assert set(asked) == {played[first]}


def test_the_number_of_required_parameters_decides_how_a_function_is_asked():
    def optional(observations, masks, rng="none"):
        assert rng == "none"
        return masks.argmax(axis=1)

    def optional_masks(observations, action_masks=None):
        return action_masks.argmax(axis=1)

    def drawing(observations, masks, rng):
        return (masks * rng.random(masks.shape)).argmax(axis=1)

    class Module:
        """As those of PyTorch: a call takes anything, and ``forward`` says what."""

        def __call__(self, *arguments, **keywords):
            return self.forward(*arguments, **keywords)

        def forward(self, observations, masks):
            return masks.argmax(axis=1)

    for player in (optional, Module()):
        assert rewards_against(player) == rewards_against(first_of_three)
        assert optimality(player, NIM).percent == optimality(first_legal, NIM).percent
    assert optimality(optional_masks, NIM).percent == optimality(first_legal, NIM).percent
    one, again, other = (optimality(drawing, NIM, seed=seed, samples=1) for seed in (1, 1, 2))
    assert one.blunders.tolist() == again.blunders.tolist() != other.blunders.tolist()

    def wrong(one, two, three, four):
        return 0

    with pytest.raises(TypeError, match="takes observations and action masks"):
        optimality(wrong, NIM)
    with pytest.raises(InvalidGameError, match="takes observations and action masks"):
        make_versus("nim", opponent=wrong)


def test_a_function_of_a_position_of_one_coordinate_may_return_an_integer():
    row = make_game("nim", heaps=(5,), max_take=2)
    score = optimality(lambda row: (row[0] - 1,), row)
    assert str(optimality(lambda row: row[0] - 1, row)) == str(score)
    assert score.percent == 50.0  # of rows of 1, 2, 4 and 5
    said = r"at \(1,\): <lambda>\(\) must return .*, a tuple of integers like \(1,\), .* not None"
    with pytest.raises(InvalidPolicyError, match=said):
        optimality(lambda row: None, row)
    with pytest.raises(
        InvalidPolicyError, match=r"a tuple of integers like \(.*\), from which it moves, not 2"
    ):
        optimality(lambda heaps: 2, NIM)


def test_probabilities_are_drawn_from_with_the_seed_of_the_environment():
    def halves(observations, masks):
        # Nobody asks about games in which it is not to move.
        assert masks.any(axis=1).all()
        return masks / masks.sum(axis=1, keepdims=True)

    assert rewards_against(halves) == rewards_against(halves)
    number = 4_000
    envs = make_vector("nim", number, heaps=(2, 3), opponent=halves, seat=1)
    after = envs.reset(seed=0)[0]["observation"]
    _, counts = np.unique(after, axis=0, return_counts=True)
    assert counts / number == pytest.approx([0.2] * 5, abs=0.03)


def test_an_opponent_may_overwrite_its_arguments():
    def spoiling(player):
        def opponent(observations, masks, rng):
            answer = player(observations, masks, rng)
            observations[:], masks[:] = 0, 1
            return answer

        return opponent

    expected = rewards_against(first_of_three)
    assert rewards_against(spoiling(first_of_three)) == expected
    assert rewards_against(spoiling(first_of_three), truth_in_info=True) == expected

    class Spoils:
        def act(self, observation, action_mask, rng):
            action = int(action_mask.argmax())
            observation[:], action_mask[:] = 0, 1
            return action

    assert rewards_against(Spoils()) == expected
    plain, dirty = (play_match(matches_env(), p, Acts(), 6, seed=1) for p in (Acts(), Spoils()))
    assert plain == dirty


@pytest.mark.parametrize(
    "answer",
    [lambda m: m * 0.5,
    lambda m: ["a"] * len(m),
    lambda m: None],
)  # fmt: skip
@pytest.mark.parametrize("generator", [False, True])
def test_an_opponent_or_player_that_answers_nonsense_is_one_clear_error(answer, generator):
    player = (lambda o, m, rng: answer(m)) if generator else (lambda o, m: answer(m))
    for env in (make_versus("nim", opponent=player), make_vector("nim", 1, opponent=player)):
        env.reset(seed=0)
        with pytest.raises(InvalidActionError, match="the opponent's action"):
            env.step([0] if hasattr(env, "num_envs") else 0)
    with pytest.raises(InvalidActionError, match="action"):
        play_match(matches_env(), player, RandomAgent(), 1, seed=0)


@pytest.mark.parametrize("nobody", ["optimal", RandomAgent, None])
def test_names_numbers_and_classes_neither_are_scored_nor_play_matches(nobody):
    for score in (optimality, best_response):
        with pytest.raises(TypeError, match=r"a policy must be.*action_probabilities, move or act"):
            score(nobody, NIM)
    with pytest.raises(TypeError, match="a match is played by agents"):
        play_match(matches_env(), RandomAgent(), nobody, 1, seed=0)


def test_a_player_that_moves_needs_to_know_the_position():
    with pytest.raises(TypeError, match="only environments of nim_envs"):
        play_match(tictactoe_v3.env(), Moves(), RandomAgent(), 1, seed=0)
    assert play_match(tictactoe_v3.env(), first_legal, RandomAgent(), 3, seed=0).games == 3
    with pytest.raises(InvalidActionError, match="knows no forfeits"):
        play_match(tictactoe_v3.env(), no_move, RandomAgent(), 1, seed=0)


def test_an_action_of_minus_1_is_an_illegal_move_in_scores():
    score = optimality(no_move, NIM)
    assert (score.percent, score.illegal_percent, len(score.blunders)) == (0, 100, 102)
    assert (best_response(no_move, NIM).waiting[1:] == 1).all()
    assert (expected_scores(no_move, first_legal, NIM).moving == 0).all()
    empty = [row for row in NIM.positions().tolist() if row[0] == 0 and row[1] != row[2]]
    partly, whole = optimality(sometimes_none, NIM), optimality(first_legal, NIM)
    assert partly.illegal_percent == pytest.approx(100 * len(empty) / 102)
    others = optimality(first_legal, NIM, [row for row in NIM.positions() if row[0] > 0])
    assert partly.percent == pytest.approx(others.percent * others.count / whole.count)
    # A game of one action and no illegal one: it is a blunder all the same.
    single = optimality(no_move, make_game("nim", heaps=(1,)))
    assert (single.illegal_percent, single.blunders.tolist()) == (100, [[1]])


class SaysNothing:
    def act(self, observation, action_mask, rng):
        return -1


@pytest.mark.parametrize(
    "opponent",
    [no_move, lambda o, m, rng: [-1] * len(m), SaysNothing()],
    ids=["function", "with a generator", "agent"],
)
def test_an_opponent_that_names_no_legal_move_forfeits(opponent):
    # On 5-5-5 no action of the space is illegal.
    env = make_versus("nim", heaps=(5, 5, 5), opponent=opponent, truth_in_info=True)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["winner"]) == (1, True, False, 0)
    assert not observation["action_mask"].any()
    envs = make_vector("nim", 3, heaps=(5, 5, 5), opponent=opponent, truth_in_info=True)
    envs.reset(seed=0)
    _, rewards, terminations, truncations, infos = envs.step([0, 1, 2])
    assert (rewards.tolist(), terminations.all(), truncations.any()) == ([1, 1, 1], True, False)
    assert infos["winner"].tolist() == [0, 0, 0]
    strict = {"heaps": (5, 5, 5), "opponent": opponent, "illegal_move": "raise"}
    env = make_versus("nim", **strict)
    env.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"the opponent's action -1 \(no legal move\)"):
        env.step(0)
    envs = make_vector("nim", 3, **strict)
    envs.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"action -1 \(no legal move\) in environment 0"):
        envs.step([0, 1, 2])


@pytest.mark.parametrize("player", [no_move, SaysNothing()], ids=["function", "agent"])
def test_a_player_that_names_no_legal_move_loses_its_matches(player):
    result = play_match(matches_env(), player, RandomAgent(), 6, seed=0)
    assert (result.wins, result.draws) == ((0, 0), 0)
    assert play_match(matches_env(), RandomAgent(), player, 6, seed=0).win_rate == 1
    with pytest.raises(IllegalMoveError, match="no legal move"):
        play_match(matches_env(illegal_move="raise"), RandomAgent(), player, 1, seed=0)


def test_an_opponent_whose_illegal_moves_end_every_game_at_once_is_named():
    arguments = {
        "heaps": (3, 3),
        "start": (2, 3),
        "opponent": lambda o, m, rng: np.full(len(m), 2),
        "seat": 1,
    }
    foul = r"an illegal one forfeits: the last action 2 \(heap 0: take 3\) is illegal at \[2, 3\]"
    for env in (make_versus("nim", **arguments), make_vector("nim", 2, **arguments)):
        with pytest.raises(InvalidPositionError, match=foul):
            env.reset(seed=0)
    # Where a legal move ends every game the starts are at fault.
    for opponent in ("optimal", first_legal, lambda o, m, rng: m.argmax(axis=1)):
        arguments = {"heaps": (1,), "opponent": opponent, "seat": 1}
        for env in (make_versus("nim", **arguments), make_vector("nim", 2, **arguments)):
            with pytest.raises(InvalidPositionError, match="these starts leave no move"):
                env.reset(seed=0)
