"""Arrays of formulas, steps of derivations, labelled terms and equations with all their stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np

from qddot.equations.latex import as_latex, escape_markdown
from qddot.equations.layout import PAGE, Row, broken
from qddot.equations.layout import width as em
from qddot.equations.polynomial import Polynomial
from qddot.equations.readable import (
    PRINTED,
    displayed,
    is_formula,
    readable_latex,
    readable_rows,
    readable_text,
)
from qddot.equations.sympy_forms import entries, equal_to, from_sympy
from qddot.equations.text import as_text
from qddot.formulations.derivation import Quantity
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.plain_formula import plain
from qddot.plain_text import fitted, width
from qddot.scalars import JointMat, JointVec, Scalar

MOST_ITEMS = 60  # of a list that are shown
MOST_LETTERS = 40_000
COLUMNS = 96  # of a line of text
MOST_LINES = 4  # of summands that are shown before they are added up
MOST_SUMMED = 60  # terms in all summands that are shown so


class Formulas(np.ndarray):
    """An array of exact formulas. A part of one is one again; `np.asarray` makes it plain."""

    symbol = ""  # what a notebook calls it, in LaTeX; parts and results have no name
    notation = NOTATION

    def __array_finalize__(self, whole: Any) -> None:
        self.notation = getattr(whole, "notation", NOTATION)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return one formula, not an array without axes, where a formula is what comes out."""
        if return_scalar or not array.ndim:
            return array[()]
        return super().__array_wrap__(array, context)

    def __eq__(self, other: Any) -> Any:
        """Return, entry by entry, what can be shown equal; also to a matrix of SymPy's."""
        first = other[0] if isinstance(other, (list, tuple)) and len(other) else other
        if not from_sympy(first):
            return np.ndarray.__eq__(self, other)
        pairs = zip(self.reshape(-1), entries(other, self.shape).reshape(-1), strict=True)
        found = [equal_to(mine, theirs) for mine, theirs in pairs]
        return np.array(found, dtype=bool).reshape(self.shape)

    def __ne__(self, other: Any) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else ~np.asarray(equal, dtype=bool)

    __hash__ = None  # type: ignore[assignment]  # as of every array

    @fitted
    def __repr__(self) -> str:
        return self._text() if is_formula(self) else repr(np.asarray(self))

    @fitted
    def __str__(self) -> str:
        return self._text() if is_formula(self) else str(np.asarray(self))

    def _text(self) -> str:
        return readable_text(self, self.notation)

    def _repr_latex_(self) -> str | None:
        return readable_latex(self, self.symbol, self.notation) if is_formula(self) else None


def formulas(values: Any, symbol: str = "", notation: Notation = NOTATION) -> Any:
    """Return an array of formulas that has a name; a single formula as it is."""
    array = np.asarray(values, dtype=object)
    if not array.ndim:
        return array.item()
    result = array.view(Formulas)
    result.symbol, result.notation = symbol, notation
    return result


@dataclass(frozen=True, repr=False)
class DerivationStep(Quantity):
    """One step of a derivation, to look at."""

    notation: Notation = NOTATION

    @fitted
    def __repr__(self) -> str:
        value = self.value
        shown = readable_text(value, self.notation) if is_formula(value) else value
        return f"{self.title or plain(self.symbol)}:\n{shown}"

    def latex(self, *, value: bool = True) -> str:
        """Return symbol = formula = value in LaTeX on one line; the value only if wanted."""
        shown = self.value
        if not isinstance(shown, str):
            shown = as_latex(np.asarray(shown)[()], notation=self.notation)
        stages = (self.symbol, self.formula, shown if value else "")
        return " ".join(" = ".join(stage for stage in stages if stage).split())

    def _repr_markdown_(self) -> str:
        return f"{escape_markdown(self.title)}:\n\n{self._repr_latex_()}"

    def _repr_latex_(self) -> str:
        middle = f"{self.symbol} = {self.formula}" if self.formula else self.symbol
        if isinstance(self.value, str):
            return displayed([(middle, self.value)])
        rows = readable_rows(self.value, self.symbol, notation=self.notation)
        if self.formula and rows[0][0] == self.symbol:
            rows[0] = (self.symbol, f"{self.formula} = {rows[0][1]}")
        elif self.formula:  # entry by entry: the formula has a line of its own
            rows.insert(0, (self.symbol, self.formula))
        return displayed(rows)


