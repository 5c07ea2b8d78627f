"""How long a closed form would be, estimated before it is made."""

from __future__ import annotations

from dataclasses import replace

from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import ExactRobot
from qddot.equations.polynomial import Polynomial
from qddot.equations.time_limit import OutOfTime, at_most
from qddot.errors import TooLarge
from qddot.model.coordinates import Drives
from qddot.model.tree import BASE, Tree, in_order

MOST_TERMS = 2_000_000
LOOK = 6e5  # products of terms for looking at the tip of a long arm: half a second of work


def check_size(robot: ExactRobot) -> None:
    """Raise TooLarge if the mass matrix would have more terms than fit into memory or a page."""
    terms = estimated_terms(robot)
    if terms > MOST_TERMS:
        raise TooLarge(robot.model.name, terms, MOST_TERMS)


def estimated_terms(robot: ExactRobot) -> float:
    """Return how many terms the mass matrix has, or probably would have.

    The mass matrix of the last k bodies is made for k = 1, 2, ...; when that takes more work than a
    look is worth, its growth is carried on to the whole robot. The same on every machine.
    """
    counts: list[int] = []
    bodies = len(robot.tree.bodies)
    try:
        with at_most(LOOK):
            for k in range(bodies):
                M = mass_matrix(last_bodies(robot.tree, k + 1), robot.q)
                terms = sum(len(x) if isinstance(x, Polynomial) else 1 for x in M.reshape(-1) if x)
                counts.append(max(1, terms))  # none where nothing has mass
    except OutOfTime:
        return _carried_on(counts, bodies)
    return counts[-1] if counts else 0


def _carried_on(counts: list[int], bodies: int) -> float:
    """Return how many terms there would be of all bodies, from those of the last few."""
    last, before, first = ([1, 1, 1, *counts][-k] for k in (1, 2, 3))
    growth = max(last / before, (last / first) ** 0.5, LOOK / last if len(counts) < 2 else 1)
    return last * growth ** (bodies - len(counts))


def last_bodies(tree: Tree, count: int) -> Tree:
    """Return the tree of the last bodies alone, on a base that holds still."""
    first = len(tree.bodies) - count
    bodies = [replace(b, parent=max(b.parent - first, BASE)) for b in tree.bodies[first:]]
    return replace(tree, bodies=in_order(bodies), coordinates=Drives(tree.drives[first:], tree.n))
