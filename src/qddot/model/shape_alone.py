"""A robot's shape alone: what poses and drawings depend on, without masses and what turns them."""

from __future__ import annotations

from dataclasses import replace

from qddot.model.joint import Joint, Limits
from qddot.model.link import Inertial
from qddot.model.model import Model, mapped
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, free_symbols


def shape_alone(model: Model) -> Model:
    """Return a model without masses, motors, springs, friction and limits of speed.

    Symbols that it still has are lengths, angles, ratios, limits of positions and the like. Gravity
    has its direction, which drawings stand by.
    """
    return replace(
        model,
        links=tuple(replace(link, inertial=Inertial()) for link in model.links),
        joints=tuple(_shape_of(joint) for joint in model.joints),
        couplings=(),
        payloads=(),
        gravity=mapped(model.gravity, _with_ones),
        valued=None,
    )


def _with_ones(x: Scalar) -> Scalar:
    return x.substitute(dict.fromkeys(free_symbols(x), 1)) if isinstance(x, Expression) else x


def _shape_of(joint: Joint) -> Joint:
    return Joint(
        name=joint.name,
        kind=joint.kind,
        parent=joint.parent,
        child=joint.child,
        origin=joint.origin,
        axis=joint.axis,
        limits=Limits(joint.limits.lower, joint.limits.upper),
        mimic=joint.mimic,
        locked=joint.locked,
        home=joint.home,
        pitch=joint.pitch,
    )
