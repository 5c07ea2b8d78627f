"""The compiled kernels against the same definitions in fifty-digit arithmetic.

The model's floats are taken as they are and folded, moved and multiplied in fifty digits, so that
what is left is our rounding: of the folding, of the regrouping, of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from long import long
from made import states
from nearness import ACCURATE, LAST_DIGIT

from qddot.dynamics import coriolis, forward, kinematics, rnea
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.regressor import regressor
from qddot.model import Placement
from qddot.model.folding import fold
from qddot.model.tree import Tree
from qddot.readers import read
from qddot.robot import Robot
from qddot.robot.frames import weighted
from qddot.scalars import constant_sincos, exp, sign, sincos, sqrt

mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed: pip install mpmath")

from random_trees import deep_tree, on_a_mount  # noqa: E402

DIGITS = 50

FAR = Placement((2000.0, -2000.0, 2000.0), (0.4, -1.1, 2.5))  # [m], [rad]
ROBOTS = ("stanford", "arm with a hand", *long("panda", "ur5", "puma560"))


@sincos.register
def _(x: mpmath.mpf) -> tuple:
    return mpmath.sin(x), mpmath.cos(x)


@constant_sincos.register
def _(x: mpmath.mpf) -> tuple:
    """As of floats: the float nearest to a right angle means the right angle."""
    s, c = mpmath.sin(x), mpmath.cos(x)
    residue = 1e-15
    if abs(c) < residue:
        return mpmath.nint(s), mpmath.mpf(0)
    return (mpmath.mpf(0), mpmath.nint(c)) if abs(s) < residue else (s, c)


sqrt.register(mpmath.mpf, mpmath.sqrt)
sign.register(mpmath.mpf, mpmath.sign)
exp.register(mpmath.mpf, mpmath.exp)


def fifty(x: Any) -> Any:
    """Return a number with fifty digits, the first ones of which are the float's."""
    return mpmath.mpf(float(x))


def vector(values: np.ndarray) -> np.ndarray:
    return np.array([fifty(x) for x in values], dtype=object)


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mpmath.workdps(DIGITS):
        yield


@dataclass(frozen=True)
class Case:
    """A robot with its compiled kernels, and its tree in fifty digits."""

    robot: Robot
    tree: Tree


@cache
def case(name: str, far: bool) -> Case:
    model = deep_tree(31, 6) if name == "arm with a hand" else read(name)
    if far:
        model = on_a_mount(model, FAR)
    with mpmath.workdps(DIGITS):
        return Case(Robot(model), fold(model, fifty))


each = pytest.mark.parametrize("name", ROBOTS)
near_and_far = pytest.mark.parametrize("far", [False, True], ids=["here", "2 km away"])


def compare(mine: np.ndarray, exact: list[np.ndarray]) -> float:
    """Return the largest error, relative to the largest entry at any state."""
    largest = max(abs(x) for row in exact for x in np.ravel(row))
    return max(
        float(abs(fifty(a) - b) / largest)
        for row, other in zip(mine, exact, strict=True)
        for a, b in zip(np.ravel(row), np.ravel(other), strict=True)
    )


def check(name, far, quantity, definition, vectors, count=3):
    found = case(name, far)
    given = [array[:count] for array in states(found.robot.n, largest=3.0)[:vectors]]
    exact = [definition(found.tree, *map(vector, row)) for row in zip(*given, strict=True)]
    method = getattr(found.robot, quantity)
    assert compare(method(*given), exact) < ACCURATE
    one = method(*(array[0] for array in given))
    assert compare([one], exact[:1]) < ACCURATE


@near_and_far
@each
def test_inverse_dynamics_is_right_to_thirteen_digits(name, far):
    check(name, far, "inverse_dynamics", rnea.inverse_dynamics, 3)


@near_and_far
@each
def test_the_mass_matrix_is_right_to_thirteen_digits(name, far):
    check(name, far, "mass_matrix", mass_matrix, 1)


