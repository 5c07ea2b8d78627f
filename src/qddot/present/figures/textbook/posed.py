"""An arm in the pose and at the scale in which it is drawn; lengths without a value are equal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from qddot.dynamics.capsules import TINY, centre, tip
from qddot.dynamics.kinematics import body_poses
from qddot.equations.dh_table import latex_of
from qddot.equations.exact_tree import ExactRobot
from qddot.equations.latex import LatexWriter
from qddot.model.folding import fold
from qddot.model.link import Link, Placement
from qddot.model.model import Model, mapped
from qddot.model.tree import BASE, Tree
from qddot.present.figures.textbook.pose import TALL, WIDE, floats, pose_and_view, reach
from qddot.present.figures.textbook.sheet import Pen, Sheet
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, free_symbols
from qddot.spatial.pose import Pose

PART = 0.5  # of a length, where only a centre of mass is at it
DIGITS = 4  # of a number beside a link
TWIST = math.pi / 6  # [rad] of an angle without a value


@dataclass(frozen=True)
class Leg:
    """A straight part of a link, from joint towards joint, in base axes [m]."""

    body: int
    start: np.ndarray
    end: np.ndarray
    latex: str  # how long it is


@dataclass(frozen=True)
class PosedArm:
    """A robot with numbers, somewhere on paper."""

    model: Model  # as written
    values: Mapping[str, float]  # of the symbols in it
    tree: Tree  # in numbers
    q: np.ndarray
    axes: np.ndarray  # (2, 3): to the right and upwards, in base axes
    flat: bool  # whether it moves in the plane of the paper
    frames: tuple[str, ...]  # those that are drawn, one for each body

    @cached_property
    def poses(self) -> dict[int, Pose]:
        """X_WB of every body."""
        return body_poses(self.tree, self.q)

    @cached_property
    def out(self) -> np.ndarray:
        """The direction out of the paper."""
        return np.cross(*self.axes)

    def frame(self, name: str) -> Pose:
        """Return the pose of a frame in the base."""
        body, X_BF = self.tree.frame(name)
        return self.poses[body] @ X_BF

    @cached_property
    def origins(self) -> list[np.ndarray]:
        """Where the joints are on what carries them, in base axes."""
        return [floats((self.poses[b.parent] @ b.X_PJ).p) for b in self.tree.bodies]

    def axis(self, i: int) -> np.ndarray:
        """Return the direction about or along which body i moves."""
        return floats(self.poses[i].R @ self.tree.bodies[i].axis)

    @cached_property
    def scale(self) -> float:
        """Centimetres of paper for a metre."""
        points = self.skeleton @ self.axes.T
        wide, tall = np.maximum(np.ptp(points, axis=0), 0.1 * reach(self.tree))
        return min(WIDE / wide, TALL / tall)

    @cached_property
    def skeleton(self) -> np.ndarray:
        """Everything that must be on the paper, (k, 3) [m]."""
        points = [np.zeros(3)]
        points += [point for leg in self.legs for point in (leg.start, leg.end)]
        points += [floats(self.poses[i].p) for i in range(len(self.tree.bodies))]
        if self.flat:
            points += [self.centre(i) for i in self.heavy]
        return np.array(points)

    def at(self, point: np.ndarray) -> np.ndarray:
        """Return a point of the base on paper [cm]."""
        return self.scale * (self.axes @ point)

    def seen(self, direction: np.ndarray) -> np.ndarray:
        """Return a direction on paper, shorter the more it points out of it."""
        return self.axes @ direction

    # masses

    @cached_property
    def heavy(self) -> list[int]:
        """The bodies that have mass."""
        return [i for i, b in enumerate(self.tree.bodies) if float(b.inertia.m) > 0]

    def centre(self, i: int) -> np.ndarray:
        """Return the centre of mass of a body in the base."""
        return floats(self.poses[i].point(centre(self.tree.bodies[i].inertia)))

    def massive(self, i: int) -> list[Link]:
        """Return the links with mass that body i is made of."""
        frames = self.tree.frames
        return [x for x in self.model.links if x.inertial.mass and frames[x.name][0] == i]

    def mass(self, i: int) -> str:
        """Return the mass of body i in LaTeX: as it was written, if it is that of one link."""
        parts = self.massive(i)
        if len(parts) == 1 and not self.model.payloads:
            return self.size(parts[0].inertial.mass, "kg")
        return self.size(float(self.tree.bodies[i].inertia.m), "kg")

    # the skeleton

    @cached_property
    def legs(self) -> list[Leg]:
        """The straight parts of all links, as their placements were written down."""
        ends = dict(self._ends())
        wanted: set[str] = set()
        above = {joint.child: joint.parent for joint in self.model.joints}
        for link in [*ends, *(j.child for j in self.model.joints if j.moves)]:
            while link not in wanted:
                wanted.add(link)
                link = above.get(link, link)
        found: list[Leg] = []
        for joint in self.model.joints:
            if joint.child in wanted:
                found += self._along(joint.parent, joint.origin)
        for link, placement in ends.items():
            found += self._along(link, placement)
        return found

    def _ends(self) -> Iterator[tuple[str, Placement]]:
        """Yield where branches end: a link, and a place on it."""
        carriers = {body.parent for body in self.tree.bodies}
        further = {frame.name: (frame.link, frame.placement) for frame in self.model.frames}
        for i in range(len(self.tree.bodies)):
            names = [name for name, (body, _) in self.tree.frames.items() if body == i]
            if "tool" not in names and i in carriers:
                continue
            far = tip(self.tree, i)
            near = [n for n in names if np.allclose(floats(self.tree.frames[n][1].p), far)]
            name = "tool" if "tool" in names else (near or [self.frames[i]])[0]
            yield further.get(name, (name, Placement()))

    def _along(self, link: str, placement: Placement) -> Iterator[Leg]:
        """Yield the steps of a placement: along the joint's own axis first."""
        body, X = self.tree.frames[link][0], self.frame(link)
        at, R = floats(X.p), floats(X.R)
        first = self.axes[1] if body == BASE else self.axis(body)
        numbers = [self.number(x) for x in placement.xyz]
        order = sorted(range(3), key=lambda k: (-round(abs(float(first @ R[:, k])), 3), k))
        for k in order:
            if abs(numbers[k]) > TINY:
                end = at + R[:, k] * numbers[k]
                yield Leg(body, at, end, self.size(placement.xyz[k]))
                at = end

    def number(self, x: Scalar) -> float:
        """Return a number of the model, with the values that its symbols have here."""
        return float(value_of(x, self.values))

    def size(self, x: Scalar, unit: str = "m") -> str:
        """Return how large something is, in LaTeX: a symbol, or a short number with its unit."""
        if free_symbols(x):
            return latex_of(-x if self.number(x) < 0 else x)
        number = LatexWriter(0, DIGITS).number(Fraction(str(abs(self.number(x)))))
        return rf"{number}\,\mathrm{{{unit}}}"


