"""What a frame can do at a position, as ellipsoids: velocities, forces and accelerations.

The joints' rates or torques are taken from a ball, each in parts of its largest. With V and T the
largest rates and torques on a diagonal, all vectors that such rates or torques reach, or balance:

    velocities       u = J q̇                 ‖V⁻¹ q̇‖ ≤ 1        half axes σ(J V)
    forces           τ = Jᵀ f                 ‖T⁻¹ τ‖ ≤ 1        half axes 1/σ(J T⁻¹)
    accelerations    a = J M⁻¹ (τ − g)        ‖T⁻¹ τ‖ ≤ 1        half axes σ(J M⁻¹ T)

σ are singular values; the axes are the left singular vectors. The first two are Yoshikawa's
manipulability ellipsoids (*Foundations of Robotics*, 1990, section 4.2), the third his dynamic one
(section 4.6), about the acceleration of free fall from rest (Chiacchio, *Robotica* 18, 2000).
Asada's inertia ellipsoid is `certificate.mass_ellipsoid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.mobility import (
    direction_text,
    directions,
    jacobian_rows,
    readable,
    vector_text,
    weighted,
)
from qddot.checks import frame_name, joint_rows, one_of, spread
from qddot.errors import BadArgument, listing, printable
from qddot.plain_text import fitted
from qddot.results import in_notebook, look
from qddot.robot import Robot
from qddot.robot.quantities import ROUNDING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = ("linear", "angular")
UNITS = {"velocity": ("m/s", "rad/s"), "force": ("N", "N·m"), "acceleration": ("m/s²", "rad/s²")}
WORDS = {"velocity": "Velocities", "force": "Forces", "acceleration": "Accelerations"}


@dataclass(frozen=True, eq=False, repr=False)
class FrameEllipsoid:
    """The velocities, forces or accelerations of a frame that its joints can give it, at some q."""

    robot: Robot
    q: np.ndarray  # (n,), or (k, n)
    frame: str
    quantity: str  # "velocity", "force" or "acceleration"
    axes: str  # "linear": of the frame's origin; "angular": turning, moments
    largest: np.ndarray  # (n,), the rates [rad/s or m/s] or torques [N·m or N] at the ball's rim
    half_axes: np.ndarray  # (..., 3), descending; a force may be infinite
    directions: np.ndarray  # (..., 3, 3), unit vectors in world axes, one per column
    centre: np.ndarray  # (..., 3), world axes
    rank: int  # in how many directions the frame moves at a time, at almost every q

    @property
    def unit(self) -> str:
        """The unit of the half axes."""
        return UNITS[self.quantity][PARTS.index(self.axes)]

    @property
    def usual(self) -> np.ndarray:
        """The half axes along which the frame moves at almost every q, shape (..., rank)."""
        first = 3 - self.rank if self.quantity == "force" else 0
        return self.half_axes[..., first : first + self.rank]

    @property
    def condition(self) -> np.ndarray:
        """The longest of `usual` half axes in parts of the shortest, shape (...); 1 is a ball.

        Infinite where q is singular.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.usual[..., 0] / self.usual[..., -1]
        return np.where(np.isnan(ratio), np.inf, ratio)

    @property
    def volume(self) -> np.ndarray:
        """The product of the `usual` half axes, shape (...).

        With unit rates that is the manipulability w; the ellipsoid's own volume is 4π/3 of it, an
        ellipse has π of it.
        """
        return np.prod(self.usual, axis=-1)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return the figure of it at the arm; saved to a .png, .svg or .pdf path."""
        return look("figures.workspace.plot_ellipsoids")(self, path=path)

    @fitted
    def __str__(self) -> str:
        frame, robot = printable(self.frame), printable(self.robot.name)
        head = f"{WORDS[self.quantity]} of {frame!r} of {robot!r}"
        if self.q.ndim > 1:
            worst, best = float(np.max(self.condition)), float(np.min(self.condition))
            return f"{head} at {len(self.q)} positions: condition from {best:.4g} to {worst:.4g}"
        lines = [f"{head} at q = {vector_text(self.q)}, half axes:"]
        for length, direction in zip(self.half_axes, self.directions.T, strict=True):
            size = f"{length:.4g}".replace("inf", "∞")
            lines.append(f"  {size} {self.unit} along {direction_text(readable(direction))}")
        if self.centre.any():
            lines.append(f"  about {vector_text(self.centre)} {self.unit}")
        condition = float(self.condition)
        near = f"condition {condition:.4g}" if np.isfinite(condition) else "q is singular"
        return "\n".join([*lines, f"  {near}"])

    __repr__ = __str__
    _repr_html_ = in_notebook("kinematics.ellipsoid_html")


def velocity_ellipsoid(
    robot: Robot, q: Any, frame: str, axes: str = "linear", largest: Any = 1.0
) -> FrameEllipsoid:
    """Return the velocities that a frame has when the joints' rates are in a ball.

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,) or (k, n).
        frame: The name of a link or a frame.
        axes: "linear": the velocity of the frame's origin [m/s]; "angular": of turning [rad/s].
        largest: The rates at the rim of the ball [rad/s or m/s]: one for all joints, one for each,
            or "limits" for those of the robot.
    """
    return _ellipsoid(robot, q, frame, "velocity", axes, largest)


def force_ellipsoid(
    robot: Robot, q: Any, frame: str, axes: str = "linear", largest: Any = 1.0
) -> FrameEllipsoid:
    """Return the forces at a frame that joint torques from a ball balance, without gravity.

    Along a direction in which the frame cannot move, any force is borne by the links: infinite.

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,) or (k, n).
        frame: The name of a link or a frame.
        axes: "linear": forces at the frame's origin [N]; "angular": moments [N·m].
        largest: The torques at the rim of the ball [N·m or N], as in `velocity_ellipsoid`.
    """
    return _ellipsoid(robot, q, frame, "force", axes, largest)


def acceleration_ellipsoid(
    robot: Robot, q: Any, frame: str, axes: str = "linear", largest: Any = "limits"
) -> FrameEllipsoid:
    """Return the accelerations that joint torques from a ball give a frame, from rest.

    Its `centre` is the acceleration without torques: that of falling.

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,) or (k, n).
        frame: The name of a link or a frame.
        axes: "linear": of the frame's origin [m/s²]; "angular": of turning [rad/s²].
        largest: The torques at the rim of the ball [N·m or N], as in `velocity_ellipsoid`; those
            of the robot if not given.
    """
    return _ellipsoid(robot, q, frame, "acceleration", axes, largest)


def carried(
    robot: Robot, q: np.ndarray, frame: str, quantity: str, axes: str, largest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix that carries the unit ball to the frame, (..., 3, n), and the centre.

    Of forces, it is the matrix whose inverse singular values are the half axes.
    """
    J = jacobian_rows(robot, q, frame, axes)
    if quantity != "acceleration":
        W = J * largest if quantity == "velocity" else J / largest
        return W, np.zeros(W.shape[:-1])
    N, _ = weighted(robot, q, np.broadcast_to(np.eye(robot.n), (*q.shape[:-1], *[robot.n] * 2)))
    moved = J @ N @ N.swapaxes(-1, -2)  # J M⁻¹
    bias = robot.bias_torque(q, np.zeros(robot.n))
    return moved * largest, -(moved @ bias[..., None])[..., 0]


