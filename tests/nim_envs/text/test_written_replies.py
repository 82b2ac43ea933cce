"""Written replies: those that name a move are read as it, and the others as faults.

``written_replies.json`` has for each game a position, and moves with wordings in which a person
reads them; and wordings in which a person reads no move, two, or another than their beginning.
"""

import json
from functools import lru_cache
from pathlib import Path

import pytest

from nim_envs import make_game
from nim_envs.text import move_text, read_move

WRITTEN = json.loads(Path(__file__).with_suffix("").with_name("written_replies.json").read_text())

CHOSEN = [
    "{}", "{}.", "I play {}", "So: {}", "My move: {}", "**{}**", "`{}`", "Let me think.\n{}",
    "It is 3 xor 4.\n```\n{}\n```", "- {}", "Answer: **{}**.", "I think the best is {}!", '"{}".',
    "Final answer:\n\n{}\n", "(I choose {})", "The sum is 3. So {}.",
]  # fmt: skip

WITH_REASONS = ["{}, because that wins.", "{} so I win.", "{}. That wins!", "{} - to win"]

REJECTED = [
    "I would never play {}", "Do not play {}.", "{} is bad", "If {}, I lose", "{} ^ 2", "{}½",
    "My opponent plays {}", "{} or not", "{}? No.", "{}; no, wait", "Not {}!", "{} - 1", "{} x 2",
    "Nothing is worse than {}", "~~{}~~", "Instead of {}",
]  # fmt: skip


@lru_cache
def game_of(name):
    return make_game(name)


def read(row, reply, **reading):
    game = game_of(row["game"])
    found = read_move(game, row["position"], reply, **reading)
    return found.kind if found.action is None else move_text(game, row["position"], found.action)


@pytest.mark.parametrize("row", WRITTEN, ids=[row["game"] for row in WRITTEN])
def test_a_written_reply_is_read_as_a_person_reads_it(row):
    replies = 0
    for name, wordings in row["moves"].items():
        for wording in wordings:
            assert read(row, wording) == name, wording
            assert read(row, f"<move>{wording}</move>", answer="tag") == name, wording
            for said in CHOSEN:
                assert read(row, said.format(wording), last_line=True) == name, (said, wording)
            for said in WITH_REASONS:  # in some games more of the move could follow
                assert read(row, said.format(wording), last_line=True) in (name, "format")
            for said in REJECTED:
                asked = said.format(wording)
                assert read(row, asked, last_line=True) == "format", asked
                assert read(row, asked) == "format", asked
            replies += 2 + len(CHOSEN) + len(WITH_REASONS) + 2 * len(REJECTED)
    for wording in row["faults"]:
        for said in ("{}", "{}.", "I play {}", "So: **{}**"):
            asked = said.format(wording)
            assert read(row, asked, last_line=True) in ("format", "illegal"), asked
        assert read(row, wording) in ("format", "illegal"), wording
        replies += 5
    assert replies >= 300


def test_reasons_after_a_move_are_read_where_the_move_cannot_go_on():
    (nim,) = (row for row in WRITTEN if row["game"] == "nim")
    for said in WITH_REASONS:
        assert read(nim, said.format("heap 0: take 2"), last_line=True) == "heap 0: take 2"
