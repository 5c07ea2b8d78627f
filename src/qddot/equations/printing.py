"""A document as text, Markdown, LaTeX or slides; as HTML by the room of pages."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf

import numpy as np

from qddot.equations.document import Document, DocumentSection, Item, Picture, Words, WordTable
from qddot.equations.formulas import COLUMNS, Equation
from qddot.equations.latex import words_latex
from qddot.equations.layout import PAGE, SLIDE, Row, align_body, aligned
from qddot.equations.layout import width as em
from qddot.formulations.plain_formula import plain
from qddot.plain_text import table_lines, width
from qddot.results import look

FORMATS = ("text", "markdown", "latex", "html", "slides")
MATH = re.compile(r"\$([^$]*)\$")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$&%~^])")
MOST_ON_SLIDE = 7  # rows of formulas on one slide
ON_SLIDE = 0.82  # of its size on a page, a picture leaves room for its words
SHORT_ROWS = 6  # of a formula that stands in one display with its neighbours
MOST_ROWS = 24  # of one formula on a page; a longer one is set in several


def page(document: Document, format: str) -> str:
    """Return the document in one of the formats."""
    if format == "html":
        return look("pages.results.equations_page")(document)
    return {"text": text, "markdown": markdown, "latex": latex, "slides": slides}[format](document)


def spoken(words: str | Words, math: Callable[[str], str], other: Callable[[str], str]) -> str:
    """Return a sentence with its formulas and its words written in two ways; a str is words."""
    parts = MATH.split(words.words) if isinstance(words, Words) else [words]
    return "".join(math(part) if k % 2 else other(part) for k, part in enumerate(parts))


# text


def text(document: Document) -> str:
    lines = [document.title, "=" * len(document.title)]
    for section in document.sections:
        title = spoken(Words(section.title), plain, str)
        lines += ["", title, "-" * width(title)]
        for item in section.items:
            lines += [] if isinstance(item, Picture) else ["", *_text_lines(item)]
    return "\n".join(lines) + "\n"


def _text_lines(item: str | Words | Equation | WordTable) -> list[str]:
    match item:
        case Equation():
            return [f"    {line}" for row in item.text().splitlines() for line in _wrapped(row)]
        case WordTable(head, rows):
            cells = [head, *([spoken(cell, plain, str) for cell in row] for row in rows)]
            return [f"    {line}" for line in table_lines(cells, len(head))]
        case _:
            return _filled(spoken(item, plain, str))


def _filled(words: str) -> list[str]:
    """Return a paragraph in lines of the page's width; letters with accents are narrow."""
    lines = [""]
    for word in words.split():
        if lines[-1] and width(f"{lines[-1]} {word}") > COLUMNS:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _wrapped(line: str) -> list[str]:
    """Return a line of text in several, broken before signs, if it is longer than a page."""
    listed = re.match(r"\[[\d, ]+\] = ", line)  # an entry of a matrix that is too wide
    if width(line) <= COLUMNS or (line[:1] in "⎡⎢⎣[" and not listed):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 6)
    lines = [""]
    for piece in _terms(line):
        if lines[-1].strip() and width(f"{lines[-1]} {piece}") > COLUMNS:
            lines.append(indent + piece)
        else:
            lines[-1] += f" {piece}" if lines[-1].strip() else piece
    return lines


def _terms(line: str) -> list[str]:
    """Return the terms of a sum, each with its sign; of a term that is too long, its own terms."""
    cuts, depth = [0], 0
    for k, letter in enumerate(line):
        depth += (letter in "([") - (letter in ")]")
        if not depth and line[k : k + 3] in (" + ", " − ", " - "):
            cuts.append(k + 1)
    pieces = [line[i:j].rstrip() for i, j in zip(cuts, [*cuts[1:], len(line)], strict=True)]
    long = [width(piece) > COLUMNS - 8 for piece in pieces]
    parts = [
        re.split(r" (?=[+−-] )", p) if far else [p] for p, far in zip(pieces, long, strict=True)
    ]
    words = [
        re.split(r"(?<![+−-]) ", p) if width(p) > COLUMNS - 8 else [p] for x in parts for p in x
    ]
    return [word for found in words for word in found]


# Markdown


def markdown(document: Document) -> str:
    lines = [f"# {_plain_markdown(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {_marked(Words(section.title))}"]
        for item in section.items:
            lines += ["", _markdown_item(item)]
    return "\n".join(lines) + "\n"


