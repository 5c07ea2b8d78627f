"""A bound as a formula in the robot's parameters: as text, in LaTeX, for SymPy, as a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from qddot.certificate.bound import rounded_down, rounded_up
from qddot.equations.latex import as_latex, escape_latex
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Generator
from qddot.equations.text import SUPERSCRIPT, as_text
from qddot.equations.values import evaluated, generator_values, symbols_in, symbols_of
from qddot.equations.writer import numeral
from qddot.errors import BadArgument, UnknownName, printable
from qddot.plain_text import fitted
from qddot.robot import Robot

# as text and in LaTeX
LETTERS = {
    "M": ("M", "M"),
    "Minv": ("M⁻¹", "M^{-1}"),
    "c": ("c", "c"),
    "C": ("C", "C"),
    "g": ("g", "g"),
    "dg": ("∂g/∂q", r"\partial g/\partial q"),
    "D": ("D", "D"),
}
NORMS = {
    "norm1": ("₁", "_1"),
    "norm2": ("₂", "_2"),
    "norminf": ("∞", r"_\infty"),
    "normF": ("_F", "_F"),
}
DIGITS = 6  # of printed decimals
SPEEDS = {"c": ("²", "^2"), "C": ("", "")}  # powers of ‖q̇‖, which such bounds are times


@dataclass(frozen=True)
class SymbolicBound:
    """A bound as a formula: the largest of some polynomials, or the root of their squares' sum."""

    quantity: str  # as `certify` names it: "M.norm1.max", "g.elbow", ...
    options: tuple[Polynomial, ...]
    root: bool = False  # √(Σ x²) of the options, not the largest
    over: tuple[Polynomial, ...] = ()  # divided by the largest of these; by 1 if there are none
    powers: tuple[int, int] = (1, 1)  # of what stands above and below
    joint: str = field(default="", repr=False)  # whose gravity torque it bounds
    robot: str = field(default="", repr=False)  # whose bound it is

    @property
    def end(self) -> str:
        """Which side it bounds: "sup" or "inf"."""
        return "inf" if self.quantity.endswith(".min") else "sup"

    @property
    def positions(self) -> set[int]:
        """The joints, counted from 0, whose position is in the formula."""
        return {g.index for g in self._generators if g.role == "position"}

    @property
    def _generators(self) -> set[Generator]:
        generators = self.options[0].ring.generators
        terms = (x.terms() for x in (*self.options, *self.over))
        used = {k for each in terms for exponents, _ in each for k, e in enumerate(exponents) if e}
        return {generators[k] for k in used}

    def evaluate(self, q: Any = None, **values: float) -> float:
        """Return its value for these of the symbols; q where joints slide without a range."""
        ring = self.options[0].ring
        for name, value in values.items():
            if value < 0:
                raise BadArgument(
                    f"{name} is {value!r}; the bound holds for symbols that are not negative."
                )
        where = np.zeros(ring.n) if q is None else np.abs(np.asarray(q, dtype=float))
        used = (ring.parameters[g.index] for g in self._generators if g.role == "parameter")
        needed = {name for atom in used for name in symbols_in(atom)}
        others = dict.fromkeys(symbols_of(ring) - needed, 1.0)  # which make no difference
        numbers = generator_values(ring, self.robot, [where] * 3, others | values)

        def at(options: Sequence[Polynomial], root: bool) -> float:
            found = [float(evaluated(x, numbers)) for x in options]
            return math.sqrt(sum(x * x for x in found)) if root else max(found)

        top = at(self.options, self.root) ** self.powers[0]
        return top / at(self.over, False) ** self.powers[1] if self.over else top

    @property
    def text(self) -> str:
        """The formula alone, as text; its decimals are rounded so that it is a bound as printed."""
        return TEXT.quotient(self)

    def latex(self) -> str:
        """Return the statement in LaTeX, such as ‖c‖₁ ≤ m₂ a₁ a_C2 ‖q̇‖₁²."""
        _, _, before, after = self._statement
        return before + LATEX.quotient(self, bool(after)) + after

    @property
    def _statement(self) -> tuple[str, str, str, str]:
        """What stands before and after the formula, as text and in LaTeX."""
        letter, kind, *_ = self.quantity.split(".")
        sign = ("≤", r"\le") if self.end == "sup" else ("≥", r"\ge")
        if self.joint:
            name = printable(self.joint)
            return f"|g of {name}| ≤ ", "", rf"|g_{{\text{{{escape_latex(name)}}}}}| \le ", ""
        if kind == "crude":
            return "n² max|Γ| ≤ ", "", r"n^2 \max|\Gamma_{kij}| \le ", ""
        text, latex = LETTERS[letter]
        if kind == "eigenvalue":
            which = self.quantity.rpartition(".")[2]
            before = f"λ_{which}({text}) {sign[0]} ", rf"\lambda_{{\{which}}}({latex}) {sign[1]} "
            return before[0], "", before[1], ""
        norm = NORMS[kind]
        before = f"‖{text}‖{norm[0]} {sign[0]} ", rf"\lVert {latex}\rVert{norm[1]} {sign[1]} "
        if letter not in SPEEDS:
            return before[0], "", before[1], ""
        power = SPEEDS[letter]
        speed = f" ‖q̇‖{norm[0]}{power[0]}", rf"\,\lVert\dot q\rVert{norm[1]}{power[1]}"
        return before[0], speed[0], before[1], speed[1]

    def sympy(self) -> Any:
        """Return the formula as a SymPy expression of the parameters."""
        import sympy

        from qddot.equations.sympy_forms import as_sympy

        def together(options: Sequence[Polynomial], root: bool) -> Any:
            found = [as_sympy(x) for x in options]
            return sympy.sqrt(sum(x**2 for x in found)) if root else sympy.Max(*found)

        top = together(self.options, self.root) ** self.powers[0]
        return top / together(self.over, False) ** self.powers[1] if self.over else top

    @fitted
    def __str__(self) -> str:
        before, after, _, _ = self._statement
        return before + TEXT.quotient(self, bool(after)) + after

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


