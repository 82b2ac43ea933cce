"""Every learner's update on hand-computed numbers, and that it learns."""

from __future__ import annotations

import math

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

from agents import (
    SARSA,
    ActorCritic,
    DoubleQLearning,
    EpsilonOptimalAgent,
    ExpectedSARSA,
    GradientBandit,
    Learner,
    MonteCarloES,
    NaturalPolicyGradient,
    NimSumShaping,
    Policy,
    QLearning,
    RealTimeDynamicProgramming,
    Transition,
    WinLossRatio,
)
from agents.evaluation import SEATS, optimality
from agents.learners.double_q_learning import double_q_update
from agents.learners.sarsa import epsilon_greedy_value
from agents.tabular.replay import Replay, add_turn, drawn_turn, turns_due
from agents.tabular.schedules import Decay, Exploration, harmonic
from agents.training import train
from nim_envs import make_game

BOX = spaces.Box(low=0, high=5, shape=(1,), dtype=np.int64)
TWO = spaces.Discrete(2)
ONE = np.ones(2, dtype=np.int8)
NONE = np.zeros(2, dtype=np.int8)
BOTH = np.array([0, 1])
NOTHING = np.array([], dtype=np.int64)


def turn(position, action, *, reply=0, following=0, reward=0.0, reply_reward=0.0, seat=0,
         legal=ONE, reply_legal=ONE, next_legal=ONE, end=False):  # fmt: skip
    """A turn; ``end`` says that the opponent's reply, or the move itself, ended the game."""
    if reward:
        reply_legal = NONE
    return Transition(
        seat=seat,
        observation=np.array([position]),
        action_mask=legal,
        action=action,
        reward=reward,
        reply_observation=np.array([reply]),
        reply_action_mask=reply_legal,
        reply_reward=reply_reward,
        next_observation=np.array([following]),
        next_action_mask=NONE if end or reward else next_legal,
        terminated=bool(end or reward),
    )


def with_table(agent, rows):
    for position, row in rows.items():
        agent.table[position] = row
    return agent


@pytest.mark.parametrize(
    ("bootstrap", "target"),
    [
        ("negamax", -0.9 * 0.7),  # the opponent's best, with a minus sign
        ("own_turn", 0.9 * 0.3),  # the mover's own best, two plies on
        ("opponent_max", 0.9 * 0.7),  # the published sign
    ],
)
def test_q_learning_bootstraps_as_named(bootstrap, target):
    agent = QLearning(BOX, TWO, bootstrap=bootstrap, learning_rate=0.5, discount=0.9)
    with_table(agent, {2: [0.1, 0.7], 4: [0.3, -0.2], 1: [0.2, 0.0]})
    agent.update(turn(1, 0, reply=2, following=4))
    assert agent.table[1].tolist() == pytest.approx([0.2 + 0.5 * (target - 0.2), 0.0])


@pytest.mark.parametrize(
    ("bootstrap", "target"),
    [("negamax", -0.7), ("own_turn", -1.0), ("opponent_max", 0.7 - 1.0)],
)
def test_q_learning_of_a_move_whose_reply_ended_the_game(bootstrap, target):
    agent = QLearning(BOX, TWO, bootstrap=bootstrap)
    with_table(agent, {2: [0.1, 0.7], 4: [9.0, 9.0]})
    agent.update(turn(1, 0, reply=2, following=4, reply_reward=-1.0, end=True))
    assert agent.table[1, 0] == pytest.approx(target)


def test_rewards_come_in_the_units_asked_for():
    agent = QLearning(
        BOX, TWO, bootstrap="opponent_max", win_reward=100.0, loss_reward=0.0, discount=0.8
    )
    agent.update(turn(1, 0, reward=1.0))
    agent.update(turn(2, 1, reply=3, reply_reward=-1.0, end=True))
    assert agent.table[1, 0] == 100.0
    assert agent.table[2, 1] == 0.0
    agent.update(turn(4, 1, reply=1))
    assert agent.table[4, 1] == pytest.approx(80.0)


def test_initial_values_follow_the_seed():
    first, second, other = (
        QLearning(BOX, TWO, initial_range=0.01, seed=seed).table for seed in (1, 1, 2)
    )
    assert (first == second).all()
    assert (first != other).any()
    assert (abs(first) <= 0.01).all()
    assert first.any()


