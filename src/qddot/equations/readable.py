r"""Formulas that fit on a screen or a page: LaTeX for notebooks and documents, text for a terminal.

`as_latex` and `as_text` write everything in one line. Here a long sum is broken into lines and a
matrix wider than a page is listed entry by entry; on a screen, of what is too long to read, the
number of terms is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from math import inf
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qddot.equations.forms import Collected, expanded, form
from qddot.equations.latex import LatexWriter
from qddot.equations.layout import PAGE, Row, aligned, broken
from qddot.equations.layout import width as em
from qddot.equations.nodes import Name, Node
from qddot.equations.polynomial import Polynomial
from qddot.equations.text import TextWriter, as_text, matrix_text
from qddot.formulations.notation import NOTATION, Notation
from qddot.scalars import Scalar

if TYPE_CHECKING:
    from qddot.equations.ring import Ring

LIMITS = (200, 20, 1)  # terms of an entry that is written out; the first that fits is taken
PRINTED = (inf,)  # on paper: long ones are collected by names, which the document defines
MOST_LETTERS = 8_000  # of LaTeX on a screen; more takes seconds to typeset and minutes to read
HIGHEST = 48  # rows of a matrix that fits on a page
FIRST = 8  # shown terms of a long sum that stands alone

Entries: TypeAlias = Any  # an array of entries


class Entry:
    """One formula, written when it is asked for."""

    def __init__(self, value: Scalar | Collected, notation: Notation = NOTATION):
        self.value, self.notation = value, notation
        sums = (Polynomial, Collected)
        self.terms = len(value) if isinstance(value, sums) else int(value != 0)

    @cached_property
    def node(self) -> Node:
        return form(self.value)

    @cached_property
    def text(self) -> str:
        return TextWriter(self.value, notation=self.notation).write(self.node)

    @cached_property
    def latex(self) -> str:
        return LatexWriter(self.value, notation=self.notation).write(self.node)

    def cell(self, limit: float) -> str:
        """Return it for a matrix; of a long one, how long it is."""
        return self.latex if self.terms <= limit else rf"\text{{({counted(self.terms)})}}"

    def room(self, limit: float) -> float:
        """Return how wide it is in a matrix [em]."""
        if self.terms <= limit and len(self.latex) > 40 * PAGE:
            return inf  # not worth measuring
        return em(self.cell(limit))

    def lines(self, limit: float, room: float = PAGE) -> list[str]:
        """Return it for a list of entries, a sum broken where a line is full."""
        if self.terms > limit:
            return [self.cell(limit)]
        return broken(self.latex, room)

    def beginning(self, room: float) -> list[str]:
        """Return a few terms of a long formula that stands alone."""
        writer = LatexWriter(self.value, notation=self.notation)
        lines = broken(writer.write(expanded(self.value, FIRST)), room)
        return [*lines, rf"+ \cdots \quad \text{{({counted(self.terms)})}}"]


def readable_latex(x: Any, symbol: str = "", notation: Notation = NOTATION) -> str:
    """Return a formula, a vector, a matrix or a stack of matrices as LaTeX to be looked at.

    Its symbol is in LaTeX: "M", r"\\tau".
    """
    return displayed(readable_rows(x, symbol, notation=notation))


def readable_rows(
    x: Any,
    symbol: str = "",
    *,
    notation: Notation = NOTATION,
    room: float = PAGE,
    limits: Sequence[float] = LIMITS,
) -> list[Row]:
    """Return the lines of a formula, in as many terms as fit on a screen.

    A line may be `room` wide [em], with the symbol and its = sign.
    """
    entries = entries_of(x, notation)
    for limit in limits_for(entries) if limits is LIMITS else limits:
        rows = _rows(entries, symbol, limit, room)
        if limits is PRINTED or len(aligned(rows)) <= MOST_LETTERS:
            return rows
    terms = sum(entry.terms for entry in entries.reshape(-1))
    shape = " × ".join(map(str, entries.shape))
    return [(symbol, rf"\text{{{shape} entries, {counted(terms)}}}")]


def limits_for(entries: Entries) -> list[int]:
    """Return the limits worth trying: not those that leave few entries written out."""
    terms = np.array([entry.terms for entry in entries.reshape(-1)])
    few = [limit for limit in LIMITS[:-1] if (terms > limit).sum() > terms.size / 2]
    return [limit for limit in LIMITS if limit not in few or not entries.ndim]


def displayed(rows: Sequence[Row]) -> str:
    """Return lines as one formula for a notebook."""
    return rf"$\displaystyle {aligned(rows)}$"


def shorthand(ring: Ring, notation: Notation = NOTATION) -> list[Row]:
    """Return what the letters c and s stand for, where a robot has joints that turn."""
    turning = [k for k, turns in enumerate(ring.turns) if turns]
    if not turning:
        return []
    first = ring.element("c", turning[0])
    writer = LatexWriter(first, notation=notation)
    whole = LatexWriter(first, full=True, notation=notation)
    names = [Name(kind, joints=((turning[0], 1),)) for kind in ("cosine", "sine")]
    if len(turning) > 1:
        names.append(Name("cosine", joints=tuple((k, 1) for k in turning[:2])))
    said = [f"{writer.write(name)} = {whole.write(name)}" for name in names if writer.short(name)]
    return [("", r"\text{where } " + r",\quad ".join(said) + r",\ \ldots")] if said else []


def readable_text(x: Any, notation: Notation = NOTATION) -> str:
    """Return the same for a terminal."""
    entries = entries_of(x, notation)
    if entries.ndim > 2:
        blocks = [readable_text(block, notation) for block in x]
        return "\n\n".join(f"[{k}]\n{block}" for k, block in enumerate(blocks, 1))
    if not entries.ndim:
        return as_text(x, notation=notation) if is_formula(x) else repr(x)
    text = ""
    for limit in limits_for(entries):
        cells = np.empty(entries.shape, dtype=object)
        for place in np.ndindex(entries.shape):
            entry = entries[place]
            cells[place] = entry.text if entry.terms <= limit else f"({counted(entry.terms)})"
        text = matrix_text(cells)  # which lists what is too wide
        if len(text) <= MOST_LETTERS:
            break
    return text


def is_formula(x: Any) -> bool:
    """Return whether everything in an array, or a scalar, can be written as a formula."""
    if isinstance(x, np.ndarray) and x.dtype != object:
        return False
    parts = x.reshape(-1) if isinstance(x, np.ndarray) else [x]
    kinds = (Polynomial, Rational, float)
    return all(isinstance(part, kinds) and not isinstance(part, bool) for part in parts)


def entries_of(x: Any, notation: Notation = NOTATION) -> Entries:
    """Return the entries of an array, or of one formula, ready to be written."""
    array = np.asarray(x, dtype=object)
    found = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        found[place] = Entry(array[place], notation)
    return found


def counted(terms: int) -> str:
    return "1 term" if terms == 1 else f"{terms:,} terms".replace(",", "\N{NO-BREAK SPACE}")


def _rows(entries: Entries, symbol: str, limit: float, room: float) -> list[Row]:
    space = room - (em(f"{symbol} =") if symbol else 0)
    if not entries.ndim:
        entry = entries.item()
        whole = entry.terms <= limit
        return _continued(symbol, entry.lines(limit, space) if whole else entry.beginning(space))
    if not entries.size:
        return [(symbol, r"\begin{bmatrix}\end{bmatrix}")]
    if entries.ndim > 2:
        blocks = [
            _rows(
                block, entry_name(symbol, (k,), len(entries), entries.flat[0].notation), limit, room
            )
            for k, block in enumerate(entries)
        ]
        return [row for block in blocks for row in block]
    table = entries[:, None] if entries.ndim == 1 else entries
    wide = sum(max(entry.room(limit) for entry in column) + 1 for column in table.T)
    if (wide <= space and len(table) <= HIGHEST) or limit == LIMITS[-1]:
        lines = [" & ".join(entry.cell(limit) for entry in row) for row in table]
        body = r" \\ ".join(lines)
        return [(symbol, rf"\begin{{bmatrix}} {body} \end{{bmatrix}}")]
    return _listed(entries, symbol, limit, room)


def _listed(entries: Entries, symbol: str, limit: float, room: float) -> list[Row]:
    """Return a matrix entry by entry: zeros together, of a symmetric one the upper half."""
    half = bool(symbol) and entries.ndim == 2 and _symmetric(entries)
    size, notation = max(entries.shape), entries.flat[0].notation
    places = [p for p in np.ndindex(entries.shape) if not half or p[0] <= p[1]]
    # all rows begin behind the widest name
    space = room - em(f"{entry_name(symbol, places[-1], size, notation)} =")
    rows: list[Row] = []
    for place in places:
        if entries[place].terms:
            name = entry_name(symbol, place, size, notation)
            rows += _continued(name, entries[place].lines(limit, space))
    zeros = [
        entry_name(symbol, place, size, notation) for place in places if not entries[place].terms
    ]
    if half:
        rows.append((_named(symbol, "ji", notation), _named(symbol, "ij", notation)))
    if len(zeros) > MOST_ZEROS:
        rows.append((r"\text{others}", "0"))
    elif zeros:
        rows.append((zeros[0], " = ".join([*zeros[1:], "0"])))
    return rows


MOST_ZEROS = 4  # that are named one by one


def _symmetric(entries: Entries) -> bool:
    n, m = entries.shape
    values = [[entry.value for entry in row] for row in entries]
    return n == m and all(values[i][j] == values[j][i] for i in range(n) for j in range(i))


def _continued(symbol: str, lines: list[str]) -> list[Row]:
    return [(symbol, lines[0]), *(("", line) for line in lines[1:])]


def entry_name(symbol: str, place: tuple[int, ...], n: int, notation: Notation) -> str:
    """Return what an entry of a matrix is called in LaTeX; n is the largest size of the matrix."""
    comma = "," if n > 9 or not symbol else ""
    numbers = comma.join(str(k + 1) for k in place)
    return _named(symbol, numbers, notation) if symbol else f"[{numbers}]"


def _named(symbol: str, index: str, notation: Notation) -> str:
    bound = any(sign in symbol for sign in "_|+(") or notation.is_trigonometric(symbol)
    bound = bound and not re.fullmatch(r"\[[^\[\]]*\]", symbol)  # it is in brackets already
    return f"[{symbol}]_{{{index}}}" if bound else f"{symbol}_{{{index}}}"
