"""The moments of a body: the same ten numbers as its inertia, in the form that is cheapest to use.

    m = ∫dm        h = ∫r dm        Σ = ∫r rᵀ dm

Moving them to another frame needs no cross products, and the force on an accelerating body is
linear in them with one matrix, U = [α]× + [ω]×², that gives every point its acceleration a + U r.
"""

from __future__ import annotations

from dataclasses import dataclass

from qddot.scalars import Mat3, Scalar, Vec3
from qddot.spatial.inertia import Inertia, euler
from qddot.spatial.pose import Pose
from qddot.spatial.vector import cross, vector


@dataclass(frozen=True)
class Moments:
    """Zeroth, first and second moment of a body about its frame's origin, in its axes."""

    m: Scalar  # [kg]
    h: Vec3  # [kg·m]
    S: Mat3  # [kg·m²], the Euler matrix Σ

    @staticmethod
    def of(inertia: Inertia) -> Moments:
        """Return the moments of a body whose inertia is known."""
        return Moments(inertia.m, inertia.h, euler(inertia.I))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.S + other.S)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.m - other.m, self.h - other.h, self.S - other.S)

    def seen_from(self, X_AB: Pose) -> Moments:
        """Return the same body's moments about A's origin and in A's axes, for a body in B.

        With h turned into A's axes, and p from A's origin to B's:

            h_A = h + m p        Σ_A = R Σ Rᵀ + h pᵀ + p hᵀ + m p pᵀ
        """
        p, h = X_AB.p, X_AB.R @ self.h
        h_A = h + self.m * p
        turned = X_AB.R @ self.S
        S = [[0] * 3 for _ in range(3)]
        for i in range(3):
            for j in range(i, 3):
                S[i][j] = S[j][i] = turned[i] @ X_AB.R[j] + h[i] * p[j] + p[i] * h_A[j]
        return Moments(self.m, h_A, vector(S))

    def force(self, U: Mat3, a: Vec3) -> tuple[Vec3, Vec3]:
        """Return moment and force that give every point r of the body the acceleration a + U r.

        Newton's and Euler's equations in one:

            f = m a + U h        n = h × a + ∫r × U r dm
        """
        S = self.S
        spin = vector(
            [
                *(S[1, 1] * U[2, 1] - S[2, 2] * U[1, 2] + S[0, 1] * U[2, 0] - S[0, 2] * U[1, 0],),
                *(S[2, 2] * U[0, 2] - S[0, 0] * U[2, 0] + S[1, 2] * U[0, 1] - S[0, 1] * U[2, 1],),
                *(S[0, 0] * U[1, 0] - S[1, 1] * U[0, 1] + S[0, 2] * U[1, 2] - S[1, 2] * U[0, 2],),
            ]
        )
        stretch = vector(
            [
                S[1, 2] * (U[2, 2] - U[1, 1]),
                S[0, 2] * (U[0, 0] - U[2, 2]),
                S[0, 1] * (U[1, 1] - U[0, 0]),
            ]
        )
        return cross(self.h, a) + spin + stretch, self.m * a + U @ self.h

    def momentum(self, w: Vec3, u: Vec3) -> tuple[Vec3, Vec3]:
        """Return angular and linear momentum of the body when it moves at [w; u].

        The spatial inertia times the motion:

            n = I w + h × u        l = m u + w × h        I = tr(Σ) E − Σ
        """
        S = self.S
        I = vector(
            [
                [S[1, 1] + S[2, 2], -S[0, 1], -S[0, 2]],
                [-S[0, 1], S[0, 0] + S[2, 2], -S[1, 2]],
                [-S[0, 2], -S[1, 2], S[0, 0] + S[1, 1]],
            ]
        )
        return I @ w + cross(self.h, u), self.m * u + cross(w, self.h)


def spread(alpha: Vec3, w: Vec3, v: Vec3) -> Mat3:
    """Return [α]× + ½ ([w]×[v]× + [v]×[w]×): with v = w, the U of a body that turns at w.

    Written out, with the products that its entries share:

        ½ ([w]×[v]× + [v]×[w]×) = ½ (w vᵀ + v wᵀ) − (w·v) E
    """
    x, y, z = alpha
    xx, yy, zz = (a * b for a, b in zip(w, v, strict=True))
    if w is v:
        xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    else:
        xy, xz, yz = ((w[i] * v[j] + v[i] * w[j]) / 2 for i, j in ((0, 1), (0, 2), (1, 2)))
    return vector(
        [[-(yy + zz), xy - z, xz + y], [xy + z, -(xx + zz), yz - x], [xz - y, yz + x, -(xx + yy)]]
    )
