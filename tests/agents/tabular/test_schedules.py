"""Schedules of exploration."""

from __future__ import annotations

import pytest
from agents.tabular.schedules import Decay, Exploration, harmonic


def test_exploration_follows_its_schedule_by_games():
    decay = Decay(start=0.3, factor=0.5, every=2, floor=0.1)
    exploration = Exploration(decay)
    epsilons = []
    for _ in range(6):
        epsilons.append(exploration.epsilon)
        exploration.finish(0)
        exploration.finish(1)  # in self-play both seats end the same game
    assert epsilons == pytest.approx([0.3, 0.3, 0.15, 0.15, 0.1, 0.1])
    assert [harmonic(games) for games in (0, 1, 3)] == [1.0, 0.5, 0.25]
    with pytest.raises(ValueError, match="2"):
        Exploration(lambda games: 2.0)
