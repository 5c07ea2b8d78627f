"""The way round: excite, follow, log, identify; and what is known by rows is followed too."""

import numpy as np
import pytest

import qddot
from qddot.control import ComputedTorque, closed_loop
from qddot.errors import BadArgument
from qddot.identification.excitation_files import load_motion
from qddot.identification.excitation_result import Excitation
from qddot.identification.log import Log

ARM = qddot.load("two_link").with_friction(viscous=3.0)
LIMITS = dict(lower=-2.0, upper=2.0, velocity=2.0, acceleration=8.0)


@pytest.fixture(scope="module")
def motion():
    return qddot.excite(
        *(ARM,),
        period=4.0,
        harmonics=3,
        limits=LIMITS,
        starts=1,
        seconds=600,
        terms=(),
    )


@pytest.fixture(scope="module")
def run(motion):
    law = ComputedTorque(ARM, kp=100, kd=20, reference=motion)
    return closed_loop(ARM, law, q0=motion.at(0.0)[0], duration=1.5 * motion.period).trajectory


@pytest.mark.long
def test_an_exciting_motion_is_followed_logged_and_gives_the_parameters_back(motion, run):
    q, qd, _ = motion.at(run.t)
    np.testing.assert_allclose(run.q, q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.qd, qd, rtol=0, atol=1e-6)
    log = Log(run.joint_names, run.t, run.q, run.qd, run.qdd, run.tau)
    wrong = ARM.with_payload("tool", mass=7.0).with_friction(viscous=1.0)
    fit = qddot.identify(wrong, log, terms=())
    tau = fit.robot.inverse_dynamics(run.q, run.qd, run.qdd)
    np.testing.assert_allclose(tau, run.tau, rtol=0, atol=1e-4 * np.abs(run.tau).max())


def test_a_run_and_a_log_of_it_are_followed_as_they_are(motion, run):
    log = Log(run.joint_names, run.t + 100.0, run.q)
    for rows, near in ((run, 2e-5), (log, 2e-3)):
        law = ComputedTorque(ARM, kp=100, kd=20, reference=rows)
        again = closed_loop(ARM, law, q0=run.q[0], duration=2.0).trajectory
        np.testing.assert_allclose(again.q, motion.at(again.t)[0], rtol=0, atol=near)


def test_files_of_excitations_and_of_rows_are_motions(motion, run, tmp_path):
    t = np.linspace(0, 4, 50)
    for name in ("motion.json", "motion.csv"):
        motion.save(tmp_path / name, rate=100)
        found = load_motion(tmp_path / name, ARM)
        assert found.period == motion.period
        np.testing.assert_allclose(found.at(t)[0], motion.at(t)[0], rtol=0, atol=1e-12)
        assert Excitation.load(tmp_path / name).criterion == motion.criterion
    for name in ("run.csv", "run.npz"):
        run.save(tmp_path / name)
        found = load_motion(tmp_path / name, ARM, tolerance=1e-5)
        assert found.duration == pytest.approx(1.5 * motion.period)
        np.testing.assert_allclose(found.sampled(t)[0], motion.at(t)[0], rtol=0, atol=2e-5)


def test_rows_that_a_spline_cannot_follow_are_refused_with_what_to_do():
    t = np.linspace(0, 1, 200)
    noisy = Log(("a",), t, np.random.default_rng(0).uniform(-1, 1, (200, 1)))
    with pytest.raises(BadArgument, match=r"64 pieces is .* off its 200 rows"):
        noisy.as_motion()
    with pytest.raises(BadArgument, match="q is nan at index"):
        Log(("a",), t, np.full((200, 1), np.nan)).as_motion()
    with pytest.raises(BadArgument, match="it takes 6 rows or more"):
        Log(("a",), t[:3], np.zeros((3, 1))).as_motion()


def test_a_motion_leaves_the_limits_of_a_robot_with_words(run, tmp_path):
    run.save(tmp_path / "run.csv")
    panda = qddot.load("panda")
    with pytest.raises(ValueError, match="joint"):
        load_motion(tmp_path / "run.csv", panda)
