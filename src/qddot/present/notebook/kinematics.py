"""Inverse kinematics in a notebook: the solutions of a pose as rows, or the nearest one."""

from __future__ import annotations

from qddot.kinematics.nearest_solutions import NearestSolutions
from qddot.kinematics.solutions import Solutions
from qddot.model.units import all_for_people
from qddot.present.notebook.cell import rows, shown
from qddot.present.pages.page import paragraph


def solutions_html(solutions: Solutions) -> str:
    """Return the solutions of one pose as a table; of many poses, how many there are."""
    first, *rest = repr(solutions).splitlines()
    if not rest:
        return shown("Inverse kinematics", paragraph(first))
    head = ["", *(f"q{i + 1}" for i in range(solutions.n)), ""]
    lines = [
        [i, *(f"{x:.6f}" for x in row[:-1]), row[-1].strip()]
        for i, row in enumerate(solutions.rows(), 1)
    ]
    return shown(first, rows(head, lines))


def nearest_html(nearest: NearestSolutions) -> str:
    """Return the joint positions of one pose, or in words how close the frame comes."""
    title = f"{nearest.frame} of {nearest.robot.name}"
    if nearest.found.ndim or not nearest.found:
        return shown(title, paragraph(repr(nearest).strip("<>")))
    turn, away = nearest.error
    found = zip(nearest.robot.model.position_names, nearest.q, strict=True)
    lines = [(name, f"{x:.6f}") for name, x in found]
    unit, _ = all_for_people(nearest.robot.model.position_units, False)
    words = paragraph(f"found, to {away:.1g} m and {turn:.1g} rad")
    return shown(title, words, rows(["joint", f"q [{unit}]"], lines))
