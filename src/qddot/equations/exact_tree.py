"""A robot's tree over the polynomials of its ring."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.equations.angles import has_angle
from qddot.equations.angles_meant import with_angles_meant
from qddot.equations.ring import Ring
from qddot.errors import BadArgument, shorten
from qddot.expressions import expression
from qddot.model.coordinates import Drive
from qddot.model.model import Model
from qddot.model.tree import NO_INERTIA, Body, Tree, exact, fold


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
    model.need_single_numbers("A closed form")
    meant, notes = with_angles_meant(model)
    tree = fold(meant, exact)
    for body, drive in zip(tree.bodies, tree.drives, strict=True):
        check_ratio(tree, body, drive)
    ring = Ring.of(tree)
    moving = replace(tree, base=NO_INERTIA)  # what does not move is in no equation
    return ExactRobot(model, ring, moving.map(ring.scalar), notes)


def check_ratio(tree: Tree, body: Body, drive: Drive) -> None:
    """Raise NoClosedForm if a joint turns by a part of another's angle, as by q/2."""
    ratio = expression(drive.ratio)
    value = ratio.terms.get((), 0) if set(ratio.terms) <= {()} else None
    if not has_angle(body) or (value is not None and value.denominator == 1):
        return
    leader, follower = shorten(tree.joint_names[drive.index]), shorten(body.name)
    symbols = sorted(ratio.free_symbols)
    give = ", ".join(f"{name}=2" for name in symbols)
    value_words = f"give its symbols whole values, robot.with_values({give}), " if symbols else ""
    raise NoClosedForm(
        f"Joint {follower!r} follows {leader!r} by the ratio {shorten(str(ratio))}, which is no "
        "whole number: its sine and cosine are no polynomials in those of the other.\n"
        f"  For a closed form, {value_words}make the ratio whole, or lock the joint: "
        f"robot.locked({{{follower!r}: 0}}). Numbers need no closed form."
    )
