"""The whole chain: excite, record with noise, friction and counts, identify, validate, save."""

import numpy as np
import pytest
from long import long

import qddot
from qddot.identification.back_to_robot import robot_with_parameters
from qddot.identification.preparation import prepared
from qddot.identification.validation import errors_on

TERMS = ("friction",)
RATE = 500.0
NOISE = 0.3  # [N·m]
COUNT = 2 * np.pi / 2**17  # of an encoder [rad]
DRIVE = 0.05  # of a drive [N·m]


@pytest.fixture(scope="module")
def sheet():
    """Three joints of a Panda as a data sheet has them."""
    still = {f"panda_joint{k}": 0.0 for k in (3, 5, 7)} | {"panda_joint6": 1.6}
    return qddot.load("panda").locked(still)


@pytest.fixture(scope="module")
def arm(sheet):
    """The arm itself: heavier, and with friction."""
    heavier = robot_with_parameters(sheet, 1.2 * sheet.parameters)
    return heavier.with_friction(viscous=[8.0, 8.0, 4.0], coulomb=[6.0, 6.0, 3.0])


def recorded(arm, sheet, motion, duration, seed):
    """Return the log of a controller that follows a motion, as encoders and drives tell it."""

    def law(t, q, qd):
        wanted, rate, push = motion(t)
        ahead = sheet.inverse_dynamics(wanted, rate, push)
        return ahead + 2000 * (wanted - q) + 100 * (rate - qd)

    q0, qd0, _ = motion(0.0)
    run = qddot.simulate(
        arm, q0, qd0, torque=law, duration=duration, tolerance=1e-6, effort="report"
    )
    t = np.arange(round(duration * RATE) + 1) / RATE
    q, qd, _ = run.at(t)
    tau = law(t, q, qd) + np.random.default_rng(seed).normal(0, NOISE, q.shape)
    q, tau = COUNT * np.round(q / COUNT), DRIVE * np.round(tau / DRIVE)
    return qddot.Log(arm.joint_names, t, q, tau=tau, source="simulated")


def sines(t):
    """Return q, q̇ and q̈ of another motion."""
    w = 2 * np.pi * np.array([0.25, 0.35, 0.45])
    x = np.multiply.outer(t, w)
    middle, wide = np.array([0.0, 0.3, -1.6]), np.array([1.0, 0.7, 0.6])
    return middle + wide * np.sin(x), wide * w * np.cos(x), -wide * w**2 * np.sin(x)


@pytest.fixture(scope="module")
def logs(arm, sheet):
    motion = qddot.excite(sheet, period=6.0, terms=TERMS, starts=1, seconds=600)
    assert not motion.violations()
    learn = recorded(arm, sheet, motion.at, motion.period, 1)
    test = recorded(arm, sheet, sines, 4.0, 2)
    return learn, prepared(learn), prepared(test)


@pytest.mark.parametrize("method", ["weighted", *long("consistent")])
def test_an_arm_is_found_from_a_noisy_log_and_predicts_another_motion(arm, sheet, logs, method):
    _, learn, test = logs
    fit = qddot.identify(sheet, learn, method, terms=TERMS)
    assert fit.relative_error < 0.03
    assert errors_on(fit, test)["relative_error"] < 0.02
    believed = test.tau - sheet.inverse_dynamics(test.q, test.qd, test.qdd)
    assert np.linalg.norm(believed) > 0.2 * np.linalg.norm(test.tau)
    friction = fit.problem.regression.values(fit.parameters)
    for k, joint in enumerate(sheet.joint_names):
        assert friction[f"{joint}.fv"] == pytest.approx([8, 8, 4][k], rel=0.05)
        assert friction[f"{joint}.fs"] == pytest.approx([6, 6, 3][k], rel=0.05)
    # values are as near to the truth as five of their deviations, or a few per cent
    phi = dict(zip(arm.parameter_names, arm.parameters, strict=True))
    truth = fit.problem.B @ [phi[name] for name in fit.problem.regression.names]
    near = np.maximum(5 * fit.deviations, 0.03 * np.abs(truth).max())
    assert np.all(np.abs(fit.values - truth) < near)


@pytest.mark.long
def test_the_robot_found_goes_into_a_file_and_moves_as_the_log(sheet, logs, tmp_path):
    _, learn, test = logs
    fit = qddot.identify(sheet, learn, "consistent", terms=TERMS)
    fit.save(tmp_path / "arm.toml")
    found = qddot.load(tmp_path / "arm.toml")
    # closed loop: measured torques, and a weak controller for what they lack
    torque = qddot.Samples(test.t - test.t[0], test.tau)
    path = qddot.Samples(test.t - test.t[0], np.hstack([test.q, test.qd]))

    def law(t, q, qd):
        wanted = path.at(t)
        return torque.at(t) + 100 * (wanted[:3] - q) + 20 * (wanted[3:] - qd)

    errors = {}
    for name, robot in (("found", found), ("sheet", sheet)):
        run = qddot.simulate(
            *(robot, test.q[0], test.qd[0]),
            torque=law,
            duration=2.0,
            tolerance=1e-6,
            effort="report",
        )
        rows = slice(0, round(2 * RATE), 5)
        errors[name] = np.sqrt(np.mean((run.at(torque.t[rows])[0] - test.q[rows]) ** 2))
    assert errors["found"] < 0.01  # [rad]
    assert errors["found"] < errors["sheet"] / 5
