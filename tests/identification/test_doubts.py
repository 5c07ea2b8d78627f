"""Mistakes that people make with logs are recognised in words; good logs raise no doubt."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import measured, noisy
from long import long
from made import PANDA, UR5

import qddot
from qddot.errors import IdentificationWarning
from qddot.identification.back_to_robot import robot_with_parameters
from qddot.identification.doubts import exchanges
from qddot.identification.log import Log
from qddot.identification.preparation import prepared
from qddot.identification.regression import Regression
from qddot.identification.rough_fit import RoughFit, zero_columns
from qddot.identification.signals import shifted

TERMS = ("friction", "offset")


@pytest.fixture(scope="module")
def arm():
    """A UR5 as its file has it, and with friction: what was recorded."""
    return UR5.with_friction(viscous=1.0, coulomb=2.0)


@pytest.fixture(scope="module")
def log(arm):
    return noisy(arm, "counts", rate=200.0, duration=20.0)


def doubts(robot, log):
    log = log if log.qdd is not None else prepared(log, cutoff=200 / log.duration)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [str(doubt) for doubt in qddot.identify(robot, log, terms=TERMS).doubts]


def test_a_good_log_raises_no_doubt(arm, log):
    assert doubts(UR5, log) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["two_link", "ur5", "puma560", "stanford"])
def test_good_logs_raise_no_doubt(name):
    for seed in range(10):
        robot = qddot.load(name)
        free = robot.with_friction(viscous=1.0, coulomb=0.5)
        found = doubts(robot, noisy(free, "counts", rate=200.0, seed=seed, torque=0.05))
        assert [text for text in found if "beyond its limits" not in text] == []


@pytest.mark.parametrize("joint", [3, *long(0, 1, 2, 4, 5)])
def test_one_flipped_torque_is_named_with_its_joint(arm, log, joint):
    sign = np.where(np.arange(6) == joint, -1, 1)
    said = doubts(UR5, replace(log, tau=log.tau * sign))
    assert len(said) == 1
    assert f"joint {arm.joint_names[joint]!r}: its torque has the other sign" in said[0]
    assert 'gear={"tau": [' in said[0]


TURNED, ORDER = np.array([1, 1, -1, 1, 1, 1]), [2, 3, 0, 1, 4, 5]


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (
            lambda log: {"q": log.q * TURNED, "tau": log.tau * TURNED},
            "joint 'elbow_joint': its positions and torques have the other sign",
        ),
        (
            lambda log: {"tau": log.tau / 15},
            r"torques are 0\.06\d times those of the robot's own masses .*"
            r"If these are amperes: units=\{'tau': 'A'\}",
        ),
        (
            lambda log: {"q": log.q[:, ORDER], "tau": log.tau[:, ORDER]},
            f"another order, {', '.join(UR5.joint_names[k] for k in ORDER)}",
        ),
        (lambda log: {"t": 20 * log.t}, "about 20 times as fast as was said.*rate="),
    ],
)
def test_a_mistake_is_recognised_with_its_remedy(log, mistake, words):
    said = doubts(UR5, replace(log, **mistake(log)))
    assert re.search(words, said[-1], re.DOTALL)
    assert len(said) == 1 or "another order" in words
    assert tuple(ORDER) in exchanges(6)


def test_a_doubt_about_time_is_one_that_helps():
    """Times twice as long: a factor that fits worse than the log as it is, is not named."""
    arm = qddot.load("two_link").with_friction(viscous=0.5, coulomb=0.3)
    log = noisy(arm, "counts", rate=200.0, duration=20.0)
    slow = replace(log, t=2 * log.t, qd=None, qdd=None)
    for doubt in doubts(qddot.load("two_link"), slow):
        if found := re.search(r"fit to ([\d.]+) % instead of ([\d.]+) %", doubt):
            assert float(found[1]) < float(found[2])


def test_noise_instead_of_torques_is_not_trusted(arm, log):
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noise = replace(prepared(log, cutoff=10), tau=None)
        noise = replace(noise, tau=100 * rng.normal(size=noise.q.shape))
        fit = qddot.identify(arm, noise, terms=TERMS)
    assert not fit.trusted
    assert fit.status.startswith("not trusted")


@pytest.mark.parametrize(("delay", "word"), [(0.02, "later"), *long((-0.02, "earlier"))])
def test_late_torques_are_recognised_and_can_be_shifted_back(log, delay, word):
    late = shifted(log, -delay)
    said = doubts(UR5, late)
    assert f"about 20 ms {word} than the motion" in said[0]
    assert f"prepared(log, delay={delay:g})" in said[0]
    assert doubts(UR5, prepared(late, cutoff=10.0, delay=delay)) == []


def test_positions_beyond_the_limits_are_told_with_joint_and_range():
    robot = PANDA
    log = noisy(robot.with_friction(viscous=1.0), rate=100.0)  # joint 4 has no zero
    with pytest.warns(IdentificationWarning, match="'panda_joint4': it is up to .* beyond its lim"):
        fit = qddot.identify(robot, log, terms=TERMS)
    assert "where the robot allows -3.072 … -0.0698" in fit.to_dict()["doubts"][0]
    assert "settle before use: joint 'panda_joint4'" in repr(fit)


@pytest.mark.parametrize(("ratio", "rate"), [(19.97, 998.5), (0.4, 20.0)])
def test_a_velocity_of_another_rate_names_the_rate(ratio, rate):
    import pandas

    t = np.arange(500) / 50
    q = np.sin(t)
    table = pandas.DataFrame({"q.j1": q, "q.j2": q, "qd.j1": ratio * np.cos(t)})
    table["qd.j2"] = table["qd.j1"]
    log = qddot.load_log(table, rate=50)
    assert f"rate={rate:g}" in str(log.warnings[0])


def test_a_real_baxter_in_the_wrong_order_is_recognised():
    x = np.load(measured("baxter") / "BaxterRand.npy").reshape(-1, 4, 7)[:10000:2]
    full = qddot.load("baxter")
    left = [name for name in full.joint_names if name.startswith("left_")][:7]
    robot = full.locked({name: 0.0 for name in full.joint_names if name not in left})
    wrong = Log(robot.joint_names, np.arange(len(x)) / 50, x[:, 0], x[:, 1], None, x[:, 3])
    said = doubts(robot, wrong)
    assert "beyond its limits" in said[0]
    assert "another order, left_e0, left_e1, left_s0, left_s1" in said[-1]


# logs of other arms, and in other units


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
