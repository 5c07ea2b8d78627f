"""A closed form of inverse kinematics as a lecturer writes it: each step, why, and its formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import printable
from qddot.kinematics.chain import Chain
from qddot.kinematics.plan import IkPlan
from qddot.kinematics.steps import IkStep
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.equations.document import Document

CLOSURE = "Each choice of roots is a branch. Those whose product is $T$ are the solutions."
AT_ZERO = (
    "With all joints at zero, each joint turns about a line or slides along it: $h_i$ is its "
    "direction, $p_i$ a point of it [m]. There the frame has the pose"
)
PRODUCT = (
    "$X$ is the pose that the frame is to have, and $E_i$ the motion of joint i by $q_i$. It moves "
    "points; a direction is only turned by it."
)
FORMS = (
    "Each step finds one joint, $q$, from an equation of one of the forms below. $E$ is its motion "
    "about or along a line through the origin, of direction $h$. So points $u$ and $v$ are taken "
    "as seen from $p_k$ on the line of joint k, and where an equation has $E_k^{-1}$, $h$ is "
    "$-h_k$."
)
LEVEL, DISTANCE, ONTO = r"u \cdot E v = C_0", r"|E v - u| = \rho", "E v = u"
FORM = {"onto": ONTO, "distance": DISTANCE, "level": LEVEL, "carried": LEVEL}
COSINES = (
    r"A = u \cdot v - (u \cdot h)(h \cdot v),\quad B = u \cdot (h \times v),\quad "
    r"C = C_0 - (u \cdot h)(h \cdot v)",
    r"q = \operatorname{atan2}(B, A) \pm\, \operatorname{atan2}(w, C),\quad "
    r"w^2 = A^2 + B^2 - C^2",
)
# what a form says of a turn (True) or a slide
ROOTS = {
    (LEVEL, True): ("$A \\cos q + B \\sin q = C$ with", COSINES),
    (DISTANCE, True): (f"as ${LEVEL}$ with", (r"C_0 = \tfrac12 (|u|^2 + |v|^2 - \rho^2)",)),
    (ONTO, True): (
        "one root",
        (
            r"q = \operatorname{atan2}(h \cdot (v \times u),\; "
            r"u \cdot v - (h \cdot u)(h \cdot v))",
        ),
    ),
    (LEVEL, False): ("one root", (r"q = (C_0 - u \cdot v) / (u \cdot h)",)),
    (DISTANCE, False): (
        "two roots of",
        (r"q^2 + 2 b q + c = 0,\quad b = h \cdot (v - u),\quad c = |v - u|^2 - \rho^2",),
    ),
    (ONTO, False): ("one root", (r"q = h \cdot (u - v)",)),
}


@dataclass(frozen=True)
class IkLine:
    """One step: what is found, in how many ways, why, and the formulas, in LaTeX."""

    joint: int  # from 1
    roots: int
    words: str  # with formulas between $
    formulas: tuple[str, ...]  # what is left of T where joints are known, and the equation
    form: tuple[str, bool]  # the equation is of this form; whether the joint turns
    meanings: tuple[str, ...]  # what h, u, v and the right side are in it


@dataclass(frozen=True, eq=False)
class IkDerivation:
    """The steps of a closed form, to be read: as text, or as `document` in any format."""

    robot: str
    frame: str
    lines: tuple[tuple[str, ...], ...]  # of each joint: number, name, motion, direction, point
    home: np.ndarray  # M, where the frame is when all joints are zero
    steps: tuple[IkLine, ...]
    branches: int
    asides: tuple[str, ...] = ()  # of joints that are given, or stand elsewhere than at their q

    @property
    def document(self) -> Document:
        """The same as a page, which `qddot.equations.printing.page` writes in any format."""
        from qddot.equations.document import Document, DocumentSection
        from qddot.equations.formulas import Words

        parts = [DocumentSection("The arm", self._arm()), DocumentSection("Forms", self._forms())]
        for number, step in enumerate(self.steps, 1):
            count = "one root" if step.roots == 1 else "two roots"
            title = f"{number}. $q_{{{step.joint}}}$, {count}"
            form, meanings = step.form[0], ", ".join(f"${x}$" for x in step.meanings)
            items = [Words(step.words), *map(_equation, step.formulas)]
            items.append(Words(f"It has the form ${form}$ with {meanings}."))
            parts.append(DocumentSection(title, tuple(items)))
        parts.append(DocumentSection("The solutions", (Words(CLOSURE),)))
        most = "1 solution" if self.branches == 1 else f"{self.branches} solutions"
        title = (
            f"Inverse kinematics of {printable(self.robot)!r}, frame {printable(self.frame)!r}: up "
            f"to {most}"
        )
        return Document(title, tuple(parts))

    def _arm(self) -> tuple:
        from qddot.equations.document import WordTable
        from qddot.equations.formulas import Equation, Words

        rows = [
            (number, printable(name), motion, *(Words(f"${x}$") for x in vectors))
            for number, name, motion, *vectors in self.lines
        ]
        product = " ".join(f"E_{{{number}}}" for number, *_ in self.lines)
        return (
            WordTable(("joint", "name", "", "direction", "point [m]"), tuple(rows)),
            Words(AT_ZERO),
            Equation("M", "", (), self.home),
            Words(" ".join((PRODUCT, *self.asides))),
            Equation("T", f"X M^{{-1}} = {product}"),
        )

    def _forms(self) -> tuple:
        from qddot.equations.formulas import Words

        items: list = [Words(FORMS)]
        used = {step.form for step in self.steps}
        used |= {(LEVEL, True)} if (DISTANCE, True) in used else set()
        for (form, turns), (said, formulas) in ROOTS.items():
            if (form, turns) not in used:
                continue
            what = "a turn" if turns else "a slide"
            items += [Words(f"${form}$, of {what}: {said}"), *map(_equation, formulas)]
        return tuple(items)

    @fitted
    def __str__(self) -> str:
        return self._page("text")

    __repr__ = __str__

    def latex(self) -> str:
        """Return the same as a document in LaTeX."""
        return self._page("latex")

    def _repr_markdown_(self) -> str:
        return self._page("markdown")

    def _page(self, kind: str) -> str:
        from qddot.equations.printing import page

        return page(self.document, kind)


def derivation_of(plan: IkPlan) -> IkDerivation:
    """Return the steps of a closed form in words and formulas."""
    chain, scale = plan.numeric, float(plan.chain.scale)
    rows = tuple(
        (
            f"{i}",
            axis.name,
            "turns about" if axis.turns else "slides along",
            f"h_{{{i}}} = {_vector(axis.h)}",
            f"p_{{{i}}} = {_vector(axis.p * scale)}",
        )
        for i, axis in enumerate(chain.axes, 1)
    )
    M = np.eye(4, dtype=object)
    M[:3, :3], M[:3, 3] = chain.home.R, chain.home.p * scale
    M = np.vectorize(lambda x: float(f"{float(x):.6g}") + 0.0, otypes=[object])(M)
    lines, known = [], set(plan.given)
    for step in plan.steps:
        lines.append(_line(step, chain, scale, known))
        known.add(step.k)
    asides = [f"$q_{{{i + 1}}}$ is given." for i in plan.given]
    asides += [
        f"$q_{{{i}}}$ is {float(axis.ratio):.6g} times the coordinate of its joint, plus "
        f"{float(axis.offset):.6g}."
        for i, axis in enumerate(chain.axes, 1)
        if axis.ratio != 1 or axis.offset != 0
    ]
    arm = chain.robot, chain.frame, rows, M
    return IkDerivation(*arm, tuple(lines), plan.branches, tuple(asides))


def _line(step: IkStep, chain: Chain, scale: float, known: set[int]) -> IkLine:
    k, turns, n = step.k + 1, chain.axes[step.k].turns, len(chain.axes)
    unknown = [i for i in range(n) if i not in known]
    first, last = unknown[0], unknown[-1]
    whole = first == 0 and last == n - 1
    formulas = []
    if not whole:
        outer = f"{_inverse(range(first), False)} T {_inverse(range(last + 1, n), False)}"
        inner = _product(range(first, last + 1), False)
        formulas.append(f"T_{{{k}}} = {outer} = {inner}")
    name, back = "T" if whole else f"T_{{{k}}}", step.backwards
    T = name + "^{-1}" * back
    before, between, beyond = (_product(x, back) for x in (step.before, step.between, step.beyond))
    off_before, off_between = _inverse(step.before, back), _inverse(step.between, back)
    p = f"p_{{{k}}}"
    seen = f" - {p}" if step.point else ""  # of a point
    Ts, moved = f"{off_before} {T} s", f"{between} {beyond} s"
    E = _product([step.k], back)
    if step.rule == "onto":
        formulas.append(f"{E} {moved} = {Ts}")
        meanings = [f"u = {Ts}{seen}", f"v = {moved}{seen}"]
    elif step.rule == "distance":
        formulas.append(f"|{E} {moved} - {off_before} o| = |{T} s - o|")
        rho = rf"\rho = |{T} s - o|"
        meanings = [f"u = {off_before} o{seen}", f"v = {moved}{seen}", rho]
    elif step.rule == "level":
        formulas.append(rf"n \cdot {before} {E} {moved} = n \cdot {T} s")
        C = rf"({T} s - {before} {p})" if step.point else f"{T} s"
        meanings = [f"u = {off_before} n", f"v = {moved}{seen}", rf"C_0 = n \cdot {C}"]
    else:
        E = _inverse([step.k], back)
        formulas.append(rf"n \cdot {off_between} {E} {Ts} = n \cdot {beyond} s")
        C = rf"({beyond} s - {off_between} {p})" if step.point else f"{beyond} s"
        meanings = [f"u = {between} n", f"v = {Ts}{seen}", rf"C_0 = n \cdot {C}"]
    sign = "-" if back != (step.rule == "carried") else ""
    return IkLine(
        k,
        step.branches,
        _words(step, scale, turns, name),
        tuple(map(_tidy, formulas)),
        (FORM[step.rule], turns),
        tuple(map(_tidy, (f"h = {sign}h_{{{k}}}", *meanings))),
    )


def _words(step: IkStep, scale: float, turns: bool, T: str) -> str:
    """Return why an equation holds the one joint alone."""
    words = []
    if step.last and step.source is not None:
        what = "the point" if step.point else "the direction"
        s = _vector(step.source * (scale if step.point else 1))
        words.append(f"{_joints(step.last)} {what} $s = {s}${' m' if step.point else ''}.")
    elif turns:
        words.append(
            "No unknown joint is beyond it: any direction $s$ will do, save $v$ along $h$."
        )
    else:
        words.append("No unknown joint is beyond it: any point $s$ will do.")
    if step.held and step.kept is not None:
        if step.rule == "distance":
            words.append(f"{_joints(step.held)} the point $o = {_vector(step.kept * scale)}$ m.")
        else:
            kept = "heights along" if step.point else "the direction"
            either = ""
            if step.other is not None:
                nearer = "across the axis" if turns else "along the slide"
                either = f", and along ${_vector(step.other)}$: $n$ is the one more nearly {nearer}"
            words.append(f"{_joints(step.held)} {kept} $n = {_vector(step.kept)}${either}.")
    if step.backwards:
        words.append(f"The product is read backwards, from the frame to the base, as ${T}^{{-1}}$.")
    return " ".join(words)


def _product(joints: Iterable[int], inverse: bool) -> str:
    """Return the motions of joints, in this order, or the inverse of each."""
    return " ".join(f"E_{{{i + 1}}}{'^{-1}' * inverse}" for i in joints)


def _inverse(joints: Sequence[int], inverse: bool) -> str:
    """Return the inverse of such a product."""
    return _product(reversed(joints), not inverse)


def _tidy(formula: str) -> str:
    return " ".join(formula.split()).replace("( ", "(")


def _equation(formula: str) -> object:
    from qddot.equations.formulas import Equation

    left, _, right = formula.partition(" = ")
    return Equation(left, right)


def _joints(joints: Sequence[int]) -> str:
    names = sorted(i + 1 for i in joints)
    if len(names) == 1:
        return f"Joint {names[0]} leaves"
    return f"Joints {', '.join(map(str, names[:-1]))} and {names[-1]} leave"


def _vector(v: np.ndarray) -> str:
    return f"({', '.join(f'{float(x) + 0.0:.6g}' for x in v)})"
