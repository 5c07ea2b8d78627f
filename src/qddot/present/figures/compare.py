"""Several motions of one robot side by side, as the decks show them: a row a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from qddot.errors import BadArgument, listing
from qddot.present.figures import style
from qddot.present.figures.motion import draw_joints, event_entries, joint_entries, mark_events
from qddot.present.figures.quantities import SIGNS, Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, ROW, LEGEND = 3.1, 2.0, 0.5  # [inch]
ROOM = 160  # characters side by side in the legend


@style.savable
def panels(runs: Mapping[str, Motion], path: str | Path | None = None) -> Figure:
    """Return a figure with a row for each run and a column for each of q, q̇, q̈ and τ.

    Args:
        runs: Motions by the name of their row ("D = 30"); all of the same joints.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
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
    entries = joint_entries(motions[0]) + [(line, name) for name, line in told.items()]
    wide = style.legend_columns(entries, ROOM)
    height = ROW * len(runs) + LEGEND * -(-len(entries) // wide)
    result = style.figure(COLUMN * len(SIGNS), height)
    grid = result.subplots(len(runs), len(SIGNS), squeeze=False, sharex="row")
    for row, (name, motion) in zip(grid, runs.items(), strict=True):
        for axes, quantity in zip(row, SIGNS, strict=True):
            draw_joints(axes, motion, quantity)
            mark_events(axes, motion)
        style.write(row[0].set_title("", loc="left", fontsize=style.LARGE), style.label(name, 60))
    for axes in grid[-1]:
        axes.set_xlabel("time [s]", fontsize=style.NORMAL, color=style.INK)
    style.legend(result, entries, wide, loc="outside upper left")
    return result
