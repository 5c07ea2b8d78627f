"""What `qddot control` tells of a run: to people, and to machines."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import printable

if TYPE_CHECKING:
    from qddot.control.loop import ClosedLoop

WIDTH = 98  # characters of a line


def facts(run: ClosedLoop) -> dict[str, Any]:
    """Return what a closed loop came to, for machines."""
    from qddot.control.laws.assumption import VERDICTS

    found, motion = run.report, run.trajectory
    return {
        "robot": run.robot.name,
        "law": found.law,
        "equation": run.law.equation,
        "gains": {key: _plain(value) for key, value in _gains(run.law).items()},
        "duration": float(motion.t[-1]),
        "finished": bool(motion.finished),
        "good": bool(motion.good),
        "status": motion.status,
        "error": {
            "names": list(found.error_names),
            "rms": _finite(found.rms),
            "worst": _finite(found.worst),
            "final": _finite(found.final),
        },
        "settling_time": found.settling_time,
        "torque": {
            "joints": list(found.joint_names),
            "rms": _finite(found.effort),
            "peak": _finite(found.peak),
            "margin": _finite(found.margin),
        },
        "lyapunov": _falling(run),
        "assumptions": [
            {"statement": each.statement, "holds": each.verdict, "why": each.why}
            for each in found.assumptions
        ],
        "sound": VERDICTS[found.sound],
        "reasons": list(found.reasons),
        "q": _finite(motion.q[-1]),
    }


def _falling(run: ClosedLoop) -> dict[str, float | None] | None:
    if run.V is None:
        return None
    start, end, most = _finite([run.V[0], run.V[-1], run.report.V_rise])
    return {"start": start, "end": end, "rise": most}


def _finite(values: Any) -> list[float | None]:
    """Return numbers as JSON can hold them: what is not finite is null."""
    return [float(x) if np.isfinite(x) else None for x in values]


def report(run: ClosedLoop) -> list[str]:
    """Return what a closed loop came to, for people: error, torque, V, assumptions, verdict."""
    found, motion = run.report, run.trajectory
    lines = [f"{found.law}: {run.law.equation}", ""]
    for key, value in _gains(run.law).items():
        lines.append(f"  {key} = {_short(value)}")
    width = max(5, *(len(printable(n)) for n in (*found.error_names, *found.joint_names)))
    lines += ["", f"{'error':<{width}}  {'RMS':>9}  {'worst':>9}  {'final':>9}"]
    for name, *values in zip(found.error_names, found.rms, found.worst, found.final, strict=True):
        lines.append(f"{printable(name):<{width}}  " + "  ".join(f"{x:>9.3g}" for x in values))
    lines += ["", f"{'torque':<{width}}  {'RMS':>9}  {'peak':>9}  {'margin':>9}"]
    for name, *values in zip(
        found.joint_names, found.effort, found.peak, found.margin, strict=True
    ):
        cells = [f"{x:>9.4g}" if np.isfinite(x) else f"{'no limit':>9}" for x in values]
        lines.append(f"{printable(name):<{width}}  " + "  ".join(cells))
    settled = found.settling_time
    lines += [
        "",
        "not settled" if settled is None else f"settled to 2 % after {settled:.4g} s",
        *_energy(run),
        "",
        "assumptions",
        *(line for each in found.assumptions for line in _judged(each)),
        "",
        *textwrap.wrap(f"sound: {printable(found.verdict)}", WIDTH, subsequent_indent="  "),
        motion.status,
    ]
    return lines


def _judged(assumption: Any) -> list[str]:
    words = f"{assumption.statement}: {printable(assumption.why)}"
    first = f"  {assumption.verdict:<4}  "
    return textwrap.wrap(words, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))


def _energy(run: ClosedLoop) -> list[str]:
    if run.V is None or run.report.V_rise is None:
        return ["no Lyapunov function"]
    how = "never rises" if run.report.falls else f"rises, by {run.report.V_rise:.1e} of its range"
    return [f"Lyapunov function {how}: from {run.V[0]:.4g} to {run.V[-1]:.4g}"]


def _gains(law: Any) -> dict[str, Any]:
    return {key: getattr(law, key) for key in law.gain_names}


def _plain(value: Any) -> Any:
    array = np.asarray(value, dtype=float)
    if array.ndim == 2 and np.array_equal(array, np.diag(np.diag(array))):
        array = np.diag(array)
    return array.tolist()


def _short(value: Any) -> str:
    array = np.asarray(_plain(value))
    if array.ndim == 2:
        return f"a matrix, {array.shape[0]} × {array.shape[1]}"
    if array.ndim == 1 and np.ptp(array) == 0:
        array = array[0]
    return ", ".join(f"{x:.4g}" for x in np.atleast_1d(array))
