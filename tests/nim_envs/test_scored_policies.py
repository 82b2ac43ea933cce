"""Anything that plays is scored: functions, agents, objects that move; what is wrong is named."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nim_envs
from agents import EpsilonOptimalAgent, OptimalAgent
from nim_envs import make_game, optimality
from nim_envs.errors import InvalidPolicyError
from nim_envs.registry import make_vector
from nim_envs.scoring import best_response, expected_scores, mean_interval
from tests.pairwise import in_turn

NIM = make_game("nim", heaps=(3, 4, 5))
GAMES = [
    NIM,
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("addition", k=3, n=10),
    make_game("kayles", heaps=(6,)),
    make_game("kayles", heaps=(6,), misere=True),
    make_game("sum", games=(("kayles", {"heaps": (4,)}), ("nim", {"heaps": (3,)}))),
]


def equal_chances(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


class Oracle:
    """Moves to a P-position where it can, by looking at all options."""

    def __init__(self, game, reorders=False):
        self.game = game
        self.reorders = reorders

    def move(self, position):
        after = [each for _, each in self.game.moves(position)]
        lost = [option for option in after if not self.game.solution.is_winning(option)]
        chosen = (lost or after)[0]
        return chosen[::-1] if self.reorders else chosen


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_function_an_agent_and_an_object_that_moves_score_alike(game):
    agent = EpsilonOptimalAgent(game, 0.3)
    known = optimality(agent, game)
    function = optimality(agent.action_probabilities, game)
    assert function.percent == known.percent
    assert function.blunders.tolist() == known.blunders.tolist()
    oracle = optimality(Oracle(game), game)
    assert (oracle.percent, oracle.illegal_percent) == (100, 0)
    assert oracle.random_percent == pytest.approx(known.random_percent)
    assert oracle.count == known.count
    assert best_response(Oracle(game), game).waiting[0] in (0, 1)
    both = expected_scores(Oracle(game), OptimalAgent(game), game)
    best = best_response(OptimalAgent(game), game)
    assert both.moving == pytest.approx(best.moving)


def test_the_heaps_that_a_move_leaves_may_stand_in_any_order_in_their_slots():
    game = make_game("kayles", heaps=(6,))
    assert optimality(Oracle(game, reorders=True), game).percent == 100
    heaps = make_game("nim", heaps=(4, 4, 4))
    # Where nothing splits every heap has its place: from 4, 2, 3 to 3, 2, 1 is no move.
    score = optimality(Oracle(heaps, reorders=True), heaps, [[4, 2, 3]])
    assert (score.percent, score.illegal_percent) == (0, 100)


def test_an_illegal_move_does_not_win_and_is_reported_apart():
    game = make_game("nim", heaps=(3, 3))

    class TakesAllAtOnce:
        def move(self, position):
            return [0] * len(position)

    score = optimality(TakesAllAtOnce(), game)
    # N-positions: 12 of 16. It is legal where one heap is left: 6 positions.
    assert (score.count, score.percent, score.illegal_percent) == (12, 50, 50)
    masks_ignored = optimality(lambda shown, masks: np.zeros(len(masks), dtype=int), game)
    empty_first_heap = 3
    assert masks_ignored.illegal_percent == pytest.approx(100 * empty_first_heap / 12)
    forfeits = best_response(TakesAllAtOnce(), game)
    assert forfeits.waiting[forfeits.graph.state((2, 1))] == 1


@pytest.mark.parametrize("encoding", ["integer", "one_hot", "binary", "unary"])
def test_observations_come_in_the_encoding_of_the_environment(encoding):
    arguments = {"heaps": (3, 4, 5), "encoding": encoding}
    turns = pettingzoo.make("aec", "nim_envs/nim-v0", **arguments)
    turns.reset(seed=0)
    single = gymnasium.make("nim_envs/Nim-v0", **arguments)
    batch = make_vector("nim", 2, **arguments)
    shown = []

    def policy(observations, masks):
        shown.append(observations)
        return first_legal(observations, masks)

    score = optimality(first_legal, NIM).percent
    for env in (turns, turns.unwrapped, single, single.unwrapped, batch):
        assert optimality(policy, env).percent == score
    dtype = single.observation_space["observation"].dtype
    expected = turns.unwrapped.encoding.encode(np.array([[0, 0, 1]]))
    assert shown[0][0].tolist() == expected[0].tolist()
    of_each = 51  # once about all, and again about fifty of them
    assert {observations.dtype for observations in shown[2 * of_each :]} == {dtype}


def no_rows(observations, masks):
    return masks[0] / masks[0].sum()


INVALID = [
    (lambda shown, masks: masks, "does not sum to 1"),
    (lambda shown, masks: 2 * equal_chances(shown, masks), "does not sum to 1"),
    (lambda shown, masks: masks / masks.sum(), "does not sum to 1"),
    (lambda shown, masks: np.where(masks, np.nan, 0), "is not finite"),
    (lambda shown, masks: np.where(masks, np.inf, 0), "is not finite"),
    (lambda shown, masks: equal_chances(shown, masks) * 2 - 1 / 15, "negative"),
    (no_rows, r"shape \(15,\)"),
    (lambda shown, masks: equal_chances(shown, masks)[:, :3], r"shape \(\d+, 3\)"),
    (lambda shown, masks: equal_chances(shown, masks)[np.newaxis], r"shape \(1, \d+, 15\)"),
    (lambda shown, masks: 3, r"shape \(\)"),
    (lambda shown, masks: None, "object"),
    (lambda shown, masks: ["a"] * len(masks), "dtype <U1"),
    (lambda shown, masks: [[1], [1, 2]], "shape"),
    (lambda shown, masks: masks.argmax(axis=1) * 1.0, "float64"),
    (lambda shown, masks: masks.argmax(axis=1) + 15, "from 0 to 14, and row 0 is"),
    (lambda shown, masks: -1 - masks.argmax(axis=1), "from 0 to 14, and row 0 is -"),
    (lambda shown, masks: masks[:, 0] > 0, "bool"),
]


@pytest.mark.parametrize(("invalid", "score"), in_turn(INVALID, [optimality, best_response]))
def test_an_invalid_answer_of_a_policy_is_one_clear_error(invalid, score):
    returned, fault = invalid
    with pytest.raises(InvalidPolicyError, match=fault):
        score(returned, NIM)


@pytest.mark.parametrize("after", [(1, 2), None, (1.0, 2.0, 3.0), "abc", [[1], [2, 3], 4]])
def test_an_invalid_position_is_one_clear_error(after):
    class Mover:
        def move(self, position):
            return after

    said = r"at \(0, 0, 1\): move\(\) must return .* of integers like \(0, 0, 1\), .* not "
    with pytest.raises(InvalidPolicyError, match=said):
        optimality(Mover(), NIM)


@given(st.lists(st.floats(0, 1), min_size=15, max_size=15), st.floats(-5e-4, 5e-4))
def test_rows_of_small_floats_are_divided_by_their_sum(weights, error):
    if sum(weights) < 1e-3:
        weights[0] = 1.0
    shares = np.array(weights) / sum(weights)
    exact = optimality(lambda shown, masks: np.tile(shares, (len(masks), 1)), NIM)
    rounded = optimality(lambda shown, masks: np.tile(shares * (1 + error), (len(masks), 1)), NIM)
    assert rounded.percent == pytest.approx(exact.percent)
    assert rounded.percent + rounded.illegal_percent <= 100 + 1e-9


def test_a_tensor_with_a_gradient_is_taken():
    class Tensor:
        """As PyTorch's: NumPy may not look at it before it is detached and on the CPU."""

        def __init__(self, array):
            self.array = array

        def detach(self):
            return self

        def cpu(self):
            return self.array

        def __array__(self, *arguments, **keywords):
            raise RuntimeError("call detach() first")

    score = optimality(lambda shown, masks: Tensor(equal_chances(shown, masks)), NIM)
    assert score.percent == pytest.approx(score.random_percent)


