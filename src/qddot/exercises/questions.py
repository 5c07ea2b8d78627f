"""A sheet of questions about a made arm, its solution, and a key that grades answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import radians
from pathlib import Path
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import pose
from qddot.equations.deriving import derive
from qddot.equations.document import (
    Document,
    DocumentSection,
    Item,
    Words,
    WordTable,
    about,
    document,
)
from qddot.equations.equations import Equations
from qddot.equations.formulas import Equation
from qddot.equations.latex import name_latex
from qddot.equations.printing import page
from qddot.equations.text import as_text
from qddot.errors import BadArgument
from qddot.exercises.made_arms import LEVELS, MadeArm, made_arm
from qddot.formulations.notation import Notation
from qddot.readers.dh import dh_document
from qddot.readers.document import read_document
from qddot.robot import Robot
from qddot.saving import write_whole
from qddot.simulation import simulate

ENDINGS = {"latex": ".tex", "html": ".html", "markdown": ".md", "text": ".txt"}
SHORTEST, LONGEST = 0.2, 1.0  # [s], the motion that is to be predicted
LOOSEST, STRICTEST = 0.05, 1e-3  # tolerances of its positions, relative to the largest


@dataclass(frozen=True)
class AskedQuestion:
    """One question: what is asked, what is right, and how many points that earns."""

    name: str
    words: str
    points: int
    quantity: str  # of the equations, or what the answer is called
    value: Any  # what is right
    symbol: str  # in LaTeX
    right: str = ""  # as text, where it is no quantity of the equations
    tolerance: float = 0.0  # of numbers, relative
    steps: tuple[Item, ...] = ()  # how it is found, where the derivation does not show it
    partial: bool = True  # whether right entries earn their share


@dataclass(frozen=True)
class Exercise:
    """A made arm with questions. The same seed and level give the same sheet."""

    seed: int
    level: int
    notation: str | Path | Notation | None = None

    @cached_property
    def arm(self) -> MadeArm:
        """The arm, as rows and numbers."""
        return made_arm(self.seed, self.level)

    @cached_property
    def robot(self) -> Robot:
        """The arm as a robot with symbols."""
        field = list(self.arm.gravity)
        rows = dh_document(list(self.arm.rows), "modified", gravity=field)
        rows["description"] = f"{self.arm.words}."
        return Robot(read_document(rows, self.name))

    @property
    def name(self) -> str:
        """What its arm and its files are called."""
        return f"exercise_{self.seed}_{self.level}"

    @property
    def title(self) -> str:
        """What its sheets are called."""
        return f"Exercise {self.seed}, level {self.level}"

    @cached_property
    def equations(self) -> Equations:
        """Its equations of motion, by the explicit form."""
        return derive(self.robot, "explicit", notation=self.notation)

    @cached_property
    def questions(self) -> tuple[AskedQuestion, ...]:
        """What is asked."""
        return tuple(questions(self))

    @property
    def points(self) -> int:
        """How many points there are."""
        return sum(question.points for question in self.questions)

    def sheet(self) -> Document:
        """Return what is handed out."""
        asked = [Words(f"({x.name}) {x.words} [{x.points} points]") for x in self.questions]
        sections = (
            DocumentSection("The arm", (*about(self.equations), *links(self), *numbers(self))),
            DocumentSection(f"Questions ({self.points} points)", tuple(asked)),
        )
        return Document(self.title, sections)

    def solution(self) -> Document:
        """Return the answers, and the whole way to them."""
        n = self.equations.notation
        answers: list[Item] = []
        for asked in self.questions:
            answers += [Words(f"({asked.name}) {asked.words}"), *asked.steps]
            answers.append(Equation(asked.symbol, "", (), asked.value, n))
        whole = document(self.equations, with_steps=True)
        sections = (
            DocumentSection("Answers", tuple(answers)),
            DocumentSection("Numbers", tuple(numbers(self))),
            *whole.sections,
        )
        return Document(f"{self.title}: solution", sections)

    def write(self, folder: str | Path, format: str = "latex") -> list[Path]:
        """Write sheet, solution, the arm, a file for answers and the key that grades them.

        Args:
            folder: Where to; it is made if it is not there.
            format: "latex", "html", "markdown" or "text", of the sheet and the solution.
        """
        if format not in ENDINGS:
            raise BadArgument(f"There is no format {format!r}. There are: {', '.join(ENDINGS)}.")
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            f"sheet{ENDINGS[format]}": page(self.sheet(), format),
            f"solution{ENDINGS[format]}": page(self.solution(), format),
            "arm.toml": self.arm.file(self.name, self.title),
            "answers.toml": answers_file(self, key=False),
            "key.toml": answers_file(self, key=True),
        }
        for name, content in files.items():
            write_whole(folder / name, content)
        return [folder / name for name in files]


def exercise(
    seed: int = 1, level: int = 1, *, notation: str | Path | Notation | None = None
) -> Exercise:
    """Return an exercise.

    Args:
        seed: Which one; the same seed gives the same sheet, on every machine.
        level: 1: two joints and point masses; 2: links with inertia; 3: three joints.
        notation: Whose letters, as in `derive`.
    """
    if not isinstance(level, int) or isinstance(level, bool) or level not in LEVELS:
        raise BadArgument(f"level is {level!r}; it must be 1, 2 or 3.")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 10**9:
        raise BadArgument(f"seed is {seed!r}; it must be a whole number from 0 to 999,999,999.")
    return Exercise(seed, level, notation)


def questions(made: Exercise) -> Iterable[AskedQuestion]:
    """Yield the questions: kinematics, the terms of the equation, then numbers and a motion."""
    eqs, n = made.equations, made.equations.notation
    last = len(eqs.frames)
    T, name = pose(eqs.robot.tree, eqs.robot.q, eqs.frames[-1]).matrix(), n.T(0, last)
    words = f"Find the transform ${name}$ of the frame of the last link in the base."
    yield AskedQuestion("1", words, 3, "T", T, name, _answer(T))
    J_v = n.of_link("linear_jacobian", last - 1)
    J = next(step.value for step in eqs.steps if step.symbol == J_v)
    words = (
        f"Find the linear Jacobian ${J_v}$ of the centre of mass of the last link, in base axes."
    )
    yield AskedQuestion("2", words, 3, "J", J, J_v, _answer(J))
    M, c, g = n.mass_matrix, n.velocity_torques, n.gravity_torques
    yield AskedQuestion("3", f"Find the mass matrix ${M}$.", 6, "M", eqs.M, M)
    at = _telling(eqs.gamma)
    gamma, (k, i, j) = n.gamma(*at), (index + 1 for index in at)
    words = f"Find the Christoffel symbol ${gamma}$ (torque {k}, velocities {i} and {j})."
    yield AskedQuestion("4", words, 2, f"gamma[{k}, {i}, {j}]", eqs.gamma[at], gamma)
    words = f"Find the centrifugal and Coriolis torques ${c}$."
    yield AskedQuestion("5", words, 4, "c", eqs.c, c)
    yield AskedQuestion("6", f"Find the gravity torques ${g}$.", 3, "g", eqs.g, g)
    yield from numeric_questions(made)


def numeric_questions(made: Exercise) -> Iterable[AskedQuestion]:
    """Yield the questions whose answers are numbers."""
    arm, n = made.arm, made.equations.notation
    robot = made.robot.with_values(**arm.values)
    q = np.array([radians(x) if turns else x for x, turns in zip(arm.q, arm.turns, strict=True)])
    tau = _rounded(robot.inverse_dynamics(q, np.array(arm.qd), np.array(arm.qdd)))
    M, c, g = n.mass_matrix, n.velocity_torques, n.gravity_torques
    words = f"With the numbers above: which torques (forces) ${n.torques}$ does this motion take, "
    words += f"in {_listed(arm.turns, 'N m', 'N')}?"
    values = (robot.mass_matrix(q), robot.velocity_torque(q, arm.qd), robot.gravity_torque(q))
    terms = zip((M, c, g), map(_rounded, values), strict=True)
    steps = (
        *(Equation(letter, "", (), value, n) for letter, value in terms),
        Words(rf"${M}\,{n.accelerations} + {c} + {g}$ is then:"),
    )
    yield AskedQuestion("7", words, 3, "torques", tau, n.torques, _answer(tau), 5e-3, steps)
    rest = np.zeros(robot.n)
    first = _rounded(robot.forward_dynamics(q, rest, rest))
    qdd = n.accelerations
    words = "The arm is let go at rest in that pose, without torques. "
    words += f"Find ${qdd}$ at the first moment, in {_listed(arm.turns, 'rad/s²', 'm/s²')}."
    steps = (Words(rf"At rest ${c} = 0$, so that ${M}\,{qdd} = -{g}$:"),)
    yield AskedQuestion("8", words, 3, "accelerations", first, qdd, _answer(first), 5e-3, steps)
    drop, moved, guess, tolerance = _drop(robot, q, first)
    words = f"Where is it after {drop} s? Estimate it from (8), then simulate it, and compare. "
    words += f"Hand in the simulated ${n.coordinates}$, in {_listed(arm.turns, 'rad', 'm')}."
    steps = (
        Words("With the first accelerations kept, which holds for a short time only:"),
        Equation(rf"{n.coordinates} + \tfrac12\,{qdd}\,t^2", "", (), guess, n),
        Words("By simulation:"),
    )
    right = _answer(moved)
    yield AskedQuestion(
        "9", words, 3, "positions", moved, n.coordinates, right, tolerance, steps, False
    )


def _drop(
    robot: Robot, q: np.ndarray, qdd: np.ndarray, t: float = SHORTEST
) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Return a time, where an arm that is let go is then, the estimate, and the tolerance.

    The estimate q + ½ q̈ t² is two tolerances off at least, and a unit of its third digit.
    """
    moved = _rounded(simulate(robot, q, 0 * q, duration=t).q[-1])
    guess = _rounded(q + qdd * t**2 / 2)
    units = 10.0 ** (np.floor(np.log10(abs(guess) + 1e-4)) - 2)
    far = np.where(abs(guess - moved) > units, abs(guess - moved), 0).max() / abs(moved).max()
    tolerance = min(LOOSEST, float(f"{far / 3:.0e}"))
    if tolerance < STRICTEST and t < LONGEST:
        return _drop(robot, q, qdd, round(t + 0.1, 1))
    return t, moved, guess, tolerance


