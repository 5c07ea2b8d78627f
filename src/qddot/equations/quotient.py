"""Arrays of polynomials over one polynomial, as a matrix and its inverse have them.

    M⁻¹ = adj M / det M

Common factors are cancelled. What would be too long to read is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from qddot.equations.factors import without_common_factor
from qddot.equations.formulas import formulas
from qddot.equations.latex import as_latex
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most
from qddot.equations.readable import displayed, readable_latex, readable_rows, readable_text
from qddot.equations.text import as_text, matrix_text
from qddot.errors import TooLarge, printable
from qddot.formulations.notation import NOTATION, Notation
from qddot.plain_text import fitted
from qddot.scalars import Scalar

MOST_SPLIT = 300  # terms of a quotient whose entries are tried one by one
MOST_PRODUCTS = 1e6  # of terms, that a quotient may take: about a second


class QuotientTooLarge(TooLarge):
    """A quotient that nobody could read."""

    def __init__(self, what: str, robot: str):
        ValueError.__init__(
            self,
            f"{what} of {printable(robot)!r} is too long to be written out as one quotient.\n"
            "  Lock some joints, or give symbols values: robot.locked({...}), "
            "robot.with_values(...).\n  Its numbers need no closed form: robot.forward_dynamics, "
            "robot.effective_mass.",
        )


@dataclass(frozen=True, eq=False)
class Quotient:
    """An array of polynomials, all over the same polynomial."""

    numerator: Any  # an array, or one polynomial
    denominator: Scalar
    symbol: str = ""
    notation: Notation = NOTATION

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return np.shape(self.numerator)

    def text(self, **how: Any) -> str:
        """Return it as text, the denominator below; arguments as of `as_text`."""
        if (parts := self._parts) is not None:
            cells = np.array([part.text(**how) for part in parts.reshape(-1)], dtype=object)
            return matrix_text(cells.reshape(parts.shape), ascii=how.get("ascii", False))
        return self._below(*(as_text(x, **how) for x in (self.numerator, self.denominator)))

    def latex(self, **how: Any) -> str:
        """Return it in LaTeX, the denominator in front; arguments as of `as_latex`."""
        if (parts := self._parts) is not None:
            rows = parts[:, None] if parts.ndim == 1 else parts
            lines = [" & ".join(part.latex(**how) for part in row) for row in rows]
            return "\\begin{bmatrix}\n" + " \\\\\n".join(lines) + "\n\\end{bmatrix}"
        above, below = (as_latex(x, **how) for x in (self.numerator, self.denominator))
        if below == "1":
            return above
        return rf"\frac{{1}}{{{below}}} {above}" if self.shape else rf"\frac{{{above}}}{{{below}}}"

    @cached_property
    def _parts(self) -> np.ndarray | None:
        """The entries, each over what is left of the denominator; None where that is longer."""
        whole = [x for x in (*np.ravel(self.numerator), self.denominator) if x]
        if not self.shape or self.denominator == 1 or sum(map(_length, whole)) > MOST_SPLIT:
            return None
        parts = np.empty(self.shape, dtype=object)
        for place in np.ndindex(self.shape):
            parts[place] = self[place]
        shown = [x for part in parts.reshape(-1) for x in (part.numerator, part.denominator)]
        return parts if sum(map(_length, shown)) <= sum(map(_length, whole)) else None

    def sympy(self) -> Any:
        """Return it as SymPy's matrix or expression."""
        from qddot.equations.sympy_forms import as_sympy

        below = as_sympy(self.denominator)
        found = as_sympy(self.numerator)
        return [x / below for x in found] if isinstance(found, list) else found / below

    def __getitem__(self, place: Any) -> Quotient:
        """Return a part of it, over what is left of the denominator."""
        part = cancelled(self.numerator[place], self.denominator)
        return replace(part, notation=self.notation)

    def __eq__(self, other: object) -> Any:
        """Return whether a/b = c/d: whether a d − c b can be shown to be zero."""
        if not isinstance(other, Quotient) or self.shape != other.shape:
            return NotImplemented
        left = np.asarray(self.numerator * other.denominator, dtype=object)
        right = np.asarray(other.numerator * self.denominator, dtype=object)
        return bool(np.all(left == right))

    __hash__ = None  # type: ignore[assignment]

    @fitted
    def __repr__(self) -> str:
        if self._parts is not None or not self.shape:
            return self.text(notation=self.notation)
        below = as_text(self.denominator, notation=self.notation)
        return self._below(readable_text(self.numerator, self.notation), below)

    def _repr_latex_(self) -> str:
        if self.denominator == 1:
            return readable_latex(self.numerator, self.symbol, self.notation)
        if self._parts is not None:
            return displayed([(self.symbol, self.latex(notation=self.notation))])
        named = (self.numerator, rf"\Delta\,{self.symbol or 'x'}"), (self.denominator, r"\Delta")
        rows = [readable_rows(x, symbol, notation=self.notation) for x, symbol in named]
        return displayed([row for part in rows for row in part])

    def _below(self, above: str, below: str) -> str:
        if below == "1":
            return above
        below = f"({below})" if " " in below else below
        if self.shape:
            return f"{above}\n/ {below}"
        is_sum = any(sign in above for sign in (" + ", " − ", " - "))
        return f"({above}) / {below}" if is_sum else f"{above} / {below}"


