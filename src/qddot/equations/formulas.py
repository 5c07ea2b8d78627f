"""Arrays of formulas, steps of derivations and labelled terms, which a notebook typesets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.equations.latex import escape_markdown
from qddot.equations.readable import (
    displayed,
    is_formula,
    readable_latex,
    readable_rows,
    readable_text,
)
from qddot.equations.sympy_forms import entries, equal_to, from_sympy
from qddot.formulations.derivation import Quantity
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.plain_formula import plain
from qddot.plain_text import fitted
from qddot.scalars import JointMat, JointVec, Scalar

MOST_ITEMS = 60  # of a list that are shown
MOST_LETTERS = 40_000


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

    label: str  # effective inertia, coupling inertia, centripetal, Coriolis, gravity
    symbol: str  # D12: of torque 1 and acceleration 2
    value: Scalar

    @fitted
    def __repr__(self) -> str:
        return f"{self.label:<17}  {self.symbol} = {readable_text(self.value)}"

    def _repr_markdown_(self) -> str:
        return f"{self.label}: {self._repr_latex_()}"

    def _repr_latex_(self) -> str:
        return readable_latex(self.value, f"D_{{{self.symbol[1:]}}}")


def labelled(M: JointMat, gamma: np.ndarray, g: JointVec) -> tuple[Term, ...]:
    """Return every entry of the mass matrix, the Christoffel symbols and gravity with its label."""
    n, found = len(g), []
    for i, j in np.ndindex(n, n):
        label = "effective inertia" if i == j else "coupling inertia"
        found.append(Term(label, f"D{i + 1}{j + 1}", M[i, j]))
    for i, j, k in np.ndindex(n, n, n):
        label = "centripetal" if j == k else "Coriolis"
        found.append(Term(label, f"D{i + 1}{j + 1}{k + 1}", gamma[i, j, k]))
    found += [Term("gravity", f"D{i + 1}", torque) for i, torque in enumerate(g)]
    return tuple(found)
