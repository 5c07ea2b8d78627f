"""The singular position nearest to a joint position, by descent from many starts.

J of rank r at almost every q is singular where its r-th singular value is 0, that is where the
block of J between the last left and right singular vectors, U₂ from the r-th on and V₂, is 0:

    F = U₂ᵀ J(q) V₂ = 0        ∂F/∂qᵢ = U₂ᵀ (∂J/∂qᵢ) V₂

F has as many entries as a singular position takes conditions: one if J is square, more if the arm
is redundant. Each step goes from q₀ to the nearest point at which F, to first order about the last
point q, is zero (Gauss and Newton's method for the least ‖q − q₀‖):

    q ← q₀ + A⁺ (A (q − q₀) − F)        A = ∂F/∂q
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.certificate.bound import rounded_up
from qddot.certificate.mobility import STILL, direction_text, readable, vector_text
from qddot.checks import frame_name, joint_vector, one_of, whole
from qddot.dynamics.manipulability import ROWS
from qddot.errors import BadArgument, printable
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.robot import Robot

GENERIC = 24  # random q at which the usual rank is found
STEPS = 60
NEAR, FAR = 0.05, 2.0  # [rad or m], how far from q the starts are
SINGULAR = 1e-10  # a smallest singular value, in parts of the usual one, that counts as zero
SAME = 1e-6  # in parts of the distance: found by another start


@dataclass(frozen=True, eq=False, repr=False)
class NearestSingularity:
    """The nearest singular position that was found. Local: a nearer one may exist."""

    robot: Robot
    frame: str
    axes: str
    start: np.ndarray  # (n,), from where
    q: np.ndarray  # (n,), the singular position
    clearance: float  # the smallest singular value at the start; linear rows in parts of `length`
    length: float  # [m], by which linear rows are divided: the largest entry of them
    borne: np.ndarray  # (3,) or (6,), [moment; force]: the links alone bear it at `q`
    agreed: int  # how many starts led here
    starts: int  # how many there were

    @property
    def distance(self) -> float:
        """How far the joints have to move: ‖q − start‖ [rad, with sliding joints rad and m]."""
        return float(np.linalg.norm(self.q - self.start))

    @property
    def moves(self) -> np.ndarray:
        """By how much each joint moves on the way, shape (n,) [rad or m]."""
        return self.q - self.start

    @property
    def _cannot(self) -> str:
        kinds = {"linear": "cannot move along", "angular": "cannot turn about"}
        return kinds.get(self.axes, "cannot move against [moment; force]")

    @fitted
    def __str__(self) -> str:
        frame, robot = printable(self.frame), printable(self.robot.name)
        moved = [
            f"{printable(name)} by {move:.4g}".replace("-", "−")
            for name, move in zip(self.robot.joint_names, self.moves, strict=True)
            if abs(move) > SAME * max(self.distance, SAME)
        ]
        return (
            f"{frame!r} of {robot!r} is {rounded_up(self.distance, 4)} from a singular position:\n"
            f"  q = {vector_text(self.q)}\n"
            f"  {', '.join(moved) or 'no joint has to move'}\n"
            f"  there it {self._cannot} {direction_text(readable(self.borne))}\n"
            f"  {self.agreed} of {self.starts} starts led here. Local: a nearer one may exist."
        )

    __repr__ = __str__
    _repr_html_ = in_notebook("kinematics.nearest_singularity_html")


def nearest_singularity(
    robot: Robot, q: Any, frame: str, axes: str = "all", *, starts: int = 256, seed: int = 0
) -> NearestSingularity:
    """Return the singular position of a frame that is nearest to q, as far as descent finds it.

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: The name of a link or a frame.
        axes: Singular for "linear" velocities, "angular" ones, or "all" of them together.
        starts: From how many positions the search begins: q itself, the others around it.
        seed: Where the random numbers start.

    Raises:
        BadArgument: If none was found within the joints' limits.
    """
    frame_name(robot, frame)
    rows = ROWS[one_of("axes", axes, ROWS)]
    starts, seed = whole("starts", starts, 1), whole("seed", seed)
    robot = robot.with_options(dtype="float64") if robot.dtype != "float64" else robot
    q0 = joint_vector(robot, "q", q)
    low, high = np.minimum(robot.limits.lower, q0), np.maximum(robot.limits.upper, q0)
    rng = np.random.default_rng(seed)
    some = robot.jacobian(rng.uniform(-np.pi, np.pi, (GENERIC, robot.n)), frame)
    length = float(np.abs(some[:, 3:]).max()) or 1.0
    scale = np.array([[1.0]] * 3 + [[1 / length]] * 3)[rows]

    def scaled(J: np.ndarray) -> np.ndarray:
        return scale * J[..., rows, :]

    usual = np.linalg.svd(scaled(some), compute_uv=False)
    rank = int((usual > STILL * usual[:, :1]).sum(axis=-1).max())
    if not rank:
        raise BadArgument(
            f"No joint of {printable(robot.name)!r} moves {printable(frame)!r} that way, so that "
            "it has no singular positions.\n  Name a frame farther out, or other axes."
        )
    zero = SINGULAR * float(np.median(usual[:, rank - 1]))

    def blocks(at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return U₂, V₂, F as a vector, and the r-th singular value, of every start."""
        U, sigma, Vt = np.linalg.svd(scaled(robot.jacobian(at, frame)))
        F = np.zeros((len(at), U.shape[-1] - rank + 1, Vt.shape[-1] - rank + 1))
        F[:, 0, 0] = sigma[:, rank - 1]
        return U[..., rank - 1 :], Vt[..., rank - 1 :, :], F.reshape(len(at), -1), F[:, 0, 0]

    far = NEAR * (FAR / NEAR) ** rng.uniform(size=(starts, 1))
    around = rng.normal(size=(starts, robot.n))
    at = np.clip(q0 + far * around / np.linalg.norm(around, axis=1, keepdims=True), low, high)
    at[0] = q0
    clearance = float(blocks(q0[None])[3][0])
    for _ in range(STEPS):
        U, Vt, F, _ = blocks(at)
        slopes = scaled(robot.jacobian_rate(at[:, None], np.eye(robot.n), frame))
        A = np.einsum("mka,mikl,mbl->mabi", U, slopes, Vt).reshape(*F.shape, robot.n)
        wanted = (A @ (at - q0)[..., None])[..., 0] - F
        at = np.clip(q0 + (np.linalg.pinv(A, STILL) @ wanted[..., None])[..., 0], low, high)
    U, _, _, sigma = blocks(at)
    far = np.where(sigma <= zero, np.linalg.norm(at - q0, axis=1), np.inf)
    best = int(far.argmin())
    if not np.isfinite(far[best]):
        least = float(sigma.min())
        raise BadArgument(
            f"None of {starts} searches found a singular position of {printable(frame)!r} within "
            f"the joints' limits; the smallest singular value that they met is {least:.3g}, at "
            f"q it is {clearance:.3g}.\n  Give more starts=..., or other axes."
        )
    agreed = int((far <= far[best] + SAME * max(far[best], 1)).sum())
    borne = U[best, :, 0] * scale[:, 0]
    borne = borne / np.linalg.norm(borne)
    found = at[best]
    return NearestSingularity(
        robot, frame, axes, q0, found, clearance, length, borne, agreed, starts
    )
