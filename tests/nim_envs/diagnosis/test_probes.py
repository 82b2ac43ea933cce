"""The probes are what they say: games with the right answers, in all their versions."""

import numpy as np
import pytest

from nim_envs import GameEnv, check_env, make_game
from nim_envs.diagnosis import PROBES
from nim_envs.diagnosis.probes import ACTIONS, ENDS, cut
from nim_envs.errors import InvalidGameError

BY_NAME = {probe.name: probe for probe in PROBES}
ALL = (*PROBES, cut(1), cut(3))


def value_by_hand(probe, name):
    """The value of a position to the player to move, by recursion over names alone."""
    if name in ENDS:
        return ENDS[name]
    return max(-value_by_hand(probe, after) for after in probe.tree[name].values())


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.name)
def test_right_answers_are_those_of_the_tree_and_of_the_solver(probe, version):
    solution, shown = probe.version(version).solution, probe.observed(version)
    assert len(set(shown.values())) == len(probe.tree) + len(ENDS)
    for question in probe.questions:
        after = probe.tree[question.position]
        best = value_by_hand(probe, question.position)
        right = {action for action, to in after.items() if -value_by_hand(probe, to) == best}
        assert right == question.right != set(after)
        mapped = {probe.mapped(action, version) for action in right}
        assert set(solution.keeping_actions(shown[question.position]).tolist()) == mapped
        assert solution.value(shown[question.position]) == best


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_probe_is_small_and_balanced(probe):
    assert 2 <= len(probe.tree) <= 24
    # Mirrored, too, no action is right more often than at half the questions.
    right = [
        probe.mapped(action, version)
        for version in (0, 1)
        for question in probe.questions
        for action in question.right
    ]
    assert max(np.bincount(right, minlength=ACTIONS)) <= len(right) / 2


def test_a_probe_is_an_environment_whose_starts_have_their_weights():
    probe = BY_NAME["now or later"]
    env = GameEnv(probe.game)
    check_env(env)
    shown = {look: name for name, look in probe.observed().items()}
    begun = []
    for seed in range(400):
        env.reset(seed=seed)
        begun.append(shown[tuple(env.observe("player_0")["observation"].tolist())])
    share = begun.count("sure win") / len(begun)
    assert abs(share - probe.starts.count("sure win") / len(probe.starts)) < 0.1
    assert set(begun) == set(probe.starts)


def test_probes_are_shown_as_positions_of_another_game():
    game = make_game("nim", heaps=(3, 4, 5))
    own = GameEnv(game)
    for probe in PROBES[:8]:
        env = GameEnv(probe.version(1, game))
        for agent in env.possible_agents:
            assert env.observation_space(agent) == own.observation_space(agent)
            assert env.action_space(agent) == own.action_space(agent)
        env.reset(seed=0)
        assert env.observation_space("player_0").contains(env.observe("player_0"))
    with pytest.raises(InvalidGameError, match="at least 3 actions"):
        PROBES[0].version(0, make_game("nim", heaps=(2,)))
