"""Each learning rule on hand-computed numbers, and figures that were published."""

import math

import numpy as np
import pytest

from agents import (
    SARSA,
    ActorCritic,
    DoubleQLearning,
    ExpectedSARSA,
    GradientBandit,
    MonteCarloES,
    NaturalPolicyGradient,
    QLearning,
    RealTimeDynamicProgramming,
    Replay,
    SampledAfterstateTD,
    WatkinsQLambda,
    WinLossRatio,
    train,
)
from nim_envs import GameEnv, make_game, optimality
from tests.agents.learning import ONES, BoxRows, feed, turn

STEP = {"learning_rate": 0.5, "discount": 0.9}


def with_table(make, rows, **arguments):
    learner = make(BoxRows(), **arguments)
    for position, row in rows.items():
        learner.table[position] = row
    return learner


# Bootstrapping from the position after the move, from the mover's next turn, or by the wrong sign.
@pytest.mark.parametrize(
    ("bootstrap", "target", "at_the_end"),
    [("negamax", -0.63, 0.0), ("own_turn", 0.27, -1.0), ("opponent_max", 0.63, -1.0)],
)
def test_q_learning_has_a_target_for_each_bootstrap(bootstrap, target, at_the_end):
    rows = {2: [0.1, 0.7], 4: [0.3, -0.2], 1: [0.2, 0.0]}
    learner = with_table(QLearning, rows, bootstrap=bootstrap, **STEP)
    feed(learner, [turn(1, 0, reply=2, following=4)])
    assert learner.table[1].tolist() == pytest.approx([0.2 + 0.5 * (target - 0.2), 0.0])
    # The reply ends the game, from a position whose values are 0.
    feed(learner, [turn(3, 0, reply=5, following=4, reply_reward=-1.0, end=True)])
    assert learner.table[3, 0] == 0.5 * at_the_end


def test_replay_learns_from_stored_turns_at_its_intervals():
    replay = Replay(capacity=1, batch=3, interval=2)
    learner = QLearning(BoxRows(), learning_rate=0.5, replay=replay)
    # Two games have ended before the third: then three more steps, each half of the way to 1.
    for expected in (0.5, 0.75, 1 - 0.5**6, 1 - 0.5**7):
        feed(learner, [turn(1, 0, reward=1.0)])
        assert learner.table[1, 0] == pytest.approx(expected)
    with pytest.raises(ValueError, match="batch"):
        Replay(batch=0)


def test_replay_draws_anew_each_time_and_bootstraps_from_legal_actions_alone():
    learner = QLearning(BoxRows(), replay=Replay(capacity=3, batch=1, interval=1))
    replayed = set()
    for game in range(60):
        learner.table[:] = 7.0
        feed(learner, [turn(game % 3, 0, end=True)])
        if game >= 3:  # the buffer is full, with each position in a place of its own
            replayed |= set(np.flatnonzero(learner.table[:, 0] != 7.0)) - {game % 3}
    assert replayed == {0, 1, 2}
    learner = with_table(QLearning, {2: [0.1, 0.7]}, replay=Replay(capacity=1, batch=1, interval=1))
    only_first = np.array([1, 0], dtype=np.int8)
    for _ in range(2):
        feed(learner, [turn(1, 0, reply=2, reply_legal=only_first, cut="after the reply")])
    assert learner.table[1, 0] == -0.1


def test_the_published_sign_keeps_the_table_from_learning():
    env = GameEnv(make_game("nim", heaps=(3, 4, 5), start="uniform"))
    scores = {}
    for bootstrap in ("negamax", "opponent_max"):
        learner = QLearning.for_env(env, bootstrap=bootstrap, learning_rate=0.3, discount=0.95)
        train(env, learner, 12_000, seed=0, progress=False)
        scores[bootstrap] = optimality(learner.greedy(), env.game).percent
    assert scores["negamax"] == 100
    assert scores["opponent_max"] < 60


def test_double_q_learning_draws_the_table_to_update_and_acts_on_their_mean():
    learner = DoubleQLearning(BoxRows(), learning_rate=0.5)
    coins, expected = np.random.default_rng(0), [0.0, 0.0]
    for _ in range(6):
        feed(learner, [turn(1, 0, reward=1.0)])
        updated = 1 if coins.random() < 0.5 else 0
        coins.random()  # breaks ties
        expected[updated] += 0.5 * (1 - expected[updated])
        assert [learner.state.first[1, 0], learner.state.second[1, 0]] == expected
        assert learner.table[1, 0] == sum(expected) / 2
    assert min(expected) > 0  # both have come