class Listed(tuple):
    """A tuple whose items stand below each other, each typeset."""

    @fitted
    def __repr__(self) -> str:
        return self._joined(repr)

    def _repr_markdown_(self) -> str:
        return self._joined(lambda item: item._repr_markdown_())

    def _joined(self, write: Callable[[Any], str]) -> str:
        """Return the first items, as many as fit the limits."""
        found: list[str] = []
        for item in self[:MOST_ITEMS]:
            text = write(item)
            if sum(map(len, found)) + len(text) > MOST_LETTERS:
                break
            found.append(text)
        if len(found) < len(self):
            found.append(f"… and {len(self) - len(found)} more")
        return "\n\n".join(found)


@dataclass(frozen=True, repr=False)
class Term:
    """One labelled term of the equation of motion."""

    label: str  # effective inertia, coupling inertia, rotor inertia, centripetal, Coriolis, gravity
    symbol: str  # as text, M12: of torque 1 and acceleration 2; Ia1: of a rotor
    value: Scalar
    latex: str = ""  # the symbol in LaTeX
    notation: Notation = NOTATION

    @fitted
    def __repr__(self) -> str:
        return f"{self.label:<17}  {self.symbol} = {readable_text(self.value, self.notation)}"

    def _repr_markdown_(self) -> str:
        return f"{self.label}: {self._repr_latex_()}"

    def _repr_latex_(self) -> str:
        return readable_latex(self.value, self.latex, self.notation)


def labelled(
    links: JointMat, rotors: Sequence[Scalar], gamma: np.ndarray, g: JointVec, letters: Notation
) -> tuple[Term, ...]:
    """Return every entry of the links' mass matrix, every rotor, Γ and gravity with its label."""
    n, found = len(g), []

    def term(label: str, latex: str, value: Scalar) -> Term:
        return Term(label, plain(latex).replace("_", ""), value, latex, letters)

    for i, j in np.ndindex(n, n):
        label = "effective inertia" if i == j else "coupling inertia"
        found.append(term(label, letters.links_entry(i, j, any(rotors)), links[i, j]))
    for i, Ia in enumerate(rotors):
        found += [term("rotor inertia", letters.of_link("rotor_inertia", i), Ia)] if Ia else []
    for i, j, k in np.ndindex(n, n, n):
        label = "centripetal" if j == k else "Coriolis"
        found.append(term(label, letters.gamma(i, j, k), gamma[i, j, k]))
    gravity = letters.gravity_torques
    found += [term("gravity", letters.entry(gravity, i), torque) for i, torque in enumerate(g)]
    return tuple(found)


def sum_of_terms(letters: Notation, rotors: bool) -> str:
    """Return the equation that labelled terms add up to, as text in the letters of a notation."""
    M = letters.links_mass_matrix if rotors else letters.mass_entry or letters.mass_matrix
    M = Template(M if "$" in M else f"{M}_{{$i$j}}").substitute(i="i", j="j")
    gamma = Template(letters.christoffel).substitute(k="i", i="j", j="k")
    qd, qdd = letters.velocities, letters.accelerations
    own = Template(f"{letters.rotor_inertia} {qdd}_{{$i}} + ").substitute(i="i") if rotors else ""
    return plain(
        rf"{letters.torques}_{{i}} = \Sigma_{{j}} {M} {qdd}_{{j}} + {own}"
        rf"\Sigma_{{jk}} {gamma} {qd}_{{j}} {qd}_{{k}} + {letters.gravity_torques}_{{i}}"
    )


