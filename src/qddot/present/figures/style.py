"""How figures look: a palette that the colour-blind can read, light grids, one place to change."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

from qddot.errors import printable, shorten
from qddot.saving import check_place, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

# M. Okabe, K. Ito, *Color universal design*, 2002; its yellow is left out, nobody sees it on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))

SHADES = ("#DCEDF7", "#56B4E9", "#0072B2", "#06304A")  # the palette's blues, light to dark
INK = "#333333"  # words, links
FAINT = "#DDDDDD"  # grids
QUIET = "#888888"  # events, traces

LINE = 1.4  # [pt], curves
THIN = 0.7  # [pt], events
LINK = 5.0  # [pt], links of a skeleton

SMALL, NORMAL, LARGE = 8, 9, 11  # [pt], letters
FIGURES = (".png", ".svg", ".pdf")
LARGEST = 1e290  # beyond, axes overflow
LONGEST = 28  # characters of a name in a legend


Arguments = ParamSpec("Arguments")


def colour(i: int) -> str:
    """Return the colour of the i-th curve."""
    return COLOURS[i % len(COLOURS)]


def curve(i: int) -> dict[str, Any]:
    """Return how the i-th curve is drawn: colours first, then the same colours in dashes."""
    dashes = DASHES[i // len(COLOURS) % len(DASHES)]
    return {"color": colour(i), "linestyle": dashes, "linewidth": LINE}


def figure(width: float, height: float) -> Figure:
    """Return an empty figure [inch] that belongs to nobody: no window, no global state."""
    from qddot.present.figures.drawing import Drawing

    return Drawing(figsize=(width, height), layout="constrained", facecolor="white")


def savable(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """Decorate a function that draws: where its argument `path` is not None, it is written there.

    A .png, .svg or .pdf file; one that could not be written is refused before the work.
    """
    signature = inspect.signature(draw)

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Figure:
        path = signature.bind(*args, **kwargs).arguments.get("path")
        if path is None:
            return draw(*args, **kwargs)
        check_place(path, "A figure", FIGURES)
        kind = Path(path).suffix.lower()[1:]
        figure = draw(*args, **kwargs)
        write_whole(path, lambda beside: figure.savefig(beside, format=kind, dpi=150))
        return figure

    return drawn


def dress(axes: Axes) -> None:
    """Give axes their grid, their letters and no more lines than needed."""
    axes.set_facecolor("none")
    axes.grid(True, color=FAINT, linewidth=THIN)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SMALL, colors=INK, length=3)
    for spine in axes.spines.values():
        spine.set_color(QUIET)
        spine.set_linewidth(THIN)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for text in (axes.xaxis.label, axes.yaxis.label, axes.title):
        text.set_fontsize(NORMAL)
        text.set_color(INK)


def shades() -> Any:
    """Return a scale of colours for numbers above zero."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blues of the palette", SHADES)


def dress_bar(bar: Any, words: str) -> None:
    """Give the bar of a scale of colours its letters, and what the colours are."""
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, colors=INK, length=3)
    write(bar.ax.yaxis.label, words)
    bar.ax.yaxis.label.set_fontsize(NORMAL)


def legend(
    owner: Axes | Figure, entries: Sequence[tuple[Line2D, str]], columns: int, **where: Any
) -> Legend:
    """Return a legend, read row by row, in which names are text, whatever signs they hold."""
    columns = min(columns, len(entries))
    # matplotlib fills column by column
    order = [k for c in range(columns) for k in range(c, len(entries), columns)]
    made = owner.legend(
        [entries[k][0] for k in order],
        [str(k) for k in order],
        fontsize=SMALL,
        frameon=False,
        ncols=columns,
        **where,
    )
    # set afterwards: a label that begins with "_" would be left out, one with "$" typeset
    for text, k in zip(made.get_texts(), order, strict=True):
        write(text, entries[k][1])
    return made


def legend_entries(names: Sequence[str]) -> list[tuple[Line2D, str]]:
    """Return the entries of a legend of curves by their names."""
    from matplotlib.lines import Line2D

    return [(Line2D([], [], **curve(i)), label(name)) for i, name in enumerate(names)]


def legend_columns(entries: Sequence[tuple[Line2D, str]], room: int) -> int:
    """Return how many entries fit side by side, in a room of so many characters."""
    longest = max((len(name) for _, name in entries), default=1)
    return max(1, min(8, room // (longest + 7)))


def write(text: Any, words: str) -> None:
    """Put words into a text of a figure, as they are."""
    text.set_parse_math(False)
    text.set_usetex(False)
    text.set_color(INK)
    text.set_text(words)


def label(name: str, most: int = LONGEST) -> str:
    """Return a name as one short line without anything that steers."""
    return shorten(printable(name).replace("\n", "\\n"), most)


def drawable(x: Any) -> np.ndarray:
    """Return numbers as axes can take them: what is not finite, or too large, is left out."""
    array = np.asarray(x, dtype=float)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(array) < LARGEST, array, np.nan)
