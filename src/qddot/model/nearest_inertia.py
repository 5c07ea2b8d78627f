"""The nearest inertia that a body has, in the place of one that none has; never without a word.

A body exists exactly when its pseudo-inertia is positive semidefinite. About the centre of mass
that is the block diagonal of Σ = ∫r rᵀ dm and the mass, so with mass and centre kept the nearest
one in the Frobenius norm has the eigenvalues of Σ that are negative replaced.

Wensing: P. Wensing, S. Kim, J.-J. Slotine, *Linear matrix inequalities for physically consistent
inertial parameter identification*, IEEE RA-L 3(1), 2018.
Higham: N. Higham, *Computing a nearest symmetric positive semidefinite matrix*, Linear Algebra and
its Applications 103, 1988.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from qddot.errors import Problem
from qddot.model.inertia_advice import ENTRIES, why_not
from qddot.model.link import Inertial, Link, Payload
from qddot.model.model import Model
from qddot.model.structure import place
from qddot.model.validation import checked
from qddot.spatial.inertia import euler, from_euler, symmetric, upper

CHANGED = "the nearest possible inertia is taken"
THIN = 1e-6  # of the largest second moment: what the others are at least, so that all are positive

T = TypeVar("T", Link, Payload)


def nearest_inertia(inertial: Inertial) -> Inertial:
    """Return the body of the same mass and centre whose pseudo-inertia is nearest.

    With Σ = ½ tr(I) E − I = Q diag(λ) Qᵀ:

        Σ' = Q diag(max(λ, ε)) Qᵀ        I' = tr(Σ') E − Σ'               Wensing, Higham
    """
    sizes, Q = np.linalg.eigh(euler(symmetric([float(x) for x in inertial.inertia])))
    least = THIN * max(float(sizes.max()), 0.0)
    I = from_euler(Q @ np.diag(np.maximum(sizes, least)) @ Q.T)
    return replace(inertial, inertia=tuple(float(x) for x in upper(I)))


def with_nearest_inertias(model: Model, found: Iterable[Problem]) -> Model:
    """Return the model with every inertia that no body has replaced, each with a warning.

    It is refused where something else was found to be wrong, such as a negative mass.
    """
    told: list[Problem] = []

    def mended(thing: T, where: str) -> T:
        why, before = why_not(thing.inertial), thing.inertial
        if why is None or float(before.mass) <= 0:
            return thing
        after = nearest_inertia(before)
        old, new = (symmetric([float(x) for x in part.inertia]) for part in (before, after))
        share = np.linalg.norm(new - old) / np.linalg.norm(old)
        values = ", ".join(f"{k} = {x:.4g}" for k, x in zip(ENTRIES, after.inertia, strict=True))
        message = f"{why}; {CHANGED}, {100 * share:.3g} % away: {values}"
        told.append(Problem("warning", where, message, "Replace it by the real one.", thing.line))
        return replace(thing, inertial=after)

    links = tuple(mended(link, place("link", link.name)) for link in model.links)
    loads = tuple(mended(load, f"payload at {load.frame!r}") for load in model.payloads)
    places = {problem.place for problem in told}
    # what was said of an inertia that is no longer there
    rest = [p for p in found if not (p.place in places and "inertia" in p.message)]
    return checked(replace(model, links=links, payloads=loads), [*rest, *told])
