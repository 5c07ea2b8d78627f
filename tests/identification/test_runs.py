"""Several logs in one fit: their rates, loads and weights."""

from dataclasses import replace

import numpy as np
import pytest
from made import ARM, UR5

import qddot
from qddot.errors import BadArgument, UnknownName
from qddot.identification import MeasuredRun, errors_by_run
from qddot.identification.payload import payload_of
from qddot.model import Inertial, Payload, Spring

FRAME = "tool"
LOAD = 2.5, (0.02, 0.0, 0.06)


def identify(robot, log, method="weighted", **options):
    """Return a fit with friction and offset alone: what else to take is tested elsewhere."""
    return qddot.identify(robot, log, method, terms=("friction", "offset"), **options)


@pytest.fixture(scope="module")
def arm():
    return UR5.with_friction(viscous=5.0, coulomb=3.0)


@pytest.fixture(scope="module")
def small():
    return ARM.with_friction(viscous=80.0, coulomb=80.0)


@pytest.fixture(scope="module")
def loaded(arm):
    return arm.with_payload(FRAME, *LOAD)


def made(robot, seed, rate=100, seconds=10, noise=0.05, lasts=0.0):
    """Return a log of a wave of five harmonics, with velocities and accelerations.

    A share `lasts` of the noise of a row goes on into the next.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    w = 2 * np.pi / seconds * np.arange(1, 6)[:, None, None]
    a, b = rng.normal(0, 0.35, (2, 5, 1, robot.n)) / np.arange(1, 6)[:, None, None]
    s, c = np.sin(w * t[:, None]), np.cos(w * t[:, None])
    q, qd = (a * s + b * c).sum(axis=0), (w * (a * c - b * s)).sum(axis=0)
    qdd = (-(w**2) * (a * s + b * c)).sum(axis=0)
    e = rng.normal(0, noise, q.shape)
    for row in range(1, len(e) if lasts else 0):
        e[row] += lasts * e[row - 1]
    tau = robot.inverse_dynamics(q, qd, qdd) + e
    return qddot.Log(robot.joint_names, t, q, qd, qdd, tau, source=f"log{seed}.csv")


def test_a_second_counts_the_same_whatever_the_rate(small):
    own, slow = ARM, made(small, 1)
    fast = made(small.with_friction(viscous=83.0, coulomb=80.0), 2, rate=300)  # it disagrees
    fit = identify(own, [slow, fast], "ordinary", decimate=None)
    same = identify(own, [slow, fast[::3]], "ordinary", decimate=None)
    assert fit.values == pytest.approx(same.values, abs=0.1)


def test_two_logs_are_worth_as_much_as_their_rows_stacked(small):
    own, logs = ARM, [made(small, 1), made(small, 2, rate=120)]
    fit = identify(own, logs, "ordinary")
    stacked = [np.concatenate([getattr(log, x) for log in logs]) for x in ("q", "qd", "qdd", "tau")]
    both = identify(own, tuple(stacked), "ordinary")
    assert fit.names == both.names
    assert fit.values == pytest.approx(both.values, rel=1e-9, abs=1e-9)
    assert [run["run"] for run in fit.runs] == ["log1.csv", "log2.csv"]
    assert [run["rows"] for run in fit.runs] == [1000, 1200]
    assert all(run["every_row"] < 0.01 < 0.1 < run["before"] for run in fit.runs)
    edges = fit.problem.edges
    assert 1000 in edges  # no block is of two runs
    assert set(fit.problem.run_of_block.tolist()) == {0, 1}


def test_each_run_is_predicted_from_the_others(small):
    own, logs = ARM, [made(small, seed) for seed in (1, 2, 3)]
    fit = identify(own, logs)
    found = fit.cross_validation("runs")
    assert len(found.relative_errors) == 3
    by_hand = identify(own, logs[::2])
    (other,) = errors_by_run(by_hand, logs[1:2])
    assert found.relative_errors[1] == pytest.approx(other["relative_error"], rel=1e-6)
    with pytest.raises(BadArgument, match="has one run"):
        identify(own, logs[0]).cross_validation("runs")


def test_an_unknown_load_is_found_and_a_known_one_taken_off(arm, loaded):
    own, empty, full = UR5, made(arm, 1), made(loaded, 2)
    fit = identify(own, [empty, MeasuredRun(full, carries=FRAME)])
    load = fit.payloads[FRAME]
    assert abs(load.mass - LOAD[0]) < 4 * load.deviations[0] < 0.1
    assert load.com == pytest.approx(LOAD[1], abs=0.005)
    known = Payload(FRAME, Inertial(*LOAD))
    other = identify(own, [empty, MeasuredRun(full, carries=known)])
    assert other.rms == pytest.approx(fit.rms, rel=0.05)
    assert not other.payloads
    measured = np.sum(empty.tau**2) + np.sum(full.tau**2)  # not what is left of it without the load
    squares = np.sum(other.rms**2) * len(other.samples)
    assert other.relative_error == pytest.approx(np.sqrt(squares / measured), rel=1e-9)
    slow = identify(own, [empty, MeasuredRun(full, carries=known)], decimate=20)
    assert slow.samples.known.shape == slow.samples.tau.shape
    assert np.linalg.norm(slow.residuals) < 0.1 * np.linalg.norm(slow.samples.known)
    # the arm that is found is the empty one
    alone = identify(own, empty)
    common = [k for k, name in enumerate(other.names) if name in alone.names]
    old = np.array([alone.values[alone.names.index(other.names[k])] for k in common])
    s = np.array([alone.deviations[alone.names.index(other.names[k])] for k in common])
    assert len(common) == len(alone.names)
    assert np.abs(other.values[common] - old).max() < 5 * s.max()
    forgotten = identify(own, [empty, full])
    assert forgotten.relative_error > 3 * fit.relative_error


def test_without_an_empty_run_a_load_is_part_of_the_arm(loaded):
    fit = identify(UR5, [MeasuredRun(made(loaded, 2), carries=FRAME)])
    assert not fit.payloads
    with pytest.raises(BadArgument, match="give a log without the load too"):
        payload_of(fit, FRAME)


def test_a_run_counts_by_its_weight(small):
    own, good, bad = ARM, made(small, 1), made(small, 2, noise=5.0)
    near, far = (
        identify(own, [good, MeasuredRun(bad, weight=w)], "ordinary").runs[0]["every_row"]
        for w in (1e-4, 1e4)
    )
    alone = identify(own, good, "ordinary").runs[0]["every_row"]
    assert near == pytest.approx(alone, rel=0.01)
    assert far > 1.5 * alone
    with pytest.raises(BadArgument, match="weight"):
        identify(own, [MeasuredRun(good, weight=0)])


def test_what_cannot_be_a_run_is_refused(arm):
    own = UR5
    with pytest.raises(BadArgument, match="There is no log to fit"):
        identify(own, [])
    with pytest.raises(UnknownName, match="no frame named 'hand'"):
        identify(own, [MeasuredRun(made(arm, 1), carries="hand")])
    with pytest.raises(BadArgument, match="does not move"):
        identify(own, [MeasuredRun(made(arm, 1), carries="base_link")])


GAINS = np.array([12.0, 11.0, 9.0, 4.0, 3.5, 3.0])  # [N·m/A]


def in_amperes(log):
    return replace(log, tau=log.tau / GAINS)


@pytest.fixture(scope="module")
def drives(arm, loaded):
    """Return logs of an arm that reports amperes: without a load, and with one."""
    return in_amperes(made(arm, 1, seconds=20)), in_amperes(made(loaded, 2, seconds=20))


@pytest.mark.long
def test_a_known_load_shows_the_gains_of_all_drives(drives):
    own, (empty, full) = UR5, drives
    runs = [empty, MeasuredRun(full, carries=Payload(FRAME, Inertial(*LOAD)))]
    fit = identify(own, runs, gains={})
    gains = fit.gains
    assert np.all(np.abs(gains.values - GAINS) < 4 * gains.deviations)
    assert np.all(gains.deviations < 0.05 * GAINS)
    right = identify(own, [replace(run, tau=run.tau * GAINS) for run in drives[:1]])
    common = [fit.names.index(name) for name in right.names]
    sure = fit.deviations[common] + right.deviations
    assert np.all(np.abs(fit.values[common] - right.values) < 4 * sure)
    heavy = fit.names.index("shoulder_pan_joint.fv")  # known no better than its gain
    assert fit.deviations[heavy] > 0.9 * 5 * gains.deviations[0] / GAINS[0]
    assert "drive gains" in str(fit)


def test_one_known_gain_shows_those_of_joints_that_share_a_parameter(drives):
    own, known = UR5, {"shoulder_lift_joint": GAINS[1], "wrist_3_joint": GAINS[5]}
    gains = identify(own, drives[0], gains=known).gains
    assert gains.deviations[[1, 5]].tolist() == [0, 0]
    assert gains.given == tuple(known)
    assert np.all(np.abs(gains.values - GAINS) < 4 * gains.deviations + 1e-12)
    with pytest.raises(BadArgument, match="gains of wrist_3_joint cannot be found"):
        identify(own, drives[0], gains={"shoulder_lift_joint": GAINS[1]})
    with pytest.raises(BadArgument, match="Nothing sets the size of the gains"):
        identify(own, drives[0], gains={})
    with pytest.raises(UnknownName, match="no joint named 'j9'"):
        identify(own, drives[0], gains={"j9": 1.0})


def test_gains_of_a_robot_with_springs_are_refused(drives):
    sprung = replace(
        qddot.load("ur5"),
        model=qddot.load("ur5").model.with_joints(lambda j: replace(j, spring=Spring(5.0))),
    )
    with pytest.raises(BadArgument, match="has springs or static friction"):
        identify(sprung, drives[0], gains={})


@pytest.mark.long
@pytest.mark.parametrize("lasts", [0.0, 0.9])
def test_deviations_of_gains_are_what_they_say(arm, loaded, lasts):
    off = []
    for seed in range(30):
        long_enough = {"lasts": lasts, "seconds": 10 if lasts == 0 else 40}
        logs = made(arm, seed, **long_enough), made(loaded, 100 + seed, **long_enough)
        runs = [in_amperes(log) for log in logs]
        known = MeasuredRun(runs[1], carries=Payload(FRAME, Inertial(*LOAD)))
        gains = identify(qddot.load("ur5"), [runs[0], known], gains={}).gains
        off.append((gains.values - GAINS) / gains.deviations)
    assert np.sqrt(np.mean(np.square(off), axis=0)) == pytest.approx(np.ones(6), abs=0.45)
