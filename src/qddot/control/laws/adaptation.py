"""Adaptation gains that suit a motion: every parameter that it shows is found equally fast.

Where estimates change slowly beside the error, K_D s ≈ Y φ̃, so they follow

    dφ̃/dt = −Γ Yᵀ K_D⁻¹ Y φ̃

and the Γ that gives all of them one rate ρ is ρ ⟨Yᵀ K_D⁻¹ Y⟩⁻¹, the mean taken along the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import number, positive
from qddot.control.laws.dry_friction import smooth_sign
from qddot.control.laws.estimates import Estimates, estimates
from qddot.control.laws.gains import gain
from qddot.control.laws.joint_law import joints_of
from qddot.motions.setpoint import joint_reference
from qddot.program.recorder import record
from qddot.robot import Robot

INSTANTS = 1000
FLOOR = 1e-3  # of what is shown best: what is shown less is adapted as if it were so much


def balanced(
    robot: Robot,
    reference: Any,
    kd: Any,
    *,
    rate: float,
    seconds: float,
    estimate: str = "base",
    floor: float = FLOOR,
) -> np.ndarray:
    """Return Γ for `AdaptiveSlotineLi`, made for one reference.

    Args:
        robot: The law's model.
        reference: What is to be tracked.
        kd: K_D of the law.
        rate: ρ, how fast estimates are to converge [1/s]; well below that of the tracking error.
        seconds: How long a stretch of the reference counts [s]; a period, if it has one.
        estimate: "base" or "all", as the law's.
        floor: The least share of the best-shown direction that a direction counts with. A smaller
            one finds more, and asks more of the arm.

    Returns:
        A symmetric positive matrix, shape (p, p).
    """
    names = joints_of(robot)
    known, K = estimates(robot.tree, estimate), gain("kd", kd, names)
    motion = joint_reference(reference, robot)
    rate, seconds = positive("rate", rate, "1/s"), positive("seconds", seconds, "s")
    floor = number("floor", floor, "a share above 0, at most 1", above=0, most=1)
    t = np.linspace(0, seconds, INSTANTS, endpoint=False)
    Y = Kernel(record(lambda t: _regressor(known, motion.at(t)), "Y", t=()))(t)
    shown = np.einsum("tip,ij,tjq->pq", Y, np.linalg.inv(K), Y) / INSTANTS
    # parameters differ in size; what is small is measured in units of the model's own values
    size = np.abs(known.values) + 0.01 * np.abs(known.values).max()
    values, axes = np.linalg.eigh(shown * np.outer(size, size))
    values = np.maximum(values, floor * values[-1])
    inverse = (axes / values) @ axes.T
    Gamma = rate * inverse * np.outer(size, size)
    return (Gamma + Gamma.T) / 2


def _regressor(known: Estimates, motion: tuple) -> Any:
    """Return Y at a point of the reference, shape (n, p)."""
    q, qd, qdd = (np.asarray(part, dtype=object) for part in motion)
    moving = known.movements(q, qd, qd, qdd)
    units = np.eye(len(qd), dtype=int)
    return np.stack([known.powers(moving, e, qd, qd, qdd, smooth_sign) for e in units])