def _markdown_item(item: Item) -> str:
    match item:
        case Equation():
            return f"$$\n{aligned(item.rows())}\n$$"
        case WordTable(head, rows):
            lines = [[_marked(cell) for cell in line] for line in (head, *rows)]
            lines.insert(1, ["---"] * len(head))
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)
        case Picture(_, _, caption):
            # readers of Markdown throw inline SVG away
            image = b64encode(item.on_paper.encode()).decode("ascii")
            words = _plain_markdown(caption)
            return f"![The arm](data:image/svg+xml;base64,{image})\n\n{words}"
        case _:
            return _marked(item)


def _marked(item: str | Words) -> str:
    return spoken(item, lambda math: f"${math}$", _plain_markdown)


def _plain_markdown(words: str) -> str:
    return SPECIAL.sub(r"\\\1", words)


# LaTeX, for every engine


PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
% the text block fits A4 and letter paper alike
\usepackage[textwidth=455pt,textheight=650pt,centering]{geometry}
\usepackage{amsmath,amssymb,tikz}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\usepackage{lmodern}\fi
\setcounter{MaxMatrixCols}{60}
\renewcommand{\arraystretch}{1.15} % fractions in one row of a matrix stay clear of the next
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 2pt}
\emergencystretch=3em
\makeatletter\@beginparpenalty=10000\makeatother % a table stays with the words before it
\AtBeginDocument{\setlength{\abovedisplayskip}{5pt plus 2pt}%
  \setlength{\belowdisplayskip}{6pt plus 2pt}\setlength{\abovedisplayshortskip}{2pt plus 1pt}%
  \setlength{\belowdisplayshortskip}{5pt plus 2pt}}
