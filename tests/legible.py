"""Whether a plot can be read."""

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg


def check_legible(figure):
    """No text is cut off or lies on another; no legend lies on a panel; letters have a size."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    off_axis = {
        text
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        for text in (tick.label1, tick.label2)
        if not in_view(axis, tick.get_loc())
    }
    texts = [
        text
        for text in figure.findobj(mpl.text.Text)
        if text.get_visible() and text.get_text().strip() and text not in off_axis
    ]
    assert len(texts) > 10
    assert min(text.get_fontsize() for text in texts) >= 7
    boxes = np.array([text.get_window_extent(renderer).extents for text in texts])
    whole = np.array(figure.bbox.extents)
    assert (boxes[:, :2] >= whole[:2] - 1).all()
    assert (boxes[:, 2:] <= whole[2:] + 1).all()
    on_each_other = np.triu(overlaps(boxes, boxes, 0.5), k=1)
    assert not on_each_other.any(), [(texts[i], texts[j]) for i, j in np.argwhere(on_each_other)]
    panels = np.array([axes.get_window_extent().extents for axes in figure.axes])
    strangers = np.array(
        [[text.axes not in (None, axes) for axes in figure.axes] for text in texts]
    )
    assert not (overlaps(boxes, panels, 0) & strangers).any()
    assert not any(axes.get_legend() for axes in figure.axes)  # it would lie on the lines
    for legend in figure.legends:
        box = np.array([legend.get_window_extent(renderer).extents])
        assert not overlaps(box, panels, 0).any()


def overlaps(boxes, others, allowed):
    """Which of ``boxes`` lie on which of ``others`` by more than some pixels."""
    low = np.maximum(boxes[:, np.newaxis, :2], others[np.newaxis, :, :2])
    high = np.minimum(boxes[:, np.newaxis, 2:], others[np.newaxis, :, 2:])
    return (high - low > allowed).all(axis=2)


def in_view(axis, place):
    low, high = sorted(axis.get_view_interval())
    return low - 1e-9 <= place <= high + 1e-9