def test_replay_learns_from_old_turns_when_it_is_time():
    agent = QLearning(BOX, TWO, learning_rate=0.5, replay=Replay(capacity=1, batch=3, interval=2))
    agent.update(turn(1, 0, reward=1.0))
    assert agent.table[1, 0] == 0.5
    agent.update(turn(1, 0, reward=1.0))
    assert agent.table[1, 0] == 0.75
    # Two games have ended: three more steps, each half of the way to 1.
    agent.update(turn(1, 0, reward=1.0))
    assert agent.table[1, 0] == pytest.approx(1 - 0.125 * 0.5**3)
    with pytest.raises(ValueError, match="batch"):
        Replay(batch=0)


def test_replay_forgets_the_oldest_turn_first():
    buffer = QLearning(BOX, TWO, replay=Replay(capacity=2, batch=50, interval=1)).buffer
    for position in (1, 2, 3):
        add_turn(buffer, position, 0, 0.0, 0, BOTH)
    assert turns_due(buffer, 1) == 50
    assert {buffer.positions[drawn_turn(buffer, uniform)] for uniform in (0.1, 0.9)} == {2, 3}
    assert turns_due(buffer, 1) == 0


def test_sarsa_waits_for_the_next_action():
    agent = with_table(SARSA(BOX, TWO, learning_rate=0.5, discount=0.9), {4: [0.3, -0.4]})
    agent.update(turn(1, 0, reply=2, following=4))
    assert agent.table[1, 0] == 0
    agent.update(turn(5, 1, seat=1))  # the other seat's turn is not the next action
    assert agent.table[1, 0] == 0
    agent.update(turn(4, 1, reply_reward=-1.0, end=True))
    assert agent.table[1, 0] == pytest.approx(0.5 * 0.9 * -0.4)
    assert agent.table[4, 1] == pytest.approx(-0.4 + 0.5 * (-1 + 0.4))
    agent.update(turn(3, 0))
    agent.update(turn(2, 0, reward=1.0))
    assert agent.table[2, 0] == 0.5


def test_expected_sarsa_takes_the_mean_over_its_policy():
    agent = ExpectedSARSA(BOX, TWO, learning_rate=0.5, discount=0.9, epsilon=0.2)
    with_table(agent, {4: [0.5, -0.3]})
    agent.update(turn(1, 0, following=4))
    mean = 0.8 * 0.5 + 0.2 * (0.5 - 0.3) / 2
    assert agent.table[1, 0] == pytest.approx(0.5 * 0.9 * mean)
    agent.update(turn(2, 1, following=4, reply_reward=-1.0, end=True))
    assert agent.table[2, 1] == -0.5
    values, legal = np.array([2.0, 8.0]), np.array([0])
    assert epsilon_greedy_value(values, legal, 0.5) == 2.0


def test_double_q_values_one_tables_choice_by_the_other():
    chooser, judge = np.zeros((2, 2)), np.zeros((2, 2))
    chooser[1], judge[1] = [0.2, 0.9], [5.0, 0.4]
    double_q_update(chooser, judge, 0, 1, 0.0, 1, BOTH, 0.5, 0.9, 0.0)
    assert chooser[0].tolist() == pytest.approx([0.0, 0.5 * -0.9 * 0.4])
    assert not judge[0].any()
    double_q_update(chooser, judge, 0, 0, 1.0, 1, NOTHING, 0.5, 0.9, 0.0)
    assert chooser[0, 0] == 0.5
    agent = DoubleQLearning(BOX, TWO)
    for _ in range(50):
        agent.update(turn(1, 0, reward=1.0))
    assert [table[1, 0] for table in agent.tables] == [1.0, 1.0]
    assert agent.table[1, 0] == 1.0


def test_monte_carlo_averages_first_visits_and_starts_at_random():
    agent = MonteCarloES(BOX, TWO)
    agent.update(turn(1, 0))
    agent.update(turn(3, 1, reward=1.0))
    agent.update(turn(1, 0, reply_reward=-1.0, end=True))
    assert agent.table[1, 0] == 0.5
    assert agent.table[3, 1] == 1.0
    assert agent.visits[1, 0] == 2
    assert agent.exploration.epsilon == pytest.approx(1 / 3)
    rng = np.random.default_rng(0)
    agent.table[3] = [0.0, 1.0]
    firsts, seconds = set(), []
    for _ in range(200):
        firsts.add(agent.act(np.array([3]), ONE, rng))
        seconds.append(agent.act(np.array([3]), ONE, rng))
        agent.update(turn(5, 0, reward=1.0))
    assert firsts == {0, 1}
    assert np.mean(seconds[50:]) > 0.95  # epsilon is below 1/50 by then


