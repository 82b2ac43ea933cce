"""The suite: the same everywhere, exact, hard enough; and the two commands of the exam."""

import csv
import hashlib
import json
import math
from functools import cache

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidGameError
from nim_envs.text import prompt, verdict
from nim_envs.text.exam import BANDS, Suite, judge
from nim_envs.text.exam.results import bootstrap
from nim_envs.text.exam.suite import MOST_POSITIONS, UNREAD
from nim_envs.text.exam.truth import truth_of
from tests.commands import run_nim_envs as run


@pytest.fixture(scope="module")
def suite():
    return Suite(0)


def moves(suite, right):
    """Return a reply to each position, a move that keeps the win or the first one that does not."""
    for name, (setting, item) in suite.items.items():
        truth = setting.language.outcomes(item.position)
        actions = [action for action in truth.after if (action in truth.keeping) == right]
        yield name, setting.language.move(item.position, actions[0]) if actions else "none"


def test_a_seed_draws_the_same_suite_everywhere(suite):
    text = json.dumps([list(suite.items), [setting.language.name for setting in suite.settings]])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "52c1c523147f7bb2"
    assert len(suite.settings) == 42
    alone = Suite(0, only=("chomp-disguised", "graph-b"))
    assert [setting.items for setting in alone.settings] == [
        setting.items for setting in suite.settings if setting.name in alone.only
    ]
    assert list(Suite(1).items) != list(suite.items)
    with pytest.raises(InvalidGameError, match=r"settings are nim-3-4-5, .*; not chess"):
        Suite(0, only=("chess",))
    with pytest.raises(InvalidGameError, match="seed"):
        Suite(-1)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 5))]
)
def test_every_position_is_won_and_its_difficulty_is_that_of_plain_search(seed):
    for setting in Suite(seed).settings:
        game = setting.language.game
        last_wins = not game.misere

        @cache
        def searched(position, game=game, last_wins=last_wins):
            """Whether the player to move wins, the winning moves, all moves, moves to the end."""
            after = [searched(place) for _, place in game.moves(position)]
            if not after:
                return not last_wins, 0, 0, 0
            lost = [each[3] for each in after if not each[0]]
            moves = 1 + (min(lost) if lost else max(each[3] for each in after))
            return bool(lost), len(lost), len(after), moves

        assert len(setting.items) == MOST_POSITIONS
        for item in setting.items:
            assert searched(item.position) == (True, item.winning, item.legal, item.moves_to_end)
        counts = [sum(item.band == band for item in setting.items) for band in BANDS]
        assert counts == [17, 17, 16]
        assert setting.group not in UNREAD or setting.random_percent < 60


def test_bands_are_ordered_by_difficulty():
    truth = truth_of(make_game("kayles", heaps=(9,)), "reachable")
    bands, difficulty = truth.bands(), truth.difficulty
    for low, high in ((0, 1), (1, 2)):
        assert difficulty[bands == low].max() <= difficulty[bands == high].min()
    assert truth_of(make_game("nim", heaps=(1,)), "all").bands().tolist() == [0]


def test_twins_are_the_same_games_in_other_words(suite):
    by_name = {setting.name: setting for setting in suite.settings}
    twins = [name for name in by_name if name.endswith("-disguised")]
    assert len(twins) == 16
    for name in twins:
        plain = by_name[name.removesuffix("-disguised")]
        assert by_name[name].language.game == plain.language.game
        assert by_name[name].language.disguise is not None


def test_a_bootstrap_interval_covers_the_mean():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(100):
        interval = bootstrap(rng.normal(50, 20, 40).tolist())
        covered += interval.low <= 50 <= interval.high
    assert 88 <= covered <= 100
    assert math.isnan(bootstrap([]).mean)


def test_a_model_that_plays_right_has_100_and_a_random_one_about_0(suite):
    perfect = judge(suite, dict(moves(suite, True)), answer="line")
    assert all(row.percent == row.percent_of_moves == 100 for row in perfect.rows)
    assert perfect.summary == dict.fromkeys(("all", "recited", "unread"), (100, 100, 100))
    rng = np.random.default_rng(0)
    replies = {}
    for name, (setting, item) in suite.items.items():
        action = int(rng.choice(list(setting.language.outcomes(item.position).after)))
        replies[name] = setting.language.move(item.position, action)
    random = judge(suite, replies, answer="line")
    assert random.summary["all"].low < 0 < random.summary["all"].high
    assert random.mean(UNREAD) == random.summary["unread"]


