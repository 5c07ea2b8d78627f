"""The border: the one place where a description becomes a checked model.

Every problem is found at once: what cannot be right, and what rarely is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.errors import BadRobot, Problem, QddotError
from qddot.model.folding import fold
from qddot.model.friction import PARAMETERS
from qddot.model.geometry import wrong_geometry
from qddot.model.inertia_advice import inertia_problems
from qddot.model.joint import Coupling, Joint, Limits, Start, Stops
from qddot.model.joints import MOTIONS
from qddot.model.link import Link, Payload
from qddot.model.model import Model, data_fields, scalars
from qddot.model.plausible import doubts
from qddot.model.structure import MOST_LINKS, depth_first, place, place_of, structural_problems
from qddot.model.tree import BASE, Tree
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, has_value
from qddot.spatial.pose import Pose
from qddot.spatial.vector import skew


def build(
    name: str,
    links: Iterable[Link],
    joints: Iterable[Joint],
    *,
    found: Iterable[Problem] = (),
    **more: Any,
) -> Model:
    """Return the model, its joints sorted depth-first, with what is doubtful in `warnings`.

    Args:
        name: The robot's name.
        links, joints: In any order; links are found by name.
        found: Problems that a reader has met already, reported together with the rest.
        more: The further fields of `Model`.

    Raises:
        BadRobot: With every problem, if any of them is an error.
    """
    frozen: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in more.items()}
    return checked(Model(name, tuple(links), tuple(joints), **frozen), found)


def checked(model: Model, found: Iterable[Problem] = ()) -> Model:
    """Return the model sorted depth-first, or raise with every problem that it has."""
    together = dict.fromkeys([*found, *validate(model)])  # each once
    problems = sorted(together, key=lambda problem: problem.line or 0)
    problems = [p.located(model.file) if p.line else p for p in problems]
    if any(problem.severity == "error" for problem in problems):
        raise BadRobot(model.name, problems, None if model.file else model)  # a file was read well
    return replace(depth_first(model), warnings=tuple(problems))


BEYOND = 1e30  # numbers whose products would be no numbers any more

MOST_WAVES = 1000  # of a spring on a lever, per turn
# what kinds of joints need besides an axis, and how to give it
NUMBERS = {"pitch": "Give its pitch in metres per radian: the lead of a turn over 2π."}


def validate(model: Model) -> list[Problem]:
    """Return every problem of a model, each with severity, place and remedy."""
    problems = structural_problems(model)
    broken = any(problem.severity == "error" for problem in problems)
    if len(model.links) > MOST_LINKS:
        return problems
    values, unusable = _value_problems(model)
    problems += values
    if not any(isinstance(thing, (Link, Payload)) for thing in unusable):
        problems += inertia_problems(model, sound=not any(p.severity == "error" for p in problems))
    # an impossible value in one place does not hide a doubtful one in another
    if not broken and _all_finite(model.gravity) and not unusable:
        problems += doubts(model)
        if not any(problem.severity == "error" for problem in problems):
            problems += weightless_joints(model)
    return problems


def _value_problems(model: Model) -> tuple[list[Problem], list[Any]]:
    """Return what is wrong with numbers, and the things with some that nobody can compute with."""
    problems, unusable = [], []
    if not _all_finite(model.gravity):
        remedy = "Correct it."
        problems.append(Problem("error", "gravity", "it is not three finite numbers", remedy))
    of_each = (
        *((link, place("link", link.name), _geometry_problems(link)) for link in model.links),
        *((load, f"payload at {load.frame!r}", ()) for load in model.payloads),
        *((frame, place("frame", frame.name), ()) for frame in model.frames),
        *((each, place_of(each), _shaft_problems(each)) for each in model.couplings),
        *((joint, place("joint", joint.name), _joint_problems(joint)) for joint in model.joints),
    )
    for thing, where, more in of_each:
        if bad := list(_finite(thing, where)):
            problems += bad
            unusable.append(thing)
            continue
        for severity, message, remedy in more:
            problems.append(Problem(severity, where, message, remedy, thing.line))
    return problems, unusable


def _geometry_problems(link: Link) -> Iterator[tuple[Any, str, str]]:
    return (("error", message, "Correct it.") for message in wrong_geometry(link))


def _joint_problems(joint: Joint) -> Iterator[tuple[Any, str, str]]:
    if joint.kind != "fixed" and len(joint.axis) == 3 and not any(joint.axis):
        yield "error", "its axis is zero", "Give a direction, like [0, 0, 1]."
    for name, remedy in NUMBERS.items():
        value, takers = getattr(joint, name), [k for k, m in MOTIONS.items() if name in m.numbers]
        if joint.kind in takers and not value:
            yield "error", f"it is a {joint.kind} without a {name}", remedy
        if joint.kind not in takers and value:
            message = f"it has a {name} ({value}), which only a {' or '.join(takers)} has"
            yield "error", message, f"Use type {' or '.join(takers)}, or remove it."
    limits = joint.limits
    lower, upper = limits.lower, limits.upper
    if has_value(lower) and has_value(upper) and float(lower) > float(upper):
        message = f"its limits are reversed (lower {float(lower):g} > upper {float(upper):g})"
        yield "error", message, "Swap them."
    start, stops = joint.start, joint.stops
    between = stops.lower, stops.upper
    if stops != Stops():
        yield from _stop_problems(joint)
    for name, value, ends, room in (
        ("home", joint.home, joint.ends, "limits"),
        ("start", start.q if start != Start() else None, joint.ends, "limits"),
        ("home", joint.home, between, "stops"),
        ("start", start.q, between, "stops"),
    ):
        low = -math.inf if not has_value(ends[0]) else float(ends[0])
        high = math.inf if not has_value(ends[1]) else float(ends[1])
        if has_value(value) and not low <= float(value) <= high:
            message = f"its {name} ({float(value):g}) is not within its {room}"
            yield "error", message, f"Give one from {low:g} to {high:g}."
    for name in ("velocity", "effort"):
        value = getattr(limits, name)
        if has_value(value) and value < 0:
            yield "error", f"its {name} limit is negative ({value:g})", "Give its size."
    yield from _shaft_problems(joint)
    if has_value(joint.spring.stiffness) and joint.spring.stiffness < 0:
        message = f"its spring is unstable (stiffness {joint.spring.stiffness:g} < 0)"
        yield "warning", message, "Drop the sign unless it is meant."
    if len(joint.spring.harmonics) > MOST_WAVES:
        message = f"its spring has {len(joint.spring.harmonics)} harmonics"
        yield "error", message, f"Give at most {MOST_WAVES}."
    for lever in joint.spring.harmonics[:MOST_WAVES]:
        number = lever[0] if isinstance(lever, tuple) and len(lever) == 3 else None
        if not has_value(number) or float(number) not in range(1, MOST_WAVES + 1):
            message = f"a harmonic of its spring is {lever!r}"
            remedy = f"Give (m, a, b) with m a whole number from 1 to {MOST_WAVES}."
            yield "error", message, remedy
    if joint.spring.harmonics and joint.role != "angle":
        message = f"its spring has harmonics, but a {joint.kind} joint has no angle"
        yield "error", message, "Remove them."


def _stop_problems(joint: Joint) -> Iterator[tuple[Any, str, str]]:
    low, high, share = joint.stops.lower, joint.stops.upper, joint.stops.restitution
    if low is None and high is None:
        yield "error", "its stops have no place", "Give lower, upper or both."
    if has_value(low) and has_value(high) and float(low) >= float(high):
        message = f"its stops leave no room (lower {float(low):g}, upper {float(high):g})"
        yield "error", message, "Swap them, or lock the joint."
    if has_value(share) and not 0 <= float(share) <= 1:
        message = f"the restitution of its stops is {float(share):g}"
        yield "error", message, "Give a share from 0 (it stays there) to 1 (nothing is lost)."
    if joint.mimic is not None or not joint.role:
        message = "it has stops, and no position of its own that is one number"
        yield "error", message, "Give stops to the joint that it follows, if any; or remove them."


def _shaft_problems(thing: Joint | Coupling) -> Iterator[tuple[Any, str, str]]:
    """Yield what is wrong with the friction and the motor of a joint, or of several."""
    yield from thing.friction.problems()
    motor = thing.motor
    if has_value(motor.rotor_inertia) and motor.rotor_inertia < 0:
        yield "error", f"its rotor inertia is negative ({motor.rotor_inertia:g})", "Correct it."
    if has_value(motor.gear) and motor.gear == 0:
        yield "error", "its gear ratio is zero", "Use 1 for a direct drive."


def _finite(thing: Any, where: str) -> Iterator[Problem]:
    values = tuple(scalars(thing))
    if shape := next(_misshapen(thing), None):
        message = f"its {shape[0]} is {shape[1]!r}"
        remedy = f"Give {shape[2]}; a formula is made with qddot.scalars.reader.read_formula."
        yield Problem("error", where, message, remedy, thing.line)
    elif not _all_finite(values):
        message = "one of its numbers is missing, infinite or not a number"
        yield Problem("error", where, message, "Replace it by a finite number.", thing.line)
    elif huge := _huge(values):
        message = f"one of its numbers is out of all proportion ({huge[0]:.3g})"
        yield Problem("error", where, message, "Give a number of a sensible size.", thing.line)


# the fields of numbers, and how many belong into each
COUNTS = {"xyz": 3, "rpy": 3, "com": 3, "axis": 3, "inertia": 6}
NAMES = ("name", "kind", "parent", "child", "joint", "link", "frame", "joints")
OPTIONAL = ("mimic", "locked", "home", *(p.name for p in PARAMETERS if p.default is None))


def _misshapen(thing: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield the fields that hold something else than numbers, and what they should hold."""
    for name in data_fields(type(thing)) or ():
        value = getattr(thing, name)
        if name in NAMES:
            continue
        if data_fields(type(value)) is not None:
            yield from _misshapen(value)
        elif name in COUNTS:
            count = COUNTS[name]
            if not isinstance(value, tuple) or len(value) != count or None in value:
                yield name, value, f"a tuple of {count} numbers"
        elif isinstance(value, str) or (
            value is None and name not in OPTIONAL and not isinstance(thing, (Limits, Stops))
        ):
            yield name, value, "a number"


