"""The same question answered exactly: groups with the robot's own symbols as coefficients.

A parameter acts on the torques through the energy it adds, E_k = K_k + P_k, and a combination of
parameters acts on none of them exactly when its energy is a constant. So the groups are found from
one polynomial a parameter instead of n: coefficients of sines, cosines and rates are collected,
and a rational nullspace says which columns depend on which.

Gautier: M. Gautier, W. Khalil, *Direct calculation of minimum set of inertial parameters of serial
robots*, IEEE Trans. Robotics and Automation 6(3), 1990, who start from the energies too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.movement import velocities
from qddot.dynamics.regressor import UNITS
from qddot.errors import BadArgument
from qddot.identification.grouping import Grouping
from qddot.model.friction import LINEAR
from qddot.model.shaft import Shaft
from qddot.model.tree import Tree
from qddot.scalars import Scalar
from qddot.scalars.expressions import expression
from qddot.spatial.moments import Moments
from qddot.spatial.vector import vector

SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

Sparse = dict[Any, dict[int, Any]]  # by monomial of the state, then by column


def exact_columns(model: Any, extras: Sequence[tuple[Shaft, str]]) -> Grouping:
    """Return the groups of a robot's parameters, exactly: numbers are decimals as written.

    After the inertial ones come (shaft, one of `EXTRAS` of the regressor).
    """
    from qddot.equations.exact_tree import exact_robot

    exact = exact_robot(model)
    field, of_parameters = coefficient_field(exact.ring)
    rows: Sparse = {}
    column = -1
    for column, energy in enumerate(energies(exact.tree, exact.q, exact.qd)):
        for monomial, coefficient in split_terms(exact.ring, energy, field, of_parameters):
            row = rows.setdefault(monomial, {})
            row[column] = row.get(column, field.zero) + coefficient
    zero = (0,) * sum(g.role != "parameter" for g in exact.ring.generators)
    rows.pop(zero, None)  # a constant energy moves nothing
    atoms = {k: exact.ring.parameters[exact.ring.generators[k].index] for k in of_parameters}
    for k, (shaft, name) in enumerate(extras, column + 1):
        for monomial, size in _energy_of(exact.ring, shaft, name):
            value = _element(expression(size), field, atoms, of_parameters)
            rows.setdefault(monomial, {})[k] = value
    return solved(rows, column + 1 + len(extras), field)


def energies(tree: Tree, q: Any, qd: Any) -> Iterator[Any]:
    """Yield the energy of every inertial parameter of size 1, body by body.

    Of a body that moves at [ω; u] and stands at X:

        E_k = ½ (ω · n_k + u · l_k) − gᵀ (m_k p + R h_k)
    """
    velocity = velocities(tree, q, tree.poses(q), qd)
    X_W = body_poses(tree, q)
    gravity = vector(list(tree.gravity))
    for i, body in enumerate(tree.bodies):
        w, u = velocity[i]
        for unit in map(body.counted, UNITS):
            n, l = Moments.of(unit).momentum(w, u)
            kinetic = w @ n + u @ l
            height = gravity @ (unit.m * X_W[i].p + X_W[i].R @ unit.h)
            yield kinetic * Fraction(1, 2) - height


def coefficient_field(ring: Any) -> tuple[Any, dict[int, Any]]:
    """Return the field of the robot's symbols, and each parameter generator as its element."""
    from sympy import QQ, Symbol

    atoms = {k: ring.parameters[g.index] for k, g in enumerate(ring.generators) if _parameter(g)}
    roots = [str(a) for a in atoms.values() if a.function not in ("", "1/")]
    if roots:
        raise BadArgument(
            f"The exact groups of a robot with {', '.join(roots[:3])} in its geometry are not "
            "available.\n  Use exact=False, or give the symbols values."
        )
    plain = {k: Symbol(a.name) for k, a in atoms.items() if not a.function}
    field = QQ.frac_field(*plain.values()) if plain else QQ
    found = {k: field.from_sympy(symbol) for k, symbol in plain.items()}
    for k, atom in atoms.items():
        if atom.function:
            found[k] = field.one / _element(atom.argument, field, atoms, found)
    return field, found


def _element(x: Any, field: Any, atoms: Mapping[int, Any], found: Mapping[int, Any]) -> Any:
    by_atom = {atoms[k]: element for k, element in found.items()}
    total = field.zero
    for monomial, c in x.terms.items():
        term = field.convert(_rational(c))
        for atom, exponent in monomial:
            term = term * by_atom[atom] ** exponent
        total = total + term
    return total


