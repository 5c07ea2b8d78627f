"""A sheet of answers, graded: a TOML file with the robot, the questions and what was answered.

    robot = "two_link_symbolic"      # a built-in one, or a file beside the sheet

    [[answer]]
    question = "1a"
    quantity = "M"                   # or one entry, "M[1, 2]"
    text = "..."                     # text or LaTeX
    points = 4

In place of a quantity, `right` may be the right answer itself, in the robot's letters; `tolerance`
is then how far numbers may be apart, relative, 0.001 if not given. A key has the same layout
without the texts. Where one is given it decides on everything but the texts.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.equations.answers.checking import check_given, index_in, quantity_name
from qddot.equations.answers.verdict import Verdict
from qddot.equations.deriving import derive
from qddot.equations.equations import Equations
from qddot.errors import BadFile, Problem, ProblemList, QddotError, printable, shorten
from qddot.plain_text import fitted, table_lines
from qddot.readers.document_table import DocumentTable
from qddot.readers.fields import flag, number
from qddot.readers.toml import line_finder, parsed
from qddot.results import Judged, in_notebook

MOST_ANSWERS = 500
LARGEST = 2_000_000  # bytes of a sheet


class BadSheet(ProblemList):
    """A sheet of answers that cannot be graded. Holds every problem found."""

    WHY = "cannot be graded"


@dataclass(frozen=True)
class SheetQuestion:
    """One question of a sheet, and what was answered; nothing if it was not."""

    name: str
    robot: str
    quantity: str
    points: float
    partial: bool  # whether entries count one by one
    right: str  # what is right, where it is no quantity of the equations
    tolerance: float  # of numbers that are compared with it
    text: str
    line: int | None


@dataclass(frozen=True)
class GradedAnswer:
    """One answer with its points, and why."""

    question: str
    robot: str
    quantity: str
    points: float  # that there are
    earned: float | None  # None while it is open, since it was not decided
    verdict: Verdict | None = None  # None where there is no answer, or none that can be read
    problem: str = ""  # then why

    @property
    def result(self) -> str:
        """What became of it: right, wrong, undecided, unreadable, or no answer."""
        if self.verdict is None:
            return "unreadable" if self.problem else "no answer"
        return {True: "right", False: "wrong", None: "undecided"}[self.verdict.ok]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say to who wrote it."""
        if self.verdict is None:
            return (self.problem,) if self.problem else ()
        said = self.verdict.problems[1:] if self.verdict.wrong else self.verdict.problems
        return (*said, *self.verdict.notes)


@dataclass(frozen=True)
class GradedSheet(Judged):
    """Every answer of a sheet with its points."""

    title: str
    answers: tuple[GradedAnswer, ...]

    @property
    def points(self) -> float:
        """How many points there are."""
        return sum(answer.points for answer in self.answers)

    @property
    def earned(self) -> float:
        """How many points were earned, without those that are open."""
        return sum(answer.earned or 0.0 for answer in self.answers)

    @property
    def open(self) -> float:
        """How many points a person must decide on."""
        return sum(answer.points for answer in self.answers if answer.earned is None)

    @property
    def problems(self) -> tuple[str, ...]:
        """The questions whose answer is not right, a sentence each."""
        return tuple(
            f"{answer.question}: {answer.quantity} is {answer.result}"
            for answer in self.answers
            if answer.result != "right"
        )

    @fitted
    def __str__(self) -> str:
        rows = [("question", "quantity", "result", "points")]
        rows += [(a.question, a.quantity, a.result, points_text(a)) for a in self.answers]
        rows.append(("total", "", "", points_text(self)))
        lines = [self.title] if self.title else []
        for row, answer in zip(table_lines(rows, 3), (None, *self.answers, None), strict=True):
            lines.append(row)
            lines += [f"    {line}" for line in (answer.remarks if answer else ())]
        return printable("\n".join(lines))

    __repr__ = __str__
    _repr_html_ = in_notebook("certificates.sheet_html")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        names = ("question", "robot", "quantity", "result", "points", "earned")
        answers = [
            {name: getattr(a, name) for name in names}
            | {"remarks": list(a.remarks), "verdict": a.verdict and a.verdict.to_dict()}
            for a in self.answers
        ]
        total = {"points": self.points, "earned": self.earned, "open": self.open}
        return {"title": self.title, **total, "answers": answers}


def points_text(of: GradedAnswer | GradedSheet) -> str:
    """Return points in words: 2/4, 4 open, or 7/10, 2 open."""
    if of.earned is None:
        return f"{of.points:g} open"
    left = of.open if isinstance(of, GradedSheet) else 0.0
    return f"{of.earned:g}/{of.points:g}" + (f", {left:g} open" if left else "")