def _all_finite(values: tuple[Scalar, ...]) -> bool:
    return all(
        isinstance(x, Expression) or (isinstance(x, (int, float)) and math.isfinite(x))
        for x in values
    )


def _huge(values: tuple[Scalar, ...]) -> list[float]:
    return [float(x) for x in values if has_value(x) and abs(float(x)) > BEYOND]


MOST_JOINTS = 200  # looked at; each is moved by itself
ROUNDING = 1e-12  # of the inertia about any axis: what is left about one on which all mass lies
TINY = 1e-100  # [kg·m²] or [kg]; products of less are no numbers any more
GRAVITY_ALONG_AXES = "gravity is parallel to every axis: g = 0"
LOOKS = 2  # positions, at random: M_kk may vanish at one by chance


def weightless_joints(model: Model) -> Iterator[Problem]:
    """Yield the joints whose own entry of the mass matrix is zero, wherever the robot stands.

    And a note if gravity asks none of them for a torque. Symbols stand for any number, so they are
    given some.
    """
    if not 0 < model.n <= MOST_JOINTS:
        return
    values = {name: 0.6 + 0.137 * k for k, name in enumerate(model.symbols)}
    try:
        tree = fold(depth_first(model.with_values(values) if values else model))
    except (QddotError, ArithmeticError, ValueError):  # a formula that these numbers do not fit
        return
    yield from _gravity_along_axes(tree)
    left, felt = list(range(tree.n)), {}
    for q in tree.from_neutral(np.random.default_rng(0).uniform(0.3, 1.2, (LOOKS, tree.n))):
        felt = inertia_felt(tree, q, left) if left else {}
        left = [k for k in left if felt[k][0] <= max(TINY, ROUNDING * felt[k][1])]
    for k in left:
        joint, (inertia, most, mass) = model.free_joints[k], felt[k]
        what = "inertia"
        if not mass and not most:
            why, what = "nothing beyond it has mass", "mass"
        elif mass > TINY:
            why = "all mass beyond it lies on its axis"
        else:
            why = f"what it moves has next to no inertia ({inertia:.3g})"
        message = f"{why}, so the mass matrix is singular"
        remedy = f"Give the link its {what}, give the joint a rotor inertia, or make it fixed."
        yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)


