"""What a review found: folds, removed groups, and what no fit should take in silence."""

import re
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from identification.excited import excited
from identification.made_logs import swinging
from nearness import SOLVER, assert_near

import qddot
from qddot.errors import BadArgument, IdentificationWarning
from qddot.identification.consistent import PhysicallyConsistent, made_possible
from qddot.identification.held_out import cutoff
from qddot.identification.log import Log
from qddot.identification.payload import identify_payload
from qddot.identification.preparation import prepared
from qddot.identification.signals import filtered, resampled
from qddot.identification.solution import NoRobot

identify = partial(qddot.identify, terms=())  # what is not asked for is not there


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link").with_friction(viscous=2.0, coulomb=5.0)


@pytest.fixture(scope="module")
def ur5():
    robot = qddot.load("ur5").with_friction(viscous=2.0, coulomb=3.0)
    return robot, excited(robot, 300, 0, [4, 4, 2, 1, 0.5, 0.2])


def error(robot, log):
    """Return the relative torque error [%] of a robot on a log."""
    left = robot.inverse_dynamics(*log[:3]) - log[3]
    return 100 * np.linalg.norm(left) / np.linalg.norm(log[3])


def said_error(told):
    return float(re.findall(r"torque error of ([\d.e+-]+) %", str(told[0].message))[0])


def test_folds_of_a_robust_fit_are_robust(arm):
    q, qd, qdd, tau = excited(arm, 600, 0, [2.0, 0.2])
    rng = np.random.default_rng(3)
    bad = rng.random(tau.shape) < 0.05
    tau = tau + bad * 20 * tau.std(axis=0)
    log = q, qd, qdd, tau
    robust, weighted = (identify(arm, log, m) for m in ("robust", "weighted"))
    near, far = (
        np.abs(f.cross_validation().values - robust.values).max(axis=0) for f in (robust, weighted)
    )
    assert (near < 0.2 * far).all()
    assert (near < 5 * robust.deviations).all()


@pytest.mark.parametrize("method", ["ordinary", "bayes", "consistent"])
def test_the_robot_of_an_essential_fit_has_its_torques(arm, method):
    if method == "consistent":
        pytest.importorskip("cvxpy")
    robot = arm.with_friction(viscous=[2.0, 1e-3], coulomb=[5.0, 1e-3])
    log = excited(robot, 400, 0, [2.0, 0.2])
    fit = identify(robot, log, method).essential(loss=0.1)
    assert fit.removed
    assert np.abs(fit.problem.Z @ fit.parameters).max() < SOLVER
    torques = fit.problem.regression.torque(fit.samples, fit.parameters)
    assert_near(torques, fit.predict(*log[:3]), tolerance=SOLVER)
    if method == "consistent":
        with warnings.catch_warnings():
            warnings.simplefilter("error", IdentificationWarning)
            torques = fit.robot.inverse_dynamics(*log[:3])
        assert_near(torques, fit.predict(*log[:3]), tolerance=SOLVER)


def test_what_no_robot_can_lack_is_said_and_not_removed(arm):
    pytest.importorskip("cvxpy")
    log = excited(arm, 400, 0, [2.0, 0.2])
    fit = identify(arm, log)
    k = fit.names.index("j2.Izz")
    fewer = fit.problem.without(k)
    fit = replace(fit, problem=fewer, solution=fit.estimator.solved(fewer), removed=("j2.Izz",))
    with pytest.warns(IdentificationWarning, match="not have zero for all that was") as told:
        found = fit.robot
    assert said_error(told) == pytest.approx(error(found, log), rel=1e-3)
    possible = identify(arm, log, "consistent")
    with pytest.raises(NoRobot):
        possible.estimator.solved(fewer)
    assert "j2.Izz" not in possible.essential(ratio=0, loss=1e9).removed


def test_the_nearest_robot_has_the_error_that_the_warning_tells(ur5):
    pytest.importorskip("cvxpy")
    robot, log = ur5
    for fit in (identify(robot, log), identify(robot, log).essential(loss=0.1)):
        with pytest.warns(IdentificationWarning, match="relative torque error") as told:
            found = fit.robot
        assert said_error(told) == pytest.approx(error(found, log), rel=1e-3)


def test_a_consistent_fit_has_no_negative_friction_and_keeps_its_bounds(ur5):
    pytest.importorskip("cvxpy")
    robot, log = ur5
    free = robot.with_friction(viscous=2.0, coulomb=0.0)
    log = excited(free, 300, 0, [4, 4, 2, 1, 0.5, 0.2])
    masses = {robot.joint_names[1]: (9.0, 9.5)}
    fit = identify(free, log, "consistent", terms=("friction",), masses=masses)
    assert fit.is_possible
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 9 - SOLVER < fit.robot.parameters[10] < 9.5 + SOLVER
    with pytest.warns(IdentificationWarning):
        again, _ = made_possible(fit)
    assert 9 - SOLVER < again[10] < 9.5 + SOLVER


