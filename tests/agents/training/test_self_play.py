"""Compiled self-play against the step-by-step loop: the same games, tables and generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agents.storable import STORABLE

from agents import (
    SARSA,
    ActorCritic,
    DoubleQLearning,
    ExpectedSARSA,
    GradientBandit,
    HeapSymmetry,
    MonteCarloES,
    NaturalPolicyGradient,
    NimSumShaping,
    OptimalAgent,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.tabular.replay import Replay
from agents.tabular.schedules import Decay
from agents.training import train
from agents.training.compiled.self_play import compiled_road
from nim_envs import GameEnv, make_game
from nim_envs.errors import ResetNeededError

DECAY = Decay(0.5, 0.9, 10, 0.05)

LEARNERS = {
    "negamax": lambda s, g: QLearning(*s, learning_rate=0.5, epsilon=DECAY),
    "own turn": lambda s, g: QLearning(*s, bootstrap="own_turn", learning_rate=0.5),
    "replay": lambda s, g: QLearning(
        *s, bootstrap="opponent_max", win_reward=100, loss_reward=-3, learning_rate=0.3,
        initial_range=0.01, replay=Replay(50, 5, 3),
    ),
    "shaping": lambda s, g: NimSumShaping(QLearning(*s, learning_rate=0.5), 0.3),
    "double": lambda s, g: DoubleQLearning(*s, learning_rate=0.5),
    "SARSA": lambda s, g: SARSA(*s, learning_rate=0.5, discount=0.9, epsilon=DECAY),
    "expected SARSA": lambda s, g: ExpectedSARSA(*s, learning_rate=0.5, epsilon=DECAY),
    "Monte Carlo": lambda s, g: MonteCarloES(*s),
    "win/loss ratio": lambda s, g: WinLossRatio(*s, crystallise=0.8, forgetting=0.01),
    "bandit": lambda s, g: GradientBandit(*s),
    "actor-critic": lambda s, g: ActorCritic(*s),
    "natural gradient": lambda s, g: NaturalPolicyGradient(*s),
    "symmetry": lambda s, g: HeapSymmetry(QLearning(*s, learning_rate=0.5), g),
    "afterstate, symmetry": lambda s, g: RealTimeDynamicProgramming(
        g, symmetric=True, sweeping=True, dtype="int8"
    ),
    "afterstate": lambda s, g: RealTimeDynamicProgramming(
        g, learning_rate=0.7, epsilon=DECAY, dtype="float32"
    ),
}  # fmt: skip

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("misere_nim", {"heaps": (3, 1, 3, 5), "start": "uniform"}),
    ("addition", {}),
    ("subtraction", {"heaps": (9, 2), "subtraction_set": (2, 3), "start": "balanced"}),
]

WIDER: list[tuple[str, dict[str, Any]]] = [
    ("kayles", {"heaps": (5,), "start": "uniform"}),
    ("graph", {"start": "uniform"}),
    ("sum", {"games": (("nim", {"heaps": (2,)}), ("grundy", {"heaps": (7,)}))}),
    ("sum", {"games": (("kayles", {"heaps": (3,)}), ("kayles", {"heaps": (4,)})), "misere": True}),
]
"""Games that split, graphs and sums: what the learners do with a turn is the same there."""


def arrays(learner):
    """Every array that a learner holds, in whatever it keeps them."""

    def gather(value):
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                yield from gather(part)

    inner = learner
    while hasattr(inner, "learner"):
        inner = inner.learner
    kept = {
        key: value for key, value in vars(inner).items() if key not in ("_scratch", "_unfilled")
    }
    return [array for value in kept.values() for array in gather(value)]


def run(make, game, *, seats, compiled, episodes=300, **arguments):
    env = GameEnv(make_game(game[0], **game[1]))
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    learners = tuple(make(spaces, env.game) for _ in range(seats))
    players = learners if seats == 2 else learners[0]
    log = train(env, players, episodes, seed=3, progress=False, compiled=compiled, **arguments)
    return log, learners, env


def assert_same(one, other):
    (log, learners, env), (log_, learners_, env_) = one, other
    assert log.winners.tolist() == log_.winners.tolist()
    assert log.lengths.tolist() == log_.lengths.tolist()
    assert env._rng.bit_generator.state == env_._rng.bit_generator.state
    for learner, learner_ in zip(learners, learners_, strict=True):
        for array, array_ in zip(arrays(learner), arrays(learner_), strict=True):
            assert array.tobytes() == array_.tobytes()
        for name in ("exploration", "rng"):
            part, part_ = getattr(learner, name, None), getattr(learner_, name, None)
            if name == "exploration" and part is not None:
                assert (part.ended, part.epsilon) == (part_.ended, part_.epsilon)
            if name == "rng" and part is not None:
                assert part.bit_generator.state == part_.bit_generator.state


def test_every_learner_that_can_be_saved_is_compared_here():
    env = GameEnv(make_game("nim"))
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    compared = {type(make(spaces, env.game)).__name__ for make in LEARNERS.values()}
    assert compared == set(STORABLE)


@pytest.mark.parametrize("game", GAMES, ids=[name for name, _ in GAMES])
@pytest.mark.parametrize("name", LEARNERS)
def test_compiled_games_are_the_step_by_step_games_bit_for_bit(name, game):
    for seats in (1, 2):
        steps = run(LEARNERS[name], game, seats=seats, compiled=False)
        compiled = run(LEARNERS[name], game, seats=seats, compiled=True)
        assert_same(steps, compiled)
        assert any(array.any() for array in arrays(compiled[1][0]))


@pytest.mark.parametrize("game", WIDER, ids=lambda game: str(game[1]))
@pytest.mark.parametrize("name", ["negamax", "afterstate"])
def test_games_that_split_and_sums_are_played_alike_on_both_roads(name, game):
    steps = run(LEARNERS[name], game, seats=1, compiled=False)
    assert_same(steps, run(LEARNERS[name], game, seats=1, compiled=True))


def test_two_learners_of_different_kinds_meet_in_compiled_games():
    results = []
    for compiled in (False, True):
        env = GameEnv(make_game("nim", heaps=(2, 3), start="uniform"))
        spaces = env.observation_space("player_0"), env.action_space("player_0")
        pair = (QLearning(*spaces), WinLossRatio(*spaces))
        log = train(env, pair, 200, seed=1, progress=False, compiled=compiled)
        results.append((log, pair, env))
    assert_same(*results)


def test_pauses_change_nothing(tmp_path):
    game, make = GAMES[0], LEARNERS["negamax"]
    calls: list[int] = []
    paused = run(
        make, game, seats=1, compiled=True, after_game=calls.append, after_every=70,
        checkpoint=tmp_path / "run", checkpoint_every=45,
    )  # fmt: skip
    assert calls == [70, 140, 210, 280, 300]
    assert_same(run(make, game, seats=1, compiled=True), paused)
    for later in (False, True):
        # The run goes on from its checkpoint on either road.
        on = run(
            make, game, seats=1, compiled=later, episodes=400 + 100 * later,
            checkpoint=tmp_path / "run",
        )  # fmt: skip
        assert_same(run(make, game, seats=1, compiled=False, episodes=400 + 100 * later), on)


def test_the_compiled_road_is_taken_only_where_it_leads_to_the_same():
    def road(env, *agents):
        env.reset(seed=0)
        return compiled_road(env, agents if len(agents) == 2 else agents * 2, None)

    def learner(env):
        return QLearning(env.observation_space("player_0"), env.action_space("player_0"))

    plain = GameEnv(make_game("nim", heaps=(1, 2)))
    assert road(plain, learner(plain)) is not None
    assert road(plain, learner(plain), RandomAgent()) is None
    assert road(plain, OptimalAgent(plain.game)) is None
    other = GameEnv(make_game("nim", heaps=(2, 2)))
    assert road(plain, learner(other)) is None
    assert (
        road(plain, RealTimeDynamicProgramming(make_game("nim", heaps=(1, 2), misere=True))) is None
    )
    for arguments in ({"max_cycles": 3}, {"render_mode": "ansi"}):
        limited = GameEnv(make_game("nim", heaps=(1, 2)), **arguments)
        assert road(limited, learner(limited)) is None


def test_starts_cannot_be_drawn_before_the_first_reset():
    env = GameEnv(make_game("nim"))
    with pytest.raises(ResetNeededError):
        env.next_starts(3)


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("negamax", GAMES[0]),
        ("symmetry", GAMES[0]),
        ("afterstate, symmetry", GAMES[0]),
        ("negamax", WIDER[0]),
        ("symmetry", WIDER[0]),
    ],
    ids=str,
)
def test_games_too_large_to_list_their_legal_actions_are_played_alike(name, game, monkeypatch):
    steps = run(LEARNERS[name], game, seats=1, compiled=False)
    monkeypatch.setattr("agents.training.compiled.games.LARGEST_LISTS", 0)
    assert_same(steps, run(LEARNERS[name], game, seats=1, compiled=True))
