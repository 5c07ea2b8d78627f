"""A drawing of lines: strokes first, then labels where nothing is in their way.

It is one list of paths, arcs, circles and formulas, in centimetres, y upwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from qddot.equations.layout import width
from qddot.present.figures.view import unit

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


DIRECTIONS = 16  # around a point, in which its label may stand
NEAR = (0.04, 0.12, 0.24, 0.4, 0.6)  # [cm] free room between a point and its label
AWAY = 0.35  # what a turn of 90° away from the wanted direction costs, as centimetres
ON_LABEL, ON_STROKE = 50.0, 0.12  # what a label on another costs; on a point of a stroke
PALE = 0.5  # of what a stroke costs, where it is pale
HATCH = 0.11  # [cm] between two lines of ground
GAP, OVER = 0.16, 0.07  # [cm] of the lines at the ends of a length: from it, and beyond its arrows
ON_ARC = 3.0  # how much worse it is to cross an angle than another line
CROSSED = 0.3  # [cm] what is as near as this is in the way
CENTRE = 0.13  # [cm] radius of a centre of mass


@dataclass(frozen=True)
class Wish:
    """A label, the point that it belongs to, and the direction in which it should stand."""

    at: np.ndarray
    latex: str
    toward: np.ndarray
    room: float  # [cm] around the point
    colour: str


@dataclass
class Sheet:
    """What has been drawn so far [cm]."""

    font: float = FONT
    strokes: list[Stroke] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)

    def path(
        self, *points: np.ndarray, pen: Pen = LINE, arrow: str = "", closed: bool = False
    ) -> None:
        """Draw straight lines from point to point."""
        self.strokes.append(Polyline(np.array(points, dtype=float), pen, arrow, closed))

    def arc(
        self,
        centre: np.ndarray,
        radius: float,
        start: float,
        end: float,
        pen: Pen = LINE,
        arrow: str = "",
    ) -> None:
        """Draw a part of a circle."""
        self.strokes.append(Arc(np.array(centre, dtype=float), radius, start, end, pen, arrow))

    def disc(self, centre: np.ndarray, radius: float, pen: Pen = SHAPE) -> None:
        """Draw a circle."""
        self.strokes.append(Disc(np.array(centre, dtype=float), radius, pen))

    def text(self, at: np.ndarray, latex: str) -> None:
        """Write a formula exactly there."""
        self.strokes.append(FormulaLabel(np.array(at, dtype=float), latex, self.font))

    def label(
        self, at: np.ndarray, latex: str, toward: np.ndarray, room: float = 0.0, colour: str = "ink"
    ) -> None:
        """Write a formula near a point, once all is drawn."""
        self.wishes.append(Wish(np.array(at, dtype=float), latex, toward, room, colour))

    # what textbooks have signs for

    def ground(self, middle: np.ndarray, inward: np.ndarray, half: float) -> None:
        """Draw a hatched line; the hatching is on the side of `inward`."""
        along = np.array([-inward[1], inward[0]])
        self.path(middle - half * along, middle + half * along)
        count = max(3, round(2 * half / HATCH))
        for k in range(count):
            start = middle + (-half + (k + 0.7) * 2 * half / count) * along
            self.path(start, start + HATCH * 1.3 * (inward - 0.7 * along), pen=THIN)

    def centre_of_mass(self, at: np.ndarray, radius: float = CENTRE) -> None:
        """Draw the quartered circle of a centre of mass."""
        self.disc(at, radius, Pen(0.0, inside="paper"))
        for start in (0.0, math.pi):
            rim = Arc(at, radius, start, start + math.pi / 2).samples()
            self.path(at, *rim, pen=SOLID, closed=True)
        self.disc(at, radius, RIM)

    def dimension(
        self, start: np.ndarray, end: np.ndarray, aside: np.ndarray, latex: str, arrow: str = "both"
    ) -> None:
        """Draw a line with arrows beside a length, and say how long that is."""
        beyond = aside + OVER * unit(aside)
        for point in (start, end):
            self.path(point + GAP * unit(aside), point + beyond, pen=THIN)
        self.path(start + aside, end + aside, pen=THIN, arrow=arrow)
        text = FormulaLabel((start + end) / 2 + aside, latex, self.font, on_line=True)
        if 2 * max(text.half) + 3 * TIP_LONG < math.dist(start, end):
            self.strokes.append(text)
        else:
            self.label(text.at, latex, unit(aside))

    def gravity(self, down: np.ndarray | None, latex: str) -> None:
        """Draw the field of gravity beside everything; None where it points into the paper."""
        points = np.vstack([stroke.samples() for stroke in self.strokes])
        top = np.array([points[:, 0].max() + 0.8, points[:, 1].max() - 0.1])
        if down is None:
            self.disc(top, 0.14)
            for turn in (1, -1):
                reach = 0.1 * np.array([1, turn])
                self.path(top - reach, top + reach)
            self.label(top, latex, np.array([1.0, 0.0]), 0.14)
            return
        self.path(top, top + down, arrow="end", pen=Pen(0.045))
        self.label(top + down / 2, latex, np.array([1.0, 0.0]))

    def crossed(self, start: np.ndarray, end: np.ndarray) -> float:
        """Return how much has been drawn near a line that is not drawn yet."""
        way = Polyline(np.array([start, end])).samples()
        total = 0.0
        for stroke in self.strokes:
            if not _is_pale(stroke):
                gaps = np.linalg.norm(stroke.samples()[:, None] - way[::4], axis=2).min(axis=1)
                total += (ON_ARC if isinstance(stroke, Arc) else 1.0) * (gaps < CROSSED).sum()
        return total

    # labels

    def finished(self) -> list[Stroke]:
        """Return all strokes, every label at the place near its point that is most free."""
        drawn = [stroke for stroke in self.strokes if not isinstance(stroke, FormulaLabel)]
        placed = [stroke for stroke in self.strokes if isinstance(stroke, FormulaLabel)]
        samples = [stroke.samples() for stroke in drawn]
        points = np.vstack(samples)
        each = [PALE if _is_pale(stroke) else 1.0 for stroke in drawn]
        costs = np.repeat(each, [len(found) for found in samples])
        middles, halves = [text.at for text in placed], [text.half for text in placed]
        for wish in self.wishes:
            half = FormulaLabel(wish.at, wish.latex, self.font).half
            at, cost = self._choices(wish, half)
            near = np.all(np.abs(points - wish.at) < 2 * half + wish.room + NEAR[-1], axis=1)
            inside = np.all(np.abs(points[near] - at[:, None]) < half, axis=2)
            cost = cost + ON_STROKE * inside @ costs[near]
            if middles:
                on = np.abs(np.array(middles) - at[:, None]) < half + np.array(halves)
                cost = cost + ON_LABEL * np.all(on, axis=2).sum(axis=1)
            placed.append(FormulaLabel(at[int(cost.argmin())], wish.latex, self.font, wish.colour))
            middles.append(placed[-1].at)
            halves.append(half)
        return [*drawn, *placed]

    @staticmethod
    def _choices(wish: Wish, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where the middle of a label may be, (k, 2), and what is lost by it, (k,)."""
        first = math.atan2(wish.toward[1], wish.toward[0])
        angles = first + 2 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
        ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        # its edge, not its middle, is that far from the point
        reach = (half / np.maximum(np.abs(ways), 1e-9)).min(axis=1)
        far = wish.room + reach[:, None] + np.array(NEAR)
        cost = np.array(NEAR) + AWAY * (1 - np.cos(angles - first))[:, None]
        return (wish.at + far[:, :, None] * ways[:, None]).reshape(-1, 2), cost.reshape(-1)


def _is_pale(stroke: Stroke) -> bool:
    return not isinstance(stroke, FormulaLabel) and (stroke.pen.pale or stroke.pen == DASHED)
