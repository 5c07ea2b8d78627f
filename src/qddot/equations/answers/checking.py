"""Is mine right? An answer in any form, compared with a quantity of a robot's equations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import KNOWN
from qddot.equations.answers.comparison import formulas_of
from qddot.equations.answers.functions import check_function
from qddot.equations.answers.judging import Judge
from qddot.equations.answers.layout import Written, read_answer
from qddot.equations.answers.reader import stacked
from qddot.equations.answers.rounded import float_number
from qddot.equations.answers.verdict import Verdict
from qddot.equations.answers.vocabulary import UnknownWord, Vocabulary
from qddot.equations.closed_form import ring_of
from qddot.equations.equations import Equations
from qddot.equations.forms import form
from qddot.equations.nodes import Node, Number
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most
from qddot.equations.ring import Ring
from qddot.equations.sympy_forms import from_sympy, node_of
from qddot.errors import BadArgument, UnknownName, shorten
from qddot.formulations.plain_formula import plain

WORK = 5e6  # products of terms, for reading an answer and comparing it
# M[1, 2], M12, M_{12}, tau[1]
ENTRY = re.compile(r"(\D+?)\s*[\[_({]*\s*(\d+(?:\s*,\s*\d+)*)\s*[\])}]*")
LETTERS = {
    "τ": "tau",
    "Γ": "gamma",
    "Ṁ": "M_rate",
    "Mdot": "M_rate",
    "G": "g",
    "Λ": "effective_mass",
}
# quantities that a notation has letters for
NAMED = {
    "torques": "tau",
    "mass_matrix": "M",
    "velocity_torques": "c",
    "coriolis_matrix": "C",
    "gravity_torques": "g",
    "centrifugal": "centrifugal",
    "products": "coriolis",
    "kinetic": "K",
    "potential": "P",
}


def check(equations: Equations, quantity: str, answer: Any, named: Mapping[str, Any]) -> Verdict:
    """Return whether an answer is right; see `Equations.check`."""
    name = quantity_name(equations, quantity)
    choices, values = equations.quantities[name].split(named)
    whole = equations.quantity(name, **choices)
    index = index_in(equations, quantity, name, np.shape(whole))
    if callable(answer) and not from_sympy(answer):
        if name not in KNOWN:
            raise BadArgument(f"A function is compared with one of: {', '.join(KNOWN)}.")
        return check_function(equations, quantity, name, index, answer, values)
    if values:
        raise BadArgument("Values of parameters are for functions; a formula has symbols.")
    words = vocabulary_of(equations, ring_of(whole))
    shape = np.zeros(np.shape(whole))[index].shape
    judge = Judge(equations, quantity, name, index, as_written(answer, shape, words))
    try:
        with at_most(WORK):
            if name in KNOWN:
                return judge.verdict()
            return judge.against(formulas_of(whole, index), tolerance=0.0)
    except WorkLimitReached:
        reason = f"{quantity}: whether it is right was not decided; it is too long to multiply out."
        return judge.said(None, reason)


def check_given(
    equations: Equations, name: str, right: str, answer: str, tolerance: float
) -> Verdict:
    """Return whether an answer is what somebody says is right, both in the robot's letters.

    Numbers without letters may be apart by the tolerance, relative to the largest.
    """

    def written(text: str, shape: tuple[int, ...]) -> Written:
        return read_answer(text, shape, vocabulary_of(equations))

    known = written(right, ())
    check = Judge(equations, name, name, (), written(answer, np.shape(known.nodes)))
    try:
        with at_most(WORK):
            return check.against(known.nodes, tolerance)
    except WorkLimitReached:
        return check.said(None, f"{name}: it is too long to multiply out.")


def vocabulary_of(equations: Equations, ring: Ring | None = None) -> Vocabulary:
    """Return the words of a robot, or of another ring that a quantity of it is in."""
    robot = equations.robot
    joints, gravity = robot.tree.joint_names, robot.model.gravity
    return Vocabulary(ring or robot.ring, joints, gravity, equations.notation)


def quantity_name(equations: Equations, text: str) -> str:
    """Return the name of a quantity, also where one entry of it is asked for: "M[1, 2]"."""
    if not isinstance(text, str):
        raise BadArgument(f"{text!r} is no quantity; give a name such as 'M' or 'M[1, 2]'.")
    match = ENTRY.fullmatch(text.strip())
    for name in (text.strip(), match[1] if match else ""):
        if found := _named(equations, name):
            return found
    known = equations.quantities
    raise UnknownName("quantity", shorten(text), equations.robot.model.name, known)


def _named(equations: Equations, name: str) -> str | None:
    """Return the quantity of a name, or of a letter of the notation that is no other's name."""
    n = equations.notation
    letters = {plain(getattr(n, key)): found for key, found in NAMED.items()} | LETTERS
    found = name if name in equations.quantities else letters.get(name, "")
    return found if found in equations.quantities else None


def index_in(equations: Equations, text: str, name: str, shape: tuple[int, ...]) -> Any:
    """Return the index of the entry that is asked for, of the quantity's shape; () is all."""
    match = ENTRY.fullmatch(text.strip())
    if not match or _named(equations, match[1]) != name:
        return ()
    numbers = re.findall(r"\d+", match[2])
    if len(numbers) == 1 and len(shape) > 1:
        numbers = list(numbers[0])
    index = tuple(int(number) - 1 for number in numbers)
    if len(index) != len(shape) or any(not 0 <= i < n for i, n in zip(index, shape, strict=True)):
        raise BadArgument(
            f"{shorten(text)!r}: {name} has shape {shape}, and its entries count from 1."
        )
    return index


def as_written(answer: Any, shape: tuple[int, ...], words: Vocabulary) -> Written:
    """Return the formulas of an answer that is text, SymPy, numbers, our own, or lists of these.

    It raises BadArgument or BadExpression if it is none of these, or cannot be read.
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
            if not len(x):
                raise BadArgument("The answer is an empty list.")
            return stacked([nodes(part) for part in x], str(x))
        if isinstance(x, Rational):
            return Number(Fraction(int(x.numerator), int(x.denominator)))
        if isinstance(x, Real) and math.isfinite(x):
            return float_number(x)
        raise BadArgument(
            f"{shorten(repr(x))} is no answer: give text, LaTeX, SymPy, numbers or a function."
        )

    found = nodes(answer)
    return Written(found, dict(words.understood))
