"""What a formulation is: how it gets to M, c and g, and what it shares with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from qddot.formulations.derivation import Derivation, Part, Quantity, inertial_names, links_mass
from qddot.formulations.notation import NOTATION, Notation
from qddot.model.model import Model, mapped
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointMat, JointVec

UNSEEN = (
    "Seven derivations take poses, inertias, rotors and followers from one tree; virtual_work "
    "reads the model itself. All share the reader of the file and the exact arithmetic; friction "
    "and springs are added to all alike. Agreement cannot show an error in these."
)
# M, c, g and the way to them, worked out when somebody asks for it
Terms: TypeAlias = tuple[JointMat, JointVec, JointVec, Callable[[], Iterable[Part]]]


@dataclass(frozen=True)
class RobotState:
    """What a derivation starts from: a robot, its state, and the letters of the steps."""

    robot: Any  # its tree, or what the formulation reads of its model
    q: ConfigVec  # [rad or m], shape (nq,)
    qd: JointVec
    notation: Notation
    qdd: JointVec | None  # for the steps only, as it would enter c; zero if not given

    @property
    def tree(self) -> Tree:
        return self.robot


@dataclass(frozen=True)
class Formulation:
    """A way to the equation of motion, and what `prove` says of it. Its name is its file's."""

    M: str  # how it gets to the mass matrix
    c: str  # to the velocity torques
    g: str  # to the gravity torques
    shared: str  # with others, besides the reader of the file and the exact arithmetic
    read: Callable[[Model], Any] | None  # what it takes in the place of the tree, if it does
    terms: Callable[..., Terms]  # of a `RobotState`

    def __call__(
        self,
        robot: Any,
        q: ConfigVec,
        qd: JointVec,
        notation: Notation = NOTATION,
        qdd: JointVec | None = None,
        **more: Any,
    ) -> Derivation:
        """Return the equation of motion of a robot.

        Args:
            robot: Its tree. If this formulation reads the model: that, or what `read` makes of it,
                with numbers of the kind that q has.
            q, qd, notation, qdd: As a `RobotState` has them.
            more: What this formulation takes besides.
        """
        if self.read and isinstance(robot, Model):
            robot = mapped(self.read(robot), float)
        name = self.terms.__module__.rpartition(".")[2]
        return Derivation(name, *self.terms(RobotState(robot, q, qd, notation, qdd), **more))


def routes(
    M: str, c: str, g: str, shared: str = "tree", read: Callable[[Model], Any] | None = None
) -> Callable[[Callable[..., Terms]], Formulation]:
    """Return what makes a `Formulation` of the function of a `RobotState` below it."""
    return partial(Formulation, M, c, g, shared, read)


def formulation(name: str) -> Formulation:
    """Return a formulation by its name."""
    return import_module(f"qddot.formulations.{name}").derive


def term_runs(run: Callable[..., Any], at: RobotState) -> tuple[Any, Any, list[Any], JointMat]:
    """Return the runs of a recursion that give g, c and the columns of M, and M.

    With τ(q̇, q̈, gravity) the torques of one run:

        g = τ(0, 0, gravity)        c = τ(q̇, 0, 0)        M eᵢ = τ(0, eᵢ, 0)
    """
    tree, q = at.tree, at.q
    still, weightless = np.zeros(tree.n, dtype=int), (0, 0, 0)
    resting = run(tree, q, still, still, tree.gravity)
    coasting = run(tree, q, at.qd, still, weightless)
    starting = [run(tree, q, still, e, weightless) for e in np.eye(tree.n, dtype=int)]
    return resting, coasting, starting, np.stack([each.tau for each in starting], axis=1)


def torque_part(
    at: RobotState, M: JointMat, c: JointVec, g: JointVec, links_shown: bool = False
) -> Part:
    """Return the torques by the names of their terms."""
    tree, n, links, steps = at.tree, at.notation, links_mass(at.tree, M), []
    if tree.has_rotors and not links_shown:
        title = "The mass matrix of the links alone; the rotors have terms of their own"
        rotors = f"({n.rotors(tree)})" if tree.shared else n.rotors(tree)
        formula = rf"{n.mass_matrix} - {rotors}"
        steps.append(Quantity(title, n.links_mass_matrix, links, formula))
    for i in range(len(c)):
        names = inertial_names(tree, links, i, n)
        names += [n.entry(n.velocity_torques, i)] * bool(c[i])
        names += [n.entry(n.gravity_torques, i)] * bool(g[i])
        value = c[i] + g[i] + (0 if at.qdd is None else M[i] @ at.qdd)
        steps.append(Quantity("", n.entry(n.torques, i), value, " + ".join(names)))
    words = "Inertia, velocity and gravity terms together."
    return Part("Torques", words, tuple(steps))
