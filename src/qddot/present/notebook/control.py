"""Laws, references and closed loops in a notebook: why a law works, and how a run went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import closed_loop, style
from qddot.present.figures.trajectory import show_range
from qddot.present.notebook.cell import figure, rows, shown, words
from qddot.present.pages.page import facts, paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from qddot.control.laws.assumption import Assumption
    from qddot.control.laws.law import ControlLaw
    from qddot.control.loop import ClosedLoop
    from qddot.control.report import Report
    from qddot.motions.motion import Timed

INSTANTS = 201


def law_html(law: ControlLaw) -> str:
    """Return a law: its equation, its gains, and what its proof of stability relies on."""
    known = {"model": law.robot.name}
    for field in fields(law):
        value = getattr(law, field.name)
        if field.name != "robot" and value is not None:
            known[field.name] = in_words(value)
    parts = [paragraph(law.equation), facts(known)]
    if found := law.assumptions():
        parts.append(assumptions_table(found))
    return shown(type(law).__name__, *parts)


def assumptions_table(found: Sequence[Assumption]) -> str:
    """Return what a law relies on, and whether that is so."""
    return words(
        ["what its proof relies on", "", "why"],
        [(each.statement, each.verdict, each.why) for each in found],
        bad={k for k, each in enumerate(found) if each.holds is False},
    )


def in_words(value: Any) -> str:
    """Return a field of a law in a line: of a gain its number, or its diagonal."""
    if isinstance(value, np.ndarray):
        if value.ndim == 2 and not np.any(value - np.diag(np.diag(value))):
            value = np.diag(value)
        if value.ndim == 1 and value.size and np.all(value == value[0]):
            return f"{value[0]:g}"
        if value.ndim == 1:
            return ", ".join(f"{x:g}" for x in value[:12]) + (", …" if value.size > 12 else "")
        return f"a matrix of {' × '.join(map(str, value.shape))}"
    if isinstance(value, (str, int, float)):
        return str(value)
    name = getattr(value, "name", type(value).__name__)
    place = getattr(value, "q", None)
    if isinstance(place, np.ndarray) and type(value).__name__ == "Setpoint":
        return in_words(place)
    long = getattr(value, "duration", None)
    return f"{name}, {long:g} s" if isinstance(long, float) and np.isfinite(long) else str(name)


def loop_html(run: ClosedLoop) -> str:
    """Return a run: what it was worth, and its curves."""
    title = f"{run.report.law} of {run.robot.name}"
    # without paths and references, which would have to be compiled first
    picture = figure(closed_loop.figure(run), f"Closed loop, {title}")
    return shown(title, paragraph(run.law.equation, "quiet"), *report_parts(run.report), picture)


def report_html(report: Report) -> str:
    """Return the figures of a run."""
    return shown(report.law, *report_parts(report))


def report_parts(report: Report) -> list[str]:
    """Return errors, torques and assumptions as tables."""
    known = {"error": report.settling, "sound": report.verdict}
    if report.lyapunov:
        known["Lyapunov function"] = report.lyapunov
    errors = [
        (name, *(f"{x:.3g}" for x in numbers))
        for name, *numbers in zip(
            report.error_names, report.rms, report.worst, report.final, strict=True
        )
    ]
    torques = [
        (name, f"{effort:.4g}", f"{peak:.4g}", f"{room:.4g}" if np.isfinite(room) else "no limit")
        for name, effort, peak, room in zip(
            report.joint_names, report.effort, report.peak, report.margin, strict=True
        )
    ]
    parts = [
        facts(known),
        rows(["error [rad or m]", "RMS", "worst", "final"], errors),
        rows(["torque [N·m or N]", "RMS", "peak", "below its limit"], torques),
    ]
    return [*parts, *([assumptions_table(report.assumptions)] if report.assumptions else [])]


def reference_html(reference: Timed) -> str:
    """Return a reference: how long it takes and how it goes."""
    period, long = reference.period, float(reference.duration)
    frame = getattr(reference, "frame", None)
    start = np.asarray(reference.at(0.0)[0], dtype=float)
    known = {
        "of": f"frame {frame}" if frame else f"{len(start)} joints",
        "duration": f"{long:.6g} s" if np.isfinite(long) else "for ever",
        "period": "" if period is None else f"{period:.6g} s",
    }
    for name in ("use", "saturated"):  # of a limit, by a time-optimal one
        if (share := getattr(reference, name, None)) is not None:
            known[{"use": "largest share of a limit"}.get(name, "at a limit")] = f"{share:.1%}"
    end = long if np.isfinite(long) and long > 0 else period
    parts = [facts({name: value for name, value in known.items() if value})]
    if end:
        parts.append(figure(curves(reference, end, frame is not None), type(reference).__name__))
    else:
        parts.append(facts({"stays at": in_words(start)}))
    return shown(type(reference).__name__, *parts)


def curves(reference: Timed, end: float, of_a_frame: bool) -> Figure:
    """Return a figure of positions and velocities over time."""
    t = np.linspace(0, end, INSTANTS)
    motion = np.array([np.asarray(reference.at(x)[:2], dtype=float) for x in t.tolist()])
    drawn = style.figure(9.0, 2.8)
    units = ("m", "m/s") if of_a_frame else ("rad or m", "rad/s or m/s")
    names = "xyz" if of_a_frame else [f"q{i + 1}" for i in range(motion.shape[2])]
    for k, label in enumerate((f"position [{units[0]}]", f"velocity [{units[1]}]")):
        axes = drawn.add_subplot(1, 2, k + 1)
        style.dress(axes)
        for i, column in enumerate(motion[:, k].T):
            axes.plot(t, column, **style.curve(i))
        axes.set_xlabel("time [s]")
        axes.set_ylabel(label)
        show_range(axes, t)
    entries = style.legend_entries(names)
    style.legend(drawn, entries, style.legend_columns(entries, 110), loc="outside upper left")
    return drawn
