"""The equations of a robot as a page that asks for nothing."""

from __future__ import annotations

from qddot.equations.document import Document, Item, Picture, Words, WordTable
from qddot.equations.formulas import Equation
from qddot.equations.layout import PAGE, aligned
from qddot.equations.printing import MOST_ROWS, spoken
from qddot.formulations.plain_formula import plain
from qddot.present.pages import page


def equations_page(document: Document) -> str:
    """Return a document of equations as a page that works offline, drawn by KaTeX."""
    sections = [
        page.section(spoken(Words(part.title), plain, str), *(element(item) for item in part.items))
        for part in document.sections
    ]
    return page.page(document.title, *sections)


def element(item: Item) -> str:
    """Return an item of a document as a part of a page."""
    match item:
        case Equation():
            rows = item.rows(PAGE)
            pieces = [rows[k : k + MOST_ROWS] for k in range(0, len(rows), MOST_ROWS)]
            words = item.text()
            return "".join(page.formula(aligned(piece), words) for piece in pieces)
        case WordTable(head, rows):
            return page.formula_table(head, [[_cell(cell) for cell in row] for row in rows])
        case Picture(svg, _, caption):
            return page.figure(svg, caption)
        case Words():
            # a formula stays on the page of the words that announce it
            kind = ' class="announces"' if item.words.endswith(":") else ""
            return f"<p{kind}>{_cell(item)}</p>"
    return page.paragraph(item)


def _cell(cell: str | Words) -> str:
    if isinstance(cell, Words):
        return spoken(cell, lambda math: page.inline_formula(math, plain(math)), page.text)
    return page.text(cell)
