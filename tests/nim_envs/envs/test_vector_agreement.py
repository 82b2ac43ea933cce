"""The batched environment agrees with the turn-based one and with Gymnasium's autoreset."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from nim_envs import make_game
from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import (
    ResetNeededError,
)
from tests.nim_envs.envs.batches import MODES, mixed_actions, same
from tests.pairwise import pairwise


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


@pytest.mark.parametrize(
    ("mode", "max_cycles", "masked", "truth", "opponent"),
    pairwise(MODES, [None, 1], [False, True], [False, True], [None, first_legal]),
)
def test_every_autoreset_mode_answers_as_gymnasiums_own_vector_environment(
    mode, max_cycles, masked, truth, opponent
):
    game = make_game("nim", heaps=(1, 2, 1))
    arguments = {
        "opponent": opponent,
        "max_cycles": max_cycles,
        "mask_in_observation": masked,
        "truth_in_info": truth,
    }
    ours = VectorGameEnv(game, 4, autoreset_mode=mode, **arguments)
    theirs = SyncVectorEnv([lambda: VersusEnv(game, **arguments)] * 4, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    observations, infos = ours.reset(seed=0)
    assert same([observations, infos], theirs.reset(seed=0))
    rng = np.random.default_rng(3)
    ended, said = 0, set()
    for _ in range(60):
        actions = mixed_actions(infos["action_mask"], rng)
        answer = ours.step(actions)
        expected = theirs.step(actions)
        assert same(answer, expected)
        assert types(answer[4]) == types(expected[4])
        infos, over = answer[4], answer[2] | answer[3]
        ended += over.sum()
        said |= set(infos.get("final_info", infos)["winner"].tolist())
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(ResetNeededError, match="reset_mask"):
                ours.step(actions)
            observations, infos = ours.reset(options={"reset_mask": over.copy()})
            expected, expected_infos = theirs.reset(options={"reset_mask": over.copy()})
            assert same(observations, expected)
            assert infos.keys() == expected_infos.keys()
            for key, values in infos.items():
                assert (values[over] == expected_infos[key][over]).all()
    assert ended > 10
    assert said > {-1}


def types(infos):
    """The type of each info."""
    return {
        key: types(values) if isinstance(values, dict) else values.dtype
        for key, values in infos.items()
    }
