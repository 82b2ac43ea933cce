"""The suite: the same everywhere, exact, hard enough; its players, results and commands."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.cli.main import run
from nim_envs.errors import InvalidGameError
from nim_envs.text.exam import BANDS, PLAYERS, Results, Suite, asking_player, compare, judge
from nim_envs.text.exam.results import Row, bootstrap, header
from nim_envs.text.exam.suite import MOST_POSITIONS, UNREAD
from nim_envs.text.exam.tables import markdown
from nim_envs.text.exam.truth import truth_of
from nim_envs.text.prompts import PROMPT_VERSION
from nim_envs.text.replies import Answer, Replies, Request
from nim_envs.text.runner import answers

ROOT = Path(__file__).resolve().parents[4]
FORM = {"style": "sentences", "answer": "tag"}
READING = {"answer": "tag", "last_line": False}


@pytest.fixture(scope="module")
def suite():
    return Suite(0)


@cache
def asked(suite, samples):
    return list(suite.requests(samples, **FORM))


def results(suite, name, samples=1):
    facts = header(suite, name, {}, samples, FORM)
    said = answers(asking_player(name, suite, "tag"), asked(suite, samples), Replies(None, facts))
    return judge(suite, said, facts, READING)


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
        last_wins = game.convention.value == "normal"

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
            place = tuple(
                int(each) for each in game.rules.coordinate_tuple(np.array(item.position))
            )
            assert searched(place) == (True, item.winning, item.legal, item.moves_to_end)
        counts = [sum(item.band == band for item in setting.items) for band in BANDS]
        assert counts == [17, 17, 16]
        assert setting.group not in UNREAD or setting.random_percent < 60


def test_bands_are_ordered_by_difficulty():
    truth = truth_of(make_game("kayles", heaps=(9,)), "reachable")
    bands, difficulty = truth.bands(), truth.difficulty
    for low, high in ((0, 1), (1, 2)):
        assert difficulty[bands == low].max() <= difficulty[bands == high].min()
    assert truth_of(make_game("nim", heaps=(1,)), "all").bands().tolist() == [0]


def test_prompts_are_the_settings_own_and_twins_are_in_other_words(suite):
    ids = [request.id for request in asked(suite, 2)]
    assert len(set(ids)) == len(ids) == 2 * len(suite.items)
    by_name = {setting.name: setting for setting in suite.settings}
    for name, setting in by_name.items():
        if name.endswith("-disguised"):
            twin = by_name[name.removesuffix("-disguised")]
            assert setting.language.game.rules == twin.language.game.rules
            assert setting.language.disguise is not None
    assert sum(name.endswith("-disguised") for name in by_name) == 16


def test_the_perfect_player_has_100_and_the_reciter_in_plain_nim_alone(suite):
    perfect = results(suite, "perfect")
    assert all(row.percent == row.percent_of_moves == 100 for row in perfect.rows)
    assert perfect.summary["all"] == (100, 100, 100)
    recited = results(suite, "nim-sum")
    assert recited.mean(["nim"]) == (100, 100, 100)
    assert recited.mean(["misère", "classic", *UNREAD]).high < 70
    random = results(suite, "random")
    assert random.summary["all"].low < 0 < random.summary["all"].high
    two_ply = results(suite, "two-ply")
    assert random.mean().high < two_ply.mean().low < two_ply.mean().high < 100
    assert set(PLAYERS) == {"random", "first", "nim-sum", "greedy", "two-ply", "perfect"}


def test_failures_formats_and_tokens_are_told_apart():
    suite = Suite(0, only=("nim-3-4-5",))
    requests = asked(suite, 1)
    perfect = asking_player("perfect", suite, "tag")

    def answer(number, request):
        (right,) = perfect([request])
        wrong = {0: "No idea.", 1: "<move>heap 0: take 99</move>"}.get(number % 5, right.reply)
        tokens = None if number == 49 else number
        return Answer(None, "HTTP 400") if number % 5 == 4 else Answer(wrong, None, 3, tokens)

    said = [(request, answer(number, request)) for number, request in enumerate(requests)]
    facts = header(suite, "me", {}, 1, FORM)
    (row,) = judge(suite, said[:40], facts, READING).rows
    assert (row.replies, row.failed) == (32, 8)
    assert (row.percent, row.percent_of_moves) == (50, 100 * 16 / 24)
    assert (row.illegal, row.no_move) == (25, 25)
    assert row.tokens == np.mean([number for number in range(40) if number % 5 != 4])
    assert row.random_percent == suite.settings[0].random_percent
    found = judge(suite, said[:40], facts, READING)
    assert found.missing == 10
    shown = markdown(found)
    for words in ("8 requests failed", "10 not asked yet", "a part of the suite", "32 (+8 failed)"):
        assert words in shown
    with pytest.raises(ValueError, match="is not a position of the suite of seed 0"):
        judge(suite, [(Request("nim-3-4-5/9-9-9#0", ""), Answer(""))], facts, READING)
    # Of two answers in a file, the last counts.
    twice = judge(suite, [*said[4:5], (requests[4], perfect([requests[4]])[0])], facts, READING)
    assert (twice.rows[0].percent, twice.rows[0].failed) == (100, 0)


def test_a_bootstrap_interval_covers_the_mean():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(100):
        interval = bootstrap(rng.normal(50, 20, 40).tolist())
        covered += interval.low <= 50 <= interval.high
    assert 88 <= covered <= 100
    assert bootstrap([3.0, math.nan, 3.0]) == (3, 3, 3)
    assert math.isnan(bootstrap([]).mean)
    row = Row("a", "nim", 1, 0, 60.0, 60.0, 20.0, 0.0, 0.0, math.nan)
    assert row.above_random == 50


def test_results_are_read_back_and_compared(tmp_path, capsys):
    suite = Suite(0, only=("nim-3-4-5", "octal-a"))
    paths = []
    for name in ("greedy", "perfect"):
        paths.append(tmp_path / f"{name}.json")
        found = results(suite, name)
        paths[-1].write_text(found.as_json(), encoding="utf-8")
        read = Results.from_json(paths[-1])
        assert read.kinds == found.kinds
        assert str(read.rows) == str(found.rows)
        assert markdown(read) == markdown(found)
    assert run(["text", "exam", "compare", *map(str, paths)]) == 0
    shown = capsys.readouterr().out
    greedy = Results.from_json(paths[0])
    wrong = sum(kind != "kept_win" for kind in greedy.kinds.values())
    assert f"same 100 prompts: {wrong} by perfect alone, 0 by greedy alone" in shown
    for row in greedy.rows:
        assert f"| {row.setting} | {row.group} | 50 | {100 - row.percent:+.1f} |" in shown
    other = results(Suite(1, only=("nim-3-4-5",)), "greedy")
    with pytest.raises(ValueError, match="different suites: seed 0 and 1"):
        compare(greedy, other)
    (tmp_path / "no.json").write_text("{}")
    assert run(["text", "exam", "compare", str(paths[0]), str(tmp_path / "no.json")]) == 2
    assert "holds no results of an exam" in capsys.readouterr().err


PROGRAM = """
import json, random, sys
sys.path.insert(0, {root!r})
from nim_envs.text.exam import Suite, asking_player
from nim_envs.text.replies import Request
suite = Suite(0, {only!r})
ask = asking_player("perfect", suite)
waiting = []
def say():
    random.shuffle(waiting)
    while waiting:
        request = waiting.pop()
        (answer,) = ask([request])
        words = random.choice(["Clear.\\n<move>{{}}</move>", "<MOVE> {{}}. </MOVE>",
            "<move>first</move> no: <move>`{{}}`</move> wins", "**<move>{{}}</move>**"])
        move = answer.reply.upper() if random.random() < 0.3 else answer.reply
        print(json.dumps({{"reply": words.format(move), "id": request.id}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    waiting.append(Request(asked["id"], asked["prompt"]))
    if len(waiting) == 5:
        say()
say()
"""


def test_a_perfect_program_has_100_however_it_words_and_orders_its_moves(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    only = ("misere-4-5-6-disguised", "kayles", "graph-c", "number")
    code = PROGRAM.format(root=str(ROOT), only=only)
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    words = ["text", "exam", "--command", shlex.join([sys.executable, "program.py"])]
    for name in only:
        words += ["--only", name]
    words += ["--output", "results.json", "--output", "results.md", "--concurrency", "5"]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert "| all settings | 100.0 (100.0 to 100.0) |" in shown
    found = Results.from_json(tmp_path / "results.json")
    assert (tmp_path / "results.md").read_text(encoding="utf-8") == markdown(found)
    (path,) = tmp_path.glob("exam_*.jsonl")
    # The same command asks nothing, and the replies can be judged in another way.
    (tmp_path / "program.py").write_text("import sys\nsys.stdin.read()\n", encoding="utf-8")
    assert run(words) == 0
    captured = capsys.readouterr()
    assert captured.out == shown
    assert f"going on after 200 replies in {path.name}" in captured.err
    assert run(["text", "judge", str(path)]) == 0
    assert capsys.readouterr().out.strip() in shown
    assert run(["text", "judge", str(path), "--answer", "json"]) == 0
    assert "| graph-c | graph | 50 | 0.0 | - |" in capsys.readouterr().out


GIVES_REASONS = """
import json, sys
sys.path.insert(0, {root!r})
from nim_envs.text.exam import Suite, asking_player
from nim_envs.text.replies import Request
suite = Suite(0, {only!r})
ask, ids = asking_player("perfect", suite, "tag"), list(suite.items)
for line in sys.stdin:
    asked = json.loads(line)
    assert "State each of your reasons as <claim>...</claim>" in asked["prompt"]
    (answer,) = ask([Request(asked["id"], asked["prompt"])])
    said = "Hm. <claim>The position is won</claim> <claim>I feel it</claim> "
    if ids.index(asked["id"].partition("#")[0]) % 5 == 0:
        said += "<claim>The position is lost</claim> "
    print(json.dumps(dict(id=asked["id"], reply=said + answer.reply)), flush=True)
"""


def test_right_moves_with_false_reasons_show(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    only = ("nim-3-4-5-disguised", "octal-a")
    (tmp_path / "program.py").write_text(GIVES_REASONS.format(root=str(ROOT), only=only))
    words = ["text", "exam", "--command", shlex.join([sys.executable, "program.py"]), "--reasons"]
    words += ["--only", only[0], "--only", only[1], "--output", "results.json"]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert "| tokens | claims | true % | kept, false reason % |" in shown
    for row in Results.from_json(tmp_path / "results.json").rows:
        assert (row.percent, row.claims, row.false_reasons) == (100, 1.2, 20)
        assert row.true_claims == pytest.approx(100 / 1.2)
    (path,) = tmp_path.glob("exam_*.jsonl")
    assert run(["text", "judge", str(path)]) == 0
    assert capsys.readouterr().out.strip() in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "whom to ask"),
        (["--offline", "--command", "cat"], "whom to ask"),
        (["--openai", "http://127.0.0.1:1/v1"], "needs --model"),
        (["--openai", "http://127.0.0.1:1/v1", "--model", "m", "--body", "[]"], "--body: "),
        (["--openai", "http://127.0.0.1:1/v1", "--model", "m", "--body", '{"model": 3}'], "--body"),
        (["--command", "cat", "--only", "chess"], "settings are"),
        (["--command", "cat", "--last-line"], "last_line is for"),
        (["--command", "cat", "--reasons", "--answer", "line"], "--reasons needs an answer that"),
        (["--command", "cat", "--cost-limit", "3"], "needs --prompt-price"),
        (["--command", "cat"], "is not an answer"),
        (["--command", "cat", "--replies", __file__], "holds no replies"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    assert run(["text", "exam", *words]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.splitlines()[-1].startswith("error: ")


def test_files_without_an_exam_are_not_judged(tmp_path, capsys):
    path = tmp_path / "replies.jsonl"
    facts = header(Suite(0), "me", {}, 1, FORM) | {"prompt_version": PROMPT_VERSION - 1}
    for given, message in (
        ({}, "holds no replies of an exam"), (facts, "holds replies to prompts of version"),
    ):  # fmt: skip
        path.unlink(missing_ok=True)
        Replies(path, given).close()
        assert run(["text", "judge", str(path)]) == 2
        assert message in capsys.readouterr().err
    assert run(["text", "judge", __file__]) == 2
    assert os.path.getsize(__file__) > 1000


def test_rows_without_a_model_are_those_of_the_manual(tmp_path, capsys):
    names = ("nim-3-4-5", "octal-b", "exchange")
    words = [word for name in names for word in ("--only", name)]
    assert run(["text", "exam", "--offline", *words, "--output", str(tmp_path / "a.csv")]) == 0
    assert "| perfect | 100.0 (100.0 to 100.0) |" in capsys.readouterr().out
    printed = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    committed = (ROOT / "docs/results/exam.csv").read_text(encoding="utf-8").splitlines()
    assert len(printed) == 1 + len(PLAYERS) * len(names)
    assert set(printed) <= set(committed)
