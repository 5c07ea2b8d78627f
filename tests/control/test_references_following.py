"""The way round: excite, follow, log, identify."""

import numpy as np
import pytest

import qddot
from qddot.control import closed_loop
from qddot.control.laws import ComputedTorque
from qddot.control.references import Fourier
from qddot.errors import BadArgument
from qddot.identification.excitation_spline import QuinticSpline
from qddot.identification.log import Log

ARM = qddot.load("two_link").with_friction(viscous=3.0)


@pytest.fixture(scope="module")
def motion():
    limits = dict(lower=-2.0, upper=2.0, velocity=2.0, acceleration=8.0)
    return qddot.excite(
        ARM, period=4.0, harmonics=3, limits=limits, starts=1, seconds=600, terms=()
    )


def test_an_exciting_motion_is_followed_logged_and_gives_the_parameters_back(motion):
    law = ComputedTorque(ARM, kp=100, kd=20, reference=motion)
    run = closed_loop(ARM, law, q0=motion.at(0.0)[0], duration=motion.period).trajectory
    q, qd, _ = motion.at(run.t)
    np.testing.assert_allclose(run.q, q, atol=1e-6)
    np.testing.assert_allclose(run.qd, qd, atol=1e-6)
    log = Log(run.joint_names, run.t, run.q, run.qd, run.qdd, run.tau)
    wrong = ARM.with_payload("tool", mass=7.0).with_friction(viscous=1.0)
    fit = qddot.identify(wrong, log, terms=())
    tau = fit.robot.inverse_dynamics(run.q, run.qd, run.qdd)
    np.testing.assert_allclose(tau, run.tau, atol=1e-4 * np.abs(run.tau).max())


def test_both_series_of_harmonics_are_one_formula(motion):
    curve = motion.curve
    same = Fourier(curve.offset, curve.a.T, curve.b.T, 1 / curve.period)
    program = qddot.record(lambda t: dict(zip("abc", curve.at(t), strict=True)), t=())
    for t in (0.0, 0.3, 5.7):
        for x, y, z in zip(curve.at(t), same.at(t), program(t), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)
            np.testing.assert_allclose(x, np.asarray(z, float), atol=1e-12)


def test_what_is_a_table_says_what_to_follow_instead():
    run = qddot.simulate(ARM, [0, 0], duration=1.0)
    law = ComputedTorque(ARM, kp=100, kd=20, reference=run)
    with pytest.raises(BadArgument, match=r"Quintic\(run\.q"):
        closed_loop(ARM, law, q0=[0, 0], duration=1.0)
    log = Log(run.joint_names, run.t, run.q)
    with pytest.raises(BadArgument, match="give an array of 2 numbers to stay at, or a reference"):
        ComputedTorque(ARM, kp=100, kd=20, reference=log)
    spline = QuinticSpline(4.0, np.array([[0.0, 0], [0.5, 1], [0, 0]]))
    law = ComputedTorque(ARM, kp=100, kd=20, reference=spline)
    with pytest.raises(BadArgument, match="curve='fourier'"):
        closed_loop(ARM, law, q0=[0, 0], duration=1.0)
