"""Deriving a robot's equations by any formulation, if they are not too long.

How long a closed form would be is estimated before it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from qddot.dynamics.crba import mass_matrix
from qddot.equations.equations import Equations
from qddot.equations.exact_state import enlarged_robot
from qddot.equations.exact_tree import ExactRobot, exact_robot, with_angles_meant
from qddot.equations.latex import name_latex
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most
from qddot.errors import BadArgument, TooLarge, did_you_mean
from qddot.formulations import FORMULATIONS
from qddot.formulations.formulation import formulation as formulation_of
from qddot.formulations.frames import seen_from, users_frames
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.notation_file import notation as read_letters
from qddot.model.coordinates import Drives
from qddot.model.folding import in_order
from qddot.model.model import mapped, scalars
from qddot.model.tree import BASE, Tree
from qddot.readers.read import model_of

MOST_TERMS = 2_000_000
LOOK = 6e5  # products of terms for looking at the tip of a long arm: half a second of work


def derive(
    robot: Any,
    formulation: str = "lagrange",
    *,
    notation: str | Path | Notation | None = None,
    frames: Sequence[str] | None = None,
) -> Equations:
    """Return the equations of motion of a robot in closed form.

    Args:
        robot: A robot, a model, the name of a built-in robot or a robot file; its parameters may
            be symbols. Decimals are taken as the rational numbers they name, and angles that are
            right angles as exact.
        formulation: "lagrange", "explicit", "trace", "stacked", "recursive", "newton_euler",
            "hamilton" or "virtual_work". They give the same equations by different ways;
            `equations.steps` shows it.
        notation: Whose letters: "craig", "siciliano", "spong", "lynch_park", "deck_s0" to
            "deck_s4", or a TOML file of one's own. For printing only.
        frames: One frame for each link that moves, in which its vectors and matrices are written:
            names of links or frames. If not given, those that the user defined: DH frames, or the
            links of a file. The equations are the same with any. "virtual_work" takes none.

    Raises:
        TooLarge: If the closed form would have too many terms to be read.
    """
    if formulation not in FORMULATIONS:
        raise BadArgument(
            f"There is no formulation {formulation!r}.{did_you_mean(formulation, FORMULATIONS)}\n"
            f"  There are: {', '.join(FORMULATIONS)}."
        )
    if formulation == "virtual_work" and frames is not None:
        raise BadArgument("virtual_work writes its points in base axes: leave frames out.")
    letters = read_letters(notation)
    exact = exact_of(robot)
    check_size(exact)
    return derived(exact, formulation, letters, frames)


def exact_of(robot: Any) -> ExactRobot:
    """Return a robot, a model, or what a name or a file names, over exact polynomials."""
    return exact_robot(model_of(robot))


def derived(
    robot: ExactRobot,
    formulation: str,
    notation: Notation = NOTATION,
    frames: Sequence[str] | None = None,
) -> Equations:
    """Return the equations of a robot that is exact already."""
    way, source = formulation_of(formulation), None
    if way.read:
        source = way.read(with_angles_meant(robot.model)[0])
        robot = enlarged_robot(robot, scalars(source))
    parameters = [name_latex(name) for name in robot.model.symbols]
    rotors = robot.tree.has_rotors
    letters = notation.of(robot.ring.turns, parameters, robot.model.joint_names, rotors)
    names = users_frames(robot.model, robot.tree) if frames is None else frames
    source = mapped(source, robot.ring.scalar) if source else seen_from(robot.tree, names)
    derivation = way(source, robot.q, robot.qd, letters, robot.qdd)
    return Equations(robot, derivation, notation=letters, frames=tuple(names))


def check_size(robot: ExactRobot) -> float:
    """Return how many terms the mass matrix has, about.

    It raises TooLarge if they would fit neither into memory nor on a page.
    """
    terms = estimated_terms(robot)
    if terms > MOST_TERMS:
        raise TooLarge(robot.model.name, terms, MOST_TERMS)
    return terms


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
    except WorkLimitReached:
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
