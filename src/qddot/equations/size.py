"""How long a closed form would be, estimated before it is made."""

from __future__ import annotations

import time
from dataclasses import replace

from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import ExactRobot
from qddot.equations.polynomial import Polynomial
from qddot.errors import TooLarge
from qddot.model.tree import BASE, Tree

MOST_TERMS = 2_000_000
LONGEST = 0.5  # [s] for looking at the tip of a long arm
LONGEST_STEP = 1.5  # [s] that the next look may be expected to take


def check_size(robot: ExactRobot) -> None:
    """Raise TooLarge if the mass matrix would have more terms than fit into memory or a page."""
    terms = estimated_terms(robot)
    if terms > MOST_TERMS:
        raise TooLarge(robot.model.name, terms, MOST_TERMS)


def estimated_terms(robot: ExactRobot) -> float:
    """Return how many terms the mass matrix has, or probably would have.

    The mass matrix of the last k bodies is made for k = 1, 2, ...; when that begins to take long,
    or would with one body more, its growth is carried on to the whole robot.
    """
    started = time.monotonic()
    counts: list[int] = []
    bodies = len(robot.tree.bodies)
    expected = 0.0
    while len(counts) < bodies and time.monotonic() - started < LONGEST:
        if len(counts) >= 3 and expected > LONGEST_STEP:
            break
        begun = time.monotonic()
        tip = last_bodies(robot.tree, len(counts) + 1)
        M = mass_matrix(tip, robot.q)
        terms = sum(len(x) if isinstance(x, Polynomial) else 1 for x in M.reshape(-1) if x)
        counts.append(max(1, terms))  # none where nothing has mass
        # time grows at least as the terms do
        expected = (time.monotonic() - begun) * counts[-1] / max(counts[-2:-1], default=1)
    if len(counts) == bodies or len(counts) < 3:
        return counts[-1] if counts else 0
    growth = max(counts[-1] / counts[-2], (counts[-1] / counts[-3]) ** 0.5)
    return counts[-1] * growth ** (bodies - len(counts))


def last_bodies(tree: Tree, count: int) -> Tree:
    """Return the tree of the last bodies alone, on a base that holds still."""
    first = len(tree.bodies) - count
    bodies = [replace(b, parent=max(b.parent - first, BASE)) for b in tree.bodies[first:]]
    return replace(tree, bodies=tuple(bodies))
