"""A robot's tree over the polynomials of its ring."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.equations.angles_meant import with_angles_meant
from qddot.equations.ring import Ring
from qddot.model.acting import Elastic
from qddot.model.model import Model, mapped
from qddot.model.tree import Tree, exact, fold
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import Pose


@dataclass(frozen=True)
class ExactRobot:
    """A robot whose numbers are exact: its ring, its tree over it, and the state as symbols."""

    model: Model
    ring: Ring
    tree: Tree
    notes: tuple[str, ...] = ()  # on angles that are not what was typed

    @property
    def q(self) -> np.ndarray:
        return self.ring.vector("q")

    @property
    def qd(self) -> np.ndarray:
        return self.ring.vector("v")

    @property
    def qdd(self) -> np.ndarray:
        return self.ring.vector("a")


def exact_robot(model: Model) -> ExactRobot:
    """Return a model over exact polynomials; a decimal stands for the rational it names."""
    meant, notes = with_angles_meant(model)
    tree = fold(meant, exact)
    ring = Ring(tree)
    bodies = tuple(
        replace(
            body,
            X_PJ=_pose(ring, body.X_PJ),
            joint=type(body.joint)(tuple(ring.scalar(x) for x in body.joint.axis)),
            inertia=Inertia(
                ring.scalar(body.inertia.m),
                ring.array(body.inertia.h),
                ring.array(body.inertia.I),
            ),
            ratio=ring.scalar(body.ratio),
            offset=ring.scalar(body.offset),
        )
        for body in tree.bodies
    )
    elastics = tuple(
        Elastic(
            ring.array(e.direction),
            ring.scalar(e.stiffness),
            ring.scalar(e.damping),
            ring.scalar(e.rest),
        )
        for e in tree.elastics
    )
    return ExactRobot(
        model,
        ring,
        replace(
            tree,
            bodies=bodies,
            frames={name: (i, _pose(ring, X)) for name, (i, X) in tree.frames.items()},
            gravity=tuple(ring.scalar(x) for x in tree.gravity),
            rotor_inertia=tuple(ring.scalar(x) for x in tree.rotor_inertia),
            friction=tuple(mapped(f, ring.scalar) for f in tree.friction),
            elastics=elastics,
        ),
        notes,
    )


def _pose(ring: Ring, X: Pose) -> Pose:
    return Pose(ring.array(X.R), ring.array(X.p))
