"""Laws of poses: a group that carries points, motions and forces, and leaves power alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import ACCURATE, assert_close

from qddot.scalars.expressions import symbol
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.rotation import about_axis, from_rpy
from qddot.spatial.vector import cross, cross_force, cross_motion, join, skew, split

seeds = st.integers(0, 2**32 - 1)
vec3 = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=3))
vec6 = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=6))
poses = seeds.map(lambda seed: random_pose(np.random.default_rng(seed)))


def random_pose(rng):
    return Pose(from_rpy(rng.uniform(-math.pi, math.pi, 3)), rng.normal(size=3))


def assert_same(X, Y):
    assert_close(X.matrix(), Y.matrix(), ACCURATE)


def adjoint(X):
    """Return the 6×6 matrix that carries motions, written out as in a book."""
    return np.block([[X.R, np.zeros((3, 3))], [skew(X.p) @ X.R, X.R]])


@given(poses, poses, poses)
def test_poses_form_a_group(X, Y, Z):
    assert_same((X @ Y) @ Z, X @ (Y @ Z))
    assert_same(X @ STILL, X)
    assert_same(STILL @ X, X)
    assert_same(X @ X.inverse(), STILL)
    assert_same(X.inverse() @ X, STILL)
    assert_same((X @ Y).inverse(), Y.inverse() @ X.inverse())


@given(poses, poses)
def test_composing_is_multiplying_the_homogeneous_matrices(X, Y):
    assert_close((X @ Y).matrix(), X.matrix() @ Y.matrix(), ACCURATE)
    assert_close(X.inverse().matrix(), np.linalg.inv(X.matrix()), ACCURATE)
    assert X.matrix()[3].tolist() == [0, 0, 0, 1]


@given(poses, poses, vec3)
def test_a_point_is_carried_step_by_step_or_at_once(X, Y, p):
    assert_close(X.point(Y.point(p)), (X @ Y).point(p), ACCURATE)
    assert_close(X.inverse().point(X.point(p)), p, ACCURATE)
    assert_close([*X.point(p), 1], X.matrix() @ [*p, 1], ACCURATE)


@given(poses, poses, vec6)
def test_motions_and_forces_are_carried_step_by_step_or_at_once(X, Y, x):
    assert_close(X.motion(Y.motion(x)), (X @ Y).motion(x), ACCURATE)
    assert_close(X.force(Y.force(x)), (X @ Y).force(x), ACCURATE)


@given(poses, vec6)
def test_carrying_back_undoes_carrying(X, m):
    assert_close(X.motion_inv(X.motion(m)), m, ACCURATE)
    assert_close(X.motion_inv(m), X.inverse().motion(m), ACCURATE)
    assert_close(X.inverse().force(X.force(m)), m, ACCURATE)


@given(poses, vec6, vec6)
def test_power_is_the_same_in_every_frame(X, m, f):
    assert_close(X.force(f) @ X.motion(m), f @ m, ACCURATE)


@given(poses, vec6)
def test_motions_and_forces_are_carried_by_dual_matrices(X, x):
    A = adjoint(X)
    assert_close(X.motion(x), A @ x, ACCURATE)
    assert_close(X.force(x), np.linalg.inv(A).T @ x, ACCURATE)


@given(poses, vec6, vec6)
def test_the_cross_products_look_the_same_from_every_frame(X, a, b):
    carried = cross_motion(X.motion(a), X.motion(b))
    assert_close(X.motion(cross_motion(a, b)), carried, ACCURATE)
    carried = cross_force(X.motion(a), X.force(b))
    assert_close(X.force(cross_force(a, b)), carried, ACCURATE)


@given(poses, vec6, vec3)
def test_a_point_of_a_body_moves_as_the_bodys_motion_says(X, v_A, r):
    """ṗ = u + ω × p for the motion [ω; u] at the origin, by complex step."""
    w, u = split(v_A)
    step = 1e-30
    # X moved on by v_A for a time iε: to first order, and squares of ε vanish
    moved = Pose(X.R + 1j * step * skew(w) @ X.R, X.p + 1j * step * (u + cross(w, X.p)))
    rate = moved.point(r).imag / step
    assert_close(rate, u + cross(w, X.point(r)), ACCURATE)
    # the same velocity from the motion carried to the body's own frame
    w_B, u_B = split(X.motion_inv(v_A))
    assert_close(rate, X.R @ (u_B + cross(w_B, r)), ACCURATE)


@given(poses, vec3, vec3)
def test_a_force_has_the_moment_of_its_lever_arm(X, p, l):
    f_B = join(np.zeros(3), l)
    n, force = split(X.force(f_B))
    assert_close(n, cross(X.p, X.R @ l), ACCURATE)
    assert_close(force, X.R @ l, ACCURATE)


def test_the_laws_hold_exactly_over_symbols():
    a, b, t = (symbol(name) for name in "abt")
    X = Pose(about_axis((0, 0, 1), t), np.array([a, 0, b]))
    m, f = (np.array([symbol(f"{name}{i}") for i in range(6)]) for name in "mf")
    assert (X @ X.inverse()).matrix().tolist() == STILL.matrix().tolist()
    assert X.force(f) @ X.motion(m) == f @ m
    assert X.motion_inv(X.motion(m)).tolist() == m.tolist()


@pytest.mark.parametrize("x", [1, 2.5, 1j])
def test_the_pose_that_stands_still_changes_nothing(x):
    m = np.array([x, 0, 0, 0, x, 0])
    assert STILL.motion(m).tolist() == m.tolist()
    assert STILL.force(m).tolist() == m.tolist()
