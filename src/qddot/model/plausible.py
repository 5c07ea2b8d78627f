"""Doubts about a model that is formally right: what can be true, but rarely is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from qddot.errors import Problem
from qddot.expressions import free_symbols
from qddot.model.joint import Joint
from qddot.model.link import Inertial, Link, Placement
from qddot.model.model import Model, scalars
from qddot.model.structure import place

Doubt = tuple[str, str, str]  # severity, message, remedy


def doubts(model: Model) -> list[Problem]:
    """Return warnings and notes about a model whose values are all possible."""
    problems = []
    for joint in model.joints:
        where = place("joint", joint.name)
        for severity, message, remedy in _joint_doubts(joint):
            problems.append(Problem(severity, where, message, remedy, joint.line))  # type: ignore[arg-type]  # one of three words
    sizes = _sizes(model)
    for link in model.links:
        if any(free_symbols(x) for x in scalars(link)):
            continue
        for severity, message, remedy in _link_doubts(link, sizes[link.name]):
            problems.append(Problem(severity, place("link", link.name), message, remedy, link.line))  # type: ignore[arg-type]  # one of three words
    problems += _massless_leaves(model)
    gravity = [x for x in model.gravity if not free_symbols(x)]
    if math.hypot(*(float(x) for x in gravity)) > 30:
        message = f"its size is {math.hypot(*(float(x) for x in gravity)):.4g} m/s²"
        problems.append(Problem("warning", "gravity", message, "On Earth it is 9.81 m/s²."))
    return problems


def _joint_doubts(joint: Joint) -> Iterator[Doubt]:
    limits = joint.limits
    if joint.kind in ("revolute", "prismatic") and joint.mimic is None:
        if limits.lower is None or limits.upper is None:
            remedy = "Give lower and upper"
            remedy += ", or use type continuous." if joint.kind == "revolute" else "."
            yield "note", "it has no position limits, so it is taken as unlimited", remedy
        elif not (free_symbols(limits.lower) or free_symbols(limits.upper)):
            reach = max(abs(float(limits.lower)), abs(float(limits.upper)))
            if joint.kind == "revolute" and reach > 40:
                remedy = "They look like degrees; multiply by π/180."
                if reach > 10_000:
                    remedy = "Use type continuous for a joint without limits."
                yield "warning", f"its limits reach {reach:g} rad", remedy
            elif limits.lower == limits.upper:
                message = f"its limits leave no room (both {float(limits.lower):g})"
                yield "warning", message, "Use type fixed if it does not move."
    for angle in joint.origin.rpy:
        if isinstance(angle, float) and (exact := nearly_right_angle(angle)):
            message = (
                f"its origin is turned by {angle!r} rad, {abs(angle - exact[0]):.1e} off {exact[1]}"
            )
            yield "note", message, f"Write {exact[0]!r} if a right angle is meant."


def nearly_right_angle(angle: float) -> tuple[float, str] | None:
    """Return the multiple of π/2 that an angle was probably meant to be, and its name."""
    quarters = round(angle / (math.pi / 2))
    if quarters == 0 or abs(quarters) > 4:
        return None
    exact = quarters * math.pi / 2
    if 1e-13 < abs(angle - exact) < 5e-3:
        names = {1: "π/2", 2: "π", 3: "3π/2", 4: "2π"}
        return exact, ("-" if quarters < 0 else "") + names[abs(quarters)]
    return None


def _link_doubts(link: Link, size: float) -> Iterator[Doubt]:
    inertial = link.inertial
    mass = float(inertial.mass)
    if mass == 0:
        return
    distance = math.hypot(*(float(x) for x in inertial.com))
    if distance > max(3 * size, 0.5):  # a head may sit half a metre from its frame
        message = (
            f"its centre of mass is {distance:.3g} m from its frame, "
            f"but what it carries is within {size:.3g} m"
        )
        yield "warning", message, "Is it in millimetres, or in another frame?"
    gyration = radius_of_gyration(inertial)
    if gyration > 4 * size:
        message = (
            f"its inertia is that of a body of radius {gyration:.3g} m, "
            f"but what it carries is within {size:.3g} m"
        )
        yield "warning", message, "A decimal slip, or other units (g·mm² is 1e-9 kg·m²)?"
    elif 0 < gyration < size / 500 < math.inf:
        message = (
            f"its inertia is that of a body of radius {1000 * gyration:.2g} mm, "
            f"on a link of {size:.3g} m"
        )
        yield "warning", message, "A decimal slip, or other units?"


def radius_of_gyration(inertial: Inertial) -> float:
    """Return the radius of a thin ring, about its axis, with the same mass and largest moment."""
    Ixx, _, _, Iyy, _, Izz = (float(x) for x in inertial.inertia)
    return math.sqrt(max(Ixx, Iyy, Izz, 0) / float(inertial.mass))


def _sizes(model: Model) -> dict[str, float]:
    """Return, for each link, how far the joints and frames that it carries reach.

    A link that carries nothing is taken to be as large as the link before it; where nothing at
    all is known the size is infinite, so that nothing is doubted.
    """
    sizes = dict.fromkeys((link.name for link in model.links), 0.0)
    for joint in model.joints:
        travel = [joint.limits.lower, joint.limits.upper] if joint.kind == "prismatic" else []
        slide = max((abs(float(x)) for x in travel if x and not free_symbols(x)), default=0.0)
        reach = _distance(joint.origin) + slide
        for name in (joint.parent, joint.child):
            sizes[name] = max(sizes[name], reach)
    for frame in model.frames:
        sizes[frame.link] = max(sizes[frame.link], _distance(frame.placement))
    return {name: max(size, 0.05) if size else math.inf for name, size in sizes.items()}


def _distance(placement: Placement) -> float:
    if any(free_symbols(x) for x in placement.xyz):
        return math.inf  # unknown, so nothing is too far
    return math.hypot(*(float(x) for x in placement.xyz))


def _massless_leaves(model: Model) -> Iterator[Problem]:
    """Yield the moving joints beyond which nothing has mass: M is singular there."""
    if not model.free_joints:
        return
    heavy = {link.name for link in model.links if link.inertial.mass or any(link.inertial.inertia)}
    links = {frame.name: frame.link for frame in model.frames}
    heavy |= {links.get(load.frame, load.frame) for load in model.payloads}
    carried: dict[str, list[Joint]] = {}
    for joint in model.joints:
        carried.setdefault(joint.parent, []).append(joint)
    bears: dict[str, bool] = {}
    order = [joint for joint in model.joints if joint.parent not in {j.child for j in model.joints}]
    for joint in order:
        order.extend(carried.get(joint.child, []))
    for joint in reversed(order):
        here = carried.get(joint.child, [])
        bears[joint.child] = joint.child in heavy or any(bears[j.child] for j in here)
        free = joint.moves and joint.mimic is None and not joint.motor.rotor_inertia
        if free and not bears[joint.child]:
            message = "nothing beyond it has mass, so the mass matrix is singular"
            remedy = "Give the link its mass, give the joint a rotor inertia, or make it fixed."
            yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)
