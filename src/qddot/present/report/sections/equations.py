"""The equations of motion: in full where they can be read, else entry by entry, and as programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qddot.equations.document import Words, about, balance, terms
from qddot.equations.equations import Equations
from qddot.equations.layout import aligned
from qddot.equations.readable import entries_of, readable_rows
from qddot.errors import TooLarge, printable
from qddot.present.pages import page
from qddot.present.pages.page import paragraph
from qddot.present.pages.results import element
from qddot.present.report import entries
from qddot.present.report.chapter import Chapter, Subject, TimeUp, again, count, deadline, heading
from qddot.robot import Robot

SHARE = 0.2  # of the report's time that the closed form may take
LEAST = 4.0  # [s] for it, however little time there is
READABLE = 400  # terms of M, C, c and g together that a person reads through
SHORT = 12  # terms of an entry that is printed among long ones
FEW_NOTES = 3  # that stand in the open
PANEL = "equation-of-entry"
COUNTED = (
    *("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix"),
    *("inverse_dynamics", "forward_dynamics"),
)
KINDS = {
    "additions": ("add", "sub", "neg"),
    "multiplications": ("mul",),
    "divisions": ("div",),
    "sines and cosines": ("sin", "cos"),
}


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_joints()
    parts: list[str] = []
    data: dict[str, Any] = {}
    glance = ""
    seconds = max(SHARE * subject.seconds, LEAST)
    try:
        with deadline(seconds):
            closed, glance, data = closed_form(subject.equations)
        parts += closed
    except (TooLarge, TimeUp) as error:
        if subject.robot.symbols:
            raise
        late = f"Its closed form would take longer than {seconds:.0f} s."
        parts.append(paragraph(str(error).splitlines()[0] if str(error) else late))
        parts.append(paragraph("Here is what a computer works with instead: its programs."))
    if not subject.robot.symbols:
        parts += programs(subject.robot)
        operations = len(subject.robot.program("mass_matrix"))
        said = f"{glance} and takes" if glance else "M takes"
        glance = f"{said} {operations:,} operations to compute"
    python = (
        'equations = qddot.derive(robot)\nprint(equations.latex("M"))  # or "C", "c", "g", "tau"\n'
        "print(qddot.prove(robot))  # that they are right"
    )
    parts.append(again(subject, "derive {robot} --format html -o equations.html", python))
    return Chapter(tuple(parts), data, glance=glance)


def closed_form(equations: Equations) -> tuple[list[str], str, dict[str, Any]]:
    """Return the closed form as parts of the page, in a line, and as data for its scripts."""
    parts = list(read_first(known_first(equations), equations))
    sizes = {name: [e.terms for e in entries_of(equations.quantity(name)).flat] for name in "MCcg"}
    short = sum(sum(size) for size in sizes.values()) <= READABLE
    parts += in_full(equations) if short else entry_by_entry(equations)
    glance = f"M has {count(sum(sizes['M']), 'term')}"
    return parts, glance, {"equations": entries.written(equations)}


def known_first(equations: Equations) -> list[str | Words]:
    """Return what a reader must know first, without what the section on the robot has said."""
    described = equations.robot.model.description
    lines = [line for line in about(equations) if isinstance(line, (str, Words))]
    return lines[1:] if described else lines


def read_first(lines: list[str | Words], equations: Equations) -> Iterator[str]:
    """Yield the lines; how angles of the file were read behind a click where that is long."""
    said = set(map(printable, equations.robot.notes))
    notes = [line for line in lines if isinstance(line, str) and line in said]
    if len(notes) <= FEW_NOTES:
        notes = []
    yield from (element(line) for line in lines if line not in notes)
    if notes:
        yield page.folded(
            f"How {count(len(notes), 'angle')} of the file were read", page.bullets(notes)
        )


def in_full(equations: Equations) -> Iterator[str]:
    """Yield every term of the equation of motion as a formula."""
    for item in terms(equations):
        yield heading(item.words.rstrip(":")) if isinstance(item, Words) else element(item)


def entry_by_entry(equations: Equations) -> Iterator[str]:
    """Yield how long each entry is, those that are short in full, the others when chosen."""
    n = equations.n
    yield element(balance(equations))
    M, g, c = (entries_of(equations.quantity(name)) for name in "Mgc")
    yield heading("Mass matrix")
    total = count(sum(entry.terms for entry in M.flat), "term")
    yield paragraph(
        f"M has {total}, too many to read through. The table says how many each of its entries "
        "has; choose one to read it."
    )

    most = {"M": longest(M), "g": longest(g), "c": longest(c)}

    def cell(name: str, place: tuple[int, ...], terms: int) -> str:
        plain = entries.symbol(name, place, n)[0]
        said = f"{plain}, {count(terms, 'term')}"
        part = (terms / most[name]) ** 0.5
        return entries.button(name, place, f"{terms:,}", said, PANEL, part)

    head = [str(i + 1) for i in range(n)]
    rows = [[cell("M", (min(i, j), max(i, j)), M[i, j].terms) for j in range(n)] for i in range(n)]
    yield entries.matrix(rows, head, "Terms of the entries of M, by row and column")
    yield heading("Gravity and velocity torques")
    torques = [
        [cell("g", (i,), g[i].terms) for i in range(n)],
        [cell("c", (i,), c[i].terms) for i in range(n)],
    ]
    yield entries.matrix(torques, head, "Terms of g and c, by joint", rows_are=("g", "c"))
    yield entries.panel(PANEL)
    yield heading("The short entries in full")
    listed = [("M", place, M[place]) for place in entries.places(M, True)]
    listed += [("g", (i,), g[i]) for i in range(n)]
    short = [item for item in listed if entries.is_short(item[2], SHORT)]
    for name, place, entry in short:
        plain, latex = entries.symbol(name, place, n)
        yield page.formula(aligned(readable_rows(entry.value, latex)), f"{plain} = {entry.text}")
    if not short:
        yield paragraph(f"None has {SHORT} terms or fewer.")


def longest(table: np.ndarray) -> int:
    """Return how many terms the longest entry has."""
    return max(1, *(entry.terms for entry in table.flat))


def programs(robot: Robot) -> Iterator[str]:
    """Yield how many operations the programs behind the kernels take."""
    yield heading("As programs")
    yield paragraph(
        "Nobody multiplies these formulas out to compute with them. The same definitions, recorded "
        "once for this robot, are straight-line programs with every shared part computed once; "
        "they are what runs on a processor, and in this page."
    )
    rows = []
    for quantity in COUNTED:
        counts = robot.program(quantity).counts()
        sorted_out = [sum(counts[op] for op in kinds) for kinds in KINDS.values()]
        rest = sum(counts.values()) - sum(sorted_out)
        numbers = [*sorted_out, rest, sum(counts.values())]
        rows.append([quantity.replace("_", " "), *(f"{k:,}" for k in numbers)])
    head = ["program", *KINDS, "others", "in all"]
    yield page.table(head, rows, caption="Operations for one state")
    text = str(robot.program("gravity_torque"))
    if len(text) < 20_000:
        yield page.folded("The program of g, line by line", page.code(text, "text"), kind="long")