class SymbolicBounds(dict[str, SymbolicBound]):
    """Bounds by name, with what they hold for."""

    def __init__(self, robot: Robot, assumptions: Sequence[str], bounds: dict[str, SymbolicBound]):
        super().__init__(bounds)
        self.robot, self.assumptions = robot, tuple(assumptions)

    def __missing__(self, name: str) -> SymbolicBound:
        raise UnknownName("bound in closed form", name, self.robot.name, list(self))

    def only(self, names: Iterable[str]) -> SymbolicBounds:
        """Return some of them, by name."""
        return SymbolicBounds(self.robot, self.assumptions, {name: self[name] for name in names})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: each bound as text and in LaTeX, and what they hold for."""
        bounds = {
            name: {"statement": str(b), "formula": b.text, "latex": b.latex()}
            for name, b in self.items()
        }
        return {"robot": self.robot.name, "assumptions": list(self.assumptions), "bounds": bounds}

    @fitted
    def __repr__(self) -> str:
        head = f"{printable(self.robot.name)}: bounds in closed form, for"
        lines = [head, *(f"  {printable(each)}" for each in self.assumptions), ""]
        width = max(map(len, self), default=0)
        lines += [f"{printable(name):<{width}}  {bound}" for name, bound in self.items()]
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_latex_(self) -> str:
        rows = r" \\ ".join(f"& {bound.latex()}" for bound in self.values())
        return rf"$\displaystyle \begin{{aligned}} {rows} \end{{aligned}}$"


@dataclass(frozen=True)
class Writing:
    """How a bound is put together from the texts of its polynomials."""

    write: Callable[[Any], str]  # a polynomial
    largest: str
    root: Callable[[str], str]
    fraction: str
    raised: Callable[[str, int], str]
    brackets: str

    def quotient(self, bound: SymbolicBound, factor: bool = False) -> str:
        """Return the formula, in brackets where it is a sum and something follows."""
        up = bound.end == "sup"
        top, is_sum = self._together(bound.options, bound.root, up)
        if not bound.over:
            return self.brackets.format(top) if factor and is_sum else top
        below, _ = self._together(bound.over, False, not up)
        product = " " in below and len(bound.over) == 1
        parts = [(top, is_sum, bound.powers[0]), (below, product, bound.powers[1])]
        above, under = (self._raised(*part) if part[2] else "1" for part in parts)
        return above if under == "1" else self.fraction.format(above, under)

    def _raised(self, text: str, brackets: bool, exponent: int) -> str:
        if exponent > 1:
            return self.raised(self.brackets.format(text), exponent)
        return self.brackets.format(text) if brackets and self is TEXT else text

    def _together(self, given: Sequence[Polynomial], root: bool, up: bool) -> tuple[str, bool]:
        """Return the largest of some, or the root of their squares, and whether that is a sum."""
        options = [_rounded(x, up) for x in given]
        if not root:
            if len(options) > 1:
                return self.largest.format(", ".join(map(self.write, options))), False
            return self.write(options[0]), len(options[0]) > 1
        counts: dict[str, tuple[Polynomial, int]] = {}
        for x in filter(None, options):
            text = self.write(x)
            counts[text] = (x, counts.get(text, (x, 0))[1] + 1)
        if not counts:
            return "0", False
        if len(counts) > 1:
            squares = [
                f"{'' if count == 1 else f'{count} '}{self.raised(self._factor(x), 2)}"
                for x, count in counts.values()
            ]
            return self.root(" + ".join(squares)), False
        ((x, count),) = counts.values()
        whole = math.isqrt(count)
        if whole * whole == count:
            return self.write(_rounded(whole * x, up)), len(x) > 1
        text = self.brackets.format(self.write(x)) if len(x) > 1 else self.write(x)
        return f"{self.root(str(count))} {text}", False

    def _factor(self, x: Polynomial) -> str:
        text = self.write(x)
        return self.brackets.format(text) if " " in text else text


def _rounded(x: Polynomial, up: bool) -> Polynomial:
    """Return a polynomial in what is not negative, as it is printed: not below it, or not above."""
    terms = {}
    for place, value in x.terms():
        printed = Fraction(numeral(value, DIGITS, fractions=bool(x.ring.parameters)))
        if printed != value:
            printed = Fraction((rounded_up if up else rounded_down)(value, DIGITS))
        terms[place] = fmpq(printed.numerator, printed.denominator)
    return Polynomial(x.ring, x.ring.context.from_dict(terms))


TEXT = Writing(
    as_text,
    "max({})",
    lambda text: f"√({text})" if " " in text else f"√{text}",
    "{}/{}",
    lambda base, exponent: base + str(exponent).translate(SUPERSCRIPT),
    "({})",
)
LATEX = Writing(
    as_latex,
    r"\max\left({}\right)",
    lambda text: rf"\sqrt{{{text}}}",
    r"\frac{{{}}}{{{}}}",
    lambda base, exponent: f"{base}^{{{exponent}}}",
    r"\left({}\right)",
)
