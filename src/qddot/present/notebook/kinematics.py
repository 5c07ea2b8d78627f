"""Inverse kinematics in a notebook: the solutions of a pose as rows."""

from __future__ import annotations

from qddot.kinematics.solutions import Solutions
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
