"""Games that split, tokens on graphs, and sums: rules and truth against plain search."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import OptimalAgent, QLearning, RandomAgent, RealTimeDynamicProgramming
from agents.players import HumanAgent
from agents.training import train
from nim_envs import Game, make_game
from nim_envs.cgt.sequences import grundy_sequence
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules import (
    Component,
    Convention,
    HeapGame,
    Rules,
    SplittingHeap,
    TableComponent,
    dawsons_kayles,
    graph,
    grundy,
    heap_game,
    kayles,
    nim,
    octal,
    subtraction,
    sum_of,
)
from nim_envs.scoring import beatable_share, best_response, optimality, value_accuracy
from nim_envs.solver import solve
from nim_envs.theory import (
    HeapSearch,
    count_games,
    grundy_values,
    perft,
    reachable,
)
from nim_envs.theory.memo_search import MemoSolution, count_modulo_permutation
from tests.looped import in_one_test
from tests.plain_search import check_solution

HEAPS = [
    ("0.77", (7,)),
    ("0.77", (3, 4)),
    ("0.07", (9,)),
    ("0.137", (8,)),
    ("0.6", (8,)),
    ("4.0", (8,)),
    ("grundy", (9,)),
    ("grundy", (2, 8)),
    ("0.(3)", (3, 4)),
    ("0.(7)", (5,)),
    ("4.7", (5,)),
    ("0.1", (3, 1)),
    ("0.15", (8,)),
    ("0.04", (9,)),
    ("0.52", (8,)),
    ("0.356", (8,)),
]
"""Heap games by name or code, with heaps few enough to search."""

DAG = ((), (0,), (0,), (1, 2), (0, 3), (2, 3), (1, 4), (5, 6, 0), ())


def rules_of(name, heaps):
    return grundy(heaps) if name == "grundy" else octal(name, heaps)


OTHERS = [
    graph(DAG, (7, 6)),
    graph(DAG, (7, 7, 4)),
    graph(((), (0,), (1, 0)), (2,)),
    sum_of([kayles((4,)), nim((3,)), graph(DAG, (5,))]),
    sum_of([grundy((7,)), subtraction((4,), (2, 3)), kayles((2,))]),
    sum_of([kayles((3,)), kayles((3,)), kayles((2,))]),
    sum_of([nim((2, 3)), dawsons_kayles((7,))]),
]
ALL_RULES = [*(rules_of(*heaps) for heaps in HEAPS), *OTHERS]


def named(rules):
    return f"{rules.name}{rules.initial}"


@in_one_test("heaps", HEAPS)
def test_moves_are_those_of_the_heap_game_and_dead_heaps_leave_the_board(heaps):
    name, sizes = heaps
    game, rules = heap_game(name), rules_of(name, sizes)

    def alive(parts):
        return sorted(part for part in parts if game.options(part))

    for position in rules.lattice().tolist():
        expected = Counter()
        for place, heap in enumerate(position):
            rest = position[:place] + position[place + 1 :]
            for option in game.options(heap):
                expected[tuple(sorted([part for part in rest if part] + alive(option)))] += 1
        found = Counter()
        for action in np.flatnonzero(rules.action_mask(np.array(position))).tolist():
            after = rules.step(np.array(position), action)
            assert rules.is_position(after)
            found[tuple(sorted(after[after > 0].tolist()))] += 1
        assert found == expected


@in_one_test("heaps", HEAPS)
def test_slots_are_as_many_as_heaps_can_ever_be_at_once(heaps):
    name, sizes = heaps
    game, rules = heap_game(name), rules_of(name, sizes)
    seen = set()

    def play(position):
        if position in seen:
            return
        seen.add(position)
        for place, heap in enumerate(position):
            for option in game.options(heap):
                parts = [part for part in option if game.options(part)]
                play(tuple(sorted([*position[:place], *position[place + 1 :], *parts])))

    play(tuple(sorted(sizes)))
    most = max(map(len, seen))
    assert len(rules.components) == max(most, len(sizes))
    # Whatever play from the initial position reaches is a position.
    by_seat = reachable(rules, np.array([rules.initial]))
    reached = rules.positions(np.flatnonzero(by_seat.any(axis=0)))
    assert rules.is_position(reached).all()
    assert {tuple(sorted(row[row > 0].tolist())) for row in reached} == seen


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("rules", ALL_RULES, ids=named)
def test_every_way_of_solving_equals_exhaustive_search_at_every_position(rules, convention):
    game = Game(rules, convention)
    solutions = (solve(game), solve(game, method="search"), MemoSolution(rules, convention))
    # Where no theorem applies the first two are the same.
    for solution in {solution.method: solution for solution in solutions}.values():
        check_solution(solution)


def random_splitting_tables(count, seed):
    """Tables of small random games that split: what is left is at most what there was."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        states = int(rng.integers(4, 7))
        rows, seconds = [], []
        for state in range(states):
            options = [(-1, 0)] + [
                (first, second)
                for first in range(state)
                for second in range(min(first, state - first) + 1)
            ]
            chosen = [options[i] for i in rng.integers(len(options), size=4)]
            rows.append(tuple(first for first, _ in chosen))
            seconds.append(tuple(second for _, second in chosen))
        table = TableComponent(tuple(rows), tuple(seconds))
        if table.splits:
            yield table


