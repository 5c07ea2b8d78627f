"""Figures of an identification, from plain arrays: torques, residuals, parameters, spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 10.0  # [inch]
POINTS = 1200  # of a curve: a screen shows no more
BINS = 41
WIDE = 20.0  # times their median: the largest of several values is much larger
SPREAD = 4.5  # deviations that a histogram shows
FAR = 1e-9  # of the largest power: what is less is nothing
MEASURED, PREDICTED, RESIDUAL = style.colour(0), style.INK, style.colour(1)
OTHER = style.QUIET


@dataclass(frozen=True)
class Torques:
    """Torques of a log, measured and predicted, one row an instant."""

    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "N·m" or "N"
    t: np.ndarray  # (k,) [s]
    measured: np.ndarray  # (k, n)
    predicted: np.ndarray  # (k, n)
    counts: np.ndarray  # (k, n), whether it was fitted

    @property
    def residual(self) -> np.ndarray:
        return self.measured - self.predicted


def torques(log: Torques) -> Figure:
    """Return each joint's torque over time, measured and predicted, with what is left below."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    n = len(log.joint_names)
    columns = 1 if n < 4 else 2
    rows = -(-n // columns)
    result = style.figure(WIDTH, 2.1 * rows + 0.5)
    outer = result.add_gridspec(rows, columns)
    few = _few(len(log.t))
    shades = False
    for i, name in enumerate(log.joint_names):
        row, column = i % rows, i // rows
        above, below = outer[row, column].subgridspec(2, 1, height_ratios=(3, 1), hspace=0.02)
        upper = result.add_subplot(above)
        lower = result.add_subplot(below, sharex=upper)
        t, tau = log.t[few], log.measured[few, i]
        upper.plot(t, tau, color=MEASURED, linewidth=style.LINE)
        look = {"color": PREDICTED, "linewidth": 0.9, "linestyle": style.DASHES[1]}
        upper.plot(t, log.predicted[few, i], **look)
        lower.plot(t, log.residual[few, i], color=RESIDUAL, linewidth=0.8)
        left_out = ~log.counts[few, i]
        shades = shades or bool(left_out.any())
        for axes in (upper, lower):
            axes.fill_between(
                *(t, 0, 1),
                where=left_out,
                transform=axes.get_xaxis_transform(),
                color=style.FAINT,
                linewidth=0,
                zorder=0,
            )
            style.dress(axes)
            axes.set_xlim(float(log.t[0]), float(log.t[-1]))
            axes.locator_params(axis="y", nbins=4 if axes is upper else 2)
        upper.tick_params(labelbottom=False)
        upper.set_ylabel(f"τ [{log.units[i]}]")
        style.write(upper.set_title("", loc="left", fontsize=style.NORMAL), style.label(name, 40))
        if row == rows - 1 or i == n - 1:
            lower.set_xlabel("time [s]")
    entries: list[tuple[Any, str]] = [
        (Line2D([], [], color=MEASURED, linewidth=style.LINE), "measured"),
        (Line2D([], [], color=PREDICTED, linewidth=0.9, linestyle=style.DASHES[1]), "predicted"),
        (Line2D([], [], color=RESIDUAL, linewidth=0.8), "measured less predicted"),
    ]
    if shades:
        entries.append((Patch(color=style.FAINT), "too slow to count"))
    style.legend(result, entries, len(entries), loc="outside upper left")
    return result


def residuals(log: Torques) -> Figure:
    """Return, a row a joint, how residuals are distributed and by frequency."""
    from matplotlib.lines import Line2D

    n = len(log.joint_names)
    result = style.figure(WIDTH, 1.25 * n + 0.9)
    grid = result.subplots(n, 2, squeeze=False, sharex="col")
    for i, (left, right) in enumerate(grid):
        use = log.counts[:, i]
        _histogram(left, log.residual[use, i], log.units[i])
        _power(right, log.t, log.measured[:, i], log.residual[:, i])
        name = style.label(log.joint_names[i], 40)
        style.write(left.set_title("", loc="left", fontsize=style.NORMAL), name)
        unit = log.units[i] if "·" not in log.units[i] else f"({log.units[i]})"
        right.set_ylabel(f"{unit}²/Hz", fontsize=style.SMALL)
    grid[-1, 0].set_xlabel("residual, in standard deviations")
    grid[-1, 1].set_xlabel("frequency [Hz]")
    entries: list[tuple[Any, str]] = [
        (Line2D([], [], color=RESIDUAL, linewidth=style.LINE), "residual"),
        (Line2D([], [], color=PREDICTED, linewidth=1.0), "normal distribution"),
        (Line2D([], [], color=MEASURED, linewidth=1.0), "measured torque"),
    ]
    style.legend(result, entries, 3, loc="outside upper left")
    return result


def _histogram(axes: Axes, residual: np.ndarray, unit: str) -> None:
    spread = float(residual.std()) if residual.size else 0.0
    x = (residual - residual.mean()) / spread if spread > 0 else residual
    edges = np.linspace(-SPREAD, SPREAD, BINS).tolist()
    axes.hist(x, edges, density=True, color=RESIDUAL, alpha=0.75, linewidth=0)
    z = np.linspace(-SPREAD, SPREAD, 181)
    axes.plot(z, np.exp(-z * z / 2) / np.sqrt(2 * np.pi), color=PREDICTED, linewidth=1.0)
    axes.set_yticks([])
    axes.set_xlim(-SPREAD, SPREAD)
    style.dress(axes)
    axes.text(
        *(0.99, 0.93, f"σ = {spread:.3g} {unit}"),
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
    )


def _power(axes: Axes, t: np.ndarray, torque: np.ndarray, residual: np.ndarray) -> None:
    """Draw the spectra of a torque and of what is left of it; rows must be even."""
    from scipy.signal import welch

    step = np.diff(t)
    style.dress(axes)
    if len(t) < 32 or np.ptp(step) > 1e-3 * step.mean():
        style.write(axes.text(0.5, 0.5, "", ha="center", fontsize=style.SMALL), "uneven rows")
        return
    piece = max(32, min(len(t) // 4, 4096))
    for x, colour in ((torque, MEASURED), (residual, RESIDUAL)):
        f, power = welch(x, 1 / step.mean(), nperseg=piece, detrend="linear")
        if (power[1:] > 0).any():
            axes.loglog(f[1:], power[1:], color=colour, linewidth=1.0)
    axes.set_xlim(f[1], f[-1])
    low, high = axes.get_ylim()
    axes.set_ylim(bottom=max(low, FAR * high))
    axes.tick_params(which="minor", length=0)
    axes.locator_params(axis="y", numticks=4)


@dataclass(frozen=True)
class Bars:
    """Parameters of one kind: their values, 95 % intervals, and what was believed before."""

    title: str  # with a unit
    names: tuple[str, ...]
    values: np.ndarray
    around: np.ndarray  # half of each interval; nan where it is not known
    prior: np.ndarray


def parameters(kinds: Sequence[Bars]) -> Figure:
    """Return a panel a kind of parameter: bars with their intervals, the prior as a tick."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    halves: list[list[Bars]] = [[], []]
    for kind in kinds:  # into the column that has fewer rows
        min(halves, key=lambda part: sum(len(k.names) + 3 for k in part)).append(kind)
    halves = [half for half in halves if half]
    tallest = max((sum(len(k.names) + 3 for k in half) for half in halves), default=1)
    result = style.figure(WIDTH, 0.165 * tallest + 0.7)
    outer = result.add_gridspec(1, max(len(halves), 1))
    for column, half in enumerate(halves):
        rows = [len(kind.names) + 1.2 for kind in half]
        spare = max(tallest - sum(len(k.names) + 3 for k in half), 0)
        parts = outer[column].subgridspec(len(half) + 1, 1, height_ratios=[*rows, 0.01 + spare])
        for k, kind in enumerate(half):
            _bars(result.add_subplot(parts[k]), kind)
    entries: list[tuple[Any, str]] = [
        (Patch(color=MEASURED, alpha=0.8), "found"),
        (Line2D([], [], color=PREDICTED, linewidth=1.0), "95 % interval"),
        (
            Line2D([], [], color=RESIDUAL, marker="|", markersize=9, linestyle="none"),
            "before, in the robot's file",
        ),
    ]
    style.legend(result, entries, 3, loc="outside upper left")
    return result


def _bars(axes: Axes, kind: Bars) -> None:
    at = np.arange(len(kind.names))
    axes.barh(at, kind.values, height=0.62, color=MEASURED, alpha=0.8, linewidth=0)
    known = np.isfinite(kind.around)
    axes.errorbar(
        *(kind.values[known], at[known]),
        xerr=kind.around[known],
        fmt="none",
        ecolor=PREDICTED,
        elinewidth=1.0,
        capsize=2,
    )
    axes.plot(kind.prior, at, "|", color=RESIDUAL, markersize=8, markeredgewidth=1.6)
    axes.axvline(0, color=OTHER, linewidth=style.THIN)
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.set_ylim(len(kind.names) - 0.4, -0.6)
    _name_rows(axes, kind.names)
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), kind.title)
    size = np.abs(kind.values)
    if len(size) > 2 and size.max() > WIDE * np.median(size):
        # small ones are seen too: linear about zero, logarithmic beyond
        width = float(2 * np.median(size) or size.max() / WIDE)
        axes.set_xscale("asinh", linear_width=width)
        first, last = (round(float(np.log10(x))) for x in (4 * width, size.max()))
        ticks = [10.0**k for k in range(first, max(first, last) + 1)]
        ticks = [-x for x in ticks if x < 1.2 * -kind.values.min()] + [0.0] + ticks
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.set_xticks([], minor=True)
        words = f"linear within ±{width:.2g}, logarithmic beyond"
        axes.set_xlabel(words, fontsize=style.SMALL, color=style.INK)


def short(name: str, most: int = 34) -> str:
    """Return a group's name in few letters; its first member, which no other has, stays whole."""
    if len(name) <= most:
        return style.label(name, most)
    first, *others = name.replace(" - ", " + ").split(" + ")
    more = f" + {len(others)} more" if others else ""
    if len(first) + len(more) > most:
        first = f"…{first[len(more) + 1 - most :]}"  # the parameter stands at the end
    return style.label(first + more, most)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write a name before each bar, as it is."""
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    for text in axes.get_yticklabels():
        text.set_parse_math(False)
        text.set_fontsize(7)


def excitation(values: np.ndarray, names: tuple[str, ...], own: np.ndarray) -> Figure:
    """Return how well a log tells parameters apart.

    Args:
        values: The singular values of the base regressor, its columns scaled to length 1.
        names: The base parameters.
        own: How much of each one's column is its own, of 1.
    """
    worst = np.argsort(own)[:12].tolist()
    result = style.figure(WIDTH, 3.3)
    left, right = result.subplots(1, 2)
    left.semilogy(np.arange(1, len(values) + 1), values, ".-", color=MEASURED, linewidth=1)
    for value in (values[0], values[-1]):
        left.axhline(value, color=OTHER, linewidth=style.THIN, linestyle=style.DASHES[1])
    style.dress(left)
    left.tick_params(which="minor", length=0, labelsize=style.SMALL)
    left.set_xlabel("number")
    left.set_ylabel("singular value")
    number = values[0] / values[-1] if values[-1] > 0 else np.inf
    words = f"scaled base regressor: condition number {number:.3g}"
    style.write(left.set_title("", loc="left", fontsize=style.NORMAL), words)
    at = np.arange(len(worst))
    right.barh(at, 100 * own[worst], height=0.62, color=MEASURED, alpha=0.8, linewidth=0)
    style.dress(right)
    right.grid(False, axis="y")
    right.set_ylim(len(worst) - 0.4, -0.6)
    _name_rows(right, [names[k] for k in worst])
    right.set_xlabel("of its column its own [%]")
    words = "least told from the others"
    style.write(right.set_title("", loc="left", fontsize=style.NORMAL), words)
    return result


def spectrum(
    frequency: np.ndarray,
    power: np.ndarray,
    joint_names: Sequence[str],
    *,
    floor: np.ndarray,
    band: float,
    cutoff: float | None = None,
    title: str = "",
) -> Figure:
    """Return the spectra of a log's positions, the band of the motion, the noise and the cut-off.

    Args:
        frequency, power: Shapes (m,) [Hz] and (m, n).
        joint_names: One a column.
        floor: The noise of each joint (n,).
        band: Up to where the motion goes [Hz].
        cutoff: Of the filter [Hz].
        title: Of the figure.
    """
    from matplotlib.lines import Line2D

    result = style.figure(WIDTH, 3.6)
    axes = result.subplots()
    lines: list[tuple[Any, str]] = []
    seen = frequency > 0
    few = _spaced(frequency[seen])
    for i, name in enumerate(joint_names):
        look = style.curve(i) | {"linewidth": 1.0}
        drawn = axes.loglog(frequency[seen][few], np.sqrt(power[seen, i])[few], **look)[0]
        half = frequency[-1] / 2
        axes.plot([half, frequency[-1]], [np.sqrt(floor[i])] * 2, "k", linewidth=0.8)
        lines.append((drawn, style.label(name)))
    lines.append((Line2D([], [], color="k", linewidth=0.8), "noise floor"))
    axes.axvspan(float(frequency[seen][0]), band, color=style.FAINT, alpha=0.6, linewidth=0)
    mark = axes.axvline(band, color=OTHER, linewidth=style.THIN)
    lines.append((mark, f"motion up to {band:.3g} Hz"))
    if cutoff is not None:
        look = {"color": "black", "linewidth": style.LINE, "linestyle": style.DASHES[1]}
        lines.append((axes.axvline(cutoff, **look), f"cut-off {cutoff:.3g} Hz"))
    axes.set_xlim(float(frequency[seen][0]), float(frequency[-1]))
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("position [rad/√Hz] or [m/√Hz]")
    style.dress(axes)
    axes.tick_params(which="minor", length=0)
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    style.legend(result, lines, style.legend_columns(lines, 120), loc="outside upper left")
    return result


def _few(count: int) -> slice:
    return slice(None, None, max(1, count // POINTS))


def _spaced(frequency: np.ndarray) -> np.ndarray:
    """Return which lines of a spectrum to draw: all low ones, and as many a decade above."""
    wanted = np.geomspace(frequency[0], frequency[-1], POINTS)
    return np.unique(np.searchsorted(frequency, wanted).clip(0, len(frequency) - 1))
