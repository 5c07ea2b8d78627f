"""Motions in a notebook: how long they take, and how they go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qddot.plot import style
from qddot.plot.motion import show_range
from qddot.web.notebook import figure, shown
from qddot.web.page import facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from qddot.motions.motion import Timed

INSTANTS = 201


def motion_html(motion: Timed) -> str:
    """Return a motion: how long it takes and how it goes."""
    period, long = motion.period, float(motion.duration)
    frame = getattr(motion, "frame", None)
    start = np.asarray(motion.at(0.0)[0], dtype=float)
    known = {
        "of": f"frame {frame}" if frame else f"{len(start)} joints",
        "duration": f"{long:.6g} s" if np.isfinite(long) else "for ever",
        "period": "" if period is None else f"{period:.6g} s",
    }
    for name in ("use", "saturated"):  # of a limit, by a time-optimal one
        if (share := getattr(motion, name, None)) is not None:
            known[{"use": "largest share of a limit"}.get(name, "at a limit")] = f"{share:.1%}"
    end = long if np.isfinite(long) and long > 0 else period
    parts = [facts({name: value for name, value in known.items() if value})]
    if end:
        parts.append(figure(curves(motion, end, frame is not None), type(motion).__name__))
    else:
        parts.append(facts({"stays at": ", ".join(f"{x:g}" for x in start)}))
    return shown(type(motion).__name__, *parts)


def curves(motion: Timed, end: float, of_a_frame: bool) -> Figure:
    """Return a figure of positions and velocities over time."""
    from qddot.plot.control import names_of

    t = np.linspace(0, end, INSTANTS)
    rows = np.array([np.asarray(motion.at(x)[:2], dtype=float) for x in t.tolist()])
    drawn = style.figure(9.0, 2.8)
    units = ("m", "m/s") if of_a_frame else ("rad or m", "rad/s or m/s")
    names = "xyz" if of_a_frame else [f"q{i + 1}" for i in range(rows.shape[2])]
    for k, label in enumerate((f"position [{units[0]}]", f"velocity [{units[1]}]")):
        axes = drawn.add_subplot(1, 2, k + 1)
        style.dress(axes)
        for i, column in enumerate(rows[:, k].T):
            axes.plot(t, column, **style.curve(i))
        axes.set_xlabel("time [s]")
        axes.set_ylabel(label)
        show_range(axes, t)
    entries = names_of(names)
    style.legend(drawn, entries, style.legend_columns(entries, 110), loc="outside upper left")
    return drawn