@dataclass(frozen=True)
class Equation:
    """symbol = formula = summands = value; what is not there is left out."""

    symbol: str
    formula: str = ""
    terms: tuple[Any, ...] = ()
    value: Any = None
    notation: Notation = NOTATION

    def rows(self, room: float = PAGE) -> list[Row]:
        """Return its lines in LaTeX, none of them wider than the room [em]."""
        values = [] if self.value is None else self._value_rows(room)
        rest = room - max(em(f"{left} =") for left in (self.symbol, *(x for x, _ in values)))
        stages = [broken(self.formula, rest)] if self.formula else []
        summands = self._summands(rest)
        if summands and summands != [line for _, line in values]:
            stages.append(summands)
        if values and values[0][0] == self.symbol:  # not entry by entry
            stages.append([line for _, line in values])
            values = []
        if stages and all(len(lines) == 1 for lines in stages):
            whole = " = ".join(line for lines in stages for line in lines)
            if em(whole) <= rest:
                stages = [[whole]]
        rows: list[Row] = []
        for lines in stages:
            rows.append(("=" if rows else self.symbol, lines[0]))
            rows += [("", line) for line in lines[1:]]
        return rows + values

    def text(self) -> str:
        """Return it for a terminal."""
        symbol = plain(self.symbol)
        stages = [plain(self.formula)] if self.formula else []
        if not isinstance(self.value, np.ndarray) or not self.value.ndim:
            value = [] if self.value is None else [as_text(self.value, notation=self.notation)]
            if self._summands(PAGE):
                texts = (as_text(t, notation=self.notation) for t in self.terms)
                summed = " + ".join(self._bound(text) for text in texts if text != "0")
                stages += [summed] if [summed] != value else []
            stages += value
            whole = f"{symbol} = {' = '.join(stages)}"
            if width(whole) <= COLUMNS:
                return whole
            indent = " " * width(symbol)
            return "\n".join(
                f"{indent if k else symbol} = {stage}" for k, stage in enumerate(stages)
            )
        block = as_text(self.value, notation=self.notation)
        return "\n".join([f"{' = '.join([symbol, *stages])} =", block])

    def _value_rows(self, room: float) -> list[Row]:
        return readable_rows(
            self.value, self.symbol, notation=self.notation, room=room, limits=PRINTED
        )

    def _summands(self, room: float) -> list[str]:
        """Return the lines of the summands, or none where they show nothing or do not fit."""
        terms = [t for t in self.terms if np.any(np.asarray(t, dtype=object) != 0)]
        if len(terms) < 2 or sum(map(_count, terms)) > MOST_SUMMED:
            return []
        parts = [self._bound(as_latex(t, notation=self.notation)) for t in terms]
        lines = broken(" + ".join(parts), room)
        fits = len(lines) <= MOST_LINES and all(em(line) <= room for line in lines)
        return lines if fits else []

    @staticmethod
    def _bound(text: str) -> str:
        return f"({text})" if text.startswith(("-", "−")) else text


@dataclass(frozen=True)
class Words:
    """A sentence of ours; between two $ stands a formula in LaTeX."""

    words: str


@dataclass(frozen=True)
class Definitions(Equation):
    """Equations one below the other: what names stand for that are used further on."""

    equations: tuple[Equation, ...] = ()

    def rows(self, room: float = PAGE) -> list[Row]:
        widths = [em(equation.symbol) for equation in self.equations]
        narrower = max(widths) - min(widths)  # all begin behind the widest name
        return [row for equation in self.equations for row in equation.rows(room - narrower)]

    def text(self) -> str:
        return "\n".join(equation.text() for equation in self.equations)


def _count(x: Any) -> int:
    """Return how many terms a value has, all its entries together."""
    entries = np.asarray(x, dtype=object).reshape(-1)
    return sum(len(e) if isinstance(e, Polynomial) else 1 for e in entries)
