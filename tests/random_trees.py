"""Random robots with everything that a model can have, small ones and deep ones.

To the trees of `strategies` are added rotors behind gears, friction of every kind, springs,
couplings, frames and payloads. Deep trees come from a seed alone: an arm with a hand on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import (
    EVERY,
    MOVING,
    inertial,
    models,
    random_joint,
    random_rpy,
    seeds,
    states,
    triple,
)

from qddot.dynamics.crba import mass_matrix
from qddot.model import Friction, Joint, Link, Model, Motor, Payload, Placement, Spring, build
from qddot.model.folding import fold
from qddot.model.joint import Coupling
from qddot.model.link import Frame
from qddot.model.tree import Tree
from qddot.model.validation import checked

GRAVITY = (1.0, -2.0, -9.0)  # along no axis, so that no component is forgotten


@st.composite
def robots(draw: st.DrawFn, least: int = 1, most: int = 6, mimic: bool = True) -> Model:
    """Return a tree with everything on it, under an oblique gravity."""
    model = draw(models(least, most, EVERY, mimic))
    rng = np.random.default_rng(draw(seeds))
    return laden(handed_on(model, rng), rng)


@st.composite
def poised(draw: st.DrawFn, vectors: int, **kind: Any) -> tuple[Any, ...]:
    """Return the tree of a robot and so many vectors of its size: q, qd, ..."""
    tree = fold(draw(robots(**kind)))
    return tree, *draw(states(tree.n, vectors))


@st.composite
def chains(draw: st.DrawFn, least: int = 2, most: int = 6) -> Model:
    """Return a serial chain of joints that turn and slide."""
    count, seed = draw(st.integers(least, most)), draw(seeds)
    return grown(np.random.default_rng(seed), list(range(count)))


def deep_tree(seed: int, n: int) -> Model:
    """Return an arm of about half of n joints that carries a hand of fingers, n joints in all."""
    rng = np.random.default_rng(seed)
    arm = max(1, n // 2)
    parents = list(range(arm))
    while len(parents) < n:
        finger = min(int(rng.integers(2, 5)), n - len(parents))
        parents += [arm, *range(len(parents) + 1, len(parents) + finger)]
    return laden(grown(rng, parents), rng)


def grown(rng: np.random.Generator, parents: list[int]) -> Model:
    """Return the tree of moving joints in which joint i + 1 hangs from link parents[i]."""
    links = [Link("link0", inertial(rng))]
    joints = []
    for i, parent in enumerate(parents, 1):
        kind = MOVING[rng.integers(len(MOVING))]
        links.append(Link(f"link{i}", inertial(rng)))
        joints.append(random_joint(rng, f"joint{i}", kind, f"link{parent}", f"link{i}"))
    return build("grown", links, joints, gravity=GRAVITY)


def handed_on(model: Model, rng: np.random.Generator) -> Model:
    """Return the model with some of its followers following one another."""
    followers = [joint.name for joint in model.joints if joint.mimic]
    before = dict(zip(followers[1:], followers, strict=False))

    def led(joint: Joint) -> Joint:
        if joint.name not in before or joint.mimic is None or rng.random() < 0.3:
            return joint
        return replace(joint, mimic=replace(joint.mimic, joint=before[joint.name]))

    return checked(model.with_joints(led))


def spring(rng: np.random.Generator) -> dict[str, float]:
    return {key: float(rng.uniform(0, 2)) for key in ("stiffness", "damping", "rest")}


def shared_motor(first: str, second: str, rotor: bool) -> Coupling:
    """Return a motor that two joints share, with every kind of friction."""
    x = [float(value) for value in np.random.default_rng(7).uniform(0.1, 1, 7)]
    friction = Friction(x[0], x[1], x[1] + x[2], 0.5 + x[3], x[4] - 0.5, x[5] * x[0])
    motor = Motor(1e-2 * x[6], -3.0) if rotor else Motor()
    ratios = (1 + x[5], -0.5 - x[6])
    return Coupling((first, second), ratios=ratios, friction=friction, motor=motor)


def laden(model: Model, rng: np.random.Generator) -> Model:
    """Return the model with rotors, friction, springs, a coupling, a tool and a payload."""
    moving = [joint.name for joint in model.joints if joint.kind != "fixed"]
    pairs = [rng.choice(moving, 2, replace=False)] if len(moving) > 1 else []
    # Stribeck curves that share a coordinate do not add up to one, so one of them has it
    followers = [joint for joint in model.joints if joint.mimic]
    others = {joint.mimic.joint for joint in followers} | {joint.name for joint in followers[1:]}

    def acted_on(joint: Joint) -> Joint:
        if joint.kind == "fixed":
            return joint
        sticks = joint.name not in others and rng.random() < 0.3
        return replace(
            joint,
            motor=Motor(float(rng.uniform(0, 1e-2)), float(rng.uniform(-9, 9)) or 1.0),
            spring=Spring(*(float(x) for x in rng.uniform(0, 2, 2))),
            friction=replace(
                joint.friction,
                static=float(joint.friction.coulomb + rng.uniform(0, 2)) if sticks else None,
                stribeck_velocity=float(rng.uniform(0.5, 2)) if sticks else None,
                offset=float(rng.uniform(-1, 1)),
            ),
        )

    model = replace(
        model.with_joints(acted_on),
        gravity=GRAVITY,
        frames=(Frame("tool", model.links[-1].name, placement(rng)),),
        couplings=tuple(
            # articulated bodies take arms in which nothing follows and no rotor is shared
            replace(shared_motor(str(a), str(b), bool(followers)), **spring(rng))
            for a, b in pairs
        ),
        payloads=(Payload("tool", inertial(rng)),),
    )
    return checked(model)


def bare(model: Model) -> Model:
    """Return the model with nothing but bodies, joints and gravity."""

    def freed(joint: Joint) -> Joint:
        return replace(joint, motor=Motor(), spring=Spring(), friction=Friction())

    return checked(replace(model.with_joints(freed), couplings=()))


def on_a_mount(model: Model, where: Placement) -> Model:
    """Return the same robot fixed to a mount, somewhere else than at the mount's origin."""
    foot = Joint("mounted", "fixed", "mount", model.links[0].name, where)
    return checked(
        replace(model, links=(Link("mount"), *model.links), joints=(foot, *model.joints))
    )


def placement(rng: np.random.Generator, far: float = 1.0) -> Placement:
    """Return a random place and orientation."""
    return Placement(triple(rng.uniform(-far, far, 3)), random_rpy(rng))


def weight(tree: Tree) -> float:
    """Return more than any torque of gravity: all masses at the end of all arms."""
    mass = sum(float(body.inertia.m) for body in tree.bodies)
    arms = [1.0, *(np.linalg.norm(np.asarray(body.X_PJ.p, float)) for body in tree.bodies)]
    return mass * sum(arms) * float(np.linalg.norm(np.asarray(tree.gravity, float)))


def spin(tree: Tree, q: np.ndarray, *rates: np.ndarray) -> float:
    """Return how large the terms of a velocity torque are: the largest inertia times the rates."""
    return np.prod([np.abs(mass_matrix(tree, q)).max(), *(np.abs(r).max() for r in rates)])
