"""Whether a peer has other inertias: which links it misreads, and how."""

from __future__ import annotations

from itertools import combinations
from typing import TypeVar

import numpy as np

from qddot.doctor.evidence import Evidence, matrix, vanishes
from qddot.doctor.mistakes import LEFT_OUT, MISTAKES, masses
from qddot.errors import listing, shorten
from qddot.spatial.inertia import NAMES, Inertia

Key = TypeVar("Key")


def misread(evidence: Evidence, peer: str) -> str:
    """Say which inertias are misread, and how: in one way, or in two."""
    things = masses(evidence)
    effects = {(m, thing): thing.effects[m.words] for m in MISTAKES for thing in things}
    # a link that a mistake does not touch says nothing
    effects = {key: effect for key, effect in effects.items() if not vanishes(effect)}
    # the same lengths and angles in far fewer numbers
    _, R = np.linalg.qr(np.column_stack([*effects.values(), evidence.residual()]))
    residual, columns = R[:, -1], dict(zip(effects, R.T, strict=False))
    for way in [(mistake,) for mistake in MISTAKES] + list(combinations(MISTAKES, 2)):
        candidates = {key: column for key, column in columns.items() if key[0] in way}
        if chosen := subset(candidates, residual):
            parts = []
            for m in way:
                own = [f"{thing.name} ({thing.mass:.4g} kg)" for w, thing in chosen if w is m]
                parts += [m.words.format(links=listing(own, 3))] if own else []
            return f"{peer} {', and '.join(parts)}"
    return ""


def subset(columns: dict[Key, np.ndarray], residual: np.ndarray) -> list[Key]:
    """Return the keys whose effects add up to the residual, if there are such."""
    if not columns:
        return []
    keys, A = list(columns), np.column_stack(list(columns.values()))
    # the nearest whole numbers find any sum, unless two effects look alike; then steps do
    fitted = np.linalg.lstsq(A, residual, rcond=None)[0].round() == 1
    for part in (fitted, step_by_step(A, residual)):
        if vanishes(residual - A @ part):
            return [keys[i] for i in np.flatnonzero(part)]
    return []


def step_by_step(A: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Return which columns make up the residual, taking first what explains most of it."""
    part = np.zeros(A.shape[1], dtype=bool)
    while not vanishes(residual) and not part.all():
        sizes = np.linalg.norm(residual[:, None] - A, axis=0)
        sizes[part] = np.inf
        best = int(sizes.argmin())
        if sizes[best] >= np.linalg.norm(residual):
            break
        part[best] = True
        residual = residual - A[:, best]
    return part


def scaled(evidence: Evidence, peer: str) -> str:
    """Say whether all masses, or one link's, are a multiple of ours."""
    residual = evidence.residual()
    # what is left of M without the rotors is linear in the masses
    whole = evidence.flat(evidence.M - np.diag(evidence.rotor_inertia), evidence.g)
    factor = 1 + whole @ residual / max(whole @ whole, 1e-300)
    if vanishes(residual - (factor - 1) * whole):
        return f"every mass and inertia is {factor:.6g} times as large in {peer}"
    for thing in masses(evidence):
        own = -thing.effects[LEFT_OUT.words]
        if not vanishes(own):
            factor = 1 + own @ residual / (own @ own)
            if vanishes(residual - (factor - 1) * own):
                there = f"{factor * thing.mass:.4g} kg"
                return f"{thing.name} has {there} in {peer} and {thing.mass:.4g} kg here"
    return ""


def one_body(evidence: Evidence, peer: str) -> str:
    """Say whether the whole difference lies in one body, whatever it is."""
    residual = evidence.residual()
    units = [matrix(Inertia.from_parameters(list(row))) for row in np.eye(len(NAMES))]
    own = {link.name for link in evidence.model.links if link.inertial.mass}
    for i, body in enumerate(evidence.tree.bodies):
        A = np.column_stack([evidence.effect(i, unit) for unit in units])
        if vanishes(residual - A @ np.linalg.lstsq(A, residual, rcond=None)[0]):
            links = [name for name, (b, _) in evidence.tree.frames.items() if b == i]
            heavy = listing([f"{shorten(name)!r}" for name in links if name in own], 3)
            return (
                f"{peer} has another inertia for what joint {shorten(body.name)!r} moves "
                f"({heavy or 'nothing with mass'}); everything else agrees"
            )
    return ""
