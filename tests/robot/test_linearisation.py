"""Small motions: A, B, equilibria and modes, against textbooks, differences and SciPy."""

import numpy as np
from made import ARM, PANDA
from nearness import CENTRAL_DIFFERENCE, DIVIDED, assert_near
from scipy.linalg import eigh

import qddot


def test_the_mass_spring_damper_swings_as_the_deck_says():
    """x1 = (F + M1 g)/k = 0.37025 and ω = √(k/M1) if held; 7.48331 rad/s, ζ = 0.14031 if free."""
    free = qddot.load("mass_spring_damper")
    held = free.locked({"x0": 0})
    x = held.equilibrium([10])
    assert_near(x, [0.37025])
    (mode,) = held.linearised(x).modes
    assert_near([mode.frequency, mode.damping], [40**0.5, 1.5 / 2 / 40**0.5])
    assert held.linearised(x).stable
    *drift, swing = free.linearised([0, 0]).modes
    assert [mode.frequency for mode in drift] == [0, 0]
    assert all(np.isnan(mode.damping) for mode in drift)
    assert abs(swing.frequency - 7.48331477) < 5e-9
    assert abs(swing.damping - 0.14031215) < 5e-9
    assert_near(swing.shape, [1, -0.4])  # the centre of mass stays
    assert not free.linearised([0, 0]).stable


def test_the_two_link_arm_hangs_and_swings_as_the_deck_says():
    """2.547473 and 5.256626 rad/s without damping; 80 N·m·s makes poles of −10.087 and −2.724."""
    arm = ARM.with_friction(viscous=0)
    down = arm.equilibrium(near=[-1, 0.3])
    assert_near(down, [-np.pi / 2, 0], tolerance=1e-9)
    modes = arm.linearised(down).modes
    assert [round(mode.frequency, 6) for mode in modes] == [2.547473, 5.256626]
    assert [mode.damping for mode in modes] == [0, 0]
    damped = arm.with_friction(viscous=80).linearised(down)
    assert sorted(round(mode.pole.real, 3) for mode in damped.modes)[:2] == [-10.087, -2.724]
    up = arm.linearised(arm.equilibrium(near=[1.5, 0.1]))
    assert not up.stable
    assert min(mode.damping for mode in up.modes) == -1


def test_undamped_modes_are_the_generalised_eigenvalues():
    still = PANDA.without("friction")
    found = still.linearised(PANDA.home)
    squares = eigh((found.K + found.K.T) / 2, found.M, eigvals_only=True)
    mine = sorted({round((mode.pole**2).real, 6) for mode in found.modes})
    assert_near(mine, sorted({round(-x, 6) for x in squares}), tolerance=1e-5)


def test_A_and_B_are_the_slopes_of_forward_dynamics():
    arm, n = PANDA, PANDA.n
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, n))
    found = arm.linearised(q, qd, qdd)
    by_q, by_qd, by_tau = arm.forward_dynamics_derivatives(q, qd, found.tau)
    assert_near(found.A[n:], np.hstack([by_q, by_qd]), tolerance=DIVIDED)
    assert_near(found.B[n:], by_tau, tolerance=DIVIDED)
    assert_near(found.A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    step = 1e-6 * np.eye(n)[2]
    ahead, behind = (arm.forward_dynamics(q + s * step, qd, found.tau) for s in (1, -1))
    assert_near((ahead - behind) / 2e-6, found.A[n:, 2], tolerance=CENTRAL_DIFFERENCE)
    assert_near(arm.forward_dynamics(q, qd, found.tau), qdd, tolerance=DIVIDED)


def test_an_equilibrium_is_found_again_from_nearby():
    """Of joints that gravity turns; the first one may stand anywhere."""
    arm = ARM.with_friction(viscous=1)
    there = np.array([-0.4, 0.9])
    found = arm.equilibrium(arm.gravity_torque(there), near=there + 0.1)
    assert_near(found, there, tolerance=1e-9)


def test_it_prints_its_modes():
    text = repr(qddot.load("mass_spring_damper").linearised([0, 0]))
    assert "held by τ = [-19.62 -49.05]" in text
    assert "7.48331" in text
    assert "0.140312" in text
