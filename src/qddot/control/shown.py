"""Laws and closed loops in a notebook: why a law works, and how a run went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.web.notebook import figure, rows, shown, words
from qddot.web.page import facts, paragraph

if TYPE_CHECKING:
    from qddot.control.closed_loop import ClosedLoop
    from qddot.control.laws.assumption import Assumption
    from qddot.control.laws.law import ControlLaw
    from qddot.control.report import Report


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
    from qddot.control.figures import loop_of
    from qddot.plot.control import figure as drawn

    title = f"{run.report.law} of {run.robot.name}"
    # without paths and references, which would have to be compiled first
    picture = figure(drawn(loop_of(run)), f"Closed loop, {title}")
    return shown(title, paragraph(run.law.equation, "quiet"), *report_parts(run.report), picture)


def report_html(report: Report) -> str:
    """Return the figures of a run."""
    return shown(report.law, *report_parts(report))


def report_parts(report: Report) -> list[str]:
    """Return errors, torques and assumptions as tables."""
    settled = report.settling_time
    known = {"settled": "not within the run" if settled is None else f"after {settled:.4g} s"}
    known["sound"] = report.verdict
    if report.V_rise is not None:
        how = f"rises, by {report.V_rise:.1e} of its range"
        known["Lyapunov function"] = "never rises" if report.falls else how
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
