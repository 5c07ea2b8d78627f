"""Usual mistakes about the robot, and about single terms of a formula.

A mistake about the robot is a change of it, whose equations are derived again. So naming one is a
proof: the answer is exactly what the changed robot has. A term may be missing, or have another sign
or factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from qddot.dynamics.friction import with_friction_laws
from qddot.equations.answers.bodies import (
    INERTIAL,
    INERTIAS,
    MASSES,
    Change,
    Hypothesis,
    about_bodies,
)
from qddot.equations.exact_tree import ExactRobot, exact_robot
from qddot.equations.nodes import Call, Name, Node, Power, Product, Sum
from qddot.equations.polynomial import Polynomial
from qddot.equations.reading import nodes_in
from qddot.equations.terms import Monomial, Terms, polynomial_of, sums_of_angles, terms_of
from qddot.equations.text import as_text
from qddot.model.friction import Friction
from qddot.model.joint import FIXED, Joint, Motor
from qddot.model.link import Link, Placement
from qddot.model.model import Model

AXES = (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))
WEIGHT = ("g", "P", "tau")


def about_the_robot(robot: ExactRobot, quantity: str) -> Iterator[Hypothesis]:
    """Yield the mistakes about a robot that a quantity may show, the likely ones first."""
    if quantity in WEIGHT:
        yield from _gravity(robot)
    if quantity in INERTIAL:
        yield from about_bodies(robot, INERTIAS)
        yield from _motors(robot)
    if quantity in INERTIAL or quantity in WEIGHT:
        yield from about_bodies(robot, MASSES)
        yield from _geometry(robot)
    if quantity in ("tau", "friction", "springs", "P"):
        yield from _acting(robot)


def _gravity(robot: ExactRobot) -> Iterator[Hypothesis]:
    gravity = robot.tree.gravity
    down = tuple(-part for part in gravity)
    yield Hypothesis("gravity_sign", "gravity has the other sign", _with_tree(gravity=down))
    sizes = [part for part in gravity if part]
    if len(sizes) != 1:
        return
    size = -sizes[0] if str(sizes[0]).startswith(("-", "−")) else sizes[0]
    for name, axis in AXES:
        for sign, letter in ((-1, "−"), (1, "")):
            other = tuple(size * (sign * a) for a in axis)
            if other not in (gravity, down):
                words = f"gravity points along {letter}{name} of the base"
                yield Hypothesis("gravity_direction", words, _with_tree(gravity=other))


def _with_tree(**parts: Any) -> Change:
    return lambda robot: replace(robot, tree=replace(robot.tree, **parts))


def _geometry(robot: ExactRobot) -> Iterator[Hypothesis]:
    model = robot.model
    if other_convention(model) is not None:
        yield Hypothesis(
            "dh_convention",
            "the table is read by the other DH convention",
            _with_model(lambda model: other_convention(model) or model),
        )
    for i, joint in enumerate(model.free_joints, 1):
        yield Hypothesis(
            "joint_direction",
            f"joint {i} counts in the other direction",
            _with_model(_turned_round(joint.name)),
        )
    if model.payloads:
        yield Hypothesis(
            "payload_forgotten",
            "the payload is left out",
            _with_model(lambda model: replace(model, payloads=())),
        )


def _with_model(change: Callable[[Model], Model]) -> Change:
    return lambda robot: exact_robot(change(robot.model), robot.ring)


def _turned_round(name: str) -> Callable[[Model], Model]:
    def change(joint: Joint) -> Joint:
        return replace(joint, axis=tuple(-a for a in joint.axis)) if joint.name == name else joint

    return lambda model: model.with_joints(change)


def other_convention(model: Model) -> Model | None:
    """Return the robot of the same DH table by the other convention; None if it has no table.

    The two place the same steps along x and along z in another order: what stands before a joint
    stands after it.
    """
    joints, links = list(model.joints), {link.name: link for link in model.links}
    steps = {j.parent: j for j in joints if j.kind == FIXED and j.parent == f"{j.child}_start"}
    found: list[Joint] = []
    names: dict[str, Link] = {model.links[0].name: model.links[0]}
    changed = False
    for joint in joints:
        if joint in steps.values():
            continue
        step = steps.get(joint.child)
        if not joint.moves or joint.axis != (0, 0, 1):
            return None
        behind = step.origin if step else Placement()
        if not _is_step(joint.origin) or not _is_step(behind):
            return None
        name = step.child if step else joint.child
        start = f"{name}_start"
        changed = changed or joint.origin != behind
        names |= {start: Link(start), name: links[name]}
        found.append(replace(joint, child=start, origin=behind))
        found.append(Joint(f"{name}_step", FIXED, start, name, joint.origin))
    if not changed:
        return None
    return replace(model, links=tuple(names.values()), joints=tuple(found))


def _is_step(placement: Placement) -> bool:
    """Return whether a placement is along and about x alone, or along and about z alone."""
    (x, y, z), (roll, pitch, yaw) = placement.xyz, placement.rpy
    return not (y or pitch) and (not (z or yaw) or not (x or roll))


def _motors(robot: ExactRobot) -> Iterator[Hypothesis]:
    if not any(robot.tree.rotor_inertia):
        return
    for kind, words, change in (
        ("rotor_forgotten", "the rotors' inertia is left out", lambda motor: Motor()),
        (
            "gear_not_squared",
            "the gear ratio is not squared in the rotors' inertia",
            lambda motor: Motor(motor.gear * motor.rotor_inertia, 1),
        ),
        (
            "gear_forgotten",
            "the rotors' inertia is not multiplied by the squared gear ratio",
            lambda motor: Motor(motor.rotor_inertia, 1),
        ),
    ):

        def changed(model: Model, change: Callable[[Motor], Motor] = change) -> Model:
            return model.with_joints(lambda joint: replace(joint, motor=change(joint.motor)))

        yield Hypothesis(kind, words, _with_model(changed))


def _acting(robot: ExactRobot) -> Iterator[Hypothesis]:
    tree = robot.tree
    if any(shaft.friction != Friction() for shaft in tree.shafts):
        bare = with_friction_laws(tree, lambda law: Friction())
        without = _with_tree(friction=bare.friction, shared=bare.shared)
        yield Hypothesis("friction_forgotten", "friction is left out", without)
    if tree.elastics:
        words = "springs and dampers are left out"
        yield Hypothesis("springs_forgotten", words, _with_tree(elastics=()))


MOST = 4  # terms that a sentence names
LARGEST = 12  # numerator and denominator of a factor that is a slip
OTHER = {"sin": "cos", "cos": "sin", "sine": "cosine", "cosine": "sine"}


def wrong_terms(left: Any, right: Any, quantity: str) -> tuple[str, str] | None:
    """Return the kind and the words for what became of some terms; None if it is nothing simple.

    `left` is the answer less the right formula.
    """
    if not isinstance(left, Polynomial):
        return None
    found = [_of_terms(wrong, own, quantity, left) for wrong, own in _written(left, right)]
    return next((each for each in found if each), None)


def _written(left: Polynomial, right: Any) -> list[tuple[Terms, Terms]]:
    """Return both as terms, in sums of angles where axes are parallel, and multiplied out."""
    wrong = terms_of(left)
    own = terms_of(right) if isinstance(right, Polynomial) else {}
    groups = left.ring.groups
    return [(sums_of_angles(wrong, groups), sums_of_angles(own, groups)), (wrong, own)]


def _of_terms(wrong: Terms, own: Terms, quantity: str, x: Polynomial) -> tuple[str, str] | None:
    if len(wrong) > MOST and wrong == {m: -2 * c for m, c in own.items()}:
        return "sign", "all of it has the other sign"
    if not 0 < len(wrong) <= MOST:
        return None
    said = _text({m: own.get(m, c) for m, c in wrong.items()}, x)
    if not all(m in own for m in wrong):
        if any(m in own for m in wrong):
            return None
        return "term_extra", f"{_text(wrong, x)} is added"
    ratios = {c / own[m] for m, c in wrong.items()}
    if len(ratios) != 1:
        return None
    (ratio,) = ratios
    mixed = all(_rates(m) == 2 for m in wrong) and quantity in ("c", "tau", "C")
    which = "coriolis_factor" if mixed else "term_factor"
    match ratio:
        case -1:
            return "term_missing", f"{said} is left out"
        case -2:
            return "term_sign", f"{said} has the other sign"
        case 1:
            return which, f"{said} is doubled"
        case _ if ratio == Fraction(-1, 2):
            return which, f"{said} is halved"
    factor = 1 + ratio
    if max(abs(factor.numerator), factor.denominator) > LARGEST:
        return None
    return "term_factor", f"{said} is multiplied by {factor}"


def _rates(monomial: Monomial) -> int:
    """Return how many different velocities a term has."""
    return sum(isinstance(f, Name) and f.kind == "rate" for f, _ in monomial)


def _text(terms: Terms, x: Polynomial) -> str:
    return as_text(polynomial_of(x.ring, terms))


def trigonometric(node: Node) -> set[Node]:
    """Return the sines and cosines in a formula."""
    named = (x.function if isinstance(x, Call) else getattr(x, "kind", "") for x in nodes_in(node))
    return {x for x, name in zip(nodes_in(node), named, strict=True) if name in OTHER}


def exchanged(node: Node, which: set[Node]) -> Node:
    """Return a formula with some of its sines as cosines, and cosines as sines."""
    match node:
        case Name(kind, label, joints) if node in which:
            return Name(OTHER[kind], label, joints)
        case Call(function, argument) if node in which:
            return Call(OTHER[function], argument)
        case Power(base, exponent):
            return Power(exchanged(base, which), exponent)
        case Product(coefficient, parts):
            return Product(coefficient, tuple(exchanged(part, which) for part in parts))
        case Sum(parts):
            return Sum(tuple(exchanged(part, which) for part in parts))
    return node
