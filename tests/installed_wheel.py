"""Steps of a user of the wheel alone: run by ``nox -s package`` away from the checkout.

Not collected by pytest: the packages of the checkout must not be importable.
"""

import importlib
import importlib.util
import warnings

import gymnasium
import pettingzoo

import nim_envs
from nim_envs import render, text
from nim_envs.errors import MissingPackageError, UnknownArgumentError
from nim_envs.registry import GAMES
from nim_envs.render import board_data


def first_legal(observations, action_masks):
    """A policy as anybody would write it."""
    return action_masks.argmax(axis=1)


def play(name):
    """Play a game in every way that needs no further package, and score a policy on it."""
    env = pettingzoo.make("aec", GAMES[name].aec_id)
    env.reset(seed=0)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(observation["action_mask"].argmax()))
    solution = env.unwrapped.game.solution
    assert isinstance(solution.is_winning(env.unwrapped.game.start), bool)
    for opponent in ("random", "optimal", 0.3, None):
        single = gymnasium.make(GAMES[name].gymnasium_id, opponent=opponent, truth_in_info=True)
        observation, info = single.reset(seed=0)
        while observation["action_mask"].any():
            observation, _, _, _, info = single.step(int(observation["action_mask"].argmax()))
        assert info["winner"] in (0, 1)
    score = nim_envs.optimality(first_legal, single)
    assert score.count > 0
    assert 0 <= score.percent <= 100
    print(f"{name}: {score}")
    report = nim_envs.diagnose(first_legal, single)
    assert report.percent == score.percent
    print(f"in text: {text.score(lambda prompts: ['pass'] * len(prompts), env.unwrapped.game)}")


def refused(error, words, function, *arguments, **named):
    """Check that a call raises an error that says certain words."""
    try:
        function(*arguments, **named)
    except error as raised:
        assert words in str(raised), raised
    else:
        raise AssertionError(f"{function} should have raised {error}")


def main():
    """Check what the wheel holds, play every game, and ask for what is not installed."""
    warnings.simplefilter("error")
    for package in ("agents", "benchmarks", "tests", "numba"):
        assert importlib.util.find_spec(package) is None, package
    for name in GAMES:
        play(name)
    install = "python -m pip install"
    refused(
        MissingPackageError,
        f'{install} "nim-envs[vector]"',
        gymnasium.make_vec,
        "nim_envs/Nim-v0",
        2,
    )
    refused(
        MissingPackageError, f'{install} "nim-envs[sb3]"', importlib.import_module,
        "nim_envs.adapters.sb3",
    )  # fmt: skip
    refused(
        MissingPackageError, f'{install} "nim-envs[notebook]"', render.widget,
        nim_envs.make_game("nim"),
    )  # fmt: skip
    assert all(path.is_file() for path in (board_data.SCRIPT, board_data.STYLE))
    refused(UnknownArgumentError, "heaps", nim_envs.make_game, "nim", heap=(3,))


if __name__ == "__main__":
    main()
