"""The table of faults is computed: against brute force, and against patterns found by hand."""

import numpy as np
import pytest

from nim_envs.diagnosis import FAULTS, PROBES
from nim_envs.diagnosis import faults as table
from nim_envs.diagnosis.faults import (
    LEGAL,
    ROWS,
    Look,
    Row,
    distance,
    distance_of_look,
    expected_pattern,
    letter,
    pattern_of,
)  # fmt: skip
from nim_envs.diagnosis.probes import ENDS

BY_NAME = {probe.name: probe for probe in PROBES}
VERSIONS = tuple((probe, version) for probe in PROBES for version in (0, 1))
EQUATIONS = [row for row in ROWS if isinstance(row, Row)]


def pattern(row, *names, discount=1.0):
    """The letters of a row on some probes, one for each column."""
    found = expected_pattern(row, discount, VERSIONS)
    return " ".join("".join(found[name, c] for c in BY_NAME[name].columns) for name in names)


BY_DEPTH = ("one move", "reply", "next turn", "chain")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row(()), "+++ +++ +++ +++"),
        (Row((), "own turn"), "+++ +++ +++ +++"),
        (Row((), carry=1.0), "+++ --- +++ ---"),
        (Row((), "own turn", carry=-1.0), "+++ +++ --- +++"),
        (Row((), own=table.SWAPPED), "--- --- --- ---"),
        (Row((), own=table.SWAPPED, carry=1.0), "--- +++ --- +++"),
        (Row((), carry=0.0), "+++ ??? ??? ???"),
        (Row((), "own turn", carry=0.0), "+++ +++ ??? ???"),
        (Row((), "own turn", reply=table.NOTHING), "+++ ??? +++ ???"),
        (Row((), "negamax", reply=table.NOTHING), "+++ ??? ??? ???"),
        (Row((), "whole games", reply=table.NOTHING), "+++ ??? +++ +++"),
        (Row((), "whole games", table.NOTHING, table.RIGHT), "??? +++ +++ +++"),
        (Row((), "own turn", table.CLIPPED), "+?+ +?+ +?+ +?+"),
        (Row((), clipped=True), "+?+ ??? ??? ???"),
        (Row((), best="forced"), "+++ ??? ??? ???"),
        (Row((), least=True), "--- --- --- ---"),
    ],
)
def test_parity_tells_faults_apart_as_one_finds_by_hand(row, expected):
    assert pattern(row, *BY_DEPTH) == expected
    assert pattern(row, *BY_DEPTH, discount=0.9) == expected


def test_hope_and_the_mask_tell_others():
    assert pattern(Row((), "own turn", errs=True), "hope") == "+-"
    assert pattern(Row((), best="min"), "hope")[1] == "-"
    assert pattern(Row((), least=True), "hope") == "--"
    assert pattern(Row((), own=table.SWAPPED), "hope") == "?+"
    assert pattern(Row((), best="alike"), "mask") == "+-"
    assert pattern(Row((), best="illegal"), "mask") == "+?"
    assert pattern(Row((), beyond=True), "now or later") == "-++-"


def brute_force(probe, name, action, row, discount):
    """The value of an action by recursion: equations written out, with greedy replies."""
    after = probe.tree[name][action]
    if row.form == "negamax":
        if after in ENDS:
            return row.own[1 + ENDS[after]]
        best = max(brute_force(probe, after, a, row, discount) for a in probe.tree[after])
        return (-1.0 if row.carry is None else row.carry) * discount * best
    if after in ENDS:
        return row.own[1 + ENDS[after]]
    replies = {a: brute_force(probe, after, a, row, discount) for a in probe.tree[after]}
    largest = max(replies.values())
    greedy = [a for a, value in replies.items() if value > largest - 1e-6]
    reply_read = row.own if row.reply is None else row.reply
    total = 0.0
    for reply, to in probe.tree[after].items():
        chance = 0.9 * (reply in greedy) / len(greedy) + 0.1 / len(replies)
        if to in ENDS:
            total += chance * reply_read[1 - ENDS[to]]
        else:
            best = max(brute_force(probe, to, a, row, discount) for a in probe.tree[to])
            total += chance * (1.0 if row.carry is None else row.carry) * discount * best
    return total


