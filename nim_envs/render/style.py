"""The style of all plots, readable in print, in grey and by colour-blind people."""

import io
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib import figure as figures
from matplotlib.artist import Artist

from nim_envs.files import write_atomically

P = ParamSpec("P")
T = TypeVar("T")

BLACK, BLUE, VERMILLION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE = "#CC79A7", "#E69F00"
GREY = "#666666"
"""Colours for colour-blind readers too: M. Okabe & K. Ito, "Color universal design" (2008).

Their yellow is left out, as a line of it hardly shows on white.
"""

PAGE_WIDTH = 7.0
"""Width of a printed page without margins, in inches, so that print keeps the font sizes."""

# Any: matplotlib types its settings as literals, other ones in every version.
STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "figure.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "hatch.linewidth": 0.4,
    "hatch.color": "0.75",
    "figure.constrained_layout.w_pad": 0.06,
    "figure.constrained_layout.h_pad": 0.06,
    "savefig.dpi": 200,
    # The same picture is the same file, byte for byte, with letters that can be searched.
    "svg.hashsalt": "nim_envs",
    "pdf.fonttype": 42,
}

UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""The file formats, and the metadata that would make two files of one picture differ."""


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function to draw in this module's style, whatever the user's settings are."""

    @wraps(draw)
    def draw_styled(*args: P.args, **kwargs: P.kwargs) -> T:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(STYLE)
            return draw(*args, **kwargs)

    return draw_styled


LINE, DIGIT = 0.15, 0.075
"""Height of a tick label and width of its characters, in inches."""


def add_title_and_legend(
    figure: figures.Figure,
    title: str,
    columns: int,
    more: Mapping[str, Artist] | None = None,
    **look: Any,
) -> None:
    """Add a title, and below the panels, where it hides no line, one legend for all of them.

    ``more`` has entries of the legend besides those of the panels, by label; ``look``, further
    arguments of the figure's ``legend``.
    """
    if title:
        figure.suptitle(title)
    entries: dict[str, Artist] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        entries.update(zip(labels, handles, strict=True))
    entries.update(more or {})
    if entries:
        figure.legend(
            list(entries.values()), list(entries), loc="outside lower center", ncols=columns, **look
        )


class Figure(figures.Figure):
    """A figure that a notebook shows, in the style of this module."""

    @styled
    def _repr_png_(self) -> bytes:
        """Return the picture as a file, for IPython."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


@styled
def save_figure(figure: figures.Figure, path: str | Path) -> None:
    """Save ``figure`` as PNG, SVG or PDF, by the suffix; the file appears whole or not at all.

    Raises:
        ValueError: another suffix.
    """
    name, suffix = Path(path).name, Path(path).suffix.lower()
    if suffix not in UNDATED:
        raise ValueError(
            f"the name of a picture must end in one of {', '.join(UNDATED)}, not {name!r}"
        )
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix[1:], metadata=UNDATED[suffix])
    write_atomically(path, buffer.getvalue())
