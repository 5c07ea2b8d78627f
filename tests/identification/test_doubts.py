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
from qddot.identification.doubts import exchanges
from qddot.identification.log import Log
from qddot.identification.preparation import prepared
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


def test_a_joint_that_turns_the_other_way_is_named(arm, log):
    sign = np.array([1, 1, -1, 1, 1, 1])
    said = doubts(UR5, replace(log, q=log.q * sign, tau=log.tau * sign))
    assert "joint 'elbow_joint': its positions and torques have the other sign" in said[0]


def test_amperes_are_not_taken_for_newton_metres(log):
    said = doubts(UR5, replace(log, tau=log.tau / 15))
    assert len(said) == 1
    assert re.search(r"torques are 0\.06\d times those of the robot's own masses", said[0])
    assert "If these are amperes: units={'tau': 'A'}" in said[0]


def test_columns_in_another_order_are_recognised(log):
    order = [2, 3, 0, 1, 4, 5]
    mixed = replace(log, q=log.q[:, order], tau=log.tau[:, order])
    said = doubts(UR5, mixed)[-1]
    names = [UR5.joint_names[k] for k in order]
    assert f"another order, {', '.join(names)}" in said
    assert (2, 3, 0, 1, 4, 5) in exchanges(6)


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


def test_another_rate_than_was_said_is_recognised(log):
    said = doubts(UR5, replace(log, t=20 * log.t))
    assert "about 20 times as fast as was said" in said[0]
    assert "rate=" in said[0]


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
