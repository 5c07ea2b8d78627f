"""Figures of a sweep: how a column is spread, and how it depends on what runs were given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from qddot.sweeps.result import Sweep

MOST_RUNS = 2_000_000  # that a figure is made of; of more, every so many
MOST_DOTS = 3000
MOST_GROUPS = 14
BINS = (10, 60)
WITHIN = (0.05, 0.95)


@style.savable
def figure(
    sweep: Sweep, y: str, x: str | None, by: str | None, filter: Any, path: str | Path | None = None
) -> Figure:
    """Return the figure of a column, over another or by itself."""
    columns = _read(sweep, [name for name in (y, x, by) if name is not None], filter)
    for name in (y, x):
        if name is not None and columns[name].dtype.kind not in "fib":
            raise BadArgument(f"{name} holds no numbers that could be drawn.")
    drawn = style.figure(7.0, 3.8)
    axes = drawn.subplots()
    style.dress(axes)
    entries = []
    for k, (name, rows) in enumerate(_groups(columns, by)):
        own = {key: values[rows] for key, values in columns.items()}
        if x is None:
            line = _spread(axes, own[y].astype(float), columns[y].astype(float), k)
        else:
            line = _over(axes, own[x].astype(float), own[y].astype(float), k, x in sweep.grid)
        entries.append((line, style.label(name)))
    if x is None:
        axes.set_ylim(bottom=0)
    style.write(axes.set_xlabel(""), _label(sweep, y if x is None else x))
    style.write(axes.set_ylabel(""), "share of runs [%]" if x is None else _label(sweep, y))
    if by is not None:
        columns_of_names = style.legend_columns(entries, 90)
        style.legend(drawn, entries, columns_of_names, loc="outside upper left")
    return drawn


def _read(sweep: Sweep, names: list[str], filter: Any) -> dict[str, np.ndarray]:
    """Return columns as arrays: of very many runs, every so many."""
    total = sweep.dataset.count_rows(filter=sweep._filter(filter))
    if not total:
        raise BadArgument("No finished run is what filter asks for: there is nothing to draw.")
    every, at = max(1, -(-total // MOST_RUNS)), 0
    pieces: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for batch in sweep.batches(list(dict.fromkeys(names)), filter):
        start = -at % every
        for name in pieces:
            pieces[name].append(batch[name].to_numpy(zero_copy_only=False)[start::every])
        at += batch.num_rows
    return {name: np.concatenate(found) for name, found in pieces.items()}


def _groups(columns: dict[str, np.ndarray], by: str | None) -> list[tuple[str, np.ndarray]]:
    if by is None:
        return [("", np.arange(len(next(iter(columns.values())))))]
    found = np.unique(columns[by])
    if len(found) > MOST_GROUPS:
        raise BadArgument(
            f"{by} has {len(found)} values; at most {MOST_GROUPS} can be told apart in a figure. "
            "Part runs by a controller or by a short axis of the grid."
        )
    named = [f"{by} = {value:g}" if isinstance(value, float) else str(value) for value in found]
    rows = [np.flatnonzero(columns[by] == value) for value in found]
    return list(zip(named, rows, strict=True))


def _spread(axes: Axes, values: np.ndarray, all_values: np.ndarray, k: int) -> Any:
    """Draw how many runs have which value."""
    good, every = values[np.isfinite(values)], all_values[np.isfinite(all_values)]
    if not len(every):
        raise BadArgument("There is no finite value to draw.")
    low, high = float(every.min()), float(every.max())
    if not high > low:
        low, high = low - 0.5, high + 0.5
    bins = int(np.clip(np.sqrt(len(good)), *BINS))
    edges = np.linspace(low, high, bins + 1)
    counts, _ = np.histogram(good, edges)
    share = 100 * counts / max(1, len(values))
    axes.fill_between(edges, [*share, share[-1]], step="post", alpha=0.1, color=style.colour(k))
    return axes.step(edges, [*share, share[-1]], where="post", **style.curve(k))[0]


def _over(axes: Axes, x: np.ndarray, y: np.ndarray, k: int, on_grid: bool) -> Any:
    """Draw y over x: as a band where x is an axis of the grid, else as dots."""
    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    if not on_grid:
        some = slice(None, None, max(1, len(x) // MOST_DOTS))
        look = {"s": 6, "alpha": 0.5, "linewidths": 0, "color": style.colour(k), "rasterized": True}
        axes.scatter(x[some], y[some], **look)
        return axes.plot([], [], "o", color=style.colour(k), markersize=4)[0]
    places = np.unique(x)
    own = [y[x == place] for place in places]
    middle = [np.median(values) for values in own]
    low, high = ([np.quantile(values, q) for values in own] for q in WITHIN)
    axes.fill_between(places, low, high, color=style.colour(k), alpha=0.15, linewidth=0)
    return axes.plot(places, middle, marker="o", markersize=3, **style.curve(k))[0]


def _label(sweep: Sweep, column: str) -> str:
    unit = sweep.unit_of(column)
    return style.label(column, 48) + (f" [{unit}]" if unit else "")
