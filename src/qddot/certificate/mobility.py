"""How a frame accelerates under forces: the mass-weighted Jacobian W, and its missing directions.

Its accelerations under forces at it, from rest and without gravity, are (`robot.effective_mass`):

    a = W Wᵀ f = J M⁻¹ Jᵀ f        W = J M^(−1/2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import one_of
from qddot.dynamics.manipulability import ROWS
from qddot.errors import BadArgument, listing, printable
from qddot.robot import Robot
from qddot.robot.frames import principal_masses
from qddot.robot.frames import weighted as mass_weighted

AXES = {"linear": "forces", "all": "wrenches"}
GENERIC = 24  # random q; none of an arm's singularities is likely to be met by all of them
STILL = 1e-12  # motion, in parts of the largest, that is mere rounding
ROUNDS, SHRINK = 12, 0.3  # of looking again around the worst q, closer each time
STARTS = 8  # how many of the worst are looked at again


@dataclass(frozen=True)
class Reach:
    """The directions in which a frame moves at some q, and those in which it never does."""

    movable: np.ndarray  # (k, r), orthonormal columns
    never: np.ndarray  # (k, k − r), orthonormal columns
    rank: int  # directions at a time, at almost every q
    clearance: float  # the smallest singular value of W that is usual


def jacobian_rows(robot: Robot, q: Any, frame: str, axes: str) -> np.ndarray:
    """Return the rows of the Jacobian that were asked for, in world axes, shape (..., k, n)."""
    return robot.jacobian(q, frame)[..., ROWS[one_of("axes", axes, ROWS)], :]


def weighted(robot: Robot, q: Any, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W, shape (..., k, n), and up to which size a singular value is only rounding."""
    M = robot.mass_matrix(q)
    W, rounding = mass_weighted(J, M)
    if not np.isfinite(W).all():
        raise _massless(robot, M)
    return W, rounding


