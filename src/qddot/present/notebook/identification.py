"""What identification gives, in a notebook: tables with units, and figures that cost nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import shorten
from qddot.identification.comparison import deviation, error_words, percent, unknown_deviations
from qddot.identification.excitation_use import SIGNS
from qddot.model.units import BODY_UNITS, parameter_unit
from qddot.present.notebook.cell import figure, rows, shown, words
from qddot.present.pages.page import bullets, facts, paragraph
from qddot.present.terminal.logs import columns_table
from qddot.spatial.inertia import NAMES

if TYPE_CHECKING:
    from qddot.identification.comparison import Comparison
    from qddot.identification.excitation_result import Excitation
    from qddot.identification.identifiability import Identifiability
    from qddot.identification.log import Log
    from qddot.identification.observer import ExternalTorque
    from qddot.identification.payload import PayloadFit
    from qddot.identification.result import Fit

BADLY = 50.0  # [%], a relative deviation above which a value is hardly known
WIDEST = 70  # letters of a parameter's name


def unit_of_parameter(robot: Any, name: str) -> str:
    """Return the unit of a parameter "<joint>.<p>"; nothing where it is not one of a robot's."""
    joint, _, p = name.rpartition(".")
    joints = {each.name: each for each in robot.model.joints}
    return parameter_unit(joints[joint], p) if joint in joints else ""


def fit_html(fit: Fit) -> str:
    """Return a fit: how well it does, joint by joint, and its values with their deviations."""
    problem = fit.problem
    robot = problem.regression.robot
    known = {
        "relative torque error": f"{100 * fit.relative_error:.3g} %: {error_words(fit)}",
        "condition number": f"{fit.condition:.3g}",
        "samples": f"{fit.count:,} of each joint",
        "status": fit.status,
        "doubts": " ".join(map(str, fit.doubts)),
        "deviations": unknown_deviations(fit),
        "not shown in the log": ", ".join(problem.base.lost),
        "removed as badly known": ", ".join(fit.removed),
    }
    joints = [
        (joint.name, f"{rms:.3g}", joint.units.effort, f"{100 * share:.3g}")
        for joint, rms, share in zip(
            robot.model.free_joints, fit.rms, fit.relative_errors, strict=True
        )
    ]
    shares = fit.relative_deviations
    firsts = [group.name for group in problem.base.groups]
    values = [
        (
            shorten(name, WIDEST),
            f"{value:.5g}",
            deviation(s),
            unit_of_parameter(robot, first),
            percent(value, x),
        )
        for name, first, value, s, x in zip(
            fit.names, firsts, fit.values, fit.deviations, shares, strict=True
        )
    ]
    bad = {k for k, share in enumerate(shares) if not share <= BADLY}
    return shown(
        f"{fit.method} of {robot.name}: {len(fit.values)} base parameters",
        facts({name: value for name, value in known.items() if value}),
        rows(["joint", "RMS of the residual", "unit", "relative error [%]"], joints),
        rows(
            ["base parameter", "value", "deviation", "unit", "[%]"],
            values,
            bad=bad,
            caption=f"▲: known to worse than {BADLY:.0f} %" if bad else "",
        ),
    )


def identifiability_html(found: Identifiability) -> str:
    """Return what can be known by itself, what only together, and what not at all."""
    number = "" if np.isnan(found.condition) else f"; condition number {found.condition:.3g}"
    title = f"{found.rank} of {len(found.names)} parameters can be known {found.where}{number}"
    joined = [
        (group.name, shorten(group.text, 300)) for group in found.groups if len(group.members) > 1
    ]
    known = {
        "by themselves": ", ".join(found.alone),
        "no effect at all": ", ".join(found.none),
        "not shown, though the robot has it": ", ".join(found.lost),
    }
    parts = [facts({name: value for name, value in known.items() if value})]
    if joined:
        parts.append(words(["parameter", "is known only as"], joined))
    return shown(title, *parts)


