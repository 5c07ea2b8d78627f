"""A log simulated: how far the arm that was found strays from it, beside the arm of the file.

Both are driven by the measured torques and held near the log by the same weak controller, see
`held_simulation`. At an error of 0.1 rad (or m) it gives as much as the joint's torque is on
average (RMS), and its damping is critical for the mean mᵢ of M's diagonal:

    kᵢ = RMS τᵢ / 0.1        dᵢ = 2 √(kᵢ mᵢ)

So an arm whose torques are wrong by 10 % strays by about 0.01 rad.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.identification.held_simulation import HeldArm, added_inertia, check_motion
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.identification.result import Fit

WEAK = 0.1  # [rad or m], at which the controller gives the RMS of a joint's torque
FIRM = 4.0  # how much quicker a joint is held whose torque does not count
FINEST = 64  # steps from row to row
FEW = 200  # rows by which steps are chosen
SMALL = 1e-6  # [rad/s], by which rates are changed


@dataclass(frozen=True, repr=False)
class Replay:
    """A log beside the motions of two arms: the one found, and the one of the robot's file."""

    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "rad" or "m"
    source: str
    t: np.ndarray  # (k,) [s]
    measured: np.ndarray  # (k, n) [rad or m]
    found: np.ndarray  # (k, n)
    before: np.ndarray  # (k, n)
    counts: np.ndarray  # (k, n), where torques count; elsewhere joints are held more firmly

    @property
    def strays(self) -> np.ndarray:
        """How far each joint of the arm found is from the log, RMS, shape (n,) [rad or m]."""
        return self._rms(self.found)

    @property
    def strays_before(self) -> np.ndarray:
        """The same of the robot's file."""
        return self._rms(self.before)

    def _rms(self, q: np.ndarray) -> np.ndarray:
        squares = np.where(self.counts, (q - self.measured) ** 2, 0)
        return np.sqrt(squares.sum(axis=0) / np.maximum(self.counts.sum(axis=0), 1))

    @property
    def verdict(self) -> str:
        """How far the arms stray, in words."""
        worst = int(np.argmax(np.nan_to_num(self.strays, nan=np.inf)))
        name, unit = printable(self.joint_names[worst]), self.units[worst]
        far, old = (
            f"{x[worst]:.2g} {unit}" if np.isfinite(x[worst]) else "more than can be told"
            for x in (self.strays, self.strays_before)
        )
        return (
            f"simulated over the log, the arm found strays by {far} (RMS, joint {name!r}), "
            f"that of the robot's file by {old}"
        )

    @fitted
    def __str__(self) -> str:
        return self.verdict

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return how far the arms stray, as plain data."""
        return {
            "run": self.source,
            "strays": dict(zip(self.joint_names, self.strays.tolist(), strict=True)),
            "strays_before": dict(zip(self.joint_names, self.strays_before.tolist(), strict=True)),
        }


def replay(fit: Fit, run: int = 0) -> Replay:
    """Return a run of the fit, simulated with the values that were found and with the file's.

    A load that the fit has found is carried by both arms.

    Raises:
        BadArgument: If there is no such run, or its rows are no motion that can be simulated.
    """
    problem, robot = fit.problem, fit.problem.regression.robot
    robot.model.need_single_numbers("Simulating a log")
    logs = fit.log.parts()
    if not 0 <= run < len(logs):
        raise BadArgument(f"run is {run!r}; the fit has {len(logs)}, so give 0 to {len(logs) - 1}.")
    log = logs[run]
    check_motion(log)
    if not log.tau.any():
        raise BadArgument("Every torque of the run is zero, so nothing moves a simulated arm.")
    names, both = problem.regression.names, [problem.all_parameters(fit.values), problem.prior]
    loads = [k for k, name in enumerate(names) if name.startswith("load at ")]
    both[1] = both[1].copy()
    both[1][loads] = both[0][loads]
    values = [fit.values, problem.B @ both[1]]
    M, damping = zip(*(_slopes(fit, log, problem.all_parameters(x)) for x in values), strict=True)
    size = np.sqrt(np.mean(log.tau**2, axis=0))
    quick = np.sqrt(np.mean(log.qdd**2, axis=0))
    J = np.max([added_inertia(each, size, quick) for each in M], axis=0)
    K = np.maximum(size, SMALL * size.max()) / WEAK
    D = 2 * np.sqrt(K * (np.abs(np.diagonal(M[0], axis1=1, axis2=2)).mean(axis=0) + J))
    quickest = [
        np.abs(np.linalg.eigvals(np.linalg.solve(m + np.diag(J), d + np.diag(FIRM * D)))).max()
        for m, d in zip(M, damping, strict=True)
    ]
    steps = int(np.clip(np.ceil(max(quickest) * log.step), 1, FINEST))
    arm = HeldArm(problem.regression, problem.base.columns.kept)
    given = arm.given_by(log, (K, D, J), FIRM, log.step / steps, steps * (len(log) - 1))
    found, before = (arm.states(given, x)[steps - 1 :: steps, : log.n] for x in values)
    units = tuple(joint.units.position for joint in robot.model.free_joints)
    rows = log[1:]
    return Replay(
        tuple(robot.joint_names), units, log.source, rows.t, rows.q, found, before, rows.used
    )


def _slopes(fit: Fit, log: Log, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return M and ∂τ/∂q̇ of parameters at some rows of a log, shape (k, n, n) each."""
    few = log[:: max(1, len(log) // FEW)]
    still = replace(few, qdd=np.zeros_like(few.q), Y=None)
    unit = np.eye(log.n)
    columns = fit.problem.regression.columns
    torque = columns(still) @ phi
    M = [columns(replace(still, qdd=still.qdd + e)) @ phi - torque for e in unit]
    way = np.where(few.qd < 0, -SMALL, SMALL)  # away from rest, so that no direction changes
    damping = [
        (columns(replace(still, qd=few.qd + way * e)) @ phi - torque) / way[:, [j]]
        for j, e in enumerate(unit)
    ]
    return np.stack(M, axis=-1), np.stack(damping, axis=-1)
