"""The command that names the fault of an agent."""

import pytest

from tests.commands import run_nim_envs as run

AGENT = """
def policy(observations, masks):
    return masks.argmax(axis=1)

def train(env, games):
    for game in range(max(games, 300)):
        env.reset(seed=game)
    return policy

def with_seed(env, games, seed):
    return policy

def moves(position):
    return []

def broken(env):
    raise KeyError("my own")

number = 3

class Learner:
    act = update = greedy = None
"""


def test_agents_of_a_module_are_diagnosed_and_mistakes_are_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "agent_of_a_test.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    assert run(["diagnose", "agent_of_a_test:train"]) == 0
    brief = capsys.readouterr().out
    assert "Verdict: faulty\nFault: same action always, or " in brief
    assert "played" not in brief
    assert run(["diagnose", "agent_of_a_test:train", "--verbose", "--boards"]) == 0
    shown = capsys.readouterr().out
    assert "one move, win over draw, action 0: right [0], played 1/0/0" in shown
    assert shown.count("Score: ") == 5
    policy, game = "agent_of_a_test:policy", ["--game", "nim", "--set", "heaps=3,4,5"]
    assert run(["diagnose", policy, *game]) == 0
    scored = capsys.readouterr().out
    assert "On one game no fault is named" in scored
    # A training function is trained on the game, and what it returns is scored.
    assert run(["diagnose", "agent_of_a_test:train", *game]) == 0
    assert capsys.readouterr().out.splitlines()[0] == scored.splitlines()[0]
    for wrong, said in (
        (["agent_of_a_test"], "expected a name such as"),
        (["agent_of_a_test:number", *game], "a policy must be a function"),
        (["agent_of_a_test:number"], "a function train(env), whose other arguments have defaults"),
        (["agent_of_a_test:with_seed", *game], "takes neither an environment, as a training "),
        ([policy, "--game", "agent_of_a_test:moves"], "a function that returns a game, and"),
        ([policy], "takes 2 arguments, so it is a policy: add --game nim"),
        ([policy, "--set", "heaps=3"], "--set is for a --game"),
        (["agent_of_a_test:Learner"], "python -m agents diagnose agent_of_a_test:Learner"),
    ):
        assert run(["diagnose", *wrong]) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(RuntimeError, match="'one move' raised KeyError") as raised:
        run(["diagnose", "agent_of_a_test:broken"])
    assert raised.value.__cause__.args == ("my own",)