@pytest.mark.parametrize("convention", Convention)
def test_random_games_that_split_are_solved_right_by_every_method_that_applies(convention):
    methods = Counter()
    tail = TableComponent(rows=((-1, -1), (0, -1), (1, 0)))
    for table in random_splitting_tables(60, seed=3):
        top = table.states - 1
        slots = int(table.slots_needed[top])
        rules = Rules("random", (table,) * slots + (tail,), (top, *(0,) * (slots - 1), 2))
        solution = solve(Game(rules, convention))
        methods[solution.method] += 1
        check_solution(solution)
    if convention is Convention.NORMAL:
        assert set(methods) == {"Sprague-Grundy theorem"}
    else:
        # Both roads were taken, and not just once.
        assert set(methods) == {"theorem on tame misère sums", "exhaustive search"}
        assert min(methods.values()) >= 5


def test_the_known_sequences_come_out_of_the_tables():
    cases = {
        "kayles": [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6],
        "dawsons_chess": [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2],
        "dawsons_kayles": [0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3],
        "grundy": [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1],
        "splitting": [0, 0, 1, 0, 1, 0, 1],
    }
    for name, values in cases.items():
        heap = SplittingHeap(heap_game(name), len(values) - 1)
        assert grundy_values(heap).tolist() == values
    for code in ("0.6", "0.156", "4.7", "0.(7)"):
        game = heap_game(code)
        table = grundy_values(SplittingHeap(game, 60))
        assert table.tolist() == grundy_sequence(game, 61).tolist()


def test_perft_counts_by_hand():
    # Kayles of 3: to 2 and on to 1 and 0, or to 0; to 1 1, in two orders; to 1.
    rules = kayles((3,))
    assert [perft(rules, depth) for depth in range(5)] == [1, 3, 5, 3, 0]
    assert count_games(rules) == 2 + 2 + 1
    # Grundy's game of 5: to 4 1 or 3 2; 4 to 3 1; 3 to 2 1.
    assert [perft(grundy((5,)), depth) for depth in range(5)] == [1, 2, 2, 1, 0]
    # A path of three edges with two tokens, at 3 and 2: orders of 3 moves and 2 moves.
    path = graph(((), (0,), (1,), (2,)), (3, 2))
    assert count_games(path) == 10
    # In a sum the moves of the parts interleave: 1 + 2 moves in three ways.
    assert count_games(sum_of([nim((1,)), graph(((), (0,), (1,)), (2,))])) == 3


