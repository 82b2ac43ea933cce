"""Agents, bots and policies of OpenSpiel as players: scores, games, checks, and what is refused."""

from collections import defaultdict

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_agent, rl_agent_policy, rl_environment
from open_spiel.python.algorithms import expected_game_score, mcts, tabular_qlearner
from open_spiel.python.bots import uniform_random

import nim_envs
from agents.match import play_match
from nim_envs.adapters.openspiel import game_of
from nim_envs.errors import InvalidPolicyError
from nim_envs.scoring import expected_scores

GAME = game_of("tic_tac_toe")
OPENSPIEL = pyspiel.load_game("tic_tac_toe")
SMALL = game_of("dots_and_boxes(num_rows=1,num_cols=2)")
SEATS = nim_envs.game.PLAYERS


def of_both(agents):
    return rl_agent_policy.JointRLAgentPolicy(OPENSPIEL, dict(enumerate(agents)), True)


@pytest.fixture(scope="module")
def learners():
    """Two tabular Q-learners after a short training, and the environment that they learned in."""
    env = rl_environment.Environment(OPENSPIEL)
    agents = [tabular_qlearner.QLearner(player, num_actions=9) for player in range(2)]
    np.random.seed(0)  # noqa: NPY002 - the generator that they draw from
    for _ in range(500):
        step = env.reset()
        while not step.last():
            mover = agents[step.observations["current_player"]]
            step = env.step([mover.step(step).action])
        for agent in agents:
            agent.step(step)
    return agents


@pytest.fixture(scope="module")
def values():
    """Values of all states for player 0, by recursion over OpenSpiel's states."""
    known = {}

    def value(state):
        key = str(state)
        if key not in known:
            if state.is_terminal():
                known[key] = state.returns()[0]
            else:
                best = max if state.current_player() == 0 else min
                known[key] = best(value(state.child(a)) for a in state.legal_actions())
        return known[key]

    value(OPENSPIEL.new_initial_state())
    return known


