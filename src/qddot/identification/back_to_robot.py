"""From base parameters back to a robot: links with these inertias, joints with this friction.

What cannot be known is kept as near to the robot's own parameters as the base parameters allow. The
distance is between pseudo-inertias, measured by the prior body's own, so that neither units nor the
choice of frames matter; of friction and rotors, the difference by its size:

    d² = Σ ‖J₀^(−½) (J − J₀) J₀^(−½)‖²_F + Σ ((f − f₀)/s)²                              Lee

Lee: T. Lee, P. Wensing, F. Park, *Geometric robot dynamic identification: a convex programming
approach*, IEEE Trans. Robotics 36(2), 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.dynamics.regressor import EXTRAS
from qddot.errors import BadArgument, BadRobot, UnknownName
from qddot.identification.regression import Regression
from qddot.model import Coupling, Inertial, Joint, Link, Model, Motor
from qddot.model.friction import LINEAR
from qddot.model.tree import Tree
from qddot.model.validation import checked
from qddot.spatial.inertia import NAMES, Inertia, upper

NOTHING = Inertial()
SAME = 1e-14  # a body that differs by rounding alone is left as it was written
SLACK = -1e-12  # a rod or a point may round to the wrong side
SOFT = 0.02  # of a body's own size, added so that rods and points have a distance too
LIGHTEST, SMALLEST = 0.02, 0.03  # [kg], [m]: a body that the prior says nothing about
UNIT = 1.0  # what friction and rotors without a prior are measured in
PSEUDO = np.stack([Inertia.from_parameters(row).pseudo() for row in np.eye(len(NAMES)).tolist()])


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
    couplings = tuple(_coupling(coupling, values) for coupling in model.couplings)
    model = replace(model, couplings=couplings)
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
        known = {f"{shaft.name}.{x}" for shaft in robot.tree.shafts for x in EXTRAS} | set(own)
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
    if given["Ia"] is not None:
        motor = _reflecting(motor, given["Ia"]) if own else Motor()
    return replace(joint, friction=joint.friction.refitted(found), motor=motor)


def _coupling(coupling: Coupling, values: Mapping[str, float]) -> Coupling:
    """Return a coupling with its friction and rotor, where it has any."""
    name = coupling.combination
    given = {p.name: values.get(f"{name}.{p.column}") for p in LINEAR}
    found = {key: value for key, value in given.items() if value is not None}
    motor = _reflecting(coupling.motor, values.get(f"{name}.Ia", coupling.motor.reflected))
    return replace(coupling, friction=coupling.friction.refitted(found), motor=motor)


def _reflecting(motor: Motor, inertia: float) -> Motor:
    """Return a motor with the same gear and a rotor that has this inertia at the joint's side."""
    if inertia == motor.reflected:
        return motor
    gear = motor.gear or 1
    return Motor(inertia / (gear * gear), gear)


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


# how far one robot is from another


def pseudo(phi: np.ndarray) -> np.ndarray:
    """Return the pseudo-inertia of ten numbers, shape (4, 4)."""
    return np.tensordot(phi, PSEUDO, axes=1)


def roots(regression: Regression, prior: np.ndarray) -> list[np.ndarray]:
    """Return, for each body, L with J₀ = L Lᵀ, the prior made a possible body of some size."""
    bodies = prior[: regression.inertial].reshape(-1, len(NAMES))
    lightest = max(LIGHTEST, 1e-3 * float(np.abs(bodies[:, 0]).sum()))
    found = []
    for phi in bodies:
        mass = max(float(phi[0]), lightest)
        size = np.sqrt(max(float(phi[4] + phi[7] + phi[9]) / (2 * mass), SMALLEST**2))
        scale = np.sqrt(mass) * np.array([size, size, size, 1])
        relative = pseudo(phi) / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(relative)
        root = vectors * np.sqrt(np.maximum(values, 0) + SOFT)
        found.append(scale[:, None] * root)
    return found


def metric_root(regression: Regression, prior: np.ndarray) -> np.ndarray:
    """Return C with d² = ‖C (φ − φ₀)‖², shape (m, p)."""
    p, first = len(regression.names), regression.inertial
    blocks = []
    for b, L in enumerate(roots(regression, prior)):
        inverse = np.linalg.inv(L)
        rows = np.zeros((16, p))
        rows[:, 10 * b : 10 * b + 10] = (inverse @ PSEUDO @ inverse.T).reshape(10, 16).T
        blocks.append(rows)
    scale = np.maximum(np.abs(prior[first:]), UNIT)
    rest = np.zeros((p - first, p))
    rest[:, first:] = np.diag(1 / scale)
    return np.vstack([*blocks, rest]) if p else np.zeros((0, 0))


def nearest(
    regression: Regression, prior: np.ndarray, B: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """Return the parameters nearest to the prior that have the base parameters beta.

    With G = CᵀC:

        φ = φ₀ + G⁻¹ Bᵀ (B G⁻¹ Bᵀ)⁻¹ (β − B φ₀)
    """
    C = metric_root(regression, prior)
    G_inv = np.linalg.inv(C.T @ C)
    missing = beta - B @ prior
    return prior + G_inv @ B.T @ np.linalg.solve(B @ G_inv @ B.T, missing)


def smallest_eigenvalue(regression: Regression, phi: np.ndarray) -> float:
    """Return the smallest eigenvalue of any body's pseudo-inertia, by the body's size."""
    bodies = phi[: regression.inertial].reshape(-1, len(NAMES))
    values = [np.linalg.eigvalsh(pseudo(body)) for body in bodies]
    return float(min((v[0] / max(v[-1], 1e-12) for v in values), default=0.0))
