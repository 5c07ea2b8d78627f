"""Where frames are and how they and their points move, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import frame_name, one_of
from qddot.dynamics import kinematics
from qddot.equations.closed_form import closed_form
from qddot.equations.exact_state import acting, carried, enlarged_robot
from qddot.equations.factors import factorised
from qddot.equations.polynomial import partial
from qddot.equations.quotient import determinant, short_enough
from qddot.equations.torque_terms import TorqueTerms
from qddot.errors import BadArgument, listing
from qddot.model.arguments import scalars
from qddot.scalars import Scalar, Vec3
from qddot.scalars.expressions import expression

AXES = ("world", "local", "base")
ROWS = ("wx", "wy", "wz", "vx", "vy", "vz")  # of a Jacobian: angular first
ORIGIN = (0, 0, 0)


@dataclass(frozen=True, eq=False)
class KinematicTerms(TorqueTerms):
    """Poses, Jacobians, velocities and accelerations of named frames.

    Conventions are those of `Robot`: six-vectors have their angular part first, and axes are the
    world's unless another choice is made.
    """

    @closed_form("q", symbol="T")
    def pose(self, frame: str) -> np.ndarray:
        """Return the pose of a frame in the base as a homogeneous matrix, shape (4, 4)."""
        return kinematics.pose(self.robot.tree, self.robot.q, self._frame(frame)).matrix()

    @closed_form("q", symbol="J")
    def jacobian(self, frame: str, axes: str = "world") -> np.ndarray:
        """Return J with J q̇ = [ω; u], the velocity of a frame, shape (6, n).

        Args:
            frame: The name of a link or a frame.
            axes: "world": the velocity of the frame's origin, in world axes; "local": the same in
                the frame's own axes; "base": the spatial velocity, at the base's origin.
        """
        known: Any = one_of("axes", axes, AXES)
        return kinematics.jacobian(self.robot.tree, self.robot.q, self._frame(frame), known)

    @closed_form("q", "qd", symbol=r"\dot{J}")
    def jacobian_rate(self, frame: str, axes: str = "world") -> np.ndarray:
        """Return J̇, how fast `jacobian` changes at q̇, shape (6, n)."""
        known: Any = one_of("axes", axes, AXES)
        state = (self.robot.q, self.robot.qd)
        return kinematics.jacobian_rate(self.robot.tree, *state, self._frame(frame), known)

    # points

    @closed_form("q", symbol="p")
    def position(self, frame: str, point: Sequence[Any] = ORIGIN) -> Vec3:
        """Return where a point of a frame is, in the base, shape (3,).

        Args:
            frame: The name of the link or frame that carries the point.
            point: Where it is in that frame [m]: three numbers, or formulas such as "L2/2".
        """
        return self._motion(frame, point)[0]

    @closed_form("q", "qd", symbol="v")
    def velocity(self, frame: str, point: Sequence[Any] = ORIGIN) -> Vec3:
        """Return the velocity of a point of a frame, in world axes, shape (3,)."""
        return self._motion(frame, point)[1]

    @closed_form("q", "qd", symbol=r"\omega")
    def angular_velocity(self, frame: str) -> Vec3:
        """Return the angular velocity of a frame, in world axes, shape (3,)."""
        return self.jacobian(frame)[:3] @ self.robot.qd

    @closed_form("q", "qd", "qdd", symbol="a")
    def acceleration(self, frame: str, point: Sequence[Any] = ORIGIN) -> Vec3:
        """Return the acceleration of a point of a frame, in world axes, shape (3,)."""
        return self._motion(frame, point)[2]

    @closed_form("q", "qdd", symbol=r"a_{\ddot{q}}")
    def acceleration_from_qdd(self, frame: str, point: Sequence[Any] = ORIGIN) -> np.ndarray:
        """Return the parts of `acceleration` with q̈1, q̈2, ..., a column for each, shape (3, n)."""
        a, qdd = self.acceleration(frame, point), self.robot.qdd
        return self._columns(a, [(("a", i),) for i in range(self.n)], qdd)

    @closed_form("q", "qd", symbol=r"a_{\mathrm{centripetal}}")
    def acceleration_centripetal(self, frame: str, point: Sequence[Any] = ORIGIN) -> np.ndarray:
        """Return the parts of `acceleration` with q̇1², q̇2², ..., a column each, shape (3, n)."""
        a, qd = self.acceleration(frame, point), self.robot.qd
        return self._columns(a, [(("v", i), ("v", i)) for i in range(self.n)], qd * qd / 2)

    @closed_form("q", "qd", symbol=r"a_{\mathrm{Coriolis}}")
    def acceleration_coriolis(self, frame: str, point: Sequence[Any] = ORIGIN) -> np.ndarray:
        """Return the parts of `acceleration` with q̇1q̇2, q̇1q̇3, ..., a column for each pair."""
        a, qd = self.acceleration(frame, point), self.robot.qd
        i, j = np.triu_indices(self.n, 1)
        pairs = [(("v", k), ("v", m)) for k, m in zip(i.tolist(), j.tolist(), strict=True)]
        return self._columns(a, pairs, qd[i] * qd[j])

    @staticmethod
    def _columns(a: Vec3, slopes: list[Any], factors: np.ndarray) -> np.ndarray:
        """Return the slopes of a by certain velocities or accelerations, times these."""
        found = np.zeros((3, len(slopes)), dtype=object)
        for (row, x), (k, by) in (
            (entry, column) for entry in enumerate(a) for column in enumerate(slopes)
        ):
            value: Scalar = x
            for letter, index in by:
                value = partial(value, letter, index)
            found[row, k] = value * carried(factors[k], value.ring) if value else 0
        return found

    # forces and singularities

    @closed_form("q", "wrench", symbol="J^{T} f")
    def wrench_torque(self, frame: str) -> np.ndarray:
        """Return Jᵀ f, the torques of a wrench that acts on a frame, in its symbols, shape (n,).

        The wrench is what the environment applies to the robot, at the frame's origin in world
        axes: its moment (nx, ny, nz) and its force (fx, fy, fz).
        """
        wrench = acting(self.robot.ring, "wrench")
        return carried(self.jacobian(frame), wrench[0].ring).T @ wrench

    @closed_form("q")
    def singularities(self, frame: str, rows: Sequence[str] | None = None) -> np.ndarray:
        """Return the factors of det J: where one of them is zero, the arm is singular.

        The first is what does not depend on the position; the product of all is det J.

        Args:
            frame: The name of a link or a frame.
            rows: Which rows of the Jacobian make it square: "wx", "wy", "wz", "vx", "vy", "vz". If
                not given, those of the linear velocity that are not zero, or all that are not.

        Raises:
            TooLarge: If the determinant is too long to be read.
        """
        with short_enough("det J", self.robot.model.name):
            J = self._rows(frame, rows, square=True)[0]
            return np.array(factorised(determinant(J)), dtype=object)

    # inside

    def _frame(self, frame: str) -> str:
        return frame_name(self.robot.model, frame)

    def _motion(self, frame: str, point: Sequence[Any]) -> tuple[Vec3, Vec3, Vec3]:
        place = [expression(x) for x in scalars("point", point, 3)]
        robot = enlarged_robot(self.robot, place)
        state, name = (robot.q, robot.qd, robot.qdd), self._frame(frame)
        return kinematics.point_motion(robot.tree, *state, name, robot.ring.array(np.array(place)))

    def _rows(
        self, frame: str, rows: Sequence[str] | None, axes: str = "world", *, square: bool
    ) -> tuple[np.ndarray, list[int]]:
        """Return the rows of the Jacobian that a task is made of, and which they are."""
        J = np.asarray(self.jacobian(frame, axes))
        moving = [k for k in range(6) if any(J[k])]
        if rows is not None:
            chosen = [ROWS.index(one_of("rows", row, ROWS)) for row in _listed(rows)]
            wrong = len(chosen) != self.n if square else len(chosen) > self.n
            if wrong or len(set(chosen)) != len(chosen):
                most = f"{self.n}" if square else f"at most {self.n}"
                raise BadArgument(f"rows has {len(chosen)} entries; give {most} different ones.")
            return J[chosen], chosen
        linear = [k for k in moving if k >= 3]
        for found in (linear, moving):
            if len(found) == self.n:
                return J[found], found
        if not square and 0 < len(linear) < self.n:
            return J[linear], linear
        words = f"{self.n} of them" if square else f"at most {self.n} of them"
        raise BadArgument(
            f"The Jacobian of frame {frame!r} has {len(moving)} rows that are not zero, "
            f"{listing(ROWS[k] for k in moving)}, and {self.n} columns.\n"
            f"  Say which rows are meant, {words}: rows=({', '.join(map(repr, ROWS[3:5]))}, ...)."
        )


def _listed(rows: Any) -> list[str]:
    return rows.replace(",", " ").split() if isinstance(rows, str) else list(rows)
