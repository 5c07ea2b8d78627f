"""Doubts about a model that is formally right: what can be true, but rarely is.

Degrees where radians belong, millimetres where metres do, limits that leave no room, sizes that no
link has; what is doubtful about inertias is in `inertia_advice`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from qddot.errors import Problem, listing
from qddot.model.inertia_advice import habits, size_doubts
from qddot.model.joint import Joint
from qddot.model.limits import limit_doubts
from qddot.model.link import Inertial, Link, Placement
from qddot.model.model import Model, scalars
from qddot.model.structure import place
from qddot.scalars import Scalar
from qddot.scalars.expressions import free_symbols
from qddot.scalars.reader import JOINT_VARIABLE

Doubt = tuple[str, str, str]  # severity, message, remedy


def doubts(model: Model) -> list[Problem]:
    """Return warnings and notes about a model whose values are all possible."""
    problems = []
    for joint in model.joints:
        where = place("joint", joint.name)
        for severity, message, remedy in _joint_doubts(joint):
            problems.append(Problem(severity, where, message, remedy, joint.line))  # type: ignore[arg-type]  # one of three words
    problems += [*_name_doubts(model), *limit_doubts(model)]
    problems += _angle_notes(model)
    sizes, still = _sizes(model), _still(model)
    for link in model.links:
        if link.name in still or any(free_symbols(x) for x in scalars(link)):
            continue
        for severity, message, remedy in _link_doubts(link, sizes[link.name]):
            problems.append(Problem(severity, place("link", link.name), message, remedy, link.line))  # type: ignore[arg-type]  # one of three words
    problems += habits(model)
    gravity = [x for x in model.gravity if not free_symbols(x)]
    if math.hypot(*(float(x) for x in gravity)) > 30:
        message = f"its size is {math.hypot(*(float(x) for x in gravity)):.4g} m/s²"
        problems.append(Problem("warning", "gravity", message, "On Earth it is 9.81 m/s²."))
    return problems


def _joint_doubts(joint: Joint) -> Iterator[Doubt]:
    limits = joint.limits
    if joint.endless and (limits.lower, limits.upper) != (None, None):
        message = "it is continuous, so its lower and upper limits mean nothing"
        yield "warning", message, "Use type revolute if it is limited, or remove them."
    if joint.role in ("angle", "length") and not joint.endless and joint.mimic is None:
        if limits.lower is None or limits.upper is None:
            remedy = "Give lower and upper"
            remedy += ", or use type continuous." if joint.turns else "."
            yield "note", "it has no position limits, so it is taken as unlimited", remedy
        elif not (free_symbols(limits.lower) or free_symbols(limits.upper)):
            reach = max(abs(float(limits.lower)), abs(float(limits.upper)))
            if joint.turns and reach > 24:  # some robots say 10 or 20 for unlimited
                remedy = "They look like degrees; multiply by π/180."
                if reach >= 1000:
                    remedy = "Use type continuous for a joint without limits."
                yield "warning", f"its limits reach {reach:g} rad", remedy
            elif limits.lower == limits.upper:
                message = f"its limits leave no room (both {float(limits.lower):g})"
                yield "warning", message, "Use type fixed if it does not move."
    for message, remedy in joint_units(joint):
        yield "warning", message, remedy


def _name_doubts(model: Model) -> Iterator[Problem]:
    """Yield the joints and the symbols that are called like a coordinate of another joint."""
    called = [re.fullmatch(r"(?i)(?:q|theta|[θϑ])_?([1-9]\d*)", name) for name in model.joint_names]
    pairs = zip(model.free_joints, called, strict=True)
    wrong = [(k, joint, int(name[1])) for k, (joint, name) in enumerate(pairs, 1) if name]
    wrong = [(k, joint) for k, joint, other in wrong if k != other <= model.n]
    for k, joint in wrong[:1]:
        others = listing(repr(other.name) for _, other in wrong[1:])
        message = f"its name is that of another joint's coordinate, and its own is q{k}"
        message += f" (likewise {others})" if others else ""
        remedy = "Rename it, or order the joints by their numbers."
        yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)
    for name in filter(JOINT_VARIABLE.fullmatch, model.symbols):
        message = "it is called like a position, velocity, acceleration or torque of a joint"
        yield Problem("warning", place("symbol", name), message, "Rename it.")


def _angle_notes(model: Model) -> Iterator[Problem]:
    """Yield the angles that were probably meant to be right ones, each once."""
    found: dict[float, list[Joint]] = {}
    for joint in model.joints:
        for angle in joint.origin.rpy:
            if isinstance(angle, float) and nearly_right_angle(angle):
                found.setdefault(angle, []).append(joint)
    for angle, joints in found.items():
        exact, name = nearly_right_angle(angle) or (angle, "")
        others = len(joints) - 1
        times = f" (and {others} more time{'s' * (others > 1)})" if others else ""
        message = (
            f"its origin is turned by {angle!r} rad, {abs(angle - exact):.1e} off {name}{times}"
        )
        meant = "a right angle" if name.endswith("/2") else name
        remedy = f"Write {exact!r} if {meant} is meant."
        yield Problem("note", place("joint", joints[0].name), message, remedy, joints[0].line)


def nearly_right_angle(angle: float) -> tuple[float, str] | None:
    """Return the multiple of π/2 that an angle was probably meant to be, and its name."""
    quarters = round(angle / (math.pi / 2))
    if quarters == 0 or abs(quarters) > 4:
        return None
    exact = quarters * math.pi / 2
    # with seven digits or more an angle is as right as anybody writes it
    if 1e-6 < abs(angle - exact) < 5e-3:
        names = {1: "π/2", 2: "π", 3: "3π/2", 4: "2π"}
        return exact, ("-" if quarters < 0 else "") + names[abs(quarters)]
    return None


def _link_doubts(link: Link, size: float) -> Iterator[Doubt]:
    inertial = link.inertial
    mass = float(inertial.mass)
    if mass <= 0:
        return
    away = math.hypot(*(float(x) for x in inertial.com))
    if away > max(3 * size, 0.5):  # a head may sit half a metre from its frame
        message = (
            f"its centre of mass is {away:.3g} m from its frame, "
            f"but what it carries is within {size:.3g} m"
        )
        yield "warning", message, "Is it in millimetres, or in another frame?"
    for message, remedy in (*size_doubts(inertial, size), *inertial_units(inertial)):
        yield "warning", message, remedy


def _sizes(model: Model) -> dict[str, float]:
    """Return, for each link, how far the joints and frames that it carries reach.

    A link that carries nothing is taken to be as large as the link before it, and so are links that
    are fixed to one another; where nothing at all is known the size is infinite, so that nothing is
    doubted.
    """
    sizes = dict.fromkeys((link.name for link in model.links), 0.0)
    for joint in model.joints:
        travel = [joint.limits.lower, joint.limits.upper] if joint.role == "length" else []
        slide = max((abs(float(x)) for x in travel if x and not free_symbols(x)), default=0.0)
        reach = distance(joint.origin) + slide
        for name in (joint.parent, joint.child):
            sizes[name] = max(sizes[name], reach)
    for frame in model.frames:
        sizes[frame.link] = max(sizes[frame.link], distance(frame.placement))
    fixed = [joint for joint in model.joints if joint.kind == "fixed"]
    for joint in (*reversed(fixed), *fixed):
        together = max(sizes[joint.parent], sizes[joint.child])
        sizes[joint.parent] = sizes[joint.child] = together
    return {name: max(size, 0.05) if size else math.inf for name, size in sizes.items()}


def _still(model: Model) -> set[str]:
    """Return the links that never move, so that their inertia does not matter."""
    moved = {joint.child for joint in model.joints if joint.moves}
    parents = {joint.child: joint.parent for joint in model.joints}

    def stands(name: str) -> bool:
        while name not in moved and name in parents:
            name = parents[name]
        return name not in moved

    return {link.name for link in model.links if stands(link.name)}


LONGEST = 10  # [m]; no robot that we know of has a longer link
TURN = 6.3  # [rad]; a placement is never turned by more


def joint_units(joint: Joint) -> Iterator[tuple[str, str]]:
    """Yield what looks like another unit in a joint's placement, and what to do."""
    for angle in degrees(joint.origin.rpy):
        yield f"its origin is turned by {angle:g} rad", as_radians(angle)
    away = distance(joint.origin)
    if LONGEST < away < math.inf:
        yield f"its origin is {away:.4g} m away", "It looks like millimetres; divide by 1000."
    ends = [x for x in (joint.limits.lower, joint.limits.upper) if x is not None]
    far = max((abs(float(x)) for x in ends if not free_symbols(x)), default=0.0)
    if joint.role == "length" and far > LONGEST:
        remedy = "They look like millimetres; divide by 1000. Leave them out if there are none."
        yield f"its limits reach {far:.4g} m", remedy


def inertial_units(inertial: Inertial) -> Iterator[tuple[str, str]]:
    """Yield what looks like another unit in a link's inertia, and what to do."""
    for angle in degrees(inertial.rpy):
        yield f"the axes of its inertia are turned by {angle:g} rad", as_radians(angle)


def degrees(rpy: tuple[Scalar, ...]) -> list[float]:
    """Return the angles that are too large to be in radians."""
    return [float(x) for x in rpy if not free_symbols(x) and abs(float(x)) > TURN]


def as_radians(angle: float) -> str:
    return f"It looks like degrees; {angle:g}° is {math.radians(angle):.16g} rad."


def distance(placement: Placement) -> float:
    """Return how far away a placement is; infinite where it has symbols."""
    if any(free_symbols(x) for x in placement.xyz):
        return math.inf  # unknown, so nothing is too far
    return math.hypot(*(float(x) for x in placement.xyz))
