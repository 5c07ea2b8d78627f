"""What a peer has otherwise without changing M and g: the base's mass, followers, friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qddot.doctor.evidence import Evidence
from qddot.errors import listing, shorten
from qddot.model.model import GRAVITY, Model


def asides(evidence: Evidence, peer: str) -> Iterator[str]:
    """Say what differs outside M and g."""
    base, total = float(evidence.tree.base.m), float(evidence.model.mass)
    if base and abs(total - base - evidence.mass) <= 1e-9 * total:
        yield f"{peer} drops the mass of what does not move ({base:.4g} kg); M and g do not need it"
    followers = [joint.name for joint in evidence.model.joints if joint.mimic and joint.moves]
    if free := [f"{shorten(name)!r}" for name in followers if name in evidence.damping]:
        which = listing(free, 3)
        yield f"{peer} gives coordinates of their own to joints that follow others here: {which}"
    yield from friction(evidence, peer)


def friction(evidence: Evidence, peer: str) -> Iterator[str]:
    """Say how a peer treats the friction that joints have."""
    joints = [joint for joint in evidence.model.joints if joint.moves]
    wet = [joint for joint in joints if joint.friction.viscous]
    dry = [joint for joint in joints if joint.friction.coulomb]
    if peer == "Pinocchio":
        rubbing = [joint for joint in joints if joint in wet or joint in dry]
        if rubbing:
            yield f"Pinocchio's rnea and aba leave out friction, which {have(len(rubbing))}"
        return
    if dry and peer == "Drake":
        yield f"Drake has no Coulomb friction, which {have(len(dry))}"
    theirs = evidence.damping
    other = [
        f"{theirs[j.name]:.4g} there, {j.friction.viscous:.4g} here at {shorten(j.name)!r}"
        for j in wet
        if j.name in theirs and not np.isclose(theirs[j.name], j.friction.viscous)
    ]
    if other:
        yield f"viscous friction is {listing(other, 3)}"


def handed_over(model: Model) -> Iterator[str]:
    """Say what a peer was told beside a URDF, which has no words for it."""
    lost = ["gravity"] if model.gravity != GRAVITY else []
    if any(joint.motor.rotor_inertia for joint in model.joints if joint.moves):
        lost.append("rotor inertia")
    if lost:
        yield f"URDF has no words for {' and '.join(lost)}: set by hand for the comparison"


def have(count: int) -> str:
    return "1 joint has" if count == 1 else f"{count} joints have"
