"""Quantities of a frame: pose, Jacobian, motion of a point, effective mass.

The effective mass comes from J and M, without squaring a condition number. With M = L Lᵀ and the
singular values U Σ Vᵀ = W of the mass-weighted Jacobian:

    W = J L⁻ᵀ        J M⁻¹ Jᵀ = W Wᵀ        (J M⁻¹ Jᵀ)⁻¹ = U Σ⁻² Uᵀ

1/σ² are the principal masses. They come from W, as the condition of W Wᵀ is the square of that of
W. A σ that the rounding of J alone can make is taken as zero: the frame cannot move that way, and
the mass is infinite. The rounding of M changes every σ by a factor near 1, so it blocks nothing.
Where all σ are clearly above that, which is nearly everywhere, the matrix comes from one compiled
program without singular values (`dynamics.effective_mass`), and that says where they are not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import frame_name, one_of
from qddot.dynamics.kinematics import AXES
from qddot.dynamics.manipulability import ROWS
from qddot.errors import BadArgument
from qddot.robot.kernels import Kernels, compiled
from qddot.robot.quantities import ROUNDING, Request

if TYPE_CHECKING:
    from qddot.kinematics.nearest_solutions import NearestSolutions

EPS = np.finfo(float).eps
AT_ORIGIN = (0, 0, 0)  # of a frame
TOLERANCE = 1e-9  # [rad] and [m], of a pose


def weighted(J: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W = J L⁻ᵀ, shape (..., k, n), and up to which size a singular value is only rounding.

    Both are NaN where M is not positive definite, or not finite.
    """
    k, n = J.shape[-2:]
    both = np.concatenate([J, np.broadcast_to(np.eye(n), M.shape)], axis=-2)
    solved = np.linalg.solve(factor(M), both.swapaxes(-1, -2)).swapaxes(-1, -2)
    return solved[..., :k, :], ROUNDING * _size(J) * _size(solved[..., k:, :])


def factor(M: np.ndarray) -> np.ndarray:
    """Return L with M = L Lᵀ, shape (..., n, n); NaN where M is singular to rounding."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        if M.ndim == 2:
            return np.full(M.shape, np.nan)
        return np.stack([factor(one) for one in M])
    pivots = np.diagonal(L, axis1=-2, axis2=-1) ** 2
    least = 4 * M.shape[-1] * EPS * np.diagonal(M, axis1=-2, axis2=-1)
    singular = (pivots <= least).any(axis=-1)
    return np.where(singular[..., None, None], np.nan, L)


def principal_masses(J: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal masses, ascending, shape (..., k), and their axes, one per column.

    Infinite along axes that the frame cannot move; NaN where M is singular.
    """
    return masses_along_axes(*weighted(J, M))


def masses_along_axes(W: np.ndarray, rounding: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal masses and their axes from W and what its singular values are worth."""
    known = np.asarray(np.isfinite(W).all(axis=(-2, -1)))
    if not known.all():
        W = np.where(known[..., None, None], W, 0)
    U, sigma, _ = np.linalg.svd(W, full_matrices=W.shape[-2] > W.shape[-1])
    masses = masses_of(sigma, rounding, W.shape[-2])
    if known.all():
        return masses, U
    return np.where(known[..., None], masses, np.nan), np.where(known[..., None, None], U, np.nan)


def masses_of(sigma: np.ndarray, rounding: np.ndarray, count: int) -> np.ndarray:
    """Return `count` masses 1/σ², infinite where σ is only rounding or there are too few joints."""
    blocked = ~(sigma > np.asarray(rounding)[..., None])
    if sigma.shape[-1] == count and not blocked.any():
        return 1 / sigma**2
    found = np.where(blocked, np.inf, 1 / np.where(blocked, 1, sigma) ** 2)
    missing = np.full((*found.shape[:-1], count - found.shape[-1]), np.inf)
    return np.concatenate([found, missing], axis=-1)


def matrix_of(masses: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return Σ mᵢ uᵢ uᵢᵀ over the finite masses, shape (..., k, k); NaN stays NaN."""
    finite = np.where(np.isinf(masses), 0, masses)
    return (axes * finite[..., None, :]) @ axes.swapaxes(-1, -2)


def _size(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x * x).sum(axis=(-2, -1)))