def _listed(turns: Sequence[bool], angular: str, linear: str) -> str:
    """Return the unit of each joint's number; one alone where they are all the same."""
    units = [angular if turning else linear for turning in turns]
    return " and ".join(dict.fromkeys(units)) if len(units) == 2 else ", ".join(units)


def _rounded(numbers: np.ndarray) -> np.ndarray:
    """Return numbers with four decimals, none of them -0."""
    return np.round(numbers, 4) + 0.0


def _telling(gamma: np.ndarray) -> tuple[int, ...]:
    """Return the indices of a Christoffel symbol that is not zero, the last one there is."""
    found = [at for at in np.ndindex(gamma.shape) if gamma[at] and at[1] <= at[2]]
    return found[-1] if found else (0, 0, 0)


def _answer(value: Any) -> str:
    """Return a vector or a matrix as an answer is typed: [[a, b], [c, d]]."""
    array = np.asarray(value, dtype=object)
    if not array.ndim:
        return as_text(array.item(), ascii=True, full=True)
    return f"[{', '.join(map(_answer, array))}]"


FILL_IN = """\
# Fill in the texts: formulas with q1, qd1, qdd1, cos(q1 + q2), m1*L1^2, or LaTeX between three
# single quotes; vectors and matrices as [a, b] and [[a, b], [c, d]].
# Then: qddot check answers.toml --key key.toml"""


