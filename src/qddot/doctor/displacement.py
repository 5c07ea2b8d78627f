"""Whether a peer has the joints elsewhere: other zero positions, another base, other axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.doctor.evidence import Evidence, vanishes
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.rnea import gravity_torque
from qddot.errors import listing, shorten
from qddot.model.tree import BASE

DISPLACEMENT_TOLERANCE = 1e-7  # [m] or [rad]; a file's digits are finer


def base_turn(evidence: Evidence) -> np.ndarray | None:
    """Return the rotation from our joint axes to the peer's, if it is one and not none at all.

    The rotation R nearest to taking each of our directions d to the peer's e, by Kabsch:

        Σ d eᵀ = U S Vᵀ        R = V diag(1, 1, det VUᵀ) Uᵀ
    """
    ours = axes(evidence)
    names = [name for name in ours if name in evidence.axes]
    d, e = (np.array([lines[name][1] for name in names]) for lines in (ours, evidence.axes))
    if np.linalg.matrix_rank(d, tol=1e-3) < 2:
        return None  # parallel axes leave a turn about them open
    U, _, Vt = np.linalg.svd(d.T @ e)
    R = Vt.T @ np.diag([1, 1, np.linalg.det(Vt.T @ U.T)]) @ U.T
    exact = np.abs(d @ R.T - e).max() < DISPLACEMENT_TOLERANCE
    return R if exact and np.abs(R - np.eye(3)).max() > DISPLACEMENT_TOLERANCE else None


def axes(evidence: Evidence) -> dict[str, np.ndarray]:
    """Return a point and the direction of our joints' axes, at the first configuration."""
    X_W = body_poses(evidence.tree, evidence.q[0])
    return {
        body.name: np.array([X_W[i].p, X_W[i].R @ body.axis], dtype=float)
        for i, body in enumerate(evidence.tree.bodies)
    }


def shifted_zero(evidence: Evidence, peer: str) -> str:
    """Say whether the joints' zero positions differ (MuJoCo's ref)."""
    if not evidence.zero.any():
        return ""
    rotor = evidence.rotor_inertia - np.array(evidence.tree.rotor_inertia, dtype=float)
    tree = replace(evidence.tree, gravity=tuple(evidence.gravity))
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


def displaced(evidence: Evidence, peer: str) -> str:
    """Say which joint sits elsewhere, as the axes before it see it at the same configuration."""
    tree, ours, theirs = evidence.tree, axes(evidence), evidence.axes
    for body in tree.bodies:
        before = body.parent
        while before != BASE:
            other = tree.bodies[before]
            if body.name in theirs and other.name in theirs:
                here = apart(ours[body.name], ours[other.name])
                there = apart(theirs[body.name], theirs[other.name])
                turning = body.turns and other.turns
                told = f"joint {shorten(body.name)!r} is elsewhere in {peer}: its axis is"
                if abs(here[1] - there[1]) > DISPLACEMENT_TOLERANCE:
                    angles = f"{np.degrees(there[1]):.4g}° there, {np.degrees(here[1]):.4g}° here"
                    return f"{told} turned from that of {shorten(other.name)!r} by {angles}"
                if turning and abs(here[0] - there[0]) > DISPLACEMENT_TOLERANCE:
                    gaps = f"{there[0]:.4g} m there, {here[0]:.4g} m here"
                    return f"{told} apart from that of {shorten(other.name)!r} by {gaps}"
            before = other.parent
    return ""


def apart(line: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return the distance and the angle of two lines, each a point and a unit direction."""
    (p, d), (r, e) = line, other
    normal = np.cross(d, e)
    sine = float(np.linalg.norm(normal))
    angle = float(np.arctan2(sine, d @ e))
    if sine < 1e-6:  # parallel
        gap = float(np.linalg.norm(np.cross(r - p, e)))
    else:
        gap = float(abs((r - p) @ normal) / sine)
    return round(gap, 12), round(angle, 12)
