"""Closed loops in pictures: errors, torques and their limits, V and its rate, paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.motion import show_range
from qddot.present.figures.quantities import drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    Entries = list[tuple[Line2D, str]]

WIDTH, ROW = 10.0, 2.6  # [inch]
SHOWN = 0.6  # the share of a limit from which on it is drawn
DECADES = 1e3  # largest for smallest from which on a scale is logarithmic
ROOM = 130  # characters side by side in the legend
XYZ = "xyz"


@dataclass(frozen=True)
class Rows:
    """Curves over time that belong together, one column each."""

    values: np.ndarray  # (k, m)
    names: Sequence[str]
    label: str  # with its unit


@dataclass(frozen=True)
class Places:
    """Where a frame went and where it should have been [m], in base axes."""

    went: np.ndarray  # (k, 3)
    wanted: np.ndarray  # (k, 3); not a number along axes that are left free


@dataclass(frozen=True)
class Loop:
    """What is drawn of one closed loop."""

    title: str
    t: np.ndarray
    error: Rows
    torque: Rows
    limits: np.ndarray  # (n,), infinite where there is none
    positions: Rows
    references: np.ndarray | None  # (k, n), what the positions should be
    V: np.ndarray | None = None
    V_rate: np.ndarray | None = None
    places: Places | None = None


def figure(loop: Loop) -> Figure:
    """Return a figure of a closed loop: errors, torques, V if there is one, and where it went."""
    panels: list[Callable[[Any], Any]] = [
        lambda axes: draw_errors(axes, loop),
        lambda axes: draw_torques(axes, loop),
    ]
    if loop.V is not None and loop.V_rate is not None:
        V, rate = loop.V, loop.V_rate
        panels.append(lambda axes: draw_lyapunov(axes, loop.t, V, rate))
    places = loop.places
    panels.append(
        (lambda axes: draw_places(axes, places))
        if places is not None
        else (lambda axes: draw_positions(axes, loop))
    )
    rows = -(-len(panels) // 2)
    drawn = style.figure(WIDTH, ROW * rows + 0.7)
    grid = drawn.add_gridspec(rows, 2)
    for k, panel in enumerate(panels):
        alone = k == len(panels) - 1 and k % 2 == 0
        panel(drawn.add_subplot(grid[k // 2, :] if alone else grid[k // 2, k % 2]))
    _titled(drawn, names_of(loop.torque.names), loop.title)
    return drawn


def names_of(names: Sequence[str]) -> Entries:
    """Return a legend of curves by their names."""
    from matplotlib.lines import Line2D

    return [(Line2D([], [], **style.curve(i)), style.label(name)) for i, name in enumerate(names)]


def draw_errors(axes: Axes, loop: Loop) -> None:
    """Draw errors; where they are not those of joints they have a legend of their own."""
    draw_rows(axes, loop.t, loop.error)
    if list(loop.error.names) != list(loop.torque.names):
        entries = names_of(loop.error.names)
        above: dict[str, Any] = dict(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
        style.legend(axes, entries, style.legend_columns(entries, ROOM // 2), **above)


def draw_rows(axes: Axes, t: np.ndarray, rows: Rows) -> None:
    """Draw curves over time."""
    style.dress(axes)
    axes.axhline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    for i, column in enumerate(drawable(rows.values).T):
        axes.plot(t, column, **style.curve(i))
    _labelled(axes, t, rows.label)


def draw_torques(axes: Axes, loop: Loop) -> None:
    """Draw torques, and those of their limits that they come near."""
    draw_rows(axes, loop.t, loop.torque)
    peaks = np.nanmax(np.abs(drawable(loop.torque.values)), axis=0, initial=0)
    finite = np.isfinite(loop.limits)
    near = {
        float(limit)
        for limit, peak in zip(loop.limits, peaks, strict=True)
        if np.isfinite(limit) and peak >= SHOWN * limit
    }
    for limit in near:
        for side in (-limit, limit):
            axes.axhline(side, color=style.INK, linestyle=style.DASHES[1], linewidth=style.THIN)
    if finite.any():
        most = float((peaks[finite] / loop.limits[finite]).max())
        drawn = "dashed: limits; " if near else ""
        _note(axes, f"{drawn}at most {most:.0%} of a limit is used")


def draw_lyapunov(axes: Axes, t: np.ndarray, V: np.ndarray, rate: np.ndarray) -> None:
    """Draw V, by decades where it falls through many, and its rate on the right."""
    style.dress(axes)
    V, rate = drawable(V), drawable(rate)
    axes.plot(t, V, color=style.colour(0), linewidth=style.LINE)
    floor = np.nanmin(V) if len(V) else 0.0
    if floor > 0 and np.nanmax(V) > DECADES * floor:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(floor, 1e-14 * float(np.nanmax(V))))
    _labelled(axes, t, "V")
    side: Any = axes.twinx()
    style.dress(side)
    side.grid(False)
    side.spines["right"].set_visible(True)
    side.axhline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    side.plot(t, rate, color=style.colour(1), linewidth=style.LINE, linestyle=style.DASHES[1])
    style.write(side.set_ylabel("", fontsize=style.NORMAL), "dV/dt (right, dashed)")
    axes.yaxis.label.set_color(style.colour(0))
    side.yaxis.label.set_color(style.colour(1))


def draw_positions(axes: Axes, loop: Loop) -> None:
    """Draw positions, and dotted what they should be."""
    draw_rows(axes, loop.t, loop.positions)
    if loop.references is not None:
        for column in drawable(loop.references).T:
            axes.plot(
                loop.t, column, color=style.INK, linestyle=style.DASHES[2], linewidth=style.THIN
            )
        _note(axes, "dotted: reference")


def draw_places(axes: Axes, places: Places, k: int = 0, ends: bool = True) -> Line2D:
    """Draw where a frame went, seen along the axis along which it went least."""
    style.dress(axes)
    first, second = sides(places)
    wanted = np.where(np.isnan(places.wanted), places.went, places.wanted)
    moves = np.ptp(wanted, axis=0).max() > 1e-9
    line = axes.plot(places.went[:, first], places.went[:, second], **style.curve(k))[0]
    if ends:
        if moves:
            look: dict[str, Any] = dict(color=style.INK, linestyle=style.DASHES[2])
            axes.plot(wanted[:, first], wanted[:, second], linewidth=style.THIN, **look)
        mark: dict[str, Any] = dict(color=style.INK, linestyle="none", markersize=6)
        axes.plot(*places.went[0, [first, second]], marker="o", fillstyle="none", **mark)
        axes.plot(*wanted[-1, [first, second]], marker="+", markersize=10, **_without(mark))
        _note(axes, "○ start   + target" + ("   dotted: reference" if moves else ""))
    axes.set_aspect("equal", adjustable="datalim")
    style.write(axes.set_xlabel("", fontsize=style.NORMAL), f"{XYZ[first]} [m]")
    style.write(axes.set_ylabel("", fontsize=style.NORMAL), f"{XYZ[second]} [m]")
    return line


def sides(places: Places) -> tuple[int, int]:
    """Return the two base axes along which a frame goes furthest, those that matter first."""
    both = np.concatenate([places.went, places.wanted])
    extent = np.nanmax(both, axis=0) - np.nanmin(both, axis=0)
    free = np.isnan(places.wanted).all(axis=0)
    first, second = sorted(int(i) for i in np.lexsort((-extent, free))[:2])
    return first, second


def compared(
    runs: Mapping[str, tuple[np.ndarray, np.ndarray, Places | None]], label: str
) -> Figure:
    """Return the size of the error of several runs, by decades, and where the frame went in each.

    Args:
        runs: Of every run its instants, ‖e‖, and where its frame went, if there is one.
        label: Of the error, with its unit.
    """
    with_places = all(places is not None for _, _, places in runs.values())
    drawn = style.figure(WIDTH if with_places else 0.75 * WIDTH, 3.6)
    grid: Any = drawn.subplots(1, 2 if with_places else 1, squeeze=False)[0]
    entries: Entries = []
    style.dress(grid[0])
    end = 0.0
    for k, (name, (t, size, places)) in enumerate(runs.items()):
        positive = np.where(size > 0, drawable(size), np.nan)  # zero has no place on this scale
        line = grid[0].plot(t, positive, **style.curve(k))[0]
        entries.append((line, style.label(name, 60)))
        end = max(end, float(t[-1]))
        if with_places and places is not None:
            draw_places(grid[1], places, k, ends=k == len(runs) - 1)
    grid[0].set_yscale("log")
    _labelled(grid[0], np.array([0.0, end]), label)
    style.legend(drawn, entries, style.legend_columns(entries, ROOM), loc="outside upper left")
    return drawn


def fastest(
    s: np.ndarray, speed: np.ndarray, t: np.ndarray, used: Rows, rates: np.ndarray, title: str
) -> Figure:
    """Return how fast a path is gone, and what share of every limit that takes.

    Args:
        s, speed: Places along the path, and ṡ there.
        t, used: Instants, and torques in parts of their limits, from −1 to 1.
        rates: The largest share of a limit of velocity in use at each instant, shape (k,).
        title: Of the figure.
    """
    drawn = style.figure(WIDTH, 3.4)
    left, right = drawn.subplots(1, 2)
    style.dress(left)
    left.plot(s, speed, color=style.colour(0), linewidth=style.LINE)
    left.set_ylim(bottom=0)
    left.set_xlim(float(s[0]), float(s[-1]))
    style.write(left.set_xlabel("", fontsize=style.NORMAL), "s, along the path")
    style.write(left.set_ylabel("", fontsize=style.NORMAL), "ds/dt")
    draw_rows(right, t, used)
    for side in (-1, 1):
        right.axhline(side, color=style.INK, linestyle=style.DASHES[1], linewidth=style.THIN)
    if rates.any():
        right.plot(t, rates, color=style.INK, linestyle=style.DASHES[2], linewidth=style.LINE)
        _note(right, "dashed: limits; dotted: velocity / limit, of the joint nearest to its own")
    _titled(drawn, names_of(used.names), title)
    return drawn


def _titled(drawn: Figure, entries: Entries, title: str) -> None:
    wide = style.legend_columns(entries, ROOM)
    where: dict[str, Any] = dict(loc="outside upper left", alignment="left", title=" ")
    made = style.legend(drawn, entries, wide, **where)
    made.get_title().set_fontsize(style.LARGE)
    style.write(made.get_title(), title)


def _without(look: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in look.items() if key != "markersize"}


def _labelled(axes: Axes, t: np.ndarray, label: str) -> None:
    style.write(axes.set_xlabel("", fontsize=style.NORMAL), "time [s]")
    style.write(axes.set_ylabel("", fontsize=style.NORMAL), label)
    show_range(axes, t)


def _note(axes: Axes, words: str) -> None:
    note = axes.text(1, 1.01, "", transform=axes.transAxes, ha="right", fontsize=style.SMALL)
    style.write(note, words)
