r"""Formulas that fit on a page: how wide LaTeX is, and where its lines may break.

Widths are estimates from the metrics of Computer Modern, in em, slightly too large: a line that is
too short does no harm, one that is too long leaves the page. The same lines serve KaTeX, whose
fonts are these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from qddot.formulations.plain_formula import tokens

Row: TypeAlias = tuple[str, str]  # what stands before and after the = sign

PAGE = 43.0  # [em] a line on A4 and on letter paper, at 10 pt
SLIDE = 29.0  # [em] a line on a slide

# cmmi10, in hundredths of an em, italic corrections included
SMALL = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            *(53, 43, 44, 53, 47, 60, 52, 58, 35, 47, 56, 32, 88),
            *(60, 49, 51, 49, 48, 47, 37, 58, 53, 75, 58, 53, 51),
        ],
        strict=True,
    )
)
LARGE = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        [
            *(75, 81, 79, 86, 80, 79, 79, 92, 52, 66, 93, 69, 108),
            *(92, 80, 79, 80, 77, 68, 73, 80, 81, 109, 91, 81, 76),
        ],
        strict=True,
    )
)
SCRIPT = 0.72  # of an index or an exponent
BINARY = 1.25  # + and − with their spaces
RELATION = 1.36  # = with its spaces
COLUMN = 1.0  # between two columns of a matrix
BRACKETS = 1.2  # of a matrix
OPERATOR = {"sum": 1.6, "prod": 1.5, "int": 1.1}
SPACES = {",": 0.17, ":": 0.23, ";": 0.28, "!": -0.17, " ": 0.34, "quad": 1.0, "qquad": 2.0}
WORDS = {"sin": 1.4, "cos": 1.5, "tan": 1.6, "det": 1.6, "exp": 1.7}
SILENT = {"left", "right", "bigl", "bigr", "displaystyle", "limits"}
ACCENTS = {"dot", "ddot", "bar", "hat", "tilde", "vec"}
FONTS = {"mathrm", "mathbf", "boldsymbol", "mathcal", "mathit", "mathsf", "text", "operatorname"}
INDENT = 1.5  # of a line that goes on


def width(latex: str) -> float:
    """Return how wide a formula is [em]: of several rows, the widest."""
    return _Measure(latex).row()


class _Measure:
    """Adds up the widths of tokens; what stands between braces is one item."""

    def __init__(self, latex: str):
        self.tokens, self.at = list(tokens(latex)), 0

    def row(self, end: str = "") -> float:
        total, script = 0.0, [0.0, 0.0]  # of the index and the exponent of the last item
        while self.at < len(self.tokens):
            kind, token = self.tokens[self.at]
            if kind == "letter" and token == "}" and end == "}":
                break
            if kind == "letter" and token in "^_":
                self.at += 1
                script[token == "^"] = SCRIPT * self.item()
                continue
            total += max(script) + 0.05 * bool(max(script))
            script = [0.0, 0.0]
            total += self.item()
        return total + max(script)

    def item(self) -> float:
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "space":
            self.at += 1
        if self.at >= len(self.tokens):
            return 0.0
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "command":
            return self.command(token)
        if token == "{":
            inside = self.row("}")
            self.at += 1
            return inside
        if token in "+-−±":
            return BINARY
        if token in "=<>":
            return RELATION
        return SMALL.get(token, LARGE.get(token, 50 if token.isalnum() else 40)) / 100

    def command(self, name: str) -> float:
        if name in ("frac", "tfrac", "dfrac"):
            scale = SCRIPT if name == "tfrac" else 1.0
            return scale * max(self.item(), self.item()) + 0.3
        if name == "sqrt":
            return self.item() + 1.1
        if name == "begin":
            return self.matrix()
        if name in ACCENTS or name in FONTS:
            return self.item() * (1.25 if name in FONTS else 1.0)
        if name in SILENT:
            return 0.15 if name in ("left", "right", "bigl", "bigr") else 0.0
        if name in ("times", "cdot", "otimes", "pm"):
            return BINARY
        known = SPACES | OPERATOR | WORDS
        return known.get(name, 0.8)

    def matrix(self) -> float:
        r"""Return the width of what stands between \begin{bmatrix} and \end{bmatrix}."""
        self.item()  # its name
        widths: list[float] = []
        cell, column = _Cells(), 0
        depth = 0
        while self.at < len(self.tokens):
            kind, token = self.tokens[self.at]
            if kind == "command" and token == "end" and not depth:
                self.at += 1
                self.item()
                break
            if kind == "command" and token in ("begin", "end"):
                depth += 1 if token == "begin" else -1
            if not depth and (token == "&" or (kind == "command" and token == "\\")):
                widths = cell.closed(widths, column)
                column = column + 1 if token == "&" else 0
                cell = _Cells()
                self.at += 1
                continue
            cell.add(kind, token)
            self.at += 1
        widths = cell.closed(widths, column)
        return sum(widths) + COLUMN * max(0, len(widths) - 1) + BRACKETS


class _Cells:
    """The tokens of one cell of a matrix."""

    def __init__(self) -> None:
        self.tokens: list[tuple[str, str]] = []

    def add(self, kind: str, token: str) -> None:
        self.tokens.append((kind, token))

    def closed(self, widths: list[float], column: int) -> list[float]:
        measure = _Measure("")
        measure.tokens = self.tokens
        wide = measure.row()
        widths = widths + [0.0] * (column + 1 - len(widths))
        widths[column] = max(widths[column], wide)
        return widths


def broken(latex: str, room: float) -> list[str]:
    """Return a formula in as many lines as it takes to stay within the room [em].

    It breaks before signs: those outside of parentheses where that is enough, else inside of them;
    and a single term that is too long, between its factors.
    """
    if width(latex) <= room:
        return [latex]
    lines = _filled(_pieces(latex, outside=True), room)
    found: list[str] = []
    for line in lines:
        if width(line) > room:
            # parentheses over two lines cannot be fitted to what they hold
            line = line.replace(r"\left(", r"\bigl(").replace(r"\right)", r"\bigr)")
            for part in _filled(_pieces(line, outside=False), room):
                found += _between_factors(part, room) if width(part) > room else [part]
        else:
            found.append(line)
    return found


def _between_factors(term: str, room: float) -> list[str]:
    depth, lines = 0, [""]
    for piece in term.split(" "):
        unfinished = depth or re.search(r"(^|\\[A-Za-z]+|[+-])$", lines[-1])
        longer = f"{lines[-1]} {piece}".strip()
        if unfinished or width(longer) <= room - INDENT - BINARY:
            lines[-1] = longer
        else:
            lines.append(rf"\cdot {piece}")
        depth += piece.count("{") - piece.count("}")
    return lines


def _filled(pieces: Sequence[str], room: float) -> list[str]:
    lines: list[str] = []
    for piece in pieces:
        wide = width(piece)
        if lines and width(lines[-1]) + wide + 1 <= room - INDENT * (len(lines) > 1):
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def _pieces(latex: str, *, outside: bool) -> list[str]:
    """Return the terms of a sum, each with its sign; with `outside`, not inside parentheses."""
    opening, closing = ("{([", "})]") if outside else ("{", "}")
    depth, cuts = 0, [0]
    for match in re.finditer(r"\\begin|\\end|[{}()\[\]]| [+-] ", latex):
        token = match.group()
        if token == r"\begin" or token in opening:
            depth += 1
        elif token == r"\end" or token in closing:
            depth -= 1
        elif token[0] == " " and not depth:
            cuts.append(match.start() + 1)
    ends = [*cuts[1:], len(latex)]
    return [latex[start:end].strip() for start, end in zip(cuts, ends, strict=True)]


def aligned(rows: Sequence[Row]) -> str:
    """Return lines as one formula, aligned at their = signs."""
    if len(rows) == 1:
        left, right = rows[0]
        return f"{left} = {right}" if left else right
    return f"\\begin{{aligned}}\n{align_body(rows)}\n\\end{{aligned}}"


def align_body(rows: Sequence[Row]) -> str:
    r"""Return lines as what stands between \begin{align*} and \end{align*}.

    A line that goes on has nothing before its = sign, and no = sign; one that begins with = has
    that as its left side.
    """
    lines = []
    for k, (left, right) in enumerate(rows):
        if left == "=":
            lines.append(f"&= {right}")
        elif left:
            lines.append(f"{left} &= {right}")
        else:  # {} makes a sign in front one between two terms
            lines.append(f"& \\quad {{}} {right}" if k else f"& {right}")
    return " \\\\\n".join(lines)