def test_win_loss_ratio_counts_every_turn_and_forgets_as_told():
    agent = WinLossRatio(BOX, TWO)
    agent.update(turn(1, 0))
    agent.update(turn(2, 1, seat=1))
    agent.update(turn(3, 0, reward=1.0))
    agent.update(turn(2, 0, seat=1, reply_reward=-1.0, end=True))
    assert agent.wins[[1, 3], 0].tolist() == [1, 1]
    assert agent.losses[2].tolist() == [1, 1]
    agent.wins[4], agent.losses[4] = [6.0, 0.0], [2.0, 0.0]
    probabilities = agent.action_probabilities(np.array([[4]]), ONE[None])[0]
    assert probabilities.tolist() == [0.75, 0.25]  # 6/2 against 1/1
    legal = np.array([0, 1], dtype=np.int8)
    assert agent.action_probabilities(np.array([[4]]), legal[None])[0].tolist() == [0, 1]
    forgetful = WinLossRatio(BOX, TWO, forgetting=0.25)
    forgetful.wins[1], forgetful.losses[1] = [8.0, 4.0], [0.0, 4.0]
    forgetful.update(turn(1, 1, reward=1.0))
    assert forgetful.wins[1].tolist() == [6.0, 4.0]
    assert forgetful.losses[1].tolist() == [0.0, 3.0]


def test_win_loss_ratio_crystallises_above_its_threshold():
    rng = np.random.default_rng(0)
    agent = WinLossRatio(BOX, TWO, crystallise=0.7)
    agent.wins[4], agent.losses[4] = [6.0, 0.0], [2.0, 0.0]
    assert {agent.act(np.array([4]), ONE, rng) for _ in range(100)} == {0}
    agent.losses[4, 0] = 3.0  # 2 to 1: two thirds, not over the threshold
    acts = [agent.act(np.array([4]), ONE, rng) for _ in range(3000)]
    assert abs(np.mean(acts) - 1 / 3) < 5 * (2 / 9 / 3000) ** 0.5


def test_actor_critic_moves_critic_and_actor_by_the_same_error():
    agent = ActorCritic(BOX, TWO, actor_rate=0.5, critic_rate=0.1, discount=0.9)
    agent.values[1], agent.values[2] = 0.3, -0.4
    agent.update(turn(1, 0, reply=2))
    error = 0.9 * 0.4 - 0.3
    assert agent.values[1] == pytest.approx(0.3 + 0.1 * error)
    assert agent.preferences[1].tolist() == pytest.approx([0.25 * error, -0.25 * error])
    agent.update(turn(4, 1, reply=2, reward=1.0))
    assert agent.values[4] == pytest.approx(0.1)
    assert agent.preferences[4].tolist() == pytest.approx([-0.25, 0.25])


def test_natural_policy_gradient_adds_the_advantages():
    agent = NaturalPolicyGradient(BOX, TWO, actor_rate=0.5, critic_rate=0.2, discount=0.9)
    agent.preferences[2] = [math.log(3), 0.0]  # probabilities 3/4 and 1/4
    agent.action_values[2] = [0.4, -0.8]
    agent.action_values[1] = [0.0, 0.6]
    agent.update(turn(1, 0, reply=2))
    value = 0.2 * -0.9 * (0.75 * 0.4 - 0.25 * 0.8)
    assert agent.action_values[1].tolist() == pytest.approx([value, 0.6])
    mean = (value + 0.6) / 2
    assert agent.preferences[1].tolist() == pytest.approx(
        [0.5 * (value - mean), 0.5 * (0.6 - mean)]
    )
    agent.update(turn(4, 1, reply=2, reward=1.0))
    assert agent.action_values[4].tolist() == pytest.approx([0.0, 0.2])


@pytest.mark.parametrize("misere", [False, True])
def test_afterstate_values_back_up_from_the_options(misere):
    game = make_game("nim", heaps=(2, 1), misere=misere)
    agent = RealTimeDynamicProgramming(game, learning_rate=0.5)
    end = 1.0 if misere else -1.0
    # Positions in mixed radix: (0,0), (0,1), (1,0), (1,1), (2,0), (2,1).
    assert agent.values.tolist() == [end, 0, 0, 0, 0, 0]
    agent.values[1:] = [0.1, 0.2, 0.3, 0.4, 0.5]
    legal = game.rules.action_mask(np.array([2, 0]))
    step = turn(0, 0)._replace(observation=np.array([2, 0]), action_mask=legal)
    agent.update(step)
    # From (2, 0): to (1, 0), worth -0.2, or to (0, 0), worth minus the end.
    assert agent.values[4] == pytest.approx(0.4 + 0.5 * (max(-0.2, -end) - 0.4))
    assert agent.values[[0, 1, 2, 3, 5]].tolist() == [end, 0.1, 0.2, 0.3, 0.5]


