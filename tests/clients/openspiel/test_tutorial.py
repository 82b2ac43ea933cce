"""The tutorial on OpenSpiel runs, with less training than a reader has patience for."""

from tests.clients.tutorials import run_tutorial


def test_the_tutorial_scores():
    names = run_tutorial("openspiel", EPISODES=2_000, SIMULATIONS=())
    scores, curve = names["scores"], names["curve"]
    assert set(scores) == {"at random", "Q-learning"}
    assert scores["at random"].percent == scores["at random"].random_percent
    assert scores["Q-learning"].percent > scores["at random"].percent
    assert len(curve) == 21
    assert curve[-1] == (2_000, scores["Q-learning"].decisive.percent)
