"""A closed form of inverse kinematics as a lecturer writes it: each step, why, and its formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.errors import printable
from qddot.formulations.plain_formula import plain
from qddot.kinematics.plan import IkPlan
from qddot.kinematics.steps import IkStep
from qddot.plain_text import fitted

PRODUCT = r"T = X M^{-1} = E_1 E_2 \cdots E_n"
CLOSURE = "Each choice of roots is a branch. Those whose product is T are the solutions."
# the root of E μ = ν, and those of an equation that is linear in cosine and sine
ONTO = (
    r"q_k = \operatorname{atan2}(h_k \cdot (\mu \times \nu),\; "
    r"\mu \cdot \nu - (h_k \cdot \mu)(h_k \cdot \nu))"
)
LEVEL = (
    r"A \cos q_k + B \sin q_k = C,\quad q_k = \operatorname{atan2}(B, A) \pm "
    r"\operatorname{atan2}(w, C),\quad w^2 = A^2 + B^2 - C^2"
)
# what A, B and C are, said once
TURNED = (
    r"u \cdot E v = C_0:\quad A = u \cdot v - (u \cdot h)(h \cdot v),\quad "
    r"B = u \cdot (h \times v),\quad C = C_0 - (u \cdot h)(h \cdot v)"
)
AT_DISTANCE = (
    r"\mid E v - o \mid = \rho:\quad u = o,\quad "
    r"C_0 = \tfrac12 (\mid v \mid^2 + \mid o \mid^2 - \rho^2)"
)
LEGEND = (
    "T stands for what is left of the product when known joints at its ends are taken away. Points "
    "are seen from the line of the joint that is looked for; for an inverse, h is its opposite."
)
SLIDE = r"q_k (n \cdot h_k) = C"


@dataclass(frozen=True)
class IkLine:
    """One step: what is found, in how many ways, why, and the formulas, in LaTeX."""

    joint: int  # from 1
    roots: int
    words: str
    formulas: tuple[str, ...]


@dataclass(frozen=True)
class IkDerivation:
    """The steps of a closed form, to be read. `str` is text, `latex()` a document's body."""

    robot: str
    frame: str
    lines: tuple[tuple[str, ...], ...]  # of each joint: its number, direction and point, as text
    steps: tuple[IkLine, ...]
    branches: int

    @fitted
    def __str__(self) -> str:
        text = [
            f"Inverse kinematics of {printable(self.robot)!r}, frame {printable(self.frame)!r}: "
            f"up to {self.branches} solutions",
            "",
            f"At zero, each joint turns about a line or slides along it; {plain(PRODUCT)}.",
            *("  " + "  ".join(row) for row in self.lines),
            *("", LEGEND, *(f"     {plain(formula)}" for formula in (TURNED, AT_DISTANCE))),
        ]
        for number, step in enumerate(self.steps, 1):
            text += ["", f"{number}. q{step.joint}, {_count(step.roots)}. {step.words}"]
            text += [f"     {plain(formula)}" for formula in step.formulas]
        return "\n".join([*text, "", CLOSURE])

    __repr__ = __str__

    def latex(self) -> str:
        """Return the same as LaTeX: an enumeration with displayed formulas."""
        items = []
        for step in self.steps:
            items.append(rf"\item $q_{{{step.joint}}}$, {_count(step.roots)}. {step.words}")
            items += [rf"\[ {formula} \]" for formula in step.formulas]
        said = [rf"\[ {formula} \]" for formula in (PRODUCT, TURNED, AT_DISTANCE)]
        parts = [
            said[0],
            LEGEND,
            *said[1:],
            r"\begin{enumerate}",
            *items,
            r"\end{enumerate}",
            CLOSURE,
        ]
        return "\n".join(parts)

    def _repr_latex_(self) -> str:
        return self.latex()