def test_double_q_learning_takes_the_other_tables_value_of_a_best_reply():
    learner = DoubleQLearning(BoxRows(), learning_rate=1.0)
    learner.state.first[2], learner.state.second[2] = [0.5, 0.5], [0.1, 0.7]
    targets = set()
    for _ in range(60):  # ties of the first table are broken at random
        feed(learner, [turn(1, 0, reply=2, cut="after the move")])
        targets.add(learner.state.first[1, 0])
    assert {-0.1, -0.7} <= targets


def test_sarsa_waits_for_the_next_action_of_its_own_game():
    learner = with_table(SARSA, {4: [0.3, -0.4]}, **STEP)
    game = [
        turn(1, 0, reply=2, following=4),
        turn(5, 1, seat=1),  # the other seat's turn is not the next action
        turn(4, 1, reply_reward=-1.0, end=True),
    ]
    feed(learner, game[:2], [turn(4, 0, reward=1.0)])  # another game
    assert not learner.table[1].any()
    learner.table[4] = [0.3, -0.4]
    feed(learner, game)
    assert learner.table[1, 0] == pytest.approx(0.5 * 0.9 * -0.4)
    assert learner.table[4, 1] == pytest.approx(-0.4 + 0.5 * (-1 + 0.4))
    assert not learner.table[5].any()


def test_expected_sarsa_learns_from_own_turn_to_own_turn():
    learner = with_table(ExpectedSARSA, {4: [0.5, -0.3]}, epsilon=0.2, **STEP)
    feed(learner, [turn(1, 0, following=4)])
    mean = 0.8 * 0.5 + 0.2 * (0.5 - 0.3) / 2
    assert learner.table[1, 0] == pytest.approx(0.5 * 0.9 * mean)
    feed(learner, [turn(2, 1, following=4, reply_reward=-1.0, end=True)])
    assert learner.table[2, 1] == -0.5


# Greedy at positions 2 and 3, or not greedy at 2: there the return is cut.
@pytest.mark.parametrize(("action", "return_2"), [(0, 0.9 * (0.2 * 0.3 + 0.8)), (1, None)])
def test_watkins_returns_reach_back_through_greedy_actions(action, return_2):
    rows = {1: [0.1, 0.4], 2: [0.6, 0.2], 3: [-0.2, 0.3]}
    learner = with_table(WatkinsQLambda, rows, trace_decay=0.8, **STEP)
    game = [turn(1, 0, following=2), turn(2, action, following=3), turn(3, 1, reward=1.0)]
    feed(learner, game)
    assert learner.table[3, 1] == pytest.approx(0.3 + 0.5 * (1 - 0.3))
    first = 0.9 * (0.6 if return_2 is None else 0.2 * 0.6 + 0.8 * return_2)
    assert learner.table[1].tolist() == pytest.approx([0.1 + 0.5 * (first - 0.1), 0.4])


def test_monte_carlo_averages_the_results_of_whole_games():
    learner = MonteCarloES(BoxRows())
    feed(learner, [turn(1, 0), turn(3, 1, reward=1.0)])
    feed(learner, [turn(1, 0, reply_reward=-1.0, end=True)])
    feed(learner, [turn(4, 0, end=True)])  # a draw
    assert (learner.table[1, 0], learner.table[3, 1], learner.table[4, 0]) == (0.5, 1.0, 0.5)
    assert learner.exploration.epsilon == pytest.approx(1 / 4)


def test_the_gradient_bandit_follows_the_gradient_of_its_softmax():
    learner = GradientBandit(BoxRows(), learning_rate=0.1, temperature=2.0)
    learner.preferences[1] = [2 * math.log(3), 0.0]
    chances = learner.action_probabilities(np.array([[1]]), ONES[None])
    assert chances[0].tolist() == pytest.approx([0.75, 0.25])
    feed(learner, [turn(1, 1, reward=1.0)])
    change = 0.05 * 0.75
    assert learner.preferences[1].tolist() == pytest.approx([2 * math.log(3) - change, change])


