"""The equation of one joint alone, and its roots: the classical subproblems, over any scalar.

Each says that joint k, which takes m to E_k m, must bring something to where the pose has it:

    E_k m = y                    one vector onto another         Paden and Kahan's subproblem 1
    |E_k m − o| = ρ              a distance from a point         subproblem 3
    n · E_k m = d                a height above a plane, or      Elias and Wen's subproblem 4
                                 an angle between directions

(B. Paden, PhD thesis, Berkeley 1986; A. Elias, J. Wen, *IK-Geo*, Mechanism and Machine Theory 2025,
arXiv 2211.05737.) Of a joint that turns, the last two are A cos q + B sin q = C; of one that slides
they are a quadratic and a linear equation. A root that rounding, or a pose out of reach, has made
complex is replaced by the nearest real one: whether that closes is asked of the whole arm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.kinematics.chain import JointLine
from qddot.program.operations import select
from qddot.program.recorded import Recorded
from qddot.scalars import Scalar, Vec3, sqrt
from qddot.spatial.vector import cross

NO_LEVER = 1e-13  # a vector shorter than this [m, or 1] is rounding, and points nowhere


@dataclass(frozen=True)
class Position:
    """Where a joint stands: a turn by its cosine and sine, or a slide by its length."""

    c: Scalar = 1
    s: Scalar = 0
    d: Scalar = 0
    y: Scalar = 0  # the angle is that of the point (x, y)
    x: Scalar = 1
    margin: Scalar = 1  # to the fourth: 0 where the position is any, or two solutions are one
    lever: Scalar = 1  # to the fourth: 0 where the position is any
    off: Scalar = 0  # the square of what the joint leaves between one vector and the other
    beyond: Scalar = 0  # the square of cos² + sin² − 1
    least: Scalar = NO_LEVER**4  # the lever, to the fourth, below which this one stands in

    @staticmethod
    def at(axis: JointLine, sine: Scalar, cosine: Scalar, d: Scalar) -> Position:
        """Return a position that is given: of a turn by sine and cosine, of a slide by d."""
        return Position(cosine, sine, y=sine, x=cosine) if axis.turns else Position(d=d)


def moved(axis: JointLine, at: Position, v: Vec3, point: bool, back: bool = False) -> Vec3:
    """Return E v, or E⁻¹ v: where a joint takes a point or a direction."""
    if not axis.turns:
        return v + (-at.d if back else at.d) * axis.h if point else v
    centre = axis.p if point else 0 * axis.p
    return centre + turned(axis.h, at.c, -at.s if back else at.s, v - centre)


def turned(h: Vec3, c: Scalar, s: Scalar, v: Vec3) -> Vec3:
    """Return a vector turned about a unit direction: h (h·v) + c v⊥ + s h × v."""
    along = h * (h @ v)
    return along + c * (v - along) + s * cross(h, v)


Roots = list[Position]


def onto(h: Vec3, m: Vec3, y: Vec3, spare: Position) -> tuple[Scalar, Callable[[], Roots]]:
    """Return the turn about h that takes m onto y, both seen from the axis: its size and its root.

    The size is how much there is to go by, |m⊥|² |y⊥|². Where that is rounding, `spare` stands in.
    """
    S = h @ cross(m, y)
    C = m @ y - (h @ m) * (h @ y)
    size = S * S + C * C

    def roots() -> Roots:
        clear = size > spare.least
        square = _guarded(size, clear, 1.0)
        sine, cosine = _guarded(S, clear, spare.s), _guarded(C, clear, spare.c)
        scale = 1 / sqrt(square)
        return [Position(cosine * scale, sine * scale, 0, sine, cosine, size, size, off())]

    def off() -> Scalar:
        """Return |E m − y|²: what is left along h, and (|m⊥| − |y⊥|)², near zero without roots."""
        along, a, b = h @ (m - y), m @ m - (h @ m) ** 2, y @ y - (h @ y) ** 2
        return along * along + (a - b) ** 2 / (2 * (a + b) + sys.float_info.min)

    return size, roots


def onto_unit(h: Vec3, m: Vec3, y: Vec3) -> tuple[Scalar, Callable[[], Roots]]:
    """Return the turn about h that takes m onto y, unit vectors across h if there is a solution.

    Then sine and cosine need no division; if there is none, they are not of an angle.
    """
    S, C = h @ cross(m, y), m @ y
    return 1, lambda: [Position(C, S, y=S, x=C)]


def to_level(
    A: Scalar, B: Scalar, C: Scalar, gap: Scalar | None, spare: Position
) -> tuple[Scalar, Callable[[], Roots]]:
    """Return the turns with A cos q + B sin q = C: their size A² + B² and the two of them.

    With w² = A² + B² − C², or what is given for it where that has more digits:

        cos q = (A C ∓ B w)/(A² + B²)        sin q = (B C ± A w)/(A² + B²)

    Out of reach, where w² is negative and taken as 0, these are not of an angle: `beyond` says so.
    """
    size = A * A + B * B

    def roots() -> Roots:
        a, b, c, square = A, B, C, size
        zero = _plain(C) and C == 0
        if not _plain(size):
            clear = size * size > spare.least
            a, b = _guarded(A, clear, spare.c), _guarded(B, clear, spare.s)
            square = _guarded(size, clear, 1.0)
            c = C if zero else _guarded(C, clear, 1.0)
        w2 = square - c * c if gap is None else gap
        scale = 1 / square
        beyond = (np.minimum(w2, 0) * scale) ** 2 if not zero else 0
        w2 = np.maximum(w2, 0)
        w = sqrt(w2)
        ac, bc, aw, bw = a * c, b * c, a * w, b * w
        sides = ((bc + aw, ac - bw), (bc - aw, ac + bw))
        lever = size * size
        margin = np.minimum(w2 * w2, lever)
        return [
            Position(x * scale, y * scale, 0, y, x, margin, lever, beyond=beyond) for y, x in sides
        ]

    return size, roots


def _guarded(x: Scalar, clear: Scalar, instead: Scalar) -> Scalar:
    """Return x where that is clear, else ±instead; of −x it is minus that of x."""
    if isinstance(x, Recorded) and x.negative:
        return -select(clear, -x, instead)
    return select(clear, x, instead)


def level_of_vectors(h: Vec3, m: Vec3, n: Vec3, level: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return A, B, C of n · E m = level, the vectors seen from the axis."""
    across = h @ m
    return n @ m - (n @ h) * across, n @ cross(h, m), level - (n @ h) * across


