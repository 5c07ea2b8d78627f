"""Documents as pages: for the terminal, in Markdown, in LaTeX, in HTML that works offline."""

from __future__ import annotations

import re

from qddot.equations.document import Document, Formula
from qddot.looks import look

FORMATS = ("text", "markdown", "latex", "html")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$&%~^])")
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{ch: f"\\{ch}" for ch in "&%$#_{}"},
}


def page(document: Document, format: str) -> str:
    """Return the page in one of the formats."""
    if format == "html":
        return look("pages.results.equations_page")(document)
    return {"text": text, "markdown": markdown, "latex": latex}[format](document)


def text(document: Document) -> str:
    lines = [document.title, "=" * len(document.title)]
    for section in document.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for item in section.items:
            lines += ["", *(_indented(item.text) if isinstance(item, Formula) else [item])]
    return "\n".join(lines) + "\n"


def _indented(block: str) -> list[str]:
    return [f"    {line}" for line in block.splitlines()]


def markdown(document: Document) -> str:
    lines = [f"# {_plain_markdown(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {_plain_markdown(section.title)}"]
        for item in section.items:
            block = f"$$\n{item.latex}\n$$" if isinstance(item, Formula) else _plain_markdown(item)
            lines += ["", block]
    return "\n".join(lines) + "\n"


def _plain_markdown(words: str) -> str:
    return SPECIAL.sub(r"\\\1", words)


def latex(document: Document) -> str:
    lines = [
        r"\documentclass{article}",
        r"\usepackage{amsmath, amssymb, fontspec}",
        r"\setcounter{MaxMatrixCols}{60}",
        r"\begin{document}",
        rf"\title{{{escape_latex(document.title)}}}\date{{}}\maketitle",
    ]
    for section in document.sections:
        lines.append(rf"\section{{{escape_latex(section.title)}}}")
        for item in section.items:
            block = rf"\[ {item.latex} \]" if isinstance(item, Formula) else escape_latex(item)
            lines += [block, ""]
    return "\n".join([*lines, r"\end{document}", ""])


def escape_latex(words: str) -> str:
    """Return words with everything that LaTeX would take as a command made harmless."""
    return "".join(LATEX_SPECIAL.get(ch, ch) for ch in words)
