"""Documents as pages: for the terminal, in Markdown, in LaTeX, in HTML that works offline."""

from __future__ import annotations

import html
import re

from qddot.equations.document import Document, Formula

FORMATS = ("text", "markdown", "latex", "html")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$&%~^])")
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{ch: f"\\{ch}" for ch in "&%$#_{}"},
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
.math { overflow-x: auto; padding: .4rem 0; cursor: copy; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; border-bottom: 1px solid #ccc; margin-top: 2rem; }
.hint { color: #777; font-size: .85rem; }
@media print { .hint { display: none; } .math { overflow: visible; } }
"""
SCRIPT = """
for (const place of document.querySelectorAll('.math')) {
  katex.render(place.dataset.latex, place, { displayMode: true, throwOnError: false });
  place.title = 'Click to copy as LaTeX';
  place.onclick = () => navigator.clipboard && navigator.clipboard.writeText(place.dataset.latex);
}
"""


def page(document: Document, format: str) -> str:
    """Return the page in one of the formats."""
    return {"text": text, "markdown": markdown, "latex": latex, "html": html_page}[format](document)


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


def html_page(document: Document) -> str:
    from qddot.vendored import katex_script, katex_style

    parts = [f"<h1>{html.escape(document.title)}</h1>"]
    parts.append("<p class='hint'>Click a formula to copy it as LaTeX.</p>")
    for section in document.sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        for item in section.items:
            if isinstance(item, Formula):
                parts.append(f'<div class="math" data-latex="{html.escape(item.latex)}"></div>')
            else:
                parts.append(f"<p>{html.escape(item)}</p>")
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f"<title>{html.escape(document.title)}</title>",
            f"<style>{katex_style()}{STYLE}</style></head><body>",
            *parts,
            f"<script>{katex_script()}</script><script>{SCRIPT}</script></body></html>",
        ]
    )
