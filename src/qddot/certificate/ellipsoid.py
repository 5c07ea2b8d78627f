"""The effective mass of a frame: its apparent inertia when it is pushed; and where that is worst.

At rest and without gravity, a force at the frame and its acceleration are related by:

    f = M_C a,        M_C = (J M⁻¹ Jᵀ)⁻¹

For an arm with as many joints as directions M_C = J⁻ᵀ M J⁻¹; for a redundant one it is the inertia
when no other torque acts. Everything is in world axes, at the frame's origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.bound import box_of
from qddot.certificate.mobility import (
    direction_text,
    hardest,
    jacobian_rows,
    reach,
    readable,
    tidy,
    vector_text,
    weighted,
)
from qddot.checks import joint_vector, vector, whole
from qddot.errors import BadArgument, printable
from qddot.plain_text import fitted
from qddot.results import in_notebook, look
from qddot.robot import Robot
from qddot.robot.frames import masses_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEAR = 0.01  # a clearance of this share of the usual one: near a singular q
ACROSS = 1e-9  # a share of an acceleration that is mere rounding


@dataclass(frozen=True, eq=False, repr=False)
class MassEllipsoid:
    """The effective mass of a frame at one q, along its principal axes.

    Where the frame cannot be accelerated its mass is infinite: such directions come last, and
    `matrix`, which is M_C on all others, has zeros along them.
    """

    robot: Robot
    q: np.ndarray  # (n,)
    frame: str
    axes: str  # "linear": forces and shifts; "all": [moment; force] and [turn; shift]
    matrix: np.ndarray  # (k, k) [kg], world axes
    inverse: np.ndarray  # (k, k) [1/kg], J M⁻¹ Jᵀ
    masses: np.ndarray  # (k,) [kg], the principal masses, ascending
    directions: np.ndarray  # (k, k), the principal axes, one per column
    never: int  # how many of the last directions are infinite whatever q is
    singular_values: np.ndarray  # of J M^(−1/2), descending, as many as it moves in at a time
    rank: int  # in how many directions it moves at this q
    usual_clearance: float  # the median over random q

    @property
    def blocked(self) -> tuple[np.ndarray, ...]:
        """The directions, as unit vectors, in which the frame cannot be accelerated."""
        return tuple(self.directions[:, np.isinf(self.masses)].T)

    @property
    def singular(self) -> bool:
        """Whether the frame moves in fewer directions here than at almost every other q."""
        return self.rank < len(self.singular_values)

    @property
    def clearance(self) -> float:
        """How far q is from a singular one: the smallest singular value of J M^(−1/2) [1/√kg]."""
        return float(self.singular_values[-1]) if len(self.singular_values) else 0.0

    @property
    def condition(self) -> float:
        """The largest principal mass in parts of the smallest; infinite where q is singular.

        Directions in which the frame moves at no q are left out.
        """
        if self.singular or not self.rank:
            return float("inf")
        return float((self.singular_values[0] / self.singular_values[-1]) ** 2)

    def force(self, acceleration: Any) -> np.ndarray:
        """Return the force f = M_C a [N] that accelerates the frame so, from rest.

        Args:
            acceleration: Shape (3,) [m/s²], or (6,) [rad/s²; m/s²] where all axes were asked for.

        Raises:
            BadArgument: If no force can.
        """
        a = self._vector(acceleration, "acceleration")
        for k, direction in enumerate(self.blocked):
            if abs(direction @ a) > ACROSS * np.linalg.norm(a):
                raise BadArgument(
                    f"{printable(self.frame)!r} {self._blocked_words()[k]}; no force gives it the "
                    f"acceleration {vector_text(a)}.\n  Ask for one across that direction."
                )
        return self.matrix @ a

    def acceleration(self, force: Any) -> np.ndarray:
        """Return the acceleration a = J M⁻¹ Jᵀ f that a force gives the frame, from rest."""
        return self.inverse @ self._vector(force, "force")

    def parallel_gap(self, acceleration: Any) -> float:
        """Return the angle [rad] between an acceleration and its force; 0 along principal axes."""
        if self.axes != "linear":
            raise BadArgument(
                "Turns and shifts have different units, so that there is no angle between them.\n"
                "  Ask for mass_ellipsoid(..., axes='linear')."
            )
        a, f = self._vector(acceleration, "acceleration"), self.force(acceleration)
        if not a.any():
            raise BadArgument("acceleration is zero; it has no direction.")
        a, f = a / np.linalg.norm(a), f / np.linalg.norm(f)
        return float(2 * np.arctan2(np.linalg.norm(f - a), np.linalg.norm(f + a)))

    @property
    def words(self) -> tuple[str, ...]:
        """What there is to say: every principal mass, every direction without, how near."""
        result = [
            f"{mass:.6g}{self._unit} along {direction_text(direction)}"
            for mass, direction in zip(self.masses, self.directions.T, strict=True)
            if np.isfinite(mass)
        ]
        result += self._blocked_words()
        if not len(self.singular_values):
            return (*result, "no joint moves it")
        if self.singular:
            return (*result, "condition infinite, clearance from singularity 0: q is singular")
        near = self.clearance < NEAR * self.usual_clearance
        return (
            *result,
            f"condition {self.condition:.4g}, clearance from singularity {self.clearance:.4g}"
            + (": q is near a singular one" if near else ""),
        )

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return the figure of this mass with the arm; saved to a .png, .svg or .pdf path."""
        draw = look("figures.effective_mass.plot_effective_mass")
        return draw(self.robot, self.q, self.frame, path=path)

    @fitted
    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {line}" for line in self.words)])

    __repr__ = __str__
    _repr_html_ = in_notebook("certificates.effective_mass_html")

    @property
    def title(self) -> str:
        """The first line of its text: of what, and where."""
        frame, robot = printable(self.frame), printable(self.robot.name)
        mixed = "" if self.axes == "linear" else ", turns and shifts, in kg·m² and kg"
        return f"Effective mass of {frame!r} of {robot!r} at q = {vector_text(self.q)}{mixed}:"

    @property
    def _unit(self) -> str:
        return " kg" if self.axes == "linear" else ""

    def _blocked_words(self) -> list[str]:
        here = len(self.blocked) - self.never
        why = ": q is singular" if self.singular else " at this q, having too few joints"
        return [
            f"cannot be accelerated along {direction_text(direction)}"
            + (why if k < here else ", whatever q is")
            for k, direction in enumerate(self.blocked)
        ]

    def _vector(self, x: Any, what: str) -> np.ndarray:
        k = len(self.masses)
        return vector(what, x, k, f"{k} finite numbers, in world axes")