class FrameQuantities(Kernels):
    """What a robot says of its frames."""

    @compiled
    def pose(self, q: Any, frame: str, *, out: Any = None) -> np.ndarray:
        """Return the pose of a frame in the base as a homogeneous matrix, shape (..., 4, 4)."""
        return self._kernel("pose", frame_name(self, frame)).asked(q, out=out)

    def inverse_kinematics(
        self,
        X: Any,
        frame: str,
        *,
        near: Any = None,
        match: str = "pose",
        weights: Any = None,
        joint_weights: Any = None,
        tolerance: Any = TOLERANCE,
        limits: bool = True,
        starts: int | None = None,
    ) -> NearestSolutions:
        """Return joint positions within limits that put a frame at a pose, nearest to others.

        What is found is a solution to the tolerance, or `found` is false and `q` is the closest
        that there is. It is the nearest solution around it, in Σ w (q − near)², angles by whole
        turns as near as the limits let them be. That no other one is nearer is certain, singular
        positions apart, where the arm has a closed form; else the more likely the more `starts`.

        Args:
            X: Poses of the frame in the base, homogeneous matrices (..., 4, 4); for a position also
                (..., 3) [m].
            frame: The name of a link or a frame.
            near: Joint positions [rad or m], (..., n); `home` if not given. One beyond its limits,
                as arms report them, counts as at its limit.
            match: What of the pose counts: "pose", "position", "rotation", or "x", "y", "z": the
                position and the direction of this axis of the frame, any turn about it.
            weights: Six numbers, what an error about and along the axes of the base counts where a
                pose is out of reach; where one is 0, that error is free.
            joint_weights: One w per joint, in the unit of each; 1 if not given.
            tolerance: What may be missing [rad] and [m], one number or two.
            limits: Whether joints keep to their limits.
            starts: From how many places a search starts at least, unless one from `near` ends
                close to it; where nothing is found there are more; 0: from `near` alone. If not
                given, 64, and 3 where the arm has more joints than it needs.

        Returns:
            `q` (..., n), `found` (...), and `error` (..., 2): what is missing [rad] and [m].
        """
        from qddot.robot.nearest import nearest  # robots are quick to begin with

        arguments = near, match, weights, joint_weights, tolerance, limits, starts
        return nearest(self._in_double._shape_alone, X, frame, *arguments)

    def drag(
        self,
        X: Any,
        frame: str,
        q: Any,
        *,
        match: str = "pose",
        weights: Any = None,
        most: float | None = None,
    ) -> NearestSolutions:
        """Return the joint positions to which a frame is dragged, from q towards a pose.

        It is for a hand that moves a frame many times a second: searches begin at q and end at the
        solution around it, within limits; out of reach at the closest position, with how much is
        missing (`error`) and what hinders (`hindrance`). The same call gives the same answer.

        Args:
            X: The pose of the frame in the base, (4, 4); for a position also (3,) [m].
            frame: The name of a link or a frame.
            q: Joint positions now [rad or m], (n,); one beyond its limits counts as at its limit.
            match, weights: As in `inverse_kinematics`.
            most: How far a joint may go in this call [rad or m], such as its rate times the time
                between calls; if one would go farther, all stop on the line to where they would go.
        """
        from qddot.robot.nearest import dragged

        return dragged(self._in_double._shape_alone, X, frame, q, match, weights, most)

    @compiled
    def jacobian(self, q: Any, frame: str, axes: str = "world", *, out: Any = None) -> np.ndarray:
        """Return J with J q̇ = [ω; u], the velocity of a frame, shape (..., 6, n).

        Args:
            q: Joint positions [rad or m], shape (..., n).
            frame: The name of a link or a frame.
            axes: "world": the velocity of the frame's origin, in world axes; "local": the same in
                the frame's own axes; "base": the spatial velocity, at the base's origin.
            out: Where to put the result.
        """
        kernel = self._kernel("jacobian", frame_name(self, frame), one_of("axes", axes, AXES))
        return kernel.asked(q, out=out)

    @compiled
    def jacobian_rate(
        self, q: Any, qd: Any, frame: str, axes: str = "world", *, out: Any = None
    ) -> np.ndarray:
        """Return J̇, how fast `jacobian` changes at qd, shape (..., 6, n)."""
        kernel = self._kernel("jacobian_rate", frame_name(self, frame), one_of("axes", axes, AXES))
        return kernel.asked(q, qd, out=out)

    @compiled
    def point_motion(
        self, q: Any, qd: Any, qdd: Any, frame: str, point: Any = AT_ORIGIN, *, out: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, velocity and acceleration of a point fixed to a frame, in world axes.

        Args:
            q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (..., n).
            frame: The name of the link or frame that carries the point.
            point: Where it is in that frame [m], shape (..., 3).
            out: Where to put the results, three arrays.

        Returns:
            Three arrays of shape (..., 3), in m, m/s and m/s².
        """
        frame = frame_name(self, frame)
        if point is AT_ORIGIN:
            kernel = self._kernel("point_motion", frame, at_origin=True)
            return kernel.asked(q, qd, qdd, out=out)
        if np.shape(point)[-1:] != (3,):
            raise BadArgument(f"point has shape {np.shape(point)}; it must have shape (..., 3).")
        return self._kernel("point_motion", frame).asked(q, qd, qdd, point, out=out)

    @compiled
    def effective_mass(self, q: Any, frame: str, axes: str = "all") -> np.ndarray:
        """Return the mass that a frame seems to have, (J M⁻¹ Jᵀ)⁻¹.

        Args:
            q: Joint positions [rad or m], shape (..., n).
            frame: The name of a link or a frame.
            axes: "all" for the 6×6 matrix on [moment; force], "linear" for the 3×3 one on forces.

        Returns:
            Shape (..., 6, 6) or (..., 3, 3), in world axes. In directions in which the frame
            cannot move at all, where the mass is infinite, the matrix is zero; `principal_masses`
            has inf there. NaN where the robot's own mass matrix is singular.
        """
        frame, axes = frame_name(self, frame), one_of("axes", axes, ("all", "linear"))
        kernel = self._in_double._kernel("effective_mass", frame, axes)
        if self.dtype == "float64":
            return kernel.asked(q)
        return kernel.general(q).astype(self.dtype)

    @compiled
    def principal_masses(self, q: Any, frame: str, axes: str = "all") -> tuple[Any, Any]:
        """Return the masses of a frame along its principal axes, ascending, and these axes.

        m = 1/σ² with the singular values σ of J M^(−1/2), in double precision always; inf where the
        frame cannot move, that is where σ is not larger than what rounding makes of 0. Arguments as
        in `effective_mass`; shapes (..., 6) and (..., 6, 6), or (..., 3) and (..., 3, 3), unit
        vectors in world axes, one a column.
        """
        frame, axes = frame_name(self, frame), one_of("axes", axes, ("all", "linear"))
        return self._in_double._kernel("principal_masses", frame, axes).asked(q)

    @compiled
    def manipulability(
        self, q: Any, frame: str, axes: str = "linear", *, out: Any = None
    ) -> np.ndarray:
        """Return Yoshikawa's manipulability w = √det(J Jᵀ) of a frame, shape (...); 0 if singular.

        It is the product of the singular values of J. Directions in which the frame never moves are
        left out; where the joints are fewer than the rest, it is √det(Jᵀ J).

        Args:
            q: Joint positions [rad or m], shape (..., n).
            frame: The name of a link or a frame.
            axes: "linear": of the velocity of the frame's origin; "angular": of its turning; "all":
                of both together, a number that changes with the unit of length.
            out: Where to put the result.
        """
        kernel = self._kernel("manipulability", frame_name(self, frame), one_of("axes", axes, ROWS))
        return kernel.asked(q, out=out)

    @property
    def _in_double(self) -> Any:
        if self.dtype == "float64":
            return self
        return self.cached("in double", None, lambda: self.with_options(dtype="float64"))

    def _otherwise(self, request: Request) -> Callable[..., Any] | None:
        how = {"effective_mass": self._mass_of_axes, "principal_masses": self._singular_values}
        if request.quantity not in how:
            return None
        return partial(how[request.quantity], frame=request.frame, axes=request.axes)

    def _mass_of_axes(self, q: np.ndarray, frame: str, axes: str) -> np.ndarray:
        """Return the effective mass where the frame cannot move in some directions, or hardly."""
        return matrix_of(*self._singular_values(q, frame, axes))

    def _singular_values(
        self, q: np.ndarray, frame: str, axes: str
    ) -> tuple[np.ndarray, np.ndarray]:
        J, M = self._kernel("jacobian", frame).general(q), self._kernel("mass_matrix").general(q)
        return principal_masses(J if axes == "all" else J[..., 3:, :], M)
