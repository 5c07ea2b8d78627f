"""The linearised sampled loop, beside what is known of double integrators and beside runs."""

from __future__ import annotations

import numpy as np
import pytest
from made import ARM
from numpy.testing import assert_allclose

from qddot.control.laws import AdaptiveSlotineLi, ComputedTorque, PDGravity
from qddot.control.loop import closed_loop
from qddot.control.sampled import HeldPlant
from qddot.control.sampled_loop import STABLE, Linear, linearised

NOTHING = np.zeros((2, 0))


def integrator(kp: float, kd: float) -> Linear:
    """Return a mass of 1 under kp and kd."""
    A, B, K = np.array([[0, 1.0], [0, 0]]), np.array([[0.0], [1.0]]), np.array([[-kp, -kd]])
    return Linear(A, B, K, np.zeros((1, 0)), np.zeros((0, 2)), np.zeros((0, 0)))


@pytest.mark.parametrize(("kp", "kd"), [(100, 20), (4e6, 4e3), (400, 10)])
def test_a_mass_under_pd_is_stable_up_to_the_step_that_jury_gives(kp, kd):
    """z² − (2 − kp T²/2 − kd T) z + 1 + kp T²/2 − kd T: stable for T < 2/kd and T < 2 kd/kp."""
    loop, T = integrator(kp, kd), min(2 / kd, 2 * kd / kp)
    assert loop.radius(0.999 * T) < 1 < loop.radius(1.001 * T)
    assert_allclose(loop.largest_period(10 * T, 0.0), T, rtol=0.02)
    assert loop.growth() < 0


@pytest.mark.parametrize("delay", [0.0, 0.4e-3, 1e-3, 2.7e-3])
def test_one_sample_is_the_sampled_motion(delay):
    """Steps of the matrix are the integrator driven by what was seen so long ago."""
    loop, T = integrator(3000.0, 80.0), 1e-3
    step = loop.one_sample(T, delay)
    y = np.array([0.1, 0.0])
    z = np.zeros(len(step))
    past = (len(step) - 2) // 3
    for k in range(past + 1):
        z[2 * k : 2 * k + 2] = y
    # before the start it stood still, which a torque of zero leaves so
    times, states, u = [0.0], [y], 0.0

    def seen(t: float) -> np.ndarray:
        k = max(i for i, at in enumerate(times) if at <= t + 1e-15) if t > 0 else 0
        s = max(t - times[k], 0.0)
        x, v = states[k]
        force = forces[k] if k < len(forces) else 0.0
        return np.array([x + s * v + s * s / 2 * force, v + s * force])

    forces: list[float] = []
    for n in range(6):
        u = float((loop.K @ seen(n * T - delay))[0])
        forces.append(u)
        x, v = states[-1]
        states.append(np.array([x + T * v + T * T / 2 * u, v + T * u]))
        times.append((n + 1) * T)
        z = step @ z
        assert_allclose(z[:2], states[-1], rtol=1e-12)


def test_the_longest_delay_is_on_the_edge_and_one_beyond_the_look_is_open():
    loop = integrator(400.0, 40.0)
    assert np.isnan(loop.radius(1e-3, 1.0))  # some thousands of rows
    longest = loop.largest_delay(1e-3, 0.1)
    assert loop.radius(1e-3, 0.9 * longest) <= STABLE < loop.radius(1e-3, 1.1 * longest)


def test_computed_torque_is_linearised_to_double_integrators():
    law = ComputedTorque(ARM, 100, 20, [0.4, 0.7])
    plant = HeldPlant(ARM, 1.0, None, None, 0.01)
    loop = linearised(plant, law, 0.0, np.array([0.4, 0.7]), np.zeros(2), np.zeros(0))
    closed = loop.A + loop.B @ loop.K
    expected = np.block([[np.zeros((2, 2)), np.eye(2)], [-100 * np.eye(2), -20 * np.eye(2)]])
    assert_allclose(closed, expected, rtol=0, atol=1e-5)


def sampled(law, **more):
    run = closed_loop(ARM, law, q0=[0.05, 0.02], duration=0.5, **more)
    (found,) = [each for each in run.report.assumptions if "often enough" in each.statement]
    return run, found


def test_the_named_step_is_where_runs_begin_to_run_away():
    law = ComputedTorque(ARM, 4e6, 4e3, [0, 0])
    run, found = sampled(law, rate=1000)
    assert found.holds is False
    assert "the longest step that is stable is 0.499 ms" in found.why
    assert run.report.worst.max() > 1e6
    calm, found = sampled(law, rate=1 / 0.45e-3)
    assert found.holds is None
    assert calm.report.worst.max() < 0.1
    assert calm.report.sound is not True


def test_a_delay_that_is_too_long_is_named():
    law = ComputedTorque(ARM, 400, 40, [0, 0])
    run, found = sampled(law, rate=1000, delay=0.06)
    assert found.holds is False
    assert "the longest delay that is stable is" in found.why
    assert run.report.sound is False


def test_a_slow_law_at_a_fast_rate_is_open():
    for law in (PDGravity(ARM, 2000, 1000, [0, 0]), AdaptiveSlotineLi(ARM, 5, 300, [0, 0])):
        run, found = sampled(law, rate=1000)
        assert found.holds is None
        assert run.report.sound is not True