def _gravity_along_axes(tree: Tree) -> Iterator[Problem]:
    """Yield a note if gravity is parallel to every axis of a turn and across every slide."""
    down, turns = {BASE: np.asarray(tree.gravity, float)}, False
    least = 1e-9 * math.hypot(*down[BASE])
    for i, body in enumerate(tree.bodies):
        down[i] = np.asarray(body.X_PJ.R, float).T @ down[body.parent]
        for w, u in body.columns:
            across = np.asarray(skew(w), float) @ down[i]
            if max(*np.abs(across), abs(float(u @ down[i]))) > least:
                return
        turns = turns or body.turns
    if least and turns and any(body.inertia.m for body in tree.bodies):
        words = (
            '"-g", 0] or [0, -9.81, 0'
            if abs(down[BASE][1]) <= least
            else '0, "-g"] or [0, 0, -9.81'
        )
        remedy = f"For a vertical plane: gravity = [0, {words}]."
        yield Problem("note", "", GRAVITY_ALONG_AXES, remedy)


def gravity_notes(model: Model) -> list[str]:
    """Return what there is to note about the gravity of a checked model."""
    found = (p for p in model.warnings if p.message == GRAVITY_ALONG_AXES)
    return [f"{p.message}. {p.remedy}" for p in found]


def inertia_felt(
    tree: Tree, q: np.ndarray, which: Sequence[int]
) -> dict[int, tuple[float, float, float]]:
    """Return M_kk, the most that it could be if the axis lay otherwise, and the mass moved.

    M_kk is twice the kinetic energy when joint k alone moves, at a rate of 1:

        M_kk = Σ vᵢ · Iᵢ vᵢ + Iₐ
    """
    which = list(which)
    rotors = [sum(s.direction[k] ** 2 * s.rotor_inertia for s in tree.shafts) for k in which]
    inertia = np.array(rotors, float)
    most, mass = inertia.copy(), np.zeros(len(which))
    # of each body, and of the base, which is last: its motions, a column for every joint
    motions = np.zeros((len(tree.bodies) + 1, 6, len(which)))
    moves = np.zeros((len(tree.bodies) + 1, len(which)), bool)
    for i, (body, drive, X) in enumerate(zip(tree.bodies, tree.drives, tree.poses(q), strict=True)):
        own = np.equal(which, drive.index)
        S = float(drive.ratio) * np.asarray(body.joint.S[:, 0], float)
        motions[i] = v = _carried(X, motions[body.parent]) + np.outer(S, own)
        moves[i] = moves[body.parent] | own
        m, h, I = (np.asarray(x, float) for x in (body.inertia.m, body.inertia.h, body.inertia.I))
        W, U = v[:3], v[3:]
        w, u = np.linalg.norm(W, axis=0), np.linalg.norm(U, axis=0)
        inertia += np.sum(W * (I @ W + 2 * np.asarray(skew(h), float) @ U), axis=0) + m * u * u
        most += np.trace(I) * w * w + 2 * math.hypot(*h) * w * u + m * u * u
        mass += m * moves[i]
    each = zip(inertia.tolist(), most.tolist(), mass.tolist(), strict=True)
    return dict(zip(which, each, strict=True))


def _carried(X: Pose, v: np.ndarray) -> np.ndarray:
    """Return motions of a body's parent as its own, shape (6, k)."""
    R, p = np.asarray(X.R, float).T, np.asarray(skew(X.p), float)
    return np.concatenate([R @ v[:3], R @ (v[3:] - p @ v[:3])])
