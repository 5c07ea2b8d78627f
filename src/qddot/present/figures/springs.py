"""Masses that slide on springs and dampers, as books draw them: blocks, zigzags and dashpots.

The coordinate of such a mass counts from where it rests, so that masses on one line would lie on
top of each other. Each is drawn farther along its slide than the mass, or the wall, it is tied to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qddot.model.tree import BASE, Elastic, Tree
from qddot.present.figures.view import PARALLEL, across, plane_normal, unit

APART = 1.0  # [m] between a mass and what it is tied to, at rest
WIDE, HIGH = 0.26, 0.12  # half the width and the height of a block [m]
BESIDE = 0.13  # how far a spring and a damper beside it are off the middle [m]
TURNS = 5  # of a zigzag
CUP = 0.06  # half the width of a spring, and of a damper's cup [m]

BetweenPoint = tuple[float, float, float]  # parts of the way, then metres along and across


@dataclass(frozen=True)
class Tie:
    """A spring, a damper or both between two masses, or the wall and a mass."""

    first: int  # a body, or BASE for the wall
    second: int  # the body that is drawn farther along the slide
    spring: bool
    damper: bool


@dataclass(frozen=True)
class Tied:
    """What of an arm is drawn as masses on springs."""

    ties: tuple[Tie, ...]
    shift: dict[int, float]  # how far along its slide each mass is drawn from where it is [m]
    along: np.ndarray  # (3,) the direction of the slides in the base
    aside: np.ndarray  # (3,) a direction across them, in the plane of the picture

    def outlines(self, tree: Tree) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the outline of each mass and wall: its body, and corners in that one's axes."""
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
        for body in self.shift:
            R = np.array(tree.bodies[body].X_PJ.R, dtype=float)
            block = [a * WIDE * self.aside + b * HIGH * self.along for a, b in corners]
            yield body, np.array(block) @ R
        for tie in self.ties:
            if tie.first == BASE:
                at = np.array(tree.bodies[tie.second].X_PJ.p, dtype=float)
                yield BASE, at + np.outer([-1.3 * WIDE, 1.3 * WIDE], self.aside)

    def lines(self, tie: Tie) -> Iterator[list[BetweenPoint]]:
        """Yield the lines of a tie, each as places between its ends."""
        both = tie.spring and tie.damper
        if tie.spring:
            yield self._between(tie, zigzag(-BESIDE if both else 0.0))
        for line in dashpot(BESIDE if both else 0.0) if tie.damper else ():
            yield self._between(tie, line)

    def _between(self, tie: Tie, line: list[BetweenPoint]) -> list[BetweenPoint]:
        """Return places between the faces of two blocks as places between their middles."""
        first, second = 0.0 if tie.first == BASE else HIGH, HIGH
        return [(s, d + first - s * (first + second), aside) for s, d, aside in line]


def zigzag(aside: float, half: float = CUP) -> list[BetweenPoint]:
    """Return a spring between 0 and 1."""
    peaks = [
        (0.15 + 0.7 * (k + 0.5) / (2 * TURNS), 0.0, aside + (half if k % 2 else -half))
        for k in range(2 * TURNS)
    ]
    return [(0, 0, aside), (0.15, 0, aside), *peaks, (0.85, 0, aside), (1, 0, aside)]


def dashpot(aside: float, half: float = CUP) -> list[list[BetweenPoint]]:
    """Return a damper between 0 and 1: a rod with its piston, a cup, the rod behind it.

    The cup shrinks with the way; the piston shrinks less, so that it is seen to move in it.
    """
    piston = (0.47, 0.07 * APART)
    cup = [(0.35, -half), (0.75, -half), (0.75, half), (0.35, half)]
    return [
        [(0, 0, aside), (*piston, aside)],
        [(*piston, aside - 5 / 6 * half), (*piston, aside + 5 / 6 * half)],
        [(s, 0, aside + x) for s, x in cup],
        [(0.75, 0, aside), (1, 0, aside)],
    ]


def tied(tree: Tree) -> Tied | None:
    """Return what of an arm is drawn as masses on springs; None where nothing is.

    That is: bodies that slide on the base along one direction, from one place, carry nothing, and
    have springs or dampers between each other or to the base.
    """
    masses = {tree.drives[i].index: i for i in range(len(tree.bodies)) if _slides(tree, i)}
    if len(masses) != len(tree.bodies):
        return None
    places = {i: np.array(tree.bodies[i].X_PJ.p, dtype=float) for i in masses.values()}
    ways = {i: _way(tree, i) for i in masses.values()}
    start = next(iter(masses.values()), BASE)
    if any(np.abs(ways[i] - ways[start]).max() > PARALLEL for i in ways):
        return None
    if any(np.abs(places[i] - places[start]).max() > PARALLEL for i in places):
        return None
    ties, shift = [], dict.fromkeys(masses.values(), 0.0)
    placed: set[int] = {BASE}
    for elastic in tree.elastics:
        ends = [
            masses[k]
            for k in np.argsort(-np.array(elastic.direction, dtype=float))
            if elastic.direction[k]
        ]
        first, second = (BASE, *ends) if len(ends) == 1 else ends[:2]
        if second in placed and first not in placed:
            first, second = second, first
        if second not in placed:
            shift[second] = shift.get(first, 0.0) + APART
        placed |= {first, second}
        ties.append(_tie(elastic, first, second))
    if not ties:
        return None
    normal = plane_normal(tree)
    aside = across(ways[start]) if normal is None else np.cross(normal, ways[start])
    return Tied(tuple(ties), shift, ways[start], aside)


def _tie(elastic: Elastic, first: int, second: int) -> Tie:
    return Tie(first, second, bool(elastic.stiffness), bool(elastic.damping))


def _slides(tree: Tree, i: int) -> bool:
    body, drive = tree.bodies[i], tree.drives[i]
    carries = any(other.parent == i for other in tree.bodies)
    single = len(body.columns) == 1 and drive.ratio == 1
    return single and not body.turns and body.parent == BASE and not carries


def _way(tree: Tree, i: int) -> np.ndarray:
    """Return the direction of a slide in the base."""
    body = tree.bodies[i]
    return unit(np.array(body.X_PJ.R, dtype=float) @ np.array(body.axis, dtype=float))
