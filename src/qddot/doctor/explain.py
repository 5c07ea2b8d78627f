"""Why the M and g of a peer differ: the hypothesis under which the difference vanishes.

Rotors, gravity, the direction of the base and other zero positions are decided here, other
inertias in `misreading`. And what a peer has otherwise without changing M and g: the base's mass,
followers, friction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from qddot.doctor.evidence import TOLERANCE, Evidence, vanishes
from qddot.doctor.misreading import misread, one_body
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.rnea import gravity_torque
from qddot.errors import listing, shorten
from qddot.model.model import GRAVITY, Model

TURN_TOLERANCE = 1e-7  # [rad]; a file's digits are finer


def reasons(evidence: Evidence, peer: str) -> tuple[str, ...]:
    """Return why M and g differ, in sentences; the last resort is where they differ most.

    What the peer says about itself (rotors, gravity, its base) is taken first; what is left must
    vanish under one hypothesis.
    """
    told = [*rotors(evidence, peer), *gravity(evidence, peer)]
    R = base_turn(evidence)
    if R is not None:
        angle = np.degrees(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1)))
        told.append(f"{peer} turns the base by {angle:.4g}°, so gravity pulls in another direction")
        evidence = replace(evidence, gravity=R.T @ evidence.gravity)
    rest = evidence.with_facts()
    if vanishes(rest.residual()):
        return tuple(told)
    for hypothesis in (shifted_zero, turned, misread, one_body):
        if words := hypothesis(rest, peer):
            return (*told, words)
    return (*told, largest(rest, peer))


def rotors(evidence: Evidence, peer: str) -> Iterator[str]:
    """Say where the rotor inertia differs."""
    ours, theirs = np.array(evidence.tree.rotor_inertia, dtype=float), evidence.rotor_inertia
    shared = [
        f"{float(shaft.rotor_inertia):.4g} along {shorten(shaft.name)!r}"
        for shaft in evidence.tree.shared
        if shaft.rotor_inertia
    ]
    if shared:
        yield f"M differs by motors that joints share, which {peer} has not: {listing(shared, 3)}"
    which = np.flatnonzero(~np.isclose(ours, theirs, rtol=1e-9, atol=1e-15))
    if not which.size:
        return
    names = [f"{shorten(name)!r}" for name in evidence.model.joint_names]
    if not theirs[which].any():
        values = listing([f"{ours[i]:.4g} at {names[i]}" for i in which], 3)
        yield f"M differs by the rotor inertia, which {peer} does not read: {values}"
    elif not ours[which].any():
        values = listing([f"{theirs[i]:.4g} at {names[i]}" for i in which], 3)
        yield f"M differs by rotor inertia (armature) that only {peer} has: {values}"
    else:
        pairs = [f"{theirs[i]:.4g} there, {ours[i]:.4g} here at {names[i]}" for i in which]
        yield f"M differs by the rotor inertia (armature): {listing(pairs, 3)}"


def gravity(evidence: Evidence, peer: str) -> Iterator[str]:
    """Say whether gravity differs."""
    ours = np.array(evidence.tree.gravity, dtype=float)
    if not np.allclose(ours, evidence.gravity, rtol=1e-9, atol=1e-12):
        there, here = (", ".join(f"{x:g}" for x in vector) for vector in (evidence.gravity, ours))
        yield f"gravity is ({there}) m/s² in {peer} and ({here}) here"


def largest(evidence: Evidence, peer: str) -> str:
    """Say where M and g differ most."""
    dM, dg = evidence.relative(evidence.M_peer - evidence.M, evidence.g_peer - evidence.g)
    names = [shorten(name) for name in evidence.model.joint_names]
    of_M, of_g = np.abs(dM).max(axis=(0, 2)), np.abs(dg).max(axis=0)
    worst = np.argsort(-np.maximum(of_M, of_g))[:3]

    def words(i: int) -> str:
        k, j = np.unravel_index(np.abs(dM[:, i, :]).argmax(), dM[:, i, :].shape)
        l = int(np.abs(dg[:, i]).argmax())
        entry = "M" if i == j else f"M with {names[j]!r}"
        M = f"{entry} is {evidence.M_peer[k, i, j]:.5g} there, {evidence.M[k, i, j]:.5g} here"
        g = f"g is {evidence.g_peer[l, i]:.5g} there, {evidence.g[l, i]:.5g} here"
        shown = [text for text, size in ((M, of_M[i]), (g, of_g[i])) if size > TOLERANCE]
        return f"at {names[i]!r} {', '.join(shown)}"

    where = "; ".join(words(int(i)) for i in worst if max(of_M[i], of_g[i]) > TOLERANCE)
    return f"nothing that is known of {peer} explains it; the largest differences: {where}"


def other_differences(evidence: Evidence, peer: str) -> Iterator[str]:
    """Yield what differs outside M and g: the base's mass, followers, friction."""
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
    """Yield what a peer was given beside a URDF, which has no words for it."""
    lost = ["gravity"] if model.gravity != GRAVITY else []
    if any(joint.motor.rotor_inertia for joint in model.joints if joint.moves):
        lost.append("rotor inertia")
    if lost:
        yield f"URDF has no words for {' and '.join(lost)}: set by hand for the comparison"