"""


def latex(document: Document) -> str:
    lines = [PREAMBLE, r"\begin{document}"]
    lines.append(rf"\begin{{center}}\LARGE {words_latex(document.title)}\end{{center}}")
    for section in document.sections:
        lines.append(rf"\section{{{_worded(Words(section.title))}}}")
        for _, group in groupby(section.items, lambda item: isinstance(item, Equation)):
            items = list(group)
            formulas = [item.rows(PAGE) for item in items if isinstance(item, Equation)]
            lines += [_displays(formulas), ""] if formulas else []
            for item in items[len(formulas) :]:
                # a formula belongs to the words that announce it, and stays on their page
                announces = isinstance(item, Words) and item.words.endswith(":")
                lines += [_latex_item(item, PAGE)] + ([r"\nopagebreak"] if announces else [""])
    return "\n".join([*lines, r"\end{document}", ""])


def _displays(formulas: Sequence[Sequence[Row]]) -> str:
    """Return formulas that follow one another: short ones in one display, without gaps."""
    shown = []
    for short, group in groupby(formulas, lambda rows: len(rows) <= SHORT_ROWS):
        found = list(group)
        if short and len(found) > 1:
            body = " \\\\\n".join(aligned(rows) for rows in found)
            shown.append(f"\\begin{{gather*}}\n{body}\n\\end{{gather*}}")
        else:
            shown += [f"\\begin{{align*}}\n{align_body(r)}\n\\end{{align*}}" for r in found]
    return "\n".join(shown)


def _latex_item(item: Item, room: float) -> str:
    match item:
        case Equation():
            rows = item.rows(room)
            return "\\begin{align*}\n" + align_body(rows) + "\n\\end{align*}"
        case WordTable(head, rows):
            lines = [" & ".join(_worded(c) for c in line) for line in (head, *rows)]
            body = " \\\\\n".join([lines[0] + r" \\ \hline", *lines[1:]]).replace(
                r"\hline \\", r"\hline"
            )
            table = f"\\begin{{tabular}}{{{'l' * len(head)}}}\n{body}\n\\end{{tabular}}"
            if _table_width([head, *rows]) > room:
                # never larger than it is: its width is an estimate
                smaller = r"\ifdim\width>\linewidth \linewidth\else\width\fi"
                table = f"\\resizebox{{{smaller}}}{{!}}{{{table}}}"
            return f"\\begin{{center}}{table}\\end{{center}}"
        case Picture(_, tikz, caption):
            smaller = rf"\scalebox{{{ON_SLIDE}}}" if room == SLIDE else ""
            # one box, so that the words stay on the page of their picture
            return (
                "\\begin{center}\\begin{minipage}{\\linewidth}\\centering\n"
                f"{smaller}{{{tikz}}}\\par\\smallskip\n{words_latex(caption)}\n"
                "\\end{minipage}\\end{center}"
            )
        case _:
            return _worded(item)


def _table_width(rows: Sequence[Sequence[str | Words]]) -> float:
    """Return about how wide a table is [em], slightly too large."""

    def cell(item: str | Words) -> float:
        parts = MATH.split(item.words) if isinstance(item, Words) else [item]
        return sum(em(part) if k % 2 else len(part) / 2 for k, part in enumerate(parts))

    return sum(max(map(cell, column)) + 1.2 for column in zip(*rows, strict=True))


def _worded(item: str | Words) -> str:
    return spoken(item, lambda math: f"${math}$", words_latex)


# slides


SLIDES = r"""\documentclass[10pt,aspectratio=169]{beamer}
\usepackage{amsmath,amssymb,tikz}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\usepackage{lmodern}\fi
\usefonttheme{professionalfonts}
\setbeamertemplate{navigation symbols}{}
\setbeamertemplate{footline}[frame number]
\setcounter{MaxMatrixCols}{60}
\allowdisplaybreaks
\setlength{\parskip}{4pt plus 2pt}
"""


def slides(document: Document) -> str:
    """Return the document as slides of beamer: a step per slide, or a few that are short."""
    lines = [SLIDES, rf"\title{{{words_latex(document.title)}}}\date{{}}"]
    lines += [r"\begin{document}", r"\begin{frame}\titlepage\end{frame}"]
    for section in document.sections:
        title = _worded(Words(section.title))
        for frame in frames_of(section):
            parts: list[str] = []
            rows = 0
            for _, group in groupby(frame, lambda item: isinstance(item, Equation)):
                items = list(group)
                formulas = [slide_rows(item) for item in items if isinstance(item, Equation)]
                parts += [_displays(formulas)] if formulas else []
                parts += [_latex_item(item, SLIDE) for item in items[len(formulas) :]]
                rows += sum(map(len, formulas))
            body = "\n\n".join(parts)
            words = [item for item in frame if isinstance(item, (str, Words))]
            breaks = rows > MOST_ON_SLIDE or lines_of(words) > MOST_LINES
            long = "[allowframebreaks]" if breaks else ""
            lines.append(f"\\begin{{frame}}{long}{{{title}}}\n{body}\n\\end{{frame}}")
    return "\n".join([*lines, r"\end{document}", ""])


def slide_rows(item: Equation) -> list[Row]:
    """Return the lines of a formula on a slide: a matrix as of six-vectors is whole, if smaller."""
    rows, shape = item.rows(SLIDE), np.shape(item.value)
    spatial = len(shape) == 2 and min(shape) >= SPATIAL
    if not spatial and (len(shape) not in (1, 2) or shape[0] <= HIGHEST):
        return rows
    ((symbol, matrix),) = replace(item, formula="", terms=()).rows(inf)
    scale = min((SLIDE - em(f"{symbol} =")) / em(matrix), HIGHEST / shape[0], 1.0)
    if scale < SMALLEST and not rows[-1][1].endswith(r"\end{bmatrix}"):  # entry by entry
        return rows
    if scale < 1:
        matrix = rf"\vcenter{{\hbox{{\scalebox{{{scale:.2f}}}{{${matrix}$}}}}}}"
    before = replace(item, value=None).rows(SLIDE) if item.formula or item.terms else []
    return [*before, ("=" if before else symbol, matrix)]


SPATIAL = 4  # rows and columns from which on
HIGHEST = 11.0  # rows of a matrix on a slide
SMALLEST = 0.33
MOST_LINES = 13.0  # of words and formulas on a slide of several steps
LETTERS = 80  # in a line of words
GAP = 1.5  # lines above and below a formula


def frames_of(section: DocumentSection) -> list[list[Item]]:
    """Return what each slide of a section shows: words, then the formula that they announce.

    Steps that are short share a slide with the next ones, as many as it has room for.
    """
    frames: list[list[Item]] = []
    waiting: list[Item] = []
    for item in section.items:
        waiting.append(item)
        if not isinstance(item, (str, Words)):
            if frames and lines_of([*frames[-1], *waiting]) <= MOST_LINES:
                frames[-1] += waiting
            else:
                frames.append(waiting)
            waiting = []
    if waiting and frames and lines_of([*frames[-1], *waiting]) <= MOST_LINES:
        frames[-1] += waiting
    elif waiting:
        frames.append(waiting)
    return frames


def lines_of(items: Sequence[Item]) -> float:
    """Return about how many lines of a slide these take; a table or a picture takes them all."""
    total = 0.0
    for item in items:
        match item:
            case Equation():
                rows = slide_rows(item)
                total += GAP + sum(1 + line.count("\\\\") for _, line in rows)
            case str() | Words():
                total += 1 + width(spoken(item, plain, str)) // LETTERS
            case _:
                total += MOST_LINES
    return total
