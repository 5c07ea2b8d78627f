"""The joints between the base and a frame, as lines in space, and what some of them leave in place.

A robot is taken as a product of exponentials (K. Lynch, F. Park, *Modern Robotics*, 2017, section
4.1): with every joint at its zero, joint i turns about, or slides along, a line that is known, and

    X = E₁(q₁) E₂(q₂) ⋯ Eₙ(qₙ) M

Which lines are parallel and which meet is decided on exact numbers: a decimal stands for the
rational that it names, an angle for its own sine and cosine. Lines that only nearly meet do not
meet here. Where angles of many kinds make the exact expressions too long, sines and cosines are
taken with seventy digits, and 0 is what is below 1e-50: no numbers that people type come near that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import path
from qddot.errors import BadArgument, shorten
from qddot.model.tree import Tree
from qddot.scalars import Scalar, Vec3
from qddot.scalars.expressions import expression
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.vector import cross, vector

TINY = Fraction(1, 10**50)
FAR = 16  # times its length from the base's origin an arm has all digits
MOST_TERMS = 6  # of an exact coordinate; products of several of these stay short enough


@dataclass(frozen=True)
class JointLine:
    """The line of a joint at zero: E(q) turns about it, or slides along it."""

    name: str
    turns: bool
    h: Vec3  # its unit direction
    p: Vec3  # its point nearest to the base's origin, in parts of the chain's scale
    index: int  # the joint stands at ratio · q[index] + offset
    ratio: Scalar = 1
    offset: Scalar = 0


@dataclass(frozen=True)
class Chain:
    """The joints that carry a frame, from the base on, and where the frame is at zero."""

    robot: str
    frame: str
    axes: tuple[JointLine, ...]
    home: Pose  # M
    nq: int  # of the whole robot
    scale: Fraction  # what lengths are parts of [m]: about the arm's length, a power of two
    tiny: Fraction = TINY  # fractions below it are zero; exact expressions are, or are not

    @cached_property
    def numeric(self) -> Chain:
        """The same in floats; whole numbers stay whole, so that the recorder folds them."""
        axes = tuple(
            replace(axis, ratio=number(axis.ratio), offset=number(axis.offset))
            for axis in _each(self.axes, number)
        )
        return replace(self, axes=axes, home=Pose(numbers(self.home.R), numbers(self.home.p)))


def chain_of(tree: Tree, frame: str) -> Chain:
    """Return the joints between the base and a frame, of a robot with exact numbers.

    It raises BadArgument where no joint carries the frame, or one is no plain turn or slide of its
    own.
    """
    chain = _chain(tree, frame) or _chain(tree.map(_with_many_digits), frame)
    assert chain is not None  # fractions are short
    return chain


def in_digits(chain: Chain) -> Chain:
    """Return the same arm with seventy digits of each number, which never grow too long."""
    return replace(chain, axes=_each(chain.axes, _with_many_digits))


def nearly(chain: Chain, tiny: Fraction) -> Chain:
    """Return the same arm, in which lines meet or are parallel that do so nearly."""
    return replace(chain, axes=_each(chain.numeric.axes, Fraction), tiny=tiny)


def _each(axes: Sequence[JointLine], kind: Callable[[Any], Scalar]) -> tuple[JointLine, ...]:
    """Return the same lines in numbers of another kind."""
    new = np.vectorize(kind, otypes=[object])
    return tuple(replace(axis, h=new(axis.h), p=new(axis.p)) for axis in axes)


def _with_many_digits(x: Scalar) -> Fraction:
    """Return a number as a fraction that is right to seventy digits."""
    if isinstance(x, Fraction):
        return x
    from qddot.equations.values import ball_of, many_digits  # which load python-flint

    with many_digits():
        mantissa, exponent = ball_of(expression(x)).mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _chain(tree: Tree, frame: str) -> Chain | None:
    """Return the chain; None where its expressions are longer than they should be."""
    body, X_BF = tree.frame(frame)
    carrying, X, axes = path(tree, body), STILL, []
    if not carrying:
        raise BadArgument(
            f"Frame {shorten(frame)!r} of {shorten(tree.name)!r} does not move: no joint carries "
            "it, so no joint position puts it anywhere else.\n  Choose a frame beyond a joint."
        )
    for i in carrying:
        carrier, drive = tree.bodies[i], tree.drives[i]
        X = X @ carrier.X_PJ
        roles = [entry.role for entry in carrier.joint.configuration]
        if roles not in (["angle"], ["length"]):
            raise _unsuited(tree, carrier.name, "neither turns about a line nor slides along one")
        if any(axis.index == drive.index for axis in axes):
            raise _unsuited(tree, carrier.name, "follows another joint that carries the frame")
        if any(len(getattr(x, "terms", ())) > MOST_TERMS for x in (*X.R.flat, *X.p)):
            return None
        h = X.R @ vector(list(carrier.axis))
        p = X.p - h * (h @ X.p)
        ends = (drive.index, drive.ratio, drive.offset)
        axes.append(JointLine(carrier.name, roles == ["angle"], h, p, *ends))
    home = X @ X_BF
    scale = _about(np.array([*(numbers(axis.p) for axis in axes), numbers(home.p)], dtype=float))
    axes = [replace(axis, p=axis.p / scale) for axis in axes]
    return Chain(tree.name, frame, tuple(axes), Pose(home.R, home.p / scale), tree.nq, scale)


def _about(points: np.ndarray) -> Fraction:
    """Return how long the way through points is, as the nearest power of two.

    It is no less than what rounding leaves of it where the points are far from the origin.
    """
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    length = max(length, np.linalg.norm(points, axis=1).max() / FAR)
    return Fraction(2) ** round(math.log2(length)) if length > 0 else Fraction(1)


def _unsuited(tree: Tree, joint: str, why: str) -> BadArgument:
    return BadArgument(
        f"There is no closed form of inverse kinematics for {shorten(tree.name)!r}: joint "
        f"{shorten(joint)!r} {why}."
    )


# what joints leave in place, whatever their positions


def common_point(axes: Sequence[JointLine], tiny: Fraction) -> Vec3 | None:
    """Return a point that turns about all of these lines leave where it is, in floats."""
    if not axes or not all(axis.turns for axis in axes):
        return None
    first = axes[0]
    if len(axes) == 1:
        return numbers(first.p)
    second = axes[1]
    across, between = cross(first.h, second.h), second.p - first.p
    size = across @ across
    if zero(size, tiny**2) or not zero(between @ across, tiny):
        return None  # parallel, or passing each other
    along = cross(between, second.h) @ across
    for axis in axes[2:]:  # size · (point − a point of the line), along the line
        if not zero(cross((first.p - axis.p) * size + along * first.h, axis.h), tiny):
            return None
    if zero(size - 1, TINY):
        return numbers(first.p + along * first.h)
    # both are small, and lose their digits, where the angle is
    over, under = (x if isinstance(x, Fraction) else _with_many_digits(x) for x in (along, size))
    return numbers(numbers(first.p) + numbers(first.h) * number(over / under))


def common_direction(axes: Sequence[JointLine], tiny: Fraction) -> Vec3 | None:
    """Return the direction of turns about parallel lines; slides leave directions alone."""
    turns = [axis for axis in axes if axis.turns]
    if not turns or not all(zero(cross(turns[0].h, axis.h), tiny) for axis in turns[1:]):
        return None
    return turns[0].h


def kept_normal(axes: Sequence[JointLine], for_axis: JointLine, tiny: Fraction) -> Vec3 | None:
    """Return a direction n along which these joints move no point, so that n·x is kept.

    Turns are about n then, and slides across it. If there are slides only, it is the one along
    which the other joint moves points most.
    """
    slides = [axis.h for axis in axes if not axis.turns]
    n = common_direction(axes, tiny)
    if n is not None:
        return n if all(zero(n @ d, tiny) for d in slides) else None
    if not slides or any(axis.turns for axis in axes):
        return None
    spanned: list[np.ndarray] = []

    def across(d: Vec3) -> np.ndarray:
        rest = np.array(numbers(d), dtype=float)
        return rest - sum((e * (e @ rest) for e in spanned), np.zeros(3))

    for rest in map(across, slides):
        if np.linalg.norm(rest) > 1e-9:
            spanned.append(rest / np.linalg.norm(rest))
    candidates = [for_axis.h] if not for_axis.turns else [cross(for_axis.h, d) for d in slides]
    found = (rest for rest in map(across, (*candidates, *np.eye(3))) if np.linalg.norm(rest) > 1e-6)
    normal = next(found, None)
    return None if normal is None else numbers(normal / np.linalg.norm(normal))


# numbers


def number(x: Scalar) -> int | float:
    """Return a number as an int where it is whole, else as a float."""
    value = float(x)
    return round(value) if value == round(value) else value


def numbers(values: Any) -> np.ndarray:
    """Return the same array with ints where numbers are whole, else floats."""
    return np.vectorize(number, otypes=[object])(np.asarray(values, dtype=object))


def zero(values: Any, tiny: Fraction) -> bool:
    """Return whether all numbers are zero: exactly, but for fractions, which may be tiny."""
    entries = np.asarray(values, dtype=object).reshape(-1)
    return all(abs(x) < tiny if isinstance(x, Fraction) else x == 0 for x in entries)
