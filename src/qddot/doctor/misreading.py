"""Whether a peer has other inertias: which links it misreads, and in which way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

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
    found = list(effects(evidence))
    # the same lengths and angles in far fewer numbers
    _, R = np.linalg.qr(np.column_stack([*(effect for *_, effect in found), evidence.residual()]))
    residual, columns = R[:, -1], R[:, :-1].T
    for mistake in MISTAKES:
        which = [k for k, (m, *_) in enumerate(found) if m is mistake]
        if which and (part := subset(columns[which].T, residual)).any():
            links = listing([found[k][1] for k in np.array(which)[part]], 3)
            return f"{peer} {mistake.words.format(links=links)}"
    return ""


def subset(A: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Return which columns add up to the residual; none if there are no such."""
    # the nearest whole numbers find any sum, unless two effects look alike; then steps do
    fitted = np.linalg.lstsq(A, residual, rcond=None)[0].round() == 1
    for part in (fitted, step_by_step(A, residual)):
        if vanishes(residual - A @ part):
            return part
    return np.zeros(A.shape[1], dtype=bool)


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


def effects(evidence: Evidence) -> Iterator[tuple[Mistake, str, np.ndarray]]:
    """Yield what each mistake does to the differences, of every link and payload it touches."""
    model = evidence.model
    masses = [(f"link {shorten(link.name)!r}", link.name, link.inertial) for link in model.links]
    masses += [
        (f"the payload at {shorten(p.frame)!r}", p.frame, p.inertial) for p in model.payloads
    ]
    for mistake, (name, frame, inertial) in product(MISTAKES, masses):
        body, X_BF = evidence.tree.frames[frame]
        if body != BASE:
            wrong, right = (
                matrix(each.about_origin().seen_from(X_BF))
                for each in (mistake.change(inertial), inertial)
            )
            effect = evidence.effect(body, wrong - right)
            if not vanishes(effect):
                yield mistake, f"{name} ({float(inertial.mass):.4g} kg)", effect