def test_sweeping_raises_the_positions_before_one_that_turned_out_lost():
    game = make_game("nim", heaps=(2, 2))
    agent = RealTimeDynamicProgramming(game, learning_rate=0.5, sweeping=True)
    at = game.rules.indices
    for position in ((0, 1), (1, 0)):
        agent.values[at(np.array(position))] = 1.0
    here = np.array([1, 1])
    step = turn(0, 0)._replace(observation=here, action_mask=game.rules.action_mask(here))
    agent.update(step)
    # Both options of (1, 1) win for the opponent: it falls by half of the way to -1, and
    # those one move before it, (2, 1) and (1, 2), rise by half of the way to 0.5.
    assert agent.values[at(here)] == -0.5
    values = {tuple(p): agent.values[at(p)] for p in game.rules.lattice()}
    expected = dict.fromkeys(values, 0.0) | {
        (0, 0): -1.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): -0.5, (2, 1): 0.25, (1, 2): 0.25,
    }  # fmt: skip
    assert values == expected
    # What rose is no news to the positions before; and a value only falls where it is to.
    agent.values[at(np.array([2, 1]))] = 0.9
    agent.update(step)
    assert agent.values[at(np.array([2, 1]))] == 0.9
    assert agent.values[at(np.array([1, 2]))] == pytest.approx(0.25 + 0.5 * (0.75 - 0.25))


def test_nim_sum_shaping_pays_for_leaving_nim_sum_zero_and_nothing_else():
    class Told:
        def update(self, transition):
            self.reward = transition.reward

        def act(self, observation, action_mask, rng):
            return 1

        def greedy(self):
            return "greedy"

    shaped = NimSumShaping(Told(), bonus=10.0)
    assert isinstance(shaped, Learner)
    for after, reward in (((3, 3), 10.0), ((3, 2), 0.0), ((0, 0), 10.0)):
        shaped.update(turn(1, 0)._replace(reply_observation=np.array(after)))
        assert shaped.learner.reward == reward
    assert shaped.act(None, None, None) == 1
    assert shaped.greedy() == "greedy"


def test_exploration_follows_its_schedule_by_games():
    decay = Decay(start=0.3, factor=0.5, every=2, floor=0.1)
    exploration = Exploration(decay)
    seen = []
    for _ in range(6):
        seen.append(exploration.epsilon)
        exploration.finish(0)
        exploration.finish(1)  # in self-play both seats end the same game
    assert seen == pytest.approx([0.3, 0.3, 0.15, 0.15, 0.1, 0.1])
    assert [harmonic(games) for games in (0, 1, 3)] == [1.0, 0.5, 0.25]
    with pytest.raises(ValueError, match="2"):
        Exploration(lambda games: 2.0)


def make_all(env):
    pair = env.observation_space("player_0"), env.action_space("player_0")
    return {
        "negamax": QLearning(*pair),
        "own_turn": QLearning(*pair, bootstrap="own_turn", learning_rate=0.3),
        "replay": QLearning(*pair, learning_rate=0.3, initial_range=0.01, replay=Replay()),
        "shaped": NimSumShaping(QLearning(*pair), bonus=0.1),
        "sarsa": SARSA(*pair, learning_rate=0.2),
        "expected_sarsa": ExpectedSARSA(*pair, learning_rate=0.2),
        "double_q": DoubleQLearning(*pair),
        "monte_carlo_es": MonteCarloES(*pair, epsilon=0.2),
        "win_loss_ratio": WinLossRatio(*pair),
        "forgetting": WinLossRatio(*pair, forgetting=0.02),
        "afterstate": RealTimeDynamicProgramming(env.game),
        "actor_critic": ActorCritic(*pair),
        "natural_policy_gradient": NaturalPolicyGradient(*pair),
    }


ENV = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 3), start="uniform")
NAMES = sorted(make_all(ENV))


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_learns_a_small_game_whole(name):
    agent = make_all(ENV)[name]
    assert isinstance(agent, Learner)
    train(ENV, agent, 4_000, seed=0, progress=False)
    greedy = agent.greedy()
    assert isinstance(greedy, Policy)
    score = optimality(greedy, ENV.game)
    assert score.percent == 100
    assert score.illegal_percent == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_repeats_itself_with_the_same_seed(name):
    runs = []
    for seed in (4, 4, 5):
        agent = make_all(ENV)[name]
        log = train(ENV, agent, 150, seed=seed, progress=False)
        inner = getattr(agent, "learner", agent)
        tables = {
            key: value.tolist()
            for key, value in vars(inner).items()
            if isinstance(value, np.ndarray) and not key.startswith("_")
        }
        runs.append((log.winners.tolist(), log.lengths.tolist(), tables))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize("name", NAMES)