def every_state():
    """All states of tic-tac-toe with a move, one for each string."""
    found, waiting = {}, [OPENSPIEL.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if not state.is_terminal() and str(state) not in found:
            found[str(state)] = state
            waiting += [state.child(action) for action in state.legal_actions()]
    return list(found.values())


def share_of_right_moves(chances_at, values, player=None):
    """Percent of right moves at positions that are not lost, by OpenSpiel alone."""
    shares = []
    for state in every_state():
        mover = state.current_player()
        sign, worth = (1, -1)[mover], values[str(state)]
        if sign * worth == -1 or player not in (None, mover):
            continue
        chances = chances_at(state)
        shares.append(sum(p for a, p in chances.items() if values[str(state.child(a))] == worth))
    return 100 * np.mean(shares), len(shares)


def test_a_policy_scores_what_it_does_at_openspiels_states(values):
    first = policy.FirstActionPolicy(OPENSPIEL)
    for player in (
        first,
        policy.UniformRandomPolicy(OPENSPIEL),
        pyspiel.UniformRandomPolicy(OPENSPIEL),
    ):
        score = nim_envs.optimality(player, GAME)
        percent, count = share_of_right_moves(player.action_probabilities, values)
        assert score.percent == pytest.approx(percent)
        assert score.count == count == 3888
        assert score.illegal_percent == 0
    assert nim_envs.optimality(player, GAME).percent == pytest.approx(score.random_percent)


@pytest.mark.parametrize("player", [0, 1])
def test_an_agent_of_one_player_scores_where_it_moves(learners, values, player):
    def chances_at(state):
        tensor, legal = state.observation_tensor(player), state.legal_actions()
        q = learners[player]._q_values.get(str(tensor), defaultdict(float))
        best = [action for action in legal if q[action] == max(q[each] for each in legal)]
        return dict.fromkeys(best, 1 / len(best))

    score = nim_envs.optimality(learners[player], GAME, positions=SEATS[player])
    percent, count = share_of_right_moves(chances_at, values, player)
    assert (score.percent, score.count) == (pytest.approx(percent), count)
    assert score.percent > score.random_percent


def c_plus_plus_mcts(simulations, solve=True):
    rollouts = pyspiel.RandomRolloutEvaluator(1, 0)
    return pyspiel.MCTSBot(OPENSPIEL, rollouts, 2.0, simulations, 100, solve, 0, False)


def test_bots_are_asked_for_moves():
    few, many = (nim_envs.optimality(c_plus_plus_mcts(n), GAME, samples=1) for n in (2, 300))
    assert few.random_percent < few.percent < many.percent
    assert many.percent > 95
    assert many.illegal_percent == 0


@pytest.mark.parametrize(
    "bot",
    [
        uniform_random.UniformRandomBot(0, np.random.RandomState(0)),
        pyspiel.make_uniform_random_bot(0, 1),
    ],
)
def test_bots_with_a_policy_are_asked_for_it(bot):
    score = nim_envs.optimality(bot, GAME, positions="player_0")
    assert score.percent == pytest.approx(score.random_percent)


def test_a_bot_in_python_that_moves_alone():
    rng = np.random.RandomState(0)
    bot = mcts.MCTSBot(
        pyspiel.load_game(SMALL.name),
        2.0,
        300,
        mcts.RandomRolloutEvaluator(1, rng),
        random_state=rng,
        solve=True,
    )
    score = nim_envs.optimality(bot, SMALL, samples=1)
    assert score.illegal_percent == 0
    assert score.percent > 90


def test_whoever_plays_passes_where_the_other_moves_again():
    game = pyspiel.load_game(SMALL.name)
    for player in (pyspiel.UniformRandomPolicy(game), policy.FirstActionPolicy(game)):
        expected = expected_game_score.policy_value(game.new_initial_state(), [player, player])
        scores = expected_scores(player, player, SMALL)
        start = SMALL.parts[0].state(SMALL.start)
        # Of player 0, from -1 to 1 there, and from 0 to 1 here; a margin counts as a win.
        if all(abs(each) <= 1 for each in (game.min_utility(), game.max_utility())):
            assert scores.moving[start] == pytest.approx((1 + expected[0]) / 2)
        assert scores.moving[start] + scores.waiting[start] == pytest.approx(1)


def test_they_are_opponents_and_play_matches(learners):
    env = nim_envs.VersusEnv(GAME, opponent=policy.UniformRandomPolicy(OPENSPIEL), seat="random")
    rng = np.random.default_rng(0)
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            observation, reward, over, *_ = env.step(action)
        assert reward in (-1, 0, 1)
    env = nim_envs.VectorGameEnv(GAME, 4, opponent=policy.FirstActionPolicy(OPENSPIEL))
    env.reset(seed=0)
    env.step(np.zeros(4, dtype=np.int64))
    match = play_match(nim_envs.GameEnv(GAME), c_plus_plus_mcts(200), of_both(learners), 6, seed=0)
    assert match.win_rate > 0.5


class Faulty(policy.Policy):
    def __init__(self, answer):
        super().__init__(OPENSPIEL, [0, 1])
        self.answer = answer

    def action_probabilities(self, state, player_id=None):
        return self.answer(state)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda state: {99: 1.0}, r"named the actions \[99\], where player 0 is to move after"),
        (lambda state: {}, r"named the actions \[\]"),
        (lambda state: 1 / 0, "raised ZeroDivisionError: division by zero, where player"),
        (lambda state: {state.legal_actions()[0]: 0.5}, "does not sum to 1"),
    ],
)  # fmt: skip
def test_answers_that_are_none_are_refused(answer, message):
    with pytest.raises(InvalidPolicyError, match=message):
        nim_envs.optimality(Faulty(answer), GAME)


def test_an_agent_of_one_player_says_how_it_is_scored():
    with pytest.raises(InvalidPolicyError, match="JointRLAgentPolicy of OpenSpiel joins two"):
        nim_envs.optimality(Fragile(0), GAME)


class Fragile(rl_agent.AbstractAgent):
    """Fails where the other player moves, as networks of one player do."""

    def __init__(self, player):
        self.player = player

    def step(self, time_step, is_evaluation=False):
        assert is_evaluation
        assert time_step.observations["current_player"] == self.player
        return rl_agent.StepOutput(action=time_step.observations["legal_actions"][0][0], probs=None)


def test_other_games_and_objects_are_refused():
    player = policy.UniformRandomPolicy(OPENSPIEL)
    with pytest.raises(
        TypeError, match=r"plays games of nim_envs.adapters.openspiel.game_of, not "
    ):
        nim_envs.optimality(player, nim_envs.make_game("nim"))
    with pytest.raises(TypeError, match="of OpenSpiel plays nothing: an Agent, a Bot or a Policy"):
        nim_envs.optimality(OPENSPIEL.new_initial_state(), GAME)
