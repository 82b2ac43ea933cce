r"""Mathematics in MathML, made when the manual is built, so that no page needs a script for it.

In Markdown it stands between dollar signs, as in ``$x \oplus y$``. Formulas of learning rules are
plain text in docstrings, and are converted to it.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', flags=re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', flags=re.DOTALL)
PRIME = re.compile(r"<msup>(<mi>\w</mi>)<mi>(&#x0203[2-4];)</mi></msup>")

SYMBOLS = {
    "α": r"\alpha ", "β": r"\beta ", "γ": r"\gamma ", "δ": r"\delta ", "λ": r"\lambda ",
    "π": r"\pi ", "τ": r"\tau ", "−": "-", "·": r"\cdot ", "|": r"\mid ", "Σ": r"\sum ",
    "←": r"\leftarrow ", "×": r"\times ", "max": r"\max ", "argmax": r"\operatorname{argmax}",
    "{": r"\{", "}": r"\}",
}  # fmt: skip

WORD = re.compile(r"(?<![\w'])(?!(?:max|argmax)_|retention\b)[A-Za-z]{2,}")

TOKEN = re.compile(
    r"(?P<operator>max|argmax|Σ)_(?P<under>[a-z]'*)"
    r"|(?P<indicator>1(?=\{))"
    r"|(?P<numbered>[A-Z])(?P<number>\d)"
    r"|(?P<barred>[A-Z])\u0304"
    r"|(?P<name>[A-Za-z]{2,})"
    r"|(?P<other>.)"
)


def formula(text: str) -> str:
    """Return a formula in plain text as Markdown: its equations, each followed by its conditions.

    Args:
        text: equations between semicolons or commas, such as
            ``Q(s, a) += α [r + γ max_a' Q(s', a')], for all a``.
    """
    shown = []
    for statement in re.split(r";\s+", text.strip().rstrip(".")):
        for number, part in enumerate(_parts(statement)):
            word = WORD.search(part)
            # A part after a comma without a formula is a condition as a whole.
            ends = len(part) if word is None else 0 if number and "=" not in part else word.start()
            if ends:
                shown.append(f"$$\n{latex(part[:ends].strip())}\n$$")
            if ends < len(part) and shown and not shown[-1].startswith("$$"):
                shown[-1] += f", {prose(part[ends:])}"
            elif ends < len(part):
                shown.append(prose(part[ends:]))
    return "\n\n".join(shown)


def prose(text: str) -> str:
    """Return text with the indices and primes of its plain-text formulas marked up."""
    text = re.sub(
        r"\b(max|argmax)_([a-z]'*)|(Σ)_([a-z]'*)",
        lambda found: f"{found[1] or found[3]}<sub>{found[2] or found[4]}</sub>",
        text,
    )
    return re.sub(r"\b([A-Za-z])('+)(?!\w)", lambda found: found[1] + "′" * len(found[2]), text)


def _parts(statement: str) -> list[str]:
    """Return the parts between commas outside brackets, each an equation or words."""
    parts, depth = [""], 0
    for letter in statement:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth and "=" in parts[-1]:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def latex(equation: str) -> str:
    """Return an equation in plain text as LaTeX, updates as Sutton & Barto write them."""
    changed, sign, rest = equation.partition(" += ")
    if sign:
        equation = f"{changed} ← {changed} + {rest}"
    changed, sign, rest = equation.partition(" *= ")
    if sign:
        each = re.split(r"(?<=\)), ", changed)
        equation = ", ".join(f"{one} ← {rest} × {one}" for one in each)
    parts = []
    for found in TOKEN.finditer(equation):
        if found["operator"]:
            parts.append(f"{SYMBOLS[found['operator']].strip()}_{{{found['under']}}} ")
        elif found["indicator"]:
            parts.append(r"\mathbf{1}")
        elif found["numbered"]:
            parts.append(f"{found['numbered']}_{{{found['number']}}}")
        elif found["barred"]:
            parts.append(rf"\bar{{{found['barred']}}}")
        elif found["name"]:
            parts.append(rf"\text{{{found['name']}}}")
        else:
            parts.append(SYMBOLS.get(found["other"], found["other"]))
    return "".join(parts)


def mathml(text: str, display: str = "inline") -> str:
    """Return LaTeX, escaped as in HTML, as MathML.

    Args:
        text: LaTeX source.
        display: ``"inline"`` or ``"block"``.
    """
    # Fonts draw primes raised; as superscripts, most browsers would raise them twice.
    return PRIME.sub(r'\1<mo lspace="0" rspace="0">\2</mo>', convert(html.unescape(text), display))


def on_page_content(content: str, **kwargs: Any) -> str:
    """Replace the LaTeX left by Markdown by MathML; called by mkdocs."""
    content = DISPLAY.sub(
        lambda found: f'<div class="formula">{mathml(found[1], "block")}</div>', content
    )
    return INLINE.sub(lambda found: mathml(found[1]), content)
