"""A line drawing on its two ways onto paper: SVG and TikZ.

Both stand alone: no scripts, no fonts, no libraries of TikZ. Formulas are LaTeX in TikZ and Unicode
in SVG, whose lines have the colour of the text around it, so that it is as good on a dark page.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from qddot.formulations.plain_formula import plain
from qddot.present.figures.textbook.sheet import (
    FONT,
    Arc,
    Disc,
    FormulaLabel,
    Pen,
    Polyline,
    Stroke,
    arrow_tips,
    corners,
)

PIXELS = 48  # of a centimetre
SCRIPT = 0.72  # of an index, in parts of its letter
LETTERS = r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u20d7])*|[\W\d_]+"  # runs of them, and of the rest
# fonts of pages have no marks above letters that stand right; bold is a vector too
MARKS = {
    "\N{COMBINING RIGHT ARROW ABOVE}": ' font-weight="bold"',
    "\N{COMBINING MACRON}": ' text-decoration="overline"',
}
UPRIGHT = r"\mathrm"
AXES = {"x": (200, 68, 47), "y": (60, 140, 74), "z": (59, 125, 196)}  # red, green, blue
# in SVG, and in TikZ
COLOURS = {"ink": ("currentColor", ""), "paper": ("var(--paper, Canvas)", "white")} | {
    letter: (f"rgb{rgb}", f"axis-{letter}") for letter, rgb in AXES.items()
}


# SVG


def svg(strokes: Sequence[Stroke]) -> str:
    """Return the drawing as an SVG that is as good on a dark page as on a light one."""
    low, high = corners(strokes)
    wide, tall = (high - low) * PIXELS
    body = "\n".join(line for stroke in strokes for line in _svg_lines(stroke, low[0], high[1]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{tall:.0f}" '
        f'viewBox="0 0 {wide:.0f} {tall:.0f}" style="max-width: 100%; height: auto" '
        'fill="none" stroke-linecap="round" stroke-linejoin="round" '
        "font-family=\"'Latin Modern Math', 'STIX Two FormulaLabel', 'Times New Roman', serif\" "
        f'font-size="{FONT * PIXELS:.1f}">\n{body}\n</svg>'
    )


def _svg_lines(stroke: Stroke, left: float, top: float) -> Iterator[str]:
    def at(point: np.ndarray) -> str:
        return f"{(point[0] - left) * PIXELS:.1f} {(top - point[1]) * PIXELS:.1f}"

    match stroke:
        case FormulaLabel(where, latex, font, colour, on_line):
            x, y = at(where - [0, 0.32 * font]).split()
            more = "" if font == FONT else f' font-size="{font * PIXELS:.1f}"'
            if on_line:
                left_x, left_y = at(where + stroke.half * [-1, 1]).split()
                w, h = 2 * PIXELS * stroke.half
                yield (
                    f'<rect x="{left_x}" y="{left_y}" width="{w:.1f}" height="{h:.1f}" '
                    f'fill="{COLOURS["paper"][0]}"/>'
                )
            yield (
                f'<text x="{x}" y="{y}" text-anchor="middle" fill="{COLOURS[colour][0]}"{more}>'
                f"{text_spans(latex)}</text>"
            )
        case Disc(centre, radius, pen):
            x, y = at(centre).split()
            yield f'<circle cx="{x}" cy="{y}" r="{radius * PIXELS:.1f}"{_svg_pen(pen)}/>'
        case Arc(_, radius, start, end, pen):
            large, swept = int(abs(end - start) > math.pi), int(end < start)
            r = f"{radius * PIXELS:.1f}"
            way = f"M{at(stroke.at(start))} A{r} {r} 0 {large} {swept} {at(stroke.at(end))}"
            yield f'<path d="{way}"{_svg_pen(pen)}/>'
        case Polyline(points, pen):
            way = "M" + " L".join(map(at, points)) + (" Z" if stroke.closed else "")
            yield f'<path d="{way}"{_svg_pen(pen)}/>'
    if not isinstance(stroke, (FormulaLabel, Disc)):
        for tip in arrow_tips(stroke):
            way = "M" + " L".join(map(at, tip)) + " Z"
            yield f'<path d="{way}" fill="{COLOURS[stroke.pen.colour][0]}"/>'


def _svg_pen(pen: Pen) -> str:
    found = ""
    if pen.width:
        found += f' stroke="{COLOURS[pen.colour][0]}" stroke-width="{pen.width * PIXELS:.2f}"'
    if pen.dashed:
        found += ' stroke-dasharray="5 4"'
    if pen.pale:
        found += ' stroke-opacity="0.2"'
    if pen.inside:
        found += f' fill="{COLOURS[pen.inside][0]}"'
    return found


def text_spans(latex: str) -> str:
    """Return a formula as the inside of an SVG text: letters slanted, indices lower and smaller."""
    found, level = "", 0
    for text, wanted, upright in _pieces(latex):
        # the step is in the em of the span that makes it
        step = (level - wanted) * 0.3 / (SCRIPT if wanted else 1)
        size = f' font-size="{SCRIPT:.0%}"' if wanted else ""
        shift = f' dy="{step:.2f}em"' if step else ""
        for run in re.findall(LETTERS, text):
            slant = ' font-style="italic"' if run[0].isalpha() and not upright else ""
            look = "".join(how for mark, how in MARKS.items() if mark in run)
            letters = html.escape("".join(c for c in run if c not in MARKS))
            found += f"<tspan{shift}{size}{slant}{look}>{letters}</tspan>"
            shift = ""
        level = wanted
    return found


def _pieces(latex: str) -> Iterator[tuple[str, int, bool]]:
    r"""Yield the pieces of a formula as text: −1 for an index, 1 for an exponent; whether upright.

    Upright is what stands in \mathrm: units, and names that are words.
    """
    piece, depth, k = "", 0, 0
    while k < len(latex):
        before, letter = latex[k - 1 : k], latex[k]
        upright = latex.startswith(UPRIGHT, k) and not depth
        if upright or (letter in "_^" and not depth and before != "\\"):
            if piece and (text := plain(piece)):
                # the reader trims: a space before a unit stays
                yield text + " " * piece.endswith(r"\,"), 0, False
            start = k + (len(UPRIGHT) if upright else 1)
            group = _group(latex[start:])
            inside = plain(group) if upright else plain(group.replace("_", ""))
            yield inside, 0 if upright else (-1 if letter == "_" else 1), upright
            piece, k = "", start + len(group)
        else:
            depth += (letter == "{" and before != "\\") - (letter == "}" and before != "\\")
            piece, k = piece + letter, k + 1
    if piece and (text := plain(piece)):
        yield text, 0, False


def _group(latex: str) -> str:
    """Return the argument that a formula begins with: a letter, or all between braces."""
    depth = 0
    for k, letter in enumerate(latex):
        if latex[k - 1 : k] != "\\":
            depth += (letter == "{") - (letter == "}")
        if not depth:
            return latex[: k + 1]
    return latex


# TikZ


def tikz(strokes: Sequence[Stroke]) -> str:
    """Return the drawing for LaTeX."""
    lines = [line for stroke in strokes for line in _tikz_lines(stroke)]
    head = [r"\begin{tikzpicture}[line cap=round, line join=round]"]
    for letter, (red, green, blue) in AXES.items():
        head.append(rf"\definecolor{{axis-{letter}}}{{RGB}}{{{red},{green},{blue}}}")
    return "\n".join([*head, *lines, r"\end{tikzpicture}"])


def _tikz_lines(stroke: Stroke) -> Iterator[str]:
    match stroke:
        case FormulaLabel(where, latex, font, colour, on_line):
            size = "" if font == FONT else r"\scriptsize"
            room = "fill=white, inner sep=2pt" if on_line else "inner sep=0pt"
            options = ", ".join(filter(None, [room, COLOURS[colour][1]]))
            yield rf"\node[{options}] at {_point(where)} {{{size}${latex}$}};"
        case Disc(centre, radius, pen):
            yield rf"\path[{_tikz_pen(pen)}] {_point(centre)} circle[radius={radius:.3f}];"
        case Arc(_, radius, start, end, pen, arrow):
            a, b = math.degrees(start), math.degrees(end)
            way = f"arc[start angle={a:.1f}, end angle={b:.1f}, radius={radius:.3f}]"
            yield rf"\path[{_tikz_pen(pen, arrow)}] {_point(stroke.at(start))} {way};"
        case Polyline(points, pen, arrow, closed):
            way = " -- ".join(map(_point, points)) + (" -- cycle" if closed else "")
            yield rf"\path[{_tikz_pen(pen, arrow)}] {way};"


def _point(point: np.ndarray) -> str:
    x, y = (f"{value + 0:.3f}".replace("-0.000", "0.000") for value in point)
    return f"({x},{y})"


def _tikz_pen(pen: Pen, arrow: str = "") -> str:
    colour = COLOURS[pen.colour][1]
    found = {"": [], "end": ["-stealth"], "both": ["stealth-stealth"]}[arrow]
    if pen.width:
        found = [*found, f"draw={colour}" if colour else "draw", f"line width={pen.width:.3f}cm"]
    if pen.dashed:
        found = [*found, "dashed"]
    if pen.pale:
        found = [*found, "opacity=0.2"]
    if pen.inside:
        found = [*found, f"fill={COLOURS[pen.inside][1]}" if pen.inside != "ink" else "fill"]
    return ", ".join(found)
