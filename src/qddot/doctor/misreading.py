"""Whether a peer has other inertias: which links it misreads, and in which way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from qddot.doctor.evidence import Evidence, matrix, vanishes
from qddot.errors import listing, shorten
from qddot.model.inertia_advice import violation
from qddot.model.link import Inertial
from qddot.model.tree import BASE
from qddot.spatial.inertia import NAMES, Inertia, symmetric, upper, why_impossible
from qddot.spatial.vector import skew


def misread(evidence: Evidence, peer: str) -> str:
    """Say which inertias are misread, and in which one way."""
    things = masses(evidence)
    effects = {(m, thing): thing.effects[m.words] for m in MISTAKES for thing in things}
    # a link that a mistake does not touch says nothing
    effects = {key: effect for key, effect in effects.items() if not vanishes(effect)}
    # the same lengths and angles in far fewer numbers
    _, R = np.linalg.qr(np.column_stack([*effects.values(), evidence.residual()]))
    residual, columns = R[:, -1], dict(zip(effects, R.T, strict=False))
    for mistake in MISTAKES:
        candidates = {thing: column for (m, thing), column in columns.items() if m is mistake}
        if chosen := subset(candidates, residual):
            links = listing([f"{thing.name} ({thing.mass:.4g} kg)" for thing in chosen], 3)
            return f"{peer} {mistake.words.format(links=links)}"
    return ""


def subset(columns: dict[Mass, np.ndarray], residual: np.ndarray) -> list[Mass]:
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


def one_body(evidence: Evidence, peer: str) -> str:
    """Say whether the whole difference is that of one body's inertia, whatever the cause."""
    residual = evidence.residual()
    units = [matrix(Inertia.from_parameters(list(row))) for row in np.eye(len(NAMES))]
    own = {link.name for link in evidence.model.links if link.inertial.mass}
    for i, body in enumerate(evidence.tree.bodies):
        A = np.column_stack([evidence.effect(i, unit) for unit in units])
        if vanishes(residual - A @ np.linalg.lstsq(A, residual, rcond=None)[0]):
            links = [name for name, (b, _) in evidence.tree.frames.items() if b == i]
            heavy = listing([f"{shorten(name)!r}" for name in links if name in own], 3)
            return (
                f"M and g differ as if what joint {shorten(body.name)!r} moves "
                f"({heavy or 'nothing with mass'}) had another inertia in {peer}"
            )
    return ""


@dataclass(frozen=True)
class Mistake:
    """A way to misread, and the words for it: "{peer} ... {links}"."""

    words: str
    change: Callable[[Inertial], Inertial]


@dataclass(frozen=True, eq=False)
class Mass:
    """A link or a payload: what it is called, what it weighs, and what misreading it does."""

    name: str
    mass: float
    effects: dict[str, np.ndarray]  # of each mistake, on the differences


def nothing(inertial: Inertial) -> Inertial:
    return Inertial()


def unturned(inertial: Inertial) -> Inertial:
    return replace(inertial, rpy=(0, 0, 0))


def about_link(inertial: Inertial) -> Inertial:
    """Return the inertia whose matrix about the link's origin is the one that was written."""
    K = skew([float(x) for x in inertial.com])
    I = symmetric(unturned_matrix(inertial)) + float(inertial.mass) * (K @ K)
    return replace(inertial, inertia=tuple(upper(I)), rpy=(0, 0, 0))


def unturned_matrix(inertial: Inertial) -> list[float]:
    """Return the six entries in the link's axes."""
    own = replace(inertial, mass=0, com=(0, 0, 0)).about_origin()
    return [float(x) for x in upper(own.I)]


def balanced(inertial: Inertial) -> Inertial:
    """Return three equal moments where the triangle inequality fails (MuJoCo's balanceinertia)."""
    if violation([float(x) for x in inertial.inertia]) <= 0:
        return inertial
    xx, _, _, yy, _, zz = inertial.inertia
    mean = (xx + yy + zz) / 3
    return replace(inertial, inertia=(mean, 0, 0, mean, 0, mean))


def watery(inertial: Inertial) -> Inertial:
    """Return the inertia of a ball of water where no body has this one (Drake's replacement).

    A ball of mass m and density ρ, taken as 1 kg where there is no mass:

        I = ⅖ m r²        r³ = 3m / 4πρ
    """
    mass = float(inertial.mass)
    if why_impossible(mass, symmetric([float(x) for x in inertial.inertia])) is None:
        return inertial
    mass = mass or 1.0
    I = 0.4 * mass * (3 * mass / (4 * math.pi * 1000)) ** (2 / 3)
    return replace(inertial, mass=mass, inertia=(I, 0, 0, I, 0, I))


def unit(inertial: Inertial) -> Inertial:
    """Return 1 kg and 1 kg·m² (Pinocchio, of bodies in MJCF whose mass it cannot find)."""
    return Inertial(1, (0, 0, 0), (1, 0, 0, 1, 0, 1))


MISTAKES = (
    Mistake("leaves out the mass and inertia of {links}", nothing),
    Mistake("reads the inertia of {links} without its rpy", unturned),
    Mistake(
        "takes the inertia of {links} about the link's origin instead of its centre of mass",
        about_link,
    ),
    Mistake("gives {links}, whose inertia no body has, three equal moments", balanced),
    Mistake("takes {links}, whose inertia no body has, as a ball of water", watery),
    Mistake("takes {links} as a body of 1 kg and 1 kg·m²", unit),
)


def masses(evidence: Evidence) -> list[Mass]:
    """Return every link and payload that a joint moves, with the effects of each mistake."""
    model, frames = evidence.model, evidence.tree.frames
    things = [(f"link {shorten(link.name)!r}", link.name, link.inertial) for link in model.links]
    things += [
        (f"the payload at {shorten(p.frame)!r}", p.frame, p.inertial) for p in model.payloads
    ]

    def effects(frame: str, inertial: Inertial) -> Iterator[tuple[str, np.ndarray]]:
        body, X_BF = frames[frame]
        right = matrix(inertial.about_origin().seen_from(X_BF))
        for mistake in MISTAKES:
            wrong = matrix(mistake.change(inertial).about_origin().seen_from(X_BF))
            yield mistake.words, evidence.effect(body, wrong - right)

    return [
        Mass(name, float(inertial.mass), dict(effects(frame, inertial)))
        for name, frame, inertial in things
        if frames[frame][0] != BASE
    ]
