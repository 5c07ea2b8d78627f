r"""How an answer stands on its page: labelled entries, boxes of matrices, what is around a formula.

People write M = [...], or M11 = ..., M12 = ..., or \tau_1 &= ... \\; our own printed matrices have
columns between two blanks. All of it becomes formulas by entry, or one formula with brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.answers.reader import LONGEST, AnswerReader, BadAnswer, by_entry, stacked
from qddot.equations.answers.scanning import is_latex, plain
from qddot.equations.answers.vocabulary import DOT, TWO_DOTS, Vocabulary
from qddot.equations.nodes import Node, Power, product
from qddot.errors import listing

ENVIRONMENTS = "equation|align|aligned|alignat|gather|gathered|split|multline|math|displaymath"
WRAPPING = re.compile(
    rf"\\(?:begin|end)\{{(?:{ENVIRONMENTS})\*?\}}|\$|\\\[|\\\]|\\\(|\\\)|(?<!\\)%[^\n]*"
    r"|\\label\{[^{}]*\}|\\nonumber|\\displaystyle"
)
MATRIX_CALL = re.compile(r"\b(?:\w+\.)?(?:ImmutableDenseMatrix|Matrix|array)\s*\(")
EQUALS = re.compile(r"(?<![<>=!])=(?!=)")
# M11, M_{1,2}, M[1, 2], \tau_1 or [2, 1] at the end of what stands before an = sign
LABEL = re.compile(
    rf"(?:^|[\n;,]|\\\\|\\q?quad)[\s&]*((?:\\?[^\W\d_][\w{DOT}{TWO_DOTS}]*)?\s*[_\[({{]*\s*\d[\d,\s]*"
    r"[\])}]*)\s*&?\s*$"
)
REFERENCE = re.compile(r"\\?[^\W\d_]\w*?[_\[({]*\d[\d,\s]*[\])}]*")
BOX = re.compile("[⎡⎢⎣⎤⎥⎦]")
BLOCK = re.compile(r"^\[\d+\][ \t]*$", re.MULTILINE)
BELOW = re.compile(r"\n\s*/([^\n]*)$")  # what a whole matrix is divided by, as we print it
Indices = tuple[int, ...]


@dataclass
class Written:
    """An answer as it was written: its formulas, and what was understood."""

    nodes: Any  # a node, or an array of them
    words: dict[str, str] = field(default_factory=dict)  # letters that are not ours, and ours
    notes: list[str] = field(default_factory=list)


def read_answer(text: str, shape: tuple[int, ...], words: Vocabulary) -> Written:
    """Return the formulas of an answer.

    An answer that has not the shape of the quantity comes in its own. If it cannot be read,
    BadAnswer has the place and the reason.
    """
    if len(text) > LONGEST:
        raise BadAnswer(text, f"it is longer than {LONGEST} letters.")
    if not text.strip():
        raise BadAnswer(text, "it is empty.")
    written = Written(None)

    def formula(piece: str) -> Any:
        return AnswerReader(piece.strip(), words).read()

    body = plain(text)
    if is_latex(body):
        body = WRAPPING.sub(" ", body)
    body = MATRIX_CALL.sub("(", body).strip()
    below = BELOW.search(body) if shape else None
    body = body[: below.start()] if below else body
    entries = labelled(body)
    if entries and shape:
        written.nodes = _assembled(text, entries, shape, written, formula)
    else:
        body = _without_label(body)
        if len(shape) == 3 and (blocks := _blocks(body)):
            written.nodes = stacked([formula(_unboxed(block)) for block in blocks], text)
        else:
            written.nodes = formula(_unboxed(body))
    if below:
        divided = Power(formula(below[1]), -1)
        written.nodes = by_entry(lambda node: product(Fraction(1), [node, divided]), written.nodes)
    written.words = dict(words.understood)
    return written


def labelled(text: str) -> dict[Indices, str]:
    """Return the formulas of entries that stand by their labels; none where nothing has one.

    Where an entry is said to be another one, M21 = M12, it has the formula of that.
    """
    parts = EQUALS.split(text)
    found: dict[Indices, str] = {}
    names: dict[str, Indices] = {}
    waiting: list[Indices] = []  # labels whose formula comes
    for part in parts:
        label = LABEL.search(part) if part is not parts[-1] else None
        body = part[: label.start()] if label else part
        if waiting and body.strip(" \n&\\") and (label or part is parts[-1]):
            found |= dict.fromkeys(waiting, body)
            waiting = []
        if label:
            waiting.append(indices_of(label[1]))
            names[re.sub(r"[\W_]", "", label[1])] = waiting[-1]
    for place, body in found.items():
        if REFERENCE.fullmatch(name := body.strip(" \n&;,")):
            found[place] = found.get(names.get(re.sub(r"[\W_]", "", name), place), body)
    return found


def indices_of(label: str) -> Indices:
    """Return the indices of a label, from 0: M_{12} and M[1, 2] are (0, 1)."""
    numbers = re.search(r"(\d[\d,\s]*)[\])}\s]*$", label)
    text = numbers[1] if numbers else ""
    pieces = re.findall(r"\d+", text) if "," in text else re.findall(r"\d", text)
    return tuple(int(piece) - 1 for piece in pieces)


def _assembled(
    text: str, entries: dict[Indices, str], shape: tuple[int, ...], written: Written, formula: Any
) -> np.ndarray:
    """Return an array of formulas that stand by labels; of a symmetric matrix half is enough."""
    nodes = np.empty(shape, dtype=object)
    for place, piece in entries.items():
        if len(place) != len(shape) or any(
            not 0 <= i < n for i, n in zip(place, shape, strict=True)
        ):
            said = ", ".join(str(i + 1) for i in place)
            raise BadAnswer(text, f"there is no entry [{said}]; the shape is {shape}.")
        nodes[place] = formula(_one_line(piece))
    for place in np.ndindex(shape):
        if nodes[place] is None and len(shape) == 2 and shape[0] == shape[1]:
            nodes[place] = nodes[place[::-1]]
            if nodes[place] is not None:
                i, j = place[0] + 1, place[1] + 1
                written.notes.append(f"[{i}, {j}] was not given; [{j}, {i}] was taken for it.")
    missing = [place for place in np.ndindex(shape) if nodes[place] is None]
    if missing:
        said = listing([str([i + 1 for i in place]) for place in missing], most=4)
        raise BadAnswer(text, f"it has no entry {said}.")
    return nodes


def _without_label(text: str) -> str:
    """Return what stands after the last = sign; before it, where only a letter comes after."""
    parts = EQUALS.split(text)
    last = parts[-1].strip(" \n&\\;.")
    if len(parts) > 1 and re.fullmatch(r"tau|τ|M|c|C|g|K|P", last):
        return parts[-2]
    return _one_line(parts[-1])


def _one_line(text: str) -> str:
    r"""Return a formula without the breaks between its lines, unless they are a matrix's."""
    text = text.strip().rstrip(".,;")
    if "\\begin" in text or "[" in text or BOX.search(text):
        return re.sub(r"(\\\\|&|\s)+$", "", text).lstrip("& ")
    return re.sub(r"\\\\(\[[^\]]*\])?|&", " ", text)