def posed(robot: ExactRobot, frames: Sequence[str]) -> PosedArm:
    """Return the arm as it will be drawn."""
    model = robot.model
    values = example_values(model)
    tree = fold(mapped(model, lambda x: value_of(x, values)))
    return PosedArm(model, values, tree, *pose_and_view(model, tree), tuple(frames))


def value_of(x: Scalar, values: Mapping[str, float]) -> Scalar:
    return float(x.evaluate(values)) if isinstance(x, Expression) else x


def example_values(model: Model) -> dict[str, float]:
    """Return values for the symbols of a model: every length the same."""
    placements = [*(j.origin for j in model.joints), *(f.placement for f in model.frames)]
    angles = {name for p in placements for x in p.rpy for name in free_symbols(x)}
    lengths = {name for p in placements for x in p.xyz for name in free_symbols(x)}
    inside = {name for link in model.links for x in link.inertial.com for name in free_symbols(x)}
    values = dict.fromkeys(model.symbols, 1.0)
    values |= dict.fromkeys(inside - lengths, PART)
    return values | dict.fromkeys(angles, TWIST)


LENGTH = 0.85  # [cm]
SEEN = 0.25  # of an axis, at least, on paper
WIDTH = 0.04


def draw_frames(arm: PosedArm, sheet: Sheet, letters: str, length: float = LENGTH) -> None:
    """Draw the axes of the base's frame and of those that the user defined, of a length [cm].

    Axes that point out of the paper are left out; others are `length` long [cm].
    """
    axes: dict[tuple[float, ...], tuple[np.ndarray, np.ndarray, str, list[str]]] = {}
    for k, name in enumerate([arm.model.links[0].name, *arm.frames]):
        X = arm.frame(name)
        at = arm.at(floats(X.p))
        for letter in "xyz" if k == 0 else letters:
            direction = arm.seen(floats(X.R)[:, "xyz".index(letter)])
            if np.linalg.norm(direction) < SEEN:
                continue
            # axes that lie on one another are drawn once, with all their names
            place = (*(at.round(2) + 0.0), *(direction.round(2) + 0.0))
            found = axes.setdefault(place, (at, direction, letter, []))
            found[3].append(f"{letter}_{{{k}}}")
    for at, direction, letter, names in axes.values():
        end = at + length * direction
        sheet.path(at, end, pen=Pen(WIDTH, letter), arrow="end")
        alike = {name[0] for name in names} == {letter}
        sheet.label(end, ", ".join(names), direction, colour=letter if alike else "ink")