def have(count: int) -> str:
    return "1 joint has" if count == 1 else f"{count} joints have"


def base_turn(evidence: Evidence) -> np.ndarray | None:
    """Return the rotation from our joint axes to the peer's, if it is one and not none at all.

    The rotation R nearest to taking each of our directions d to the peer's e, by Kabsch:

        Σ d eᵀ = U S Vᵀ        R = V diag(1, 1, det VUᵀ) Uᵀ
    """
    ours = axes(evidence)
    names = [name for name in ours if name in evidence.axes]
    d, e = (np.array([found[name] for name in names]) for found in (ours, evidence.axes))
    if np.linalg.matrix_rank(d, tol=1e-3) < 2:
        return None  # parallel axes leave a turn about them open
    U, _, Vt = np.linalg.svd(d.T @ e)
    R = Vt.T @ np.diag([1, 1, np.linalg.det(Vt.T @ U.T)]) @ U.T
    exact = np.abs(d @ R.T - e).max() < TURN_TOLERANCE
    return R if exact and np.abs(R - np.eye(3)).max() > TURN_TOLERANCE else None


def axes(evidence: Evidence) -> dict[str, np.ndarray]:
    """Return the direction of each of our joints' axes, at the first configuration."""
    X_W = body_poses(evidence.tree, evidence.q[0])
    return {
        body.name: np.array(X_W[i].R @ body.axis, dtype=float)
        for i, body in enumerate(evidence.tree.bodies)
    }


def shifted_zero(evidence: Evidence, peer: str) -> str:
    """Say whether the joints' zero positions differ (MuJoCo's ref)."""
    if not evidence.zero.any():
        return ""
    rotor = evidence.rotor_inertia - np.array(evidence.tree.rotor_inertia, dtype=float)
    tree = replace(evidence.tree, gravity=tuple(evidence.gravity), shared=())
    moved = evidence.q - evidence.zero
    M = np.array([mass_matrix(tree, row) for row in moved], dtype=float) + np.diag(rotor)
    g = np.array([gravity_torque(tree, row) for row in moved], dtype=float)
    if not vanishes(replace(evidence, M=M, g=g).residual()):
        return ""
    names = evidence.model.joint_names
    where = [f"{evidence.zero[i]:.4g} at {shorten(names[i])!r}" for i in evidence.zero.nonzero()[0]]
    return f"in {peer} the joints do not start at 0 in the drawn configuration: {listing(where, 3)}"


def turned(evidence: Evidence, peer: str) -> str:
    """Say whether all that differs is the direction of gravity, as g itself shows it.

    g is linear in gravity:

        g = G γ        with the columns of G the torques under unit gravity
    """
    units = [replace(evidence.tree, gravity=tuple(unit)) for unit in np.eye(3)]
    columns = [[gravity_torque(tree, row) for row in evidence.q] for tree in units]
    G = np.column_stack([np.ravel(column) for column in columns]).astype(float)
    felt, _, rank, _ = np.linalg.lstsq(G, evidence.g_peer.ravel(), rcond=1e-9)
    g = (G @ felt).reshape(evidence.g.shape)
    if rank == 0 or not vanishes(replace(evidence, g=g).residual()):
        return ""
    there = ", ".join(f"{round(x, 9) + 0.0:.4g}" for x in felt)
    return f"g is that of gravity ({there}) in the axes of the base, which {peer} turns"
