"""Programs that read prompts and write replies, and the file in which their replies are kept."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidPolicyError
from nim_envs.text import score
from nim_envs.text.programs import Program, Recorded

FIRST_HEAP = "import sys\nfor line in sys.stdin: print('heap 0: take 1', flush=True)"


def command(code):
    return shlex.join([sys.executable, "-c", code])


def test_a_program_is_scored_like_a_function():
    game = make_game("nim", heaps=(2, 3))
    with Program(command(FIRST_HEAP)) as program:
        result = score(program, game)
    assert result == score(lambda prompts: ["heap 0: take 1"] * len(prompts), game)


def test_lines_that_never_end_and_letters_that_are_none_are_replies():
    code = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    sys.stdout.buffer.write(b'\\xff' * 300_000 + b'\\n'); sys.stdout.flush()"
    )
    with Program(command(code)) as program:
        replies = program(["one", "two"])
    assert [len(reply) for reply in replies] == [65538, 65538]
    assert set(replies[0]) == {"\ufffd"}
    echo = "import sys\nfor line in sys.stdin: print('é', end='\\r\\n', flush=True)"
    with Program(
        command(f"import sys; sys.stdout.reconfigure(encoding='utf-8')\n{echo}")
    ) as program:
        assert program(["one"]) == ["é"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("no-such-program", "'no-such-program' cannot be run: No such file"),
        ("", "cannot be run: it is empty"),
        ("'", "cannot be run: No closing quotation"),
    ],
)
def test_an_invalid_command_is_refused(words, message):
    with pytest.raises(InvalidPolicyError, match=message):
        Program(words)


def test_a_program_that_ends_early_is_named():
    code = "import sys\nprint(sys.stdin.readline().strip(), flush=True)\nsys.exit(3)"
    with (
        pytest.raises(InvalidPolicyError, match=r"ended after 1 replies.*exit code 3"),
        Program(command(code)) as program,
    ):
        program(["one", "two", "three"])


def test_a_program_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr("nim_envs.text.programs.SECONDS_TO_END", 0.1)
    stubborn = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(sys.stdin.readline(), end='', flush=True)\ntime.sleep(1000)"
    )
    program = Program(command(stubborn))
    assert program(["one"]) == ["one"]
    program.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert program._process.poll() is not None


def test_replies_are_kept_and_not_asked_for_again(tmp_path):
    path = tmp_path / "replies.jsonl"
    asked = []

    def speak(prompts):
        asked.extend(prompts)
        if "stop" in prompts:
            raise KeyboardInterrupt
        return [f"reply to {prompt}\u2028\n" for prompt in prompts]

    first = Recorded(speak, path, {"game": "nim"})
    first(["a", "b"])
    with pytest.raises(KeyboardInterrupt):
        first(["c", "stop"])
    first.close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"prompt": "to')  # as when the machine stopped in the middle of a line
    second = Recorded(speak, path, {"game": "nim"})
    assert second.known == second.replies == 3
    assert second(["a", "b", "c", "d"])[2:] == ["reply to c\u2028\n", "reply to d\u2028\n"]
    second.close()
    assert asked == ["a", "b", "c", "stop", "d"]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("prompt") for line in lines] == [None, "a", "b", "c", "d"]
    with pytest.raises(ValueError, match="holds replies of"):
        Recorded(speak, path, {"game": "kayles"})
    third = Recorded(speak, path, {"game": "nim"})
    with pytest.raises(ValueError, match=r"reply 0 in .* is to the prompt 'a', not to 'b'"):
        third(["b"])
    third.close()
    for content in ("no JSON\n", '{"game": "nim"}\n3\n', '{"game": "nim"}\n{"prompt": ""}\n'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match="holds no replies"):
            Recorded(speak, path, {"game": "nim"})
        assert path.read_text(encoding="utf-8") == content
