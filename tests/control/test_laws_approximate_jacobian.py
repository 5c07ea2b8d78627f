"""Approximate Jacobian control: the deck's numbers, and saturated potentials."""

from __future__ import annotations

import numpy as np
import pytest
from long import one_in
from made import ARM
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

import qddot
from qddot.control.laws import AdaptiveApproximateJacobian, ApproximateJacobian
from qddot.control.laws.saturation import SATURATIONS, arctan
from qddot.control.loop import closed_loop
from qddot.control.spec import described_control
from qddot.program import record

REST = dict(m1=50, m2=50, I1=10, I2=10, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81)
X_D, Q0 = [1.2, 0.6], [0.2, 1.8]
FINAL = (-0.37183426, 1.67096375)
# lengths that Ĵ believes in, and ‖Jᵀ − Ĵᵀ‖ at the worst of the run
LENGTHS = {(1.0, 1.0): 0.0, (1.2, 0.8): 0.355, (0.8, 1.3): 0.482}


def with_lengths(a1: float, a2: float) -> qddot.Robot:
    return qddot.load("two_link_symbolic").with_values(a1=a1, a2=a2, **REST)


def law(lengths: tuple[float, float] = (1.0, 1.0), **more) -> ApproximateJacobian:
    wrong = with_lengths(*lengths)
    return ApproximateJacobian(ARM, "tool", 300, 150, X_D, approximate=wrong, axes="xy", **more)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_wrong_lengths_do_not_keep_the_tool_from_its_place(lengths):
    run = closed_loop(ARM, law(lengths), q0=Q0, duration=40, tolerance=1e-13)
    assert np.abs(run.error[-1]).max() < 1e-12
    assert_allclose(run.trajectory.q[-1], FINAL, rtol=0, atol=5e-9)


@pytest.mark.parametrize(("lengths", "p"), LENGTHS.items())
def test_how_wrong_the_jacobian_is_along_the_run(lengths, p):
    run = closed_loop(ARM, law(lengths), q0=Q0, duration=40)
    assert_allclose(run.law.mismatch(run.trajectory.q).max(), p, rtol=0, atol=5e-4)


@pytest.mark.parametrize("lengths", LENGTHS)
def test_v_with_its_cross_term_falls_whatever_the_lengths(lengths):
    """Without the cross term V may rise while Ĵ is not J."""
    run = closed_loop(ARM, law(lengths, cross=0.4), q0=Q0, duration=20)
    assert run.V.min() > -1e-9
    assert run.V_rate.max() <= 1e-9 * run.V.max()
    assert run.report.falls


@pytest.mark.parametrize("name", one_in(3, SATURATIONS))
def test_every_saturation_takes_the_tool_to_its_place(name):
    run = closed_loop(ARM, law((1.2, 0.8), saturation=name), q0=Q0, duration=40)
    assert np.abs(run.error[-1]).max() < 1e-6


# the potentials


@pytest.mark.parametrize("potential", SATURATIONS.values(), ids=SATURATIONS)
def test_c_is_the_best_constant(potential):
    """S ≥ c s² everywhere, and no larger c will do: the least of S/s² is c."""

    def ratio(theta: float) -> float:
        return float(potential.S(theta) / potential.s(theta) ** 2)

    theta = np.concatenate([np.geomspace(1e-3, 50, 20_000)])
    assert (potential.S(theta) >= potential.c * potential.s(theta) ** 2 * (1 - 1e-9)).all()
    found = minimize_scalar(ratio, bounds=(1e-3, 10), method="bounded", options={"xatol": 1e-9})
    assert_allclose(found.fun, potential.c, rtol=1e-5)


def test_the_saturated_sine_has_one_half():
    assert SATURATIONS["sine"].c == 0.5


@pytest.mark.parametrize("potential", SATURATIONS.values(), ids=SATURATIONS)
def test_a_saturation_is_what_the_deck_asks_for(potential):
    """S(0) = 0, S > 0 elsewhere, s odd and rising, at most its limit, and s = dS/dθ."""
    theta = np.linspace(-6, 6, 4001)
    s, S = potential.s(theta), potential.S(theta)
    assert potential.S(np.zeros(1))[0] == 0
    assert (S[theta != 0] > 0).all()
    assert (np.diff(s) >= -1e-15).all()
    assert_allclose(s, -potential.s(-theta), rtol=0, atol=1e-15)
    assert np.abs(s).max() <= potential.most + 1e-15
    beyond = np.abs(theta) >= potential.gamma
    assert_allclose(np.abs(s[beyond]), potential.most)
    h = 1e-6
    slope = (potential.S(theta + h) - potential.S(theta - h)) / (2 * h)
    assert_allclose(slope, s, rtol=0, atol=1e-6)


