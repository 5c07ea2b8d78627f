r"""Equations as LaTeX that KaTeX reads too: m_{2} \left(a_{1}^{2} + a_{C2}^{2}\right) + I_{2}."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from qddot.equations.forms import Collected, form, in_a_ring
from qddot.equations.nodes import Name, Node
from qddot.equations.terms import Groups
from qddot.equations.values import symbols_of
from qddot.equations.writer import Writer
from qddot.formulations.notation import NOTATION, Notation
from qddot.scalars import Scalar

GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"),
    *("kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi"),
    *("chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma"),
    *("Upsilon", "Phi", "Psi", "Omega"),
)
NAME = re.compile(rf"({'|'.join(GREEK)}|[A-Za-z])_?((?:[A-Za-z]|[xyz]{{2}})?\d*(?:[xyz]{{1,2}})?)")
SPECIAL = {character: f"\\{character}" for character in "{}$&#_%"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def as_latex(
    x: Any,
    *,
    groups: Groups | None = None,
    full: bool = False,
    digits: int = 6,
    notation: Notation = NOTATION,
) -> str:
    r"""Return a polynomial, a number, a vector, a matrix or a stack of matrices as LaTeX.

    Args:
        x: What to print; a vector is a column, a stack a row of matrices.
        groups: Joints with parallel axes, counted from 0; those of the robot if not given.
        full: Write \cos\left(q_{1} + q_{2}\right) for c_{12}.
        digits: To how many significant digits decimals are rounded.
        notation: The letters of coordinates, sines and cosines.
    """

    def part(value: Any) -> str:
        return as_latex(value, groups=groups, full=full, digits=digits, notation=notation)

    if not isinstance(x, np.ndarray) or not x.ndim:
        value = in_a_ring(x.item() if isinstance(x, np.ndarray) else x)
        return LatexWriter(value, digits, full, notation).write(form(value, groups))
    if x.ndim > 2:
        return r" \quad ".join(map(part, x))
    rows = x[:, None] if x.ndim == 1 else x
    lines = [" & ".join(map(part, row)) for row in rows]
    return "\\begin{bmatrix}\n" + " \\\\\n".join(lines) + "\n\\end{bmatrix}"


def name_latex(name: str) -> str:
    r"""Return a parameter's name with its index below: aC1 as a_{C1}, alpha1 as \alpha_{1}."""
    match = NAME.fullmatch(name)
    if not match:
        return rf"\mathrm{{{escape_latex(name)}}}"
    letter, index = match[1], match[2]
    letter = f"\\{letter}" if letter in GREEK else letter
    return f"{letter}_{{{index}}}" if index else letter


@lru_cache(maxsize=64)
def names_latex(names: frozenset[str], coordinates: tuple[str, ...]) -> dict[str, str]:
    r"""Return how each parameter is written beside the coordinates, no two alike.

    Where m1 is m_{1} already, m_1 is \mathrm{m\_1}; so is what looks like a coordinate.
    """
    taken = set(coordinates)
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        text = name_latex(name)
        found[name] = text if text not in taken else rf"\mathrm{{{escape_latex(name)}}}"
        taken.add(found[name])
    return found


def escape_latex(text: str) -> str:
    r"""Return any text so that LaTeX prints it and obeys none of it, for use in \text{}."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return "".join(SPECIAL.get(character, character) for character in printable)


def escape_markdown(text: str) -> str:
    """Return any text so that Markdown, with or without HTML and formulas in it, prints it."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", printable)


