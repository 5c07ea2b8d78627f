"""Usual mistakes about bodies: no Steiner term, a centre of mass elsewhere, a link left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.equations.equations import Equations
from qddot.equations.exact_tree import ExactRobot, exact_robot, with_angles_meant
from qddot.formulations.derivation import Derivation
from qddot.formulations.recursive import FREE_FALL, recursion
from qddot.model.folding import exact
from qddot.model.model import Model, mapped
from qddot.scalars import Mat3, Scalar, Vec3
from qddot.spatial.inertia import Inertia, symmetric
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import from_rpy
from qddot.spatial.vector import skew, vector

Change = Callable[[ExactRobot], ExactRobot]
INERTIAL = ("M", "C", "c", "tau", "gamma", "M_rate", "K", "centrifugal", "coriolis")
KNOWN = (*INERTIAL, "g", "P", "friction", "springs", "Y")  # of which mistakes are known
SWAPS = {"x and z": (2, 1, 0), "y and z": (0, 2, 1), "x and y": (1, 0, 2)}


@dataclass(frozen=True)
class Hypothesis:
    """A mistake that somebody may have made, and what it makes of the equations."""

    kind: str  # in one word, for tables: "steiner_missing"
    words: str  # that complete "what one gets if ..."
    robot: Change | None = None  # another robot, or
    twist: Callable[[Any, str], Any] | None = None  # another value, of equations and a quantity


def changed_equations(robot: ExactRobot, quantity: str) -> Equations:
    """Return the equations of another robot, with no more in them than a quantity needs."""
    tree, q, qd = robot.tree, robot.q, robot.qd
    still = np.zeros(tree.n, dtype=int)
    M: Any = None
    c: Any = None
    g: Any = None
    if quantity in INERTIAL:
        M = mass_matrix(tree, q)
    if quantity in ("c", "tau"):
        c = recursion(tree, q, qd, still, FREE_FALL).tau
    if quantity in ("g", "tau"):
        g = recursion(tree, q, still, still, tree.gravity).tau
    return Equations(robot, Derivation("recursive", M, c, g))


@dataclass(frozen=True)
class MassivePart:
    """A link with mass: where it is on its moving body, and its inertia, over polynomials."""

    name: str
    body: int
    X: Pose  # its frame on the body, whose origin is at the joint
    m: Scalar
    com: Vec3
    I: Mat3  # about the centre of mass, in the link's axes
    end: Vec3 | None  # from the joint, in the link's axes, to the next joint or a frame

    @property
    def from_joint(self) -> Vec3:
        """From its joint to its centre of mass, in its own axes."""
        return self.com + self.X.R.T @ self.X.p

    def steiner(self, r: Vec3) -> Mat3:
        """Return m (rᵀr E − r rᵀ)."""
        return -self.m * (skew(r) @ skew(r))

    def moved(self, to: Vec3 | None) -> MassivePart | None:
        """Return it with its centre of mass elsewhere, seen from its joint."""
        if to is None or not any(to - self.from_joint):
            return None
        return replace(self, com=self.com + to - self.from_joint)

    def with_inertia(self, I: Mat3) -> MassivePart | None:
        return replace(self, I=I) if (I - self.I).any() else None

    def on_body(self) -> Inertia:
        return Inertia.about_com(self.m, self.com, self.I).seen_from(self.X)


@lru_cache(maxsize=8)
def _parts(model: Model, ring: Any) -> tuple[MassivePart, ...]:
    robot = exact_robot(model, ring)
    return tuple(_massive(robot))


def _massive(robot: ExactRobot) -> Iterator[MassivePart]:
    """Yield the links that move and have mass."""
    meant, _ = with_angles_meant(robot.model)
    number = robot.ring.scalar
    for link in mapped(meant, exact).links:
        body, X = robot.tree.frames[link.name]
        if body < 0 or not link.inertial.mass:
            continue
        I = symmetric(link.inertial.inertia)
        if any(link.inertial.rpy):
            R = from_rpy(link.inertial.rpy)
            I = R @ I @ R.T
        com = robot.ring.array(vector(list(link.inertial.com)))
        ends = (X.R.T @ p for p in _ends(robot, body))
        mass = number(link.inertial.mass)
        yield MassivePart(link.name, body, X, mass, com, robot.ring.array(I), next(ends, None))


def _ends(robot: ExactRobot, body: int) -> Iterator[Vec3]:
    """Yield where the next joints are on a body, then its frames that are not at its own joint."""
    for other in robot.tree.bodies:
        if other.parent == body and any(other.X_PJ.p):
            yield other.X_PJ.p
    for carrier, X in robot.tree.frames.values():
        if carrier == body and any(X.p):
            yield X.p


def about_bodies(robot: ExactRobot, mistakes: Sequence[BodyMistake]) -> Iterator[Hypothesis]:
    """Yield what may be wrong about the bodies: of one of them, and of all of them at once."""
    for kind, words, change in mistakes:
        names = [p.name for p in _parts(robot.model, robot.ring) if change(p) is not None]
        for name in names:
            yield Hypothesis(kind, words.format(name), _with_parts((name,), change))
        if len(names) > 1:
            yield Hypothesis(kind, words.format("every link"), _with_parts(tuple(names), change))


def _with_parts(
    names: Sequence[str], change: Callable[[MassivePart], MassivePart | None]
) -> Change:
    def changed(robot: ExactRobot) -> ExactRobot:
        bodies = list(robot.tree.bodies)
        for part in _parts(robot.model, robot.ring):
            new = change(part) if part.name in names else None
            if new is None:
                continue
            a, b, body = new.on_body(), part.on_body(), bodies[part.body]
            now = body.inertia + Inertia(a.m - b.m, a.h - b.h, a.I - b.I)
            bodies[part.body] = replace(body, inertia=now)
        return replace(robot, tree=replace(robot.tree, bodies=tuple(bodies)))

    return changed


def _swapped(order: tuple[int, int, int]) -> Callable[[MassivePart], MassivePart | None]:
    return lambda part: part.with_inertia(part.I[np.ix_(order, order)])


BodyMistake = tuple[str, str, Callable[[MassivePart], MassivePart | None]]
INERTIAS: tuple[BodyMistake, ...] = (
    (
        "steiner_missing",
        "the parallel-axis (Steiner) term of {} is forgotten: inertia about the centre of mass "
        "taken as that about the joint",
        lambda part: part.with_inertia(part.I - part.steiner(part.from_joint)),
    ),
    (
        "steiner_twice",
        "the parallel-axis (Steiner) term of {} is counted twice: inertia about the joint taken as "
        "that about the centre of mass",
        lambda part: part.with_inertia(part.I + part.steiner(part.from_joint)),
    ),
    (
        "inertia_forgotten",
        "{} is taken as a point mass, without its own inertia",
        lambda part: part.with_inertia(0 * part.I),
    ),
    (
        "mass_forgotten",
        "the mass of {} is left out, but not its inertia",
        lambda part: replace(part, m=0) if part.I.any() else None,
    ),
    (
        "inertia_about_end",
        "the inertia of {} is taken about its end, and not about its centre of mass",
        lambda part: (
            None
            if part.end is None
            else part.with_inertia(part.I + part.steiner(part.end - part.from_joint))
        ),
    ),
    *(
        ("inertia_axis", f"the moments of inertia of {{}} about {axes} are exchanged", _swapped(o))
        for axes, o in SWAPS.items()
    ),
)
MASSES: tuple[BodyMistake, ...] = (
    ("link_forgotten", "{} is left out", lambda part: replace(part, m=0, I=0 * part.I)),
    ("com_at_end", "the centre of mass of {} is put at its end", lambda part: part.moved(part.end)),
    (
        "com_in_middle",
        "the centre of mass of {} is put in its middle",
        lambda part: part.moved(None if part.end is None else part.end / 2),
    ),
    (
        "com_at_joint",
        "the centre of mass of {} is put at its joint",
        lambda part: part.moved(0 * part.from_joint),
    ),
)
