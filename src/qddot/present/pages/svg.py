"""Figures as SVG inside pages and notebooks: short, with ids of their own, on any paper.

matplotlib's SVG is made for printing: ink and paper have fixed colours, every tick carries its
style, every point all its digits. In a page letters are shapes, so that no font is asked for, and
colours are variables that turn light where the paper is dark; a map of colours keeps them and
brings a white sheet. In a notebook, which does not say what its paper is, ink is `currentColor`,
paper is left out and styles are shared.

A drawing's ids begin with `OWN` until it stands in a page, which numbers its drawings.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "\ue000"  # begins the ids of a drawing; no words have it, since it does not print
COLOUR = re.compile(r"#([0-9a-f]{6})\b")
AREA = re.compile(r"fill: #([0-9a-f]{6})\b")
VARIABLE = re.compile(r"var\(--ink-([0-9a-f]{6}),")
GREY = re.compile(r"\b(fill|stroke): #([0-9a-f]{2})\2\2\b")
MARKS = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*|<style.*?</style>", re.DOTALL)
MAP = 8  # colours of areas above which a drawing is a map
LIGHTEST, DARKEST = 0xEE, 0x18  # what black and nearly white become on dark paper
BRIGHT = 0.22  # least luminance on dark paper: 4.6 times as light as it
INK, TINT = 0x60, 0xC0  # the lightest grey that is ink, and the darkest that is a tint of the paper
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


# for both


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
    plain = re.sub(r"\n\s+", "\n", MARKS.sub("", drawing))
    # matplotlib's style sheet would be one for the whole page
    joins = '<svg style="stroke-linejoin: round; stroke-linecap: butt"'
    return in_tags(plain, _short_paths).replace("<svg", joins, 1)


def in_tags(svg: str, change: Callable[[str], str]) -> str:
    """Return a drawing with its tags changed; words in it, which may look like any, stay."""
    return re.sub(r"<[^>]*>", lambda tag: change(tag[0]), svg)


def _short_paths(tag: str) -> str:
    return re.sub(r'\bd="([^"]*)"', lambda path: f'd="{short_path(path[1])}"', tag)


def short_path(path: str) -> str:
    """Return a path to a tenth of a point; where it is made of lines, by steps from point to point.

    Curves keep their places and lose their further digits.
    """
    if set(re.findall("[A-Za-z]", path)) - {"M", "L", "z"}:
        return " ".join(re.sub(r"(\.\d)\d+", r"\1", path).split())
    pieces = re.findall(r"M([^Mz]*)(z?)", path)
    return "".join(_steps(piece.replace("L", " ").split()) + closed for piece, closed in pieces)


def _steps(words: list[str]) -> str:
    tenths = np.round(10 * np.array(words, dtype=float)).astype(int).reshape(-1, 2)
    first, *rest = np.diff(tenths, axis=0, prepend=0).tolist()
    steps = "".join(f" {_tenth(x)} {_tenth(y)}" for x, y in rest if x or y)
    return f"M{_tenth(first[0])} {_tenth(first[1])}" + (f"l{steps[1:]}" if steps else "")


def _tenth(x: int) -> str:
    return f"{x / 10:.1f}".removesuffix(".0")


def own_ids(drawing: str) -> str:
    """Return a drawing whose ids are marked as its own, those that nothing refers to left out."""
    asked = set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawing))

    def kept(match: re.Match[str]) -> str:
        return f' id="{OWN}{match[1]}"' if match[1] in asked else ""

    named = re.sub(r' id="([^"]*)"', kept, drawing)
    return re.sub(r'(href="#|url\(#)(?=[^")]+)', rf"\1{OWN}", named)


# in a page


def svg_of(drawn: Figure) -> str:
    """Return a figure as SVG for a page: its colours a page can change, or it brings its paper."""
    drawing = bare_svg(drawn)
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


# in a notebook


def notebook_svg(drawn: Figure) -> str:
    """Return a figure as SVG that takes its ink from the words around it."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "savefig.transparent": True}):
        svg = bare_svg(drawn)
    svg = _unwrapped(re.sub(r"<defs>\s*</defs>\s*", "", svg))
    return _on_its_own(in_tags(svg, _in_its_ink))


def standing(svg: str) -> str:
    """Return the SVG of a notebook so that it can stand alone, dark or light as the reader is."""
    ink = "<style>svg{color:#333}@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>"
    return re.sub(r"(<svg[^>]*>)", rf"\1{ink}", svg, count=1)


def _in_its_ink(tag: str) -> str:
    """Return a tag in the ink of the words around it, and in fewer letters."""
    tag = re.sub(r"font-family: [^;\"]*(?:; )?|font-style: normal; ", "", tag)
    tag = GREY.sub(lambda match: f"{match[1]}: {_grey(int(match[2], 16))}", tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", tag)
    return re.sub(r'(\b[xy]="-?\d+\.\d)\d+', r"\1", tag)


def _grey(level: int) -> str:
    """Return a grey on any paper: ink, or a tint that is darker on light and lighter on dark."""
    if level <= INK:
        return "currentColor"
    if level < TINT or level == 255:  # white is there on purpose, to stand out from colours
        return f"#{level:02x}{level:02x}{level:02x}"
    return f"#888888{2 * (255 - level) + 8:02x}"


def _unwrapped(svg: str) -> str:
    """Return a drawing without groups that say nothing."""
    opened: list[bool] = []

    def kept(match: re.Match[str]) -> str:
        if match[0].startswith("</"):
            return match[0] if opened.pop() else ""
        if match[0].rstrip().endswith("/>"):  # an empty one
            return ""
        opened.append(match[0].rstrip() != "<g>")
        return match[0] if opened[-1] else ""

    return re.sub(r"<g\b[^>]*>\n?|</g>\n?", kept, svg)


def _on_its_own(svg: str) -> str:
    """Return a drawing whose ids and classes no other in the notebook has, styles shared."""
    name = "q" + hashlib.sha256(svg.encode()).hexdigest()[:8]
    styles: dict[str, str] = {}
    ids: dict[str, str] = {}

    def shared(match: re.Match[str]) -> str:
        kind = styles.setdefault(match[1], f"{name}{_letters(len(styles))}")
        return f'class="{kind}"'

    def numbered(match: re.Match[str]) -> str:
        return ids.setdefault(match[0], f"{name}-{len(ids)}")

    body = in_tags(svg, lambda tag: re.sub(rf"{OWN}\w+", numbered, tag))
    body = in_tags(body, lambda tag: re.sub(r'style="([^"]*)"', shared, tag))
    sheet = "".join(f".{kind}{{{_short(style)}}}" for style, kind in styles.items())
    look = f"max-width:100%;height:auto;font-family:{FONT};stroke-linejoin:round"
    body = re.sub(r"<svg\b", f'<svg style="{look}"', body, count=1)
    return re.sub(r"(<svg[^>]*>)", rf"\1<style>{sheet}</style>", body, count=1)


def _letters(k: int) -> str:
    return chr(ord("g") + k % 20) * (1 + k // 20)  # no digits of a hash


def _short(style: str) -> str:
    return style.replace(": ", ":").replace("; ", ";")
