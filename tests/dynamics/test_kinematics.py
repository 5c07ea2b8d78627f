"""Poses, Jacobians and motions of points are derivatives of each other, in all three axes.

Every derivative is a complex step through the definition before it:

    T⁻¹Ṫ = [J_local q̇]        Ṫ T⁻¹ = [J_base q̇]        J̇ = dJ/dt
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from complex_step import rate, slope
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_near
from random_trees import deep_tree, poised, weight

from qddot.dynamics.energy import center_of_mass, potential_energy
from qddot.dynamics.kinematics import (
    body_poses,
    jacobian,
    jacobian_rate,
    path,
    point_motion,
    pose,
)
from qddot.dynamics.rnea import gravity_torque
from qddot.model.folding import fold
from qddot.model.tree import BASE, Tree
from qddot.readers import read
from qddot.spatial.vector import skew

EXAMPLES = examples(20)
AXES = ("world", "local", "base")


def reach(tree: Tree, q: np.ndarray) -> float:
    """Return how far from the base the farthest frame is, at least 1 m."""
    X_W = body_poses(tree, q)
    tips = [(X_W[i] @ X_BF).p for i, X_BF in tree.frames.values()]
    return max(1.0, *(float(np.linalg.norm(np.asarray(p, float))) for p in tips))


def speed(tree: Tree, q: np.ndarray, qd: np.ndarray) -> float:
    """Return the size of the terms of a frame's velocity."""
    ratios = [abs(float(drive.ratio)) for drive in tree.drives]
    return reach(tree, q) * sum(ratios) * float(np.abs(qd).max())


@EXAMPLES
@given(poised(1))
def test_a_pose_turns_and_shifts_without_stretching(robot):
    tree, q = robot
    for frame in tree.frames:
        X = pose(tree, q, frame)
        R = np.asarray(X.R, dtype=float)
        assert_near(R.T @ R, np.eye(3))
        assert np.linalg.det(R) > 0


@EXAMPLES
@given(poised(2))
def test_the_jacobian_gives_the_velocity_of_a_frame(robot):
    check_velocity(*robot, "tool")


def test_the_jacobian_gives_the_velocity_of_a_fingertip_of_thirty_joints():
    tree = fold(deep_tree(3, 30))
    check_velocity(tree, *np.random.default_rng(0).uniform(-2, 2, (2, 30)), "tool")


def check_velocity(tree, q, qd, frame):
    """By the rate of the homogeneous matrix: T⁻¹Ṫ is local, Ṫ T⁻¹ spatial, Ṗ the origin's."""
    X = pose(tree, q, frame)
    T = np.asarray(X.matrix(), dtype=float)
    Tdot = rate(lambda q: pose(tree, q, frame).matrix(), (q, qd))
    world, local, base = (jacobian(tree, q, frame, axes) @ qd for axes in AXES)
    terms = (speed(tree, q, qd), speed(tree, q, qd) * reach(tree, q))
    assert_near(twist_matrix(local), np.linalg.inv(T) @ Tdot, *terms)
    assert_near(twist_matrix(base), Tdot @ np.linalg.inv(T), *terms)
    assert_near(world[3:], Tdot[:3, 3], *terms)
    assert_near(skew(world[:3]), Tdot[:3, :3] @ T[:3, :3].T, *terms)


def twist_matrix(twist):
    w, u = np.asarray(twist[:3], float), np.asarray(twist[3:], float)
    return np.vstack([np.column_stack([skew(w), u]), np.zeros(4)])


@pytest.mark.parametrize("axes", AXES)
@EXAMPLES
@given(robot=poised(2))
def test_the_rate_of_the_jacobian_is_its_derivative(robot, axes):
    check_rate(*robot, axes)


@pytest.mark.parametrize("axes", AXES)
def test_the_rate_of_the_jacobian_of_thirty_joints_is_its_derivative(axes):
    tree = fold(deep_tree(3, 30))
    check_rate(tree, *np.random.default_rng(0).uniform(-2, 2, (2, 30)), axes)


def check_rate(tree, q, qd, axes):
    Jdot = rate(lambda q: jacobian(tree, q, "tool", axes), (q, qd))
    assert_near(jacobian_rate(tree, q, qd, "tool", axes), Jdot, speed(tree, q, qd))


@EXAMPLES
@given(poised(1))
def test_joints_that_do_not_carry_a_frame_do_not_move_it(robot):
    tree, q = robot
    for frame, (tip, _) in tree.frames.items():
        carrying = {tree.drives[i].index for i in path(tree, tip)}
        J = jacobian(tree, q, frame)
        for i in set(range(tree.n)) - carrying:
            assert not np.any(J[:, i])
        if tip == BASE:
            assert not np.any(J)


@EXAMPLES
@given(poised(3), st.tuples(*[st.floats(-1, 1)] * 3))
def test_a_points_motion_is_the_derivative_of_where_it_is(robot, point):
    tree, q, qd, qdd = robot
    p, v, a = point_motion(tree, q, qd, qdd, "tool", point)
    assert_near(p, pose(tree, q, "tool").point(np.array(point)), reach(tree, q))

    def position(q):
        return pose(tree, q, "tool").point(np.array(point))

    def velocity(q, qd):
        return point_motion(tree, q, qd, 0 * qd, "tool", point)[1]

    fast = speed(tree, q, qd)
    assert_near(v, rate(position, (q, qd)), 2 * fast)
    turning = fast * len(tree.bodies) * np.abs(qd).max()
    assert_near(a, rate(velocity, (q, qd), (qd, qdd)), turning, speed(tree, q, qdd))


def test_the_two_link_arms_tip_accelerates_as_the_deck_says():
    """At θ = (0, π/2): centripetal of each joint, and Coriolis; the deck's L1, L2 and rates."""
    tree = fold(read("two_link_point"))
    q = np.array([0, math.pi / 2])

    def acceleration(w1, w2):
        return point_motion(tree, q, np.array([w1, w2]), np.zeros(2), "tool")[2]

    w1, w2 = 0.7, -0.4
    assert_near(acceleration(w1, w2), [-(w1**2), -(w1**2) - w2**2 - 2 * w1 * w2, 0])
    assert_near(acceleration(w1, 0), [-(w1**2), -(w1**2), 0])
    assert_near(acceleration(0, w2), [0, -(w2**2), 0], 1)
    mixed = acceleration(w1, w2) - acceleration(w1, 0) - acceleration(0, w2)
    assert_near(mixed, [0, -2 * w1 * w2, 0])


@EXAMPLES
@given(poised(1))
def test_the_centre_of_mass_is_where_gravity_pulls(robot):
    """P = −M gᵀc for every direction of gravity, springs left out."""
    tree, q = robot
    mass = sum(float(body.inertia.m) for body in tree.bodies)
    for g in np.eye(3):
        pulled = replace(tree, gravity=tuple(g), elastics=())
        energy = potential_energy(pulled, q)
        assert_near(-mass * g @ center_of_mass(tree, q), energy, mass * reach(tree, q))


@EXAMPLES
@given(poised(1))
def test_gravity_torque_is_minus_the_weight_seen_through_the_jacobian_of_the_centre(robot):
    """g = −Σ J_Cᵀ m g: one centre of mass stands for all."""
    tree, q = robot
    mass = sum(float(body.inertia.m) for body in tree.bodies)
    J = slope(lambda q: center_of_mass(tree, q), q)
    assert_near(gravity_torque(tree, q), -mass * np.array(tree.gravity) @ J, weight(tree))
