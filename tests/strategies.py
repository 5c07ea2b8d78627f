"""Random robots for laws: checked models, physical by construction, and states to put them in.

The structure (how many joints, of what kind, on which link) is drawn, so that a failing example
shrinks to a small robot; the numbers come from a drawn seed, so that drawing is quick.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from qddot.model import Friction, Inertial, Joint, Limits, Link, Mimic, Model, Placement, build

MOVING = ("revolute", "continuous", "prismatic")
ALL = (*MOVING, "fixed")  # of every format
EVERY = (*ALL, "screw")
SPECIAL_ANGLES = (0, math.pi / 2, -math.pi / 2, math.pi, -math.pi)
SPECIAL_AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0))

seeds = st.integers(0, 2**32 - 1)


@st.composite
def models(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 6,
    kinds: tuple[str, ...] = ALL,
    mimic: bool = False,
) -> Model:
    """Return a checked model: a tree of `least` to `most` joints, at least one of which moves.

    Axes may be oblique and of any length. Every link that a joint moves has mass, so the mass
    matrix is positive definite; the base and links behind fixed joints may have none.
    """
    count = draw(st.integers(least, most))
    parents = [draw(st.integers(0, i)) for i in range(count)]
    types = [draw(st.sampled_from(kinds)) for _ in range(count)]
    if all(kind == "fixed" for kind in types):
        types[-1] = "revolute"
    rng = np.random.default_rng(draw(seeds))
    links = [Link("base", inertial(rng) if rng.random() < 0.5 else Inertial())]
    joints: list[Joint] = []
    for i, (parent, kind) in enumerate(zip(parents, types, strict=True), 1):
        massless = kind == "fixed" and rng.random() < 0.5
        links.append(Link(f"link{i}", Inertial() if massless else inertial(rng)))
        joint = random_joint(rng, f"joint{i}", kind, links[parent].name, f"link{i}")
        leaders = [j.name for j in joints if j.kind != "fixed" and j.mimic is None]
        if mimic and kind != "fixed" and leaders and draw(st.booleans()):
            leader = draw(st.sampled_from(leaders))
            follow = Mimic(leader, *(float(x) for x in rng.uniform(-2, 2, 2)))
            joint = replace(joint, mimic=follow)
        joints.append(joint)
    return build("random", links, joints)


def random_joint(rng: np.random.Generator, name: str, kind: str, parent: str, child: str) -> Joint:
    """Return a joint with an origin anywhere, an axis in any direction, limits and friction."""
    origin = Placement(triple(rng.uniform(-1, 1, 3)), random_rpy(rng))
    if kind == "fixed":
        return Joint(name, kind, parent, child, origin)
    oblique = rng.random() < 0.5
    axis = triple(rng.normal(size=3)) if oblique else SPECIAL_AXES[rng.integers(5)]
    bounded = kind != "continuous"
    limits = Limits(
        lower=float(rng.uniform(-3, -0.1)) if bounded else None,
        upper=float(rng.uniform(0.1, 3)) if bounded else None,
        velocity=float(rng.uniform(0.5, 5)),
        effort=float(rng.uniform(1, 100)),
    )
    friction = Friction(*(float(x) for x in rng.uniform(0, 2, 2))) if oblique else Friction()
    pitch = float(rng.uniform(-0.5, 0.5)) if kind == "screw" else 0
    return Joint(name, kind, parent, child, origin, axis, limits, friction, pitch=pitch)


def inertial(rng: np.random.Generator, points: int = 8) -> Inertial:
    """Return the inertia of a cloud of point masses: physical, whatever the numbers.

    About the centre of mass c of the points:

        I = Σ mₖ (rₖᵀrₖ E − rₖ rₖᵀ)        rₖ from c
    """
    masses = rng.uniform(0.1, 1, points)
    positions = rng.uniform(-0.3, 0.3, (points, 3)) + rng.uniform(-0.2, 0.2, 3)
    mass = masses.sum()
    com = masses @ positions / mass
    r = positions - com
    I = np.einsum("k,kl,kl->", masses, r, r) * np.eye(3) - np.einsum("k,ki,kj->ij", masses, r, r)
    rpy = random_rpy(rng) if rng.random() < 0.5 else (0, 0, 0)
    # any six numbers of a possible inertia are one in turned axes too
    return Inertial(float(mass), triple(com), tuple(float(x) for x in I[np.triu_indices(3)]), rpy)


def random_rpy(rng: np.random.Generator) -> tuple[float, float, float]:
    """Return three angles: any, or multiples of a right angle as most robots have them."""
    if rng.random() < 0.5:
        return triple(rng.choice(SPECIAL_ANGLES, 3))
    return triple(rng.uniform(-math.pi, math.pi, 3))


@st.composite
def states(draw: st.DrawFn, n: int, count: int = 1) -> list[np.ndarray]:
    """Return `count` vectors of n numbers (positions, rates, ...): usual ones, 0, tiny, ±π."""
    rng = np.random.default_rng(draw(seeds))
    kinds = [draw(st.sampled_from(("usual", "zero", "tiny", "turned"))) for _ in range(count)]
    samplers = {
        "usual": lambda: rng.uniform(-3, 3, n),
        "zero": lambda: np.zeros(n),
        "tiny": lambda: rng.uniform(-1e-9, 1e-9, n),
        "turned": lambda: rng.choice([-math.pi, math.pi], n),
    }
    return [samplers[kind]() for kind in kinds]


def triple(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