class LatexWriter(Writer):
    """LaTeX inside a formula."""

    def __init__(
        self,
        x: Scalar | Collected,
        digits: int = 6,
        full: bool = False,
        notation: Notation = NOTATION,
    ):
        super().__init__(x, digits, full, notation)
        ring = getattr(x, "ring", None)  # numbers have none
        coordinates = tuple(notation.q(i) for i in range(ring.n)) if ring else ()
        self.names = names_latex(frozenset(symbols_of(ring)), coordinates) if ring else {}

    def number(self, value: Fraction) -> str:
        text = self.numeral(value)
        if "/" in text:
            top, bottom = text.split("/")
            return rf"\frac{{{top}}}{{{bottom}}}"
        mantissa, _, exponent = text.partition("e")
        return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa

    def parameter(self, label: str) -> str:
        return self.names.get(label) or name_latex(label)

    def term(self, latex: str) -> str:
        return latex

    def variable(self, node: Name) -> str:
        index, n = node.joints[0][0], self.notation
        return {"position": n.q, "rate": n.qd, "acceleration": n.qdd}[node.kind](index)

    def sign(self, velocity: str) -> str:
        return rf"\operatorname{{sgn}}{self.parenthesised(velocity)}"

    def indexed(self, letter: str, index: str) -> str:
        return f"{letter}_{{{index}}}"

    def raised(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def call(self, function: str, argument: Node, exponent: int) -> str:
        if function == "sqrt":
            return rf"\sqrt{{{self.write(argument)}}}"
        power = f"^{{{exponent}}}" if exponent != 1 else ""
        return rf"\{function}{power}{self.parenthesised(self.write(argument))}"

    def spelt_out(self, node: Name, exponent: int) -> str:
        power = f"^{{{exponent}}}" if exponent != 1 else ""
        function = "sin" if node.kind == "sine" else "cos"
        return rf"\{function}{power}{self.parenthesised(self.angle(node))}"

    def parenthesised(self, text: str) -> str:
        return rf"\left({text}\right)"


# words


COMBINING = {"\N{COMBINING DOT ABOVE}": r"\dot", "\N{COMBINING DIAERESIS}": r"\ddot"}
SYMBOLS = {
    "−": "$-$", "–": "--", "—": "---", "·": r"$\cdot$", "×": r"$\times$", "°": r"$^\circ$",
    "²": "$^2$", "³": "$^3$", "½": r"$\tfrac12$", "≤": r"$\le$", "≥": r"$\ge$", "→": r"$\to$",
    "…": r"\ldots{}", "“": "``", "”": "''", "‘": "`", "’": "'", "√": r"$\surd$", "ᵀ": "$^T$",
    "ϑ": r"$\vartheta$", "ϕ": r"$\phi$", "ϱ": r"$\varrho$", "ϖ": r"$\varpi$", "ϵ": r"$\epsilon$",
}  # fmt: skip


LONGEST_WORD = 40  # letters without a space, behind which a line may break anywhere


def words_latex(words: str) -> str:
    """Return any words as every LaTeX engine prints them, and obeys none of them.

    Letters that the standard fonts do not have become an empty box.
    """
    found, k, since = "", 0, 0
    words = unicodedata.normalize("NFC", words)
    while k < len(words):
        letter = words[k]
        since = 0 if letter == " " else since + 1
        found += r"\allowbreak{}" if since > LONGEST_WORD else ""
        accent = COMBINING.get(words[k + 1 : k + 2])
        k += 2 if accent else 1
        if accent and letter.isascii():
            found += f"${accent}{{{escape_latex(letter)}}}$"
        elif letter in SYMBOLS:
            found += SYMBOLS[letter]
        elif unicodedata.name(letter, "").startswith("GREEK SMALL LETTER ") and plain_name(letter):
            found += rf"$\{plain_name(letter)}$"
        elif letter == "Ṁ":
            found += r"$\dot{M}$"
        elif ord(letter) < 0x180:
            found += escape_latex(letter)
        else:
            found += r"$\square$"
    return found


def plain_name(letter: str) -> str:
    """Return the name of a Greek letter that LaTeX has a command for."""
    name = unicodedata.name(letter).rpartition(" ")[2].lower().replace("lamda", "lambda")
    return "" if name == "omicron" or len(name) > 7 else name