def test_points_of_the_lattice_that_need_too_many_slots_are_no_positions():
    rules = kayles((7,))
    assert rules.num_positions == 8**4
    lattice = rules.lattice()
    # A heap of n may become (n + 1) // 2 heaps.
    by_hand = [
        point
        for point in itertools.product(range(8), repeat=4)
        if sum((heap + 1) // 2 for heap in point) <= 4
    ]
    assert lattice.tolist() == [list(point) for point in by_hand]
    for ask in (rules.checked_positions, solve(make_game("kayles")).is_winning):
        with pytest.raises(InvalidPositionError, match=r"\[7, 7, 0, 0\].* 8 slots .* there are 4"):
            ask((7, 7, 0, 0))
    box = rules.positions_between((0, 1, 0, 2), (3, 3, 1, 7))
    assert box.tolist() == [
        list(point)
        for point in by_hand
        if point[0] <= 3 and 1 <= point[1] <= 3 and point[2] <= 1 and point[3] >= 2
    ]
    with pytest.raises(SearchTooLargeError, match="positions or more; the limit is 10"):
        rules.lattice(10)


def test_lattices_too_large_to_sweep_are_searched_up_to_order():
    game = make_game("kayles", heaps=(20,), misere=True)
    assert game.rules.num_positions == 21**10
    # Two sizes of heaps for each number of slots up to 10: partitions into parts of two colours.
    assert count_modulo_permutation(game.rules) == sum(
        [1, 2, 5, 10, 20, 36, 65, 110, 185, 300, 481]
    )
    solution = game.solution
    assert solution.method == "memoised search modulo permutation"
    search = HeapSearch("kayles", Convention.MISERE)
    positions = [
        game.rules.initial,
        (11, 0, 0, 3, 3, 0, 0, 0, 0, 0),
        (4, 4, 4, 4) + (1, 1, 0, 0, 0, 0),
    ]
    for position in positions:
        assert solution.is_winning(position) == search.is_winning(position)
        for action in solution.winning_actions(position).tolist():
            after = game.rules.step(np.array(position), action)
            assert not search.is_winning(after.tolist())
    with pytest.raises(SearchTooLargeError, match=r"1215 modulo permutation .* the limit is 1000"):
        solve(game, method="search", limit=1000)
    with pytest.raises(SearchTooLargeError, match="more than 100 positions"):
        MemoSolution(game.rules, Convention.MISERE, limit=100).is_winning(game.rules.initial)


def test_normal_play_of_larger_heaps_needs_no_search():
    game = make_game("kayles", heaps=(90, 57))
    assert game.solution.method == "Sprague-Grundy theorem"
    values = grundy_sequence(heap_game("kayles"), 91)
    assert game.solution.grundy_value(game.rules.initial) == values[90] ^ values[57]
    for action in game.solution.winning_actions(game.rules.initial).tolist():
        after = game.rules.step(np.array(game.rules.initial), action)
        assert np.bitwise_xor.reduce(values[after]) == 0


CYCLIC = ((1,), (2,), (3,), (1, 0), ())


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: graph(CYCLIC, (0,)), "1 -> 2 -> 3 -> 1"),
    (lambda: graph(((), (2,)), (1,)), "successors[1][0]"),
    (lambda: octal("0.8", (3,)), "'0.8'"),
    (lambda: octal("0.77", (3, -1)), "-1"),
    (lambda: sum_of([kayles]), "function"),
    (lambda: make_game("sum", games=()), "()"),
    (lambda: TableComponent(((1,), (-1,), (1,)), ((0,), (0,), (1,))), "empty slot"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_by_name(make, named):
    with pytest.raises((InvalidGameError, InvalidPositionError)) as caught:
        make()
    assert named in str(caught.value)


def test_a_heap_too_large_to_tabulate_is_refused_with_its_size():
    # Options, upper bound: an amount from 0 on, and a size of the smaller part.
    for code, size, amounts in (("0.77", 10**6, 3), ("0.(7)", 10**4, 10**4 + 1)):
        needed = 8 * amounts * (size // 2 + 1) * (size + 1)
        with pytest.raises(SearchTooLargeError, match=rf"heap of {size} objects .* {needed} bytes"):
            octal(code, (size,))


@given(
    digits=st.lists(st.integers(0, 7), min_size=1, max_size=5).filter(any),
    head=st.sampled_from((0, 4)),
    repeating=st.booleans(),
    unequal=st.booleans(),
    size=st.integers(0, 14),
)
def test_slots_needed_by_heaps_equal_a_search_of_their_table(
    digits, head, repeating, unequal, size
):
    heap = SplittingHeap(HeapGame((head, *digits), repeating, unequal), size)
    assert heap.splits == heap.second_table.any()
    assert heap.slots_needed.tolist() == Component.slots_needed.func(heap).tolist()
    sizes = np.arange(heap.states)
    # A heap without a move is removed at once: it is never what a move leaves.
    left = {*heap.table[heap.table >= 0].tolist(), *heap.second_table.ravel().tolist()} - {0}
    assert not any(heap.is_terminal(np.array(part)) for part in left)
    alive = ~heap.is_terminal(sizes)
    assert alive.tolist() == [len(heap.game.options(number)) > 0 for number in sizes.tolist()]


@given(edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25, unique=True))
def test_a_graph_is_refused_just_if_it_has_a_cycle(edges):
    lists = [[] for _ in range(10)]
    for source, target in edges:
        lists[source].append(target)
    # Who has no edge left is taken away, over and over: what stays is a cycle and more.
    left = set(range(10))
    while any(left.isdisjoint(lists[node]) for node in left):
        left -= {node for node in left if left.isdisjoint(lists[node])}
    if not left:
        assert graph(lists, (0,)).components[0].states == 10
        return
    with pytest.raises(InvalidGameError) as caught:
        graph(lists, (0,))
    cycle = [int(node) for node in str(caught.value).rpartition("it has ")[2].split(" -> ")]
    assert cycle[0] == cycle[-1]
    assert all(target in lists[node] for node, target in itertools.pairwise(cycle))


@pytest.mark.parametrize(
    ("learner", "name", "arguments", "games"),
    [
        (QLearning, "kayles", {"heaps": (5,), "misere": True}, 5_000),
        (QLearning, "graph", {}, 10_000),
        (
            RealTimeDynamicProgramming,
            "sum",
            {"games": (("grundy", {"heaps": (7,)}), ("nim", {"heaps": (2,)}))},
            5_000,
        ),
    ],
    ids=str,
)
def test_learners_learn_every_position_through_the_same_interface(learner, name, arguments, games):
    env = pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments, start="uniform")
    agent = learner(env.game)
    train(env, agent, games, seed=0, progress=False)
    score = optimality(agent.greedy(), env.game)
    assert (score.percent, score.illegal_percent) == (100.0, 0.0)
    assert score.count > 10
    assert score.random_percent < 80


