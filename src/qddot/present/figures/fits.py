"""Figures of identification: a fit's torques, its residuals, and an exciting motion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.excitation_result import Excitation
from qddot.identification.residual_patterns import ResidualPattern
from qddot.identification.result import Fit
from qddot.identification.validation import rows_for
from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH = 10.0  # [inch]
POINTS = 1200  # of a curve: a screen shows no more
BINS = 41
MOST_PATTERNS = 6  # of residuals that are drawn
DOTS = 500  # of a pattern
SPREAD = 4.5  # deviations that a histogram shows
FAR = 1e-9  # of the largest power: what is less is nothing
MEASURED, PREDICTED, RESIDUAL = style.colour(0), style.INK, style.colour(1)
SHADES: dict[str, tuple[str, dict[str, Any]]] = {  # of torques that do not count
    "slow": ("too slow to count", {"color": style.FAINT}),
    "gap": ("in a gap", {"color": style.colour(2), "alpha": 0.25}),
    "saturated": ("saturated", {"color": style.colour(3), "alpha": 0.25}),
    "other": ("does not count", {"color": style.FAINT}),
}
FigureFile = str | Path | None


@dataclass(frozen=True)
class Torques:
    """Torques of a log, measured and predicted, one row an instant."""

    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "N·m" or "N"
    t: np.ndarray  # (k,) [s]
    measured: np.ndarray  # (k, n)
    predicted: np.ndarray  # (k, n)
    counts: np.ndarray  # (k, n), whether it was fitted
    reasons: dict[str, np.ndarray]  # why not, each (k, n)

    @property
    def residual(self) -> np.ndarray:
        return self.measured - self.predicted


def torques_of(fit: Fit, log: Any) -> Torques:
    """Return the torques of a prepared log, or of the one fitted if that is None."""
    robot, rows = fit.problem.regression.robot, rows_for(fit, log)
    return Torques(
        tuple(robot.joint_names),
        tuple(joint.units.effort for joint in robot.model.free_joints),
        rows.t,
        rows.tau,
        fit.predict(rows),
        rows.used,
        rows.reasons,
    )


@style.savable
def plot_torques(fit: Fit, log: Any = None, *, path: FigureFile = None) -> Figure:
    """Return each joint's torque, measured and predicted, with what is left of it.

    Args:
        fit: The fit.
        log: Another prepared log to predict; by default the one fitted.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    log = torques_of(fit, log)
    n = len(log.joint_names)
    columns = 1 if n < 4 else 2
    rows = -(-n // columns)
    result = style.figure(WIDTH, 2.1 * rows + 0.5)
    outer = result.add_gridspec(rows, columns)
    few = slice(None, None, max(1, len(log.t) // POINTS))
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
        for axes in (upper, lower):
            for reason, where in log.reasons.items():
                axes.fill_between(
                    *(t, 0, 1),
                    where=where[few, i],
                    transform=axes.get_xaxis_transform(),
                    linewidth=0,
                    zorder=0,
                    **SHADES[reason][1],
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
    entries += [(Patch(**SHADES[reason][1]), SHADES[reason][0]) for reason in log.reasons]
    style.legend(result, entries, len(entries), loc="outside upper left")
    return result


@style.savable
def plot_residuals(fit: Fit, log: Any = None, *, path: FigureFile = None) -> Figure:
    """Return, a row per joint, how residuals are distributed, beside a normal one, and spectra."""
    from matplotlib.lines import Line2D

    log = torques_of(fit, log)
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
    axes.tick_params(which="minor", length=0, labelbottom=False)
    axes.locator_params(axis="y", numticks=4)


@style.savable
def plot_residuals_against(
    fit: Fit, joint: str | None = None, most: int = MOST_PATTERNS, *, path: FigureFile = None
) -> Figure:
    """Return residuals over position, rate, load or time: what explains most of them first.

    Args:
        fit: The fit.
        joint: Of this joint alone, all variables; of all joints those that show something, or the
            first if none does.
        most: How many are drawn at most.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    own = [p for p in fit.patterns if joint is None or p.joint == joint]
    shown = [p for p in own if p.shows or joint is not None][:most] or own[:1]
    if not shown:
        which = "" if joint is None else f" of a joint {joint!r}"
        raise BadArgument(f"There are no residuals{which} to draw, or too few rows of them.")
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    result = style.figure(WIDTH * max(columns, 2) / 3, 2.5 * rows)
    grid = result.subplots(rows, columns, squeeze=False).ravel()
    for axes, pattern in zip(grid, shown, strict=False):
        _pattern(axes, pattern)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    return result


def _pattern(axes: Axes, pattern: ResidualPattern) -> None:
    few = np.unique(np.linspace(0, len(pattern.x) - 1, DOTS).astype(int))
    for way, colour in ((pattern.forwards, MEASURED), (~pattern.forwards, RESIDUAL)):
        dots = few[way[few]]
        look: dict[str, Any] = {"color": colour, "markersize": 4, "alpha": 0.5}
        axes.plot(pattern.x[dots], pattern.residual[dots], ".", markeredgewidth=0, **look)
        order = np.flatnonzero(way)[np.argsort(pattern.x[way])]
        order = order[np.unique(np.linspace(0, len(order) - 1, POINTS // 6).astype(int))]
        axes.plot(pattern.x[order], pattern.curve[order], color=colour, linewidth=style.LINE)
    axes.axhline(0, color=style.QUIET, linewidth=style.THIN)
    style.dress(axes)
    axes.set_xlabel(f"{pattern.variable} [{pattern.units[0]}]")
    axes.set_ylabel(f"residual [{pattern.units[1]}]")
    words = f"{style.label(pattern.joint, 24)}: {100 * pattern.share:.0f} %"
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), words)


ROW = 2.3  # [inch]
LABELS = {"q": ("q", "{}"), "qd": ("q̇", "{}/s"), "qdd": ("q̈", "{}/s²"), "tau": ("τ / limit", "1")}


@style.savable
def excitation_figure(motion: Excitation, path: str | Path | None = None) -> Figure:
    """Return a figure with a panel for q, q̇, q̈, τ and the search; without a robot, no τ."""
    t = np.linspace(0, motion.period, POINTS + 1)
    q, qd, qdd = motion.at(t)
    panels = {"q": q, "qd": qd, "qdd": qdd}
    if motion.robot is not None:
        tau, most = motion.robot.inverse_dynamics(q, qd, qdd), motion.limits.effort
        # where no limit is known, the largest value is the measure
        measure = np.where(np.isfinite(most), most, np.abs(tau).max(axis=0))
        panels["tau"] = tau / np.where(measure > 0, measure, 1)
    rows = (len(panels) + 2) // 2
    result = style.figure(WIDTH, ROW * rows + 0.6)
    grid = result.add_gridspec(rows, 2)
    for k, (name, values) in enumerate(panels.items()):
        axes = result.add_subplot(grid[k // 2, k % 2])
        _curves(axes, motion, name, t, values)
    last = len(panels)
    place = grid[last // 2, :] if last % 2 == 0 else grid[last // 2, last % 2]
    _search(result.add_subplot(place), motion)
    entries = style.legend_entries(motion.joint_names)
    columns = style.legend_columns(entries, 130)
    style.legend(result, entries, columns, loc="outside upper left")
    return result


def _curves(axes: Axes, motion: Excitation, name: str, t: np.ndarray, values: np.ndarray) -> None:
    for i in range(motion.n):
        axes.plot(t, values[:, i], **style.curve(i))
    sign, unit = LABELS[name]
    units = " or ".join(dict.fromkeys(motion.units))
    axes.set_ylabel(f"{sign} [{unit.format(units)}]")
    axes.set_xlabel("time [s]")
    axes.set_xlim(0, motion.period)
    style.dress(axes)


def _search(axes: Axes, motion: Excitation) -> None:
    """Draw the best criterion so far over the evaluations, and the best random motion."""
    steps, best = motion.history[:, 0], motion.history[:, 1]
    end = max(float(motion.how.get("evaluations", 0)), float(steps.max(initial=1)))
    axes.step(np.append(steps, end), np.append(best, best[-1:]), where="post", **style.curve(0))
    if motion.criterion == "condition":
        if best.size and best.min() > 0:
            axes.set_yscale("log")
        if np.isfinite(motion.random_condition):
            axes.axhline(
                motion.random_condition, color=style.QUIET, linestyle=style.DASHES[1], linewidth=1
            )
            axes.annotate(
                "best random motion",
                (1, motion.random_condition),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="bottom",
                fontsize=style.SMALL,
                color=style.INK,
            )
    axes.set_xlabel("evaluations")
    words = {"condition": "condition number", "determinant": "−log det / 2p"}
    axes.set_ylabel(words[motion.criterion])
    style.dress(axes)
