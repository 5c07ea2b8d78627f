"""The robots that are measured, and states to put them in."""

from __future__ import annotations

import numpy as np

import qddot
from qddot.robot import Robot

NAMES = ("panda", "ur5")

# quantity: how many of q, q̇ and q̈ or τ it takes
INPUTS = {
    "inverse_dynamics": 3,
    "forward_dynamics": 3,
    "mass_matrix": 1,
    "coriolis_matrix": 2,
    "regressor": 3,
    "inverse_dynamics_derivatives": 3,
    "forward_dynamics_derivatives": 3,
}


def robot_named(name: str, threads: int = 1, dtype: str = "float64") -> Robot:
    """Return a built-in robot without friction, which some peers leave out."""
    return qddot.load(name).without("friction").with_options(threads=threads, dtype=dtype)


def states(robot: Robot, count: int, inputs: int = 3) -> list[np.ndarray]:
    """Return arrays of positions, rates, and accelerations or torques."""
    rng = np.random.default_rng(1)
    return [rng.uniform(-2, 2, (count, robot.n)).astype(robot.dtype) for _ in range(inputs)]


def spaced(quantity: str) -> str:
    return quantity.replace("_", " ")
