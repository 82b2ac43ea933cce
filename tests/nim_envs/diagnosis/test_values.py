"""Values of agents, the values that equations foretell, and how well they fit: by plain loops."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from nim_envs import GameEnv
from nim_envs.diagnosis import values as module
from nim_envs.diagnosis.values import Equation, Fit, log_sum, values_of
from nim_envs.errors import InvalidPolicyError
from nim_envs.rules import Convention
from tests.nim_envs.diagnosis.tiny import (
    ALL,
    case_of,
    graph,
    heap,
    heaps,
    playing,
    solved,
    strip,
    table_of,
)

games = pytest.mark.parametrize("tiny", [make() for make in ALL.values()], ids=ALL)


def random_values(tiny, *shape, seed=0):
    """Different numbers for each row of the board."""
    return np.random.default_rng(seed).uniform(-0.9, 0.9, (len(tiny.moves), *shape))


def played(tiny):
    """The probabilities of a policy, of each action of a position."""

    def choose(position):
        legal = sorted(tiny.moves[position])
        return {a: (i + 1) / (len(legal) * (len(legal) + 1) / 2) for i, a in enumerate(legal)}

    return choose


def backups_of(tiny, values):
    return case_of(tiny, playing(tiny, played(tiny)), values).backups


# Values that are passed to it.


class Valued:
    def __init__(self, values):
        self.values = values

    def __call__(self, observations, masks):
        return masks.argmax(axis=1)


@pytest.mark.parametrize("of_actions", [False, True])
def test_values_are_those_of_a_table_or_of_a_function(of_actions):
    tiny = heaps()
    rules, board = tiny.game.rules, tiny.board()
    rows = np.array([3, 7, 5])
    table = random_values(tiny, *((6,) if of_actions else ()))
    found = values_of(Valued(table), tiny.game, board, rows)
    assert (found == table[rows]).all()
    assert found.dtype == np.float64
    asked = []

    def function(observations, masks):
        asked.append((observations.tolist(), masks.tolist()))
        return table[rules.indices(observations)].tolist()

    assert (values_of(Valued(function), tiny.game, board, rows) == table[rows]).all()
    assert asked == [(board.positions[rows].tolist(), board.legal[rows].astype(int).tolist())]


def test_values_are_asked_in_the_encoding_of_the_environment():
    tiny, shapes = heaps(), []

    def function(observations, masks):
        shapes.append(observations.shape[1])
        return masks[:, 0]

    env = GameEnv(tiny.game, encoding="one_hot")
    assert values_of(Valued(function), env, tiny.board(), np.array([3, 7])).tolist() == [0, 1]
    assert shapes == [3 + 4]


def test_a_column_of_values_is_of_positions_and_whole_numbers_are_values():
    tiny = heaps()
    rows = np.array([3, 7])
    column = values_of(Valued(lambda seen, masks: seen[:, :1]), tiny.game, tiny.board(), rows)
    assert column.tolist() == tiny.board().positions[rows, 0].tolist()
    assert column.dtype == np.float64
    two = heaps(sizes=(1, 1))  # of two actions
    column = values_of(Valued(lambda seen, masks: seen[:, 1:]), two.game, two.board(), rows[:1])
    assert column.tolist() == [1]
    flags = values_of(Valued(lambda seen, masks: seen[:, 0] > 0), tiny.game, tiny.board(), rows)
    assert flags.tolist() == (tiny.board().positions[rows, 0] > 0).tolist()
    assert values_of(lambda seen, masks: None, tiny.game, tiny.board(), rows) is None


def test_where_there_is_one_action_a_column_is_of_actions():
    tiny = heap(size=1)
    found = values_of(Valued(np.full((2, 1), 0.5)), tiny.game, tiny.board(), np.array([1]))
    assert found.tolist() == [[0.5]]


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(5),
        np.zeros((12, 5)),
        np.zeros((11, 6)),
        lambda seen, masks: masks[:, :2],
        lambda seen, masks: seen[:-1, 0],
        lambda seen, masks: masks.astype(str),
        lambda seen, masks: masks[:, 0] + 1j,
    ],
)
def test_values_of_another_kind_are_refused(values):
    tiny = heaps()
    shapes = r"\(12, 6\)|\(3, 6\), one for each action, or \(3,\), one for each position"
    with pytest.raises(InvalidPolicyError, match=shapes):
        values_of(Valued(values), tiny.game, tiny.board(), np.array([3, 7, 5]))


def test_infinite_values_are_very_large_ones_and_unknown_ones_too():
    table = random_values(heap(), 3)
    table[3, :] = np.nan, np.inf, -np.inf
    learned = backups_of(heap(), table).learned_values
    assert learned[3:6].tolist() == [1e6, 1e6, -1e6]
    of_positions = random_values(heap())
    of_positions[[2, 3, 4, 5]] = np.nan, -np.inf, 1e9, -1e9
    backups = backups_of(heap(), of_positions)
    assert backups.learned_values[1:5].tolist() == [1e6, -1e6, 1e6, -1e6]
    # As a value to bootstrap from, an unknown one is 0.
    assert backups._of_positions[1:5].tolist() == [0, -1e6, 1e6, -1e6]


# Values that an equation foretells.


def mean(numbers):
    return sum(numbers) / len(numbers)


def ways_of(numbers, probabilities):
    """Values of a position by those of its moves: the best, as played, between, and by chance."""
    return {
        "greedy": max(numbers),
        "played": sum(n * p for n, p in zip(numbers, probabilities, strict=True)),
        "half": (max(numbers) + mean(numbers)) / 2,
        "random": mean(numbers),
    }


def foretold(tiny, table, way="greedy", answers="greedy", *, illegal=False, **terms):
    """The value of each move by an equation, as in its docstring.

    Args:
        tiny: the game.
        table: values of the rows, ``(n,)`` or ``(n, actions)``.
        way: moves of the opponent in U.
        answers: moves of the opponent in R and W.
        illegal: whether U is over illegal actions, too.
        terms: those of the equation.
    """
    equation = {"reward": 1.0, "shift": 0.0, "next": 0.0, "reply": 0.0, "own": 0.0, "loss": 1.0,
                "draw": 0.0, "drawn_reply": 0.0, "convention": None, **terms}  # fmt: skip
    rule = equation["convention"]
    ends = tiny.ends
    if rule and not tiny.game.has_outcome:
        ends = dict.fromkeys(ends, {Convention.NORMAL: -1, Convention.MISERE: 1}[rule])

    def credit(result, of_draw):
        return of_draw if result == 0 else result * (1 if result > 0 else equation["loss"])

    def of_moves(position):
        return {a: float(table[tiny.row(position), a]) for a in tiny.moves[position]}

    def value(position):
        """U of a position, or W: to the player to move there."""
        if table.ndim == 1:
            return float(table[tiny.row(position)])
        return max(of_moves(position).values())

    def of_next(position):
        if table.ndim == 1:
            return value(position)
        numbers = list(of_moves(position).values())
        found = ways_of(numbers, [0] * len(numbers))[way]
        return max(found, *table[tiny.row(position)]) if illegal else found

    def replies(position):
        moves = tiny.moves[position]
        if answers == "random":
            return list(moves)
        if answers == "right":
            return list(tiny.keeping(position) or moves)
        if table.ndim == 2:
            ranks = of_moves(position)
        else:
            ranks = {
                a: -value(p) if tiny.moves[p] else (-ends[p] or equation["draw"])
                for a, p in moves.items()
            }
        return [a for a, rank in ranks.items() if rank > max(ranks.values()) - 1e-9]

    def of_move(after):
        if tiny.over(after):
            return credit(-equation["reward"] * ends[after], equation["draw"]) + equation["shift"]
        found = equation["next"] * of_next(after)
        made = replies(after)
        for action in made:
            last = tiny.moves[after][action]
            if tiny.over(last):
                result = credit(-equation["reply"] * ends[last], equation["drawn_reply"])
                found += result / len(made)
            else:
                found += equation["own"] * value(last) / len(made)
        return found

    return {p: {a: of_move(after) for a, after in tiny.moves[p].items()} for p in tiny.moves}


def in_turn(tiny, backups, of_moves):
    """Numbers of moves in the order of the backups."""
    places = {row: position for position, row in tiny.rows.items()}
    return [of_moves[places[row]] for row in backups.rows.tolist()]


EQUATIONS = {
    "reward": {"reward": -0.5, "shift": 0.25},
    "next": {"next": -0.9},
    "of a rule": {"next": 0.5, "convention": Convention.MISERE},
    "own turn": {"reply": -1.0, "own": 0.8},
    "own turn by a rule": {"reply": 1.0, "own": 0.8, "convention": Convention.NORMAL},
    "reply alone": {"reply": -1.0},
    "own alone": {"own": 0.7},
    "of chances": {"reply": -1.0, "own": 0.9, "loss": 0.0, "draw": 0.5, "drawn_reply": 0.25},
    "everything": {"reward": 2.0, "next": 0.3, "reply": 0.4, "own": -0.6, "draw": -1.0},
    "lost draws": {"next": -1.0, "draw": -1.0, "loss": 0.5},
    "illegal": {"next": -0.9, "illegal": True},
}


@games
@pytest.mark.parametrize("form", EQUATIONS.values(), ids=EQUATIONS)
@pytest.mark.parametrize("of_actions", [True, False])
def test_an_equation_foretells_values_by_each_way_to_play(tiny, form, of_actions):
    table = random_values(tiny, *((tiny.game.rules.num_actions,) if of_actions else ()))
    backups = backups_of(tiny, table)
    found = backups.predicted(Equation(**form))
    several = of_actions and "next" in form and "illegal" not in form
    ways = ("greedy", "half", "random") if several else ("greedy",)
    replies = ("greedy", "random", "right") if {"reply", "own"} & set(form) else ("greedy",)
    expected = []
    for way, reply in product(ways, replies):
        moves = in_turn(tiny, backups, foretold(tiny, table, way, reply, **form))
        if of_actions:
            expected.append([number for each in moves for _, number in sorted(each.items())])
        else:
            probabilities = in_turn(tiny, backups, {p: played(tiny)(p) for p in tiny.moves})
            by_way = [
                ways_of(list(numbers.values()), [chances[a] for a in numbers])
                for numbers, chances in zip(moves, probabilities, strict=True)
            ]
            expected += [
                [each[w] for each in by_way] for w in ("greedy", "played", "half", "random")
            ]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(np.array(other))


def test_losses_may_count_nothing_and_draws_half():
    rewards = np.array([1.0, -1.0, 0.0])
    assert Equation(loss=0.0).credited(rewards, 0.5).tolist() == [1.0, 0.0, 0.5]
    assert Equation().credited(rewards, 0.0).tolist() == rewards.tolist()


def test_values_of_illegal_actions_that_are_unknown_or_infinite_are_no_maximum():
    tiny = heap()
    table = np.where(tiny.board().legal, 0.5, np.nan)
    table[1, 1:] = np.inf, 0.75  # at a heap of 1
    from_2_to_1 = 1
    predicted = backups_of(tiny, table).predicted(Equation(next=-1.0, illegal=True))[0]
    assert predicted[from_2_to_1] == -0.75
    table[1, 2] = 0.25
    predicted = backups_of(tiny, table).predicted(Equation(next=-1.0, illegal=True))[0]
    assert predicted[from_2_to_1] == -0.5


# How well they fit.


def density(difference, deviation):
    return math.exp(-0.5 * (difference / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def weights(count, drawing):
    """Weight of each value: forty values count as independent, and as many of drawing moves."""
    draws = sum(drawing)
    return [min(1, 40 / draws) if drawn else min(1, 40 / count) for drawn in drawing]


def plain_fit(values, predicted, drawing, spread=None):
    """The log-likelihood and share that is explained, by the width that fits best.

    A value is about that which is predicted, or about 0, or anything.
    """
    spread = [0.0] * len(values) if spread is None else spread
    weight = weights(len(values), drawing)
    best = (-math.inf, 0.0)
    for width in module.WIDTHS:
        parts = [
            (
                0.0 if math.isnan(p) or abs(v) >= 1e6 else density(v - p, math.hypot(width, s)),
                density(v, module.UNTOUCHED),
                math.exp(-abs(v) / module.BROAD) / (2 * module.BROAD) + 1e-9,
            )
            for v, p, s in zip(values, predicted, spread, strict=True)
        ]
        shares = [1 / 3] * 3
        for _ in range(module.STEPS):
            sums = [0.0] * 3
            for each in parts:
                total = sum(s * part for s, part in zip(shares, each, strict=True))
                for i in range(3):
                    sums[i] += shares[i] * each[i] / total
            shares = [(each + 1 / 3) / (len(values) + 1) for each in sums]
            over = max(shares[1] - 0.5, 0)
            shares = [shares[0] + over, shares[1] - over, shares[2]]
        log = sum(
            w * math.log(sum(s * part for s, part in zip(shares, each, strict=True)))
            for w, each in zip(weight, parts, strict=True)
        )
        best = max(best, (log, 1 - shares[2]))
    return best


def of_values(tiny, backups, chosen):
    """Whether each value is of a move that a function chooses, or of a position with one."""
    found = []
    places = {row: position for position, row in tiny.rows.items()}
    for row in backups.rows.tolist():
        moves = [chosen(tiny.moves[places[row]][a]) for a in sorted(tiny.moves[places[row]])]
        found += moves if backups.of_actions else [any(moves)]
    return found


def drawing_of(tiny, backups):
    return of_values(tiny, backups, lambda after: tiny.ends.get(after) == 0)


@games
@pytest.mark.parametrize("never_learned", [0.3, 0.9])
@pytest.mark.parametrize("of_actions", [True, False])
def test_a_fit_is_by_the_best_width_and_shares(tiny, of_actions, never_learned):
    rng = np.random.default_rng(1)
    values = random_values(tiny, *((tiny.game.rules.num_actions,) if of_actions else ()))
    values[rng.random(values.shape) < never_learned] *= 1e-3
    backups = backups_of(tiny, values)
    learned = backups.learned_values
    predicted = learned + rng.normal(0, 1, (4, len(learned))) * np.array([[0], [0.03], [0.3], [2]])
    predicted[1, 0] = np.nan
    spread = np.abs(rng.normal(0, 0.2, predicted.shape)) * np.array([[0], [0], [1], [1]])
    fit = backups._fit(predicted, spread)
    drawing = drawing_of(tiny, backups)
    for row in range(4):
        log, explained = plain_fit(learned, predicted[row], drawing, spread[row])
        assert fit.logs[row] == pytest.approx(log)
        assert fit.explained[row] == pytest.approx(explained)


def test_many_predictions_are_compared_width_by_width_with_the_same_result(monkeypatch):
    backups = backups_of(heaps(), random_values(heaps(), 6))
    predicted = np.vstack([backups.learned_values + 0.03, -backups.learned_values])
    at_once = backups._fit(predicted)
    monkeypatch.setattr(module, "TOGETHER", 10)
    for one, other in zip(at_once, backups._fit(predicted), strict=True):
        assert one == pytest.approx(other, rel=1e-9)


@games
@pytest.mark.parametrize("learned_from", [0.3, 1.0])
def test_values_are_close_to_an_equation_at_the_end_of_the_game_or_elsewhere(tiny, learned_from):
    """Values that were never learned do not count, where most were, or where draws are rare."""
    rng = np.random.default_rng(2)
    values = random_values(tiny, tiny.game.rules.num_actions)
    values[rng.random(values.shape) > learned_from] = 1e-4
    backups = backups_of(tiny, values)
    learned = backups.learned_values
    predicted = learned + np.resize([0.1, 0.5, -0.15, 0.3], len(learned))
    predicted[::5] = np.nan
    spread = np.where(np.arange(len(learned)) % 2 == 1, 0.25, 0.0)
    last = of_values(tiny, backups, tiny.over)
    touched = [abs(v) > 0.005 for v in learned]
    draws = 0 in tiny.ends.values()
    many = mean(touched) > 0.5 or draws
    at_ends, elsewhere = [], []
    for v, p, s, ends, met in zip(learned, predicted, spread, last, touched, strict=True):
        close = math.isnan(p) or abs(v - p) < max(0.2, 1.5 * s)
        if ends and (met or not draws):
            at_ends.append(close)
        if not ends and (met or not many):
            elsewhere.append(close)
    fit = backups._fit(predicted[np.newaxis], spread[np.newaxis])
    assert fit.at_ends[0] == pytest.approx(mean(at_ends))
    assert fit.elsewhere[0] == pytest.approx(mean(elsewhere))


def test_where_there_are_no_values_of_a_kind_nothing_speaks_against_an_equation():
    tiny = heap(size=3)  # every position has a move to the end
    backups = backups_of(tiny, random_values(tiny))
    fit = backups._fit(np.full((2, 3), 5.0))
    assert fit.elsewhere.tolist() == [1, 1]
    assert fit.at_ends.tolist() == [0, 0]
    values = random_values(graph(), 3)  # no move to the end is learned from
    for position, row in graph().rows.items():
        values[row, [a for a, p in graph().moves[position].items() if graph().over(p)]] = 0.0
    fit = backups_of(graph(), values)._fit(np.full((1, 19), 5.0))
    assert (fit.at_ends.tolist(), fit.elsewhere.tolist()) == ([1], [0])


def test_half_the_values_may_never_have_been_learned():
    """More than that are no sign of an equation by which they are 0 too."""
    tiny = heaps()
    values = random_values(tiny, 6)
    learned = backups_of(tiny, values).learned_values
    count = len(learned)
    for share, many in ((0.5, False), (0.51, True)):
        table = np.full(values.shape, 1e-4)
        legal = tiny.board().legal
        number = round(share * count + (0.5 if many else 0))
        table[tuple(each[:number] for each in np.nonzero(legal))] = 0.4
        backups = backups_of(tiny, table)
        fit = backups._fit(np.full((1, count), 0.4))
        elsewhere = ~np.array(of_values(tiny, backups, tiny.over))
        near = np.abs(backups.learned_values - 0.4) < 0.2
        assert fit.elsewhere[0] == pytest.approx(1.0 if many else near[elsewhere].mean())


def test_an_equation_is_as_probable_as_the_ways_to_play_are_on_average():
    for tiny, shape in ((graph(), (3,)), (heaps(), (6,)), (heaps(), ()), (strip(), ())):
        backups = backups_of(tiny, random_values(tiny, *shape))
        equations = [
            Equation(next=-0.9), Equation(), Equation(reply=-1.0, own=0.9, spread=0.3, shift=0.5),
        ]  # fmt: skip
        fit = backups.of_equations(equations)
        last = np.array(of_values(tiny, backups, tiny.over))
        for row, equation in enumerate(equations):
            # Where values are of positions, the spread of moves is not theirs.
            spread = equation.spread * last if shape else 0.0
            found = [backups._fit(each[np.newaxis], spread) for each in backups.predicted(equation)]
            logs = [float(each.logs[0]) for each in found]
            likelihood = mean([math.exp(log - max(logs)) for log in logs])
            assert fit.logs[row] == pytest.approx(max(logs) + math.log(likelihood))
            best = found[logs.index(max(logs))]
            shares = [fit.explained[row], fit.at_ends[row], fit.elsewhere[row]]
            assert shares == pytest.approx([float(part[0]) for part in best[1:]])


def test_unknown_values_are_not_explained_by_others():
    table = random_values(heap(), 3)
    table[2:5] = np.nan
    backups = backups_of(heap(), table)
    learned = backups.learned_values
    known = np.where(np.abs(learned) < 1e6, learned, np.nan)
    assert backups._fit(learned[np.newaxis]).logs == backups._fit(known[np.newaxis]).logs


# Models without an equation.


def groups_of(tiny, backups, numbers):
    """The group of each position, by what is not seen of it."""
    places = {row: position for position, row in tiny.rows.items()}
    return np.array([numbers(places[row]) for row in backups.rows.tolist()])


def test_values_of_a_group_are_the_mean_of_the_others_for_the_same_action():
    tiny = heaps()
    table = table_of(tiny, {p: {a: 0.1 * a - 0.2 * p[1] for a in range(6)} for p in tiny.moves})
    backups = backups_of(tiny, table)
    groups = groups_of(tiny, backups, lambda position: position[1])
    fit = backups.of_groups(groups)
    of_moves = [
        (group, action)
        for group, row in zip(groups.tolist(), backups.rows.tolist(), strict=True)
        for action in np.flatnonzero(tiny.board().legal[row]).tolist()
    ]
    predicted = [
        value if of_moves.count(each) > 1 else np.nan
        for value, each in zip(backups.learned_values, of_moves, strict=True)
    ]
    expected = backups._fit(np.array([predicted]))
    assert [part[0] for part in fit[:2]] == pytest.approx([part[0] for part in expected[:2]])
    assert (fit.at_ends[0], fit.elsewhere[0]) == (1, 1)
    # Another value of one action at one position, and they are not equal.
    table[tiny.row((1, 3)), 3] += 2e-5
    broken = backups_of(tiny, table).of_groups(groups)
    assert broken.explained.tolist() == [0]
    assert broken.logs[0] == pytest.approx(backups_of(tiny, table).nothing - module.LEAST)
    table[tiny.row((1, 3)), 3] -= 1.5e-5
    assert backups_of(tiny, table).of_groups(groups).explained[0] > 0.5


def test_values_of_positions_are_equal_in_groups_too():
    values = np.array([0.0, 0.3, 0.3, -0.2, -0.2, -0.2, 0.1])
    backups = backups_of(heap(), values)
    groups = np.array([4, 4, 7, 7, 7, 1])
    fit = backups.of_groups(groups)
    predicted = np.array([[0.3, 0.3, -0.2, -0.2, -0.2, np.nan]])
    assert fit.logs == pytest.approx(backups._fit(predicted).logs)
    # Large values add up with larger errors.
    large = backups_of(heap(), 1e4 * values + np.array([0, 0.05, 0, 0, 0, 0, 0]))
    assert large.of_groups(groups).explained[0] == 0
    large = backups_of(heap(), 1e4 * values - 1e4 + np.array([0, 0.05, 0, 0, 0, 0, 0]))
    assert large.of_groups(groups).explained[0] > 0.5


@pytest.mark.parametrize(("usual", "tells"), [(0.8, False), (-0.8, False), (0.7, True)])
def test_values_that_are_all_of_a_win_are_equal_for_other_reasons(usual, tells):
    values = np.full(7, usual)
    values[1:3] = 0.6
    backups = backups_of(heap(), values)
    fit = backups.of_groups(np.array([0, 0, 1, 1, 1, 1]))
    predicted = np.array([[0.6, 0.6, *[usual if tells else np.nan] * 4]])
    assert fit.logs == pytest.approx(backups._fit(predicted).logs)


def test_values_that_are_all_of_a_draw_are_equal_for_other_reasons():
    for tiny, draws in ((graph(), True), (heap(size=11), False)):
        values = np.zeros(12)
        values[tiny.row((5,))] = values[tiny.row((6,))] = 0.3
        values[tiny.row((7,))] = values[tiny.row((8,))] = 0.004
        backups = backups_of(tiny, values)
        groups = groups_of(tiny, backups, lambda p: {5: 1, 6: 1, 7: 2, 8: 2}.get(p[0], 0))
        predicted = backups.learned_values.copy()
        if draws:
            predicted[predicted < 0.005] = np.nan
        fit = backups.of_groups(groups)
        assert fit.logs == pytest.approx(backups._fit(predicted[np.newaxis]).logs)


def test_all_values_may_be_about_the_same_small_one():
    values = np.array([9.0, 0.1, 0.12, 0.08, 0.1, 0.3, 0.09])
    backups = backups_of(heap(), values)
    fit = backups.of_one_value()
    about = plain_fit(values[1:], [0.1] * 6, [False] * 6)[0]
    assert fit.logs[0] == pytest.approx(about + math.log(density(0.1, module.FIRST)))
    assert [part.tolist() for part in fit[1:]] == [[0], [0], [0]]


def test_values_by_a_network_that_has_learned_nothing_depend_on_the_next_position_alone():
    tiny = heaps()
    table = random_values(tiny, 6)
    backups = backups_of(tiny, table)
    fit = backups.of_first_network()
    places = {row: position for position, row in tiny.rows.items()}
    moves = [
        (places[row], action)
        for row in backups.rows.tolist()
        for action in sorted(tiny.moves[places[row]])
    ]
    predicted, firsts, met = [], [], {}
    for position, action in moves:
        after, value = tiny.moves[position][action], table[tiny.row(position), action]
        before = met.setdefault(after, [])
        if tiny.over(after):
            predicted.append(tiny.reward(position, action))
        elif before:
            predicted.append(mean(before))
        else:
            predicted.append(math.nan)
            firsts.append(value)
        before.append(value)
    expected = backups._fit(np.array([predicted]))
    small = sum(min(0.5 * (each / module.FIRST) ** 2, module.LEAST) for each in firsts)
    assert len(moves) < 40  # each counts
    assert fit.logs[0] == pytest.approx(expected.logs[0] - small)
    assert fit.explained == pytest.approx(expected.explained)
    assert fit.at_ends == pytest.approx(expected.at_ends)
    close = mean([abs(each) < 2 * module.FIRST for each in firsts])
    assert 0 < close < 1
    assert fit.elsewhere[0] == pytest.approx(min(expected.elsewhere[0], close))
    by_position = backups_of(tiny, random_values(tiny))
    assert by_position.of_first_network().logs[0] == by_position.nothing


def test_the_first_values_of_a_network_are_of_few_moves_where_there_are_draws():
    tiny = strip()
    backups = backups_of(tiny, 0.1 * random_values(tiny, 4))
    legal = tiny.board().legal.sum()
    assert legal > 40
    predicted, firsts = np.full(legal, np.nan), []
    met = {}
    rewards = backups.board.rewards[backups.sources, backups.actions]
    for move, (after, ends) in enumerate(zip(backups.after.tolist(), backups.ends, strict=True)):
        before = met.setdefault(after, [])
        if ends:
            predicted[move] = rewards[move]
        elif before:
            predicted[move] = mean(before)
        else:
            firsts.append(backups.learned_values[move])
        before.append(backups.learned_values[move])
    small = sum(0.5 * (each / module.FIRST) ** 2 for each in firsts) * 40 / legal
    fit = backups.of_first_network()
    expected = backups._fit(predicted[np.newaxis])
    assert fit.logs[0] == pytest.approx(expected.logs[0] - small)
    assert fit.elsewhere == pytest.approx(expected.elsewhere)


def test_values_may_be_anything_between_two_limits():
    values = np.array([0.0, 0.5, -0.5, 1.0, -1.0, 1.01, 0.0])
    fit = backups_of(heap(), values).of_noise(1.0)
    assert fit.logs[0] == pytest.approx(5 * math.log(0.5) - 2 * module.LEAST)
    assert [part.tolist() for part in fit[1:]] == [[0], [0], [0]]


def test_values_may_be_of_any_size():
    values = np.array([0.0, 0.5, -1.0, 1e3, -2.0, 2.0, 0.0])
    fit = backups_of(heap(), values).of_any_size()
    # Half of the numbers are within the results, and each order of magnitude beyond is as probable.
    span = 2 * math.log(1e6)
    beyond = sum(math.log(0.5 / (size * span)) for size in (1e3, 2.0, 2.0))
    assert fit.logs[0] == pytest.approx(3 * math.log(0.25) + beyond)
    assert [part.tolist() for part in fit[1:]] == [[0], [0], [0]]


def test_values_of_which_no_equation_holds():
    backups = backups_of(heap(), random_values(heap()))
    log = plain_fit(backups.learned_values, [math.nan] * 6, [False] * 6)[0]
    assert backups.nothing == pytest.approx(log)


@games
@pytest.mark.parametrize("of_actions", [True, False])
def test_forty_values_of_a_game_count_as_independent_and_as_many_of_drawing_moves(tiny, of_actions):
    values = random_values(tiny, *((tiny.game.rules.num_actions,) if of_actions else ()))
    backups = backups_of(tiny, values)
    weight = weights(len(backups.learned_values), drawing_of(tiny, backups))
    logs = np.arange(2.0 * len(weight)).reshape(2, -1)
    assert backups._tempered(logs) == pytest.approx(logs @ weight)
    chosen = np.arange(0, len(weight), 2)
    if 0 in tiny.ends.values():
        found = backups._tempered(logs[:, chosen], chosen)
        assert found == pytest.approx(logs[:, chosen] @ np.array(weight)[chosen])


def test_more_than_forty_values_of_drawing_moves_count_less():
    tiny = graph()
    backups = backups_of(tiny, random_values(tiny, 3))
    backups.__dict__["_drawing"] = np.ones(80, dtype=np.bool_)
    assert backups._tempered(np.ones(80)) == pytest.approx(40)


def test_draws_are_taken_for_the_result_that_is_near_the_values_of_drawing_moves():
    tiny = graph()
    table = table_of(tiny, solved(tiny, next=-0.9))
    drawing = [(3, 1), (4, 1), (9, 2)]  # moves to 1
    for (place, action), value in zip(drawing, (0.9, 0.85, -0.9), strict=True):
        table[tiny.row((place,)), action] = value
    backups = backups_of(tiny, table)
    assert backups.drawn_as([1.0, -1.0, 0.0]).tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    # Moves that win or lose at once: from 3 to 0 and to 2, from 4 to 2, from 5 to 2.
    for place, action in ((3, 2), (4, 2)):
        table[tiny.row((place,)), action] = 0.0
    assert backups_of(tiny, table).drawn_as([1.0, -1.0]).tolist() == pytest.approx([1, 2 / 3])
    for place, action in ((3, 0), (5, 2)):
        table[tiny.row((place,)), action] = 0.001
    assert backups_of(tiny, table).drawn_as([1.0]) is None
    assert backups_of(tiny, random_values(tiny)).drawn_as([1.0]) is None
    assert backups_of(heap(), random_values(heap(), 3)).drawn_as([1.0]) is None


def test_fits_of_more_models_are_appended():
    one = Fit(*np.arange(4.0)[:, np.newaxis])
    other = Fit(*np.arange(8.0).reshape(4, 2) + 10)
    assert [part.tolist() for part in one + other] == [
        [0, 10, 11], [1, 12, 13], [2, 14, 15], [3, 16, 17],
    ]  # fmt: skip


def test_logarithms_of_sums():
    assert log_sum(np.log([0.25, 0.5, 0.125])) == pytest.approx(math.log(0.875))
    assert log_sum(np.array([-2000.0, -2000.0])) == pytest.approx(-2000 + math.log(2))


def test_sizes_are_in_units_of_the_results():
    """A value is told from 0, from a draw, and from a win or a loss, at 1."""
    widths = module.WIDTHS
    assert list(widths) == sorted(widths)
    assert 0 < 100 * module.SAME < module.UNTOUCHED <= widths[0] < widths[-1] < 0.5
    assert 0 < module.CLOSE < 0.5 < module.CERTAIN < 1
    assert 0 < module.FIRST < module.BROAD < 1
    assert module.LARGEST > 1000
