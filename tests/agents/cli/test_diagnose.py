"""The command that diagnoses what the leaderboard takes."""

import pytest

from tests.commands import run_agents as run

STARTERS = "docs.tutorials.my_learner"


@pytest.mark.parametrize("name", ["MyLearner", "trained_elsewhere"])
def test_the_starters_of_the_leaderboard_are_trained_and_diagnosed(name, capsys):
    assert run(["diagnose", f"{STARTERS}:{name}", "--games", "500"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Verdict: right on every probe\n")
    assert shown.count("Score: ") == 5
    assert "Trained 12 times, 500 games each" in shown


def test_a_fault_of_a_learner_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "faulty_starter.py").write_text(
        f"from {STARTERS} import MyLearner\n\n"
        "class SignLost(MyLearner):\n"
        "    def update(self, transition):\n"
        "        replies = transition.reply_legal_actions\n"
        "        target = transition.reward\n"
        "        if len(replies):\n"
        "            target = 0.8 * self.q(transition.reply_observation)[replies].max()\n"
        "        values = self.q(transition.observation)\n"
        "        values[transition.action] += 0.5 * (target - values[transition.action])\n"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["diagnose", "faulty_starter:SignLost"]) == 0
    assert "Fault: wrong sign, or " in capsys.readouterr().out


def test_policies_need_a_game_and_names_are_known(capsys):
    policy = f"{STARTERS}:first_move"
    assert run(["diagnose", policy, "--game", "nim"]) == 0
    assert "On one game no fault is named" in capsys.readouterr().out
    for words, said in (
        ([policy], "takes 2 arguments, so it is a policy: add --game nim"),
        (["sarza"], "'sarza' is none of q-learning, "),
        (["sarsa", "--game", "nim"], "--game is for a policy"),
        (["builtins:str"], "must make a learner with act, update and greedy"),
    ):
        assert run(["diagnose", *words]) == 2
        assert said in capsys.readouterr().err
