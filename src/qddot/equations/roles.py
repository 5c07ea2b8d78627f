"""What the parameters of a robot are to its equations: masses, inertias, gravity, or lengths."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from qddot.expressions import PI, Atom, Expression, Monomial
from qddot.model.tree import Tree
from qddot.scalars import Scalar


def parameter_roles(tree: Tree) -> dict[Atom, str]:
    """Return which symbols are masses ("mass"), other linear parameters ("linear"), or gravity.

    A linear parameter is one that no equation of motion squares or multiplies with another of
    them: masses first, then moments of inertia, friction, stiffness. Lengths have no role.
    """
    monomials = [m for x in _dynamic_scalars(tree) for m in _monomials([x])]
    masses = {a for m in _monomials(b.inertia.m for b in tree.bodies) for a, _ in m}
    candidates = {a for m in monomials for a, _ in m if not a.function and a != PI}
    roles: dict[Atom, str] = {}
    for atom in sorted(candidates, key=lambda a: (a not in masses, natural(a.name))):
        with_it = [m for m in monomials if atom in dict(m)]
        once = all(dict(m)[atom] == 1 for m in with_it)
        if once and not any(other in roles for m in with_it for other, _ in m):
            roles[atom] = "mass" if atom in masses else "linear"
    for monomial in _monomials(tree.gravity):
        for atom, _ in monomial:
            roles.setdefault(atom, "gravity")
    return roles


def natural(name: str) -> tuple[float, str]:
    """Return what names are sorted by: the number at their end, if any, then the alphabet."""
    number = re.search(r"\d+$", name)
    return (int(number[0]), name[: number.start()]) if number else (math.inf, name)


def _dynamic_scalars(tree: Tree) -> Iterator[Scalar]:
    """Yield the numbers of a tree in which its equations are linear."""
    yield from tree.rotor_inertia
    for friction in tree.friction:
        yield from friction.linear
    for elastic in tree.elastics:
        yield from (elastic.stiffness, elastic.stiffness * elastic.rest, elastic.damping)
    for body in tree.bodies:
        yield from body.inertia.parameters


def _monomials(scalars: Iterable[Scalar]) -> list[Monomial]:
    return [m for x in scalars if isinstance(x, Expression) for m in x.terms]