@near_and_far
@each
def test_the_coriolis_matrix_is_right_to_thirteen_digits(name, far):
    check(name, far, "coriolis_matrix", coriolis.coriolis_matrix, 2)


@near_and_far
@each
def test_the_gravity_torque_is_right_to_thirteen_digits(name, far):
    check(name, far, "gravity_torque", rnea.gravity_torque, 1)


@near_and_far
@each
def test_the_regressor_is_right_to_thirteen_digits(name, far):
    check(name, far, "regressor", regressor, 3, count=1)


@near_and_far
@each
def test_forward_dynamics_loses_no_more_than_the_mass_matrix_makes_it_lose(name, far):
    found = case(name, far)
    q, qd, qdd = states(found.robot.n, largest=3.0)
    tau = found.robot.inverse_dynamics(q, qd, qdd)
    mine = found.robot.forward_dynamics(q, qd, tau)
    rows = zip(q, qd, tau, strict=True)
    exact = [forward.forward_dynamics(found.tree, *map(vector, row)) for row in rows]
    condition = np.linalg.cond(found.robot.mass_matrix(q)).max()
    assert compare(mine, exact) < LAST_DIGIT * condition


# where a frame can hardly move: the arm stretched out, the wrist's axes in line, all of it upright
SINGULAR = {
    "two_link_point": ([0.3, 0.0], 1),
    "ur5": ([0.2, -1.1, 0.0, 0.4, 1.2, 0.1], 2),
    "puma560": ([0.2, -1.1, 0.3, 0.4, 0.0, 0.1], 4),
    "panda": ([0.1, 0.4, -0.3, 0.0, 0.2, 1.7, 0.7], 3),
}


@pytest.mark.parametrize("axes", ["linear", "all"])
@pytest.mark.parametrize("name", SINGULAR)
def test_principal_masses_near_a_singularity_are_as_right_as_the_rounding_of_j_allows(name, axes):
    """Up to masses of 1e20 kg: none is lost, and each is off by no more than J's last digits."""
    found, (place, bent) = case(name, False), SINGULAR[name]
    frame = found.robot.frame_names[-1]
    for bend in (1e-2, 3e-6, 1e-9):
        q = np.array(place)
        q[bent] = bend
        mine = found.robot.principal_masses(q, frame, axes)[0]
        J = found.robot.jacobian(q, frame)[3 if axes == "linear" else 0 :]
        rounding = float(weighted(J, found.robot.mass_matrix(q))[1])
        exact = kinematics.jacobian(found.tree, vector(q), frame)[len(J) % 6 :]
        inverse = forward.inverse_effective_mass(found.tree, vector(q), exact)
        moved = mpmath.eigsy(mpmath.matrix(inverse.tolist()), eigvals_only=True)
        truth = sorted(1 / x for x in moved if x > 1e-30)  # below, the frame cannot move at all
        assert np.isfinite(mine[: len(truth)]).all()
        assert np.isinf(mine[len(truth) :]).all()
        for mass, right in zip(mine, truth, strict=False):
            assert abs(mass / right - 1) < ACCURATE * 10 + 2 * rounding * mpmath.sqrt(right)


def test_fifty_digits_are_fifty_digits():
    """The laws hold in the fifty-digit tree to far more digits than a float has."""
    tree = case("ur5", False).tree
    q, qd, qdd = (vector(array[0]) for array in states(6, largest=3.0))
    tau = rnea.inverse_dynamics(tree, q, qd, qdd)
    terms = mass_matrix(tree, q) @ qdd + coriolis.coriolis_matrix(tree, q, qd) @ qd
    rest = rnea.gravity_torque(tree, q) + rnea.friction_torque(tree, qd)
    assert max(abs(x) for x in tau - terms - rest) < 1e-45
    back = forward.forward_dynamics(tree, q, qd, tau)
    assert max(abs(x) for x in back - qdd) < 1e-42
