"""Motions over time: positions, rates, accelerations, torques, and where the energy went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, did_you_mean, listing
from qddot.model.units import BY_POSITION, for_people
from qddot.present.figures import style
from qddot.present.figures.style import drawable
from qddot.simulation.energy import Energy
from qddot.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# in the order of the decks: positions, rates, accelerations, torques
SIGNS = {"q": "$q$", "qd": r"$\dot{q}$", "qdd": r"$\ddot{q}$", "tau": r"$\tau$"}
PANELS = (*SIGNS, "energy")
KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
WIDTH, ROW, LEGEND = 10.0, 2.3, 0.2  # [inch]
ENERGIES = ("kinetic", "potential", "total", "given", "lost")
ROOM = 130  # characters side by side in the legend
COLUMN, RUN, WIDER = 3.1, 2.0, 160  # [inch], [inch] and characters, of a figure of several runs
BELOW = 0.16  # of the height of the energies: room for words below the lowest curve
KINDS_OF_EVENTS = len(style.DASHES)  # that a legend tells apart


@style.savable
def figure(
    motion: Trajectory,
    what: str | Sequence[str] | None = None,
    path: str | Path | None = None,
    degrees: bool = False,
) -> Figure:
    """Return a figure of a motion, a panel a quantity, and save it where there is a path.

    The quantities are "q", "qd", "qdd", "tau", "energy", or several of them; all by default. The
    path ends in .png, .svg or .pdf; angles are in radians or degrees.
    """
    chosen = choice(what)
    entries = event_entries(motion)
    if chosen != ["energy"]:
        entries = joint_entries(motion, degrees) + entries
    columns = 1 if len(chosen) == 1 else 2
    rows = -(-len(chosen) // columns)
    wide = style.legend_columns(entries, ROOM)
    height = ROW * rows + LEGEND * (2 + -(-len(entries) // wide))
    result = style.figure(WIDTH if columns == 2 else 0.7 * WIDTH, max(height, 3.2))
    grid = result.add_gridspec(rows, columns)
    first: Axes | None = None
    for k, quantity in enumerate(chosen):
        # the last of an odd number has the row to itself
        alone = k == len(chosen) - 1 and k % columns == 0
        place = grid[k // columns, :] if alone else grid[k // columns, k % columns]
        axes = result.add_subplot(place, sharex=first)
        first = first or axes
        if quantity == "energy":
            draw_energy(axes, motion.t, motion.energy)
        else:
            draw_joints(axes, motion, quantity, degrees)
        mark_events(axes, motion)
        if k // columns == rows - 1:
            axes.set_xlabel("time [s]", fontsize=style.NORMAL, color=style.INK)
    if entries:
        style.legend(result, entries, wide, loc="outside upper left")
    return result


@style.savable
def panels(
    runs: Mapping[str, Trajectory], path: str | Path | None = None, degrees: bool = False
) -> Figure:
    """Return a figure with a row for each run and a column for each of q, q̇, q̈ and τ.

    Args:
        runs: Motions by the name of their row ("D = 30"); all of the same joints.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
        degrees: Draw angles in degrees instead of radians.
    """
    if not runs:
        raise BadArgument("There is nothing to compare: give at least one run.")
    motions = list(runs.values())
    for name, motion in runs.items():
        if (motion.joint_names, motion.units) != (motions[0].joint_names, motions[0].units):
            raise BadArgument(
                f"Run {name!r} has other joints than the first: {listing(motion.joint_names)}; "
                f"the first has {listing(motions[0].joint_names)}.\n  Compare runs of one robot."
            )
    # what happens in several runs is told once
    told = {name: line for motion in motions for line, name in event_entries(motion)}
    entries = joint_entries(motions[0], degrees) + [(line, name) for name, line in told.items()]
    wide = style.legend_columns(entries, WIDER)
    height = RUN * len(runs) + 0.5 * -(-len(entries) // wide)
    result = style.figure(COLUMN * len(SIGNS), height)
    grid = result.subplots(len(runs), len(SIGNS), squeeze=False, sharex="row")
    for row, (name, motion) in zip(grid, runs.items(), strict=True):
        for axes, quantity in zip(row, SIGNS, strict=True):
            draw_joints(axes, motion, quantity, degrees)
            mark_events(axes, motion)
        style.write(row[0].set_title("", loc="left", fontsize=style.LARGE), style.label(name, 60))
    for axes in grid[-1]:
        axes.set_xlabel("time [s]", fontsize=style.NORMAL, color=style.INK)
    style.legend(result, entries, wide, loc="outside upper left")
    return result


def choice(what: str | Sequence[str] | None) -> list[str]:
    """Return the quantities asked for, checked."""
    asked = list(PANELS) if what is None else [what] if isinstance(what, str) else list(what)
    for name in asked:
        if name not in PANELS:
            raise BadArgument(
                f"There is no panel {name!r}.{did_you_mean(str(name), PANELS)}\n"
                f"  Panels: {', '.join(PANELS)}."
            )
    if not asked:
        raise BadArgument(f"Name at least one panel: {', '.join(PANELS)}.")
    return list(dict.fromkeys(asked))


def draw_joints(axes: Axes, motion: Trajectory, quantity: str, degrees: bool = False) -> None:
    """Draw a quantity of every joint; where units differ, the second has an axis on the right."""
    style.dress(axes)
    values = motion.joint_positions if quantity == "q" else getattr(motion, quantity)
    rows, kinds = drawable(values), list(dict.fromkeys(motion.units))
    sides = dict.fromkeys(kinds, axes)
    for kind in kinds[1:]:
        # a twin hides what is below it unless its background is none, which `dress` sees to
        sides[kind] = axes.twinx()
        style.dress(sides[kind])
        sides[kind].grid(False)
        sides[kind].spines["right"].set_visible(True)
    for kind, side in sides.items():
        where = " (right)" if len(kinds) > 1 and side is not axes else ""
        side.set_ylabel(f"{SIGNS[quantity]} [{unit(quantity, kind, degrees)}]{where}")
    for i, kind in enumerate(motion.units):
        factor = 1.0 if quantity == "tau" else for_people(kind, degrees)[1]
        sides[kind].plot(motion.t, rows[:, i] * factor, **look(motion, i))
    for side in sides.values() if quantity == "tau" and not rows.any() else ():
        side.set_ylim(-1, 1)  # a line at zero, and no scale as of rounding
    show_range(axes, motion.t)


def look(motion: Trajectory, i: int) -> dict[str, Any]:
    """Return how a joint is drawn everywhere; one in other units than the first is dashed."""
    found = style.curve(i)
    if motion.units[i] != motion.units[0]:
        found["linestyle"] = style.DASHES[1]
    return found


def joint_entries(motion: Trajectory, degrees: bool = False) -> list[tuple[Line2D, str]]:
    """Return the lines and names of a legend of the joints, with units where they differ."""
    from matplotlib.lines import Line2D

    mixed = len(set(motion.units)) > 1
    return [
        (
            Line2D([], [], **look(motion, i)),
            style.label(name) + (f" [{for_people(motion.units[i], degrees)[0]}]" if mixed else ""),
        )
        for i, name in enumerate(motion.joint_names)
    ]


def draw_energy(axes: Axes, t: np.ndarray, energy: Energy) -> None:
    """Draw what is stored, given and lost, and say what is unaccounted for."""
    style.dress(axes)
    lines = []
    for k, name in enumerate(ENERGIES):
        lines += axes.plot(t, drawable(getattr(energy, name)), **style.curve(k))
    axes.set_ylabel("energy [J]")
    show_range(axes, t)
    entries = list(zip(lines, ENERGIES, strict=True))
    style.legend(axes, entries, 5, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    low, high = axes.get_ylim()
    axes.set_ylim(low - BELOW * (high - low), high)
    note = axes.text(0.99, 0.03, "", transform=axes.transAxes, ha="right", fontsize=style.SMALL)
    style.write(note, unaccounted(energy))


def unaccounted(energy: Energy) -> str:
    """Return how much energy nobody can account for, in words."""
    with np.errstate(all="ignore"):
        worst = float(max(np.abs(energy.residual).max(), np.abs(energy.gravity_residual).max()))
        exchanged = energy.exchanged
        share = f" ({worst / exchanged:.1e} of {exchanged:.4g} J exchanged)" if exchanged else ""
    return f"unaccounted for: {worst:.1e} J{share}"


def mark_events(axes: Axes, motion: Trajectory) -> None:
    """Draw a thin line at every event."""
    kinds = kinds_of_events(motion)
    for event in motion.events:
        axes.axvline(event.t, **event_look(kinds, event.name))


def event_entries(motion: Trajectory) -> list[tuple[Line2D, str]]:
    """Return what a legend says of the events: their kinds, or how many where there are many."""
    from matplotlib.lines import Line2D

    kinds = kinds_of_events(motion)
    if len(kinds) > KINDS_OF_EVENTS:
        return [(Line2D([], [], **event_look(kinds, "")), f"{len(motion.events)} events")]
    return [(Line2D([], [], **event_look(kinds, kind)), style.label(kind)) for kind in kinds]


def kinds_of_events(motion: Trajectory) -> list[str]:
    return list(dict.fromkeys(event.name for event in motion.events))


def event_look(kinds: list[str], kind: str) -> dict[str, Any]:
    k = kinds.index(kind) if len(kinds) <= KINDS_OF_EVENTS else 0
    return {"color": style.QUIET, "linewidth": style.THIN, "linestyle": style.DASHES[k]}


def show_range(axes: Axes, t: np.ndarray) -> None:
    """Let the axis of time end where the motion does."""
    if len(t) and np.isfinite(t[[0, -1]]).all() and t[0] < t[-1]:
        axes.set_xlim(t[0], t[-1])


def unit(quantity: str, kind: str, degrees: bool = False) -> str:
    """Return the unit of a quantity at a joint measured in rad, in m, or in nobody knows."""
    known = [BY_POSITION[kind]] if kind in BY_POSITION else BY_POSITION.values()
    return " or ".join(
        for_people(getattr(units, KINDS[quantity]), degrees and kind in BY_POSITION)[0]
        for units in known
    )
