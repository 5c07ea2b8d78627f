"""The joints between the base and a frame, one after the other, each about or along its own z axis.

    X(q) = A₀ E₁(q₁) A₁ E₂(q₂) A₂ … Eₘ(qₘ) Aₘ

with Eₖ a turn about z or a slide along z, and the Aₖ constant. They are folded over balls (see
`rounding`), so that they are known to seventy digits; joints that are held are part of the Aₖ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat

from qddot.certificate.bound import Box
from qddot.certificate.entries import role
from qddot.certificate.rounding import Ledger, above, ball_in, exact_tree
from qddot.equations.values import many_digits
from qddot.errors import BadArgument, printable
from qddot.model.tree import BASE
from qddot.robot import Robot
from qddot.spatial.pose import Pose


@dataclass(frozen=True)
class SerialChain:
    """The joints that move a frame, and the constant poses around them.

    The axes are z axes of their joints; joint k has A[k] before and A[k + 1] behind it.
    """

    A: tuple[arb_mat, ...]  # m + 1 poses, 4×4
    turns: tuple[bool, ...]  # of each joint: whether it turns; else it slides
    index: tuple[int, ...]  # its entry of q

    @property
    def m(self) -> int:
        """How many joints there are."""
        return len(self.turns)

    @property
    def poses(self) -> np.ndarray:
        """The constant poses as floats, each entry the nearest, shape (m + 1, 4, 4)."""
        return np.array(
            [[[float(A[i, j].mid()) for j in range(4)] for i in range(4)] for A in self.A]
        )

    @property
    def length(self) -> float:
        """How far the frame can be from the base at most, slides left out [m]."""
        steps = [(A[0, 3] ** 2 + A[1, 3] ** 2 + A[2, 3] ** 2).sqrt() for A in self.A]
        return above(sum(steps, arb(0)))

    def frames(self, q: list[arb]) -> list[arb_mat]:
        """Return the pose before each joint, and that of the frame at last, at balls q."""
        found, X = [], self.A[0]
        for x, turns, A in zip(q, self.turns, self.A[1:], strict=True):
            found.append(X)
            X = X * moved(x, turns) * A
        return [*found, X]


def moved(x: arb, turns: bool) -> arb_mat:
    """Return E: the turn about z by x, or the slide along z."""
    s, c = x.sin_cos() if turns else (arb(0), arb(1))
    return arb_mat([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0 if turns else x], [0, 0, 0, 1]])


def serial_chain(robot: Robot, frame: str, box: Box) -> SerialChain:
    """Return the chain of a frame; joints whose range is one number are held there."""
    with many_digits():
        tree = exact_tree(robot.model, Ledger())
        at, X_BF = tree.frame(frame)
        path: list[int] = []
        while at != BASE:
            path.insert(0, at)
            at = tree.bodies[at].parent
        A, turns, index = [IDENTITY], [], []
        for body, drive in ((tree.bodies[i], tree.drives[i]) for i in path):
            A[-1] = A[-1] * matrix(body.X_PJ)
            kind = role(body)
            if kind == "spin":
                continue
            if kind not in ("angle", "length"):
                raise BadArgument(
                    f"Joint {printable(body.name)!r} of {printable(robot.name)!r} is neither an "
                    "angle nor a length: there are no proofs for it. Lock it: "
                    f"robot.locked({{{printable(body.name)!r}: 0}})."
                )
            k = drive.index
            Q, held = about_z(body.axis), box.lower[k] == box.upper[k]
            if held:
                x = ball_in(drive.ratio) * arb(box.lower[k]) + ball_in(drive.offset)
                A[-1] = A[-1] * Q * moved(x, kind == "angle") * Q.transpose()
                continue
            if not drive.plain or k in index:
                leader = printable(robot.joint_names[k])
                raise BadArgument(
                    f"Joint {printable(body.name)!r} of {printable(robot.name)!r} follows "
                    f"{leader!r}: there are no proofs for joints that follow others.\n"
                    f"  Hold it: box={{{leader!r}: 0.0}}."
                )
            A[-1] = A[-1] * Q
            A.append(Q.transpose())
            turns.append(kind == "angle")
            index.append(k)
        A[-1] = A[-1] * matrix(X_BF)
        return SerialChain(tuple(A), tuple(turns), tuple(index))


IDENTITY = arb_mat(4, 4, [int(i == j) for i in range(4) for j in range(4)])


def matrix(X: Pose) -> arb_mat:
    """Return a pose as a matrix of balls."""
    return arb_mat([[ball_in(x) for x in row] for row in X.matrix()])


def about_z(axis: Any) -> arb_mat:
    """Return a rotation that turns the z axis to an axis, 4×4."""
    z = [ball_in(x) for x in axis]
    size = (z[0] ** 2 + z[1] ** 2 + z[2] ** 2).sqrt()
    z = [x / size for x in z]
    k = min(range(3), key=lambda i: abs(float(z[i].mid())))
    x = [int(i == k) - z[k] * z[i] for i in range(3)]  # what of eₖ is across z
    size = (x[0] ** 2 + x[1] ** 2 + x[2] ** 2).sqrt()
    x = [a / size for a in x]
    y = [z[i - 2] * x[i - 1] - z[i - 1] * x[i - 2] for i in range(3)]
    return arb_mat([[x[i], y[i], z[i], 0] for i in range(3)] + [[0, 0, 0, 1]])
