"""Plots of Grundy sequences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from nim_envs.optional import imports_for

with imports_for("a plot", "solver"):
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    from nim_envs.render.style import (
        BLUE,
        PAGE_WIDTH,
        VERMILLION,
        Figure,
        label_decades,
        save_figure,
        styled,
    )

MOST_DOTS = 5_000
"""Most heaps drawn as dots; of more, the picture shows their density."""


@styled
def plot_sequence(
    values: npt.NDArray[np.integer], path: str | Path, title: str, period_start: int | None = None
) -> None:
    """Draw Grundy values over heaps and write the picture, whole or not at all.

    Args:
        values: the values of heaps 0, 1, 2, …; at least one.
        path: name of the file, which ends in ``.png``, ``.svg`` or ``.pdf``.
        title: written above the plot.
        period_start: first heap of the period, to be marked.

    Raises:
        ValueError: there are no values, or the name has another suffix.
    """
    if len(values) == 0:
        raise ValueError("a plot needs at least one value")
    figure = Figure(figsize=(PAGE_WIDTH, 3.4), layout="constrained")
    axes = figure.add_subplot()
    top = int(values.max())
    if len(values) <= MOST_DOTS:
        size = 9 if len(values) <= 300 else 2.5
        axes.scatter(np.arange(len(values)), values, s=size, color=BLUE, linewidths=0, zorder=2)
    else:
        # One row for each value as long as they fit, so that values do not share a row unevenly.
        rows = top + 1 if top < 512 else 512
        counts, heap_edges, value_edges = np.histogram2d(
            np.arange(len(values)),
            values,
            bins=(600, rows),
            range=((0, len(values)), (-0.5, top + 0.5)),
        )
        mesh = axes.pcolormesh(
            heap_edges, value_edges, np.where(counts > 0, counts, np.nan).T,
            norm=LogNorm(vmin=1, vmax=max(counts.max(), 2)), cmap="cividis_r",
        )  # fmt: skip
        scale = figure.colorbar(mesh, ax=axes, label="heaps", fraction=0.05, pad=0.02)
        label_decades(scale.ax.yaxis, 2.4)
    if period_start is not None and period_start < len(values):
        axes.axvline(
            period_start, color=VERMILLION, linewidth=1, linestyle=(0, (4, 1.5)),
            label=f"periodic from heap {period_start:,}",
        )  # fmt: skip
        figure.legend(loc="outside upper right")
    axes.set_title(title)
    axes.set(xlabel="heap, objects", ylabel="Grundy value")
    axes.set(xlim=(-0.01 * len(values), 1.01 * len(values)), ylim=(-0.5, 1.05 * top + 0.5))
    axes.grid(axis="y")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    save_figure(figure, path)