PARTIAL = "partial = true  # right entries of a vector or a matrix earn their share"


def answers_file(made: Exercise, key: bool) -> str:
    """Return the file that a student fills in, or the key that grades it."""
    lines = [f'title = "{made.title}"', 'robot = "arm.toml"', PARTIAL if key else FILL_IN]
    for question in made.questions:
        lines += ["", "[[answer]]", f'question = "{question.name}"']
        lines += [f'quantity = "{question.quantity}"']
        lines += [f"points = {question.points}"] if key else ['text = ""']
        if key and question.right:
            lines.append(f'right = "{question.right}"')
        lines += ["partial = false"] if key and not question.partial else []
        if key and question.tolerance:
            lines.append(f"tolerance = {question.tolerance}")
    return "\n".join([*lines, ""])


def links(made: Exercise) -> list[Item]:
    """Return what the links weigh and where, and which way gravity points."""

    def vector(entries: Iterable[Any], name: str = "") -> Words:
        return Words(rf"${name}({', '.join(latex(entry) for entry in entries)})$")

    def latex(entry: Any) -> str:
        return f"-{latex(entry[1:])}" if str(entry)[0] == "-" else name_latex(str(entry))

    rows = []
    for k, row in enumerate(made.arm.rows, 1):
        inertia = row.get("inertia")
        about = (
            vector([inertia[0], inertia[3], inertia[5]], r"\mathrm{diag}")
            if inertia
            else Words("$0$")
        )
        rows.append(
            (str(k), Words(f"${latex(row['mass'])}$"), vector(row.get("com", (0, 0, 0))), about)
        )
    field = vector(made.arm.gravity).words.strip("$")
    return [
        Words(
            "Masses, centres of mass, and inertias about the centre of mass, each in the frame of "
            "its link:"
        ),
        WordTable(("link", "mass", "centre of mass", "inertia"), tuple(rows)),
        Words(f"Gravity, in the base: ${made.equations.notation.gravity} = {field}$. No friction."),
    ]


def numbers(made: Exercise) -> list[Item]:
    """Return the values of the symbols, and a state."""
    arm, n = made.arm, made.equations.notation
    symbols = [(Words(f"${name_latex(name)}$"), f"{value:g}") for name, value in arm.values.items()]
    state: list[tuple[Words, ...]] = []
    for i, turns in enumerate(arm.turns):
        at = rf"{arm.q[i]:g}^\circ" if turns else f"{arm.q[i]:g}"
        cells = (f"{n.q(i)} = {at}", f"{n.qd(i)} = {arm.qd[i]:g}", f"{n.qdd(i)} = {arm.qdd[i]:g}")
        state.append(tuple(Words(f"${cell}$") for cell in cells))
    return [
        Words("Numbers for the last questions, in kg, m, s and rad:"),
        WordTable(("symbol", "value"), tuple(symbols)),
        Words("and the state:"),
        WordTable(("position", "velocity", "acceleration"), tuple(state)),
    ]
