"""Sweeps whose answers are known from paper."""

import numpy as np
import pytest

SMALL = 0.01  # [rad]
SIGMAS = 5.0  # by how many standard errors a mean may be off
# an error that dies away without swinging
CRITICAL = {
    "robot": "pendulum",
    "duration": 1.0,
    "q0": [0.3],
    "control": {
        "law": "computed_torque",
        "gains": {"kp": 100, "kd": 20},
        "reference": {"kind": "setpoint", "target": [0.0]},
    },
}


def test_the_periods_of_many_pendulums_are_those_of_the_formula(run):
    """q = q₀ cos ωt with ω² = m g L / I, for swings that are small."""
    plan = {"robot": "pendulum_symbolic", "duration": 1.0, "step": 0.002, "draws": 500}
    vary = {
        "L": {"uniform": [0.4, 0.6]},
        "I": {"normal": [0.5, 0.05], "clip": [0.3, 0.8]},
        "g": {"grid": [9.81, 1.62]},
    }
    found = run(plan | {"q0": [SMALL], "set": {"m": 1.0, "d": 0.0}, "vary": vary})
    columns = found.table(["L", "I", "g", "final.q.j1", "final.qd.j1"]).to_pydict()
    L, I, g, q, qd = (np.array(x) for x in columns.values())
    w = np.sqrt(g * L / I)
    cubic = SMALL**3  # what a swing that is not small adds, in order of size
    assert np.abs(q - SMALL * np.cos(w)).max() < 3 * cubic
    assert np.abs(qd + SMALL * w * np.sin(w)).max() < 10 * cubic
    period = 2 * np.pi / w[g == 9.81]
    # to second order in the spreads, of independent L and I
    expected = 2 * np.pi * np.sqrt(0.5 / (9.81 * 0.5))
    expected *= 1 + 3 / 8 * (0.2**2 / 12) / 0.5**2 - 1 / 8 * 0.05**2 / 0.5**2
    assert abs(period.mean() - expected) < SIGMAS * period.std() / np.sqrt(500)


def test_energy_stays_where_nothing_takes_it(run):
    plan = {"robot": "two_link", "duration": 1.0, "q0": [0, 0]}
    vary = {"q0": {"uniform": [-3, 3]}, "scale": {"uniform": [0.5, 2]}}
    found = run(plan | {"draws": 20, "vary": vary})
    assert found.column("energy.kinetic").max() > 100  # [J]
    assert found.column("energy.strayed").max() < 1e-5  # [J]
    rubbed = run(plan | {"vary": {"friction.viscous": {"grid": [30.0]}}})
    assert rubbed.column("energy.strayed")[0] > 100


def test_a_settled_run_is_told_when_it_settled(run):
    """e = e₀ exp(−ωt) (1 + ωt) under computed torque with kp = ω², kd = 2ω."""
    plan = CRITICAL | {"duration": 2.0, "step": 0.002, "every": 0.002}
    plan |= {"vary": {"q0": {"grid": [0.2, 0.4]}}}
    share = run(plan).column("error.settled")
    absolute = run(plan | {"settled": 0.004}).column("error.settled")
    when = 0.58339  # [s] at which exp(−10 t) (1 + 10 t) = 0.02
    assert share == pytest.approx([when, when], abs=0.002)
    assert absolute[0] == pytest.approx(when, abs=0.002)
    assert absolute[1] > absolute[0] + 0.05
    never = run(plan | {"duration": 0.1})
    assert np.isnan(never.column("error.settled")).all()


def test_the_mean_square_of_the_error_is_its_integral(run):
    found = run(CRITICAL | {"every": 0.001, "vary": {"q0": {"grid": [0.3]}}})
    t = np.linspace(0, 1, 100_001)
    e = 0.3 * np.exp(-10 * t) * (1 + 10 * t)
    assert found.column("error.rms")[0] == pytest.approx(np.sqrt(np.trapezoid(e**2, t)), rel=1e-4)
    assert found.column("error.worst")[0] == 0.3
    assert found.column("error.final")[0] == pytest.approx(e[-1], rel=1e-4)
