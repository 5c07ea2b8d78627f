"""Figures inside a notebook: small SVG in the notebook's own ink, on whatever it is written on.

matplotlib's SVG is made for printing: ink and paper have fixed colours, every tick carries its
style, every curve all its points. Here ink is `currentColor`, paper is left out, styles are shared
and points that nobody would miss are dropped.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qddot.present.pages.drawing import OWN, bare_svg
from qddot.present.pages.page import text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LETTERS = 60_000  # beyond it a picture made of dots is smaller
NEAR = 0.15  # [pt] by which a curve may be off
LONG = 12  # points of a path that is worth thinning
DPI = 72
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
GREY = re.compile(r"\b(fill|stroke): #([0-9a-f]{2})\2\2\b")
DARK, LIGHT = 0x60, 0xC0  # greys that are ink, and those that are tints of the paper


def picture(svg: str, drawn: Figure, label: str) -> str:
    """Return a figure as an element of a notebook: its SVG, or dots where that is too long.

    Args:
        svg: What `inline_svg` made of it.
        drawn: The figure.
        label: What it shows, for those who cannot see it.
    """
    if len(svg) <= MOST_LETTERS:
        return svg.replace("<svg", f'<svg role="img" aria-label="{text(label)}"', 1)
    out = io.BytesIO()
    drawn.savefig(out, format="png", dpi=DPI)
    data = base64.b64encode(out.getvalue()).decode()
    return f'<img alt="{text(label)}" src="data:image/png;base64,{data}">'


def inline_svg(drawn: Figure) -> str:
    """Return a figure as SVG that takes its ink from the words around it."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "savefig.transparent": True}):
        svg = bare_svg(drawn)
    svg = _unwrapped(re.sub(r"<defs>\s*</defs>\s*", "", svg))
    return _on_its_own(in_tags(svg, _smaller))


def in_tags(svg: str, change: Callable[[str], str]) -> str:
    """Return a drawing with its tags changed; words in it, which may look like any, stay."""
    return re.sub(r"<[^>]*>", lambda tag: change(tag[0]), svg)


def _smaller(tag: str) -> str:
    """Return a tag in the ink of the words around it, and in fewer letters."""
    tag = re.sub(r'\bd="(M[^"]*)"', lambda path: f'd="{thinned(path[1])}"', tag)
    tag = re.sub(r"font-family: [^;\"]*(?:; )?|font-style: normal; ", "", tag)
    tag = GREY.sub(lambda match: f"{match[1]}: {_grey(int(match[2], 16))}", tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", tag)
    return re.sub(r'(\b[xy]="-?\d+\.\d)\d+', r"\1", tag)


def _grey(level: int) -> str:
    """Return a grey on any paper: ink, or a tint that is darker on light and lighter on dark."""
    if level <= DARK:
        return "currentColor"
    if level < LIGHT or level == 255:  # white is there on purpose, to stand out from colours
        return f"#{level:02x}{level:02x}{level:02x}"
    return f"#888888{2 * (255 - level) + 8:02x}"


def standing(svg: str) -> str:
    """Return the SVG of a figure so that it can stand alone, dark or light as the reader has it."""
    ink = "<style>svg{color:#333}@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>"
    return re.sub(r"(<svg[^>]*>)", rf"\1{ink}", svg, count=1)


def thinned(path: str) -> str:
    """Return a path by steps from point to point, without the points that nobody would miss."""
    numbers = re.findall(r"[A-Za-z]|-?\d+\.?\d*(?:e-?\d+)?", path)
    moves = [k for k, word in enumerate(numbers) if word.isalpha()]
    if {numbers[k] for k in moves} - {"M", "L", "z"}:
        return " ".join(path.split())
    pieces: list[list[float]] = []
    closed = ""
    for k, end in zip(moves, [*moves[1:], len(numbers)], strict=True):
        match numbers[k]:
            case "M":
                pieces.append([float(x) for x in numbers[k + 1 : end]])
            case "L":
                pieces[-1] += [float(x) for x in numbers[k + 1 : end]]
            case _:
                closed = "z"
    return "".join(_steps(np.reshape(piece, (-1, 2))) for piece in pieces) + closed


def _steps(points: np.ndarray) -> str:
    kept = points[_needed(points)] if len(points) > LONG else points
    tenths = np.round(10 * kept).astype(int)
    first, *rest = np.diff(tenths, axis=0, prepend=0).tolist()
    steps = "".join(f" {_tenth(x)} {_tenth(y)}" for x, y in rest if x or y)
    return f"M{_tenth(first[0])} {_tenth(first[1])}" + (f"l{steps[1:]}" if steps else "")


def _needed(points: np.ndarray) -> np.ndarray:
    """Return which points a curve needs (Ramer, Douglas and Peucker).

    D. Douglas, T. Peucker, *Algorithms for the reduction of the number of points required to
    represent a digitized line or its caricature*, Cartographica 10(2), 1973.
    """
    kept = np.zeros(len(points), dtype=bool)
    kept[[0, -1]] = True
    waiting = [(0, len(points) - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        between, along = points[a + 1 : b] - points[a], points[b] - points[a]
        length = np.hypot(*along)
        # where it ends where it begins, the distance is that from there
        off = np.abs(along[0] * between[:, 1] - along[1] * between[:, 0]) / (length or 1)
        off = off if length else np.hypot(*between.T)
        worst = int(off.argmax())
        if off[worst] > NEAR:
            kept[a + 1 + worst] = True
            waiting += [(a, a + 1 + worst), (a + 1 + worst, b)]
    return kept


def _tenth(x: int) -> str:
    return f"{x / 10:.1f}".removesuffix(".0")


def _unwrapped(svg: str) -> str:
    """Return a drawing without groups that say nothing."""
    opened: list[bool] = []

    def kept(match: re.Match[str]) -> str:
        if match[0].startswith("</"):
            return match[0] if opened.pop() else ""
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
