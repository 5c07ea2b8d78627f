"""The joint position nearest to a singularity, as far as samples find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.certificate.bound import box_of
from qddot.certificate.ellipsoid import MassEllipsoid, mass_ellipsoid, vector_text
from qddot.certificate.mobility import Reach, jacobian_rows, reach, weighted
from qddot.checks import whole
from qddot.errors import BadArgument, printable
from qddot.looks import in_notebook
from qddot.plain_text import fitted
from qddot.robot import Robot

ROUNDS, SHRINK = 12, 0.3  # of looking again around the worst, closer each time
STARTS = 8  # how many of the worst are looked at again


@dataclass(frozen=True, eq=False, repr=False)
class NearSingular:
    """The worst joint position found. Others may be worse: it is sampled, not certified."""

    found: MassEllipsoid
    samples: int  # how many joint positions were looked at

    @property
    def q(self) -> np.ndarray:
        """The joint position [rad or m], shape (n,)."""
        return self.found.q

    @property
    def condition(self) -> float:
        """The largest principal mass there in parts of the smallest."""
        return self.found.condition

    @property
    def clearance(self) -> float:
        """The smallest singular value of J M^(−1/2) there."""
        return self.found.clearance

    @fitted
    def __str__(self) -> str:
        frame, robot = printable(self.found.frame), printable(self.found.robot.name)
        head = f"Of {self.samples} joint positions of {robot!r}, {frame!r} is hardest to move at "
        if self.found.singular:
            return f"{head}q = {vector_text(self.q)},\n  which is singular. Found by sampling."
        return (
            f"{head}q = {vector_text(self.q)}:\n  condition {self.condition:.4g}, clearance from "
            f"singularity {self.clearance:.4g}. Sampled, not certified: others may be worse."
        )

    __repr__ = __str__
    _repr_html_ = in_notebook("certificates.near_singular_html")


def near_singular(
    robot: Robot,
    frame: str,
    box: Any = None,
    samples: int = 10_000,
    *,
    axes: str = "linear",
    seed: int = 0,
) -> NearSingular:
    """Return the joint position with the worst condition that samples find.

    Half of the samples are spread over the box, the others are ever closer to the worst of them.

    Args:
        robot: The robot.
        frame: The name of a link or a frame.
        box: By joint name, a range [rad or m] that stands in for its limits.
        samples: How many joint positions to look at.
        axes: "linear" or "all", as in `mass_ellipsoid`.
        seed: Where the random numbers start.
    """
    samples = whole("samples", samples, 1)
    robot = robot.with_options(dtype="float64") if robot.dtype != "float64" else robot
    low, high = box_of(robot, box).edges
    known = reach(robot, frame, axes)
    if not known.rank:
        raise BadArgument(
            f"No joint of {printable(robot.name)!r} moves {printable(frame)!r}, so that it has no "
            "singular positions.\n  Name a frame farther out."
        )
    rng = np.random.default_rng(seed)
    around = samples // 2 // ROUNDS
    spread = rng.uniform(low, high, size=(samples - ROUNDS * around, robot.n))
    best = _worst(robot, frame, axes, known, spread)
    for k in range(ROUNDS if around else 0):
        starts = best[np.arange(around) % len(best)]
        steps = (high - low) * SHRINK ** (k + 1) * rng.uniform(-1, 1, size=starts.shape)
        near = np.clip(starts + steps, low, high)
        best = _worst(robot, frame, axes, known, np.concatenate([best, near]))
    return NearSingular(mass_ellipsoid(robot, best[0], frame, axes), int(samples))


def _worst(robot: Robot, frame: str, axes: str, known: Reach, q: np.ndarray) -> np.ndarray:
    """Return the few of many q with the worst condition, the worst first."""
    J: Any = known.movable.T @ jacobian_rows(robot, q, frame, axes)
    sigma = np.linalg.svd(weighted(robot, q, J)[0], compute_uv=False)
    ratio = sigma[:, known.rank - 1] / sigma[:, 0]
    return q[np.argsort(ratio, kind="stable")[:STARTS]]