def principal(robot: Robot, q: Any, frame: str, directions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal masses [kg] and axes of many q (..., n) within a plane or space.

    The frame is the name of a link or a frame; the directions are orthonormal rows in base axes,
    shape (d, 3): the two of a plane, or three. The masses, shape (..., d), are ascending, infinite
    where the frame cannot move; the axes are unit vectors in the given directions, one per column,
    shape (..., d, d).
    """
    J, M = jacobian_rows(robot, q, frame, "linear"), robot.mass_matrix(q)
    masses, axes = principal_masses(np.asarray(directions) @ J, M)
    if np.isnan(masses).any():
        raise _massless(robot, M)
    return masses, axes


def directions(robot: Robot, frame: str, axes: str) -> tuple[np.ndarray, int]:
    """Return the directions in which a frame never moves, one per column, and its usual rank.

    That is in how many directions it moves at a time, at almost every q. Found at random ones;
    masses do not matter. The frame is the name of a link or a frame; the axes are "linear",
    "angular" or "all".
    """
    J = jacobian_rows(robot, _random_positions(robot), frame, axes)
    # turns are compared with turns, shifts with shifts
    kinds = J.reshape(GENERIC, -1, 3, robot.n)
    size = np.abs(kinds).max(axis=(0, 2, 3), initial=0)
    scale = np.repeat(np.where(size > 0, size, 1), 3)
    alike = J / scale[:, None]
    square = np.zeros((len(scale), len(scale)))  # so that every direction has its singular value
    U, sigma, _ = np.linalg.svd(np.concatenate([*alike, square], axis=1))
    moves = sigma > STILL * max(sigma[0], np.finfo(float).tiny)
    never = tidy(U[:, ~moves] / scale[:, None])
    at_a_time = np.linalg.svd(alike, compute_uv=False)
    largest = at_a_time.max(axis=-1, initial=0, keepdims=True)
    return never, int((at_a_time > STILL * largest).sum(axis=-1).max(initial=0))


def reach(robot: Robot, frame: str, axes: str) -> Reach:
    """Return in which directions a frame moves under forces, found at random joint positions."""
    never, rank = directions(robot, frame, one_of("axes", axes, AXES))
    movable, q = complement(never), _random_positions(robot)
    J: Any = jacobian_rows(robot, q, frame, axes)
    found = np.linalg.svd(weighted(robot, q, movable.T @ J)[0], compute_uv=False)
    usual = float(np.median(found[:, rank - 1])) if rank else 0.0
    return Reach(movable, never, rank, usual)


def _random_positions(robot: Robot) -> np.ndarray:
    return np.random.default_rng(0).uniform(-np.pi, np.pi, size=(GENERIC, robot.n))


def hardest(
    robot: Robot,
    frame: str,
    axes: str,
    known: Reach,
    edges: tuple[np.ndarray, np.ndarray],
    samples: int,
    seed: int,
) -> np.ndarray:
    """Return the q within edges, (n,) each, at which W has the worst condition of some samples."""

    def worst(q: np.ndarray) -> np.ndarray:
        J: Any = known.movable.T @ jacobian_rows(robot, q, frame, axes)
        sigma = np.linalg.svd(weighted(robot, q, J)[0], compute_uv=False)
        ratio = sigma[:, known.rank - 1] / sigma[:, 0]
        return q[np.argsort(ratio, kind="stable")[:STARTS]]

    low, high = edges
    rng = np.random.default_rng(seed)
    around = samples // 2 // ROUNDS
    best = worst(rng.uniform(low, high, size=(samples - ROUNDS * around, robot.n)))
    for k in range(ROUNDS if around else 0):
        starts = best[np.arange(around) % len(best)]
        steps = (high - low) * SHRINK ** (k + 1) * rng.uniform(-1, 1, size=starts.shape)
        best = worst(np.concatenate([best, np.clip(starts + steps, low, high)]))
    return best[0]


def complement(basis: np.ndarray) -> np.ndarray:
    """Return orthonormal columns that span everything across orthonormal ones."""
    return tidy(np.eye(len(basis)) - basis @ basis.T, len(basis) - basis.shape[1])


def tidy(columns: np.ndarray, rank: int | None = None) -> np.ndarray:
    """Return an orthonormal basis of a span that is easy to read: along x, y and z if it can be."""
    count = columns.shape[1] if rank is None else rank
    span = np.linalg.svd(columns, full_matrices=False)[0][:, :count]
    left, found = span @ span.T, []
    for _ in range(count):
        axis = left[:, int(np.round(np.diag(left), 9).argmax())]
        found.append(readable(axis / np.linalg.norm(axis)))
        left = left - np.outer(found[-1], found[-1]) @ left
    return np.array(found).reshape(count, len(columns)).T


def readable(direction: np.ndarray) -> np.ndarray:
    """Return a direction whose largest entry is above zero, without dust."""
    clean = np.where(np.abs(direction) < 1e-14, 0.0, direction)
    return clean if clean[np.round(np.abs(clean), 9).argmax()] > 0 else 0.0 - clean


def direction_text(x: np.ndarray) -> str:
    """Return a direction in brackets, without dust; of six entries, turn; shift."""
    text = [vector_text(part) for part in np.split(np.round(x, 6), len(x) // 3)]
    return "; ".join(text).replace("); (", "; ")


def vector_text(x: np.ndarray) -> str:
    """Return a vector in brackets."""
    return f"({', '.join(f'{0.0 + float(e):.4g}' for e in x)})".replace("-", "−")


def _massless(robot: Robot, M: np.ndarray) -> BadArgument:
    if not np.isfinite(M).all():
        return BadArgument("The mass matrix is not finite at this q; give finite joint positions.")
    worst = M.reshape(-1, robot.n, robot.n)
    worst = worst[np.linalg.eigvalsh(worst)[:, 0].argmin()]
    direction = np.abs(np.linalg.eigh(worst)[1][:, 0])
    names = [n for n, x in zip(robot.joint_names, direction, strict=True) if x > 0.1]
    return BadArgument(
        f"The mass matrix of {printable(robot.name)!r} is singular: {listing(names)} can move "
        "without moving any mass.\n  Give the links mass and inertia, or lock the joint."
    )