@pytest.mark.parametrize("discount", table.DISCOUNTS)
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_equations_are_solved_as_by_brute_force(probe, discount):
    plain = [
        row
        for row in EQUATIONS
        if row == Row(*row[:5]) and (row.form == "own turn" or row.reply is None)
    ]
    assert len(plain) > 20
    for row in plain:
        solved = table.solution(row, probe, discount)
        for place, name in enumerate(probe.tree):
            for action in probe.tree[name]:
                expected = brute_force(probe, name, action, row, discount)
                assert solved[place, action] == pytest.approx(expected), (row, name, action)


def test_every_fault_of_the_list_has_a_row_or_is_found_otherwise():
    in_rows = {name for row in ROWS for name in row.faults}
    otherwise = {
        "zero reward", "learning rate 0 or tiny", "same action always", "truncation as end",
    }  # fmt: skip
    assert in_rows | otherwise == set(FAULTS)
    assert not in_rows & otherwise


def test_an_agent_with_a_fault_is_nearest_to_it_and_a_right_one_to_all_right():
    right = expected_pattern(ROWS[0], 1.0, VERSIONS)
    assert set(right.values()) == {"+"}
    for row in EQUATIONS:
        seen = expected_pattern(row, 1.0, VERSIONS)
        if "*" not in seen.values():
            among = [distance(expected_pattern(each, 1.0, VERSIONS), seen) for each in EQUATIONS]
            assert distance(seen, seen) == min(among) == 0, row
        if row.faults and seen != right:
            assert distance(seen, right) > 0, row


def test_letters_follow_shares():
    shares = (1.0, 0.995, 0.99, 0.85, 0.84, 0.5, 0.15, 0.14, 0.0)
    assert "".join(map(letter, shares)) == "++~~???--"


def played_by(look):
    """The moves of an agent that is right where it can be, by what it sees."""
    moves = {}
    for probe in PROBES:
        for version in (0, 1):
            shown, chances = probe.observed(version), np.zeros((len(probe.tree), table.ACTIONS))
            known = {}
            for place, name in enumerate(probe.tree):
                right = {q.position: min(q.right) for q in probe.questions}
                action = right.get(name, min(probe.tree[name]))
                legal = frozenset(probe.tree[name])
                chances[place, known.setdefault((look(shown[name]), legal), action)] = 1
            moves[probe, version] = chances
    return moves


def test_a_fault_of_observation_is_near_if_answers_are_the_same_where_it_sees_the_same():
    looks = [row for row in ROWS if isinstance(row, Look) and not row.in_play]
    assert len(looks) > 10
    for row in looks:
        moves = played_by(row.seen)
        assert distance_of_look(row, moves) < 1.5, row
        assert distance(expected_pattern(ROWS[0], 1.0, VERSIONS), pattern_of(moves)) >= 1, row
    blind = next(row for row in looks if row.faults == ("blind to an entry",))
    assert distance_of_look(blind, played_by(lambda look: look)) == np.inf


def test_ties_fall_to_any_action_or_to_the_first():
    by_any, by_first = (
        expected_pattern(table.IGNORANT, 1.0, VERSIONS, first) for first in (False, True)
    )
    columns = [("sight", column) for column in BY_NAME["sight"].columns]
    assert "".join(by_any[key] for key in columns) == "??????"
    assert "".join(by_first[key] for key in columns) == "????-?"  # never the middle one
    assert by_first[LEGAL] == "+"


def test_legal_moves_are_a_column():
    unmasked = next(row for row in EQUATIONS if row.unmasked)
    assert expected_pattern(unmasked, 1.0, VERSIONS)[LEGAL] == "?"
