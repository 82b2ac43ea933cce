r"""Mathematics in MathML, made when the manual is built, so that no page needs a script for it.

In Markdown it stands between dollar signs, as in ``$x \oplus y$``. Formulas of learning rules are
plain text in docstrings.
"""

import html
import re
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', flags=re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', flags=re.DOTALL)
PRIME = re.compile(r"<msup>(<mi>\w</mi>)<mi>(&#x0203[2-4];)</mi></msup>")
WORD = re.compile(r",? (?!(?:max|argmax)_|retention\b)[a-z]{2,}")

LATEX = {
    r"(\w)\u0304": r"\\bar{\1}",
    r"\bmax_(\w'*)": r"\\max_{\1} ",
    r"\bargmax_(\w'*)": r"\\operatorname{argmax}_{\1} ",
    r"Σ_(\w'*)": r"\\sum_{\1} ",
    r"\bretention\b": r"\\text{retention}",
    r"\b([A-Z])(\d)": r"\1_{\2}",
    r"\b1\{(.*?)\}": r"\\mathbf{1}\\{\1\\}",
    **dict(zip("αβγδλπτ", (r"\\alpha ", r"\\beta ", r"\\gamma ", r"\\delta ", r"\\lambda ",
                           r"\\pi ", r"\\tau "), strict=True)),
    "−": "-", "·": r"\\cdot ", "×": r"\\times ", r"\|": r"\\mid ",
}  # fmt: skip
"""Replacements, in order, of plain text by LaTeX."""


def formula(text: str) -> str:
    """Return a formula in plain text as Markdown: its equations, each before its conditions.

    Equations stand between semicolons, such as ``Q(s, a) += α [r + γ max_a' Q(s', a')], for all
    a``.
    """
    shown = []
    for statement in re.split(r";\s+", text.strip().rstrip(".")):
        word = WORD.search(statement)
        end = word.start() if word else len(statement)
        shown.append(f"$$\n{latex(statement[:end])}\n$$")
        if word:
            shown.append(f"{statement[end:].lstrip(', ')}.")
    return "\n\n".join(shown)


def latex(equation: str) -> str:
    """Return an equation in plain text as LaTeX, updates as Sutton & Barto write them."""
    for pattern, replacement in LATEX.items():
        equation = re.sub(pattern, replacement, equation)
    equation = re.sub(r"^(.*?) \+= ", r"\1 \\leftarrow \1 + ", equation)
    return re.sub(r"^(.*?) \*= (.*)", r"\1 \\leftarrow \2 \\times \1", equation)


def mathml(text: str, display: str = "inline") -> str:
    """Return LaTeX, escaped as in HTML, as MathML, ``"inline"`` or as a ``"block"``."""
    # Fonts draw primes raised; as superscripts, most browsers would raise them twice.
    return PRIME.sub(r'\1<mo lspace="0" rspace="0">\2</mo>', convert(html.unescape(text), display))


def on_page_content(content: str, **kwargs: Any) -> str:
    """Replace the LaTeX left by Markdown by MathML; called by mkdocs."""
    content = DISPLAY.sub(
        lambda found: f'<div class="formula">{mathml(found[1], "block")}</div>', content
    )
    return INLINE.sub(lambda found: mathml(found[1]), content)
