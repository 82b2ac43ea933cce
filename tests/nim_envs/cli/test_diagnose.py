"""The command that names the fault of an agent."""

from __future__ import annotations

from tests.commands import run_nim_envs as run

AGENT = """
def policy(observations, masks):
    return masks.argmax(axis=1)

number = 3

class Learner:
    act = update = greedy = None
"""


def test_a_policy_of_a_module_is_diagnosed_and_mistakes_are_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "agent_of_a_test.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    policy, game = "agent_of_a_test:policy", ["--game", "nim", "--set", "heaps=3,4,5"]
    assert run(["diagnose", policy, *game]) == 0
    brief = capsys.readouterr().out
    assert "Most probable fault: same action always" in brief
    assert run(["diagnose", policy, *game, "--verbose", "--discount", "0.9"]) == 0
    assert "this fault plays otherwise" in capsys.readouterr().out
    assert "this fault plays otherwise" not in brief
    for wrong, said in (
        (["agent_of_a_test"], "expected a name such as"),
        (["agent_of_a_test:number", *game], "a policy must be a function"),
        ([policy], "takes 2 arguments, so it is a policy: add --game nim"),
        ([policy, "--set", "heaps=3"], "--set is for a --game"),
        (["agent_of_a_test:Learner"], "python -m agents diagnose agent_of_a_test:Learner"),
    ):
        assert run(["diagnose", *wrong]) == 2
        assert said in capsys.readouterr().err
