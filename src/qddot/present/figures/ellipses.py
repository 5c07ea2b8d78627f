"""Ellipses of an arm in a plane, ellipsoids of any other, drawn: effective masses and the like.

Of masses they show the force at the tip that 1 m/s² in every direction takes: half the length of an
axis is the principal mass along it. One too long for the picture is drawn open: it goes on, for
ever where the arm is singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.arm import FAR, arm_axes, box_around, draw_arm
from qddot.present.figures.skeleton import Skeleton

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TYPICAL, LONGEST = 0.13, 0.3  # half an axis, in parts of the size of the arm
FORCES, SKEW = style.colour(0), style.colour(1)  # the ellipse; an example that is not parallel
AXIS = (style.colour(2), style.colour(3))  # of the lighter and the heavier direction
OPEN = 2.6  # how far a panel of forces shows a mass that is infinite, in parts of the finite one
ROUND = 121  # points of an outline
RINGS, SIDES = 17, 25  # points of a surface, along its longest axis and round it
THINNEST = 0.6  # side of a box in space, in parts of the longest


@dataclass(frozen=True)
class Ellipses:
    """Arms in a plane or in space and the masses that their tips seem to have."""

    skeleton: Skeleton
    points: np.ndarray  # (k, points, d) [m], of the skeletons
    tips: np.ndarray  # (k, d) [m]
    masses: np.ndarray  # (k, d) [kg], ascending, or other half axes
    axes: np.ndarray  # (k, d, d), the principal axes, one a column
    names: tuple[str, ...]  # what the d directions are called
    title: str
    what: str = "force at the tip for 1 m/s² in every direction"
    unit: str = "N"

    @property
    def note(self) -> str:
        """What the ellipses are, and how large."""
        kind = "ellipses" if self.axes.shape[-1] == 2 else "ellipsoids"
        return f"{kind}: {self.what}; 0.1 m is {0.1 / self.scale:.3g} {self.unit}"

    @property
    def size(self) -> float:
        """How large the arm is [m]."""
        spread = np.concatenate([self.points.reshape(-1, self.points.shape[-1]), self.tips])
        return max(float(np.ptp(spread, axis=0).max()), 1e-3)

    @property
    def scale(self) -> float:
        """How many metres of the picture a kilogram is: such that one can see most of them."""
        heavy = np.where(np.isfinite(self.masses), self.masses, 0).max(axis=1)
        usual = float(np.median(heavy)) or float(heavy.max()) or 1.0
        return TYPICAL * self.size / usual


def outline(masses: np.ndarray, axes: np.ndarray, longest: float) -> np.ndarray:
    """Return an ellipse of forces as a line (m, 2), cut where it is longer than the longest.

    The masses (2,) are half its axes, ascending; the axes (2, 2) are unit vectors, one a column.
    NaN stands where the pen is lifted.
    """
    light, heavy = masses
    if light > longest:
        return np.full((1, 2), np.nan)
    if heavy <= longest:
        angle = np.linspace(0, 2 * np.pi, ROUND)
        return np.column_stack([light * np.cos(angle), heavy * np.sin(angle)]) @ axes.T
    along = np.linspace(-longest, longest, ROUND // 3)
    side = light * np.sqrt(1 - (along / heavy) ** 2)
    gap = np.full((1, 2), np.nan)
    sides = [np.column_stack([sign * side, along]) for sign in (1, -1)]
    return np.concatenate([sides[0], gap, sides[1]]) @ axes.T


def surface(masses: np.ndarray, axes: np.ndarray, longest: float) -> np.ndarray:
    """Return an ellipsoid of forces as a surface, open where it is longer than the longest.

    The masses (3,) are half its axes, ascending; the axes (3, 3) are unit vectors, one a column.
    The points have the shape (RINGS, SIDES, 3).
    """
    light, middle, heavy = masses
    if heavy > longest:
        along = np.linspace(-longest, longest, RINGS)
    else:
        along = heavy * np.sin(np.linspace(-np.pi / 2, np.pi / 2, RINGS))
    narrow = np.sqrt(np.maximum(1 - (along / heavy) ** 2, 0))
    angle = np.linspace(0, 2 * np.pi, SIDES)
    local = np.stack(
        [
            np.outer(narrow * min(light, longest), np.cos(angle)),
            np.outer(narrow * min(middle, longest), np.sin(angle)),
            np.outer(along, np.ones(SIDES)),
        ],
        axis=-1,
    )
    return local @ axes.T


def draw_outline(axes: Axes, centre: Any, line: np.ndarray, colour: str = FORCES) -> None:
    """Draw an ellipse, filled where it is closed."""
    where = np.asarray(centre) + line
    if np.isfinite(line).all():
        axes.fill(*where.T, color=colour, alpha=0.15, linewidth=0)
    axes.plot(*where.T, color=colour, linewidth=style.LINE)


def ellipses(shown: Ellipses) -> Figure:
    """Return a figure of an arm at several q, each with the ellipse of forces at its tip."""
    scale, longest = shown.scale, LONGEST * shown.size
    lines = [
        outline(scale * masses, axes, longest)
        for masses, axes in zip(shown.masses, shown.axes, strict=True)
    ]
    result = style.figure(6.4, 5.0)
    _arms(result, shown, lines)
    style.write(result.supxlabel("", fontsize=style.SMALL), shown.note)
    return result


def at_one_place(shown: Ellipses) -> Figure:
    """Return the deck's figure: the arm, the circle of accelerations, the ellipse of forces."""
    scale, longest = shown.scale, LONGEST * shown.size
    masses, directions = shown.masses[0], shown.axes[0]
    result = style.figure(10.5, 3.4)
    parts: Any = result.subfigures(1, 3, width_ratios=(1.2, 1, 1))
    left, middle, right = parts
    _arms(left, shown, [outline(scale * masses, directions, longest)])
    # the acceleration whose force is farthest from parallel
    ratio = np.sqrt(masses[0] / masses[1]) if np.isfinite(masses[1]) else 0.0
    angle = np.arctan(ratio)
    skew = directions @ [np.cos(angle), np.sin(angle)]
    arrows = [(skew, SKEW)] if 1e-6 < ratio < 1 - 1e-6 else []
    arrows += [(directions[:, k], AXIS[k]) for k in (0, 1) if np.isfinite(masses[k])]
    forces = directions * np.where(np.isfinite(masses), masses, 0) @ directions.T
    circle = outline(np.ones(2), np.eye(2), 2.0)
    farthest = masses[np.isfinite(masses)].max(initial=0) or 1.0
    farthest *= 1.0 if np.isfinite(masses).all() else OPEN
    ellipse = outline(masses, directions, farthest)
    _vectors(middle, shown, circle, arrows, 1.0, ("acceleration", "m/s²"))
    panel = _vectors(
        right, shown, ellipse, [(forces @ a, c) for a, c in arrows], farthest, ("force", "N")
    )
    _name_masses(panel, masses, directions, farthest)
    if arrows and arrows[0][1] is SKEW:
        turned = np.degrees(np.arccos(np.clip(skew @ forces @ skew / _norm(forces @ skew), -1, 1)))
        words = f"orange: force and acceleration are {turned:.1f}° apart"
    else:
        words = "force and acceleration are parallel wherever the arm can move"
    style.write(result.supxlabel("", fontsize=style.SMALL), words)
    return result


