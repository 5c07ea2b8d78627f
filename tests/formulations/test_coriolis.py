"""The named Coriolis matrices: one torque, several matrices, some fit for passivity."""

import numpy as np
import pytest
from blackboard import ARMS, equal
from hypothesis import given
from long import examples
from nearness import CANCELLED, assert_near
from random_trees import deep_tree, poised

from qddot.dynamics.coriolis import coriolis_matrix, mass_matrix_rate, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import exact_robot
from qddot.formulations import coriolis
from qddot.formulations.calculus import gradient
from qddot.model.folding import fold
from qddot.readers.read import read

EXAMPLES = examples(15)
SKEW = {"christoffel", "half_rate_skew", "newton_euler_skew", "newton_euler_christoffel"}
STANDARD = {"christoffel", "half_rate_skew", "newton_euler_christoffel"}


@EXAMPLES
@given(poised(2))
def test_every_coriolis_matrix_gives_the_same_torque_and_does_no_work(robot):
    """C q̇ = c and q̇ᵀ(Ṁ − 2C)q̇ = 0 for all; Ṁ − 2C is skew for those that say so."""
    tree, q, qd = robot
    c, scale = (
        velocity_torque(tree, q, qd),
        np.abs(mass_matrix(tree, q)).max() * np.abs(qd).max() ** 2,
    )
    dM = gradient(lambda x: mass_matrix(tree, x), q)
    Md, size = mass_matrix_rate(tree, q, qd), np.abs(mass_matrix(tree, q)).max() * np.abs(qd).max()
    found = coriolis.factorisations(tree, q, qd)
    assert set(found) >= SKEW | {"rate", "transposed", "newton_euler"}
    for name, C in found.items():
        assert_near(C @ qd, c, scale, tolerance=CANCELLED)
        assert_near(qd @ (Md - 2 * C) @ qd, 0, scale * np.abs(qd).max(), tolerance=CANCELLED)
        if name in SKEW:
            assert_near(coriolis.skewness(C, dM, qd), np.zeros_like(Md), size, tolerance=CANCELLED)
        if name in STANDARD:
            assert_near(C, coriolis_matrix(tree, q, qd), size, tolerance=CANCELLED)


def test_only_some_coriolis_matrices_are_skew():
    """On a chain with nothing special about it the others are far from it."""
    tree = fold(deep_tree(3, 5))
    q, qd = np.random.default_rng(3).uniform(-2, 2, (2, tree.n))
    dM = gradient(lambda x: mass_matrix(tree, x), q)
    for name, C in coriolis.factorisations(tree, q, qd).items():
        residue = np.abs(coriolis.skewness(C, dM, qd)).max() / np.abs(C).max()
        assert (residue < CANCELLED) == (name in SKEW)
        assert (residue < 1e-2) == (name in SKEW)


@pytest.mark.parametrize("name", [*ARMS, "stanford", "puma560", "ur5"])
def test_all_coriolis_matrices_of_a_robot_are_exact(name):
    robot = exact_robot(read(name))
    c = velocity_torque(robot.tree, robot.q, robot.qd)
    standard = coriolis_matrix(robot.tree, robot.q, robot.qd)
    for kind, C in coriolis.factorisations(robot.tree, robot.q, robot.qd).items():
        assert equal(C @ robot.qd, c)
        assert kind not in STANDARD or equal(C, standard)
