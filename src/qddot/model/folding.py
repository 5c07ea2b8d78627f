"""From a model to its tree: fixed joints folded, payloads merged, numbers made of one kind.

Rotors, friction and springs of joints that follow are handed to the coordinate that moves them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from qddot.errors import BadArgument, NotNumeric, shorten
from qddot.model.coordinates import Drive, Drives
from qddot.model.friction import Friction, together
from qddot.model.geometry import Geometry, Kind
from qddot.model.joint import FIXED, Coupling, Joint, Start, Stops
from qddot.model.joints import MOTIONS, JointMotion, OneCoordinate
from qddot.model.model import Model, mapped
from qddot.model.shaft import Shaft
from qddot.model.tree import BASE, NO_INERTIA, Body, Elastic, Lever, Tree
from qddot.scalars import Scalar, sincos, sqrt
from qddot.scalars.expressions import Expression, expression
from qddot.spatial.pose import STILL, Pose

# of each joint: which coordinate moves it (None: locked), by what ratio, from what offset
Positions: TypeAlias = dict[str, tuple[int | None, Scalar, Scalar]]


def numeric(x: Scalar) -> Scalar:
    """Return a scalar of a model as a plain number."""
    return float(x) if isinstance(x, Expression) else x


def exact(x: Scalar) -> Expression:
    """Return a scalar of a model as an exact expression: a float as the decimal it was typed."""
    result = expression(x)
    if result is NotImplemented:
        raise BadArgument(f"{shorten(repr(x))} is not a number that an exact expression can hold.")
    return result


def fold(model: Model, number: Callable[[Scalar], Scalar] = numeric) -> Tree:
    """Return the tree of moving bodies, over the kind of number that `number` makes.

    It raises NotNumeric if numbers are asked for and the model still has symbols.
    """
    if number is numeric and model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    # what links look like is in no equation
    bare = tuple(replace(link, visuals=(), collisions=()) for link in model.links)
    model = mapped(replace(model, links=bare), number)
    positions = coordinates(model)
    root = model.links[0].name
    carrier: dict[str, tuple[int, Pose]] = {root: (BASE, STILL)}  # of each link, with X_BL
    bodies: list[Body] = []
    drives: list[Drive] = []
    parts = list(parts_of(model))
    for joint in model.joints:
        parent, X_BL = carrier[joint.parent]
        X_PJ = X_BL @ joint.origin.pose()
        if joint.kind == FIXED:
            carrier[joint.child] = (parent, X_PJ)
            continue
        motion = motion_of(joint)
        where, ratio, offset = positions[joint.name]
        check_single(model, joint, motion)
        if where is None:
            carrier[joint.child] = (parent, X_PJ @ motion.pose([offset]))
            continue
        carrier[joint.child] = (len(bodies), STILL)
        drives.append(Drive(*parts[where], ratio, offset, joint.mimic is None))
        bodies.append(Body(joint.name, parent, X_PJ, motion, NO_INERTIA))

    frames = dict(carrier)
    for frame in model.frames:
        body, X_BL = carrier[frame.link]
        frames[frame.name] = (body, X_BL @ frame.placement.pose())

    inertias = dict.fromkeys(range(BASE, len(bodies)), NO_INERTIA)
    masses = [(link.name, link.inertial) for link in model.links]
    for name, inertial in masses + [(load.frame, load.inertial) for load in model.payloads]:
        body, X_BF = frames[name]
        inertias[body] = inertias[body] + inertial.about_origin().seen_from(X_BF)

    return Tree(
        name=model.name,
        joint_names=model.joint_names,
        bodies=in_order(
            replace(body, inertia=body.counted(inertias[i])) for i, body in enumerate(bodies)
        ),
        coordinates=Drives(tuple(drives), model.n),
        base=inertias[BASE],
        frames=frames,
        gravity=model.gravity,
        rotor_inertia=tuple(rotor_inertia(model, positions)),
        friction=tuple(friction(model, positions)),
        elastics=tuple(elastics(model, positions)),
        shared=tuple(shared_shafts(model, positions)),
    )


def geometry_on_bodies(
    model: Model, tree: Tree, kind: Kind = "visuals"
) -> Iterator[tuple[int, Pose, Geometry]]:
    """Yield the shapes of a robot: which body of its tree carries it (−1: the base), where, what.

    A link behind fixed joints is carried by the body before them; X_BG, the pose of the shape, is
    in that body's frame. All numbers are floats.
    """
    for link in model.links:
        body, X_BL = tree.frames[link.name]
        for geometry in getattr(link, kind):
            plain = mapped(geometry, lambda x: float(numeric(x)))
            yield body, X_BL @ plain.place.pose(), plain


def coordinates(model: Model) -> Positions:
    """Return, for each joint that is not fixed, which coordinate moves it, by what, from where.

    A joint that follows one that follows another ends at the same coordinate; what follows a
    locked joint is locked itself (coordinate None).
    """
    joints = {joint.name: joint for joint in model.joints}
    index = {name: i for i, name in enumerate(model.joint_names)}

    def resolve(joint: Joint) -> tuple[int | None, Scalar, Scalar]:
        ratio, offset = 1, 0
        while joint.locked is None and joint.mimic is not None:
            offset = ratio * joint.mimic.offset + offset
            ratio = ratio * joint.mimic.multiplier
            joint = joints[joint.mimic.joint]
        if joint.locked is not None:
            return None, 0, ratio * joint.locked + offset
        return index[joint.name], ratio, offset

    return {joint.name: resolve(joint) for joint in model.joints if joint.kind != FIXED}


def in_order(bodies: Iterable[Body]) -> tuple[Body, ...]:
    """Return the bodies of a tree, each with its joint's parts of q_J and v_J."""
    found: list[Body] = []
    q = v = 0
    for body in bodies:
        ends = q + body.joint.nq, v + body.joint.nv
        found.append(replace(body, q=slice(q, ends[0]), v=slice(v, ends[1])))
        q, v = ends
    return tuple(found)


