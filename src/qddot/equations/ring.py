"""The ring in which a robot's equations live: polynomials in sines, cosines and parameters.

Every entry of M, C and g is a polynomial in sin qᵢ and cos qᵢ of the joints that turn, qᵢ of those
that slide, the velocities, the accelerations and the parameters. Replacing sin² by 1 − cos²
wherever it appears leaves one way to write each of them, so two are equal exactly when they look
the same. The sign of a velocity, which dry friction has, is a generator too: sgn³ = sgn, and
q̇ sgn² = q̇, leave one way to write it (at q̇ = 0, where sgn is 0, as elsewhere).

Generators have names of our own (s1, c1, q1, v1, a1, d1, p1, ...): what a file calls its
parameters is for printing only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np

from qddot.equations.polynomial import Polynomial
from qddot.equations.terms import Groups, has_angle, parallel_groups
from qddot.model.model import scalars
from qddot.model.tree import Tree
from qddot.scalars import Scalar, sincos
from qddot.scalars.expressions import Expression, atomic, expression
from qddot.scalars.monomials import PI, Atom, Monomial

LETTERS = {
    "sine": "s",
    "cosine": "c",
    "parameter": "p",
    "position": "q",
    "rate": "v",
    "acceleration": "a",
    "sign": "d",  # the direction of a velocity
}


@dataclass(frozen=True)
class Generator:
    """One generator of a ring: what it is, and of which joint or parameter."""

    role: str  # a key of LETTERS
    index: int  # of the joint, or of the parameter
    name: str  # what people call it: q1, m1, sqrt(2)


class Ring:
    """The polynomials of a robot with certain coordinates and parameters.

    `turns` says of each coordinate whether its sine and cosine are there. The parameters are taken
    from `numbers`, exact expressions. Groups (joints with parallel axes) and roles (what the
    parameters are to the equations) are for printing. `signs` are the coordinates, counted from 0,
    whose velocity has a sign in the equations.
    """

    def __init__(
        self,
        turns: tuple[bool, ...],
        numbers: Iterable[Scalar],
        groups: Groups = (),
        roles: dict[Atom, str] | None = None,
        signs: Iterable[int] = (),
    ):
        self.n, self.turns, self.signs = len(turns), turns, frozenset(signs)
        self.atoms = tuple(sorted(atoms_in(numbers), key=str))
        # sines first: the leading term of s² + c² − 1 is then s², and a remainder is a normal form
        generators = [Generator("sine", i, f"sin(q{i + 1})") for i in range(self.n)]
        # a root before what is under it, for the same reason
        roots = [a for a in self.atoms if a.function in ("sqrt", "sin")]
        roots.sort(key=_depth, reverse=True)
        plain = [a for a in self.atoms if a.function not in ("sqrt", "sin")]
        self.parameters = (*roots, *plain)
        generators += [Generator("parameter", k, str(a)) for k, a in enumerate(roots)]
        for role, letter in (
            ("cosine", "cos"),
            ("position", "q"),
            ("rate", "qd"),
            ("acceleration", "qdd"),
        ):
            names = [
                f"cos(q{i + 1})" if letter == "cos" else f"{letter}{i + 1}" for i in range(self.n)
            ]
            generators += [Generator(role, i, name) for i, name in enumerate(names)]
        generators += [Generator("sign", i, f"sgn(qd{i + 1})") for i in sorted(self.signs)]
        generators += [Generator("parameter", k, str(a)) for k, a in enumerate(plain, len(roots))]
        self.generators = tuple(generators)
        names = [f"{LETTERS[g.role]}{g.index + 1}" for g in generators]
        self.context = flint.fmpq_mpoly_ctx.get(names, "lex")
        self._gens = dict(zip(names, self.context.gens(), strict=True))
        self._place = {name: k for k, name in enumerate(names)}
        self.groups, self.roles = groups, roles or {}

    @staticmethod
    def of(tree: Tree) -> Ring:
        """Return the ring of a robot whose numbers are exact expressions."""
        pairs = zip(tree.bodies, tree.drives, strict=True)
        turning = {drive.index for body, drive in pairs if has_angle(body)}
        turns = tuple(i in turning for i in range(tree.n))
        rubs = [i for i, f in enumerate(tree.friction) if f.signed]
        return Ring(turns, scalars_of(tree), parallel_groups(tree), parameter_roles(tree), rubs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ring) and self.generators == other.generators

    def __hash__(self) -> int:
        return hash(self.generators)

    # elements

    def constant(self, x: int | Fraction) -> Polynomial:
        value = Fraction(x)
        return Polynomial(
            self, self.context.constant(flint.fmpq(value.numerator, value.denominator))
        )

    def element(self, letter: str, index: int) -> Polynomial:
        """Return a generator: s, c, q, v, a, d of a joint, or p of a parameter, from 0."""
        return Polynomial(self, self._gens[f"{letter}{index + 1}"])

    def vector(self, letter: str) -> np.ndarray:
        """Return the positions q, velocities v or accelerations a as an array of polynomials."""
        array = np.empty(self.n, dtype=object)
        array[:] = [self.element(letter, i) for i in range(self.n)]
        return array

    def scalar(self, x: Scalar) -> Scalar:
        """Return an exact expression as a polynomial; a whole number stays an int."""
        x = expression(x)
        if set(x.terms) <= {()}:
            value = x.terms.get((), Fraction(0))
            return value.numerator if value.denominator == 1 else self.constant(value)
        total = self.constant(0)
        for monomial, coefficient in x.terms.items():
            term = self.constant(coefficient)
            for atom, exponent in monomial:
                if exponent < 0:
                    atom, exponent = reciprocal(atom), -exponent
                term = term * self.element("p", self.parameters.index(atom)) ** exponent
            total = total + term
        return total

    def array(self, x: np.ndarray) -> np.ndarray:
        """Return an array of exact expressions as one of polynomials."""
        x = np.asarray(x, dtype=object)
        result = np.empty(x.shape, dtype=object)
        for index in np.ndindex(x.shape):
            result[index] = self.scalar(x[index])
        return result

    # normal form

    @cached_property
    def relations(self) -> tuple[tuple[int, Any], ...]:
        """For each generator with a power that is known: its place, and the relation."""
        found = []
        for i in range(self.n):
            s, c = self._gens[f"s{i + 1}"], self._gens[f"c{i + 1}"]
            found.append((self._place[f"s{i + 1}"], s**2 + c**2 - 1))
        for i in sorted(self.signs):
            d, v = self._gens[f"d{i + 1}"], self._gens[f"v{i + 1}"]
            found += [(self._place[f"d{i + 1}"], x) for x in (d**3 - d, v * d**2 - v)]
        for k, atom in enumerate(self.parameters):
            if atom.function not in ("sqrt", "sin"):
                continue
            p = self._gens[f"p{k + 1}"]
            square = atom.argument if atom.function == "sqrt" else 1 - _cosine(atom) ** 2
            found.append((self._place[f"p{k + 1}"], p**2 - self._unreduced(square)))
        return tuple(found)

    def _unreduced(self, x: Expression) -> Any:
        """Return an expression as a polynomial whose squares are left as they are."""
        total = self.context.constant(0)
        for monomial, c in x.terms.items():
            term = self.context.constant(flint.fmpq(c.numerator, c.denominator))
            for atom, exponent in monomial:
                atom = atom if exponent > 0 else reciprocal(atom)
                term *= self._gens[f"p{self.parameters.index(atom) + 1}"] ** abs(exponent)
            total += term
        return total

    @cached_property
    def bounds(self) -> tuple[tuple[int, Any], ...]:
        """The relations with every sign such that what replaces a square has none: s² = 1 + c²."""
        pairs = ((k, x, magnitude(x)) for k, x in self.relations)
        lead = self.context.from_dict
        return tuple(
            (k, lead({x.monomial(0): 2 * abs(x.coefficient(0))}) - whole) for k, x, whole in pairs
        )

    def reduced(self, value: Any, bounds: bool = False) -> Any:
        """Return the normal form of a polynomial: no square of a sine or a root, no q̇ sgn².

        Of bounds of coefficients, which have no signs, it is a polynomial of bounds.
        """
        degrees = value.degrees()
        for place, relation in self.bounds if bounds else self.relations:
            if degrees[place] > 1:
                value = value % relation
                # what was under a root may have met itself
                degrees = value.degrees() if place >= self.n else degrees
        return value


def magnitude(value: Any) -> Any:
    """Return a polynomial with the magnitudes of the coefficients."""
    return value.context().from_dict({e: abs(c) for e, c in value.to_dict().items()})


def _cosine(atom: Atom) -> Expression:
    return atomic(Atom("cos", atom.name, atom.argument))


def _depth(atom: Atom) -> int:
    """Return how many functions stand inside each other."""
    inside = [a for m in atom.argument.terms for a, _ in m] if atom.function else []
    return max((_depth(a) + 1 for a in inside), default=0)


def reciprocal(atom: Atom) -> Atom:
    """Return the atom that stands for one over an atom."""
    inside = atomic(atom)
    return Atom("1/", str(inside), inside)


def atoms_in(numbers: Iterable[Scalar]) -> set[Atom]:
    """Return the parameters that some numbers are made of, and what these need in turn."""
    found: set[Atom] = set()
    waiting = [x for x in numbers if isinstance(x, Expression)]
    while waiting:
        for monomial in waiting.pop().terms:
            for atom, exponent in monomial:
                if exponent < 0:
                    atom = reciprocal(atom)
                if atom in found:
                    continue
                found.add(atom)
                if atom.function == "sin":
                    waiting.append(_cosine(atom))
                elif atom.function == "sqrt":
                    waiting.append(atom.argument)
    return found


def scalars_of(tree: Tree) -> Iterable[Scalar]:
    """Yield every number in a tree."""
    yield from tree.gravity
    yield from tree.rotor_inertia
    yield from scalars(tree.friction)
    yield from scalars(tree.shared)
    for elastic in tree.elastics:
        yield from (*elastic.direction, *elastic.numbers().values())
    for body, drive in zip(tree.bodies, tree.drives, strict=True):
        yield from np.asarray(body.X_PJ.R, dtype=object).reshape(-1)
        yield from body.X_PJ.p
        yield from scalars(body.joint)
        yield from body.inertia.parameters
        yield from (drive.ratio, drive.offset)
        if has_angle(body):
            yield from sincos(drive.offset)  # cos(2q + 3/10) is multiplied out
    for _, X in tree.frames.values():
        yield from np.asarray(X.R, dtype=object).reshape(-1)
        yield from X.p


def parameter_roles(tree: Tree) -> dict[Atom, str]:
    """Return which symbols are masses ("mass"), other linear parameters ("linear"), or gravity.

    A linear parameter is one that no equation of motion squares or multiplies with another of
    them: masses first, then moments of inertia, friction, stiffness; "motor" is one that rotors
    alone have. Lengths have no role.
    """
    monomials = [m for x in _dynamic_scalars(tree) for m in _monomials([x])]
    masses = {a for m in _monomials(b.inertia.m for b in tree.bodies) for a, _ in m}
    rotors = set(_monomials(shaft.rotor_inertia for shaft in tree.shafts))
    candidates = {a for m in monomials for a, _ in m if not a.function and a != PI}
    roles: dict[Atom, str] = {}
    for atom in sorted(candidates, key=lambda a: (a not in masses, natural(a.name))):
        with_it = [m for m in monomials if atom in dict(m)]
        once = all(dict(m)[atom] == 1 for m in with_it)
        if once and not any(other in roles for m in with_it for other, _ in m):
            alone = all(m in rotors for m in with_it)
            roles[atom] = "mass" if atom in masses else "motor" if alone else "linear"
    for monomial in _monomials(tree.gravity):
        for atom, _ in monomial:
            roles.setdefault(atom, "gravity")
    return roles


def natural(name: str) -> tuple[float, str]:
    """Return what names are sorted by: the number at their end, if any, then the alphabet."""
    number = re.search(r"(\d+)\}?$", name)  # also as LaTeX writes it, m_{12}
    return (int(number[1]), name[: number.start()]) if number else (math.inf, name)


def _dynamic_scalars(tree: Tree) -> Iterator[Scalar]:
    """Yield the numbers of a tree in which its equations are linear."""
    for shaft in tree.shafts:
        yield from shaft.parameters
    for elastic in tree.elastics:
        yield from elastic.linear
    for body in tree.bodies:
        yield from body.inertia.parameters


def _monomials(scalars: Iterable[Scalar]) -> list[Monomial]:
    return [m for x in scalars if isinstance(x, Expression) for m in x.terms]
