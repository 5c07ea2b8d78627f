"""The Slotine–Li regressor, adaptive control, and the bounds of robust control."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from long import examples, long
from made import PANDA
from nearness import DIVIDED
from numpy.testing import assert_allclose
from strategies import models, seeds

import qddot
from qddot.control.laws import AdaptiveSlotineLi, RobustSaturated, SlotineLi
from qddot.control.laws.adaptive_slotine_li import balanced
from qddot.control.laws.estimates import estimates
from qddot.control.loop import closed_loop
from qddot.dynamics.coriolis import coriolis_matrix, powers, reference_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.movement import movements
from qddot.dynamics.regressor import UNITS, parameters, regressor
from qddot.dynamics.rnea import gravity_torque
from qddot.motions import Fourier
from qddot.robot import Robot

HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
KD = [20.0, 20.0, 20.0, 20.0, 4.0, 4.0, 1.0]


def exciting(amplitude: float = 0.5) -> Fourier:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-amplitude, amplitude, (2, 7, 3))
    return Fourier(HOME, a, b, base_frequency=0.5)


def start(reference: Fourier) -> dict[str, np.ndarray]:
    q, qd, _ = (np.asarray(part, dtype=float) for part in reference.at(0.0))
    return {"q0": q, "qd0": qd}


def mistaken(robot: Robot, share: float, seed: int = 1) -> Robot:
    """Return a robot whose links weigh more or less by a share, each with its own sign."""
    rng = np.random.default_rng(seed)
    links = []
    for link in robot.model.links:
        factor, own = 1 + rng.choice([-share, share]), link.inertial
        inertia = tuple(factor * x for x in own.inertia)
        links.append(replace(link, inertial=replace(own, mass=own.mass * factor, inertia=inertia)))
    return Robot(replace(robot.model, links=tuple(links)))


# the regressor


@examples(40)
@given(model=models(most=5, mimic=True), seed=seeds)
def test_the_regressor_is_that_of_m_c_and_g(model, seed):
    """Y φ = M q̈_r + C(q, q̇) q̇_r + g + Fᵥ q̇_r + Fₛ sgn q̇, with the Christoffel C."""
    tree, rng = Robot(model).tree, np.random.default_rng(seed)
    q, qd, qd_r, qdd_r, s = rng.uniform(-2, 2, (5, tree.n))
    M, C = mass_matrix(tree, q), coriolis_matrix(tree, q, qd)
    rigid = np.array(M @ qdd_r + C @ qd_r + gravity_torque(tree, q), float)
    near = dict(rtol=0, atol=DIVIDED * max(1.0, np.abs(rigid).max()))
    assert_allclose(np.array(reference_torque(tree, q, qd, qd_r, qdd_r), float), rigid, **near)

    phi = np.array(list(parameters(tree).values()), float)
    Y = np.array(regressor(tree, q, qd, qdd_r, qd_r), float)
    rubbed = [f.viscous * r + f.coulomb * np.sign(v) + f.offset
              for f, r, v in zip(tree.friction, qd_r, qd, strict=True)]  # fmt: skip
    assert_allclose(Y @ phi, rigid + np.array(rubbed, float), **near)

    # Yᵀ s without Y
    directions = [(i, unit) for i in range(len(tree.bodies)) for unit in UNITS]
    found = powers(tree, movements(tree, q, qd, qd_r, qdd_r), s, directions)
    expected = (s @ Y)[: len(directions)]
    assert_allclose(np.array(found, float), expected, rtol=0, atol=1e-11 * np.abs(Y).max())


@examples(15)
@given(model=models(most=5, mimic=True), seed=seeds)
def test_with_equal_velocities_it_is_the_regressor_of_inverse_dynamics(model, seed):
    tree, rng = Robot(model).tree, np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-2, 2, (3, tree.n))
    ours, theirs = (
        np.array(Y, float)
        for Y in (regressor(tree, q, qd, qdd, qd.copy()), regressor(tree, q, qd, qdd))
    )
    assert_allclose(ours, theirs, rtol=0, atol=DIVIDED * np.abs(theirs).max())


@examples(15)
@given(model=models(most=4, mimic=True), seed=seeds)
def test_base_and_all_parameters_give_the_same_torque(model, seed):
    tree, rng = Robot(model).tree, np.random.default_rng(seed)
    q, qd, qd_r, qdd_r = rng.uniform(-2, 2, (4, tree.n))
    found = []
    for which in ("base", "all"):
        known = estimates(tree, which)
        found.append(np.array(known.torque(known.values, q, qd, qd_r, qdd_r, np.sign), float))
    assert_allclose(*found, rtol=0, atol=1e-10 * max(1.0, np.abs(found[1]).max()))


def test_a_panda_has_43_base_parameters_one_of_them_twice_and_7_of_friction():
    """The first joint feels Σxx + Σyy alone; that the two go together is left to adaptation."""
    law = AdaptiveSlotineLi(PANDA, 5, KD, HOME)
    rubbing = [name for name in law.parameters.names if name.endswith("fv")]
    assert (len(law.x0) - len(rubbing), len(rubbing)) == (44, 7)


def test_all_parameters_start_where_the_model_has_them():
    law = AdaptiveSlotineLi(PANDA, 5, KD, HOME, estimate="all")
    known = dict(zip(PANDA.parameter_names, PANDA.parameters, strict=True))
    assert_allclose(law.x0, [known[name] for name in law.parameters.names])


# tracking


@pytest.mark.long
def test_adaptive_control_of_a_panda_with_30_percent_wrong_parameters():
    """The error falls at least ten times within ten seconds, and V never rises."""
    reference, wrong = exciting(), mistaken(PANDA, 0.3)
    Gamma = balanced(wrong, reference, KD, rate=1.0, seconds=2.0)
    law = AdaptiveSlotineLi(wrong, 5, KD, reference, adaptation=Gamma)
    run = closed_loop(PANDA, law, **start(reference), duration=10, tolerance=1e-9)
    size = np.linalg.norm(run.error, axis=1)
    first, last = (np.sqrt((size[when] ** 2).mean()) for when in (run.t < 1, run.t > 9))
    assert last < first / 10
    assert run.V is not None
    assert (np.diff(run.V) <= 1e-9 * run.V[0]).all()
    assert run.V_rate.max() <= 1e-12
    assert run.report.falls
    assert run.report.sound


@pytest.mark.long
def test_slotine_li_with_the_right_model_tracks_to_tolerance():
    reference = exciting()
    law = SlotineLi(PANDA, 5, KD, reference)
    run = closed_loop(PANDA, law, **start(reference), duration=3, tolerance=1e-11)
    assert run.report.worst.max() < 1e-9


@pytest.mark.long
def test_robust_control_outweighs_what_the_model_is_wrong_by():
    """With bounds that hold, the error stays far below that of the law without the push."""
    reference, wrong = exciting(), mistaken(PANDA, 0.3)
    rng = np.random.default_rng(2)
    q = rng.uniform(-3, 3, (3000, 7))
    gravity = np.linalg.norm(PANDA.gravity_torque(q) - wrong.gravity_torque(q), axis=1).max()
    plain = SlotineLi(wrong, 5, KD, reference)
    robust = RobustSaturated(
        wrong, 5, KD, reference, mass=2.0, coriolis=2.5, gravity=1.3 * gravity, layer=0.02
    )
    errors = [
        closed_loop(PANDA, law, **start(reference), duration=3, tolerance=1e-8).report.worst.max()
        for law in (plain, robust)
    ]
    assert errors[1] < errors[0] / 5
    assert all(each.holds is None for each in robust.assumptions(PANDA))


def test_bounds_that_do_not_hold_are_found_out():
    law = RobustSaturated(mistaken(PANDA, 0.3), 5, KD, HOME, mass=1e-3, coriolis=10, gravity=1e-3)
    verdicts = {each.statement[:4]: each.holds for each in law.assumptions(PANDA)}
    assert list(verdicts.values()) == [False, None, False]


def test_another_geometry_is_no_arm_for_the_adaptive_law():
    longer = qddot.load("two_link_symbolic").with_values(
        m1=50, m2=50, I1=10, I2=10, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81, a1=1.2, a2=1
    )
    law = AdaptiveSlotineLi(longer, 5, 100, [0.1, 0.2])
    assert law.assumptions(qddot.load("two_link"))[0].holds is False
    assert law.assumptions(longer)[0].holds is True


@pytest.mark.parametrize("which", ["base", *long("all")])
def test_the_adaptive_program_fits_simulate(which):
    law = AdaptiveSlotineLi(PANDA, 5, KD, HOME, estimate=which)
    run = qddot.simulate(PANDA, HOME, duration=0.05, torque=law, inputs={"x": law.x0})
    assert_allclose(run.q[-1], HOME, rtol=0, atol=1e-10)
