"""Spatial (6-D) vectors: motions and forces.

A motion is [ω; u] and a force is [n; l]: angular part first, as in RBDA. No other module slices a
6-vector, so the order is decided here and nowhere else.

RBDA: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer, 2008.
"""

from __future__ import annotations

from qddot.scalars import Force, Mat3, Motion, Scalar, Vec3, namespace


def cross_motion(v: Motion, m: Motion) -> Motion:
    """Return v × m: how fast a motion m changes when a body moving at v carries it.

    In coordinates:

        [ω]   [m_ω]   [ω × m_ω          ]
        [u] × [m_u] = [ω × m_u + u × m_ω]                             RBDA (2.33)
    """
    (w, u), (mw, mu) = split(v), split(m)
    return join(cross(w, mw), cross(w, mu) + cross(u, mw))


def cross_force(v: Motion, f: Force) -> Force:
    """Return v ×* f: how fast a force f changes when a body moving at v carries it.

    In coordinates:

        [ω]    [n]   [ω × n + u × l]
        [u] ×* [l] = [ω × l        ]                                  RBDA (2.34)

    It is minus the adjoint of `cross_motion`: m · (v ×* f) = −(v × m) · f.
    """
    (w, u), (n, l) = split(v), split(f)
    return join(cross(w, n) + cross(u, l), cross(w, l))


def split(x: Motion | Force) -> tuple[Vec3, Vec3]:
    """Return the angular and the linear part."""
    return x[:3], x[3:]


def join(angular: Vec3, linear: Vec3) -> Motion | Force:
    """Inverse of `split`."""
    return namespace(angular, linear).concatenate([angular, linear])


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Return a × b. Written out because np.cross does not take every scalar type."""
    (ax, ay, az), (bx, by, bz) = a, b
    return vector([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def skew(a: Vec3) -> Mat3:
    """Return [a]×, the matrix for which [a]× b = a × b."""
    x, y, z = a
    return vector([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def vector(entries: list) -> Scalar:
    """Return a list, or a list of rows, as an array that keeps its kind of number."""
    flat = [x for row in entries for x in (row if isinstance(row, list) else [row])]
    return namespace(*flat).asarray(entries)