def test_the_gradient_bandit_learns_all_turns_of_a_seat_when_its_game_ends():
    learner = GradientBandit(BoxRows(), learning_rate=0.2)
    game = [
        turn(1, 0),
        turn(2, 1, seat=1),
        turn(4, 1, seat=1, reward=1.0),
        turn(3, 1, reply_reward=-1.0, end=True),
    ]
    feed(learner, game[:2])
    assert not learner.preferences.any()
    feed(learner, game)
    expected = [[0, 0], [-0.1, 0.1], [-0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [0, 0]]
    assert learner.preferences[:6] == pytest.approx(np.array(expected))
    assert learner.state.visits[:6].tolist() == [0, 1, 1, 1, 1, 0]
    assert learner.state.baselines[:6].tolist() == [0, -1, 1, -1, 1, 0]


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_the_actor_critic_bootstraps_from_the_position_after_the_move(cut):
    learner = ActorCritic(BoxRows(), actor_rate=0.5, critic_rate=0.1, discount=0.9)
    learner.state.critic[1], learner.state.critic[2] = 0.3, -0.4
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    error = 0.9 * 0.4 - 0.3
    assert learner.state.critic[1] == pytest.approx(0.3 + 0.1 * error)
    assert learner.preferences[1].tolist() == pytest.approx([0.25 * error, -0.25 * error])
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])  # the value where a game has ended is 0
    assert learner.state.critic[4] == pytest.approx(0.1)


@pytest.mark.parametrize("cut", ["", "after the move", "after the reply"])
def test_the_natural_gradient_follows_the_advantages(cut):
    learner = NaturalPolicyGradient(BoxRows(), actor_rate=0.5, critic_rate=0.2, discount=0.9)
    learner.preferences[2] = [math.log(3), 0.0]
    learner.state.critic[2], learner.state.critic[1] = [0.4, -0.8], [0.0, 0.6]
    feed(learner, [turn(1, 0, reply=2, cut=cut)])
    value = 0.2 * -0.9 * (0.75 * 0.4 - 0.25 * 0.8)
    assert learner.state.critic[1].tolist() == pytest.approx([value, 0.6])
    advantage = (value - 0.6) / 2
    assert learner.preferences[1].tolist() == pytest.approx([0.5 * advantage, -0.5 * advantage])
    feed(learner, [turn(4, 1, reply=2, reward=1.0)])
    assert learner.state.critic[4].tolist() == pytest.approx([0.0, 0.2])


def at(game, *position):
    """A turn at a position of a game; what follows is of no interest."""
    end = np.zeros(len(position), np.int64)
    return turn(0, 0, reward=1.0)._replace(
        observation=np.array(position), legal_actions=np.array(game.actions(position)),
        reply_observation=end, next_observation=end,
    )  # fmt: skip


@pytest.mark.parametrize("misere", [False, True])
def test_dynamic_programming_backs_up_the_options_not_the_game_played(misere):
    game = make_game("nim", heaps=(2, 1), misere=misere)
    learner = RealTimeDynamicProgramming(game, learning_rate=0.5)
    end = 1.0 if misere else -1.0
    # Positions in lexicographic order: (0,0), (0,1), (1,0), (1,1), (2,0), (2,1).
    assert learner.values.tolist() == [end, 0, 0, 0, 0, 0]
    learner.values[1:] = [0.1, 0.2, 0.3, 0.4, 0.5]
    feed(learner, [at(game, 2, 0)])
    # From (2, 0): to (1, 0), worth -0.2, or to (0, 0), worth minus the end.
    expected = 0.4 + 0.5 * (max(-0.2, -end) - 0.4)
    assert learner.values.tolist() == pytest.approx([end, 0.1, 0.2, 0.3, expected, 0.5])


def test_sweeping_raises_the_predecessors_of_a_lost_position():
    game = make_game("nim", heaps=(2, 2))
    learner = RealTimeDynamicProgramming(game, learning_rate=0.5, sweeping=True)
    row = {position: game.board.state(position) for position in np.ndindex(3, 3)}
    learner.values[[row[0, 1], row[1, 0]]] = 1.0
    learner.values[row[1, 2]] = 0.9
    feed(learner, [at(game, 1, 1)])
    # Both options of (1, 1) win for the opponent: it falls by half of the way to -1, and of those
    # one move before it (2, 1) rises by half of the way to 0.5; (1, 2), above that, stays.
    expected = dict.fromkeys(row, 0.0) | {
        (0, 0): -1.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): -0.5, (2, 1): 0.25, (1, 2): 0.9,
    }  # fmt: skip
    assert {position: learner.values[row[position]] for position in row} == expected


