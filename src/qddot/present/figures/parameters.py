"""Figures of what was identified and how well: parameters, what the log tells apart, spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.identification.held_out import cutoff as from_spectrum
from qddot.identification.log import Log
from qddot.identification.result import Fit
from qddot.identification.spectrum import suggested
from qddot.model.friction import LINEAR
from qddot.model.units import ANGLE
from qddot.present.figures import style
from qddot.present.figures.fits import MEASURED, POINTS, PREDICTED, RESIDUAL, WIDTH, FigureFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE = 20.0  # times their median: the largest of several values is much larger
KINDS = {
    "m": "masses [kg]",
    "h": "first moments [kg·m]",
    "I": "moments of inertia [kg·m²]",
    "Ia": "rotor inertias [kg·m²]",
    **{p.column: f"{p.meaning} [{getattr(ANGLE, p.unit)}]" for p in LINEAR},
    "": "other",
}


@dataclass(frozen=True)
class Bars:
    """Parameters of one kind: their values, 95 % intervals, and what was believed before."""

    title: str  # with a unit
    names: tuple[str, ...]
    values: np.ndarray
    around: np.ndarray  # half of each interval; nan where it is not known
    prior: np.ndarray


@style.savable
def plot_parameters(fit: Fit, *, path: FigureFile = None) -> Figure:
    """Return the base parameters as bars, with 95 % intervals and what the robot's file said."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    halves: list[list[Bars]] = [[], []]
    for kind in bars_of(fit):  # into the column that has fewer rows
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


def bars_of(fit: Fit) -> list[Bars]:
    """Return the base parameters by kind, which is that of the first of each group."""
    problem = fit.problem
    low, high = fit.intervals().T
    prior = problem.B @ problem.prior
    kinds: dict[str, list[int]] = {}
    for k, group in enumerate(problem.base.groups):
        kinds.setdefault(_kind(group.name), []).append(k)
    return [
        Bars(
            KINDS[kind],
            tuple(fit.names[k] for k in kinds[kind]),
            *(x[kinds[kind]] for x in (fit.values, (high - low) / 2, prior)),
        )
        for kind in KINDS
        if kind in kinds
    ]


def _kind(name: str) -> str:
    last = name.rpartition(".")[2]
    if last in ("mx", "my", "mz"):
        return "h"
    if last.startswith("I") and last != "Ia":
        return "I"
    return last if last in KINDS else ""


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
    axes.axvline(0, color=style.QUIET, linewidth=style.THIN)
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


@style.savable
def plot_excitation(fit: Fit, *, path: FigureFile = None) -> Figure:
    """Return how well the log tells parameters apart: singular values, and the least told ones."""
    (values, own), names = excited(fit), fit.names
    worst = np.argsort(own)[:12].tolist()
    result = style.figure(WIDTH, 3.3)
    left, right = result.subplots(1, 2)
    left.semilogy(np.arange(1, len(values) + 1), values, ".-", color=MEASURED, linewidth=1)
    for value in (values[0], values[-1]):
        left.axhline(value, color=style.QUIET, linewidth=style.THIN, linestyle=style.DASHES[1])
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


def excited(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return the singular values of the scaled base regressor, and what is each column's own."""
    R = fit.problem.stacked()[:, :-1]
    R = R / np.linalg.norm(R, axis=0)
    values = np.linalg.svd(R, compute_uv=False)
    own = 1 / np.linalg.norm(np.linalg.pinv(R), axis=1)
    return values, own


@style.savable
def plot_spectrum(log: Log, cutoff: float | None = None, *, path: FigureFile = None) -> Figure:
    """Return the spectra of a log's positions with the cut-off of its filter.

    Args:
        log: The log as loaded; of a prepared one the filter has taken the noise.
        cutoff: What was used instead of the cut-off that the spectrum suggests [Hz].
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    from matplotlib.lines import Line2D

    from qddot.identification.signals import resampled

    even = log if log.even else resampled(log)
    found = from_spectrum(even) if cutoff is None else replace(suggested(even), frequency=cutoff)
    spectrum, used = found.spectrum, found.frequency
    frequency, band = spectrum.frequency, min(float(spectrum.band.max()), used)
    result = style.figure(WIDTH, 3.6)
    axes = result.subplots()
    lines: list[tuple[Any, str]] = []
    seen = frequency > 0
    few = _spaced(frequency[seen])
    for i, name in enumerate(spectrum.joint_names):
        look = style.curve(i) | {"linewidth": 1.0}
        drawn = axes.loglog(frequency[seen][few], np.sqrt(spectrum.power[seen, i])[few], **look)[0]
        half = frequency[-1] / 2
        axes.plot([half, frequency[-1]], [np.sqrt(spectrum.floor[i])] * 2, "k", linewidth=0.8)
        lines.append((drawn, style.label(name)))
    lines.append((Line2D([], [], color="k", linewidth=0.8), "noise floor"))
    axes.axvspan(float(frequency[seen][0]), band, color=style.FAINT, alpha=0.6, linewidth=0)
    mark = axes.axvline(band, color=style.QUIET, linewidth=style.THIN)
    lines.append((mark, f"motion up to {band:.3g} Hz"))
    look = {"color": "black", "linewidth": style.LINE, "linestyle": style.DASHES[1]}
    lines.append((axes.axvline(used, **look), f"cut-off {used:.3g} Hz"))
    axes.set_xlim(float(frequency[seen][0]), float(frequency[-1]))
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("position [rad/√Hz] or [m/√Hz]")
    style.dress(axes)
    axes.tick_params(which="minor", length=0)
    style.write(
        axes.set_title("", loc="left", fontsize=style.NORMAL), found.why if cutoff is None else ""
    )
    style.legend(result, lines, style.legend_columns(lines, 120), loc="outside upper left")
    return result


def _spaced(frequency: np.ndarray) -> np.ndarray:
    """Return which lines of a spectrum to draw: all low ones, and as many a decade above."""
    wanted = np.geomspace(frequency[0], frequency[-1], POINTS)
    return np.unique(np.searchsorted(frequency, wanted).clip(0, len(frequency) - 1))
