"""Judging an answer: whether it is right, in every entry, and if not, what it looks like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.equations.answers.balls import STATES, letters_of, shown_difference, value_of
from qddot.equations.answers.bodies import KNOWN
from qddot.equations.answers.comparison import AnswerComparison, formulas_of, places_of
from qddot.equations.answers.explaining import MistakeSearch, by_words
from qddot.equations.answers.layout import Written, shaped
from qddot.equations.answers.mistakes import wrong_terms
from qddot.equations.answers.reader import matrix_product
from qddot.equations.answers.verdict import Explanation, Verdict, WrongEntry, listed
from qddot.equations.equations import Equations
from qddot.equations.nodes import ZERO, Call, Name, Node, Number
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most
from qddot.equations.proofs import CORIOLIS
from qddot.equations.reading import InDegrees, NoPolynomial, nodes_in

ROUNDED = " to the digits that it has, not exactly"
OTHER_SHAPE = {
    "C": ("c", "the vector C q̇ is given in place of the matrix C"),
    "c": ("C", "the matrix C is given in place of the vector C q̇"),
}
DEGREES = Explanation(("degrees",), "angles are taken in degrees, and not in radians")


class Judge:
    """One answer in formulas, and the quantity that it should be."""

    def __init__(
        self, equations: Equations, quantity: str, name: str, index: Any, written: Written
    ):
        self.equations, self.quantity, self.name, self.index = equations, quantity, name, index
        self.written = written
        self.robot = equations.robot.model.name
        self.what = "what was derived" if name in equations.quantities else "what is given"
        self.known: np.ndarray | None = None  # what is said to be right, if that is given
        self.near: set[int] = set()  # entries that are numbers near enough to it
        self.notes = list(written.notes)
        if written.words:
            said = ", ".join(f"{theirs} as {ours}" for theirs, ours in written.words.items())
            self.notes.append(f"Read: {said}.")

    def said(self, ok: bool | None, reason: str, **more: Any) -> Verdict:
        notes = (*more.pop("notes", ()), *self.notes)
        return Verdict(self.robot, self.quantity, ok, reason, notes=notes, **more)

    def verdict(self) -> Verdict:
        shape = np.shape(self._asked(self.equations.quantity(self.name)))
        nodes = shaped(self.written.nodes, shape)
        if nodes is None:
            return self._other_shape(shape)
        try:
            case = AnswerComparison.of(self.equations, self.name, self.index, nodes)
        except InDegrees:
            return self._in_degrees(nodes)
        except NoPolynomial as error:
            return self._at_states(nodes, str(error))
        return self._coriolis(case) if self._is_coriolis else self._compared(case)

    def against(self, known: Any, tolerance: float) -> Verdict:
        """Judge it by formulas that are said to be right; numbers by how near they are."""
        shape = np.shape(known)
        right, nodes = shaped(known, shape), shaped(self.written.nodes, shape)
        if nodes is None or right is None:
            return self._other_shape(shape)
        self.known = right
        if tolerance and not letters_of(*right.reshape(-1), *nodes.reshape(-1)):
            numbers = np.array([[_number(x) for x in a.reshape(-1)] for a in (nodes, right)])
            most = tolerance * abs(numbers[1]).max(initial=0)
            self.near = {k for k, far in enumerate(abs(numbers[0] - numbers[1])) if far <= most}
            if len(self.near) == right.size:
                return self.said(True, f"{self.quantity} is right to {tolerance:g}.")
        try:
            case = AnswerComparison.with_given(self.equations, self.name, right, nodes)
        except NoPolynomial as error:
            return self._at_states(nodes, str(error))
        return self._compared(case)

    @property
    def _is_coriolis(self) -> bool:
        return self.name == "C" and self.index == () and self.known is None

    def _asked(self, whole: Any) -> Any:
        return np.asarray(np.asarray(whole, dtype=object)[self.index])

    def _compared(self, case: AnswerComparison) -> Verdict:
        left = case.left(case.right())
        if not any(left):
            return self.said(True, f"{self.quantity} is right: exactly equal to {self.what}.")
        found = [True if k in self.near else equal for k, equal in enumerate(case.found())]
        if all(found):
            return self.said(True, f"{self.quantity} is right{ROUNDED}.")
        if self.name == "P" and all(map(_is_constant, left)):
            note = f"It differs by the constant {left[0]!r}, which is free to choose."
            return self.said(True, f"{self.quantity} is right.", notes=(note,))
        if self.name == "P" and all(case.found(but_constants=True)):
            return self.said(True, f"{self.quantity} is right up to a constant{ROUNDED}.")
        if case.reader.parts:
            return self._at_states(case.nodes)
        return self._wrong(case, found, case.nodes)

    def _at_states(self, nodes: np.ndarray, why: str = "") -> Verdict:
        """Judge an answer that is no quotient of polynomials by its values at states."""
        if self._is_coriolis:
            judge = Judge(self.equations, self.quantity, "c", (), self.written)
            return judge._at_states(times_rates(nodes), why)
        whole: Any = self.known
        right, index = self.known, ()
        if right is None:
            whole, index = self.equations.quantity(self.name), self.index
            right = formulas_of(whole, index)
        pairs = zip(nodes.reshape(-1), right.reshape(-1), strict=True)
        shown = [
            None if k in self.near else shown_difference(*pair, but_constants=self.name == "P")
            for k, pair in enumerate(pairs)
        ]
        places = places_of(np.shape(whole), index)
        wrong = tuple(WrongEntry(p, "", *x) for p, x in zip(places, shown, strict=True) if x)
        more = {"how": "numerically", "wrong": wrong}
        if not wrong:
            reason = f"{self.quantity} agrees at {STATES} states near q = 0: it is not decided."
            return self.said(None, reason, notes=(why,) if why else (), **more)
        where = f" in {listed([entry.place for entry in wrong])}" if len(shown) > 1 else ""
        entries = sum(x != ZERO for x in right.reshape(-1))
        return self.said(False, f"{self.quantity} is wrong{where}.", entries=entries, **more)

    def _wrong(
        self,
        case: AnswerComparison,
        found: list[bool | None],
        nodes: np.ndarray | None = None,
        mistakes: list[Explanation] | None = None,
        why: str = "",
        of: str = "",
    ) -> Verdict:
        wrong = [k for k, equal in enumerate(found) if equal is False]
        if not wrong:
            reason = f"{self.quantity}: whether it is right could not be decided exactly."
            return self.said(None, reason)
        entries = tuple(e for e in (case.wrong_entry(k) for k in wrong) if e is not None)
        where = f" in {listed([case.places[k] for k in wrong])}" if len(found) > 1 else ""
        known = self.name in KNOWN and self.name != "C"
        if known and nodes is not None and constants_turn(nodes) and self._as_degrees(nodes):
            mistakes = [DEGREES]
        if not mistakes and not case.below:  # of quotients no usual mistakes are known
            search = MistakeSearch(case, wrong)
            mistakes = [replace(each, of=of) for each in search.explanations()]
            if search.cut_short:
                self.notes.insert(0, "Not every usual mistake was tried: it would take too long.")
            elif not mistakes:
                self.notes.insert(0, "No usual mistake gives this answer.")
        reason = f"{self.quantity} is wrong{where}{why}."
        more = {"mistakes": tuple(mistakes or ()), "entries": sum(map(bool, case.right()))}
        return self.said(False, reason, wrong=entries, **more)

    def _coriolis(self, case: AnswerComparison) -> Verdict:
        """Judge a matrix C by C q̇ = c: it is not unique, but its product with q̇ is."""
        whole = AnswerComparison.of(case.equations, "c", (), times_rates(case.nodes))
        found = whole.found()
        if all(found):
            exact = not any(whole.left(whole.right()))
            return self.said(True, self._which_coriolis(case) if exact else f"C is right{ROUNDED}.")
        if case.reader.parts:
            return self._at_states(case.nodes)
        own = [k for k, x in enumerate(case.left(case.right())) if x]
        mistakes = [m for m in MistakeSearch(case, own).explanations() if not m.places]
        rows = [k for k, equal in enumerate(found) if equal is False]
        near = None if mistakes or not rows else nearest_factorisation(case, rows)
        if near is None:
            why = ": C q̇ is not c there"
            return self._wrong(whole, found, mistakes=mistakes, why=why, of="C q̇")
        self.notes.insert(0, f"Compared with {near.words}; other factorisations are right too.")
        why = f": C q̇ is not c in {listed([whole.places[k] for k in rows])}"
        return self._wrong(near.case, near.found, mistakes=near.mistakes, why=why)

    def _which_coriolis(self, case: AnswerComparison) -> str:
        equations, n = case.equations, case.equations.n
        for name, C in equations.coriolis_matrices().items():
            if not any(case.left(list(C.reshape(-1)))):
                words, skew = CORIOLIS[name]
                which = f"C is right: {words}"
                break
        else:
            which, skew = "C is right, C q̇ = c: a factorisation of its own", None
        if all(isinstance(b, int) for b in case.bottoms) and not case.reader.parts:
            skew = equations.is_skew(np.array(case.tops, dtype=object).reshape(n, n))
        if skew is None:
            return f"{which}."
        return f"{which}; Ṁ − 2C is {'' if skew else 'not '}skew."

    def _other_shape(self, shape: tuple[int, ...]) -> Verdict:
        """Return what is wrong with an answer of another shape: C q̇ for C, or a number."""
        given = np.shape(self.written.nodes)
        words, wanted = map(_sized, (given, shape))
        mistakes: tuple[Explanation, ...] = ()
        if self.name in OTHER_SHAPE and self.index == ():
            other, said = OTHER_SHAPE[self.name]
            there = shaped(self.written.nodes, np.shape(self.equations.quantity(other)))
            check = Judge(self.equations, other, other, (), self.written)
            if there is not None and check.verdict().ok:
                mistakes = (Explanation(("shape",), said),)
        reason = f"{self.quantity} is wrong: it is {wanted}, and the answer is {words}."
        return self.said(False, reason, mistakes=mistakes)

    def _in_degrees(self, nodes: np.ndarray) -> Verdict:
        reason = f"{self.quantity} is wrong: its angles are converted to radians, which q is in."
        if self._as_degrees(nodes):
            return self.said(False, reason, mistakes=(DEGREES,))
        return self.said(False, f"{reason} Correct that first, and check again.")

    def _as_degrees(self, nodes: np.ndarray) -> bool:
        """Return whether it is right if its angles are taken in degrees."""
        case = AnswerComparison.of(self.equations, self.name, self.index, nodes, degrees=True)
        return not any(case.left(case.right()))


def times_rates(C: np.ndarray) -> np.ndarray:
    """Return the formulas of C q̇."""
    rates = np.array([Name("rate", joints=((i, 1),)) for i in range(len(C))])
    return np.asarray(matrix_product(C, rates))


def _number(node: Node) -> complex:
    """Return the value of a formula without letters."""
    value = value_of(node, {})
    return complex(float(value.real.mid()), float(value.imag.mid()))


def constants_turn(nodes: np.ndarray) -> bool:
    """Return whether sin(30) or the like is in some formulas: an angle of more than a turn."""
    calls = (x for node in nodes.reshape(-1) for x in nodes_in(node) if isinstance(x, Call))
    return any(isinstance(x.argument, Number) and abs(x.argument.value) > 6 for x in calls)


def _is_constant(x: Any) -> bool:
    """Return whether no coordinate, velocity or acceleration is in a polynomial."""
    if not isinstance(x, Polynomial):
        return True
    moving = [k for k, g in enumerate(x.ring.generators) if g.role != "parameter"]
    return not any(exponents[k] for exponents, _ in x.terms() for k in moving)


def _sized(shape: tuple[int, ...]) -> str:
    """Return a shape in words."""
    if len(shape) == 1:
        return f"a vector of {shape[0]}"
    return " × ".join(map(str, shape)) if shape else "one formula"


WORK = 5e6  # products of terms, for all factorisations together
SURE = ("sign", "term_sign", "term_missing")  # slips of which a row may have several


@dataclass(frozen=True)
class NearFactorisation:
    """A factorisation that an answer is, but for slips in single entries."""

    words: str
    case: AnswerComparison  # the answer beside it
    found: list[bool | None]  # of every entry, whether it is equal
    mistakes: list[Explanation]


def nearest_factorisation(
    case: AnswerComparison, wrong_rows: Container[int]
) -> NearFactorisation | None:
    """Return the factorisation from which an answer differs in the fewest entries.

    It counts only if every difference is a slip in a term, and in a row, from 0, in which C q̇ is
    wrong: C is not unique, and an entry in a row that is right is no mistake. Other factors in
    several entries of a row are no slips: they may be a factorisation of somebody's own.
    """
    near: list[NearFactorisation] = []
    with suppress(WorkLimitReached), at_most(WORK):
        for name, C in case.equations.coriolis_matrices().items():
            beside = replace(case, value=C)
            found = beside.found()
            mistakes = _slips(beside, found, wrong_rows)
            if mistakes:
                near.append(NearFactorisation(CORIOLIS[name][0], beside, found, mistakes))
    return min(near, key=lambda each: each.found.count(False), default=None)


def _slips(
    case: AnswerComparison, found: list[bool | None], wrong_rows: Container[int]
) -> list[Explanation]:
    """Return the slip in each entry that differs; nothing if they are not all plain ones."""
    right, n = case.right(), case.equations.n
    left = case.left(right)
    wrong = [k for k, equal in enumerate(found) if not equal]
    in_row = Counter(k // n for k in wrong)
    slips: dict[int, tuple[str, str]] = {}
    for k in wrong:
        slip = wrong_terms(left[k], right[k], "C") if isinstance(case.bottoms[k], int) else None
        if slip is None or k // n not in wrong_rows:
            return []
        if in_row[k // n] > 1 and slip[0] not in SURE:
            return []
        slips[k] = slip
    return by_words(slips, case)
