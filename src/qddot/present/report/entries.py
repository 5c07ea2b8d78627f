"""Entries of M, C, c and g as formulas that a reader opens by choosing them in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from qddot.equations.equations import Equations
from qddot.equations.readable import Entry, entries_of
from qddot.present.pages.page import text
from qddot.present.report.chapter import count

MOST_LETTERS = 40_000  # of LaTeX of one entry; a longer one is counted, not printed
MOST_IN_ALL = 400_000
# terms of an entry beyond which it takes longer to find its shortest form than anybody reads it
LONGEST = {"M": 1500, "g": 1500, "c": 150, "C": 150}
SUBSCRIPTS = str.maketrans("0123456789,", "₀₁₂₃₄₅₆₇₈₉,")

Place = tuple[int, ...]


def places(table: np.ndarray, symmetric: bool) -> Iterator[Place]:
    """Yield where entries stand; of a symmetric matrix, on and above the diagonal."""
    for place in np.ndindex(table.shape):
        if not (symmetric and place[0] > place[-1]):
            yield place


def symbol(name: str, place: Place, n: int) -> tuple[str, str]:
    """Return what an entry is called: M₁₂, and M_{12} in LaTeX."""
    index = ("," if n > 9 else "").join(str(k + 1) for k in place)
    return name + index.translate(SUBSCRIPTS), f"{name}_{{{index}}}"


def written(equations: Equations) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the formulas that the page's scripts show: by quantity, then by "row,column".

    The shortest come first, until there is enough of it; of the others, how long they are.
    """
    n, room = equations.n, MOST_IN_ALL
    found: dict[str, dict[str, dict[str, Any]]] = {}
    every = [
        (name, place, table[place])
        for name in ("M", "g", "c", "C")
        for table in (entries_of(equations.quantity(name)),)
        for place in places(table, name == "M")
    ]
    for name, place, entry in sorted(every, key=lambda item: item[2].terms):
        plain, latex = symbol(name, place, n)
        known = {"name": plain, "terms": count(entry.terms, "term")}
        if entry.terms <= LONGEST[name] and room > 0:
            formula = f"{latex} = {entry.latex}"
            if len(formula) <= min(MOST_LETTERS, room):
                known["latex"] = formula
                room -= len(formula)
        found.setdefault(name, {})[",".join(map(str, place))] = known
    return found


def button(name: str, place: Place, words: str, label: str, panel: str, part: float = 0.0) -> str:
    """Return a button that shows the formula of an entry in a panel; the darker, the larger."""
    where = ",".join(map(str, place))
    return (
        f'<button type="button" class="entry" data-of="{escape(name)}" data-at="{where}" '
        f'style="--part:{part:.2f}" '
        f'aria-controls="{panel}" title="{text(label)}">{text(words)}</button>'
    )


def panel(name: str) -> str:
    """Return the place where the formula of an entry appears once it was chosen."""
    return (
        f'<div class="equation" id="{name}" role="region" aria-live="polite" '
        'aria-label="Equation of the chosen entry" hidden></div>'
    )


def matrix(
    rows: Sequence[Sequence[str]],
    head: Sequence[str],
    caption: str,
    rows_are: Sequence[str] | None = None,
) -> str:
    """Return a table of cells that are HTML already, its rows headed as its columns if not told."""
    columns = "".join(f'<th scope="col">{text(word)}</th>' for word in head)
    body = "".join(
        f'<tr><th scope="row">{text(word)}</th>{"".join(f"<td>{cell}</td>" for cell in row)}</tr>'
        for word, row in zip(rows_are or head, rows, strict=True)
    )
    return (
        f'<div class="scroll"><table class="matrix"><caption>{text(caption)}</caption>'
        f"<thead><tr><td></td>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def is_short(entry: Entry, most: int) -> bool:
    """Return whether an entry is worth printing among longer ones: short, and not just zero."""
    return 0 < entry.terms <= most and entry.text not in ("0", "")