ONLY = ("misere-4-5-6-disguised", "octal-b")
OPTIONS = ["--seed", "3", "--only", ONLY[0], "--only", ONLY[1]]


def written(path, replies):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in replies), encoding="utf-8")
    return str(path)


def test_prompts_are_written_and_replies_judged(tmp_path, capsys):
    suite = Suite(3, ONLY)
    asked = tmp_path / "prompts.jsonl"
    assert run(["text", "exam", "write", str(asked), *OPTIONS]) == 0
    entries = list(map(json.loads, asked.read_text(encoding="utf-8").splitlines()))
    assert [entry["id"] for entry in entries] == list(suite.items)
    for entry, (setting, item) in zip(entries, suite.items.values(), strict=True):
        text = prompt(setting.language, item.position, "sentences", answer="tag")
        assert entry["prompt"] == text
        assert entry["messages"] == [{"role": "user", "content": text}]

    right, wrong = dict(moves(suite, True)), dict(moves(suite, False))
    faults = {0: "No idea.", 1: "<move>heap 99: take 99</move>"}
    said = []
    for number, name in enumerate(suite.items):
        move = wrong[name] if number % 5 == 2 else right[name]
        said.append({"id": name, "reply": faults.get(number % 5, f"Hm.\n<move>{move}</move>")})
    path = written(tmp_path / "replies.jsonl", reversed(said))
    output = tmp_path / "scores.csv"
    assert run(["text", "exam", "judge", path, *OPTIONS, "--output", str(output)]) == 0
    shown = capsys.readouterr().out
    results = judge(suite, {entry["id"]: entry["reply"] for entry in said})
    assert results.markdown() in shown
    kinds = [
        verdict(setting.language, item.position, entry["reply"], answer="tag").kind
        for (setting, item), entry in zip(suite.items.values(), said, strict=True)
    ]
    assert list(results.kinds.values()) == kinds
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, (row, setting) in enumerate(zip(rows, suite.settings, strict=True)):
        part = kinds[50 * number : 50 * (number + 1)]
        assert row["setting"] == setting.name
        for column, count, whole in (
            ("percent", part.count("kept_win"), 50),
            ("percent_of_moves", part.count("kept_win"), 50 - part.count("format")),
            ("illegal", part.count("illegal"), 50),
            ("no_move", part.count("format"), 50),
        ):
            assert float(row[column]) == pytest.approx(100 * count / whole, rel=1e-5)
        assert float(row["random_percent"]) == pytest.approx(setting.random_percent, rel=1e-5)

    # The same replies in another form of answers: none has a move.
    assert run(["text", "exam", "judge", path, *OPTIONS, "--answer", "json"]) == 0
    assert "| octal-b | octal | 50 | 0.0 | - |" in capsys.readouterr().out


def test_what_is_not_a_reply_to_each_position_is_refused(tmp_path, capsys):
    said = [{"id": name, "reply": "Hm."} for name in Suite(3, ONLY).items]
    file = tmp_path / "replies.jsonl"
    for given, options, message in (
        (said[:90], OPTIONS, "10 of the 100 positions of the suite of seed 3 ("),
        ([*said, said[7]], OPTIONS, "line 101: a second reply to"),
        (said, [*OPTIONS, "--seed", "4"], "is not a position of the suite of seed 4"),
        ([*said[:3], {"id": said[3]["id"]}], OPTIONS, "line 4: not an object"),
        (said, [*OPTIONS, "--last-line"], "last_line is for answer='line'"),
        (said, [*OPTIONS, "--only", "chess"], "not chess"),
    ):
        output = tmp_path / "scores.md"
        path = written(file, given)
        with file.open("a") as end:
            end.write("\n")  # as many editors leave it
        assert run(["text", "exam", "judge", path, *options, "--output", str(output)]) == 2
        errors = capsys.readouterr().err
        assert message in errors
        assert errors.splitlines()[-1].startswith("Error: ")
        assert not output.exists()
    assert run(["text", "exam", "judge", __file__]) == 2
    assert "line 1: not an object" in capsys.readouterr().err
