"""Manipulability: the textbook's formula, singular values, exact determinants, singular arms."""

import numpy as np
import pytest
from hypothesis import given
from long import examples, long
from nearness import assert_near
from random_trees import poised

import qddot
from qddot.dynamics.kinematics import jacobian
from qddot.dynamics.manipulability import ROWS, manipulability
from qddot.errors import QddotError

ARM = qddot.load("two_link")


def test_two_links_have_the_textbooks_formula():
    """w = L₁ L₂ |sin q₂| (Yoshikawa 1990, example 4.1)."""
    arm = qddot.load("two_link_point_symbolic").with_values(L1=0.7, L2=0.4, m1=1, m2=1, g=9.81)
    q = np.random.default_rng(0).uniform(-3, 3, (20, 2))
    w = arm.manipulability(q, "tool")
    assert_near(w, 0.7 * 0.4 * np.abs(np.sin(q[:, 1])))
    assert_near(arm.at("tool").manipulability(q), w)
    assert arm.manipulability([0.3, 0.0], "tool") < 1e-15


@examples(20)
@given(poised(1, most=6))
def test_it_is_the_product_of_the_singular_values(robot):
    tree, q = robot
    for frame in list(tree.frames)[-2:]:
        J = np.asarray(jacobian(tree, q, frame), dtype=float)
        for axes, rows in ROWS.items():
            w, part = manipulability(tree, q, frame, axes), J[rows]
            part = part[np.abs(part).max(axis=1) > 0]
            part = part[:, np.abs(part).max(axis=0, initial=0) > 0]
            sigma = np.linalg.svd(part, compute_uv=False) if part.size else np.zeros(1)
            assert_near(w, np.prod(sigma), max(sigma[0], 1) ** len(sigma), tolerance=1e-12)


@pytest.mark.parametrize("name", ["stanford", "scara", *long("puma560", "ur5")])
def test_square_jacobians_have_the_exact_determinant(name):
    robot = qddot.load(name)
    q = np.random.default_rng(1).uniform(-2, 2, (10, robot.n))
    eqs = qddot.derive(robot)
    exact = [np.prod(eqs.evaluate("singularities", x, frame="tool")) for x in q]
    assert_near(robot.manipulability(q, "tool", axes="all"), np.abs(exact))


def test_it_is_zero_and_a_number_where_the_arm_is_singular():
    for name in ("ur5", "puma560", "panda"):
        robot = qddot.load(name)
        w = robot.manipulability(np.zeros(robot.n), "tool", axes="all")
        assert 0 <= w < 1e-15
        single = robot.with_options(dtype="float32")
        assert 0 <= single.manipulability(np.zeros(robot.n), "tool", axes="all") < 1e-6
    assert ARM.manipulability([1.0, 2.0], "base") == 0
    assert ARM.manipulability([1.0, 2.0], "base", axes="all") == 0


def test_wrong_axes_and_frames_are_refused():
    with pytest.raises(QddotError, match="axes"):
        ARM.manipulability([0, 1], "tool", axes="world")
    with pytest.raises(QddotError, match="tol"):
        ARM.manipulability([0, 1], "tol")
    with pytest.raises(QddotError, match="axes"):
        ARM.program("manipulability", frame="tool", axes="local")