def derivation_of(plan: IkPlan) -> IkDerivation:
    """Return the steps of a closed form in words and formulas."""
    chain, scale = plan.numeric, float(plan.chain.scale)
    rows = tuple(
        (
            f"{i}",
            printable(axis.name),
            "turns about" if axis.turns else "slides along",
            _vector(axis.h),
            *((f"through {_vector(axis.p * scale)} m",) if axis.turns else ()),
        )
        for i, axis in enumerate(chain.axes, 1)
    )
    lines = tuple(_line(step, scale, chain.axes[step.k].turns) for step in plan.steps)
    return IkDerivation(chain.robot, chain.frame, rows, lines, plan.branches)


def _line(step: IkStep, scale: float, turns: bool) -> IkLine:
    k, inverse = step.k + 1, "^{-1}" if step.backwards else ""
    T = "T^{-1}" if step.backwards else "T"
    E, back = f"E_{{{k}}}{inverse}", f"E_{{{k}}}" + ("" if step.backwards else "^{-1}")
    before, between, beyond = (
        " ".join(f"E_{{{i + 1}}}{inverse}" for i in some)
        for some in (step.before, step.between, step.beyond)
    )
    words = []
    if step.last and step.source is not None:
        what = "the point" if step.point else "the direction"
        s = _vector(step.source * (scale if step.point else 1))
        words.append(
            f"{_joints(step.last)} the {what.split()[1]} s = {s}{' m' if step.point else ''}."
        )
    else:
        words.append("No unknown joint is beyond it, so any vector s will do.")
    if step.held and step.kept is not None:
        if step.rule == "distance":
            words.append(f"{_joints(step.held)} the point o = {_vector(step.kept * scale)} m.")
        else:
            kept = "heights along" if step.point else "the direction"
            either = "" if step.other is None else f", and along {_vector(step.other)}: n is the "
            if either:
                either += "one more nearly " + ("across the axis" if turns else "along the slide")
            words.append(f"{_joints(step.held)} {kept} n = {_vector(step.kept)}{either}.")
    if step.backwards:
        words.append("The product is read backwards, from the frame to the base.")
    moved = f"{between} {beyond} s".strip()
    left = f"({before})^{{-1}} {T} s" if before else f"{T} s"
    if step.rule == "onto":
        formula = rf"{E} \mu = \nu,\quad \mu = {moved},\quad \nu = {left}"
        onto = ONTO.replace(r"atan2}(h_k", r"atan2}(-h_k") if step.backwards else ONTO
        roots = onto if turns else r"q_k = h_k \cdot (\nu - \mu)"
    elif step.rule == "distance":
        o = f"({before})^{{-1}} o" if before else "o"
        formula = rf"\mid {E} {moved} - {o} \mid = \mid {T} s - o \mid"
        roots = LEVEL if turns else r"q_k^2 + 2 b q_k + c = 0"
    elif step.rule == "level":
        formula = rf"n \cdot {before} {E} {moved} = n \cdot {T} s"
        roots = LEVEL if turns else SLIDE
    else:
        inner = f"({between})^{{-1}} {back}" if between else back
        formula = rf"n \cdot {inner} {left} = n \cdot {beyond} s"
        roots = LEVEL if turns else SLIDE
    shown = tuple(
        " ".join(x.replace("q_k", f"q_{{{k}}}").replace("h_k", f"h_{{{k}}}").split())
        for x in (formula, roots)
    )
    return IkLine(k, step.branches, " ".join(words), shown)


def _joints(joints: Sequence[int]) -> str:
    names = sorted(i + 1 for i in joints)
    if len(names) == 1:
        return f"Joint {names[0]} leaves"
    return f"Joints {', '.join(map(str, names[:-1]))} and {names[-1]} leave"


def _count(roots: int) -> str:
    return "one root" if roots == 1 else "two roots"


def _vector(v: np.ndarray) -> str:
    return f"({', '.join(f'{float(x) + 0.0:.6g}' for x in v)})"
