"""The moves of a policy and their likelihoods, against plain loops on tiny games."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from nim_envs.diagnosis import moves as module
from nim_envs.diagnosis.board import evenly
from nim_envs.diagnosis.moves import (
    ERRORS,
    PRIOR,
    STEPS,
    ExpectedMoves,
    Memory,
    answers_of,
    best_by_knowledge,
    best_likelihood,
    both,
    by_distance,
    log_likelihoods,
    log_of_share,
    mean_likelihood,
    ranked,
)
from nim_envs.errors import InvalidPolicyError
from tests.nim_envs.diagnosis.tiny import (
    ALL,
    case_of,
    first_legal,
    graph,
    heap,
    heaps,
    playing,
    sets,
    strip,
)

games = pytest.mark.parametrize("tiny", [make() for make in ALL.values()], ids=ALL)


def mixed(tiny, seed=0):
    """A policy of random moves: one legal action, several equally, or an illegal one."""
    rng = np.random.default_rng(seed)
    actions = tiny.game.rules.num_actions
    chosen = {}
    for position in sorted(tiny.moves):
        legal = sorted(tiny.moves[position])
        kind = rng.integers(4)
        if not legal or kind == 0:
            chosen[position] = {int(rng.integers(actions)): 1.0}
        elif kind == 1:
            chosen[position] = dict.fromkeys(legal, 1 / len(legal))
        else:
            chosen[position] = {legal[rng.integers(len(legal))]: 1.0}
    return playing(tiny, chosen.__getitem__)


# Answers.


def test_answers_are_at_all_positions_with_a_move():
    tiny = heaps()
    answers = answers_of(first_legal(tiny), tiny.game, tiny.board(), 0)
    assert answers.rows.tolist() == [row for p, row in sorted(tiny.rows.items()) if tiny.moves[p]]
    positions = sorted(tiny.rows, key=tiny.row)
    for row, found, shares in zip(answers.rows, answers.probabilities, answers.shares, strict=True):
        wanted = np.eye(7)[min(tiny.moves[positions[row]])]
        assert found.tolist() == wanted[:6].tolist()
        assert shares.tolist() == wanted.tolist()


def test_answers_that_are_neither_actions_nor_probabilities_are_refused():
    with pytest.raises(InvalidPolicyError):
        answers_of(lambda seen, masks: masks * 0.1, heaps().game, heaps().board(), 0)


def test_the_most_probable_action_counts_and_an_illegal_one_that_is_not_rare():
    masks = np.array([[1, 1, 0, 0]] * 7, dtype=np.int8)
    probabilities = np.array(
        [
            [0.3, 0.7, 0.0, 0.0],
            [0.5, 0.5, 0.0, 0.0],
            [0.50004, 0.49996, 0.0, 0.0],
            [0.51, 0.49, 0.0, 0.0],
            [0.5, 0.4, 0.1, 0.0],
            [0.5, 0.35, 0.09, 0.06],
            [0.0, 0.0, 0.0, 0.0],
        ]
    )
    assert module._most_probable(probabilities, masks).tolist() == [
        [0, 1, 0, 0, 0],
        [0.5, 0.5, 0, 0, 0],
        [0.5, 0.5, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1],  # no legal move is named
    ]


class Late:
    """A policy that answers to a position a number of calls before."""

    def __init__(self, tiny, calls):
        self.tiny, self.calls, self.seen = tiny, calls, []

    def action_probabilities(self, observations, masks):
        if len(masks) > 1:
            return first_legal(self.tiny)(observations, masks)
        self.seen.append(tuple(observations[0].tolist()))
        answered = self.seen[-1 - self.calls :][0]
        return np.eye(masks.shape[1])[[sum(answered) % masks.shape[1]]]


def in_two_orders(answers, first, second):
    """The memory that answers to two orders of positions show, call by call."""
    one = dict(zip(first, answers[: len(first)], strict=True))
    two = answers[len(first) :]
    now = before = 0
    for earlier, position in pairwise(first):
        here = second.index(position)
        follows = second.index(earlier) + 1
        known = follows < len(second)
        same_now = one[position] == two[here]
        same_before = known and one[position] == two[follows]
        now += known and same_now and not same_before
        before += same_before and not same_now
    changed = any(one[p] != two[second.index(p)] for p in first)
    return now, before, changed


@pytest.mark.parametrize("calls", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_answers_in_two_orders_tell_whether_they_are_late(calls, seed):
    tiny = heaps(sizes=(2, 3))
    policy = Late(tiny, calls)
    positions = np.array([p for p in tiny.moves if tiny.moves[p]])
    masks = np.ones((len(positions), 6), dtype=np.int8)
    rng = np.random.default_rng(seed)
    scored = module.ScoredPolicy(policy, tiny.game, 0)
    found = module._two_orders(scored, positions, masks, rng)
    rng = np.random.default_rng(seed)
    first, second = (rng.permutation(len(positions)).tolist() for _ in range(2))
    order = [tuple(positions[each].tolist()) for each in (*first, *second)]
    assert policy.seen == order
    answers = [sum(order[max(call - calls, 0)]) % 6 for call in range(len(order))]
    assert found == Memory(*in_two_orders(answers, first, second))
    assert found.changed == (calls > 0)


def test_positions_are_asked_about_again_where_the_order_matters():
    tiny = heaps()
    for calls, pairs in ((0, 1), (1, 4)):
        policy = Late(tiny, calls)
        memory = answers_of(policy, tiny.game, tiny.board(), 0).memory
        assert len(policy.seen) == pairs * 2 * 11
        assert memory.changed == (calls > 0)
        if calls:
            assert memory.before > 4 * memory.now
        else:
            assert (memory.now, memory.before) == (memory.now, 0)
            assert memory.now > 0


def test_not_all_positions_of_a_large_board_are_asked_about_again():
    tiny = heap(size=150)
    policy = Late(tiny, 0)
    answers_of(policy, tiny.game, tiny.board(), 0)
    assert len(policy.seen) == 2 * 100
    assert len(set(policy.seen)) == 100


def test_a_single_position_tells_nothing_of_memory():
    tiny = heap(size=1)
    policy = Late(tiny, 1)
    assert answers_of(policy, tiny.game, tiny.board(), 0).memory == Memory(0, 0, False)
    assert policy.seen == [(1,)]  # for its moves alone


def test_no_legal_move_is_an_answer():
    tiny = heap(size=2)

    def policy(observations, masks):
        return np.full(len(masks), -1)

    answers = answers_of(policy, tiny.game, tiny.board(), 0)
    assert answers.shares.tolist() == [[0, 0, 1], [0, 0, 1]]
    assert not answers.memory.changed


# Likelihoods.


def test_error_rates_are_probabilities_that_rise_and_have_one_before_the_moves_are_seen():
    assert ERRORS[0] == 0
    assert ERRORS[-1] == 1
    assert (np.diff(ERRORS) > 0).all()
    assert PRIOR.sum() == pytest.approx(1)
    assert (PRIOR > 0).all()
    assert len(PRIOR) == len(ERRORS)
    assert 0 < module.SLIP < ERRORS[1]
    assert 0 < module.OFTEN < 0.5


def plain_logs(shares, expected, noise):
    """Log-likelihood of one position by error rate."""
    actions = len(expected)
    found = []
    for error in ERRORS:
        log = shares[actions] * math.log(module.SLIP / (actions + 1))
        for share, wanted, random in zip(shares[:actions], expected, noise, strict=True):
            if share:
                chance = (1 - error) * wanted + error * random
                slip = module.SLIP / (actions + 1)
                log += share * math.log((1 - module.SLIP) * chance + slip)
        found.append(log)
    return found


def test_moves_are_expected_or_errors_or_slips():
    shares = np.array([[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    expected = np.array([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    noise = np.array([[0.5, 0.5, 0.0], [0.4, 0.3, 0.3], [0.5, 0.25, 0.25], [0.5, 0.5, 0.0]])
    found = log_likelihoods(shares, expected, noise)
    for row in range(4):
        assert found[row] == pytest.approx(plain_logs(shares[row], expected[row], noise[row]))


def test_amounts_are_added_up_by_distance():
    amounts = np.arange(8.0).reshape(4, 2)
    found = by_distance(amounts, np.array([5, 2, 5, 9]))
    assert found.tolist() == [[2, 3], [4, 6], [6, 7]]


def random_logs(*shape, seed=0):
    return -5 * np.random.default_rng(seed).random(shape)


def of_rising(logs):
    """The mean likelihood over error rates that may rise from one distance to the next."""
    distances, rates = logs.shape
    total = 0.0
    for path in product(range(rates), repeat=distances):
        chance = PRIOR[path[0]]
        for before, now in pairwise(path):
            if before == rates - 1:
                chance *= now == before
            elif now == before:
                chance *= 1 - 0.5 / distances
            else:
                chance *= (0.5 / distances) / (rates - 1 - before) * (now > before)
        total += chance * math.exp(sum(logs[i, rate] for i, rate in enumerate(path)))
    return total


def test_a_likelihood_is_a_mean_over_error_rates_of_all_games_or_of_each():
    games = [random_logs(3, 13), random_logs(1, 13, seed=1), random_logs(2, 13, seed=2)]
    together = sum(
        prior * math.exp(sum(game[:, rate].sum() for game in games))
        for rate, prior in enumerate(PRIOR)
    )
    apart = math.prod(map(of_rising, games))
    assert mean_likelihood(games) == pytest.approx(math.log((together + apart) / 2))


def test_error_rates_may_be_impossible_beside_others():
    logs = np.zeros((3, 13))
    logs[:2, :5] = -2000.0
    assert mean_likelihood([logs]) == pytest.approx(math.log((PRIOR[5:].sum() * 2) / 2))


def test_likelihoods_too_small_for_floats_have_a_mean():
    games = [random_logs(3, 13) - 900]
    assert mean_likelihood(games) == pytest.approx(mean_likelihood([games[0] + 900]) - 2700)


@pytest.mark.parametrize("rising", [True, False])
def test_the_best_likelihood_is_over_error_rates_that_never_fall(rising):
    logs = random_logs(3, 13)
    expected = max(
        sum(logs[i, rate] for i, rate in enumerate(path))
        for path in product(range(13), repeat=3)
        if not rising or list(path) == sorted(path)
    )
    assert best_likelihood(logs, rising) == pytest.approx(expected)


@pytest.mark.parametrize("rising", [True, False])
def test_the_best_likelihood_is_known_for_each_knowledge(rising):
    logs = random_logs(3, 13)
    knowledge = np.random.default_rng(3).uniform(-0.1, 0.5, (3, 13))
    steps = [[min(max(round(float(k) * 200), 0), 200) for k in row] for row in knowledge]
    expected = [-math.inf] * 201
    for path in product(range(13), repeat=3):
        if not rising or list(path) == sorted(path):
            known = min(sum(steps[i][rate] for i, rate in enumerate(path)), 200)
            log = sum(logs[i, rate] for i, rate in enumerate(path))
            expected[known] = max(expected[known], log)
    assert best_by_knowledge(logs, knowledge, rising) == pytest.approx(np.array(expected))
    assert expected[200] > -math.inf
    assert np.isfinite(expected[:200]).sum() > 50


def test_two_games_together_have_the_knowledge_of_both():
    one, other = random_logs(STEPS + 1), random_logs(STEPS + 1, seed=1)
    one[50:120] = -np.inf
    expected = np.full(STEPS + 1, -np.inf)
    for i, j in product(range(STEPS + 1), repeat=2):
        known = min(i + j, STEPS)
        expected[known] = max(expected[known], one[i] + other[j])
    assert both(one, other).tolist() == expected.tolist()


def test_every_share_of_two_counts_is_equally_probable():
    beta = math.factorial(3) * math.factorial(5) / math.factorial(9)
    assert log_of_share(3, 5) == pytest.approx(math.log(beta))


def preferred(shares, candidates, groups, learned):
    """The moves that a fixed order would make, row after row."""
    count, size = candidates.shape
    wins = {}
    found = []
    for row in range(count):
        among = [a for a in range(size) if candidates[row, a]]
        better = wins.setdefault(groups[row], {})
        best = [
            a
            for a in among
            if not any(better.get((b, a), 0) > better.get((a, b), 0) + 1e-9 for b in among)
        ]
        found.append(set(best or among))
        for a, b in product(range(size), among):
            made = learned[row] * shares[row, a] * candidates[row, a]
            better[a, b] = better.get((a, b), 0.0) + made
    return found


@pytest.mark.parametrize("together", [1 << 16, 40, 10])
@pytest.mark.parametrize("seed", range(3))
def test_an_action_that_was_preferred_is_expected_to_be_preferred_again(
    together, seed, monkeypatch
):
    monkeypatch.setattr(module, "TOGETHER", together)
    rng = np.random.default_rng(seed)
    candidates = rng.random((25, 4)) < 0.7
    candidates[~candidates.any(axis=1), 0] = True
    shares = evenly(
        np.eye(5, dtype=np.bool_)[rng.integers(5, size=25)] | (rng.random((25, 5)) < 0.2)
    )
    groups, learned = rng.integers(3, size=25), rng.choice([-1.0, 0.0, 0.5, 1.0], 25)
    found = ranked(shares, candidates, groups, learned)
    expected = preferred(shares, candidates, groups.tolist(), np.maximum(learned, 0).tolist())
    assert sets(found) == expected
    found = ranked(shares, candidates)
    assert sets(found) == preferred(shares, candidates, [0] * 25, [1.0] * 25)


# The moves in one game.


@games
def test_a_case_has_the_positions_that_are_not_lost_by_length(tiny):
    case = case_of(tiny, mixed(tiny))
    board = tiny.board()
    counted = [row for p, row in tiny.rows.items() if tiny.keeping(p)]
    wanted = sorted(counted, key=lambda row: (board.lengths[row], row))
    assert case.rows.tolist() == wanted
    assert case.positions.tolist() == board.positions[wanted].tolist()
    assert (case.legal == board.legal[wanted]).all()
    assert (case.keeping == board.keeping[wanted]).all()
    places = [case.answers.rows.tolist().index(row) for row in wanted]
    assert (case.shares == case.answers.shares[places]).all()
    assert (case.probabilities == case.answers.probabilities[places]).all()
    assert case.everywhere.tolist() == [True] * len(wanted)
    assert case.backups is None
    for row in range(len(wanted)):
        right, legal = case.keeping[row], case.legal[row]
        assert case.hits[row] == pytest.approx(case.shares[row, :-1][right].sum())
        assert case.at_random[row] == pytest.approx(right.sum() / legal.sum())
        assert case.random_moves[row] == pytest.approx(legal / legal.sum())
    for row, illegal in zip(case.answers.rows, case.illegal, strict=True):
        place = case.answers.rows.tolist().index(row)
        legal = case.answers.shares[place, :-1][board.legal[row]].sum()
        assert illegal == pytest.approx(1 - legal)
        assert illegal in (0, 1)


def test_seats_are_the_players_that_can_be_to_move():
    tiny = strip()
    case = case_of(tiny)
    to_move = (tiny.board().coordinates[case.rows] > 0).sum(axis=1) % 2
    assert case.seats.tolist() == [(to_move == seat).tolist() for seat in (0, 1)]
    assert case_of(graph()).seats.sum(axis=0).max() == 2


def test_the_probability_of_a_right_move_is_shared_evenly_among_right_ones():
    case = case_of(heaps(), mixed(heaps()))
    moves = np.random.default_rng(0).random(case.legal.shape) < 0.5
    moves[0] = False
    for any_action, in_order in product((False, True), repeat=2):
        found = case.expecting(moves, in_order=in_order, any_action=any_action)
        assert found.any_action == any_action
        for row in range(len(case.rows)):
            allowed = np.ones(6, dtype=np.bool_) if any_action else case.legal[row]
            made = moves[row] & allowed
            made = made if made.any() else allowed
            if in_order:
                assert (found.moves[row] <= made).all()
                made = found.moves[row]
            assert (found.moves[row] == made).all()
            even, right = made / made.sum(), case.keeping[row]
            share = even[right].sum()
            wanted = np.where(right, share / right.sum(), even)
            assert found.probabilities[row] == pytest.approx(wanted)
            assert found.tells[row] == (made & ~right).any()
        if in_order:
            made = case.expecting(moves, any_action=any_action).moves
            assert (found.moves == ranked(case.shares, made)).all()


@pytest.mark.parametrize("any_action", [False, True])
@pytest.mark.parametrize("in_order", [False, True])
def test_moves_with_a_fault_are_compared_where_they_tell(any_action, in_order):
    case = case_of(heaps(), mixed(heaps()))
    moves = case.legal & (np.random.default_rng(1).random(case.legal.shape) < 0.5)
    tells = np.arange(len(case.rows)) % 3 > 0
    expected = ExpectedMoves(evenly(moves), moves, tells, any_action)
    errors = np.ones_like(case.legal) if any_action else case.legal
    if in_order:  # it is learned from the moves that the fault does not explain
        wrong = 1 - (case.shares[:, :-1] * moves).sum(axis=1)
        errors = ranked(case.shares, errors, learned_from=wrong)
    logs = log_likelihoods(case.shares, expected.probabilities, evenly(errors))
    lengths = case.board.lengths[case.rows]
    wanted = [logs[tells & (lengths == length)].sum(axis=0) for length in np.unique(lengths[tells])]
    found = case.by_distance(case.with_fault(expected)[in_order], tells)
    assert found == pytest.approx(np.array(wanted))


def test_illegal_answers_at_lost_positions_are_slips_or_of_any_probability():
    tiny = heaps(sizes=(3, 3))  # lost: 1-1, 2-2 and 3-3
    for wrong in range(3):

        def choose(position, wrong=wrong):
            illegal = position[0] == position[1] <= wrong
            return {5 if illegal else min(tiny.moves[position]): 1.0}

        case = case_of(tiny, playing(tiny, choose))
        slips = wrong * math.log(0.001) + (3 - wrong) * math.log(0.999)
        assert case.of_illegal(any_action=False) == pytest.approx(slips)
        assert case.of_illegal(any_action=True) == pytest.approx(log_of_share(wrong, 3 - wrong))


def likelihood_of_right(case, noise):
    """Log-likelihoods of right moves with errors, ``(k, errors)``."""
    return log_likelihoods(case.shares, evenly(case.keeping), noise)


@games
def test_right_agents_err_at_random_or_in_a_fixed_order(tiny):
    case = case_of(tiny, mixed(tiny))
    order_of_errors = evenly(ranked(case.shares, case.legal, learned_from=1 - case.hits))
    order_of_moves = evenly(ranked(case.shares, case.legal))
    assert (case.usual_moves == order_of_moves).all()
    noises = [case.random_moves, order_of_errors, order_of_moves]
    if 0 in tiny.ends.values():
        safe = case._not_lost
        noises += [evenly(safe), evenly(ranked(case.shares, safe))]
    found = case._as_right
    assert len(found) == len(noises)
    for one, noise in zip(found, noises, strict=True):
        assert (one == likelihood_of_right(case, noise)).all()
    assert case.by_chance == pytest.approx(
        sum(plain_logs(s, n, n)[0] for s, n in zip(case.shares, case.random_moves, strict=True))
    )


@games
def test_the_error_rate_of_right_agents_never_falls_but_where_there_are_draws(tiny):
    case = case_of(tiny, mixed(tiny))
    rising = 0 not in tiny.ends.values()
    for rows in (case.everywhere, np.arange(len(case.rows)) % 2 == 0):
        logs = [
            best_likelihood(by_distance(each[rows], case._classes[rows]), rising)
            for each in case._as_right
        ]
        assert case.right(rows) == pytest.approx(max(logs))
    near = case.board.lengths[case.rows] <= 2
    far = [
        best_likelihood(
            by_distance(log_likelihoods(case.shares, each, case.random_moves)[~near],
                        case._classes[~near]),
            rising,
        )
        for each in (case.random_moves, case.usual_moves)
    ]  # fmt: skip
    assert case.at_random_beyond(2) == pytest.approx(case.right(near) + max(far))


@games
def test_knowledge_is_what_is_right_beyond_chance(tiny):
    case = case_of(tiny, mixed(tiny))
    wanted = 2.5
    gained = np.array([[(1 - r) * (1 - e) / wanted for e in ERRORS] for r in case.at_random])
    rising = 0 not in tiny.ends.values()
    ways = [
        best_by_knowledge(
            by_distance(each, case._classes), by_distance(gained, case._classes), rising
        )
        for each in case._as_right
    ]
    assert case.right_by_knowledge(wanted).tolist() == np.max(ways, axis=0).tolist()


@games
def test_right_agents_err_alike_at_positions_of_one_length_and_value(tiny):
    @cache
    def length(position):
        return max((1 + length(after) for after in tiny.moves[position].values()), default=0)

    case = case_of(tiny)
    kinds = {}
    positions = sorted(tiny.rows, key=tiny.row)
    for row, found in zip(case.rows, case._classes.tolist(), strict=True):
        position = positions[row]
        kinds.setdefault((length(position), tiny.value(position)), set()).add(found)
    assert all(len(classes) == 1 for classes in kinds.values())
    assert len(set.union(*kinds.values())) == len(kinds)
    # Shorter games first.
    in_order = sorted(kinds, key=lambda kind: min(kinds[kind]))
    assert [length for length, _ in in_order] == sorted(length for length, _ in kinds)


@pytest.mark.parametrize("make", [graph, strip])
def test_who_knows_no_win_yet_plays_what_does_not_lose(make):
    tiny = make()
    case = case_of(tiny)
    positions = sorted(tiny.rows, key=tiny.row)
    for row, found in zip(case.rows, sets(case._not_lost), strict=True):
        moves = tiny.moves[positions[row]]
        wins_now = any(tiny.ends.get(after) == -1 for after in moves.values())
        assert found == {a for a, after in moves.items() if wins_now or tiny.value(after) <= 0}
