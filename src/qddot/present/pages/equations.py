"""The equations of a robot as a page, drawn by KaTeX."""

from __future__ import annotations

from qddot.equations.document import Document, Formula
from qddot.present.pages.page import formula, page, paragraph, section


def equations_page(document: Document) -> str:
    """Return a document of equations as a page that works offline."""

    def element(item: Formula | str) -> str:
        return formula(item.latex, item.text) if isinstance(item, Formula) else paragraph(item)

    sections = [section(part.title, *map(element, part.items)) for part in document.sections]
    return page(document.title, *sections)
