"""What every formulation returns: the terms of the equation, and how it got there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from qddot.formulations.notation import Notation
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointMat, JointVec

T = TypeVar("T")


@dataclass(frozen=True)
class Quantity:
    """One intermediate result of a derivation, as a lecturer would write it on the board.

    It is printed as  symbol = formula = terms added up = value.
    """

    title: str  # in words: "Pseudo-inertia of link 1"
    symbol: str  # in LaTeX: "J_1"
    value: Any  # a scalar, a vector or a matrix
    formula: str = ""  # in LaTeX, how it comes about: "\\sum_i ..."
    terms: tuple[Any, ...] = ()  # the values of the formula's summands, before they are added
    same_as: str = ""  # the symbol of an earlier quantity that this one equals by symmetry


@dataclass(frozen=True)
class Part:
    """Some steps that belong together, such as those of one link, and what they are for."""

    title: str
    words: str  # what is done here and why
    steps: tuple[Quantity, ...]


@dataclass(frozen=True)
class Derivation:
    """The rigid-body equation τ = M q̈ + c + g by one formulation, rotor inertia in M.

    Friction and springs are added to every formulation alike, where they are not part of it.
    """

    formulation: str
    M: JointMat
    c: JointVec  # centrifugal and Coriolis torques
    g: JointVec  # gravity torques
    # the way to them, worked out when somebody asks for it
    worked_out: Callable[[], Iterable[Part]] = field(default=tuple, repr=False)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The steps in groups, each with a sentence on what is done in it."""
        return tuple(self.worked_out())

    @property
    def steps(self) -> tuple[Quantity, ...]:
        """Every intermediate quantity, in order."""
        return tuple(step for part in self.parts for step in part.steps)

    def torque(self, qdd: JointVec) -> JointVec:
        """Return M q̈ + c + g."""
        return np.asarray(self.M) @ qdd + self.c + self.g


def followed(tree: Tree, i: int, n: Notation) -> list[Quantity]:
    """Return the ratio by which joint i follows another, if it does."""
    drive = tree.drives[i]
    title = f"Its joint follows ${n.q(drive.index)}$ by the ratio"
    return [] if drive.own else [Quantity(title, rf"\rho_{{{i + 1}}}", drive.ratio)]


def link_name(tree: Tree, i: int, n: Notation) -> str:
    """Return what link i is called in words: "Link 2", or what it is the rotor of."""
    drive, of = tree.drives[i], tree.bodies[i].joint.velocity[0].role
    if of != "spin" or drive.own:
        return f"Link {i + 1}"
    return f"Rotor {i + 1}, of the motor that moves ${n.q(drive.index)}$"


def driven(tree: Tree, i: int, n: Notation) -> tuple[str, str]:
    """Return the names of the velocity and the acceleration of joint i, in LaTeX."""
    drive = tree.drives[i]
    ratio = "" if drive.own else rf"\rho_{{{i + 1}}}\,"
    return ratio + n.qd(drive.index), ratio + n.qdd(drive.index)


def term_runs(
    run: Callable[..., T], tree: Tree, q: ConfigVec, qd: JointVec
) -> tuple[T, T, list[T]]:
    """Return the runs of a recursion that give g, c and the columns of M.

    With τ(q̇, q̈, gravity) the torques of one run:

        g = τ(0, 0, gravity)        c = τ(q̇, 0, 0)        M eᵢ = τ(0, eᵢ, 0)
    """
    still, weightless = np.zeros(tree.n, dtype=int), (0, 0, 0)
    resting = run(tree, q, still, still, tree.gravity)
    coasting = run(tree, q, qd, still, weightless)
    starting = [run(tree, q, still, e, weightless) for e in np.eye(tree.n, dtype=int)]
    return resting, coasting, starting


def links_mass(tree: Tree, M: JointMat) -> JointMat:
    """Return the mass matrix of the links, without what rotors add to it."""
    return np.array(M, dtype=object) - tree.rotor_matrix


def inertial_names(tree: Tree, links: JointMat, i: int, n: Notation) -> list[str]:
    """Return what accelerations take of torque i, term by term; a rotor's term stands alone."""
    rotors = tree.has_rotors
    entries = [(j, n.links_entry(i, j, rotors)) for j in range(tree.n) if links[i, j]]
    names = [rf"{entry}\,{n.qdd(j)}" for j, entry in entries]
    return names + rotor_names(tree, i, n)


def rotor_names(tree: Tree, i: int, n: Notation) -> list[str]:
    """Return what the rotors take of torque i, term by term."""
    own = [rf"{n.of_link('rotor_inertia', i)}\,{n.qdd(i)}"] * bool(tree.rotor_inertia[i])
    shared = [
        rf"({n.shared_rotor(k)}\,{n.accelerations})_{{{i + 1}}}"
        for k, shaft in enumerate(tree.shared)
        if shaft.rotor_inertia and shaft.direction[i]
    ]
    return own + shared


def torque_part(
    tree: Tree,
    M: JointMat,
    c: JointVec,
    g: JointVec,
    qdd: JointVec | None,
    n: Notation,
    links_shown: bool = False,
) -> Part:
    """Return the torques by the names of their terms."""
    steps, links = [], links_mass(tree, M)
    if tree.has_rotors and not links_shown:
        title = "The mass matrix of the links alone; the rotors have terms of their own"
        rotors = f"({n.rotors(tree)})" if tree.shared else n.rotors(tree)
        formula = rf"{n.mass_matrix} - {rotors}"
        steps.append(Quantity(title, n.links_mass_matrix, links, formula))
    for i in range(len(c)):
        names = inertial_names(tree, links, i, n)
        names += [n.entry(n.velocity_torques, i)] * bool(c[i])
        names += [n.entry(n.gravity_torques, i)] * bool(g[i])
        value = c[i] + g[i] + (0 if qdd is None else M[i] @ qdd)
        steps.append(Quantity("", n.entry(n.torques, i), value, " + ".join(names)))
    words = "Inertia, velocity and gravity terms together."
    return Part("Torques", words, tuple(steps))
