"""The torques as a linear function of parameters of one's own: τ = Y(q, q̇, q̈) π.

A parameter is a symbol or a formula of symbols, such as m2*aC2**2 + I2. The symbols that are in any
of them are taken out of the torques, and their products compared one by one, exactly:

    Σ_k Y_k (coefficient of a product in π_k) = coefficient of that product in τ
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import flint
import numpy as np

from qddot.equations.closed_form import closed_form
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.equations.solved_terms import SolvedTerms
from qddot.equations.values import symbols_of
from qddot.errors import BadArgument, UnknownName, listing
from qddot.model.arguments import scalar
from qddot.scalars.expressions import Expression, expression
from qddot.scalars.monomials import PI, Atom, Monomial, reading_order, term_text

Split: TypeAlias = dict[Monomial, Any]  # what a polynomial has of each product of certain symbols
SHOWN = 6  # products that an error names


@dataclass(frozen=True, eq=False)
class ParameterTerms(SolvedTerms):
    """Regressors of parameters that people choose, and of those that torques can tell."""

    @closed_form("q", "qd", "qdd", symbol="Y")
    def regressor_in(
        self, parameters: Sequence[Any] | None = None, partial: bool = False
    ) -> np.ndarray:
        """Return Y with Y π = τ for parameters π of your own, a column for each, shape (n, p).

        Y holds none of the symbols that the parameters are made of; the column of a Coulomb
        friction is sgn(q̇). The Stribeck effect, which is no polynomial, is not in τ.

        Args:
            parameters: Symbols, or formulas of them: ["m1*aC1", "m1*aC1**2 + I1", "m2", ...]. If
                not given, `lumped_parameters`.
            partial: Leave out what τ has besides these parameters, instead of refusing.
        """
        ring = self.robot.ring
        if parameters is None:
            wanted = [_as_split(ring, x) for x in self.lumped_parameters]
        else:
            wanted = [_read(self.robot.model.name, ring, text) for text in parameters]
        own = _symbols(wanted)
        torques = [split_by(x, own) for x in self.tau]
        laws = [shaft.friction for shaft in self.robot.tree.shafts]
        stick = _symbols([split_by(law.grip[1], own) for law in laws])
        if only_stick := sorted(atom.name for atom in stick - _symbols(torques)):
            raise BadArgument(
                f"{listing(only_stick)}: symbols of static friction, whose Stribeck effect is no "
                "polynomial and not in τ.\n  Leave them out of the parameters."
            )
        return _regressor(wanted, torques, ring, partial)

    @cached_property
    @closed_form(symbol=r"\pi")
    def lumped_parameters(self) -> np.ndarray:
        """The fewest sums of products of symbols in which τ is linear: `regressor_in()` has Y.

        Torques tell these and no others, where all symbols but gravity's are unknown. Parameters
        that have values are in the sums as numbers, or alone, as 1.
        """
        ring = self.robot.ring
        own = _unknown(ring)
        torques = [split_by(x, own) for x in self.tau]
        # what has values comes last, so that sums begin with symbols
        products = sorted(
            {m for split in torques for m in split}, key=lambda m: (not m, _by_length(m))
        )
        if not any(products):
            raise BadArgument(
                "The torques hold no symbols: all parameters of the robot have values.\n"
                "  qddot.identifiable(robot) has what numbers can tell."
            )
        columns = [_column(torques, product) for product in products]
        places = {place: k for k, place in enumerate(dict.fromkeys(p for c in columns for p in c))}
        table = flint.fmpq_mat(len(places), len(columns))
        for k, column in enumerate(columns):
            for place, coefficient in column.items():
                table[places[place], k] = flint.fmpq(*coefficient.as_integer_ratio())
        reduced, rank = table.rref()
        lumps = np.empty(rank, dtype=object)
        for row in range(rank):
            parts = {m: _fraction(reduced[row, k]) for k, m in enumerate(products)}
            lumps[row] = ring.constant(1) * ring.scalar(Expression(parts))
        return lumps


def _symbols(splits: Sequence[Split]) -> set[Atom]:
    """Return the symbols whose products are there."""
    return {atom for split in splits for product in split for atom, _ in product}


def _unknown(ring: Ring) -> set[Atom]:
    """Return the symbols of a ring, without those of gravity."""
    known = {PI, *(atom for atom, role in ring.roles.items() if role == "gravity")}
    return {atom for atom in ring.parameters if not atom.function} - known


def split_by(x: Any, own: Collection[Atom]) -> Split:
    """Return a polynomial as the sum of products of certain symbols times what is left."""
    if not isinstance(x, Polynomial):
        return {(): x} if x else {}
    ring = x.ring
    places = {
        k: ring.parameters[g.index]
        for k, g in enumerate(ring.generators)
        if g.role == "parameter" and ring.parameters[g.index] in own
    }
    found: dict[Monomial, dict[tuple[int, ...], Any]] = {}
    for exponents, coefficient in x.value.to_dict().items():
        powers = [(places[k], int(e)) for k, e in enumerate(exponents) if e and k in places]
        product = tuple(sorted(powers, key=lambda pair: str(pair[0])))
        rest = tuple(0 if k in places else int(e) for k, e in enumerate(exponents))
        found.setdefault(product, {})[rest] = coefficient
    return {m: Polynomial(ring, ring.context.from_dict(terms)) for m, terms in found.items()}


def _regressor(wanted: list[Split], torques: list[Split], ring: Ring, partial: bool) -> np.ndarray:
    """Solve for Y, row by row, and refuse what has no solution."""
    products = sorted({m for split in wanted for m in split}, key=_by_length)
    G = flint.fmpq_mat(len(products), len(wanted))
    for k, split in enumerate(wanted):
        for i, product in enumerate(products):
            value = expression(split.get(product, 0)).terms.get((), Fraction(0))
            G[i, k] = flint.fmpq(value.numerator, value.denominator)
    if G.rank() < len(wanted):
        raise BadArgument("The parameters depend on each other: one is a sum of others.")
    left = (G.transpose() * G).inv() * G.transpose()  # (GᵀG)⁻¹ Gᵀ
    Y = np.empty((len(torques), len(wanted)), dtype=object)
    for row, torque in enumerate(torques):
        values = [torque.get(product, 0) for product in products]
        for k in range(len(wanted)):
            Y[row, k] = sum((_fraction(left[k, i]) * x for i, x in enumerate(values)), start=0)
        again = [
            sum((_fraction(G[i, k]) * Y[row, k] for k in range(len(wanted))), start=0)
            for i in range(len(products))
        ]
        wrong = [m for m, a, b in zip(products, again, values, strict=True) if a - b]
        if wrong:
            raise BadArgument(
                f"Torque {row + 1} is no sum of factors times these parameters: its terms with "
                f"{_named(wrong)} have other factors.\n  Take sums apart: 'm1', 'I1' instead of "
                "'m1 + I1'."
            )
        more = {product: torque[product] for product in torque.keys() - set(products)}
        more |= split_by(more.pop((), 0), _unknown(ring))  # named by what else is in them
        if more and not partial:
            raise BadArgument(
                f"Torque {row + 1} also has terms with {_named(sorted(more, key=_by_length))}, "
                "which no parameter holds.\n  Add them to the parameters, or leave them out: "
                "partial=True."
            )
    return Y


def _read(robot: str, ring: Ring, text: Any) -> Split:
    """Return a parameter as rational numbers times products of the robot's symbols."""
    value = expression(scalar("parameters", text))
    known = symbols_of(ring)
    for product in value.terms:
        for atom, power in product:
            if not atom.function and atom.name not in known:
                raise UnknownName("symbol", atom.name, robot, sorted(known))
            if atom.function or atom == PI or power < 0 or atom not in ring.parameters:
                raise BadArgument(
                    f"The parameter {text!r} is no sum of products of symbols, such as 'm1', "
                    "'m2*L1' or 'm2*L2**2 + I2'."
                )
    if not value.terms.keys() - {()} or () in value.terms:
        raise BadArgument(f"The parameter {text!r} holds a number that stands alone.")
    return dict(value.terms)


def _as_split(ring: Ring, x: Polynomial) -> Split:
    """Return a polynomial of parameters alone as rational numbers times their products."""
    split = split_by(x, set(ring.parameters))
    return {product: value.as_fraction() for product, value in split.items()}


def _column(torques: list[Split], product: Monomial) -> dict[tuple[int, Any], Fraction]:
    """Return the coefficients of what stands with a product, by torque and term."""
    found: dict[tuple[int, Any], Fraction] = {}
    for row, torque in enumerate(torques):
        value = torque.get(product, 0)
        terms = value.terms() if isinstance(value, Polynomial) else [((), Fraction(value))]
        found |= {(row, exponents): coefficient for exponents, coefficient in terms if coefficient}
    return found


def _by_length(product: Monomial) -> tuple:
    return sum(power for _, power in product), reading_order((product, Fraction(1)))


def _named(products: Sequence[Monomial]) -> str:
    names = (term_text(product, Fraction(1)) if product else "no symbol" for product in products)
    return listing(names, SHOWN)


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))
