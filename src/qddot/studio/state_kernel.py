"""Everything about one state of a robot in one program, with gravity and a payload as inputs.

So nothing is compiled again when a slider changes one of them. Friction is a formula a joint and
is added outside.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.coriolis import coriolis_matrix, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.regroup import aligned
from qddot.dynamics.rnea import gravity_torque, inverse_dynamics
from qddot.model.friction import Friction
from qddot.model.tree import BASE, Tree
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.scalars import Scalar
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN
from qddot.spatial.rotation import IDENTITY

OUTPUTS = ("M", "C", "c", "g", "tau", "kinetic", "potential")


def state_kernel(tree: Tree, frame: str) -> Kernel:
    """Return a kernel of q, qd, qdd, gravity and load: the mass of a point at a frame [kg].

    It gives M, C, c, g, τ without friction, and both energies, in this order.
    """
    n, short = tree.n, aligned(tree)

    def state(q: Any, qd: Any, qdd: Any, gravity: Any, load: Any) -> dict[str, Any]:
        now = replace(loaded(short, frame, load), gravity=tuple(gravity))
        return {
            "M": mass_matrix(now, q),
            "C": coriolis_matrix(now, q, qd),
            "c": velocity_torque(now, q, qd),
            "g": gravity_torque(now, q),
            "tau": inverse_dynamics(now, q, qd, qdd),
            "kinetic": kinetic_energy(now, q, qd),
            "potential": potential_energy(now, q),
        }

    shapes = {"q": (n,), "qd": (n,), "qdd": (n,), "gravity": (3,), "load": ()}
    kernel = Kernel(optimised(record(state, "state", **shapes)))
    rest = np.zeros(n)
    kernel(rest, rest, rest, np.zeros(3), np.array(0.0))  # which compiles it
    return kernel


def loaded(tree: Tree, frame: str, load: Scalar) -> Tree:
    """Return a tree that carries a mass at a frame and has no friction."""
    tree = replace(tree, friction=(Friction(),) * tree.n)
    body, X_BF = tree.frame(frame)
    if body == BASE:
        return tree
    point = Inertia(load, ORIGIN, 0 * IDENTITY).seen_from(X_BF)
    bodies = list(tree.bodies)
    bodies[body] = replace(bodies[body], inertia=bodies[body].inertia + point)
    return replace(tree, bodies=tuple(bodies))