def test_greedy_policies_do_as_they_say_and_learn_no_more(name):
    agent = make_all(ENV)[name]
    train(ENV, agent, 50, seed=0, progress=False)
    greedy = agent.greedy()
    rules = ENV.game.rules
    lattice = rules.lattice()
    playable = lattice[~rules.is_terminal(lattice)]
    masks = rules.action_mask(playable)
    chances = greedy.action_probabilities(playable, masks)
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(playable)))
    rng = np.random.default_rng(0)
    for position, mask, row in zip(playable, masks, chances, strict=True):
        acts = {greedy.act(position, mask, rng) for _ in range(30)}
        assert acts <= set(np.flatnonzero(row).tolist())
    train(ENV, agent, 200, seed=1, progress=False)
    assert (greedy.action_probabilities(playable, masks) == chances).all()


def test_learners_train_against_a_fixed_opponent_from_either_seat():
    for name in ("own_turn", "monte_carlo_es", "sarsa"):
        for seat in (0, 1):
            agent = make_all(ENV)[name]
            opponent = EpsilonOptimalAgent(ENV.game, 0.3)
            pair = (agent, opponent) if seat == 0 else (opponent, agent)
            train(ENV, pair, 6_000, seed=0, progress=False)
            # The second player never faces the full board.
            score = optimality(agent.greedy(), ENV.game, SEATS[seat])
            assert score.percent == 100, (name, seat)


def test_the_published_sign_keeps_the_table_from_learning():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4, 5), start="uniform")
    pair = env.observation_space("player_0"), env.action_space("player_0")
    scores = {}
    for bootstrap in ("negamax", "opponent_max"):
        agent = QLearning(*pair, bootstrap=bootstrap, learning_rate=0.3, discount=0.95)
        train(env, agent, 12_000, seed=0, progress=False)
        scores[bootstrap] = optimality(agent.greedy(), env.game).percent
    assert scores["negamax"] == 100
    assert scores["opponent_max"] < 60


@pytest.mark.parametrize("seed", range(3))
def test_the_win_loss_ratio_learner_passes_its_published_figure(seed):
    # 17 balls, take up to 3, last ball loses; 5,000 games: over 98 % at every N-position.
    env = pettingzoo.make(
        "aec", "nim_envs/subtraction", heaps=(17,), subtraction_set=(1, 2, 3), misere=True
    )
    game = env.game
    pair = env.observation_space("player_0"), env.action_space("player_0")
    plain, forgetful = WinLossRatio(*pair), WinLossRatio(*pair, forgetting=0.001)
    for agent in (plain, forgetful):
        train(env, agent, 5_000, seed=seed, progress=False)
        assert optimality(agent.greedy(), game).percent == 100
    lattice = game.rules.lattice()[1:]
    winnable = lattice[game.solution.is_winning(lattice)]
    chances = forgetful.action_probabilities(winnable, game.rules.action_mask(winnable))
    assert ((chances * game.solution.winning_mask(winnable)).sum(axis=1) > 0.98).all()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: QLearning(BOX, TWO, bootstrap="minimax"), "minimax"),
        (lambda: QLearning(BOX, TWO, initial_range=-1), "-1"),
        (lambda: WinLossRatio(BOX, TWO, forgetting=1.0), "1.0"),
        (lambda: WinLossRatio(BOX, TWO, crystallise=1.5), "1.5"),
        (lambda: ActorCritic(BOX, TWO, actor_rate=0.0), "0.0"),
        (lambda: NaturalPolicyGradient(BOX, TWO, critic_rate=2.0), "2.0"),
        (lambda: RealTimeDynamicProgramming(make_game("nim"), learning_rate=0), "0"),
        (lambda: MonteCarloES(BOX, TWO, epsilon=-0.5), "-0.5"),
    ],
)
def test_parameters_out_of_range_are_refused_by_value(make, named):
    with pytest.raises(ValueError, match=r"must be") as caught:
        make()
    assert named in str(caught.value)


def test_the_gradient_bandit_learns_the_larger_published_setting():
    env = pettingzoo.make("aec", "nim_envs/addition", k=4, n=20)
    pair = [GradientBandit(env.observation_space(s), env.action_space(s)) for s in SEATS]
    train(env, pair, 50_000, seed=0, progress=False)
    scores = [
        optimality(agent.greedy(), env.game, seat).percent
        for agent, seat in zip(pair, SEATS, strict=True)
    ]
    assert scores == [100, 100]