def split_terms(
    ring: Any, energy: Any, field: Any, of_parameters: Mapping[int, Any]
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the monomials of the state in a polynomial, with what stands before them."""
    if not hasattr(energy, "terms"):
        return  # a constant
    state = [k for k, g in enumerate(ring.generators) if not _parameter(g)]
    for exponents, c in energy.terms():
        coefficient = field.convert(_rational(c))
        for k, element in of_parameters.items():
            if exponents[k]:
                coefficient = coefficient * element ** exponents[k]
        yield tuple(exponents[k] for k in state), coefficient


def _energy_of(ring: Any, shaft: Shaft, name: str) -> Iterator[tuple[Any, Scalar]]:
    """Yield the monomials that stand for an extra, with their factors: ½ w² of a rotor, e·q of f₀.

    Other friction has no energy: what acts along other joints is a direction of its own.
    """
    along = [(i, r) for i, r in enumerate(shaft.direction) if r]
    if name == "Ia":
        for (i, a), (j, b) in combinations_with_replacement(along, 2):
            yield _monomial(ring, "rate", i, j), a * b * (Fraction(1, 2) if i == j else 1)
    elif name == "f0":
        for i, r in along:
            yield _monomial(ring, "position", i), r
    elif len(along) == 1:
        ((i, r),) = along
        yield (name, i), next(p.share(r) for p in LINEAR if p.column == name)
    else:
        yield (name, shaft.name), 1


def _monomial(ring: Any, role: str, *places: int) -> tuple[int, ...]:
    """Return a product of coordinates or of their rates as the exponents of the state."""
    state = [g for g in ring.generators if not _parameter(g)]
    return tuple(places.count(g.index) * (g.role == role) for g in state)


def solved(rows: Sparse, p: int, field: Any) -> Grouping:
    """Return the columns sorted out, from their coefficients: the reduced row echelon form."""
    from sympy.polys.matrices import DomainMatrix

    different: dict[Any, dict[int, Any]] = {}
    for row in rows.values():
        entries = {k: x for k, x in sorted(row.items()) if x != field.zero}
        if entries:
            first = next(iter(entries.values()))
            entries = {k: x / first for k, x in entries.items()}
            different[tuple(entries.items())] = entries
    matrix = DomainMatrix(dict(enumerate(different.values())), (len(different), p), field)
    echelon, kept = matrix.rref()
    heard = {k for row in different.values() for k in row}
    B = np.zeros((len(kept), p))
    texts: dict[tuple[int, int], str] = {}
    for i, row in echelon.to_sparse().rep.to_sdm().items():
        for k, x in row.items():
            symbolic = field.to_sympy(x)
            if symbolic.is_number:
                B[i, k] = float(symbolic)
            else:
                B[i, k] = np.nan  # no number yet
                texts[i, k] = pretty(str(symbolic))
    none = tuple(k for k in range(p) if k not in heard)
    return Grouping(tuple(int(k) for k in kept), none, B, texts)


def pretty(text: str) -> str:
    """Return a formula as people write it: a1² instead of a1**2."""
    text = re.sub(r"\*\*(-?\d+)", lambda m: m[1].translate(SUPERSCRIPT), text)
    return text.replace("*", "·")


def matrix_columns(Y: Any, constants: Sequence[str]) -> Grouping:
    """Return the groups of a regressor given as a SymPy matrix; `constants` are not the state."""
    import sympy

    Y = sympy.Matrix(Y)
    fixed = [s for s in sorted(Y.free_symbols, key=str) if str(s) in set(constants)]
    field = sympy.QQ.frac_field(*fixed) if fixed else sympy.QQ
    polynomials, generators, circles = _polynomials(Y)
    rows: Sparse = {}
    for (j, k), entry in polynomials.items():
        for circle in circles:  # sin² is 1 − cos²
            entry = sympy.rem(entry, circle, *[g for g in circle.free_symbols if "sin" in g.name])
        states = [g for g in generators if g not in fixed]
        poly = sympy.Poly(entry, *states, domain=field) if states else sympy.Poly(entry)
        for monomial, c in poly.rep.to_dict().items():
            rows.setdefault((j, monomial), {})[k] = c
    return solved(rows, Y.shape[1], field)


def _polynomials(Y: Any) -> tuple[dict[tuple[int, int], Any], list[Any], list[Any]]:
    """Return the entries with every function of the state replaced by a symbol of its own."""
    import sympy

    expanded = Y.applyfunc(lambda x: sympy.expand(sympy.expand_trig(x)))
    names: dict[Any, Any] = {}
    functions = expanded.atoms(sympy.Function, sympy.Derivative)
    for f in sorted(functions, key=lambda f: (-sympy.count_ops(f), str(f))):
        names[f] = sympy.Dummy(str(f))
    replaced = expanded.xreplace({f: names[f] for f in names})
    circles = [
        names[f] ** 2 + names[sympy.cos(f.args[0])] ** 2 - 1
        for f in names
        if isinstance(f, sympy.sin) and sympy.cos(f.args[0]) in names
    ]
    entries = {
        (j, k): sympy.expand(replaced[j, k])
        for j in range(Y.shape[0])
        for k in range(Y.shape[1])
        if replaced[j, k] != 0
    }
    generators = sorted(replaced.free_symbols, key=str)
    return entries, generators, circles


def _parameter(generator: Any) -> bool:
    return generator.role == "parameter"


def _rational(c: Any) -> Any:
    from sympy import QQ

    return QQ(c.numerator, c.denominator)