def ellipsoids(shown: Ellipses) -> Figure:
    """Return a figure of an arm at one or several q, each with the ellipsoid at its tip."""
    scale, longest = shown.scale, LONGEST * shown.size
    solids = [
        tip + surface(scale * masses, axes, longest)
        for tip, masses, axes in zip(shown.tips, shown.masses, shown.axes, strict=True)
    ]
    places = np.concatenate([points.reshape(-1, 3) for points in (*shown.points, *solids)])
    result = style.figure(6.4, 5.6)
    axes: Any = arm_axes(result, box_around(_with_room(places)), shown.names)
    count = len(shown.points)
    for k, points in enumerate(shown.points):
        ends = k in (0, count - 1)
        draw_arm(axes, shown.skeleton, points, 0.9 if ends else FAR, 0.8 if ends else 0.5)
    if count > 1:
        axes.plot(*shown.tips.T, color=style.QUIET, linewidth=style.THIN, linestyle="--")
    for solid in solids:
        x, y, z = np.moveaxis(solid, -1, 0)
        axes.plot_surface(
            x, y, z, color=FORCES, alpha=0.25, linewidth=0, shade=False, rasterized=True
        )
        # three sections, so that its shape can be read
        for line in (solid[RINGS // 2], solid[:, 0], solid[:, SIDES // 2]):
            axes.plot(*line.T, color=FORCES, linewidth=style.THIN)
        for k in (SIDES // 4, 3 * SIDES // 4):
            axes.plot(*solid[:, k].T, color=FORCES, linewidth=style.THIN)
    style.write(result.suptitle("", fontsize=style.NORMAL), shown.title)
    style.write(result.supxlabel("", fontsize=style.SMALL), shown.note)
    return result


def _arms(owner: Any, shown: Ellipses, lines: list[np.ndarray]) -> Axes:
    """Draw the arms, faint but for the first and the last, and the ellipses at their tips."""
    outlines = [tip + line for tip, line in zip(shown.tips, lines, strict=True)]
    places = np.concatenate([*shown.points, shown.tips, *outlines])
    axes = arm_axes(owner, box_around(places), shown.names)
    count = len(shown.points)
    for k, points in enumerate(shown.points):
        draw_arm(axes, shown.skeleton, points, 0.9 if k in (0, count - 1) else FAR, 0.7)
    if count > 1:
        axes.plot(*shown.tips.T, color=style.QUIET, linewidth=style.THIN, linestyle="--")
    for tip, line in zip(shown.tips, lines, strict=True):
        draw_outline(axes, tip, line)
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), shown.title)
    return axes


def _vectors(
    owner: Any,
    shown: Ellipses,
    line: np.ndarray,
    arrows: list[tuple[np.ndarray, str]],
    farthest: float,
    what: tuple[str, str],
) -> Axes:
    """Draw a panel of vectors: an outline, and arrows from its middle."""
    axes = owner.add_subplot()
    style.dress(axes)
    draw_outline(axes, (0, 0), line)
    for end, colour in arrows:
        axes.annotate(
            "",
            xy=tuple(end),
            xytext=(0, 0),
            arrowprops=dict(arrowstyle="-|>", color=colour, linewidth=1.8, shrinkA=0, shrinkB=0),
        )
    room = 1.4 * farthest
    axes.set(xlim=(-room, room), ylim=(-room, room), aspect="equal")
    axes.set_xlabel(f"{what[0]} along {shown.names[0]} [{what[1]}]")
    axes.set_ylabel(f"{what[0]} along {shown.names[1]} [{what[1]}]")
    return axes


def _name_masses(axes: Axes, masses: np.ndarray, directions: np.ndarray, farthest: float) -> None:
    """Write the principal masses at the ends of their axes, on the side that has no arrow."""
    for k, mass in enumerate(masses):
        x, y = -directions[:, k]
        end = min(mass, farthest) + 0.08 * farthest
        word = f"{_kg(mass)} kg" if np.isfinite(mass) else "∞ kg"
        ha = "left" if x > 0.4 else "right" if x < -0.4 else "center"
        va = "bottom" if y > 0.4 else "top" if y < -0.4 else "center"
        text = axes.text(x * end, y * end, "", fontsize=style.NORMAL, ha=ha, va=va)
        style.write(text, word)
        text.set_color(AXIS[k])


def _kg(mass: float) -> str:
    return f"{mass:.3g}"


def _norm(x: np.ndarray) -> float:
    return float(np.linalg.norm(x)) or 1.0


def _with_room(places: np.ndarray) -> np.ndarray:
    """Return the points and two more, so that no side of their box is much shorter than another."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = np.maximum(high - low, THINNEST * (high - low).max()) / 2
    return np.vstack([places, (low + high) / 2 - half, (low + high) / 2 + half])