def log_html(log: Log) -> str:
    """Return what a log holds, joint by joint, and what was done to it."""
    units = {"q": "rad or m", "qd": "…/s", "qdd": "…/s²", "tau": "N·m or N"}
    signs = {"q": "q", "qd": "q̇", "qdd": "q̈", "tau": "τ"}
    there = dict(log.arrays())
    head = ["joint", *(f"{signs[name]} [{units[name]}]" for name in there)]
    lines = [
        (name, *(f"{x[:, j].min():.4g} … {x[:, j].max():.4g}" for x in there.values()))
        for j, name in enumerate(log.joint_names)
    ]
    known = {
        "rows": f"{len(log):,}",
        "duration": f"{log.duration:.6g} s",
        "rate": f"{log.rate:.6g} Hz" + ("" if log.even else ", not even"),
        "source": shorten(log.source, 200),
        "torques that count": ""
        if log.counts is None
        else f"{100 * float(log.counts.mean()):.1f} %"
        + "".join(f"; {why} {100 * x.mean():.1f} %" for why, x in log.reasons.items()),
    }
    notes = [f"{note.severity}: {note}" for note in log.notes[:12]]
    return shown(
        f"Log of {log.n} joints",
        facts({name: value for name, value in known.items() if value}),
        rows(*columns_table(log)) if log.origin is not None else "",
        rows(head, lines),
        bullets(notes) if notes else "",
    )


def excitation_html(motion: Excitation) -> str:
    """Return a motion: what it is worth, what it uses of the limits, and how it goes."""
    from qddot.present.figures.fits import excitation_figure as drawn

    used = [name for name in SIGNS if name != "effort" or np.isfinite(motion.limits.effort).any()]
    lines = [
        (joint, *(f"{100 * float(getattr(motion.use, name)[i]):.0f}" for name in used))
        for i, joint in enumerate(motion.joint_names)
    ]
    known = {
        "period": f"{motion.period:g} s",
        "condition number": f"{motion.condition:.4g} of {motion.parameters} base parameters",
        "best random motion": f"{motion.random_condition:.4g}, {motion.gain:.1f} times as much",
        "search": motion.status,
    }
    notes = [f"note: {note}" for note in motion.limits.notes]
    return shown(
        f"Excitation of {motion.robot_name}",
        facts({name: value for name, value in known.items() if value}),
        rows(["joint", *(f"{name} [%]" for name in used)], lines, caption="used of the limits"),
        bullets(notes) if notes else "",
        # without the robot: its torques would have to be compiled first
        figure(drawn(replace(motion, robot=None)), f"Excitation of {motion.robot_name}"),
    )


def comparison_html(comparison: Comparison) -> str:
    """Return several fits side by side."""
    head, *lines = comparison.rows()
    return shown(f"{len(comparison.fits)} fits", rows(head, lines))


def external_torque_html(found: ExternalTorque) -> str:
    """Return what pushed an arm: its contacts, the thresholds, and the torques over time."""
    from qddot.present.figures.logs import external_torque_figure

    units = dict(zip(found.joint_names, found.units, strict=True))
    lines = [
        (
            f"{c.start:.3f} … {c.end:.3f}",
            c.joint,
            f"{c.size:+.4g} {units[c.joint]}",
            ", ".join(c.joints),
        )
        for c in found.contacts
    ]
    level = zip(found.joint_names, found.threshold, strict=True)
    known = {
        "gain": f"{found.gain:.3g} 1/s",
        "thresholds": ", ".join(f"{name} {x:.3g} {units[name]}" for name, x in level),
        "from": found.free,
        "false alarms": f"{100 * found.false_alarms:.3g} % of such logs without contact",
    }
    return shown(
        f"{len(lines) or 'No'} contact{'' if len(lines) == 1 else 's'}",
        facts(known),
        rows(["time [s]", "joint", "largest torque", "felt by"], lines) if lines else "",
        figure(external_torque_figure(found), "External torques"),
    )


def payload_html(load: PayloadFit) -> str:
    """Return a load: its ten numbers with their deviations."""
    title = f"Payload at {load.frame}"
    if load.note:
        return shown(title, paragraph(load.note))
    x, y, z = load.com
    lines = [
        (name, f"{value:.4g}", f"{s:.1g}", BODY_UNITS[name])
        for name, value, s in zip(NAMES, load.parameters, load.deviations, strict=True)
    ]
    known = {
        "mass": f"{load.mass:.4g} ± {load.deviations[0]:.1g} kg",
        "centre of mass": f"({x:.4g}, {y:.4g}, {z:.4g}) m",
        "doubt": load.impossible,
    }
    known = {name: value for name, value in known.items() if value}
    return shown(title, facts(known), rows(["parameter", "value", "deviation", "unit"], lines))