def _length(x: Scalar) -> int:
    """Return how many terms a polynomial has; none for 0 and 1, which are quickly read."""
    return len(x) if isinstance(x, Polynomial) and x != 1 else int(x not in (0, 1))


def is_quotient(x: Any) -> TypeGuard[Quotient]:
    """Return whether a value is a quotient, and no array and no polynomial."""
    return isinstance(x, Quotient)


def entrywise(x: Any, f: Callable[[Scalar], Any]) -> Any:
    """Return f of a polynomial, of each of an array, or the quotient of both parts of one."""
    if isinstance(x, Quotient):
        return entrywise(x.numerator, f) / f(x.denominator)
    array = np.asarray(x, dtype=object)
    result = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        result[place] = f(array[place])
    return result if array.ndim else result.item()


def derived_by(x: Quotient, slope: Callable[[Scalar], Scalar]) -> Quotient:
    """Return the derivative of a quotient: (a/b)' = (a' b − a b')/b²."""
    a, b = np.asarray(x.numerator, dtype=object), x.denominator
    return cancelled(entrywise(a, slope) * b - a * slope(b), b * b)


def cancelled(numerator: Any, denominator: Scalar, symbol: str = "") -> Quotient:
    """Return a quotient without the factors that all entries share with the denominator."""
    entries = np.asarray(numerator, dtype=object)
    if not isinstance(denominator, Polynomial) or denominator.is_constant():
        value = denominator.as_fraction() if isinstance(denominator, Polynomial) else denominator
        return Quotient(formulas(entrywise(entries, lambda x: x / value if x else 0)), 1, symbol)
    ring = denominator.ring
    places = [place for place in np.ndindex(entries.shape) if entries[place]]
    whole = [ring.constant(1) * entries[place] for place in places]
    *above, below = without_common_factor([*whole, denominator])
    found = np.zeros(entries.shape, dtype=object)
    for place, value in zip(places, above, strict=True):
        found[place] = value
    return Quotient(formulas(found), below, symbol)


def determinant(A: np.ndarray) -> Scalar:
    """Return det A of a square matrix, without a division: each minor is made once.

    Rows are added from the last to the first, and each minor is expanded by its first row.
    """
    n = len(A)
    minors: dict[tuple[int, ...], Scalar] = {(): 1}  # of the rows so far, by their columns
    for row in A[::-1]:
        larger: dict[tuple[int, ...], Scalar] = {}
        for columns, minor in minors.items():
            for j in range(n):
                if minor and j not in columns and row[j]:
                    key = tuple(sorted((*columns, j)))
                    term = row[j] * minor if key.index(j) % 2 == 0 else -(row[j] * minor)
                    larger[key] = larger.get(key, 0) + term
        minors = larger
    return minors.get(tuple(range(n)), 0)


def adjugate(A: np.ndarray) -> np.ndarray:
    """Return adj A of a square matrix, with A adj A = det A E: its cofactors, transposed."""
    n = len(A)
    found = np.empty((n, n), dtype=object)
    for i, j in np.ndindex(n, n):
        minor = determinant(np.delete(np.delete(A, i, axis=0), j, axis=1))
        found[j, i] = minor if (i + j) % 2 == 0 else -minor
    return found


@contextmanager
def short_enough(what: str, robot: str) -> Iterator[None]:
    """Let exact work in this block end with words where its result would be too long to read."""
    try:
        with at_most(MOST_PRODUCTS):
            yield
    except WorkLimitReached:
        raise QuotientTooLarge(what, robot) from None
