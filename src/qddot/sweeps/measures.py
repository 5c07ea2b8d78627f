"""What is measured of motions: one number a run and a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.sweeps.cases import Case
from qddot.sweeps.motions import Motions
from qddot.sweeps.runs import Values

SLACK = 1e-9  # relative: on a limit is not beyond it


def measured(
    case: Case, motions: Motions, values: Values, constants: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the columns of some runs of one controller."""
    study = case.study
    kept, clock, joints = study.kept, study.clock, study.nominal.joint_names
    q, qd, tau = motions.q, motions.qd, motions.tau
    found: dict[str, Any] = {"finite": motions.finite}
    if motions.ended is not None and motions.audit is not None:
        found |= {"ended": motions.ended, "audit": motions.audit}
    given = {name: x[:, None] for name, x in case.inputs(values, constants).items()}
    given |= {"t": clock.t, "q": q, "qd": qd, "arm": constants[:, None]}
    with np.errstate(all="ignore"):  # what is not finite is told by a column of its own
        if "final" in kept.families:
            found |= {f"final.q.{name}": q[:, -1, i] for i, name in enumerate(joints)}
            found |= {f"final.qd.{name}": qd[:, -1, i] for i, name in enumerate(joints)}
        if {"energy", "error"} & set(kept.families):
            kinetic, potential, *error = case.looked_at(given)
            if "energy" in kept.families:
                found |= energies(kinetic, potential)
            if "error" in kept.families:
                found |= errors(clock.t, error[0] if error else None, len(q), kept.settled)
        if "torque" in kept.families:
            found |= torques(clock.t, np.zeros_like(q) if tau is None else tau, joints)
        if "limits" in kept.families:
            found["limits.kept"] = within_limits(case, motions)
    if kept.stride:
        for i, name in enumerate(joints):
            found[f"motion.q.{name}"] = q[:, :: kept.stride, i]
            found[f"motion.qd.{name}"] = qd[:, :: kept.stride, i]
    return found


def energies(kinetic: np.ndarray, potential: np.ndarray) -> dict[str, np.ndarray]:
    """Return the energies at the end, and how far their sum strayed from the start's."""
    total = kinetic + potential
    return {
        "energy.kinetic": kinetic[:, -1],
        "energy.potential": potential[:, -1],
        "energy.strayed": np.abs(total - total[:, :1]).max(axis=1),
    }


def errors(
    t: np.ndarray, error: np.ndarray | None, count: int, within: float | None
) -> dict[str, np.ndarray]:
    """Return RMS, worst and final ‖e‖, and when it had settled; NaN for runs without a law."""
    from qddot.control.report import SETTLED

    names = ("error.rms", "error.worst", "error.final", "error.settled")
    if error is None:
        return {name: np.full(count, np.nan) for name in names}
    size = np.sqrt(sum(error[..., i] ** 2 for i in range(error.shape[-1])))  # (runs, rows)
    worst = size.max(axis=1)
    rms = np.sqrt(np.trapezoid(size**2, t, axis=1) / (t[-1] - t[0]))
    bound = SETTLED * worst if within is None else np.full(count, within)
    outside = ~(size <= bound[:, None])  # NaN is outside
    # how many rows there are up to the last one that is outside
    last = np.where(outside.any(axis=1), len(t) - np.argmax(outside[:, ::-1], axis=1), 0)
    settled = np.where(last < len(t), t[np.minimum(last, len(t) - 1)], np.nan)
    return dict(zip(names, (rms, worst, size[:, -1], settled), strict=True))


def torques(t: np.ndarray, tau: np.ndarray, joints: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return the largest and the RMS torque of every joint."""
    peak = np.abs(tau).max(axis=1)
    rms = np.sqrt(np.trapezoid(tau**2, t, axis=1) / (t[-1] - t[0]))
    found = {f"torque.peak.{name}": peak[:, i] for i, name in enumerate(joints)}
    return found | {f"torque.rms.{name}": rms[:, i] for i, name in enumerate(joints)}


def within_limits(case: Case, motions: Motions) -> np.ndarray:
    """Return whether positions, rates and torques kept to the robot's limits."""
    limits = case.study.nominal.limits
    good = motions.finite
    for array, low, high in (
        (motions.q, limits.lower, limits.upper),
        (motions.qd, -limits.velocity, limits.velocity),
        (motions.tau, -limits.effort, limits.effort),
    ):
        if array is not None:
            slack = SLACK * np.where(np.isfinite(high - low), high - low, 0.0)
            good &= ((array >= low - slack) & (array <= high + slack)).all(axis=(1, 2))
    return good
