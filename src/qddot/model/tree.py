"""What the algorithms see: moving bodies only, each with the ten numbers of its inertia.

Fixed and locked joints are folded into the body that carries them, payloads into the body that
holds them, and a joint that follows another shares its coordinate. Frames stay addressable by
name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from qddot.errors import BadArgument, NotNumeric, UnknownName, shorten
from qddot.expressions import Expression, expression
from qddot.model.acting import Elastic, Positions, elastics, friction, rotor_inertia
from qddot.model.joint import Friction, Joint, Prismatic, Revolute
from qddot.model.model import Model, mapped
from qddot.scalars import JointVec, Scalar, Vec3, sqrt
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import join, split

BASE = -1  # the parent of the bodies that hang from the base
MOTIONS = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic}
NO_INERTIA = Inertia(0, ORIGIN, 0 * IDENTITY)


@dataclass(frozen=True)
class Body:
    """A moving body: what carries it, how it moves, what it weighs."""

    name: str  # the joint's
    parent: int  # index of the body that carries it, or BASE
    X_PJ: Pose  # where its joint is, in the parent body
    joint: Revolute | Prismatic
    inertia: Inertia
    index: int  # which entry of q moves it
    ratio: Scalar  # and how: its joint stands at ratio · q[index] + offset
    offset: Scalar

    def __post_init__(self) -> None:
        # the dynamics take any S; other rooms still take what does not turn for a slide
        if type(self.joint) not in (Revolute, Prismatic):
            raise BadArgument(
                f"Joint {shorten(self.name)!r} moves as {type(self.joint).__name__}, which the "
                "equations do not know: they know Revolute and Prismatic.\n"
                "  Build it from these, with massless links between and mimic where it is coupled."
            )

    def position(self, q: JointVec) -> Scalar:
        """Return where its joint stands."""
        return self.ratio * q[self.index] + self.offset

    def rate(self, qd: JointVec) -> Scalar:
        """Return how fast its joint moves; of accelerations, how fast that changes."""
        return self.ratio * qd[self.index]

    def moves(self, qd: JointVec) -> tuple[Vec3, Vec3]:
        """Return S q̇ of its joint, [ω; u]: how it moves in its parent, in its own axes."""
        return split(self.joint.S * self.rate(qd))

    def feels(self, n: Vec3, f: Vec3) -> Scalar:
        """Return S · [n; f], what of a moment and a force its coordinate feels."""
        return self.ratio * (self.joint.S @ join(n, f))

    def X_PB(self, q: JointVec) -> Pose:
        """Return the pose of the body in its parent."""
        return self.X_PJ @ self.joint.pose(self.position(q))


@dataclass(frozen=True)
class Tree:
    """A robot without its fixed joints: n coordinates and the bodies they move, depth-first."""

    name: str
    joint_names: tuple[str, ...]
    bodies: tuple[Body, ...]
    base: Inertia  # of everything that does not move
    frames: dict[str, tuple[int, Pose]]  # which body, and X_BF
    gravity: tuple[Scalar, Scalar, Scalar]
    rotor_inertia: tuple[Scalar, ...]  # one a coordinate, reflected
    friction: tuple[Friction, ...]  # one a coordinate
    elastics: tuple[Elastic, ...]

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return len(self.joint_names)

    def frame(self, name: str) -> tuple[int, Pose]:
        """Return the body that carries a frame, and where on it."""
        if name not in self.frames:
            raise UnknownName("frame", name, self.name, self.frames)
        return self.frames[name]


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

    Raises:
        NotNumeric: If numbers are asked for and the model still has symbols.
    """
    if number is numeric and model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    model = mapped(model, number)
    positions = coordinates(model)
    root = model.links[0].name
    carrier: dict[str, tuple[int, Pose]] = {root: (BASE, STILL)}  # of each link, with X_BL
    bodies: list[Body] = []
    for joint in model.joints:
        parent, X_BL = carrier[joint.parent]
        X_PJ = X_BL @ joint.origin.pose()
        if joint.kind == "fixed":
            carrier[joint.child] = (parent, X_PJ)
            continue
        motion = motion_of(joint)
        where, ratio, offset = positions[joint.name]
        if where is None:
            carrier[joint.child] = (parent, X_PJ @ motion.pose(offset))
            continue
        carrier[joint.child] = (len(bodies), STILL)
        bodies.append(Body(joint.name, parent, X_PJ, motion, NO_INERTIA, where, ratio, offset))

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
        bodies=tuple(replace(body, inertia=inertias[i]) for i, body in enumerate(bodies)),
        base=inertias[BASE],
        frames=frames,
        gravity=model.gravity,
        rotor_inertia=tuple(rotor_inertia(model, positions)),
        friction=tuple(friction(model, positions)),
        elastics=tuple(elastics(model, positions)),
    )


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

    return {joint.name: resolve(joint) for joint in model.joints if joint.kind != "fixed"}


def motion_of(joint: Joint) -> Revolute | Prismatic:
    """Return how a joint that is not fixed moves.

    Raises:
        BadArgument: If its kind is none that the equations know.
    """
    if joint.kind not in MOTIONS:
        raise BadArgument(
            f"Joint {shorten(joint.name)!r} is of kind {shorten(str(joint.kind))!r}, which has no "
            f"equations. Kinds that move: {', '.join(MOTIONS)}."
        )
    return MOTIONS[joint.kind](unit(joint.axis))


def unit(axis: tuple[Scalar, Scalar, Scalar]) -> tuple[Scalar, Scalar, Scalar]:
    """Return the axis with length 1; one along x, y or z stays exact."""
    if [bool(a) for a in axis].count(True) == 1 and not isinstance(sum(axis), Expression):
        x, y, z = ((a > 0) - (a < 0) for a in axis)
        return x, y, z
    plain = all(isinstance(a, (int, float)) for a in axis)
    length = math.hypot(*axis) if plain else sqrt(sum(a * a for a in axis))
    x, y, z = (a / length for a in axis)
    return x, y, z
