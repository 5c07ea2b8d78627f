"""Equations as plain text: m2 (a1² + aC2² + 2 a1 aC2 c2) + I1 + I2."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.forms import Collected, expanded, form, in_a_ring
from qddot.equations.nodes import Name, Node
from qddot.equations.polynomial import Polynomial
from qddot.equations.terms import Groups
from qddot.equations.writer import Writer
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.plain_formula import plain
from qddot.plain_text import width
from qddot.scalars import Scalar

MARKUP = re.compile(r"\\math[a-z]+|[\\{} ]")  # of LaTeX, which ASCII has none of
LIMIT = 200  # terms; more are not readable
SHOWN = 12  # of an entry with more terms
WIDEST = 100  # columns of a matrix; beyond it, entries stand one below the other
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DERIVATIVE = {"position": "", "rate": "d", "acceleration": "dd"}  # in ASCII
TORQUE = re.compile(r"tau\d+")


def as_text(
    x: Any,
    *,
    groups: Groups | None = None,
    ascii: bool = False,
    full: bool = False,
    digits: int = 6,
    limit: int = LIMIT,
    notation: Notation = NOTATION,
) -> str:
    """Return a polynomial, a number, a vector, a matrix or a stack of matrices as text.

    Groups are joints with parallel axes, counted from 0; those of the robot if not given. `ascii`
    writes qd1 for q̇1, a1^2 for a1², sqrt for √; `full` writes cos(q1 + q2) for c12. Decimals are
    rounded to `digits` significant digits. An entry with more terms than the limit shows a few, and
    says how many there are.
    """

    def entry(value: Scalar | Collected) -> str:
        value = in_a_ring(value)
        writer = TextWriter(value, digits, full, ascii, notation)
        if not isinstance(value, Polynomial) or len(value) <= limit:
            return writer.write(form(value, groups))
        some, dots = writer.write(expanded(value, SHOWN)), "..." if ascii else "…"
        return f"{some} + {dots} ({len(value)} terms)"

    if not isinstance(x, np.ndarray) or not x.ndim:
        return entry(x.item() if isinstance(x, np.ndarray) else x)
    if x.ndim > 2:
        how = {"groups": groups, "ascii": ascii, "full": full, "digits": digits, "limit": limit}
        blocks = [as_text(block, notation=notation, **how) for block in x]
        return "\n\n".join(f"[{k}]\n{block}" for k, block in enumerate(blocks, 1))
    cells = np.empty(x.shape, dtype=object)
    for place in np.ndindex(x.shape):
        cells[place] = entry(x[place])
    return matrix_text(cells, ascii=ascii)


def matrix_text(cells: np.ndarray, *, ascii: bool = False) -> str:
    """Return texts as a table between brackets, or one to a line where they are too long."""
    rows = [list(row) for row in (cells[:, None] if cells.ndim == 1 else cells)]
    if not rows or not rows[0]:
        return "[]"
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 2 * len(widths) > WIDEST:
        places = [", ".join(str(k + 1) for k in place) for place in np.ndindex(cells.shape)]
        entries = (cells[place] for place in np.ndindex(cells.shape))
        return "\n".join(f"[{place}] = {text}" for place, text in zip(places, entries, strict=True))
    lines = [
        "  ".join(cell + " " * (w - width(cell)) for cell, w in zip(row, widths, strict=True))
        for row in rows
    ]
    if ascii or len(lines) == 1:
        return "\n".join(f"[{line}]" for line in lines)
    left = "⎡" + "⎢" * (len(lines) - 2) + "⎣"
    right = "⎤" + "⎥" * (len(lines) - 2) + "⎦"
    return "\n".join(a + line + b for a, line, b in zip(left, lines, right, strict=True))


class TextWriter(Writer):
    """Unicode or ASCII."""

    def __init__(
        self,
        x: Scalar | Collected,
        digits: int = 6,
        full: bool = False,
        ascii: bool = False,
        notation: Notation = NOTATION,
    ):
        super().__init__(x, digits, full, notation)
        self.ascii = ascii
        self.minus = "-" if ascii else "−"

    def number(self, value: Fraction) -> str:
        return self.numeral(value).replace("-", self.minus)

    def parameter(self, label: str) -> str:
        if self.ascii or not TORQUE.fullmatch(label):
            return "π" if label == "pi" and not self.ascii else label
        return label.replace("tau", "τ")

    def term(self, latex: str) -> str:
        return plain(latex)

    def variable(self, node: Name) -> str:
        index, n = node.joints[0][0], self.notation
        if self.ascii:
            return f"{MARKUP.sub('', n.letter(index))}{DERIVATIVE[node.kind]}{n.number(index)}"
        return plain({"position": n.q, "rate": n.qd, "acceleration": n.qdd}[node.kind](index))

    def sign(self, velocity: str) -> str:
        return f"{'sign' if self.ascii else 'sgn'}({velocity})"

    def indexed(self, letter: str, index: str) -> str:
        return (MARKUP.sub("", letter) if self.ascii else plain(letter)) + index

    def raised(self, base: str, exponent: int) -> str:
        return f"{base}^{exponent}" if self.ascii else base + str(exponent).translate(SUPERSCRIPT)

    def call(self, function: str, argument: Node, exponent: int) -> str:
        inside = self.write(argument)
        if function == "sqrt" and not self.ascii:
            text = f"√{inside}" if inside.isalnum() else f"√({inside})"
        else:
            text = f"{function}({inside})"
        return text if exponent == 1 else self.raised(text, exponent)

    def spelt_out(self, node: Name, exponent: int) -> str:
        text = f"{'sin' if node.kind == 'sine' else 'cos'}({self.angle(node)})"
        return text if exponent == 1 else self.raised(text, exponent)

    def parenthesised(self, text: str) -> str:
        return f"({text})"
