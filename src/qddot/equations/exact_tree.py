"""A robot's tree over the polynomials of its ring."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.equations.angles_meant import with_angles_meant
from qddot.equations.ring import Ring
from qddot.errors import BadArgument, shorten
from qddot.expressions import expression
from qddot.model.acting import Elastic
from qddot.model.joint import Revolute
from qddot.model.model import Model, mapped
from qddot.model.tree import Body, Tree, exact, fold
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import Pose


class NoClosedForm(BadArgument):
    """A robot whose equations are no polynomials in sines and cosines of its coordinates."""


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
    for body in tree.bodies:
        check_ratio(tree, body)
    ring = Ring.of(tree)
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


def check_ratio(tree: Tree, body: Body) -> None:
    """Raise NoClosedForm if a joint turns by a part of another's angle, as by q/2."""
    ratio = expression(body.ratio)
    value = ratio.terms.get((), 0) if set(ratio.terms) <= {()} else None
    if not isinstance(body.joint, Revolute) or (value is not None and value.denominator == 1):
        return
    leader, follower = shorten(tree.joint_names[body.index]), shorten(body.name)
    symbols = sorted(ratio.free_symbols)
    give = ", ".join(f"{name}=2" for name in symbols)
    value_words = f"give its symbols whole values, robot.with_values({give}), " if symbols else ""
    raise NoClosedForm(
        f"Joint {follower!r} follows {leader!r} by the ratio {shorten(str(ratio))}, which is no "
        "whole number: its sine and cosine are no polynomials in those of the other.\n"
        f"  For a closed form, {value_words}make the ratio whole, or lock the joint: "
        f"robot.locked({{{follower!r}: 0}}). Numbers need no closed form."
    )


def _pose(ring: Ring, X: Pose) -> Pose:
    return Pose(ring.array(X.R), ring.array(X.p))