def half_axes_of(W: np.ndarray, quantity: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the half axes, descending, (..., k), and their directions, one per column."""
    square = np.zeros((*W.shape[:-1], max(0, W.shape[-2] - W.shape[-1])))
    U, sigma, _ = np.linalg.svd(np.concatenate([W, square], axis=-1), full_matrices=False)
    sigma = np.where(sigma > ROUNDING * sigma[..., :1], sigma, 0.0)
    if quantity != "force":
        return sigma, U
    with np.errstate(divide="ignore"):
        return 1 / sigma[..., ::-1], U[..., ::-1]


def largest_of(robot: Robot, quantity: str, given: Any) -> np.ndarray:
    """Return the rates or torques at the rim of the ball, checked, shape (n,)."""
    if not isinstance(given, str):
        return spread("largest", given, robot.joint_names, "a positive number", above=0)
    one_of("largest", given, ("limits",))
    what, kind = ("velocity", "rate") if quantity == "velocity" else ("effort", "torque")
    known = np.asarray(getattr(robot.limits, what), dtype=float)
    missing = [n for n, x in zip(robot.joint_names, known, strict=True) if not 0 < x < np.inf]
    if missing:
        raise BadArgument(
            f"Robot {printable(robot.name)!r} says no largest {kind} of {listing(missing)}.\n"
            f"  Give one for all joints or one for each: largest=[...]."
        )
    return known


def _ellipsoid(
    robot: Robot, q: Any, frame: str, quantity: str, axes: str, largest: Any
) -> FrameEllipsoid:
    one_of("axes", axes, PARTS)
    frame_name(robot, frame)
    robot = robot.with_options(dtype="float64") if robot.dtype != "float64" else robot
    q = joint_rows(robot, "q", q)
    rim = largest_of(robot, quantity, largest)
    W, centre = carried(robot, q, frame, quantity, axes, rim)
    lengths, along = half_axes_of(W, quantity)
    rank = directions(robot, frame, axes)[1]
    if not rank:
        raise BadArgument(
            f"No joint of {printable(robot.name)!r} moves {printable(frame)!r} that way, so that "
            "there is no ellipsoid.\n  Name a frame farther out, or other axes."
        )
    return FrameEllipsoid(robot, q, frame, quantity, axes, rim, lengths, along, centre, rank)
