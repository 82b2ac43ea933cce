"""Replacement of all functions that tell who wins by ones that raise; a search for exclusive-or."""

import ast
import sys

from nim_envs.nimbers import mex, nim_sum
from nim_envs.solution import Solution, graph_values, grundy_values, solve
from tests import ROOT

TRUTH = (solve, nim_sum, mex, grundy_values, graph_values)


class TruthUsedError(AssertionError):
    """A function that tells who wins was called."""


def forbidden(*_, **__):
    """Raise in place of a function that tells who wins."""
    raise TruthUsedError


def forbid_truth(monkeypatch):
    """Replace every name of the functions that tell who wins, and the methods of solutions."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("nim_envs", "agents"):
            for attribute, value in list(vars(module).items()):
                if any(value is truth for truth in TRUTH):
                    monkeypatch.setattr(module, attribute, forbidden)
    kinds = [Solution]
    for kind in kinds:  # which grows meanwhile
        kinds += kind.__subclasses__()
        for name, value in list(vars(kind).items()):
            if callable(value) or isinstance(value, property):
                hidden = property(forbidden) if isinstance(value, property) else forbidden
                monkeypatch.setattr(kind, name, hidden)


def uses_exclusive_or(path):
    """Return whether the code of a file, given from the root on, has an exclusive-or."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.BitXor)
        or (isinstance(node, ast.Attribute) and node.attr in ("bitwise_xor", "logical_xor"))
        or (isinstance(node, ast.Name) and node.id in ("xor", "bitwise_xor", "logical_xor"))
        for node in ast.walk(tree)
    )