def grade(sheet: str | Path, key: str | Path | None = None) -> GradedSheet:
    """Return the points of every answer in a file.

    Args:
        sheet: A TOML file with answers.
        key: One with the questions, which then decides on robots, quantities and points.

    Raises:
        BadFile, BadSheet: If a file cannot be read, with every problem in it.
    """
    path = Path(sheet)
    title, questions = read_sheet(path, alone=key is None)
    if key is not None:
        given = {question.name: question.text for question in questions}
        title, asked = read_sheet(Path(key))
        unknown = sorted(given.keys() - {question.name for question in asked})
        if unknown:
            why = f"the key has no question {shorten(unknown[0])!r}"
            raise BadFile(path, why, "Name questions as the key does.")
        questions = [replace(question, text=given.get(question.name, "")) for question in asked]
    asked_in = str(path if key is None else key)
    equations = {name: derive(name) for name in dict.fromkeys(q.robot for q in questions)}
    for question in questions:
        try:
            if not question.right:
                eqs = equations[question.robot]
                name = quantity_name(eqs, question.quantity)
                index_in(eqs, question.quantity, name, np.shape(eqs.quantity(name)))
        except QddotError as error:
            place = f"answer {shorten(question.name, 40)!r}"
            why = str(error).rstrip(".")
            fix = "" if key else "If the sheet has a key, give it too: --key key.toml."
            problem = Problem("error", place, why, fix, question.line, asked_in)
            raise BadSheet(asked_in, [problem]) from None
    graded = (_graded(question, equations[question.robot]) for question in questions)
    return GradedSheet(title, tuple(graded))


def read_sheet(path: Path, alone: bool = True) -> tuple[str, list[SheetQuestion]]:
    """Return the title and the questions of a sheet, or of a key.

    Where it stands alone, without a key, every question must say what is asked.
    """
    if path.is_file() and path.stat().st_size > LARGEST:
        raise BadFile(path, f"it is larger than {LARGEST // 10**6} MB", "Is it the right file?")
    text, data = parsed(path, "TOML", tomllib.loads)
    line_of = line_finder(text)
    found: list[Any] = []
    top = DocumentTable(data, (), found, line_of, "sheet")
    title, robot = top.text("title"), top.text("robot")
    partial = flag(top, "partial", False)
    tables = top.tables("answer")
    if not tables:
        top.problem("answer", "there is none", "Write each one as [[answer]].")
    if len(tables) > MOST_ANSWERS:
        top.problem("answer", f"there are more than {MOST_ANSWERS}", "Make several sheets.")
    top.done()
    questions: list[SheetQuestion] = []
    for k, table in enumerate(tables[:MOST_ANSWERS], 1):
        name = table.text("question", str(k))
        table.place = f"answer {shorten(name, 40)!r}"
        own = table.text("robot", robot)
        right = table.text("right")
        quantity = table.text("quantity", "answer" if right else "")
        if any(question.name == name for question in questions):
            table.problem("question", "there are two of this name", "Give each its own.")
        points = number(table, "points", 1.0, 0.0)
        question = SheetQuestion(
            name,
            _robot(path, own),
            quantity,
            points,
            flag(table, "partial", partial),
            right,
            number(table, "tolerance", 1e-3, 0.0),
            table.text("text"),
            table.line,
        )
        if alone and not own:
            table.problem("robot", "none is given", 'Write robot = "two_link_symbolic" on top.')
        if alone and not quantity:
            table.problem("quantity", "none is given", 'Write quantity = "M", or "M[1, 2]".')
        table.done()
        questions.append(question)
    if found:
        raise BadSheet(str(path), [problem.located(str(path)) for problem in found])
    return title, questions


def _robot(sheet: Path, name: str) -> str:
    """Return a robot's name, or the path of its file, which is beside the sheet."""
    beside = sheet.parent / name
    return str(beside) if name and beside.suffix and beside.is_file() else name


def _graded(question: SheetQuestion, equations: Equations) -> GradedAnswer:
    """Return one answer with its points; what cannot be read earns none."""
    about = question.name, question.robot, question.quantity, question.points
    if not question.text.strip():
        return GradedAnswer(*about, 0.0)
    try:
        if question.right:
            given = question.quantity, question.right, question.text, question.tolerance
            verdict = check_given(equations, *given)
        else:
            verdict = equations.check(question.quantity, question.text)
    except QddotError as error:
        return GradedAnswer(*about, 0.0, None, str(error))
    earned = {True: question.points, False: 0.0, None: None}[verdict.ok]
    if question.partial and verdict.ok is False and verdict.entries:
        # zeros are easily right: they earn nothing, and cost what another wrong entry costs
        earned = question.points * max(0.0, 1 - len(verdict.wrong) / verdict.entries)
    return GradedAnswer(*about, earned, verdict)
