"""The inertia of a rigid body: ten numbers about a frame's origin, in which dynamics is linear.

Off-diagonal entries are those of the inertia matrix, Ixy = −∫xy dm. The decks' pseudo-inertia and
Euler matrix hold the products with the other sign; the converters below are the only places that
know.

RBDA: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer, 2008.
Wensing: P. Wensing, S. Kim, J.-J. Slotine, *Linear matrix inequalities for physically consistent
inertial parameter identification*, IEEE RA-L 3(1), 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.scalars import Force, Mat3, Motion, Scalar, Vec3
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import cross, join, skew, split, vector

NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment and second moment of a body about its frame's origin, in its axes.

    The three integrals over the body:

        m = ∫dm        h = ∫r dm = m c        I = ∫(rᵀr E − r rᵀ) dm
    """

    m: Scalar  # [kg]
    h: Vec3  # [kg·m]
    I: Mat3  # [kg·m²]

    @staticmethod
    def about_com(mass: Scalar, com: Vec3, I_com: Mat3) -> Inertia:
        """Return the inertia of a body whose matrix is given about its centre of mass (Steiner).

        The parallel-axis theorem:

            I = I_c + m (cᵀc E − c cᵀ) = I_c − m [c]×²                RBDA (2.63)
        """
        K = skew(com)
        return Inertia(mass, mass * vector(list(com)), I_com - mass * (K @ K))

    @staticmethod
    def from_parameters(phi: Sequence[Scalar]) -> Inertia:
        """Return the inertia of the ten numbers m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
        m, mx, my, mz, *second = phi
        return Inertia(m, vector([mx, my, mz]), symmetric(second))

    @staticmethod
    def from_pseudo(J: np.ndarray) -> Inertia:
        """Return the inertia whose pseudo-inertia is J: the inverse of `pseudo`."""
        return Inertia(J[3, 3], J[:3, 3], from_euler(J[:3, :3]))

    def __matmul__(self, v: Motion) -> Force:
        """Return I v, the momentum of the body when it moves at v.

        In coordinates:

            [n]   [I      [h]×] [ω]
            [l] = [−[h]×   m E] [u]                                   RBDA (2.63)
        """
        w, u = split(v)
        return join(self.I @ w + cross(self.h, u), self.m * u - cross(self.h, w))

    def __add__(self, other: Inertia) -> Inertia:
        """Return the inertia of two bodies joined rigidly, both about the same origin."""
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)

    def seen_from(self, X_AB: Pose) -> Inertia:
        """Return the same body's inertia about A's origin and in A's axes, for a body in B.

        With h and I first turned into A's axes, and p from A's origin to B's:

            h_A = h + m p
            I_A = I − [p]×[h]× − [h]×[p]× − m [p]×²
        """
        R, p = X_AB.R, X_AB.p
        h, P = R @ self.h, skew(p)
        H = skew(h)
        return Inertia(self.m, h + self.m * p, R @ self.I @ R.T - P @ H - H @ P - self.m * (P @ P))

    def about_axis(self, axis: Vec3) -> Inertia:
        """Return its mean over all angles about a unit axis z through the origin.

        What of it does not change as it turns:

            h → (zᵀh) z        I → (zᵀI z) z zᵀ + ½ (tr I − zᵀI z)(E − z zᵀ)
        """
        z = vector(list(axis))
        along, total = z @ self.I @ z, self.I[0, 0] + self.I[1, 1] + self.I[2, 2]
        Z = np.outer(z, z)
        return Inertia(self.m, (z @ self.h) * z, along * Z + (total - along) * (IDENTITY - Z) / 2)

    def com_form(self) -> tuple[Scalar, Vec3, Mat3]:
        """Return mass, centre of mass and inertia about it, in the frame's axes."""
        com = self.h / self.m
        K = skew(com)
        return self.m, com, self.I + self.m * (K @ K)

    @property
    def parameters(self) -> np.ndarray:
        """The ten numbers, in the order of `NAMES`."""
        return vector([self.m, *self.h, *upper(self.I)])

    def pinocchio_parameters(self) -> np.ndarray:
        """The ten numbers in Pinocchio's order: m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
        m, mx, my, mz, xx, xy, xz, yy, yz, zz = self.parameters
        return vector([m, mx, my, mz, xx, xy, yy, xz, yz, zz])

    def pseudo(self) -> np.ndarray:
        """Return the 4×4 pseudo-inertia, positive semidefinite exactly for possible bodies.

        The second moments of the homogeneous position, products with a plus sign:

            J = ∫[r; 1][r; 1]ᵀ dm = [Σ  h]        Σ = ½ tr(I) E − I          Wensing
                                    [hᵀ m]
        """
        return np.vstack([np.column_stack([euler(self.I), self.h]), vector([*self.h, self.m])])


def euler(I: Mat3) -> Mat3:
    """Return the Euler matrix ∫r rᵀ dm = ½ tr(I) E − I of an inertia matrix."""
    return (I[0, 0] + I[1, 1] + I[2, 2]) * IDENTITY / 2 - I


def from_euler(J: Mat3) -> Mat3:
    """Return the inertia matrix tr(J) E − J of an Euler matrix: the inverse of `euler`."""
    return (J[0, 0] + J[1, 1] + J[2, 2]) * IDENTITY - J


def symmetric(six: Sequence[Scalar]) -> Mat3:
    """Return the symmetric matrix of xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = six
    return vector([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def upper(I: Mat3) -> list[Scalar]:
    """Return xx, xy, xz, yy, yz, zz: the inverse of `symmetric`."""
    return [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]


def why_impossible(mass: float, I_com: Mat3) -> str | None:
    """Return the reason why no body has this mass and inertia about its centre, or None.

    A body exists exactly when the Euler matrix is positive semidefinite, which in principal axes
    is the triangle inequality of the moments:

        I₁ ≤ I₂ + I₃  for each of the three
    """
    if mass < 0:
        return f"the mass is negative ({mass:g} kg)"
    I = np.asarray(I_com, dtype=float)
    a, b, c = np.linalg.eigvalsh(I)
    slack = 1e-9 * max(abs(a), abs(c))  # a rod or a disc may round to the wrong side
    if a < -slack:
        return f"a principal moment of inertia is negative ({a:.4g} kg·m²)"
    if c > a + b + slack:
        moments = {f"I{axis}{axis}": I[k, k] for k, axis in enumerate("xyz")}
        largest = max(moments, key=lambda name: moments[name])
        top = moments.pop(largest)
        if top > sum(moments.values()) + slack:
            names, values = " + ".join(moments), " + ".join(f"{x:.4g}" for x in moments.values())
            return f"no body has this inertia: {largest} = {top:.4g} > {names} = {values}"
        return (
            f"no body has this inertia: of its principal moments, {c:.4g} > {a:.4g} + {b:.4g} kg·m²"
        )
    if mass == 0 and c > slack:
        return f"a body without mass has a moment of inertia ({c:.4g} kg·m²)"
    return None