def gap_of_distance(h: Vec3, m: Vec3, o: Vec3, square: Scalar) -> Scalar | None:
    """Return w² of |E m − o|² = square with all its digits, where both lie at constant distances.

    With a = |m⊥|, b = |o⊥| and the square less what is along h:

        w² = ¼ (square − (a − b)²) ((a + b)² − square)
    """
    if not all(_plain(x) for x in (*m, *o)):
        return None
    a, b = (
        float(np.linalg.norm(np.array(turned(h, 1, 0, v) - h * (h @ v), float))) for v in (m, o)
    )
    square = square - (h @ (m - o)) ** 2
    return (square - (a - b) ** 2) * ((a + b) ** 2 - square) / 4


def gap_of_angle(h: Vec3, m: Vec3, n: Vec3, y: Vec3) -> Scalar | None:
    """Return w² of n · E m = n · y with all its digits, where n may become parallel to y.

    That is where n and m have the same angle to h: l = n·h = ±m·h. With unit vectors, c = n·y:

        w² = (1 − c) (1 + c − 2 l²),    1 − c = |n × y|²/(1 + c)                (for −: −c)
    """
    l, k = n @ h, m @ h
    if not (_plain(l) and _plain(k)) or abs(abs(l) - abs(k)) > 1e-14:
        return None
    across = cross(n, y)
    square, c = across @ across, n @ y
    if l == 0:
        return square
    if l * k < 0:
        c = -c
    below = select(c > 0, square / (1 + abs(c)), 1 - c)
    return below * (1 + c - 2 * float(l) ** 2)


def slides(axis_h: Vec3, m: Vec3, o: Vec3, square: Scalar) -> tuple[Scalar, Callable[[], Roots]]:
    """Return the slides q with |m + q h − o|² = square."""
    along = axis_h @ (m - o)
    across = m - o - axis_h * along

    def roots() -> Roots:
        w2 = np.maximum(square - across @ across, 0)
        w = sqrt(w2)
        return [Position(d=w - along, margin=w2 * w2), Position(d=-w - along, margin=w2 * w2)]

    return 1, roots


def slide(value: Scalar, rate: Scalar, spare: Position) -> tuple[Scalar, Callable[[], Roots]]:
    """Return the slide q with rate · q = value: the size rate² and the root.

    Where the rate is rounding, as of a slide parallel to another, `spare` stands in.
    """
    if _plain(rate):
        return rate * rate, lambda: [Position(d=value / rate)]
    lever = rate**4
    clear = lever > spare.least
    d = select(clear, value / select(clear, rate, 1.0), spare.d)
    return rate * rate, lambda: [Position(d=d, margin=lever, lever=lever)]


def across(h: Vec3) -> Vec3:
    """Return a unit vector across a direction, along an axis of the base where possible."""
    h = np.array(h, dtype=float)
    e = np.eye(3)[int(np.abs(h).argmin())]
    rest = e - h * (h @ e)
    return rest / np.linalg.norm(rest)


def _plain(x: Any) -> bool:
    return isinstance(x, (int, float, np.number))