@pytest.mark.parametrize("potential", SATURATIONS.values(), ids=SATURATIONS)
def test_a_recorded_saturation_is_the_same(potential):
    program = record(lambda x: (potential.s(x), potential.S(x)), x=())
    for x in (-4.0, -1.2, -0.3, 0.0, 0.7, 1.4, 9.0):
        assert_allclose(
            program(x), (potential.s(np.array(x)), potential.S(np.array(x))), rtol=0, atol=1e-15
        )


def test_arctan_of_four_operations_and_a_root_is_arctan():
    x = np.concatenate([np.geomspace(1e-8, 1e8, 5000), [0.0]])
    assert_allclose(arctan(np.concatenate([-x, x])), np.arctan(np.concatenate([-x, x])), rtol=2e-15)


# its adaptive version


def test_gravity_that_is_not_known_is_found():
    """With a third of the mass unknown the plain law rests elsewhere; the adaptive one does not."""
    light = ARM.with_gravity([0, -9.81 * 2 / 3, 0])
    common = dict(frame="tool", kp=300, kd=150, reference=X_D, axes="xy")
    common["approximate"] = with_lengths(1.2, 0.8)
    plain = closed_loop(ARM, ApproximateJacobian(light, **common), q0=Q0, duration=60)
    # the same law with its own wrong masses, which it may change
    heavy = qddot.load("two_link_symbolic").with_values(**(REST | dict(m1=33, m2=33)), a1=1, a2=1)
    adaptive = AdaptiveApproximateJacobian(heavy, **common, adaptation=20.0, cross=0.4)
    run = closed_loop(ARM, adaptive, q0=Q0, duration=60)
    assert np.abs(plain.error[-1]).max() > 0.05
    assert np.abs(run.error[-1]).max() < 1e-4
    assert run.V_rate.max() <= 1e-9 * run.V.max()


def test_the_adaptive_version_says_that_it_needs_a_cross_term():
    with pytest.raises(qddot.QddotError, match="cross"):
        AdaptiveApproximateJacobian(ARM, "tool", 300, 150, X_D, axes="xy", cross=0.0)
    with pytest.raises(TypeError, match="cross"):  # it has no default, for none could be right
        AdaptiveApproximateJacobian(ARM, "tool", 300, 150, X_D, axes="xy")  # type: ignore


def test_the_adaptive_version_has_a_name_and_gains_of_its_own():
    """Estimates start at the model's masses, the place is the arm's, Ĵ has the model's lengths."""
    wrong = {"m1": 33, "m2": 33, "a1": 1.2, "a2": 0.8}
    law = {"law": "adaptive_approximate_jacobian", "reference": [1.2, 0.6], "axes": "xy"}
    spec = described_control(law | {"model_set": wrong}, ARM, np.array(Q0), start_given=True)
    assert isinstance(spec.law, AdaptiveApproximateJacobian)
    assert_allclose(spec.law.robot.pose(Q0, "tool"), ARM.pose(Q0, "tool"), rtol=0, atol=1e-15)
    assert_allclose(spec.law.robot.mass_matrix(Q0)[1, 1], 33 * 0.25 + 10)
    assert spec.law.approximate.values["a1"] == 1.2
    assert spec.law.gain_parts("adaptation") == spec.law.parameters.names
    given = described_control(law | {"gains": {"adaptation": 3, "cross": 0.5}}, ARM, np.array(Q0))
    assert (given.law.cross, given.law.adaptation[0, 0]) == (0.5, 3)


def test_gains_that_are_chosen_find_gravity():
    """Masses that are off leave the plain law decimetres away, the adaptive one millimetres."""
    run = {}
    for name in ("approximate_jacobian", "adaptive_approximate_jacobian"):
        law = {"law": name, "reference": [1.2, 0.6], "axes": "xy", "model_error": 0.3}
        spec = described_control(law, ARM, np.array(Q0), start_given=True, seconds=20)
        run[name] = np.abs(closed_loop(ARM, spec.law, q0=Q0, duration=20).error[-1]).max()
    assert run["approximate_jacobian"] > 0.1
    assert run["adaptive_approximate_jacobian"] < 0.01