def mass_ellipsoid(robot: Robot, q: Any, frame: str, axes: str = "linear") -> MassEllipsoid:
    """Return the effective mass of a frame: the matrix, its principal axes, what it cannot do.

    From the singular values of the mass-weighted Jacobian (`mobility.py`), U Σ Vᵀ = J L⁻ᵀ:

        M_C = U Σ⁻² Uᵀ

    Args:
        robot: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: The name of a link or a frame.
        axes: "linear" for forces, "all" for [moment; force]. The principal masses of "all" mix
            kg·m² and kg, and depend on the unit of length.
    """
    robot = robot.with_options(dtype="float64") if robot.dtype != "float64" else robot
    q = joint_vector(robot, "q", q)
    known = reach(robot, frame, axes)
    J = jacobian_rows(robot, q, frame, axes)
    B = known.movable
    W, rounding = weighted(robot, q, B.T @ J)
    U, sigma, _ = np.linalg.svd(W)
    masses = masses_of(sigma, rounding, B.shape[1])
    rank = int(np.isfinite(masses).sum())
    moved = [readable(B @ u) for u in U.T[:rank]]
    directions = np.column_stack([*moved, tidy(B @ U[:, rank:]), known.never])
    finite = directions[:, :rank]
    shown = np.zeros(known.rank)
    shown[: min(rank, known.rank)] = sigma[:rank][: known.rank]
    everything = np.concatenate([masses, np.full(known.never.shape[1], np.inf)])
    arrays = {
        "matrix": finite * masses[:rank] @ finite.T,
        "inverse": B @ W @ W.T @ B.T,
        "masses": everything,
        "directions": directions,
        "singular_values": shown,
        "q": q,
    }
    for array in arrays.values():
        array.flags.writeable = False
    return MassEllipsoid(
        robot,
        frame=frame,
        axes=axes,
        never=known.never.shape[1],
        rank=rank,
        usual_clearance=known.clearance,
        **arrays,
    )


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
    edges = box_of(robot, box).edges
    known = reach(robot, frame, axes)
    if not known.rank:
        raise BadArgument(
            f"No joint of {printable(robot.name)!r} moves {printable(frame)!r}, so that it has no "
            "singular positions.\n  Name a frame farther out."
        )
    q = hardest(robot, frame, axes, known, edges, samples, seed)
    return NearSingular(mass_ellipsoid(robot, q, frame, axes), int(samples))
