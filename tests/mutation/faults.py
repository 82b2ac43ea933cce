"""Faults: which small changes can be made to a module."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

SWAPS = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("+",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*", "%")),
    ast.Mod: ("%", ("//",)),
    ast.Pow: ("**", ("*",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("|",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
}
OPPOSITES = (("min", "max"), ("any", "all"), ("argmin", "argmax"), ("minimum", "maximum"))
NAMES = {**dict(OPPOSITES), **{second: first for first, second in OPPOSITES}}


@dataclass(frozen=True)
class Mutant:
    """A fault: bytes ``start`` to ``end`` of a module replaced."""

    path: str
    line: int
    start: int
    end: int
    replacement: str

    def applied(self, source: bytes) -> bytes:
        """Return the module with the fault."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """Return what the fault changes."""
        before, after = source.decode(), self.applied(source).decode()
        return "\n".join(
            difflib.unified_diff(
                before.splitlines(), after.splitlines(), self.path, self.path, n=1, lineterm=""
            )
        )


class Finder:
    """Finds the faults that can be put into a module."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._line_starts = starts

    def mutants(self) -> Iterator[Mutant]:
        """Yield every fault after which the module is still Python."""
        for mutant in self._in(ast.parse(self._source), inside_function=False):
            try:
                ast.parse(mutant.applied(self._source))
            except SyntaxError:
                continue
            yield mutant

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, (ast.expr, ast.stmt))
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._line_starts[node.lineno - 1] + node.col_offset,
            self._line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _replaced(self, start: int, end: int, text: str) -> Mutant:
        line = self._source.count(b"\n", 0, start) + 1
        return Mutant(self._path, line, start, end, text)

    def _whole(self, node: ast.AST, text: str) -> Mutant:
        return self._replaced(*self._span(node), text)

    def _between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        """Swap the operator that stands between two operands, where brackets may stand too."""
        if type(operator) not in SWAPS:
            return
        old, swapped = SWAPS[type(operator)]
        (_, start), (end, _) = self._span(left), self._span(right)
        pattern = rb"\s+".join(re.escape(word).encode() for word in old.split())
        found = re.search(pattern, self._source[start:end])
        if found is not None:
            for new in swapped:
                yield self._replaced(start + found.start(), start + found.end(), new)

    def _negated(self, test: ast.expr) -> Mutant:
        start, end = self._span(test)
        return self._replaced(start, end, f"(not ({self._source[start:end].decode()}))")

    def _in(self, node: ast.AST, inside_function: bool) -> Iterator[Mutant]:
        """Yield the faults in a part of the module; none in annotations or in messages."""
        if isinstance(node, (ast.JoinedStr, ast.Assert)):
            return
        if isinstance(node, ast.Raise):
            yield self._whole(node, "pass")
            return
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if isinstance(node, ast.FunctionDef):
                inside_function = True
                for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                    yield from self._in(default, inside_function)
            for statement in node.body:
                yield from self._in(statement, inside_function)
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from self._in(node.value, inside_function)
            return
        yield from self._of_expression(node)
        if inside_function:
            yield from self._of_statement(node)
        for child in ast.iter_child_nodes(node):
            yield from self._in(child, inside_function)

    def _of_expression(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                yield self._whole(node, str(not node.value))
            elif isinstance(node.value, (int, float)):
                yield self._whole(node, f"({node.value + 1})")
                yield self._whole(node, f"({node.value - 1})")
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, right, operator in zip(operands, node.comparators, node.ops, strict=False):
                yield from self._between(left, right, operator)
        elif isinstance(node, ast.BinOp):
            yield from self._between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, node.op)
        elif isinstance(node, ast.UnaryOp):
            start, _ = self._span(node)
            operand, _ = self._span(node.operand)
            bracket = self._source.find(b"(", start, operand)
            yield self._replaced(start, operand if bracket < 0 else bracket, "")
        elif isinstance(node, ast.IfExp):
            yield self._negated(node.test)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield self._negated(test)
        elif isinstance(node, ast.Call):
            _, end = self._span(node.func)
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in NAMES:
                yield self._replaced(end - len(name), end, NAMES[name])

    def _of_statement(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, (ast.If, ast.While)):
            yield self._negated(node.test)
        elif isinstance(node, ast.AugAssign):
            yield from self._between(node.target, node.value, node.op)
            yield self._whole(node, "pass")
        elif isinstance(node, ast.Assign):
            yield self._whole(node, "pass")
        elif isinstance(node, ast.Expr):
            # Not docstrings, and not the dots of what has no body.
            if not isinstance(node.value, ast.Constant):
                yield self._whole(node, "pass")
        elif isinstance(node, ast.Return):
            if node.value is not None and not isinstance(node.value, ast.Constant):
                yield self._whole(node, "return None")
        elif isinstance(node, ast.Continue):
            yield self._whole(node, "break")
        elif isinstance(node, ast.Break):
            yield self._whole(node, "continue")
