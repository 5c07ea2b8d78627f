"""Functions of (t, q, qd) that have a memory are found out, and pure ones are not."""

import warnings

import numpy as np
import pytest
from long import long

import qddot

ARM = qddot.load("two_link")
TARGET = np.array([0.5, -0.3])


class Integral:
    """A PID law that keeps its integral to itself."""

    def __init__(self):
        self.sum, self.t = np.zeros(2), 0.0

    def __call__(self, t, q, qd):
        self.sum = self.sum + (TARGET - q) * (t - self.t)
        self.t = t
        return 2000 * (TARGET - q) + 500 * self.sum - 800 * qd


class Relay:
    """A switch with hysteresis."""

    def __init__(self):
        self.on = True

    def __call__(self, t, q, qd):
        self.on = q[0] < (-0.2 if self.on else -0.4)
        return [40.0 * self.on, 0.0]


def noise():
    rng = np.random.default_rng(0)
    return lambda t, q, qd: rng.normal(size=2)


def alternating():
    calls = []

    def law(t, q, qd):
        calls.append(t)
        return [float(len(calls) % 2), 0.0]

    return law


@pytest.mark.parametrize("made", [Integral, Relay, alternating, *long(noise)])
def test_a_torque_with_a_memory_is_not_good(made, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = qddot.simulate(
            ARM, [0, 0], duration=0.5, torque=made(), tolerance=1e-6, max_steps=1000
        )
    assert not run.good
    assert "the function that gives the torque has a memory: asked again" in run.status
    run.save(tmp_path / "run.csv")
    assert not qddot.Trajectory.load(tmp_path / "run.csv", robot=ARM).good


@pytest.mark.long
def test_the_energy_cannot_tell():
    """Which is why it is asked: the audit of such a run passes."""
    with pytest.warns(qddot.SimulationWarning, match="has a memory"):
        run = qddot.simulate(ARM, [0, 0], duration=1.0, torque=Integral())
    assert run.audit.good
    assert run.finished
    assert not run.good


def test_a_wrench_and_a_disturbance_are_asked_too():
    pushes = (np.array([0, 0, 0, 0, k % 3, 0.0]) for k in range(10**6))
    for more in ({"disturbance": noise()}, {"wrenches": {"tool": lambda t, q, qd: next(pushes)}}):
        with pytest.warns(qddot.SimulationWarning, match="the (disturbance|wrench).*has a memory"):
            qddot.simulate(ARM, [0, 0], duration=0.1, tolerance=1e-4, max_steps=100, **more)


def test_pure_functions_of_any_kind_are_good():
    known = {}

    def cached(t, q, qd):
        key = (t, *q, *qd)
        if key not in known:
            known[key] = 2000 * (TARGET - q) - 800 * qd
        return known[key]

    buffer = np.zeros(2)

    def reused(t, q, qd):
        np.multiply(qd, -30, out=buffer)
        return buffer

    for law in (cached, reused, lambda t, q, qd: [np.sin(t), 0], lambda t, q, qd: [0, 0]):
        run = qddot.simulate(ARM, [0, 0], duration=0.5, torque=law)
        assert run.good, run.status


def test_a_function_is_asked_again_a_few_times_only():
    calls = []

    def law(t, q, qd):
        calls.append(t)
        return [0.0, 0.0]

    from qddot.simulation.signals import signal

    found = signal("the torque", law, ("a", "b"), 1.0)
    for t in np.linspace(0, 1, 5000):
        found.at(t, np.zeros(2), np.zeros(2))
    assert found.memory() == ""
    assert 5000 + 32 <= len(calls) < 5000 + 64
