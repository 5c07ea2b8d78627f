"""Is mine right? An answer in any form, compared with a quantity of a robot's equations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from qddot.equations.answers.comparison import AnswerComparison, decided
from qddot.equations.answers.explaining import MistakeSearch
from qddot.equations.answers.functions import check_function
from qddot.equations.answers.layout import Written, read_answer, shaped
from qddot.equations.answers.verdict import Explanation, Verdict, listed
from qddot.equations.answers.vocabulary import UnknownWord, Vocabulary
from qddot.equations.equations import QUANTITIES, Equations
from qddot.equations.forms import form
from qddot.equations.nodes import Call, Node, Number, Power, Product, Sum
from qddot.equations.polynomial import Polynomial
from qddot.equations.proofs import CORIOLIS
from qddot.equations.reading import InDegrees
from qddot.equations.sympy_forms import from_sympy, node_of
from qddot.equations.time_limit import WorkLimitReached, at_most
from qddot.errors import BadArgument, UnknownName, shorten

WORK = 5e6  # products of terms, for reading an answer and comparing it
FEWEST_DIGITS = 3  # of decimals that may be rounded
LETTERS = {"τ": "tau", "Γ": "gamma", "Ṁ": "M_rate", "Mdot": "M_rate", "G": "g"}
DEGREES = Explanation(("degrees",), "angles are taken in degrees, and not in radians")


def check(equations: Equations, quantity: str, answer: Any, values: Mapping[str, float]) -> Verdict:
    """Return whether an answer is right; see `Equations.check`."""
    name, index = quantity_and_index(equations, quantity)
    if callable(answer) and not from_sympy(answer):
        return check_function(equations, quantity, name, index, answer, values)
    if values:
        raise BadArgument("Values of parameters are for functions; a formula has symbols.")
    shape = np.asarray(np.asarray(equations.quantity(name), dtype=object)[index]).shape
    words = Vocabulary(equations.robot.ring, equations.robot.tree.joint_names)
    written = as_written(answer, shape, words)
    try:
        with at_most(WORK):
            return _Check(equations, quantity, name, index, written).verdict()
    except WorkLimitReached:
        reason = f"{quantity}: whether it is right was not decided; it is too long to multiply out."
        return Verdict(equations.robot.model.name, quantity, None, reason)


def quantity_and_index(equations: Equations, text: str) -> tuple[str, Any]:
    """Return the name of a quantity, and the index of the entry that is asked for.

    "M" is all of it, "M[1, 2]", "M12" and "M_12" one entry, "tau[1]" one as well.
    """
    if not isinstance(text, str):
        raise BadArgument(f"{text!r} is no quantity; give a name such as 'M' or 'M[1, 2]'.")
    plain = LETTERS.get(text.strip(), text.strip())
    if plain in QUANTITIES:
        return plain, ()
    match = re.fullmatch(r"(\D+?)\s*[\[_({]*\s*(\d+(?:\s*,\s*\d+)*)\s*[\])}]*", plain)
    name = LETTERS.get(match[1], match[1]) if match else plain
    if not match or name not in QUANTITIES:
        raise UnknownName("quantity", shorten(text), equations.robot.model.name, QUANTITIES)
    numbers = re.findall(r"\d+", match[2])
    shape = np.shape(equations.quantity(name))
    if len(numbers) == 1 and len(shape) > 1:
        numbers = list(numbers[0])
    index = tuple(int(number) - 1 for number in numbers)
    if len(index) != len(shape) or any(not 0 <= i < n for i, n in zip(index, shape, strict=True)):
        raise BadArgument(
            f"{shorten(text)!r}: {name} has shape {shape}, and its entries count from 1."
        )
    return name, index


def as_written(answer: Any, shape: tuple[int, ...], words: Vocabulary) -> Written:
    """Return the formulas of an answer that is text, SymPy, numbers, our own, or lists of these.

    Raises:
        BadArgument, BadExpression: If it is none of these, or cannot be read.
    """
    if isinstance(answer, str):
        return read_answer(answer, shape, words)

    def named(name: str) -> Node:
        try:
            found = words.find(name)
        except UnknownWord as error:
            raise BadArgument(f"{error}") from None
        if len(found) != 1 or isinstance(found[0], str):
            raise BadArgument(f"{name!r} is no symbol of this robot.")
        return found[0]

    def nodes(x: Any) -> Any:
        if isinstance(x, str):
            return read_answer(x, (), words).nodes
        if isinstance(x, Polynomial):
            return form(x)
        if from_sympy(x):
            return nodes(x.tolist()) if hasattr(x, "tolist") else node_of(x, named)
        if isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim):
            parts = [nodes(part) for part in x]
            if not parts or len({np.shape(part) for part in parts}) > 1:
                raise BadArgument("The answer is a list whose rows are not equally long.")
            result = np.empty((len(parts), *np.shape(parts[0])), dtype=object)
            for k, part in enumerate(parts):
                result[k] = part
            return result
        if isinstance(x, Rational):
            return Number(Fraction(int(x.numerator), int(x.denominator)))
        if isinstance(x, Real) and math.isfinite(x):
            return Number(Fraction(repr(float(x))))
        raise BadArgument(
            f"{shorten(repr(x))} is no answer: give text, LaTeX, SymPy, numbers or a function."
        )

    found = nodes(answer)
    return Written(found, dict(words.understood))


class _Check:
    """One check of formulas."""

    def __init__(
        self, equations: Equations, quantity: str, name: str, index: Any, written: Written
    ):
        self.equations, self.quantity, self.name, self.index = equations, quantity, name, index
        self.written = written
        self.robot = equations.robot.model.name
        self.notes = list(written.notes)
        if written.words:
            said = ", ".join(f"{theirs} as {ours}" for theirs, ours in written.words.items())
            self.notes.append(f"Read: {said}.")

    def said(self, ok: bool | None, reason: str, **more: Any) -> Verdict:
        notes = (*more.pop("notes", ()), *self.notes)
        return Verdict(self.robot, self.quantity, ok, reason, notes=notes, **more)

    def verdict(self) -> Verdict:
        shape = np.asarray(
            np.asarray(self.equations.quantity(self.name), dtype=object)[self.index]
        ).shape
        nodes = shaped(self.written.nodes, shape)
        if nodes is None:
            return self._other_shape(shape)
        try:
            case = AnswerComparison.of(self.equations, self.name, self.index, nodes)
        except InDegrees:
            return self._in_degrees(nodes)
        if self.name == "C" and self.index == ():
            return self._coriolis(case)
        return self._compared(case, nodes)

    def _compared(self, case: AnswerComparison, nodes: np.ndarray) -> Verdict:
        left = case.left(case.right())
        found = decided(left)
        if all(found):
            return self.said(True, f"{self.quantity} is right: exactly equal to what was derived.")
        if self.name == "P" and all(map(_is_constant, left)):
            note = f"It differs by the constant {left[0]!r}, which is free to choose."
            return self.said(True, f"{self.quantity} is right.", notes=(note,))
        if rounded(left, case.right(), self.written.digits):
            reason = f"{self.quantity} is right to the digits that it has, not exactly."
            return self.said(True, reason)
        return self._wrong(case, found, nodes)

    def _wrong(
        self,
        case: AnswerComparison,
        found: list[bool | None],
        nodes: np.ndarray | None = None,
        mistakes: list[Explanation] | None = None,
        why: str = "",
    ) -> Verdict:
        wrong = [k for k, equal in enumerate(found) if equal is False]
        if not wrong:
            reason = f"{self.quantity}: whether it is right could not be decided exactly."
            return self.said(None, reason)
        entries = tuple(e for e in (case.wrong_entry(k) for k in wrong) if e is not None)
        where = f" in {listed([case.places[k] for k in wrong])}" if len(found) > 1 else ""
        if nodes is not None and constants_turn(nodes) and self._right_in_degrees(nodes):
            mistakes = [DEGREES]
        if not mistakes:
            search = MistakeSearch(case, wrong)
            mistakes = search.explanations()
            if search.cut_short:
                self.notes.insert(0, "Not every usual mistake was tried: it would take too long.")
            elif not mistakes:
                self.notes.insert(0, "No usual mistake gives this answer.")
        reason = f"{self.quantity} is wrong{where}{why}."
        return self.said(False, reason, wrong=entries, mistakes=tuple(mistakes))

    def _coriolis(self, case: AnswerComparison) -> Verdict:
        """Judge a matrix C by C q̇ = c: it is not unique, but its product with q̇ is."""
        equations = case.equations
        n, qd = equations.n, equations.robot.qd
        whole = AnswerComparison(equations, "c", (), np.empty(0, dtype=object), [], [])
        for k in range(n):
            top, bottom = equations.robot.ring.constant(0), 1
            for j in range(n):
                a, b = case.tops[k * n + j] * qd[j], case.bottoms[k * n + j]
                top, bottom = (top + a, b) if b == bottom else (top * b + a * bottom, bottom * b)
            whole.tops.append(top)
            whole.bottoms.append(bottom)
        found = decided(whole.left(whole.right()))
        if all(found):
            return self.said(True, self._which_coriolis(case))
        own = [k for k, x in enumerate(case.left(case.right())) if x]
        mistakes = [m for m in MistakeSearch(case, own).explanations() if not m.places]
        return self._wrong(whole, found, mistakes=mistakes, why=": C q̇ is not c there")

    def _which_coriolis(self, case: AnswerComparison) -> str:
        equations, n = case.equations, case.equations.n
        for name, C in equations.coriolis_matrices().items():
            if not any(case.left(list(C.reshape(-1)))):
                words, skew = CORIOLIS[name]
                which = f"C is right: {words}"
                break
        else:
            which, skew = "C is right, C q̇ = c: a factorisation of its own", None
        if all(isinstance(b, int) for b in case.bottoms):
            skew = equations.is_skew(np.array(case.tops, dtype=object).reshape(n, n))
        if skew is None:
            return f"{which}."
        return f"{which}; Ṁ − 2C is {'' if skew else 'not '}skew."

    def _other_shape(self, shape: tuple[int, ...]) -> Verdict:
        """Return what is wrong with an answer of another shape: C q̇ for C, or a number."""
        given = np.shape(self.written.nodes)
        words = " × ".join(map(str, given)) if given else "one formula"
        wanted = " × ".join(map(str, shape)) if shape else "one formula"
        mistakes: tuple[Explanation, ...] = ()
        for mine, other, said in (
            ("C", "c", "the vector C q̇ is given in place of the matrix C"),
            ("c", "C", "the matrix C is given in place of the vector C q̇"),
        ):
            if self.name == mine and self.index == ():
                check = _Check(self.equations, other, other, (), self.written)
                nodes = shaped(self.written.nodes, np.shape(self.equations.quantity(other)))
                if nodes is not None and check.verdict().ok:
                    mistakes = (Explanation(("shape",), said),)
        reason = f"{self.quantity} is wrong: it is {wanted}, and the answer is {words}."
        return self.said(False, reason, mistakes=mistakes)

    def _in_degrees(self, nodes: np.ndarray) -> Verdict:
        case = AnswerComparison.of(self.equations, self.name, self.index, nodes, degrees=True)
        found = decided(case.left(case.right()))
        reason = f"{self.quantity} is wrong: its angles are converted to radians, which q is in."
        if all(found):
            return self.said(False, reason, mistakes=(DEGREES,))
        return self.said(False, f"{reason} Correct that first, and check again.")

    def _right_in_degrees(self, nodes: np.ndarray) -> bool:
        if self.name == "C":
            return False
        case = AnswerComparison.of(self.equations, self.name, self.index, nodes, degrees=True)
        return not any(case.left(case.right()))


def constants_turn(nodes: np.ndarray) -> bool:
    """Return whether sin(30) or the like is in some formulas, and no angle times a number."""

    def there(node: Node) -> bool:
        match node:
            case Call("sin" | "cos", Number(value)):
                return abs(value) > 6
            case Call(_, argument):
                return there(argument)
            case Power(base, _):
                return there(base)
            case Product(_, parts) | Sum(parts):
                return any(map(there, parts))
        return False

    return any(map(there, nodes.reshape(-1)))


def _is_constant(x: Any) -> bool:
    """Return whether no coordinate, velocity or acceleration is in a polynomial."""
    if not isinstance(x, Polynomial):
        return True
    moving = [k for k, g in enumerate(x.ring.generators) if g.role != "parameter"]
    return not any(exponents[k] for exponents, _ in x.terms() for k in moving)


def rounded(left: list[Any], right: list[Any], digits: int) -> bool:
    """Return whether differences are what rounding to so many significant digits leaves."""
    if digits < FEWEST_DIGITS:
        return False
    part = Fraction(1, 10 ** (digits - 1))
    return all(_largest(x) <= part * _largest(y) for x, y in zip(left, right, strict=True))


def _largest(x: Any) -> Fraction:
    if isinstance(x, Polynomial):
        return max((abs(c) for _, c in x.terms()), default=Fraction(0))
    return abs(Fraction(x))