def _blocks(text: str) -> list[str]:
    """Return the matrices of a stack, as we print it."""
    if BLOCK.search(text):
        return [block for block in BLOCK.split(text) if block.strip()]
    pieces = text.split(r"\quad")
    return pieces if len(pieces) > 1 else []


def _unboxed(text: str) -> str:
    """Return a matrix with columns between two blanks as one with commas and semicolons."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    boxed = bool(BOX.search(text))
    rows = [BOX.sub("", line).strip() for line in lines] if boxed else lines
    if not boxed:
        whole = all(row.startswith("[") and row.endswith("]") for row in rows)
        if not whole or re.search(r"[,;]", text) or is_latex(text):
            return text
        rows = [row[1:-1].strip() for row in rows]
    cells = [", ".join(re.split(r"\s{2,}", row)) for row in rows]
    return f"[{'; '.join(cells)}]"


def shaped(nodes: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return formulas in the shape of a quantity; None where they have another."""
    array = nodes if isinstance(nodes, np.ndarray) else _one(nodes)
    wanted = tuple(k for k in shape if k != 1)
    if array.shape != shape and tuple(k for k in array.shape if k != 1) != wanted:
        return None
    return array.reshape(shape)


def _one(node: Node) -> np.ndarray:
    result = np.empty((), dtype=object)
    result[()] = node
    return result
