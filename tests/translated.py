"""What a translation of programs is compared on with the kernels.

A backend translates operations; each has a test of its own per backend. Whole robots show that
they are put together rightly: a small one with a slide, and a real arm. The others are long.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from long import long
from nearness import DIVIDED, assert_near

from qddot.robot import Robot
from qddot.scalars import atan2

ROBOTS = ("rp", *long("panda", "two_link", "double_pendulum", "scara", "puma560", "ur5", "baxter"))
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "regressor", "kinetic_energy")
# operations as people write them, of two arguments; complex steps go through these
SMOOTH: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a, b: -a,
    "sin": lambda a, b: np.sin(a),
    "cos": lambda a, b: np.cos(a),
    "sqrt": lambda a, b: np.sqrt(a),
    "exp": lambda a, b: np.exp(a),
    "log": lambda a, b: np.log(a),
    "tanh": lambda a, b: np.tanh(a),
    "atan2": lambda a, b: atan2(a, b),
}
LEAST = 1e-3  # what entries that are all zero are compared with


def state(robot: Robot, *batch: int, seed: int = 0) -> np.ndarray:
    """Return q, q̇ and a third vector, of so many states."""
    return np.random.default_rng(seed).normal(size=(3, *batch, robot.n))


def assert_same(found: Any, wanted: Any, tolerance: float = DIVIDED) -> None:
    """Assert that a translation gives what the kernel gives, relative to the largest entry."""
    assert_near(found, wanted, LEAST, tolerance=tolerance)


def assert_same_signs(name: str, found: Any, wanted: Any) -> None:
    """Assert that an operation that tells 0.0 from -0.0 gives zeros, and all else, of one sign."""
    number = ~np.isnan(wanted) & (name in ("atan2", "floor", "neg"))
    assert np.array_equal(np.signbit(found)[number], np.signbit(wanted)[number]), name
