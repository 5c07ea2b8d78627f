"""Ellipsoids of velocities, forces and accelerations: definitions, dualities, textbook numbers."""

import numpy as np
import pytest
from nearness import assert_near
from numpy.testing import assert_allclose

import qddot
from qddot.workspace import acceleration_ellipsoid, force_ellipsoid, velocity_ellipsoid

ARM = qddot.load("two_link_point")
PANDA = qddot.load("panda")
READY = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])


def test_the_isotropic_position_of_two_links():
    """With L₁ = √2 L₂ the ellipse is a circle at cos q₂ = −1/√2 (Salisbury and Craig 1982)."""
    arm = qddot.load("two_link_point_symbolic").with_values(
        L1=np.sqrt(2), L2=1.0, m1=1, m2=1, g=9.81
    )
    found = velocity_ellipsoid(arm, [0.4, np.radians(135)], "tool")
    assert_near(found.half_axes, [1, 1, 0])
    assert_near(found.condition, 1)


def test_velocities_and_forces_are_dual():
    rates = np.linspace(0.5, 2, 7)
    fast = velocity_ellipsoid(PANDA, READY, "tool", largest=rates)
    strong = force_ellipsoid(PANDA, READY, "tool", largest=1 / rates)
    assert_near(strong.half_axes[::-1], 1 / fast.half_axes)
    assert_near(np.abs(strong.directions[:, ::-1].T @ fast.directions), np.eye(3), tolerance=1e-9)
    plain = velocity_ellipsoid(PANDA, READY, "tool")
    assert_near(plain.volume, PANDA.manipulability(READY, "tool"))


@pytest.mark.parametrize("axes", ["linear", "angular"])
def test_points_of_the_balls_rim_are_in_the_ellipsoids(axes):
    rows = slice(3, 6) if axes == "linear" else slice(0, 3)
    ball = np.random.default_rng(0).normal(size=(2000, 7))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    J = PANDA.jacobian(READY, "tool")[rows]
    fast = velocity_ellipsoid(PANDA, READY, "tool", axes, "limits")
    moved = ball * PANDA.limits.velocity @ J.T
    assert inside(fast, moved).max() <= 1 + 1e-12
    assert inside(fast, moved).max() > 0.9
    torques = ball * PANDA.limits.effort
    qdd = PANDA.forward_dynamics(READY, np.zeros(7), torques)
    pulled = acceleration_ellipsoid(PANDA, READY, "tool", axes)
    assert 0.9 < inside(pulled, qdd @ J.T).max() <= 1 + 1e-9
    falling = PANDA.forward_dynamics(READY, np.zeros(7), np.zeros(7)) @ J.T
    assert_near(pulled.centre, falling, tolerance=1e-12)


def inside(ellipsoid, points):
    along = (points - ellipsoid.centre) @ ellipsoid.directions / ellipsoid.half_axes
    return (along**2).sum(axis=-1)


def test_what_never_moves_and_what_is_singular():
    strong = force_ellipsoid(ARM, [0.3, 1.0], "tool")
    assert np.isinf(strong.half_axes[0])
    assert np.isfinite(strong.half_axes[1:]).all()
    assert_allclose(np.abs(strong.directions[:, 0]), [0, 0, 1], rtol=0, atol=1e-12)
    assert strong.rank == 2
    assert np.isfinite(strong.condition)
    straight = velocity_ellipsoid(ARM, [[0.3, 0.0], [0.3, 1.0]], "tool")
    assert np.isinf(straight.condition[0])
    assert np.isfinite(straight.condition[1])
    assert straight.volume[0] == 0
    assert "q is singular" in str(velocity_ellipsoid(ARM, [0.3, 0.0], "tool"))
    assert "2 positions" in str(straight)


def test_a_velocity_ellipsoid_needs_no_masses():
    bare = qddot.from_dh([{"a": 1}, {"a": 1}], "standard")
    assert velocity_ellipsoid(bare, [0, 1], bare.tip).rank == 2
