"""Angles that were typed with a few digits, read as the exact ones that were meant.

Only for the closed form, where 1.5708 in the place of π/2 would fill every equation with terms that
mean nothing; the numbers of a robot stay what its file says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from qddot.errors import shorten
from qddot.expressions import PI_EXPRESSION, Expression, expression
from qddot.model.joint import Joint, Mimic
from qddot.model.link import Placement
from qddot.model.model import Model
from qddot.scalars import Scalar

RIGHT = 1e-3  # [rad] how far a typed right angle may be off: 1.57 is 8e-4
OTHER = 5e-5  # and a multiple of 15° or 18°: 0.7854 is 2e-6
STEPS = ((Fraction(1, 2), RIGHT), (Fraction(1, 12), OTHER), (Fraction(1, 10), OTHER))  # of π


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
    for step, allowed in (
        (Fraction(1, 2), RIGHT),
        (Fraction(1, 12), OTHER),
        (Fraction(1, 10), OTHER),
    ):
        turns = round(float(angle) / (math.pi * step)) * step
        if turns and abs(float(angle) - float(turns) * math.pi) < allowed:
            exact = PI_EXPRESSION * turns
            if abs(float(angle) - float(exact)) > 1e-15:
                notes[f"{angle!r} rad at {where} was read as {exact}."] = None
            return exact
    text = f"{angle!r} rad at {where} has no exact sine and cosine; they stand for themselves."
    notes[text] = None
    return expression(angle)
