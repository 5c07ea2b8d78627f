"""Links as capsules, a segment from joint to joint with a radius about it, and how near they are.

Ericson: C. Ericson, *Real-Time Collision Detection*, Morgan Kaufmann, 2005, section 5.1.9, for the
nearest points of two segments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.dynamics.kinematics import body_poses, path
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Scalar, Vec3
from qddot.spatial.inertia import Inertia

TINY = 1e-6  # [m], nobody sees it
PARALLEL = 1e-12  # of the squared lengths: two segments with a smaller sin² have no one crossing

End = tuple[int, np.ndarray]  # the body that carries a point, and where on it [m]


@dataclass(frozen=True)
class Capsule:
    """All points that are as near to a segment as a radius says."""

    body: int  # which it is a part of, or BASE
    ends: tuple[End, End]
    radius: float  # [m]


def link_capsules(tree: Tree, radii: dict[int, float]) -> list[Capsule]:
    """Return the capsules of an arm: from each body's joint to the joints that it carries.

    The last body of a branch goes to its tip. A body that slides has one from where it leaves its
    parent. A body whose joints are in one place has none, and neither has one of radius 0. The
    radii [m] are by body, of the base at `BASE`.
    """
    ends = [(body.parent, ORIGIN, (body.parent, _at(body.X_PJ.p))) for body in tree.bodies]
    carriers = {body.parent for body in tree.bodies}
    for i, body in enumerate(tree.bodies):
        if any(u.any() for _, u in body.columns):
            ends.append((i, body.X_PJ.p, (i, ORIGIN)))
        tools = [X_BF.p for name, (b, X_BF) in tree.frames.items() if b == i and name == "tool"]
        if i not in carriers and not tools and not body.spins:
            tools = [tip(tree, i)]
        ends += [(i, ORIGIN, (i, _at(p))) for p in tools]
    found = []
    for body, start, end in ends:
        slides = start is not ORIGIN
        first = (tree.bodies[body].parent if slides else body, _at(start))
        if radii[body] > 0 and (slides or np.abs(end[1]).max() > TINY):
            found.append(Capsule(body, (first, end), radii[body]))
    return found


ORIGIN = np.zeros(3)


def _at(p: Vec3) -> np.ndarray:
    return np.array(p, dtype=float)


def neighbours(tree: Tree, a: Capsule, b: Capsule, solid: set[int]) -> bool:
    """Return whether two capsules share a joint, or are joined by bodies that have no capsule."""
    for first, second in ((a.body, b.body), (b.body, a.body)):
        at = first
        while at != BASE and at != second:
            at = tree.bodies[at].parent
            if at in solid:
                break
        if at == second:
            return True
    return False


def segment_places(tree: Tree, q: ConfigVec, capsules: list[Capsule]) -> list[tuple[Vec3, Vec3]]:
    """Return where the two ends of every capsule's segment are in the base."""
    X_W = body_poses(tree, q)
    return [tuple(X_W[body].point(p) for body, p in c.ends) for c in capsules]  # type: ignore[misc]


def nearest(first: tuple[Vec3, Vec3], second: tuple[Vec3, Vec3]) -> tuple[Scalar, Scalar]:
    """Return s and t, from 0 to 1, of the nearest points of two segments (Ericson).

    With d₁, d₂ the segments as vectors and r from the start of the second to that of the first,
    the lines are nearest at

        s = ((d₁·d₂)(d₂·r) − (d₁·r)(d₂·d₂)) / ((d₁·d₁)(d₂·d₂) − (d₁·d₂)²)

    Held within the first segment, s gives the best t; that, held within the second, the best s. Of
    parallel segments any s will do to begin with.
    """
    d1, d2, r = first[1] - first[0], second[1] - second[0], first[0] - second[0]
    a, e, b, c, f = d1 @ d1, d2 @ d2, d1 @ d2, d1 @ r, d2 @ r
    tiny = TINY * TINY
    a, e = np.maximum(a, tiny), np.maximum(e, tiny)
    s = np.clip((b * f - c * e) / np.maximum(a * e - b * b, PARALLEL * a * e), 0, 1)
    t = np.clip((b * s + f) / e, 0, 1)
    return np.clip((b * t - c) / a, 0, 1), t


def distance(first: tuple[Vec3, Vec3], second: tuple[Vec3, Vec3], s: Scalar, t: Scalar) -> Scalar:
    """Return how far the points at s and t of two segments are apart [m]; never less than TINY."""
    w = first[0] + s * (first[1] - first[0]) - second[0] - t * (second[1] - second[0])
    return np.sqrt(w @ w + TINY * TINY)


def speed_bounds(
    tree: Tree, capsule: Capsule, slides: np.ndarray, but: frozenset[int] = frozenset()
) -> np.ndarray:
    """Return how far a capsule's points go at most when a coordinate goes by 1, shape (n,).

    A joint that turns moves them by no more than their distance to it, which is no more than the
    lengths of the bodies between. `slides` is how far each body's joint slides at most [m], shape
    (bodies,); joints of the bodies in `but` do not count.
    """
    bounds = np.zeros(tree.n)
    for carrier, at in capsule.ends:
        bodies, own = path(tree, carrier), np.zeros(tree.n)
        for k, i in enumerate(bodies):
            if i in but:
                continue
            far = np.linalg.norm(at) + slides[bodies[k:]].sum()
            far += sum(np.linalg.norm(_at(tree.bodies[j].X_PJ.p)) for j in bodies[k + 1 :])
            drive = tree.drives[i]
            for w, u in tree.bodies[i].columns:
                moved = np.linalg.norm(_at(w)) * far + np.linalg.norm(_at(u))
                own[drive.index] += abs(float(drive.ratio)) * moved
        bounds = np.maximum(bounds, own)
    return bounds


def reach(tree: Tree) -> float:
    """Return how far it is from the first joint along the bodies to the farthest tip [m]."""
    far = np.zeros(len(tree.bodies) + 1)  # the last is the base's
    for i, body in reversed(list(enumerate(tree.bodies))):
        if not any(other.parent == i for other in tree.bodies):
            far[i] = np.linalg.norm(tip(tree, i))
        way = 0 if body.parent == BASE else np.linalg.norm(_at(body.X_PJ.p))
        far[body.parent] = max(far[body.parent], way + far[i])
    return float(far[BASE])


def tip(tree: Tree, body: int) -> np.ndarray:
    """Return where a body ends, in its own axes [m]: its farthest frame, or its centre of mass."""
    frames = [_at(X_BF.p) for b, X_BF in tree.frames.values() if b == body]
    farthest = max(frames, key=lambda p: float(p @ p), default=ORIGIN)
    return farthest if np.abs(farthest).max() > TINY else centre(tree.bodies[body].inertia)


def centre(inertia: Inertia) -> np.ndarray:
    """Return the centre of mass [m]; the origin of what weighs nothing."""
    mass, moment = float(inertia.m), _at(inertia.h)
    return moment / mass if mass > 0 else np.zeros(3)
