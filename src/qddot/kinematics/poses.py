"""Poses that people give, as matrices: put right where that can be, else refused in words.

The axes of a matrix that was written with few digits are straightened by Newton's step for the
nearest rotation, taken twice, R ← R (3 − RᵀR)/2 (N. Higham, *Functions of Matrices*, 2008, 8.3).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import real_array
from qddot.errors import BadArgument, WrongValue
from qddot.program.recorder import record
from qddot.spatial.vector import cross

ALMOST = 1e-6  # how far the axes of a pose may be from unit length and right angles
FARTHEST = 1e9  # [m], where no arm gets to and squares of distances have room


def need_near(positions: np.ndarray) -> None:
    """Refuse positions [m] that no arm can be meant to reach."""
    if positions.size and np.abs(positions).max() > FARTHEST:
        raise BadArgument(f"The position of X is more than {FARTHEST:g} m away; give it in metres.")


def proper_poses(X: Any) -> np.ndarray:
    """Return poses (..., 4, 4) as rows of twelve numbers, R row by row and then p, (..., 12).

    If a matrix is no pose, BadArgument says what is wrong and which one it is.
    """
    X = real_array("X", X)
    if X.shape[-2:] != (4, 4):
        wanted = "it must have shape (..., 4, 4), the matrix of a pose or many"
        raise WrongValue("X", f"has shape {X.shape}", wanted)
    rows, off = _straightening()(X)
    if not np.all(off <= ALMOST):
        place = tuple(int(i) for i in np.argwhere(~(np.asarray(off) <= ALMOST))[0])
        raise _no_pose(X[place], f"X[{', '.join(map(str, place))}]" if place else "X")
    return rows


def proper_matrices(X: np.ndarray, name: str = "X") -> np.ndarray:
    """Return the same as matrices, of poses (m, 4, 4) that were picked from those given."""
    rows, off = _straightening()(X)
    wrong = ~(off <= ALMOST)
    if wrong.any():
        some = f"{int(wrong.sum())} of the poses of {name}, the first of which"
        raise _no_pose(X[wrong][0], name if len(X) == 1 else some)
    found = np.zeros_like(X, dtype=float)
    found[:, :3, :3], found[:, :3, 3] = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]
    found[:, 3, 3] = 1
    return found


def straightened(X: np.ndarray) -> tuple[Any, Any]:
    """Return a pose as twelve numbers, its axes at right angles, and how far X was from one."""
    R, three = X[:3, :3], 3 * np.eye(3, dtype=int)
    axes = abs(R.T @ R - np.eye(3, dtype=int)).max()
    handed = abs(cross(R[:, 0], R[:, 1]) - R[:, 2]).max()
    last = abs(X[3] - np.array([0, 0, 0, 1])).max()
    for _ in range(2):
        R = R @ (three - R.T @ R) / 2
    # neither NaN nor infinity gets lost in a sum; products with 0 are not recorded
    endless = np.where(abs(sum(X.reshape(-1))) < np.inf, 0.0, np.inf)
    return np.concatenate([R.reshape(-1), X[:3, 3]]), axes + handed + last + endless


@cache
def _straightening() -> Kernel:
    return Kernel(record(straightened, "straightened", X=(4, 4)))


def _no_pose(X: np.ndarray, which: str) -> BadArgument:
    """Return the error that says what is wrong with a matrix."""
    R, last = X[:3, :3], X[3]
    if not np.isfinite(X).all():
        return BadArgument(f"{which} is no pose: it holds NaN or infinity.")
    if np.abs(last - [0, 0, 0, 1]).max() > ALMOST:
        given = ", ".join(f"{x:.4g}" for x in last)
        if np.abs(X[:, 3] - [0, 0, 0, 1]).max() < ALMOST:
            given += ". It seems to be transposed: take X.T"
        return BadArgument(f"{which} is no pose: its last row must be 0, 0, 0, 1; it is {given}.")
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > ALMOST:
        return BadArgument(
            f"{which} is no pose: its axes, the columns of X[:3, :3], miss unit length or right "
            f"angles by {off:.2g}; up to {ALMOST:g} they are straightened.\n"
            "  Write it with more digits, or make it of angles."
        )
    return BadArgument(
        f"{which} is no pose: its axes are left-handed, and no motion mirrors.\n"
        "  Turn one of the columns of X[:3, :3] round."
    )