def test_scores_against_a_best_response_are_over_positions_alone():
    game = make_game("sum", games=(("kayles", {"heaps": (4,)}), ("nim", {"heaps": (2,)})))
    chances = best_response(RandomAgent(), game)
    at = game.rules.indices(game.rules.lattice())
    winning = game.solution.is_winning(game.rules.lattice())
    # From an N-position the best response wins for sure.
    assert (chances.moving[at][winning] == 1).all()
    assert beatable_share(OptimalAgent(game), game) == 0

    def opponent_may_win(position, opponent_moves):
        """By plain search: whether there is any way that the random player loses."""
        actions = np.flatnonzero(game.rules.action_mask(position))
        if not len(actions):
            return not opponent_moves
        after = (game.rules.step(position, action) for action in actions)
        return any(opponent_may_win(option, not opponent_moves) for option in after)

    won = game.rules.lattice()[winning]
    share = np.mean([opponent_may_win(position, opponent_moves=False) for position in won])
    assert 0 < share < 1
    assert beatable_share(RandomAgent(), game) == share
    guess = np.zeros(game.rules.num_positions, dtype=bool)
    guess[at] = winning
    assert value_accuracy(guess, game).plain == 1


def test_a_person_names_a_move_by_what_is_taken_and_left():
    game = make_game("sum", games=(("kayles", {"heaps": (7,)}), "grundy", "graph"))
    position = np.array(game.rules.initial)
    mask = game.rules.action_mask(position)
    said: list[str] = []

    def moved(*answers):
        lines = iter(answers)
        human = HumanAgent(game, read=lambda prompt: next(lines), write=said.append)
        action = human.act(position, mask, np.random.default_rng(0))
        return game.rules.describe_action(action, position)

    assert moved("0 2 1") == "heap 0: take 2, leave 1 and 4"
    assert moved("0, 2") == "heap 0: take 2"
    assert moved("4 3") == "heap 4: leave 3 and 7"
    assert moved("7 2") == "token 7: move to 2"
    assert moved("1 1", "7 9", "hint", "0 1 3") == "heap 0: take 1, leave 3 and 3"
    assert said[0].startswith(
        "'1 1' is not a legal move. Legal moves:\n  heap 0: take 1 or 2; take 1, leave 1 and 5; "
    )
