"""The command line python -m nim_envs, driven as a person would."""

import re
import subprocess
import sys

import pytest

from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
from nim_envs.cgt.sequences import grundy_sequence
from nim_envs.cli.main import main
from nim_envs.cli.options import as_word
from nim_envs.cli.values import arguments_of, value_of
from nim_envs.registry import GAMES
from tests import ROOT
from tests.commands import run_nim_envs as run


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


def test_games_lists_every_registered_environment_and_the_named_heap_games(capsys):
    text = shown(capsys, "games")
    assert all(f"{GAMES[name].aec_id} " in text for name in GAMES)
    assert re.search(r"nim_envs/nim-v0 +normal +heaps=3,4,5 max_take=none$", text, re.MULTILINE)
    assert re.search(r"^kayles +0\.77$", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "value", [3, 0.5, True, None, "word", (3, 4), (), ((1, 2), ()), (("nim", {"n": 3}),)]
)
def test_a_default_is_read_as_it_is_shown(value):
    assert arguments_of("game", [f"name={as_word(value)}"], {"name": value}) == {"name": value}
    assert value_of("3,4") == (3, 4)


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
    single = shown(capsys, "solve", "--game", "subtraction", *flags("heaps=6", "misere=true"))
    assert rows(single)["play"].startswith("misère")


def flags(*settings):
    return [word for setting in settings for word in ("--set", setting)]


def test_solve_games_that_split_and_sums(capsys):
    kayles = shown(capsys, "solve", "--game", "kayles", "--set", "heaps=7")
    assert rows(kayles)["position"] == "7 0 0 0"
    assert "heap 0: take 2, leave 1 and 4" in kayles
    games = flags('games=[["kayles", {"heaps": [5]}], ["graph", {"tokens": [9]}]]')
    total = rows(shown(capsys, "solve", "--game", "sum", "--position", "3,1,0,7", *games))
    assert total["winning moves"] == "heap 0: take 2"


def test_all_winning_moves_of_a_game_on_heaps_are_listed(capsys):
    text = shown(capsys, "solve", "--heaps", "kayles", "--position", "5,5,3")
    assert rows(text)["Grundy value"] == "4 xor 4 xor 3 = 3"
    assert re.findall(r"heap \d.*", text) == ["heap 2: take 1, leave 1 and 1"]
    # Values 2 and 1: of 5 objects a heap of 3 must be split off, of 6 one of 5.
    several = shown(capsys, "solve", "--heaps", "grundy", "--position", "5,6")
    assert re.findall(r"heap \d.*", several) == ["heap 0: leave 2 and 3", "heap 1: leave 1 and 5"]
    misere = shown(capsys, "solve", "--heaps", "0.77", "--misere", "--position", "3,7")
    moves = re.findall(r"heap \d.*", misere)
    assert moves == ["heap 0: take 1", "heap 1: take 1", "heap 1: take 1, leave 2 and 4"]
    large = shown(capsys, "solve", "--heaps", "0.123", "--misere", "--position", "50000,3")
    assert rows(large)["why"] == "theorem on periodic misère quotients"


def test_heaps_of_any_size_are_solved_where_a_period_is_proved(capsys):
    # 10 ** 18 is 4 modulo 12, and values of Kayles repeat 4 1 2 8 1 4 7 2 1 8 2 7 from 72 on.
    text = shown(capsys, "solve", "--heaps", "0.77", "--position", f"{10**18},{10**18 + 5}")
    assert "Grundy value   1 xor 8 = 9" in text
    assert re.findall(r"heap \d:.*", text) == [
        "heap 0: take 1",
        "heap 1: take 1",
        f"heap 1: take 1, leave 6 and {10**18 - 2}",
        f"heap 1: take 1, leave 18 and {10**18 - 14}",
    ]
    assert "period 12 from heap 71 on" in text
    lost = shown(capsys, "solve", "--heaps", "0.77", "--position", f"{10**18},{10**18 + 12}")
    assert "P-position" in lost
    many = shown(capsys, "solve", "--heaps", "0.07", "--position", "100000")
    assert "and those with 34, 68, … more in a smaller heap of 53 or more" in many


def test_misere_heaps_of_any_size_are_solved_where_a_period_of_their_quotient_is_proved(capsys):
    outcomes = []
    for heap in (10**9, 76):  # both 4 modulo 12
        for other in (3, 4):
            position = f"{heap},{other}"
            text = shown(capsys, "solve", "--heaps", "0.77", "--misere", "--position", position)
            outcomes.append(rows(text)["outcome"])
            assert heap == 76 or "40 elements; period 12 from heap 71 on" in text
    assert outcomes[:2] == outcomes[2:]
    assert outcomes[0] != outcomes[1]


def test_sequence_prints_values(capsys):
    text = shown(capsys, "sequence", "0.77", "45", "--first", "10")
    printed = [line.split() for line in text.splitlines()]
    assert [int(line[0]) for line in printed] == [10, 30]
    values = [int(value) for line in printed for value in line[1:]]
    assert values == grundy_sequence("0.77", 45)[10:].tolist()


