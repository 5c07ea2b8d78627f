"""A sum of harmonics over any scalar: the periodic motion that robots are excited with.

Swevers: Swevers, Ganseman, Tükel, De Schutter, Van Brussel, Optimal Robot Excitation and
Identification, IEEE Transactions on Robotics and Automation 13(5), 1997.
"""

from __future__ import annotations

import numpy as np

from qddot.scalars import JointVec, Scalar, sincos


def harmonics(
    t: Scalar, offset: np.ndarray, a: np.ndarray, b: np.ndarray, frequency: float
) -> tuple[JointVec, JointVec, JointVec]:
    """Return q, q̇ and q̈ at an instant, a scalar of any kind.

    With velocity amplitudes a and b of the harmonics k = 1, 2, … of ω (Swevers):

        q(t) = offset + Σₖ (aₖ sin kωt − bₖ cos kωt)/(kω)
        q̇(t) = Σₖ aₖ cos kωt + bₖ sin kωt

    Args:
        t: The instant [s].
        offset: Shape (n,) [rad or m].
        a, b: One row a harmonic, shape (harmonics, n) [rad/s or m/s].
        frequency: ω [rad/s].
    """
    q, qd, qdd = offset, np.zeros(len(offset)), np.zeros(len(offset))
    for k, (one, other) in enumerate(zip(a, b, strict=True), start=1):
        w = frequency * k
        s, c = sincos(w * t)
        q = q + (one * s - other * c) / w
        qd = qd + (one * c + other * s)
        qdd = qdd + (other * c - one * s) * w
    return q, qd, qdd
