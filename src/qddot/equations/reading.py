"""From the tree of a formula back to polynomials: what somebody else wrote, made comparable.

A formula may have quotients, so what comes out is a numerator and a denominator. Nothing is
evaluated but sums, products and whole powers of our own polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import flint

from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum
from qddot.equations.polynomial import Polynomial, check_work
from qddot.equations.ring import LETTERS, Ring, reciprocal
from qddot.errors import BadArgument, shorten
from qddot.scalars import sincos, sqrt
from qddot.scalars.expressions import PI_EXPRESSION, Expression, atomic, expression, symbol
from qddot.scalars.monomials import MOST_POWER, PI

COORDINATE = "q "  # no parameter has a blank in its name
MOST_PARTS = 6  # of an angle: sin(q1/6)
TURNS = ("sin", "cos", "tan")
KNOWN = "known are + - * /, whole powers, square roots of parameters, sin, cos and tan"
DEGREE = PI_EXPRESSION / 180


class NoPolynomial(BadArgument):
    """A formula with a part that is no quotient of polynomials in sines and cosines."""

    def __init__(self, why: str, part: Node):
        from qddot.equations.text import TextWriter

        text = shorten(TextWriter(0, full=True).write(part), 60)
        super().__init__(f"{text!r} cannot be compared exactly: {why}.")


class NoValue(BadArgument):
    """A formula that has no value, or one beyond reason."""


class InDegrees(NoPolynomial):
    """A formula whose sines and cosines are of π/180 times a coordinate."""


class PolynomialReader:
    """The ring of a robot, with what some formulas have besides, and these formulas in it.

    Where they have a part of an angle, sin(q1/2), the sine and cosine of joint 1 are those of the
    part; `carried` makes polynomials in q1 comparable.

    In degrees, sin(π/180 q1) is read as sin(q1), and sin(30) as sin(π/6).
    """

    def __init__(self, ring: Ring, nodes: Sequence[Node], degrees: bool = False):
        self.own, self.degrees, self.exponent = ring, degrees, 1
        self.parts: dict[int, int] = {}  # of which part of its angle a joint's sine is
        self.roots = [a for a in ring.parameters if a.function == "sqrt"]
        numbers = [x for node in nodes for x in self._numbers(node)]
        mine = [atomic(a) for a in ring.parameters]
        inside = (x for node in nodes for x in nodes_in(node) if isinstance(x, Name))
        signs = ring.signs.union(x.joints[0][0] for x in inside if x.kind == "sign")
        whole = Ring(ring.turns, [*mine, *numbers], ring.groups, ring.roles, signs)
        self.ring = ring if whole == ring else whole
        self._images: dict[str, Polynomial] = {}
        for joint in self.parts:
            for name, image in zip("sc", self._turned({joint: 1}), strict=True):
                self._images[f"{name}{joint + 1}"] = image

    def carried(self, x: Any) -> Any:
        """Return a polynomial in the angles of the joints as one in their parts."""
        if not self._images or not isinstance(x, Polynomial):
            return x
        degrees = dict(zip(map(str, x.ring.context.gens()), x.value.degrees(), strict=True))
        turned = ((k, degrees[f"s{j + 1}"] + degrees[f"c{j + 1}"]) for j, k in self.parts.items())
        check_work(len(x) * prod((k + 1) ** int(degree) for k, degree in turned))
        return substituted(x, self._images)

    def value(self, node: Node) -> tuple[Any, Any]:
        """Return the numerator and the denominator of a formula; the latter is mostly 1.

        It raises NoPolynomial if the formula has a part that no polynomials make.
        """
        match node:
            case Number(number):
                return self.ring.constant(number), 1
            case Name("parameter"):
                return self._scalar(self._number(node)), 1
            case Name("sine" | "cosine", _, joints):
                return self._turned(dict(joints))[node.kind == "cosine"], 1
            case Name(kind, _, joints):
                return self.ring.element(LETTERS[kind], joints[0][0]), 1
            case Sum(terms):
                return self._sum(terms)
            case Product(coefficient, factors):
                top, bottom = self.ring.constant(coefficient), 1
                for factor in factors:
                    a, b = self.value(factor)
                    top, bottom = top * a, bottom * b
                return top, bottom
            case Power(base, exponent):
                return self._power(base, exponent)
            case Call(function, argument) if function in TURNS:
                joints, rest = self._angle(argument)
                sine, cosine = self._turned(joints, *self.sincos_of(rest, argument))
                return {"sin": (sine, 1), "cos": (cosine, 1), "tan": (sine, cosine)}[function]
            case Call():
                return self._scalar(self._number(node)), 1

    def _sum(self, terms: Iterable[Node]) -> tuple[Any, Any]:
        top, bottom = self.ring.constant(0), 1
        for term in terms:
            a, b = self.value(term)
            if b == bottom:
                top = top + a
            else:
                top, bottom = top * b + a * bottom, bottom * b
        return top, bottom

    def _power(self, base: Node, exponent: int) -> tuple[Any, Any]:
        if exponent < 0 and not has_joint(base):  # 1/L may be a parameter of the robot itself
            inverse = self._number(base).reciprocal()
            own = {a for m in inverse.terms for a, e in m if e > 0 and a.function == "1/"}
            own |= {reciprocal(a) for m in inverse.terms for a, e in m if e < 0}
            if own and own <= set(self.own.parameters):
                return self._scalar(inverse) ** -exponent, 1
        size, before = abs(exponent), self.exponent
        self.exponent *= size  # of powers inside powers
        if self.exponent > MOST_POWER:
            raise NoValue(f"A formula has no value: it has a power of over {MOST_POWER}.")
        top, bottom = self.value(base)
        self.exponent = before
        if exponent < 0:
            top, bottom = bottom * self.ring.constant(1), top
            if not bottom:
                raise NoValue("A formula has no value: it divides by zero.")
            if bottom.is_constant():
                top, bottom = top / bottom, 1
        return top**size, bottom if isinstance(bottom, int) else bottom**size

    def sincos_of(self, rest: Expression, angle: Node) -> tuple[Any, Any]:
        """Return the sine and the cosine of what is left of an angle where all joints are at 0."""
        sine, cosine = sincos(rest)
        return self._scalar(sine), self._scalar(cosine)

    def _turned(
        self, joints: Mapping[int, Fraction | int], sine: Any = 0, cosine: Any = 1
    ) -> tuple[Any, Any]:
        """Return the sine and the cosine of an angle, turned further by multiples of joints'."""
        for joint, multiple in joints.items():
            s, c = self.ring.element("s", joint), self.ring.element("c", joint)
            s = s if multiple > 0 else -s
            for _ in range(int(abs(multiple) * self.parts.get(joint, 1))):
                sine, cosine = sine * c + cosine * s, cosine * c - sine * s
        return sine, cosine

    def _angle(self, node: Node) -> tuple[dict[int, Fraction], Expression]:
        """Return an angle as multiples of joint angles, and what is left."""
        joints: dict[int, Fraction] = {}
        rest: dict[Any, Fraction] = {}
        for monomial, coefficient in self._number(node).terms.items():
            here = [a for a, _ in monomial if not a.function and a.name.startswith(COORDINATE)]
            if not here:
                rest[monomial] = coefficient
                continue
            without = tuple((a, e) for a, e in monomial if a not in here)
            multiple = Expression({without: coefficient})
            if self.degrees and set((multiple / DEGREE).terms) == {()}:
                multiple = multiple / DEGREE
            elif multiple == DEGREE:
                raise InDegrees("it is the sine or cosine of π/180 times a coordinate", node)
            if len(monomial) - len(without) != 1 or dict(monomial)[here[0]] != 1:
                raise NoPolynomial("its angle is no sum of coordinates and constants", node)
            if set(multiple.terms) != {()} or multiple.terms[()].denominator > MOST_PARTS:
                raise NoPolynomial("it has an angle that is no simple multiple of a joint's", node)
            joints[int(here[0].name.removeprefix(COORDINATE))] = multiple.terms[()]
        constant = Expression(rest)
        plain = self.degrees and set(constant.terms) == {()}  # sin(30), but not sin(pi/6)
        return joints, constant * DEGREE if plain else constant

    def _number(self, node: Node) -> Expression:
        """Return a formula as an exact expression; a coordinate in it is a symbol of its own."""
        match node:
            case Number(value):
                return expression(value)
            case Name("parameter", label):
                return PI_EXPRESSION if label == PI.name else symbol(label)
            case Name("position", _, joints):
                return symbol(f"{COORDINATE}{joints[0][0]}")
            case Sum(terms):
                return sum((self._number(term) for term in terms), expression(0))
            case Product(coefficient, factors):
                result = expression(coefficient)
                for factor in factors:
                    result = result * self._number(factor)
                return result
            case Power(base, exponent):
                return self._number(base) ** exponent
            case Call("sqrt", argument) if not has_joint(argument):
                return self._root(self._number(argument), node)
            case Call("sin" | "cos" as function, argument) if not has_joint(argument):
                return sincos(self._angle(argument)[1])[function == "cos"]
        raise NoPolynomial(KNOWN, node)

    def _numbers(self, node: Node) -> Iterator[Expression]:
        """Yield the parameters of a formula, and the roots and sines of them."""
        match node:
            case Name("parameter") | Call("sqrt"):
                yield self._number(node)
            case Call(function, argument) if function in TURNS:
                joints, rest = self._angle(argument)
                for joint, multiple in joints.items():
                    parts = lcm(self.parts.get(joint, 1), multiple.denominator)
                    if parts > MOST_PARTS:
                        raise NoPolynomial("it has too small a part of an angle", argument)
                    self.parts |= {joint: parts} if parts > 1 else {}
                yield from sincos(rest)
            case Call():
                yield self._number(node)  # which refuses it
            case Power(base, _):
                yield from self._numbers(base)
            case Product(_, parts) | Sum(parts):
                for part in parts:
                    yield from self._numbers(part)

    def _root(self, x: Expression, node: Node) -> Expression:
        """Return √x by the roots of the equations, or √6 as √2 √3, as angles of 15° have it."""
        for atom in self.roots:
            monomial, known = next(iter(atom.argument.terms.items()))
            part = sqrt(expression(abs(x.terms.get(monomial, Fraction(0)) / known)))
            if set(part.terms) == {()} and x == atom.argument * part**2:
                return part * sqrt(atom.argument)
        if set(x.terms) != {()}:
            return sqrt(x)
        value, result = x.terms[()], expression(1)
        if value < 0:
            raise NoPolynomial("it is no real number", node)
        whole = value.numerator * value.denominator
        if whole.bit_length() > 100:
            return sqrt(x)
        for prime, exponent in flint.fmpz(whole).factor():
            result = result * sqrt(expression(int(prime))) ** int(exponent)
        return result / value.denominator

    def _scalar(self, x: Expression) -> Any:
        return self.ring.constant(1) * self.ring.scalar(x)


def substituted(x: Any, images: Mapping[str, Polynomial]) -> Any:
    """Return a polynomial with generators, such as "s1", replaced by polynomials of its ring."""
    if not isinstance(x, Polynomial):
        return x
    ring = x.ring
    names = [f"{LETTERS[g.role]}{g.index + 1}" for g in ring.generators]
    kept = dict(zip(names, ring.context.gens(), strict=True))
    values = [images[name].value if name in images else kept[name] for name in names]
    return Polynomial(ring, ring.reduced(x.value.compose(*values, ctx=ring.context)))


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield a formula and everything that it is made of."""
    yield node
    match node:
        case Call(_, inner) | Power(inner, _):
            yield from nodes_in(inner)
        case Product(_, parts) | Sum(parts):
            for part in parts:
                yield from nodes_in(part)


def has_joint(node: Node) -> bool:
    """Return whether a coordinate, a velocity or an acceleration is in a formula."""
    return any(isinstance(x, Name) and x.kind != "parameter" for x in nodes_in(node))
