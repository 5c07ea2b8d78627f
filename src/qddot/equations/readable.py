r"""Formulas that fit on a screen: LaTeX for a notebook, text for a terminal.

`as_latex` and `as_text` write everything. Here a long sum is broken into lines, a matrix wider than
a page is listed entry by entry, and of what is too long to read the number of terms is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qddot.equations.forms import expanded, form
from qddot.equations.latex import LatexWriter
from qddot.equations.nodes import Name, Node, Sum, negated
from qddot.equations.polynomial import Polynomial
from qddot.equations.text import TextWriter, matrix_text, width
from qddot.scalars import Scalar

if TYPE_CHECKING:
    from qddot.equations.ring import Ring

LIMITS = (200, 20, 1)  # terms of an entry that is written out; the first that fits is taken
MOST_LETTERS = 8_000  # of LaTeX; more takes seconds to typeset and minutes to read
WIDEST = 100  # letters of a line
OVERFULL = 150  # letters of a line that is better written term by term
FIRST = 8  # terms of a long sum that stands alone

Row: TypeAlias = tuple[str, str]  # what stands before and after the = sign
Entries: TypeAlias = Any  # an array of entries


class Entry:
    """One formula, written when it is asked for."""

    def __init__(self, value: Scalar):
        self.value = value
        self.terms = len(value) if isinstance(value, Polynomial) else int(value != 0)

    @cached_property
    def node(self) -> Node:
        return form(self.value)

    @cached_property
    def text(self) -> str:
        return TextWriter(self.value).write(self.node)

    @cached_property
    def latex(self) -> str:
        return LatexWriter(self.value).write(self.node)

    def cell(self, limit: int) -> str:
        """Return it for a matrix; of a long one, how long it is."""
        return self.latex if self.terms <= limit else rf"\text{{({counted(self.terms)})}}"

    def room(self, limit: int) -> int:
        """Return how many letters wide it is in a matrix."""
        return width(self.text) if self.terms <= limit else len(counted(self.terms)) + 2

    def lines(self, limit: int) -> list[str]:
        """Return it for a list of entries, a sum broken where a line is full."""
        if self.terms > limit:
            return [self.cell(limit)]
        pieces = self._pieces(terms_in(self.node))
        if max(room for _, room in pieces) > OVERFULL:  # parentheses that fill more than a line
            pieces = self._pieces(terms_in(expanded(self.value)))
        return self._written(pieces)

    def beginning(self) -> list[str]:
        """Return the first terms of a long formula that stands alone."""
        pieces = self._pieces(terms_in(expanded(self.value))[:FIRST])
        *lines, last = self._written(pieces)
        return [*lines, rf"{last} + \cdots \quad \text{{({counted(self.terms)})}}"]

    def _pieces(self, terms: Sequence[Node]) -> list[tuple[list[Node], int]]:
        """Return the terms line by line, with the width of every line."""
        writer = TextWriter(self.value)
        pieces: list[tuple[list[Node], int]] = []
        for term in terms:
            wide = width(writer.write(term)) + 3
            if pieces and pieces[-1][1] + wide <= WIDEST:
                line, room = pieces.pop()
                pieces.append(([*line, term], room + wide))
            else:
                pieces.append(([term], wide))
        return pieces

    def _written(self, pieces: Sequence[tuple[list[Node], int]]) -> list[str]:
        writer = LatexWriter(self.value)
        lines = [writer.sum(tuple(terms)) for terms, _ in pieces]
        # {} in front makes a sign one between two terms
        signs = ["+ " if negated(terms[0]) is None else "" for terms, _ in pieces]
        more = zip(signs[1:], lines[1:], strict=True)
        return [lines[0], *(rf"\quad {{}} {sign}{line}" for sign, line in more)]


def terms_in(node: Node) -> tuple[Node, ...]:
    return node.terms if isinstance(node, Sum) else (node,)


def readable_latex(x: Any, symbol: str = "") -> str:
    """Return a formula, a vector, a matrix or a stack of matrices as LaTeX to be looked at.

    Args:
        x: What to print.
        symbol: What it is called, in LaTeX: "M", r"\\tau".
    """
    return displayed(readable_rows(x, symbol))


def readable_rows(x: Any, symbol: str = "") -> list[Row]:
    """Return the lines of a formula, in as many terms as fit on a screen."""
    entries = entries_of(x)
    for limit in limits_for(entries):
        rows = _rows(entries, symbol, limit)
        if sum(len(part) for row in rows for part in row) <= MOST_LETTERS:
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


def aligned(rows: Sequence[Row]) -> str:
    """Return lines as one formula, aligned at their = signs."""
    if len(rows) == 1:
        left, right = rows[0]
        return f"{left} = {right}" if left else right
    # a line that goes on has nothing before its = sign, and no = sign
    lines = [f"{left} &= {right}" if left else f"& {right}" for left, right in rows]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def shorthand(ring: Ring) -> list[Row]:
    """Return what the letters c and s stand for, where a robot has joints that turn."""
    turning = [k for k, turns in enumerate(ring.turns) if turns]
    if not turning:
        return []
    first = ring.element("c", turning[0])
    writer, whole = LatexWriter(first), LatexWriter(first, full=True)
    names = [Name(kind, joints=((turning[0], 1),)) for kind in ("cosine", "sine")]
    if len(turning) > 1:
        names.append(Name("cosine", joints=tuple((k, 1) for k in turning[:2])))
    said = [f"{writer.write(name)} = {whole.write(name)}" for name in names if writer.short(name)]
    return [("", r"\text{where } " + r",\quad ".join(said) + r",\ \ldots")] if said else []


def readable_text(x: Any) -> str:
    """Return the same for a terminal."""
    entries = entries_of(x)
    if entries.ndim > 2:
        blocks = [readable_text(block) for block in x]
        return "\n\n".join(f"[{k}]\n{block}" for k, block in enumerate(blocks, 1))
    if not entries.ndim:
        return repr(x)
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


def entries_of(x: Any) -> Entries:
    """Return the entries of an array, or of one formula, ready to be written."""
    array = np.asarray(x, dtype=object)
    found = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        found[place] = Entry(array[place])
    return found


def counted(terms: int) -> str:
    return "1 term" if terms == 1 else f"{terms:,} terms".replace(",", "\N{NO-BREAK SPACE}")


def _rows(entries: Entries, symbol: str, limit: int) -> list[Row]:
    if not entries.ndim:
        entry = entries.item()
        return _continued(symbol, entry.beginning() if entry.terms > limit else entry.lines(limit))
    if not entries.size:
        return [(symbol, r"\begin{bmatrix}\end{bmatrix}")]
    if entries.ndim > 2:
        blocks = [
            _rows(block, _index(symbol, (k,), len(entries)), limit)
            for k, block in enumerate(entries)
        ]
        return [row for block in blocks for row in block]
    table = entries[:, None] if entries.ndim == 1 else entries
    wide = sum(max(entry.room(limit) for entry in column) + 2 for column in table.T)
    if wide <= WIDEST or limit == LIMITS[-1]:
        lines = [" & ".join(entry.cell(limit) for entry in row) for row in table]
        body = r" \\ ".join(lines)
        return [(symbol, rf"\begin{{bmatrix}} {body} \end{{bmatrix}}")]
    return _listed(entries, symbol, limit)


def _listed(entries: Entries, symbol: str, limit: int) -> list[Row]:
    """Return a matrix entry by entry; of a symmetric one, those on and above the diagonal."""
    half = symbol and entries.ndim == 2 and _symmetric(entries)
    rows: list[Row] = []
    for place in np.ndindex(entries.shape):
        if half and place[0] > place[1]:
            continue
        name = _index(symbol, place, max(entries.shape))
        rows += _continued(name, entries[place].lines(limit))
    if half:
        rows.append((f"{symbol}_{{ji}}", f"{symbol}_{{ij}}"))
    return rows


def _symmetric(entries: Entries) -> bool:
    n, m = entries.shape
    values = [[entry.value for entry in row] for row in entries]
    return n == m and all(values[i][j] == values[j][i] for i in range(n) for j in range(i))


def _continued(symbol: str, lines: list[str]) -> list[Row]:
    return [(symbol, lines[0]), *(("", line) for line in lines[1:])]


def _index(symbol: str, place: tuple[int, ...], n: int) -> str:
    comma = "," if n > 9 or not symbol else ""
    numbers = comma.join(str(k + 1) for k in place)
    return f"{symbol}_{{{numbers}}}" if symbol else f"[{numbers}]"
