"""Compiled stages of explicit Runge-Kutta steps, against SciPy's own."""

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45
from scipy.integrate._ivp.rk import rk_step

import qddot
from qddot.backends.stages import StagedStep, Stages


@pytest.mark.parametrize("method", [RK45, DOP853])
def test_compiled_stages_are_scipys_stages(method):
    """An oscillator with a forcing that depends on time and a constant input."""

    def rate(y, t, k):
        return np.stack([y[1], -k * np.sin(y[0]) + np.cos(3 * t)])

    program = qddot.record(rate, y=(2,), t=(), k=())
    y, t, h, k = np.array([0.3, -0.7]), 0.4, 0.05, 2.5

    def plain(t, y):
        return np.array([y[1], -k * np.sin(y[0]) + np.cos(3 * t)])

    K = np.zeros((method.n_stages + 1, 2))
    f = plain(t, y)
    expected, rate_after = rk_step(plain, t, y, f, h, method.A, method.B, method.C, K)
    mine = np.zeros_like(K)
    mine[0] = f
    step = StagedStep(Stages(program, method.A, method.B, method.C), [0.0, k], mine)
    np.testing.assert_allclose(step(t, y, h), expected, rtol=1e-14)
    np.testing.assert_allclose(mine, K, rtol=1e-12)
    np.testing.assert_allclose(mine[-1], rate_after, rtol=1e-12)


def test_a_compiled_run_takes_the_steps_that_scipy_takes():
    """The same torque, as numbers (compiled stages) and as a Python function (SciPy's)."""
    arm = qddot.load("two_link")
    for tolerance in (1e-3, 1e-9):
        runs = [
            qddot.simulate(
                arm,
                [0, 0],
                duration=2.0,
                tolerance=tolerance,
                torque=torque,
                step=0.02,
                audit_limit=1.0,
            )
            for torque in ([10.0, 5.0], lambda t, q, qd: [10.0, 5.0])
        ]
        assert runs[0].how["steps"] == runs[1].how["steps"]
        np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-9)
