"""A line drawing: one list of paths, arcs, circles and formulas, in centimetres, y upwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from qddot.equations.layout import width

MARGIN = 0.15  # [cm]
FONT = 0.35  # [cm] the em of a label: 10 pt
SMALL_FONT = 0.28  # 8 pt
TIP_LONG, TIP_WIDE = 0.17, 0.06  # [cm] of an arrow
STEP = 0.06  # [cm] between the points that stand for a stroke


@dataclass(frozen=True)
class Pen:
    """How a line looks; an empty colour of the inside leaves it open."""

    width: float = 0.03  # [cm]
    colour: str = "ink"
    inside: str = ""
    dashed: bool = False
    pale: bool = False


LINE = Pen()
THIN = Pen(0.018)
DASHED = Pen(0.018, dashed=True)
SHAPE = Pen(0.03, inside="paper")
SOLID = Pen(0.0, inside="ink")
RIM = Pen(0.02)


@dataclass(frozen=True)
class Polyline:
    """Straight lines from point to point, (k, 2)."""

    points: np.ndarray
    pen: Pen = LINE
    arrow: str = ""  # "", "end" or "both"
    closed: bool = False

    def samples(self) -> np.ndarray:
        ends = np.vstack([self.points, self.points[:1]]) if self.closed else self.points
        parts = [
            a + np.linspace(0, 1, 2 + int(math.dist(a, b) / STEP))[:, None] * (b - a)
            for a, b in pairwise(ends)
        ]
        return np.vstack(parts)


@dataclass(frozen=True)
class Arc:
    """A part of a circle, from one angle to another [rad], counterclockwise where that grows."""

    centre: np.ndarray
    radius: float
    start: float
    end: float
    pen: Pen = LINE
    arrow: str = ""

    def at(self, angle: float) -> np.ndarray:
        return self.centre + self.radius * np.array([math.cos(angle), math.sin(angle)])

    def samples(self) -> np.ndarray:
        count = 2 + int(abs(self.end - self.start) * self.radius / STEP)
        return np.array([self.at(angle) for angle in np.linspace(self.start, self.end, count)])


@dataclass(frozen=True)
class Disc:
    """A circle."""

    centre: np.ndarray
    radius: float
    pen: Pen = SHAPE

    def samples(self) -> np.ndarray:
        rim = Arc(self.centre, self.radius, 0, 2 * math.pi).samples()
        return np.vstack([rim, self.centre[None]])


@dataclass(frozen=True)
class FormulaLabel:
    """A formula in LaTeX, around its middle."""

    at: np.ndarray
    latex: str
    font: float = FONT
    colour: str = "ink"
    on_line: bool = False  # whether it breaks the line that it stands on

    @property
    def half(self) -> np.ndarray:
        """Half its width and height [cm]."""
        low = 0.15 if "_" in self.latex else 0.0
        return self.font * np.array([width(self.latex) / 2 + 0.1, 0.45 + low])

    def samples(self) -> np.ndarray:
        return np.array([self.at - self.half, self.at + self.half])


Stroke: TypeAlias = Polyline | Arc | Disc | FormulaLabel


def corners(strokes: Iterable[Stroke]) -> np.ndarray:
    """Return the lower left and the upper right corner of a drawing, (2, 2)."""
    points = np.vstack([stroke.samples() for stroke in strokes])
    return np.array([points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN])


def arrow_tips(stroke: Polyline | Arc) -> Iterator[np.ndarray]:
    """Yield the triangles at the ends of an arrow; an arc's stands along the chord of its tip."""
    points = stroke.samples()
    for kind, way in (("end", points[::-1]), ("both", points)):
        if stroke.arrow in {kind, "both"}:
            far = np.linalg.norm(way - way[0], axis=1) >= TIP_LONG
            behind = way[far.argmax()] if far.any() else way[-1]
            along = (way[0] - behind) / max(math.dist(way[0], behind), 1e-9)
            foot, aside = way[0] - TIP_LONG * along, TIP_WIDE * np.array([-along[1], along[0]])
            yield np.array([way[0], foot + aside, foot - aside])
