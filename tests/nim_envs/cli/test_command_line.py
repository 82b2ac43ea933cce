"""The command line python -m nim_envs, driven as a person would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
from nim_envs.cgt.sequences import grundy_sequence
from nim_envs.cli.arguments import arguments_of
from nim_envs.cli.main import run
from nim_envs.registration import GAMES, aec_id

ROOT = Path(__file__).resolve().parents[3]
PNG = b"\x89PNG\r\n\x1a\n"


def shown(capsys, *arguments):
    """Return the output of a command, which must succeed."""
    code = run(list(arguments))
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def rows(text):
    """Lines of two columns, up to an empty line, as a dict."""
    first = text.partition("\n\n")[0]
    return dict(
        re.split(r" {2,}", line, maxsplit=1) for line in first.splitlines() if line[0] != " "
    )


@pytest.mark.parametrize("columns", ["60", "100"])
def test_games_lists_every_registered_environment_and_the_named_heap_games(
    capsys, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    text = shown(capsys, "games")
    assert max(map(len, text.splitlines())) <= int(columns)
    rows, started = {}, ""
    for line in text.partition("\n\n")[0].splitlines():
        started = line.split()[0] if line.startswith("nim_envs/") else started
        rows[started] = f"{rows.get(started, '')} {line}"
    for name, row in GAMES.items():
        said = " ".join(rows[aec_id(name)].replace("misère", "").replace("normal", "").split())
        for key, value in row.defaults.items():
            word = re.search(rf"\b{key}=(.*?)(?: \w+=|$)", said)
            assert word
            if "…" not in word[1]:
                assert arguments_of(name, [f"{key}={word[1]}"], row.defaults) == {key: value}
    assert re.search(r"^kayles +0\.77$", text, flags=re.MULTILINE)


def test_solve_a_registered_game(capsys):
    answer = rows(shown(capsys, "solve", "--game", "nim"))
    assert answer["position"] == "3 4 5"
    assert answer["Grundy value"] == "3 xor 4 xor 5 = 2"
    assert answer["outcome"].startswith("N-position")
    assert answer["winning moves"] == "heap 0: take 2"
    assert answer["why"] == "Bouton's theorem"
    misere = shown(capsys, "solve", "--game", "misere_nim", "--position", "1,1,1,0")
    assert rows(misere)["outcome"].startswith("P-position")
    assert rows(misere)["winning moves"] == "none"
    single = shown(capsys, "solve", "--game", "subtraction", "--set", "heaps=6",
                   "--set", "subtraction_set=2", "--set", "misere=true")  # fmt: skip
    assert rows(single)["play"].startswith("misère")


def flags(settings):
    return [word for setting in settings for word in ("--set", setting)]


def test_solve_games_that_split_and_sums(capsys):
    kayles = shown(capsys, "solve", "--game", "kayles", "--set", "heaps=7")
    answer = rows(kayles)
    assert answer["position"] == "7 0 0 0"
    assert answer["Grundy value"] == "2 xor 0 xor 0 xor 0 = 2"
    assert answer["winning moves"] == "heap 0: take 1, leave 3 and 3"
    assert "heap 0: take 2, leave 1 and 4" in kayles
    settings = ["code=0.07", "heaps=6,5", "misere=true"]
    octal = rows(shown(capsys, "solve", "--game", "octal", *flags(settings)))
    assert octal["position"] == "6 5 0"
    games = ['games=[["kayles", {"heaps": [5]}], ["graph", {"tokens": [9]}]]']
    total = rows(shown(capsys, "solve", "--game", "sum", "--position", "3,1,0,7", *flags(games)))
    assert total["winning moves"] == "heap 0: take 2"


def test_all_winning_moves_of_a_game_on_heaps_are_listed(capsys):
    text = shown(capsys, "solve", "--heaps", "kayles", "--position", "5,5,3")
    assert rows(text)["Grundy value"] == "4 xor 4 xor 3 = 3"
    assert re.findall(r"heap \d.*", text) == ["heap 2: 3 to 1 and 1"]
    # Values 2 and 1: of 5 objects a heap of 3 must be split off, of 6 one of 5.
    several = shown(capsys, "solve", "--heaps", "grundy", "--position", "5,6")
    assert re.findall(r"heap \d.*", several) == ["heap 0: 5 to 3 and 2", "heap 1: 6 to 5 and 1"]
    assert "P-position" in shown(capsys, "solve", "--heaps", "0.77", "--position", "7,7")
    misere = shown(capsys, "solve", "--heaps", "0.77", "--misere", "--position", "3,7")
    moves = re.findall(r"heap \d.*", misere)
    assert moves == ["heap 0: 3 to 2", "heap 1: 7 to 6", "heap 1: 7 to 4 and 2"]
    large = shown(capsys, "solve", "--heaps", "0.123", "--misere", "--position", "50000,3")
    assert rows(large)["why"] == "theorem on periodic misère quotients"


@pytest.mark.parametrize(
    ("code", "heaps"), [("0.77", "3,7"), ("0.06", "18,1"), ("4.7", "24"), ("0.123", "900,3")]
)
def test_misere_heaps_are_solved_by_the_method_of_the_registered_game(capsys, code, heaps):
    answer = rows(shown(capsys, "solve", "--heaps", code, "--misere", "--position", heaps))
    settings = flags([f"code={code}", f"heaps={heaps}", "misere=true"])
    game = rows(shown(capsys, "solve", "--game", "octal", *settings))
    assert {key: answer[key] for key in ("outcome", "why")} == {
        key: game[key] for key in ("outcome", "why")
    }


@pytest.mark.parametrize("play", [[], ["--misere"]])
def test_heaps_of_any_size_are_solved_as_the_registered_game_is(capsys, play):
    heaps = ["--position", "1000000000000000,3,5"]
    answer = rows(shown(capsys, "solve", "--heaps", "nim", *play, *heaps))
    settings = flags(["heaps=1000000000000000,3,5", f"misere={str(bool(play)).lower()}"])
    assert answer == rows(shown(capsys, "solve", "--game", "nim", *settings))
    assert answer["why"] == "Bouton's theorem"
    over = rows(shown(capsys, "solve", "--heaps", "nim", *play, "--position", "0,0"))
    assert over["outcome"].startswith("N" if play else "P")
    bounded = rows(shown(capsys, "solve", "--heaps", "0.33", *play, *heaps))
    assert bounded["Grundy value"] == "1 xor 0 xor 2 = 3"


def test_sequence_prints_values(capsys):
    text = shown(capsys, "sequence", "0.77", "45", "--first", "10")
    printed = [line.split() for line in text.splitlines()]
    values = grundy_sequence("0.77", 45).tolist()
    assert [int(line[0]) for line in printed] == [10, 30]
    assert [int(value) for line in printed for value in line[1:]] == values[10:]
    assert len(shown(capsys, "sequence", "grundy").split()) == 64 + 4


def test_period_prints_the_proof(capsys):
    answer = rows(shown(capsys, "period", "kayles"))
    assert (answer["period"], answer["from heap"], answer["last exception"]) == ("12", "71", "70")
    assert answer["exceptions"] == "14"
    assert answer["proof"].startswith("168 values = 2 × 71 + 2 × 12 + 2 places")
    assert rows(shown(capsys, "period", "0.3"))["last exception"] == "none"
    assert "…" in shown(capsys, "period", "0.156")


def test_no_answer_within_the_limit_is_said_with_exit_code_1(capsys):
    assert run(["period", "0.6", "--limit", "3000"]) == 1
    said, errors = capsys.readouterr()
    assert "no period of 0.6 is proven by 3000 values" in said
    assert not errors


def test_quotient_prints_its_elements(capsys):
    text = shown(capsys, "quotient", "nim", "3")
    assert rows(text)["order"] == "6; 2 elements are P-positions"
    assert rows(text)["game"] == "0.(3), tame in misère play"
    assert len(re.findall(r"^\d.* [PN]\b.*$", text, re.MULTILINE)) == 6
    wild = shown(capsys, "quotient", "0.123")
    assert rows(wild)["game"] == "0.123, wild in misère play"
    assert rows(wild)["heaps"].startswith("all; period 5 from heap 5")
    assert rows(wild)["idempotents"] == "0 4 5"
    assert re.search(r"^3 +2 +2 +2 +2\^20$", wild, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (["add", "5", "3"], 6), (["multiply", "4", "4"], 6), (["multiply", "0x8", "8"], 13),
        (["divide", "6", "4"], 4), (["invert", "2"], 3), (["power", "2", "-1"], 3),
        (["power", "2", "0"], 1), (["root", "3"], 2),
        (["multiply", str(2**128), str(2**128)], 2**128 + 2**127),
    ],
)  # fmt: skip
def test_nimber_arithmetic(arguments, result, capsys):
    assert int(shown(capsys, "nimber", *arguments)) == result


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["dance"], "dance"),
        (["solve"], "--game or a game on --heaps"),
        (["solve", "--game", "nim", "--heaps", "0.77"], "either"),
        (["solve", "--game", "chess"], "chess"),
        (
            ["solve", "--game", "nim", "--set", "heaps=3,4", "--position", "3,50"],
            "the board is 3,4: for a larger one --set heaps=3,50",
        ),
        (
            ["solve", "--game", "nim", "--position", "1,2"],
            "a position is 3 integers, one for each component, from 0 to (3, 4, 5), not (1, 2)",
        ),
        (["solve", "--game", "nim", "--position", "1,2,x"], "'1,2,x'"),
        (["solve", "--game", "nim", "--set", "heaps"], "NAME=VALUE"),
        (
            ["solve", "--game", "nim", "--set", "piles=3"],
            "no argument 'piles'; it takes heaps, max_take, misere",
        ),
        (["solve", "--game", "nim", "--misere"], "misere=true"),
        (["solve", "--game", "octal", "--set", "code=0.9"], "'0.9'"),
        (["solve", "--game", "kayles", "--position", "7,7,0,0"], "8 slots"),
        (["solve", "--game", "graph", "--set", "successors=[[1],[0]]"], "0 -> 1 -> 0"),
        (["solve", "--game", "graph", "--set", "successors=[[1"], "JSON"),
        (["solve", "--game", "sum", "--set", "games=chess"], "'chess'"),
        (["solve", "--game", "sum", "--set", 'games=[["nim", {"piles": 3}]]'], "piles"),
        (["solve", "--heaps", "0.8", "--position", "3"], "'0.8'"),
        (["solve", "--heaps", "0.77"], "--position"),
        (["solve", "--heaps", "0.77", "--set", "k=1", "--position", "3"], "--set"),
        (["solve", "--heaps", "0.77", "--position", "3,-4"], "-4"),
        (["solve", "--heaps", "0.77", "--position", "٣,٥"], "'٣,٥'"),
        (["solve", "--heaps", "0.77", "--position", "1_0"], "'1_0'"),
        (["solve", "--game", "nim", "--set", "heaps=1_0"], "'1_0'"),
        (["solve", "--game", "nim", "--set", "heaps=٣,٥"], "'٣'"),
        (["solve", "--heaps", "0.77", "--position", "10000000"], "1000000 objects"),
        (["sequence", "kaylse"], "'kaylse'; did you mean 'kayles'?"),
        (["solve", "--game", "kaylse"], "no 'kaylse'; did you mean 'kayles'?"),
        (["solve", "--game", "nim", "--set", "heap=3"], "'heap'; did you mean 'heaps'?"),
        (["sequence", "0.77", "0"], "0"),
        (["sequence", "0.77", "many"], "many"),
        (["sequence", "0.77", "5", "--first", "5"], "0 to 4"),
        (["sequence", "0.77", "99999999999"], "limit"),
        (["period", "grundy"], "theorem on periods"),
        (["quotient", "0.77", "9", "--limit", "5"], "more than 5 elements"),
        (["nimber", "multiply", "2"], "Y"),
        (["nimber", "multiply", "-1", "2"], "-1"),
        (["nimber", "multiply", "2", "two"], "'two'"),
        (["nimber", "invert", "0"], "0 has no nim-inverse"),
        (["nimber", "divide", "3", "0"], "0 has no nim-inverse"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, named, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert named in captured.err


@pytest.mark.parametrize(
    "fault",
    [TypeError("no number"), ValueError("out of range"), OSError(9, "no such file")],
    ids=str,
)
def test_a_fault_of_the_program_is_raised_as_such(fault, monkeypatch):
    def faulty(*arguments, **named):
        raise fault

    monkeypatch.setattr("nim_envs.cli.quotient.HeapQuotients.extend", faulty)
    with pytest.raises(type(fault), match=str(fault.args[-1])):
        run(["quotient", "nim", "3"])


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch, capsys):
    add = HeapQuotients.add_next

    def interrupted(search, game):
        if search.largest == 3:
            raise KeyboardInterrupt
        add(search, game)

    monkeypatch.setattr(HeapQuotients, "add_next", interrupted)
    assert run(["quotient", "nim", "7"]) == 130
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1] == "stopped"
    # The results proven by then are shown.
    assert rows(captured.out)["heaps"] == "0 to 3"
    assert rows(captured.out)["order"] == "6; 2 elements are P-positions"


def test_the_module_can_be_run():
    done = subprocess.run(
        [sys.executable, "-m", "nim_envs", "nimber", "multiply", "8", "8"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("13\n", "")


def test_without_a_command_the_commands_are_listed(capsys):
    assert run([]) == 2
    listed, errors = capsys.readouterr()
    assert "sequence" in listed
    assert errors == ""


def test_a_number_of_hundreds_of_digits_is_shown_by_its_power_of_ten(capsys):
    board = flags(["rows=20000", "columns=20000"])
    assert run(["solve", "--game", "chomp", *board]) == 2
    error = capsys.readouterr().err
    assert "over 10^12038 states" in error  # by Stirling's formula, 4^20000 / sqrt(20000 π)
    assert len(error) < 200