def parts_of(model: Model) -> Iterator[tuple[slice, slice]]:
    """Yield which entries of q and of v each free joint has."""
    q = v = 0
    for joint in model.free_joints:
        motion = motion_of(joint)
        yield slice(q, q + motion.nq), slice(v, v + motion.nv)
        q, v = q + motion.nq, v + motion.nv


def motion_of(joint: Joint) -> JointMotion:
    """Return how a joint that is not fixed moves.

    It raises BadArgument if its kind is none that there is.
    """
    if joint.kind not in MOTIONS:
        raise BadArgument(
            f"Joint {shorten(joint.name)!r} is of kind {shorten(str(joint.kind))!r}, which has no "
            f"equations. Kinds that move: {', '.join(MOTIONS)}."
        )
    return MOTIONS[joint.kind].of(joint, unit(joint.axis))


def check_single(model: Model, joint: Joint, motion: JointMotion) -> None:
    """Raise BadArgument if a joint with several numbers has what only one number can have."""
    if isinstance(motion, OneCoordinate):
        return
    for what, there in (
        ("a spring", joint.spring.acts),
        ("a joint that it follows", joint.mimic is not None),
        ("a joint that follows it", any(_follows(other, joint.name) for other in model.joints)),
        ("a coupling", any(joint.name in c.joints for c in model.couplings)),
        ("a position that it is locked at", joint.locked is not None),
        ("limits of its position", joint.ends != (None, None)),
        ("a home position", joint.home is not None),
        ("a start", joint.start != Start()),
        ("stops", joint.stops != Stops()),
    ):
        if there:
            raise BadArgument(
                f"Joint {shorten(joint.name)!r} is of kind {shorten(str(joint.kind))!r}, whose "
                f"position is no single number, and has {what}. Remove that."
            )


