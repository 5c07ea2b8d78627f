"""Runs that would not end: they say so early, keep what they have, and name the cause."""

import warnings

import pytest

import qddot

ARM = qddot.load("two_link")


def stopped(**more):
    robot, q0 = more.pop("robot", ARM), more.pop("q0", [0.1, 0])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = qddot.simulate(robot, q0, **more)
    assert not run.finished
    assert not run.good
    return run, [str(w.message) for w in told if w.category is qddot.SimulationWarning]


def test_a_run_that_would_take_for_ever_stops_at_the_first_look():
    run, _ = stopped(qd0=[1e9, 0], duration=1.0)
    assert run.how["steps"] == 2000
    assert "joint 'j1' moves at 1e+09 rad/s" in run.status
    assert "0.00041 % of 1 s" in run.status
    assert run.t[-1] > 1e-6  # what was computed is kept


def test_the_limit_of_steps_is_kept_and_told_before_it_is_reached():
    run, told = stopped(qd0=[1e6, 0], duration=1.0, max_steps=5000)
    assert run.how["steps"] == 5000
    assert "it has taken max_steps=5,000 steps" in run.status
    assert "After 2,000 steps" in told[0]
    assert "max_steps=5,000" in told[0]
    assert len(told) == 2  # and the status in the end
    run, told = stopped(duration=10.0, max_steps=100)
    assert run.how["steps"] == 100
    assert 0 < run.t[-1] < 10
    assert qddot.simulate(ARM, [0.1, 0], duration=10.0, max_steps=300).finished


def test_a_duration_that_is_too_long_is_named_as_the_cause():
    run, _ = stopped(duration=1e300)
    assert "1e+300 s are long for a motion that takes steps of" in run.status
    assert run.t[-1] > 1.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q0": [1e150, 0]}, "joint 'j1' stands at 1e[+]150 rad, and sines are computed up to 1e"),
        ({"qd0": [0, 1e150]}, "qd0 of joint 'j2' is 1e[+]150; energies take its square"),
        ({"max_steps": 0}, "max_steps is 0; give a whole number"),
        ({"max_steps": 1e6}, "max_steps is 1000000.0"),
        ({"method": "rk4", "step": 1e-7}, "are 1e[+]07 steps, more than max_steps=1,000,000"),
    ],
)
def test_the_cause_is_named_at_the_start(given, words):
    with pytest.raises(qddot.QddotError, match=words):
        qddot.simulate(ARM, **({"q0": [0, 0], "duration": 1.0} | given))


def test_an_angle_that_becomes_too_large_on_the_way_is_named():
    wheel = qddot.load("pendulum").without("friction").with_gravity((0, -1e-6, 0))
    run, _ = stopped(robot=wheel, q0=[9.9e13], qd0=[1e13], duration=1.0, method="rk4", step=0.05)
    assert "stands at" in run.status
    assert "sines are computed up to 1e+14 rad" in run.status
