r"""Marked answers: the last ``<move>``, ``\boxed`` or ``{"move": ...}`` of a reply is read."""

import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidGameError
from nim_envs.text import prompt, read_move, verdict

NIM = make_game("nim")
POSITION = (3, 4, 5)
TAKE_2, TAKE_1 = 1, 0

MARKED = {
    "tag": [
        ("<move>heap 0: take 2</move>", TAKE_2),
        ("heap 0: take 1?\n<move> Heap 0, take 2. </move> That wins.", TAKE_2),
        ("<move>heap 0: take 1</move> No: <MOVE>\nheap 0: take 2\n</Move>", TAKE_2),
        ("<move><move>heap 0: take 2</move></move>", TAKE_2),
        ("<move>**heap 0: take 2**</move>", TAKE_2),
        ("<move>heap 0: take 1</move> or rather <move>heap 0: ta", None),
        ("heap 0: take 2", None),
        ("<move></move>", None),
        ("<move>heap 0: take 2", None),
        ("heap 0: take 2</move>", None),
        ("<move>I would never play heap 0: take 2</move>", None),
        ("<move>heap 0: take 2 or heap 0: take 1</move>", None),
    ],
    "boxed": [
        (r"\boxed{heap 0: take 2}", TAKE_2),
        (r"$3 \oplus 4 = 7$, so $\boxed{\text{heap 0: take 2}}$.", TAKE_2),
        (r"\boxed{\text{heap }0\text{: take }2}", TAKE_2),
        (r"\boxed{\mathrm{heap~0:\ take~2}}", TAKE_2),
        (r"\boxed{heap 0: take 1} and then \fboxed {heap 0: take 2}", TAKE_2),
        (r"\boxed{heap 0: take 1} \boxed{heap 0: take 2", None),
        (r"\boxed{\frac{heap 0: take 2}{1}}", None),
        (r"\boxed{}", None),
        ("boxed{heap 0: take 2}", None),
    ],
    "json": [
        ('{"move": "heap 0: take 2"}', TAKE_2),
        ('Well.\n```json\n{"reason": "nim-sum", "move" : "heap 0: take 2"}\n```', TAKE_2),
        ('{"move": "heap 0: take 1"} {"move": "heap 0:\\u0020take 2", "sure": true}', TAKE_2),
        ('{"move": "heap 0: take 2"', None),
        ('{"move": "heap 0: take 2', None),
        ('{"move": 2}', None),
        ('{"moves": "heap 0: take 2"}', None),
        ('{"text": "\\"move\\": \\"heap 0: take 2\\""}', None),
        ("{'move': 'heap 0: take 2'}", None),
        ('{"move": "heap 0: take 1"} {"move": null}', None),
    ],
}


@pytest.mark.parametrize("answer", MARKED)
def test_the_last_marked_move_is_read(answer):
    for reply, action in MARKED[answer]:
        reading = read_move(NIM, POSITION, reply, answer=answer)
        assert (reply, reading.action) == (reply, action)
        assert reading.kind == ("format" if action is None else "legal")
        before = "heap 2: take 5\n" * 10**4
        assert read_move(NIM, POSITION, before + reply, answer=answer) == reading


@pytest.mark.parametrize("answer", MARKED)
def test_a_marked_move_that_is_not_allowed_is_illegal(answer):
    reply = MARKED[answer][0][0].replace("take 2", "take 4")
    assert read_move(NIM, POSITION, reply, answer=answer).why == "not allowed here: heap 0 take 4"
    assert verdict(NIM, POSITION, reply, answer=answer).kind == "illegal"


def test_a_prompt_asks_for_the_answer_that_is_read():
    asked = {answer: prompt(NIM, POSITION, "sentences", answer=answer) for answer in MARKED}
    assert "<move>...</move>" in asked["tag"]
    assert r"\boxed{...}" in asked["boxed"]
    assert '{"move": "..."}' in asked["json"]
    for answer, text in asked.items():
        assert text.endswith("heap <number>: take <number>")
        # The form in the prompt is no answer itself.
        assert read_move(NIM, POSITION, text, answer=answer).kind == "format"
    assert "nothing else" in prompt(NIM, POSITION, "sentences")


def test_forms_of_answers_that_do_not_fit_are_refused():
    for reading in ({"answer": "xml"}, {"answer": "tag", "last_line": True}, {"last_line": 1}):
        with pytest.raises(InvalidGameError):
            read_move(NIM, POSITION, "heap 0: take 2", **reading)
    with pytest.raises(InvalidGameError, match="answer must be one of"):
        prompt(NIM, POSITION, "sentences", answer="xml")