def _follows(joint: Joint, name: str) -> bool:
    return joint.mimic is not None and joint.mimic.joint == name


def unit(axis: tuple[Scalar, Scalar, Scalar]) -> tuple[Scalar, Scalar, Scalar]:
    """Return the axis with length 1; one along x, y or z stays exact."""
    if [bool(a) for a in axis].count(True) == 1 and not isinstance(sum(axis), Expression):
        x, y, z = ((a > 0) - (a < 0) for a in axis)
        return x, y, z
    plain = all(isinstance(a, (int, float)) for a in axis)
    length = math.hypot(*axis) if plain else sqrt(sum(a * a for a in axis))
    x, y, z = (a / length for a in axis)
    return x, y, z


# what acts on each coordinate besides gravity and inertia: a joint that follows another at
# q = r q_leader + o hands that to the leader's, torques multiplied by r once more (virtual work)


def elastics(model: Model, positions: Positions) -> Iterator[Elastic]:
    """Yield every spring at a joint and every spring and damper between two joints."""
    for joint in model.joints:
        if joint.kind != FIXED and joint.spring.stiffness:
            direction, offset = _stretch(model, positions[joint.name])
            yield Elastic(direction, joint.spring.stiffness, 0, joint.spring.rest - offset)
        for number, a, b in joint.spring.harmonics if joint.kind != FIXED else ():
            direction, offset = _stretch(model, positions[joint.name])
            m = int(float(number))
            s, c = sincos(m * offset) if offset else (0, 1)
            yield Lever(direction, number=m, cosine=a * c + b * s, sine=b * c - a * s)
    for coupling in model.couplings:
        if coupling.stiffness or coupling.damping:
            direction, offset = _along(model, coupling, positions)
            rest = coupling.rest - offset
            yield Elastic(direction, coupling.stiffness, coupling.damping, rest)


def shared_shafts(model: Model, positions: Positions) -> Iterator[Shaft]:
    """Yield the motors and the friction along combinations of joints."""
    for coupling in model.couplings:
        direction, _ = _along(model, coupling, positions)
        if coupling.is_shaft and any(direction):
            motor, friction = coupling.motor.reflected, coupling.friction
            yield Shaft(coupling.combination, tuple(direction), motor, friction)


def rotor_inertia(model: Model, positions: Positions) -> Iterator[Scalar]:
    """Yield the reflected rotor inertia at each coordinate."""
    for shares in _shares(model, positions):
        yield sum(ratio * ratio * joint.motor.reflected for joint, ratio in shares)


def friction(model: Model, positions: Positions) -> Iterator[Friction]:
    """Yield the friction at each coordinate, that of followers included."""
    for shares in _shares(model, positions):
        yield together([(joint.friction, ratio) for joint, ratio in shares])


def _shares(model: Model, positions: Positions) -> list[list[tuple[Joint, Scalar]]]:
    """Return, for each coordinate, its own joint and then those that follow it."""
    shares: list[list[tuple[Joint, Scalar]]] = [[(joint, 1)] for joint in model.free_joints]
    for joint in model.joints:
        if joint.mimic is not None and joint.moves:
            at, ratio, _ = positions[joint.name]
            if at is not None:
                shares[at].append((joint, ratio))
    return shares


def _along(model: Model, coupling: Coupling, positions: Positions) -> tuple[np.ndarray, Scalar]:
    """Return the direction and the offset of what acts between joints."""
    direction, offset = np.array([0] * model.n), 0
    for name, ratio in zip(coupling.joints, coupling.ratios, strict=True):
        own, start = _stretch(model, positions[name])
        direction, offset = direction + ratio * own, offset + ratio * start
    return direction, offset


def _stretch(model: Model, position: tuple) -> tuple[np.ndarray, Scalar]:
    at, ratio, offset = position
    direction = np.array([ratio if i == at else 0 for i in range(model.n)])
    return direction, offset
