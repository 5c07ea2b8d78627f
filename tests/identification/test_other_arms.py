"""A log of another arm, or in other units, is recognised, and its fit is not praised."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from long import long
from made import UR5

import qddot
from qddot.identification.back_to_robot import robot_with_parameters
from qddot.identification.log import Log
from qddot.identification.regression import Regression
from qddot.identification.rough_fit import RoughFit, zero_columns

TERMS = ("friction", "offset")


def recorded(name, seed=0):
    """Return the log of a built-in arm that moves widely, its masses not those of its file."""
    robot, rng, t = qddot.load(name), np.random.default_rng(seed), np.arange(2000) / 100
    low, high = np.maximum(robot.limits.lower, -3), np.minimum(robot.limits.upper, 3)
    w = 2 * np.pi * 0.1 * np.arange(1, 9)[:, None]
    size = rng.uniform(0.5, 1, (8, robot.n)) / np.arange(1, 9)[:, None]
    size *= 0.45 * (high - low) / size.sum(axis=0)
    x = w * t[:, None, None] + rng.uniform(0, 6.3, (8, robot.n))
    q = (low + high) / 2 + np.sum(size * np.sin(x), axis=1)
    qd, qdd = np.sum(size * w * np.cos(x), axis=1), -np.sum(size * w * w * np.sin(x), axis=1)
    bodies, phi = len(robot.tree.bodies), robot.parameters.copy()
    phi[: 10 * bodies] *= np.repeat(rng.uniform(0.7, 1.4, bodies), 10)
    tau = robot_with_parameters(robot, phi).inverse_dynamics(q, qd, qdd)
    size = np.std(tau, axis=0)
    tau = tau + size * (0.1 * np.sign(qd) + 0.02 * rng.normal(size=q.shape))
    return Log(robot.joint_names, t, q + 1e-5 * rng.normal(size=q.shape), tau=tau)


def fitted(robot, log):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return qddot.identify(robot, replace(log, joint_names=robot.joint_names), terms=TERMS)


def praises(fit):
    words = " ".join([fit.verdict, *fit.uses])
    return any(word in words for word in (" well", "good for", "fair for", "payload within"))


@pytest.fixture(scope="module")
def ur5():
    return recorded("ur5")


def test_the_right_arm_with_other_masses_is_praised(ur5):
    fit = fitted(UR5, ur5)
    assert fit.doubts == ()
    assert praises(fit)


@pytest.mark.parametrize(
    ("recorded_with", "fitted_to"),
    [
        *long(
            ("ur10", "ur5"),
            *(("ur5", other) for other in ("ur10", "ur3", "puma560", "kinova_jaco", "stanford")),
            *(("ur10", other) for other in ("ur3", "puma560", "kinova_jaco", "stanford")),
            *(("puma560", other) for other in ("ur10", "kinova_jaco", "stanford")),
            *(("iiwa14", "xarm7"), ("panda", "iiwa14"), ("panda", "xarm7"), ("xarm7", "iiwa14")),
        ),
    ],
)
def test_a_log_of_another_arm_is_not_praised(recorded_with, fitted_to):
    fit = fitted(qddot.load(fitted_to), recorded(recorded_with, 1))
    assert not praises(fit)
    assert fit.doubts


def test_the_arm_that_it_is_of_is_named():
    fit = fitted(UR5, recorded("puma560", 1))
    assert "like the built-in 'puma560'" in str(fit.doubts[0])
    assert not praises(fit)
    assert fit.verdict.startswith("explains 9")
    assert "undecided why: robot: the log seems to be of another arm" in fit.verdict
    assert any(use.startswith("undecided for feed-forward") for use in fit.uses)


def test_a_file_that_is_not_quite_the_arm_is_in_doubt(ur5):
    """An axis that leans: the arm is more like a built-in robot."""
    leaning = replace(UR5.model.joint("elbow_joint").origin, rpy=(0.3, 0.0, 0.0))
    model = UR5.model.with_joints(
        lambda joint: replace(joint, origin=leaning) if joint.name == "elbow_joint" else joint
    )
    said = str(fitted(replace(UR5, model=replace(model, name="mine")), ur5).doubts[0])
    assert "built-in 'ur5'" in said


@pytest.mark.parametrize(
    ("unit", "factor"), [("mrad", 1e3), *long(("deg", 180 / np.pi), ("rev", 1 / (2 * np.pi)))]
)
def test_the_unit_of_the_positions_is_named(ur5, unit, factor):
    fit = fitted(UR5, replace(ur5, q=factor * ur5.q))
    assert f"they seem to be in {unit}" in str(fit.doubts[-1])
    assert f"units={{'q': '{unit}'}}" in str(fit.doubts[-1])
    assert not praises(fit)


@pytest.mark.long
def test_milliseconds_are_recognised(ur5):
    fit = fitted(UR5, replace(ur5, t=1000 * ur5.t))
    assert "about 1000 times as fast as was said" in str(fit.doubts[0])
    assert not praises(fit)


@pytest.mark.long
def test_the_joint_whose_zero_is_off_is_named():
    log = recorded("panda", 2)
    fit = fitted(qddot.load("panda"), replace(log, q=log.q - 0.2 * np.eye(7)[2]))
    assert "joint 'panda_joint3': its zero seems to be off by about 0.2" in str(fit.doubts[0])


def test_columns_of_zeros_are_slopes_of_torques():
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 40, 6))
    tau = UR5.inverse_dynamics(q, qd, qdd)
    look = RoughFit(Regression.of(UR5), Log(UR5.joint_names, np.arange(40.0), q, qd, qdd, tau))
    slopes, _ = UR5.inverse_dynamics_derivatives(q, qd, qdd)
    np.testing.assert_allclose(zero_columns(look, look.log), slopes, rtol=1e-3, atol=1e-3)