def test_a_column_that_is_not_finite_is_named_with_its_row(arm):
    q, qd, qdd, tau = excited(arm, 100)
    q[7, 0] = 5000.0
    holes = {"hole": lambda q, qd, qdd: np.array([1 / (q[0] - 5000), 0 * q[0]])}
    with pytest.raises(BadArgument, match=r"column 'hole' is inf in row 7 of joint 'j1'"):
        identify(arm, (q, qd, qdd, tau), extra=holes)
    roots = {"root": lambda q, qd, qdd: np.array([np.sqrt(q[0]), 0 * q[0]])}
    with pytest.raises(BadArgument, match=r"column 'root' is -?nan in row"):
        identify(arm, (np.abs(q), qd, qdd, tau), extra=roots)


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("bayes", {"belief": 0}, "belief is 0; give a share above 0, finite"),
        ("bayes", {"belief": np.inf}, "belief is inf"),
        ("consistent", {"belief": -1}, "belief is -1"),
        ("consistent", {"belief": float("nan")}, "belief is nan"),
        ("consistent", {"masses": {"j1": 5}}, r"masses\['j1'\] is 5; give the least and the"),
        ("consistent", {"masses": {"j1": (60, 40)}}, "60 is above 40.\n  Give the least first"),
        ("consistent", {"masses": (60, 40)}, r"masses is \(60, 40\); give it by name"),
        ("consistent", {"total_mass": 5}, "total_mass is 5"),
        ("consistent", {"centres": {"j1": 5}}, "The box of 'j1' has no ranges"),
        ("consistent", {"centres": {"j1": [(0, 1), 2, (0, 1)]}}, r"centres\['j1'\]\[1\] is 2"),
        ("weighted", {"foo": 3}, "The method 'weighted' has no option 'foo'"),
        ("consistent", {"mases": {}}, "Did you mean 'masses'"),
        ("weighted", {"blocks": 0}, "blocks is 0; give a whole number from 1"),
        ("weighted", {"blocks": 2.5}, "blocks is 2.5"),
    ],
)
def test_options_are_checked(arm, method, options, said):
    if method == "consistent":
        pytest.importorskip("cvxpy")
    with pytest.raises(BadArgument, match=said):
        identify(arm, excited(arm, 60), method, **options)


@pytest.mark.parametrize("folds", [2.5, 1, 11, "3", True])
def test_folds_are_a_whole_number(arm, folds):
    with pytest.raises(BadArgument, match=r"folds is .*; the log is divided into 10 blocks"):
        identify(arm, excited(arm, 60)).cross_validation(folds)


def test_a_load_that_is_not_there_is_not_found(ur5):
    robot, first = ur5
    frame = robot.frame_names[-1]
    second = excited(robot.with_payload(frame, 2.5, (0, 0.02, 0.1)), 300, 3, 0.5)
    none = identify_payload(robot, frame, first, first)
    assert str(none).startswith("No load found: mass ")
    assert none.to_dict()["com"] is None
    with pytest.raises(BadArgument, match="No load found"):
        _ = none.robot
    swapped = identify_payload(robot, frame, second, first)
    assert "are the logs swapped?" in str(swapped)
    found = identify_payload(robot, frame, first, second)
    assert not found.note
    assert np.isfinite(found.com).all()


def test_a_file_is_read_and_made_ready(arm, tmp_path):
    path = tmp_path / "log.csv"
    qddot.simulate(arm, [1.0, 0.5], duration=4.0, every=0.004).save(path)
    ready = prepared(qddot.load_log(path, arm), arm)
    fit = qddot.identify(arm, path, unexcited="merge")
    again = qddot.identify(arm, ready, unexcited="merge")
    assert fit.names == again.names
    np.testing.assert_array_equal(fit.values, again.values)
    assert any(name.endswith(".f0") for name in fit.problem.regression.names)


def test_what_is_no_log_is_refused(arm):
    with pytest.raises(qddot.QddotError, match="there is no such file"):
        identify(arm, "x.csv")
    with pytest.raises(BadArgument, match=r"Read it with qddot.load_log\("):
        identify(arm, None)


def test_a_log_that_is_too_short_says_what_to_do():
    short = swinging(duration=0.1)
    with pytest.raises(BadArgument, match=r"at least 32.\n  Record for longer, or give a cut-off"):
        cutoff(short)
    assert len(filtered(short, 10)) == len(short)


def test_a_log_with_repeated_times_is_not_resampled():
    log = swinging()
    t = log.t.copy()
    t[5] = t[4]
    with pytest.raises(BadArgument, match=r"do not rise: 0.02 s in row 5, 0.02 s in row 6"):
        resampled(Log(log.joint_names, t, log.q))


def test_an_inaccurate_solution_is_told_by_the_status(arm, monkeypatch):
    cp = pytest.importorskip("cvxpy")
    solve = cp.Problem.solve

    def poor(self, **options):
        found = solve(self, **options)
        warnings.warn("Solution may be inaccurate. Try another solver.", stacklevel=2)
        self._status = "optimal_inaccurate"
        return found

    monkeypatch.setattr(cp.Problem, "solve", poor)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = PhysicallyConsistent(arm).fit(excited(arm, 60)).fitted
    assert fit.solution.status == "solved, but perhaps not accurately"
