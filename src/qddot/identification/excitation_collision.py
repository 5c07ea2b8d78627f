"""Links that must not touch each other or the floor while an arm moves.

Links are capsules (`dynamics/capsules.py`). Where the nearest points of two of them are is one
program; how far these points are apart, and the gradient of that by q, another: the points being
the nearest, it does not matter that they move along their links.

Between two instants a distance changes by no more than half the time between them, times how fast
the links can come together. So a distance is known at every instant of a motion, not only at some.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import not_negative, numbers
from qddot.dynamics.capsules import (
    Capsule,
    distance,
    link_capsules,
    nearest,
    neighbours,
    reach,
    segment_places,
    speed_bounds,
)
from qddot.dynamics.kinematics import path
from qddot.errors import BadArgument, UnknownName, printable
from qddot.identification.excitation_limits import MotionLimits
from qddot.model.tree import BASE
from qddot.program.differentiate import gradient
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.robot import Robot

THICK = 0.05  # of the reach: the radius of links whose own is not given
CLEARANCE = 0.01  # [m], kept between links
POSTURES = 1000  # looked at, to find links that always touch
ALWAYS = 0.99  # of them
STEP = 0.001  # [m], how exactly a distance between two instants is known
FLOOR = "the floor"


@dataclass(frozen=True)
class Clearance:
    """What must stay apart, by how much; and how far apart it is."""

    robot: Robot
    capsules: list[Capsule]
    pairs: list[tuple[int, int]]  # of capsules that are watched
    standing: list[int]  # capsules that are kept above the floor
    floor: float  # its height in base axes [m]
    least: float  # how much room is kept [m]
    slides: np.ndarray  # how far each body slides at most [m]

    @property
    def names(self) -> list[str]:
        """What comes near what, one for each distance."""
        links, caps = link_names(self.robot), self.capsules
        both = [f"{links[caps[a].body]} and {links[caps[b].body]}" for a, b in self.pairs]
        return both + [f"{links[caps[k].body]} and {FLOOR}" for k in self.standing]

    def distances(self, q: np.ndarray) -> np.ndarray:
        """Return how far apart they are [m], shape (..., m); negative where they overlap."""
        return self._near.general(q)[0]

    def room(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Return how much farther than needed they are apart [m], shape (..., m)."""
        return self.distances(q) - self.least

    def pulled(self, robot: Robot, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient of Σ weights · room by q, shape (..., n)."""
        _, s, t = self._near.general(q)
        return self._pulled.general(q, s, t, weights)

    def proved(self, curve: Any, fastest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return below what no distance is at any instant of a motion [m], and when it is least.

        Each joint of the curve is so fast at most [rad/s or m/s], shape (n,).
        """
        speeds = self._bounds @ fastest
        count = int(np.ceil(curve.period * speeds.max(initial=0) / (2 * STEP))) + 1
        t = (np.arange(count) + 0.5) * (curve.period / count)
        least, when = np.full(len(speeds), np.inf), np.zeros(len(speeds))
        for part in np.array_split(t, -(-count // 20_000)):
            d = self.distances(curve.values(part)[0])
            nearer = d.min(axis=0) < least
            when = np.where(nearer, part[d.argmin(axis=0)], when)
            least = np.minimum(least, d.min(axis=0))
        return least - speeds * curve.period / (2 * count), when

    def _distances(self, q: Any, s: Any, t: Any) -> np.ndarray:
        tree, caps = self.robot.tree, self.capsules
        places = segment_places(tree, q, caps)
        apart = [
            distance(places[a], places[b], s[k], t[k]) - caps[a].radius - caps[b].radius
            for k, (a, b) in enumerate(self.pairs)
        ]
        for k in self.standing:
            first, second = places[k]
            apart.append(np.minimum(first[2], second[2]) - caps[k].radius - self.floor)
        return np.array(apart, dtype=object)

    @cached_property
    def _near(self) -> Kernel:
        def near(q: Any) -> dict[str, Any]:
            places = segment_places(self.robot.tree, q, self.capsules)
            found = [nearest(places[a], places[b]) for a, b in self.pairs]
            s, t = (np.array([x[i] for x in found], dtype=object) for i in (0, 1))
            return {"d": self._distances(q, s, t), "s": s, "t": t}

        return Kernel(optimised(record(near, "capsules", q=(self.robot.n,))))

    @cached_property
    def _pulled(self) -> Kernel:
        shapes = {"q": (self.robot.n,), "s": (len(self.pairs),), "t": (len(self.pairs),)}
        program = record(self._distances, "distances", **shapes)
        return Kernel(optimised(gradient(program, ("q",))))

    @cached_property
    def _bounds(self) -> np.ndarray:
        """How fast each distance changes at most, per speed of each coordinate, shape (m, n)."""
        tree, caps = self.robot.tree, self.capsules
        rows = [speed_bounds(tree, caps[k], self.slides) for k in self.standing]
        found = []
        for pair in self.pairs:
            ends = [end for k in pair for end, _ in caps[k].ends]
            # a joint that carries all of both does not change how far they are apart
            shared = frozenset.intersection(*(frozenset(path(tree, end)) for end in ends))
            found.append(sum(speed_bounds(tree, caps[k], self.slides, shared) for k in pair))
        return np.array([*found, *rows]).reshape(-1, tree.n)


def link_names(robot: Robot) -> dict[int, str]:
    """Return the names of the links that bodies begin with, and of the base."""
    joints = {joint.name: joint for joint in robot.model.joints}
    children = {joint.child for joint in joints.values()}
    base = [joint.parent for joint in joints.values() if joint.parent not in children]
    moving = {i: joints[body.name].child for i, body in enumerate(robot.tree.bodies)}
    return {BASE: base[0]} | moving


def clearance(
    robot: Robot,
    limits: MotionLimits,
    collision: Any = False,
    floor: float | None = None,
    least: float = CLEARANCE,
) -> tuple[Clearance | None, tuple[str, ...]]:
    """Return what must stay apart, and notes on what was assumed; None where nothing must.

    Args:
        robot: The robot.
        limits: Within which it moves.
        collision: True: links are capsules whose radius is 5 % of the reach; or a radius [m]; or
            radii by link, "*" for all others. A link of radius 0 is not looked at.
        floor: The height [m] in base axes that links stay above.
        least: How far apart things stay [m].
    """
    alone = collision is None or collision is False
    if alone and floor is None:
        return None, ()
    not_negative("clearance", least, wanted="metres, not negative")
    radii, notes = _radii(robot, True if alone else collision)
    tree = robot.tree
    capsules = link_capsules(tree, radii)
    solid = {capsule.body for capsule in capsules}
    pairs = [] if alone else list(combinations(range(len(capsules)), 2))
    pairs = [(a, b) for a, b in pairs if not neighbours(tree, capsules[a], capsules[b], solid)]
    standing = [k for k, c in enumerate(capsules) if floor is not None and c.body != BASE]
    height = 0.0 if floor is None else float(numbers("floor", floor, "a height [m]"))
    slides = np.zeros(len(tree.bodies))
    far = np.maximum(np.abs(limits.lower), np.abs(limits.upper))
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        along = max(float(np.linalg.norm(np.array(u, dtype=float))) for _, u in body.columns)
        most = abs(float(drive.ratio)) * far[drive.index] + abs(float(drive.offset))
        slides[i] = along * most
    every = Clearance(robot, capsules, pairs, standing, height, float(least), slides)
    watched, more = _watched(every, limits)
    return watched, (*notes, *more)


def _radii(robot: Robot, collision: Any) -> tuple[dict[int, float], list[str]]:
    names = link_names(robot)
    given = dict(collision) if isinstance(collision, Mapping) else {}
    if not isinstance(collision, (bool, Mapping)):
        given = {"*": collision}
    usual, notes = given.pop("*", None), []
    if usual is None:
        usual = THICK * reach(robot.tree)
        notes = [f"links whose radius is not given have {usual:.3g} m, 5 % of the reach"]
    radii = dict.fromkeys(names, not_negative("The radius of links", usual, wanted="metres"))
    for link, radius in given.items():
        frames = robot.tree.frames
        if link not in frames and link not in names.values():
            raise UnknownName("link", str(link), robot.name, tuple(names.values()))
        body = frames[link][0] if link in frames else BASE
        radii[body] = not_negative(f"The radius of {link!r}", radius, wanted="metres")
    return radii, notes


def _watched(every: Clearance, limits: MotionLimits) -> tuple[Clearance | None, list[str]]:
    """Return what is watched, and notes: not links that touch in nearly all postures, or at home.

    Nearer than `CLEARANCE` counts as touching, unless less is to be kept.
    """
    if not every.names:
        return None, ["no links are watched: those that have a radius are neighbours"]
    robot, count = every.robot, len(every.pairs)
    q = np.random.default_rng(0).uniform(limits.lower, limits.upper, (POSTURES, robot.n))
    touch = every.distances(q) <= min(every.least, CLEARANCE)
    ground = np.arange(len(every.names)) >= count
    always = np.where(ground, touch.all(axis=0), touch.mean(axis=0) >= ALWAYS)
    home = (every.distances(np.array(robot.home)) < 0) & ~always
    carriers = {body.parent for body in robot.tree.bodies}
    for k, sunk in zip(every.standing, always[count:], strict=True):
        if sunk and every.capsules[k].body not in carriers:
            name = printable(link_names(robot)[every.capsules[k].body])
            raise BadArgument(
                f"The floor is at {every.floor:g} m, and {name} touches it in every posture.\n"
                "  Give a lower floor, or a smaller radius: collision={link: metres}."
            )
    kept = ~always & (ground | ~home)
    reasons = {
        "not watched, because they touch where the arm is at home": home & ~ground,
        "not watched, because they nearly always touch": always,
        "in touch where the arm is at home": home & ground,
    }
    names = np.array(every.names, dtype=object)
    notes = [
        f"{reason}: {'; '.join(dict.fromkeys(printable(x) for x in names[which]))}"
        for reason, which in reasons.items()
        if which.any()
    ]
    if not kept.any():
        raise BadArgument(
            f"No links of robot {printable(robot.name)!r} are left that could be kept apart.\n  "
            + "\n  ".join(notes)
            + "\n  Give the links smaller radii: collision={link: metres}, --radius link=metres."
        )
    pairs = [pair for pair, keep in zip(every.pairs, kept[:count], strict=True) if keep]
    standing = [k for k, keep in zip(every.standing, kept[count:], strict=True) if keep]
    return replace(every, pairs=pairs, standing=standing), notes
