"""From parameters back to a robot: links with these inertias, joints with this friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.dynamics.regressor import EXTRAS
from qddot.errors import BadArgument, BadRobot, UnknownName
from qddot.model import Inertial, Joint, Link, Model, Motor
from qddot.model.building import checked
from qddot.model.friction import LINEAR
from qddot.model.tree import Tree
from qddot.spatial.inertia import NAMES, Inertia, upper

NOTHING = Inertial()
SAME = 1e-14  # a body that differs by rounding alone is left as it was written
SLACK = -1e-12  # a rod or a point may round to the wrong side


def robot_with_parameters(robot: Any, phi: Sequence[float] | Mapping[str, float]) -> Any:
    """Return the robot whose parameters are phi: masses, centres, inertias, friction, rotors.

    What is fixed to a link (a hand, a payload) keeps its own inertia and the link takes the rest;
    where no body has that rest, the link takes all and what is fixed to it nothing.

    Args:
        robot: The robot; its frames, limits and everything that is no parameter stay.
        phi: In the order of `robot.parameter_names`, or by name; of names that the robot lacks,
            "<joint>.Ia", ".fv", ".fs" and ".f0" are added.

    Raises:
        BadArgument: If no body has these numbers.
    """
    values = _by_name(robot, phi)
    tree: Tree = robot.tree
    wanted = [
        Inertia.from_parameters([values[f"{body.name}.{name}"] for name in NAMES])
        for body in tree.bodies
    ]
    inertials, loads = _shared(robot.model, tree, wanted)
    links = tuple(_link(link, inertials) for link in robot.model.links)
    payloads = tuple(
        load if load.frame not in loads else replace(load, inertial=NOTHING)
        for load in robot.model.payloads
    )
    model = replace(robot.model, links=links, payloads=payloads)
    model = model.with_joints(lambda joint: _joint(joint, robot.model, values))
    try:
        return replace(robot, model=checked(model))
    except BadRobot as error:
        why = "; ".join(f"{p.place}: {p.message}" for p in error.problems if p.severity == "error")
        raise BadArgument(
            f"No robot has these parameters: {why}.\n"
            "  Ask for a physically consistent fit: method='consistent'."
        ) from None


def _by_name(robot: Any, phi: Any) -> dict[str, float]:
    own = dict(zip(robot.parameter_names, robot.parameters.tolist(), strict=True))
    if isinstance(phi, Mapping):
        known = {f"{j}.{x}" for j in robot.joint_names for x in EXTRAS} | set(own)
        for name in phi:
            if name not in known:
                raise UnknownName("parameter", name, robot.name, robot.parameter_names)
        return own | {name: float(value) for name, value in phi.items()}
    array = np.asarray(phi, dtype=float)
    if array.shape != (len(own),):
        raise BadArgument(
            f"phi has shape {array.shape}, but robot {robot.name!r} has {len(own)} parameters."
        )
    return dict(zip(own, array.tolist(), strict=True))


def _shared(
    model: Model, tree: Tree, wanted: list[Inertia]
) -> tuple[dict[str, Inertia | None], set[str]]:
    """Return the new inertia of each link that changes, None for nothing, and the lost payloads."""
    child = {joint.name: joint.child for joint in model.joints}
    found: dict[str, Inertia | None] = {}
    emptied: set[str] = set()
    for i, body in enumerate(tree.bodies):
        old, new = (np.array(I.parameters, dtype=float) for I in (body.inertia, wanted[i]))
        if np.all(np.abs(new - old) <= SAME * np.abs(old).max(initial=0)):
            continue
        main = child[body.name]
        fixed = [
            link for link in model.links if tree.frames[link.name][0] == i and link.name != main
        ]
        carried = [load for load in model.payloads if tree.frames[load.frame][0] == i]
        rest = wanted[i]
        for name, inertial in [(x.name, x.inertial) for x in fixed] + [
            (x.frame, x.inertial) for x in carried
        ]:
            seen = inertial.about_origin().seen_from(tree.frames[name][1])
            rest = Inertia(rest.m - seen.m, rest.h - seen.h, rest.I - seen.I)
        if _possible(rest):
            found[main] = rest
            continue
        found[main] = wanted[i]
        found |= dict.fromkeys((link.name for link in fixed), None)
        emptied |= {load.frame for load in carried}
    return found, emptied


def _possible(inertia: Inertia) -> bool:
    J = np.array(inertia.pseudo(), dtype=float)
    values = np.linalg.eigvalsh(J)
    return bool(J[3, 3] > 0 and values[0] >= SLACK * abs(values[-1]))


def _link(link: Link, inertials: Mapping[str, Inertia | None]) -> Link:
    if link.name not in inertials:
        return link
    inertia = inertials[link.name]
    if inertia is None:
        return replace(link, inertial=NOTHING)
    if not inertia.m:
        if any(inertia.h) or np.any(inertia.I):
            raise BadArgument(
                f"Link {link.name!r} would have no mass but moments {inertia.parameters[1:]}.\n"
                "  Ask for a physically consistent fit: method='consistent'."
            )
        return replace(link, inertial=NOTHING)
    mass, com, I = inertia.com_form()
    numbers = tuple(float(x) for x in upper(I))
    x, y, z = (float(c) for c in com)
    return replace(link, inertial=Inertial(float(mass), (x, y, z), numbers))


def _joint(joint: Joint, model: Model, values: Mapping[str, float]) -> Joint:
    """Return the joint with its friction and rotor; a leader takes those of its followers too."""
    leader = _leader(joint, model)
    if leader is None:
        return joint
    given = {x: values.get(f"{leader}.{x}") for x in EXTRAS}
    own = joint.name == leader
    motor = joint.motor
    found = {
        p.name: given[p.column] if own else 0
        for p in LINEAR
        if given[p.column] is not None and (own or _differs(leader, model, p.name))
    }
    if given["Ia"] is not None and own and given["Ia"] != motor.reflected:
        gear = motor.gear or 1
        motor = Motor(given["Ia"] / (gear * gear), gear)
    elif given["Ia"] is not None and not own:
        motor = Motor()
    return replace(joint, friction=joint.friction.refitted(found), motor=motor)


def _leader(joint: Joint, model: Model) -> str | None:
    """Return the joint whose coordinate moves this one."""
    while joint.moves and joint.mimic is not None:
        joint = model.joint(joint.mimic.joint)
    return joint.name if joint.moves else None


def _differs(leader: str, model: Model, key: str) -> bool:
    """Return whether a joint's followers have friction that its coordinate counts as its own."""
    return any(
        j.mimic is not None and _leader(j, model) == leader and getattr(j.friction, key)
        for j in model.joints
    )