def test_sampled_afterstates_learn_from_those_of_replies_and_from_results():
    game = make_game("nim", heaps=(5,))
    learner = SampledAfterstateTD(game, **STEP)
    assert not learner.values.any()  # it is told of no result
    learner.values[:] = [7.0, 0.1, 0.2, 0.3, 0.4, 0.5]  # that of the end is never looked at
    feed(learner, [turn(5, 0, reply=4, following=2)])
    expected = [7.0, 0.1, 0.2, 0.3, 0.4 + 0.5 * (-0.9 * 0.2 - 0.4), 0.5]
    assert learner.values.tolist() == pytest.approx(expected)
    feed(learner, [turn(4, 0, reply=3, following=0, reply_reward=-1.0, end=True)])
    assert learner.values[3] == 0.3 + 0.5 * (1 - 0.3)
    here = np.array([[3]])
    chosen = learner.greedy().action_values(here, game.board.mask(game.board.find(here)))
    assert chosen[0].tolist() == pytest.approx([-0.2, -0.1, -7.0, -np.inf, -np.inf])


def test_the_win_loss_ratio_counts_every_turn_of_a_game_for_its_seat():
    learner = WinLossRatio(BoxRows(), forgetting=0.25)
    learner.state.wins[3] = [8.0, 4.0]
    feed(
        learner,
        [
            turn(1, 0),
            turn(2, 1, seat=1),
            turn(3, 0, reward=1.0),
            turn(4, 0, seat=1, reply_reward=-1.0, end=True),
        ],
    )
    # What was known at a position is forgotten by a quarter before the new result.
    assert learner.state.wins[:5].tolist() == [[0, 0], [1, 0], [0, 0], [7, 3], [0, 0]]
    assert learner.state.losses[:5].tolist() == [[0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    feed(learner, [turn(5, 1, end=True)])  # a draw
    assert (learner.state.wins[5, 1], learner.state.losses[5, 1]) == (0.5, 0.5)


# Wins over losses, none less than 1, are 3 to 1: above a threshold of 0.7, not of 0.8.
@pytest.mark.parametrize(("threshold", "chance"), [(1.0, 0.25), (0.8, 0.25), (0.7, 0.0)])
def test_the_win_loss_ratio_plays_in_proportion_or_above_its_threshold_the_likeliest(
    threshold, chance
):
    learner, rng = WinLossRatio(BoxRows(), greedy_threshold=threshold), np.random.default_rng(0)
    learner.state.wins[4], learner.state.losses[4] = [6.0, 0.0], [2.0, 0.0]
    probabilities = learner.action_probabilities(np.array([[4]]), ONES[None])[0]
    assert probabilities.tolist() == [1 - chance, chance]
    acts = [learner.act(np.array([4]), ONES, rng) for _ in range(3000)]
    assert abs(np.mean(acts) - chance) <= 5 * (chance * (1 - chance) / 3000) ** 0.5
    assert learner.greedy().action_probabilities(np.array([[4]]), ONES[None]).tolist() == [[1, 0]]


def test_the_win_loss_ratio_passes_its_published_figure():
    # 17 balls, take up to 3, last ball loses; 5,000 games: over 98 % at every N-position.
    game = make_game("subtraction", heaps=(17,), subtraction_set=(1, 2, 3), misere=True)
    env = GameEnv(game)
    plain, forgetful = WinLossRatio.for_env(env), WinLossRatio.for_env(env, forgetting=0.001)
    for learner in (plain, forgetful):
        train(env, learner, 5_000, seed=0, progress=False)
        assert optimality(learner.greedy(), game).percent == 100
    winnable = game.positions()[game.solution.is_winning(game.positions())]
    winning = game.solution.winning_mask(winnable)
    rows = winning.any(axis=1)
    chances = forgetful.action_probabilities(winnable[rows], game.mask(winnable[rows]))
    assert ((chances * winning[rows]).sum(axis=1) > 0.98).all()
