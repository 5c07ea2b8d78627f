"""A robot's tree over the polynomials of its ring, with the angles that were meant.

Angles that were typed with a few digits are read as the exact ones. Only for the closed form, where
1.5708 in the place of π/2 would fill every equation with terms that mean nothing; the numbers of a
robot stay what its file says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from qddot.checks import need_joints
from qddot.equations.ring import Ring
from qddot.equations.terms import has_angle
from qddot.errors import BadArgument, shorten
from qddot.model.coordinates import Drive
from qddot.model.folding import exact, fold
from qddot.model.joint import Joint, Mimic
from qddot.model.link import Placement
from qddot.model.model import Model
from qddot.model.tree import NO_INERTIA, Body, Tree
from qddot.scalars import Scalar
from qddot.scalars.expressions import PI_EXPRESSION, Expression, expression

RIGHT = 1e-3  # [rad] how far a typed right angle may be off: 1.57 is 8e-4
OTHER = 5e-5  # and a multiple of 15° or 18°: 0.7854 is 2e-6
STEPS = ((Fraction(1, 2), RIGHT), (Fraction(1, 12), OTHER), (Fraction(1, 10), OTHER))  # of π


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


def exact_robot(model: Model, ring: Ring | None = None) -> ExactRobot:
    """Return a model over exact polynomials; a decimal stands for the rational it names.

    A ring that is given has all of its parameters, and perhaps more.
    """
    need_joints(model, "it has no equations of motion")
    model.need_single_numbers("A closed form")
    meant, notes = with_angles_meant(model)
    tree = fold(meant, exact)
    for body, drive in zip(tree.bodies, tree.drives, strict=True):
        check_ratio(tree, body, drive)
    ring = ring or Ring.of(tree)
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


def with_angles_meant(model: Model) -> tuple[Model, tuple[str, ...]]:
    """Return the model with exact angles, and a note on every angle that is not what was typed."""
    notes: dict[str, None] = {}

    def read_at(where: str) -> Callable[[Placement], Placement]:
        def read(placement: Placement) -> Placement:
            angles = tuple(meant(angle, where, notes) for angle in placement.rpy)
            return replace(placement, rpy=angles)

        return read

    joints = tuple(
        replace(
            joint,
            origin=read_at(f"joint {shorten(joint.name)!r}")(joint.origin),
            mimic=following(joint, notes),
        )
        for joint in model.joints
    )
    frames = tuple(
        replace(frame, placement=read_at(f"frame {shorten(frame.name)!r}")(frame.placement))
        for frame in model.frames
    )
    links = tuple(
        replace(
            link,
            inertial=replace(
                link.inertial,
                rpy=tuple(
                    meant(angle, f"link {shorten(link.name)!r}", notes)
                    for angle in link.inertial.rpy
                ),
            ),
        )
        for link in model.links
    )
    return replace(model, joints=joints, frames=frames, links=links), tuple(notes)


def following(joint: Joint, notes: dict[str, None]) -> Mimic | None:
    """Return how a joint follows another; its offset is an angle if it turns."""
    if joint.mimic is None or not joint.turns:
        return joint.mimic
    where = f"the offset of joint {shorten(joint.name)!r}"
    return replace(joint.mimic, offset=meant(joint.mimic.offset, where, notes))


def meant(angle: Scalar, where: str, notes: dict[str, None]) -> Scalar:
    """Return the exact angle behind a decimal; what cannot be exact stays, and is named."""
    if isinstance(angle, Expression) or angle == 0:
        return angle
    for step, allowed in STEPS:
        turns = round(float(angle) / (math.pi * step)) * step
        if turns and abs(float(angle) - float(turns) * math.pi) < allowed:
            exact = PI_EXPRESSION * turns
            if abs(float(angle) - float(exact)) > 1e-15:
                notes[f"{angle!r} rad at {where} was read as {exact}."] = None
            return exact
    text = f"{angle!r} rad at {where} has no exact sine and cosine; they stand for themselves."
    notes[text] = None
    return expression(angle)
