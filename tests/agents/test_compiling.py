"""Compiled loops are kept on disk, and follow every change of the functions that they call."""

FORMULA = """
from typing import NamedTuple

from agents.compiling import inlined

STEP = {step}

class State{step}(NamedTuple):  # a type that an earlier cache names and that is gone
    n: int

State = State{step}

@inlined
def step(x):
    return x + STEP

@inlined
def twice(state):
    return 2 * step(state.n)
"""

LOOP = """
from agents.compiling import compiled
from formula import State, twice

def make():
    def loop(state):
        return twice(state)

    return compiled(loop, twice)

loop = make()
print(loop(State(20)), sum(loop.stats.cache_hits.values()))
"""


def test_an_edited_formula_is_compiled_anew_and_an_undone_edit_is_found_again(tmp_path, forks):
    # Numba keeps what it compiles beside the file of the loop.
    (tmp_path / "run.py").write_text(LOOP, encoding="utf-8")
    outputs = []
    for step in (1, 1, 2, 1):
        (tmp_path / "formula.py").write_text(FORMULA.format(step=step), encoding="utf-8")
        outputs.append(forks.output("import run", tmp_path))
    assert outputs == [["42", "0"], ["42", "1"], ["44", "0"], ["42", "1"]]
