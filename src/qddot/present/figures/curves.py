"""Curves and samples over the position of one joint, against bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.style import drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDE = 50.0  # largest for smallest from which on a scale is logarithmic
BOUND: dict[str, Any] = dict(color=style.INK, linestyle=style.DASHES[1], linewidth=style.LINE)


def curves(
    x: np.ndarray,
    values: np.ndarray,
    *,
    names: Sequence[str],
    labels: tuple[str, str],
    title: str,
    bounds: tuple[float, float] | None = None,
) -> Figure:
    """Return curves over the position of a joint, and two bounds as lines across.

    Args:
        x: Positions, shape (k,).
        values: One column a curve, shape (k, m).
        names: Of the curves.
        labels: Of x and of the values, with units.
        title: Of the figure.
        bounds: The lower and the upper bound.
    """
    result, axes = _axes(labels, title, values)
    drawn = [
        (axes.plot(x, drawable(values[:, k]), **style.curve(k))[0], name)
        for k, name in enumerate(names)
    ]
    return _finished(result, axes, (float(x[0]), float(x[-1])), drawn, bounds)


def samples(
    x: np.ndarray,
    values: np.ndarray,
    *,
    name: str,
    labels: tuple[str, str],
    title: str,
    bounds: tuple[float, float] | None = None,
) -> Figure:
    """Return samples, one dot each, over the position of a joint, and two bounds as lines across.

    Args:
        x, values: Positions and values, shape (k,).
        name: What a dot is.
        labels: Of x and of the values, with units.
        title: Of the figure.
        bounds: The lower and the upper bound.
    """
    result, axes = _axes(labels, title, values)
    axes.plot(
        x,
        drawable(values),
        color=style.colour(0),
        marker=".",
        markersize=3,
        markeredgewidth=0,
        linestyle="none",
        alpha=0.6,
        rasterized=True,
    )
    from matplotlib.lines import Line2D

    large = Line2D([], [], color=style.colour(0), marker=".", markersize=8, linestyle="none")
    ends = float(x.min()), float(x.max())
    return _finished(result, axes, ends, [(large, name)], bounds)


def _axes(labels: tuple[str, str], title: str, values: np.ndarray) -> tuple[Figure, Axes]:
    result = style.figure(7.0, 3.9)
    axes = result.subplots()
    style.dress(axes)
    for set_label, words in ((axes.set_xlabel, labels[0]), (axes.set_ylabel, labels[1])):
        style.write(set_label(""), words)
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    if values.min() > 0 and values.max() > WIDE * values.min():
        axes.set_yscale("log")
    return result, axes


def _finished(
    figure: Figure,
    axes: Axes,
    ends: tuple[float, float],
    drawn: list[tuple[Line2D, str]],
    bounds: Any,
) -> Figure:
    if bounds is not None:
        lines = [axes.axhline(bound, **BOUND) for bound in bounds]
        drawn = [*drawn, (lines[0], f"bounds: {bounds[0]:.6g} and {bounds[1]:.6g}")]
    if ends[1] > ends[0]:
        axes.set_xlim(*ends)
    if axes.get_yscale() == "linear" and (bounds is None or bounds[0] >= 0):
        axes.set_ylim(bottom=0)
    style.legend(figure, drawn, style.legend_columns(drawn, 100), loc="outside upper left")
    return figure