def test_period_prints_the_proof_and_no_answer_ends_with_1(capsys):
    answer = rows(shown(capsys, "period", "kayles"))
    assert (answer["period"], answer["from heap"], answer["last exception"]) == ("12", "71", "70")
    assert answer["exceptions"] == "14"
    assert answer["proof"].startswith("168 values = 2 × 71 + 2 × 12 + 2 places")
    assert run(["period", "0.6", "--limit", "3000"]) == 1
    said, errors = capsys.readouterr()
    assert "no period of 0.6 is proven by 3000 values" in said
    assert not errors
    assert run(["quotient", "0.77", "9", "--limit", "5"]) == 1
    assert "more than 5 elements, which is the limit" in capsys.readouterr().err


def test_quotient_prints_its_elements(capsys):
    text = shown(capsys, "quotient", "nim", "3")
    assert rows(text)["order"] == "6; 2 elements are P-positions"
    assert rows(text)["game"] == "0.(3), tame in misère play"
    assert len(re.findall(r"^\d.* [PN]\b.*$", text, re.MULTILINE)) == 6
    wild = shown(capsys, "quotient", "0.123")
    assert rows(wild)["heaps"].startswith("all; period 5 from heap 5")
    assert rows(wild)["idempotents"] == "0 4 5"
    assert re.search(r"^3 +2 +2 +2 +2\^20$", wild, re.MULTILINE)


def test_ctrl_c_shows_the_quotient_that_is_proved_by_then(monkeypatch, capsys):
    add = HeapQuotients.add_next

    def interrupted(search, game):
        if search.largest == 3:
            raise KeyboardInterrupt
        add(search, game)

    monkeypatch.setattr(HeapQuotients, "add_next", interrupted)
    assert run(["quotient", "nim", "7"]) == 130
    shown = capsys.readouterr()
    assert rows(shown.out)["heaps"] == "0 to 3"
    assert shown.err == "stopped\n"


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ("add 5 3", 6), ("multiply 4 4", 6), ("multiply 0x8 8", 13), ("divide 6 4", 4),
        ("invert 2", 3), ("power 2 -1", 3), ("root 3", 2),
        (f"multiply {2**128} {2**128}", 2**128 + 2**127),
    ],
)  # fmt: skip
def test_nimber_arithmetic(arguments, result, capsys):
    assert int(shown(capsys, "nimber", *arguments.split())) == result


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("solve", "--game or a game on --heaps"),
        ("solve --game kaylse", "there is no 'kaylse' (did you mean 'kayles'?)"),
        ("solve --game nim --position 1,2", "a position is 3 integers"),
        ("solve --game nim --position 1,x", "'1,x' is not integers separated by commas"),
        ("solve --game nim --set piles=3", "one of heaps, max_take, misere, not 'piles=3'"),
        ("solve --game nim --set misere=abc", "misere must be True or False, not 'abc'"),
        ("solve --game nim --misere", "misere=true"),
        ("solve --heaps 0.77", "needs a --position"),
        ("solve --heaps grundy --position 10000000", "10000001 positions with 4999999 actions"),
        ("solve --heaps 0.6 --position 1000000", "no period of 0.6 is proven by 65536 values"),
        ("solve --game chomp --set rows=20000 --set columns=20000", "over 10^12038 positions"),
        ("sequence kaylse", "there is no 'kaylse'; choose from grundy"),
        ("sequence 0.77 5 --first 5", "0 to 4"),
        ("period grundy", "theorem on periods"),
        ("nimber multiply 2", "multiply takes 2 numbers, not 1"),
        ("nimber invert 1 2", "invert takes 1 number, not 2"),
        ("nimber add 010 1", "'010' is not an integer such as 10 or 0xa"),
        ("nimber divide 3 0", "0 has no nim-inverse"),
    ],
)
def test_errors_are_a_line_and_exit_code_2(arguments, said, capsys):
    assert run(arguments.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1].startswith("Error: ")
    assert said in captured.err


def test_a_fault_of_the_program_is_raised_as_such(monkeypatch):
    def faulty(*arguments, **named):
        raise OSError(9, "no such file")

    monkeypatch.setattr(HeapQuotients, "extend", faulty)
    with pytest.raises(OSError, match="no such file"):
        main(["quotient", "nim", "3"])


def test_the_module_can_be_run_and_says_what_it_lacks():
    words = [sys.executable, "-m", "nim_envs", "nimber", "multiply", "8", "8"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("13\n", "")
    code = (
        "import runpy, sys; sys.modules['click'] = None\n"
        "runpy.run_module('nim_envs', run_name='__main__')"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    said = 'Error: the command line needs click: python -m pip install "nim-envs[solver]"\n'
    assert (done.returncode, done.stderr) == (1, said)
