"""Arguments of environments are checked where these are made, by name and with what is allowed."""

import numpy as np
import pytest

from agents import RandomAgent
from nim_envs import GameEnv, VectorGameEnv, VersusEnv, make_game
from nim_envs.errors import InvalidGameError, NimEnvsError, SearchTooLargeError
from nim_envs.validation import check_bytes
from tests.pairwise import in_turn

GAME = make_game("nim", heaps=(3, 4))
ENVIRONMENTS = {"turn-based": GameEnv, "single": VersusEnv, "batched": VectorGameEnv}


@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ("encoding", r"encoding must be one of \('integer',.*, not ' '"),
        ("render_mode", "render_mode must be None or one of .*, not ' '"),
        ("illegal_move", r"illegal_move must be one of \('forfeit', 'raise'\), not ' '"),
        ("max_cycles", "max_cycles must be .*, not ' '"),
        ("name", "name must be a string that is not empty, not ' '"),
        ("truth_in_info", "truth_in_info must be True or False, not ' '"),
    ],
)
def test_environments_name_the_argument(make, argument, named):
    with pytest.raises(InvalidGameError, match=named):
        make(GAME, **{argument: " "})


@pytest.mark.parametrize("make", [VersusEnv, VectorGameEnv])
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        *(({"seat": seat}, r"seat must be one of \(0, 1, 'random'\)") for seat in (1.0, True, 2)),
        ({"seat": 0, "opponent": None}, "in self-play there is no seat to choose; seat was 0"),
        ({"opponent": "perfect"}, r"\('random', 'optimal'\), a probability .*, not 'perfect'"),
        ({"opponent": 1.5}, "a probability from 0 to 1, .*, not 1.5"),
        ({"opponent": RandomAgent}, "an agent, or a function, not .*RandomAgent"),
        ({"mask_in_observation": 1}, "mask_in_observation must be True or False, not 1"),
    ],
    ids=str,
)
def test_environments_with_an_opponent_name_the_argument(make, arguments, named):
    with pytest.raises(InvalidGameError, match=named):
        make(GAME, **arguments)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"num_envs": 0}, "num_envs must be an integer from 1 .*, not 0"),
        ({"copy": 1}, "copy must be True or False, not 1"),
        ({"autoreset_mode": "Sometimes"}, "autoreset_mode .*NextStep.*SameStep.*, not 'Sometimes'"),
        ({"autoreset_mode": np.array(["NextStep"])}, "autoreset_mode must be one of"),
    ],
    ids=str,
)
def test_batches_name_the_argument(arguments, named):
    with pytest.raises(InvalidGameError, match=named):
        VectorGameEnv(GAME, **arguments)


@pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_environments_take_games_alone(make):
    with pytest.raises(InvalidGameError, match=r"game must be a nim_envs\.Game, not 'nim'"):
        make("nim")


REFUSED = [
    {"options": {"start": (9, 9)}},
    {"options": {"start": "nowhere"}},
    {"options": {"other": 1}},
    {"seed": -1},
    {"seed": 7, "options": {"start": (9, 9)}},
]


@pytest.mark.parametrize(("arguments", "opponent"), in_turn(REFUSED, [None, "random"]), ids=str)
def test_a_refused_reset_leaves_the_game_as_it_was(arguments, opponent):
    def game(refused):
        env = VersusEnv(GAME, opponent=opponent, seat=None if opponent is None else 1)
        env.reset(seed=3)
        if refused:
            with pytest.raises(NimEnvsError):
                env.reset(**arguments)
        played = []
        while env._ready:
            played.append((env.position.tolist(), env.action_masks().tolist()))
            env.step(int(np.flatnonzero(env.action_masks())[0]))
        played.append(env.reset()[0]["observation"].tolist())
        return played

    assert game(refused=True) == game(refused=False)


def test_too_large_games_are_refused_with_their_size():
    with pytest.raises(SearchTooLargeError, match=r"16001 positions with 16000 actions.* at most"):
        GameEnv(make_game("nim", heaps=(16_000,)))
    with pytest.raises(SearchTooLargeError, match=r"12000001 features in encoding 'one_hot'"):
        VersusEnv(make_game("nim", heaps=(12 * 10**6,), max_take=3), encoding="one_hot")


def test_the_limit_is_what_the_user_says(monkeypatch):
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "1000")
    with pytest.raises(SearchTooLargeError, match=r"the limit is 1000 bytes .* NIM_ENVS_LARGEST"):
        GameEnv(make_game("nim", heaps=(1000,)))
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", str(2**40))
    check_bytes("tables", 2**39)
    monkeypatch.delenv("NIM_ENVS_LARGEST_BYTES")
    with pytest.raises(SearchTooLargeError, match="512 GiB"):
        check_bytes("tables", 2**39)
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "much")
    with pytest.raises(InvalidGameError, match="number of bytes, not 'much'"):
        check_bytes("tables", 1)
