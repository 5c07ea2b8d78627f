"""Figures as drawings inside a page: no font, no id of another drawing, readable on dark paper.

A drawing's ids begin with `OWN` until it stands in a page, which numbers its drawings. Its colours
are variables, so that lines and letters turn light where the paper is dark; one that is a map of
colours keeps them and brings a white sheet.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "\ue000"  # begins the ids of a drawing; no words have it, since it does not print
COLOUR = re.compile(r"#([0-9a-f]{6})\b")
AREA = re.compile(r"fill: #([0-9a-f]{6})\b")
VARIABLE = re.compile(r"var\(--ink-([0-9a-f]{6}),")
MAP = 8  # colours of areas above which a drawing is a map
LIGHTEST, DARKEST = 0xEE, 0x18  # what black and nearly white become on dark paper
BRIGHT = 0.22  # least luminance on dark paper: 4.6 times as light as it
MARKS = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*|<style.*?</style>", re.DOTALL)


def svg_of(drawn: Figure) -> str:
    """Return a figure as SVG for a page, its letters as shapes, so that no font is asked for."""
    return on_any_paper(bare_svg(drawn))


def bare_svg(drawn: Figure) -> str:
    """Return a figure as short SVG in the colours it was drawn with."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "page", "path.simplify_threshold": 0.3}):
        drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Type": None})
    drawing = out.getvalue()
    return own_ids(shortened(drawing[drawing.index("<svg") :]))


def shortened(drawing: str) -> str:
    """Return a drawing without what nobody sees, its coordinates to a tenth of a point."""

    def rounded(path: re.Match[str]) -> str:
        return re.sub(r"(\.\d)\d+", r"\1", path[0])

    plain = re.sub(r"\n\s+", "\n", MARKS.sub("", drawing))
    # matplotlib's style sheet would be one for the whole page
    joins = '<svg style="stroke-linejoin: round; stroke-linecap: butt"'
    return re.sub(r'\bd="[^"]*"', rounded, plain).replace("<svg", joins, 1)


def own_ids(drawing: str) -> str:
    """Return a drawing whose ids are marked as its own, those that nothing refers to left out."""
    asked = set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawing))

    def kept(match: re.Match[str]) -> str:
        return f' id="{OWN}{match[1]}"' if match[1] in asked else ""

    named = re.sub(r' id="([^"]*)"', kept, drawing)
    return re.sub(r'(href="#|url\(#)(?=[^")]+)', rf"\1{OWN}", named)


def on_any_paper(drawing: str) -> str:
    """Return a drawing whose colours a page can change, or one that brings its paper."""
    areas = {colour for colour in AREA.findall(drawing) if not is_grey(colour)}
    if "<image" in drawing or len(areas) > MAP:
        return drawing.replace("<svg", '<svg class="on-paper"', 1)
    return COLOUR.sub(lambda m: f"var(--ink-{m[1]},{m[0]})", drawing)


def numbered(body: str) -> str:
    """Return a page's body in which each drawing has its own ids."""
    pieces = re.split(r"(?=<svg\b)", body)
    return "".join(piece.replace(OWN, f"drawing{k}-") for k, piece in enumerate(pieces))


def inks_on_dark(body: str) -> str:
    """Return the style sheet for the colours of a page's drawings where its paper is dark."""
    found = sorted(set(VARIABLE.findall(body)))
    if not found:
        return ""
    values = ";".join(f"--ink-{colour}:{on_dark(colour)}" for colour in found)
    return f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {values} }} }}"


def on_dark(colour: str) -> str:
    """Return what a colour becomes on dark paper: greys are turned round, others made bright."""
    if colour == "ffffff":
        return "var(--paper)"
    levels = [int(colour[k : k + 2], 16) for k in (0, 2, 4)]
    if is_grey(colour):
        levels = [round(LIGHTEST + (DARKEST - LIGHTEST) * level / 255) for level in levels]
    else:
        while luminance(levels) < BRIGHT:
            levels = [level + max(1, (255 - level) // 16) for level in levels]
    return "#" + "".join(f"{level:02x}" for level in levels)


def luminance(levels: list[int]) -> float:
    """Return how light a colour is, from 0 to 1 (WCAG 2, but for its straight part near black)."""
    red, green, blue = ((level / 255) ** 2.2 for level in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def is_grey(colour: str) -> bool:
    return colour[:2] == colour[2:4] == colour[4:]