def test_a_sample_agrees_with_the_whole():
    policy = EpsilonOptimalAgent(NIM, 0.5)
    whole = optimality(policy, NIM)
    sample = optimality(policy, NIM, sample=2000, seed=1)
    assert (sample.count, sample.positions) == (2000, "all")
    low, high = sample.interval
    assert low <= whole.percent <= high
    assert high - low < 6
    assert sample.percent == optimality(policy, NIM, sample=2000, seed=1).percent
    assert sample.percent != optimality(policy, NIM, sample=2000, seed=2).percent
    assert whole.interval is None
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="sample"):
            optimality(policy, NIM, sample=wrong)
    with pytest.raises(ValueError, match="reachable"):
        optimality(policy, NIM, "reachable", sample=10)


@pytest.mark.parametrize("misere", [False, True])
def test_boards_that_nobody_could_enumerate_are_sampled(misere):
    game = make_game("nim", heaps=(300,) * 3, misere=misere)

    class TakesOne:
        def move(self, position):
            largest = max(range(len(position)), key=position.__getitem__)
            return [n - (i == largest) for i, n in enumerate(position)]

    score = optimality(Oracle(game), game, sample=20)
    assert (score.percent, score.count) == (100, 20)
    assert (score.interval[0] > 80, score.interval[1]) == (True, 100)
    poor = optimality(TakesOne(), game, sample=200)
    assert poor.percent < 5
    assert poor.illegal_percent == 0
    assert 0 < poor.random_percent < 5


@pytest.mark.parametrize(
    ("share", "probabilities"),
    [
        (0.0, False),
        (0.02, False),
        (0.5, False),
        (0.9, False),
        (1.0, False),
        (0.02, True),
        (0.9, True),
    ],
)
def test_the_interval_holds_the_expectation_as_often_as_it_says(share, probabilities):
    rng = np.random.default_rng(0)
    runs, number = 2000, 40
    if probabilities:
        drawn = rng.beta(share * 3, (1 - share) * 3, size=(runs, number))
    else:
        drawn = rng.random((runs, number)) < share
    held = 0
    for mean, times in zip(*np.unique(drawn.mean(axis=1), return_counts=True), strict=True):
        low, high = mean_interval(float(mean), number)
        assert 0 <= low <= mean <= high <= 1
        assert high - low > 0
        held += times * (low <= share <= high)
    assert held / runs >= 0.95


def test_a_policy_that_shares_wins_equally_scores_100():
    game = make_game("nim", heaps=(13,) * 13, max_take=1)

    def winning(observations, action_masks):
        wins = game.solution.winning_mask(observations)
        return wins / wins.sum(axis=1, keepdims=True)

    score = nim_envs.optimality(winning, game, sample=100, seed=0)
    assert score.percent == 100
    assert score.interval[1] == 100
