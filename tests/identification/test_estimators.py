"""Estimators: exact without noise, honest with it, and clear about what they refuse."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from faults import not_installed
from identification.excited import as_log, excited
from identification.made_logs import moved, swinging
from long import long, one_in
from nearness import SOLVER, assert_near

import qddot
from qddot.errors import BadArgument, IdentificationWarning, MissingExtra, UnknownName
from qddot.identification import METHODS, compare_methods, problem
from qddot.identification.back_to_robot import smallest_eigenvalue
from qddot.identification.bayesian import Bayesian
from qddot.identification.consistent import PhysicallyConsistent
from qddot.identification.estimators import (
    Huber,
    OrdinaryLeastSquares,
    WeightedLeastSquares,
)
from qddot.identification.log import CHUNK
from qddot.identification.payload import identify_payload
from qddot.identification.regression import coupled, stribeck
from qddot.readers.read import built_in_names

identify = partial(qddot.identify, terms=())  # what is not asked for is not there

REAL = [name for name in built_in_names() if not name.endswith("_symbolic") and name != "baxter"]
UNSEEN = r"it does not show elbow_joint.fv.*\n  Cause: joint 'elbow_joint' never moves"
NOISE_FREE = 1e-9  # of the largest base parameter
ESTIMATORS = (OrdinaryLeastSquares, WeightedLeastSquares, Bayesian, Huber)


@pytest.fixture(scope="module")
def arm():
    """A UR5 with friction, and how noisy its joints are."""
    robot = qddot.load("ur5").with_friction(viscous=[3, 3, 2, 1, 1, 0.5], coulomb=2.0)
    return robot, np.array([4, 4, 2, 1, 0.5, 0.2])


def truth(fit):
    return fit.problem.B @ fit.problem.prior


@pytest.mark.parametrize("name", [*one_in(4, REAL), *long("baxter")])
def test_without_noise_the_base_parameters_are_exact(name):
    robot = qddot.load(name)
    fit = identify(robot, excited(robot, 300), "ordinary")
    assert_near(fit.values, truth(fit), tolerance=NOISE_FREE)
    seen = np.abs(truth(fit)) > 1e-6 * np.abs(truth(fit)).max()
    assert np.abs(fit.values[seen] / truth(fit)[seen] - 1).max() < NOISE_FREE
    assert fit.relative_error < 1e-10


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_exact_without_noise(arm, method):
    robot, _ = arm
    fit = identify(robot, excited(robot), method)
    tolerance = SOLVER if method == "consistent" else NOISE_FREE
    assert_near(fit.values, truth(fit), tolerance=tolerance)
    assert fit.solution.status == "solved"


@pytest.mark.parametrize(
    ("kind", "logs"),
    [
        (WeightedLeastSquares, 70),
        *long((WeightedLeastSquares, 200), (OrdinaryLeastSquares, 200), (Huber, 200)),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(kind, logs):
    """Over many noisy logs of an arm whose joints differ in noise; 95 % should be within."""
    robot = qddot.load("two_link").with_friction(viscous=2.0, coulomb=5.0)
    noise = np.array([20.0, 2.0])
    within = []
    for seed in range(logs):
        fit = kind(robot).fit(excited(robot, 150, seed, noise)).fitted
        low, high = fit.intervals(0.95).T
        within.append((low <= truth(fit)) & (truth(fit) <= high))
    assert 0.92 < np.mean(within) < 0.98


@pytest.mark.parametrize("logs", [15, *long(40)])
def test_deviations_and_noise_are_those_of_many_logs(arm, logs):
    robot, noise = arm
    fits = [identify(robot, excited(robot, 300, seed, noise)) for seed in range(logs)]
    errors = np.array([(fit.values - truth(fit)) / fit.deviations for fit in fits])
    assert 0.9 < np.sqrt(np.mean(errors**2)) < 1.1
    assert np.mean([fit.solution.noise for fit in fits], axis=0) == pytest.approx(noise, rel=0.05)


def test_weights_know_joints_better_than_no_weights(arm):
    robot, noise = arm
    log = excited(robot, 1000, 0, noise)
    plain, weighted = OrdinaryLeastSquares(robot).fit(log), WeightedLeastSquares(robot).fit(log)
    assert np.all(weighted.fitted.deviations <= plain.fitted.deviations * 1.1)
    assert weighted.fitted.deviations.min() < 0.5 * plain.fitted.deviations.min()


def test_outliers_do_not_move_huber(arm):
    robot, noise = arm
    q, qd, qdd, tau = excited(robot, 2000, 0, noise)
    rng = np.random.default_rng(5)
    hit = rng.random(tau.shape) < 0.03
    tau = tau + hit * rng.normal(30, 100, tau.shape) * noise
    plain, robust = (identify(robot, (q, qd, qdd, tau), m) for m in ("weighted", "robust"))
    scale = plain.deviations
    error = [np.sqrt(np.mean(((f.values - truth(f)) / scale) ** 2)) for f in (plain, robust)]
    assert error[1] < 0.3 * error[0]
    assert robust.solution.noise == pytest.approx(noise, rel=0.1)


def test_bayes_goes_from_the_prior_to_weighted_least_squares(arm):
    robot, noise = arm
    log = excited(robot, 300, 0, noise)
    weighted = identify(robot, log)
    sure = identify(robot, log, "bayes", belief=1e-4)
    unsure = identify(robot, log, "bayes", belief=1e4)
    assert_near(sure.values, truth(sure), tolerance=1e-3)
    assert_near(unsure.values, weighted.values, tolerance=1e-4)
    assert np.all(sure.deviations <= weighted.deviations)


def test_a_consistent_fit_is_possible_and_predicts_as_well(arm):
    pytest.importorskip("cvxpy")
    robot, noise = arm
    log = excited(robot, 400, 0, 3 * noise)
    weighted, consistent = (identify(robot, log, m) for m in ("weighted", "consistent"))
    assert not weighted.is_possible
    assert consistent.is_possible
    assert smallest_eigenvalue(consistent.problem.regression, consistent.parameters) > 0
    assert consistent.relative_error < 1.02 * weighted.relative_error
    clean = robot.inverse_dynamics(*log[:3])
    errors = [np.linalg.norm(f.predict(*log[:3]) - clean) for f in (weighted, consistent)]
    assert errors[1] < errors[0]


def test_masses_and_centres_keep_within_their_bounds(arm):
    pytest.importorskip("cvxpy")
    robot, noise = arm
    log = excited(robot, 400, 0, noise)
    box = [(-0.01, 0.01), (None, None), (0.0, None)]
    fit = PhysicallyConsistent(
        robot,
        masses={"elbow_joint": (2.0, 2.1)},
        centres={"wrist_3_joint": box},
        total_mass=(None, 16.0),
    ).fit(log)
    values = fit.fitted.problem.regression.values(fit.fitted.parameters)
    assert 2.0 - SOLVER <= values["elbow_joint.m"] <= 2.1 + SOLVER
    assert abs(values["wrist_3_joint.mx"]) <= 0.01 * values["wrist_3_joint.m"] + SOLVER
    assert values["wrist_3_joint.mz"] >= -SOLVER
    assert sum(v for k, v in values.items() if k.endswith(".m")) <= 16 + SOLVER
    with pytest.raises(UnknownName, match="no moving body named 'elbow'"):
        PhysicallyConsistent(robot, masses={"elbow": (1, 2)}).fit(log)
    with pytest.raises(BadArgument, match="No robot is within the bounds"):
        PhysicallyConsistent(robot, masses={"elbow_joint": (3, 4)}, total_mass=(None, 2)).fit(log)


def test_a_consistent_fit_names_the_extra_that_it_needs(arm, monkeypatch):
    robot, _ = arm
    not_installed(monkeypatch, "cvxpy")
    with pytest.raises(MissingExtra, match=r"pip install 'qddot\[identify\]'"):
        identify(robot, excited(robot, 100), "consistent")


def test_a_log_in_pieces_gives_what_the_whole_gives(arm):
    """More rows than are looked at together, in one block and in seven, which are cut elsewhere."""
    robot, noise = arm
    log = excited(robot, CHUNK + 500, 0, noise)
    whole = identify(robot, log, blocks=1)
    pieces = identify(robot, log, blocks=7)
    assert len(pieces.problem.blocks) == 7
    assert_near(pieces.values, whole.values)
    assert_near(pieces.rms, whole.rms)
    Y = robot.regressor(*log[:3])[..., whole.problem.base.columns.kept]
    rows = (Y / whole.solution.noise[:, None]).reshape(-1, len(whole.values))
    direct = np.linalg.lstsq(rows, (log[3] / whole.solution.noise).reshape(-1), rcond=None)[0]
    assert_near(whole.values, direct)
    assert problem.BLOCKS == 10


def test_wrist_coupling_is_found_with_extra_columns(arm):
    """A motor that turns with joints 5 and 6 together."""
    robot, _ = arm
    q, qd, qdd, tau = excited(robot, 800)
    sums = qd[:, 4] + qd[:, 5], qdd[:, 4] + qdd[:, 5]
    torque = 0.7 * sums[1] + 0.3 * sums[0] + 0.2 * np.sign(sums[0])
    tau = tau + torque[:, None] * np.array([0, 0, 0, 0, 1, 1])
    columns = coupled(robot, "wrist_2_joint", "wrist_3_joint", "m6")
    fit = identify(robot, (q, qd, qdd, tau), terms=["rotor_inertia"], extra=columns)
    assert fit.relative_error < 1e-10
    values = dict(zip(fit.names, fit.values, strict=True))
    assert [values[f"m6.{x}"] for x in ("Ia", "fv", "fs")] == pytest.approx([0.7, 0.3, 0.2])
    assert identify(robot, (q, qd, qdd, tau)).relative_error > 0.01
    with pytest.raises(UnknownName, match="no joint named 'wrist_9_joint'"):
        coupled(robot, "wrist_9_joint", "wrist_3_joint")


def test_stribeck_and_own_columns_are_found():
    robot = qddot.load("two_link")
    q, qd, qdd, tau = excited(robot, 800)
    tau = tau + 3 * np.exp(-((qd / 0.5) ** 2)) * np.sign(qd)
    tau[:, 0] += 4 * np.sin(q[:, 0]) ** 3
    own = {"ripple": lambda q, qd, qdd: np.array([np.sin(q[0]) ** 3, 0])}
    extra = [stribeck(robot, 0.5), own]
    fit = identify(robot, (q, qd, qdd, tau), extra=extra)
    values = dict(zip(fit.names, fit.values, strict=True))
    assert [values[k] for k in ("j1.fst", "j2.fst", "ripple")] == pytest.approx([3, 3, 4])
    # where the model has Coulomb friction, the same as a column is told to be the same
    same = {"j1.dry": lambda q, qd, qdd: np.array([np.sign(qd[0]), 0])}
    both = identify(robot, (q, qd, qdd, tau), terms=["coulomb"], extra=[*extra, same])
    assert any("j1.dry" in name and "j1.fs" in name for name in both.names)
    with pytest.raises(BadArgument, match=r"'bad' returns \(3,\); it must return the torques"):
        identify(robot, (q, qd, qdd, tau), extra={"bad": lambda q, qd, qdd: np.zeros(3)})
    with pytest.raises(BadArgument, match="give functions by name"):
        identify(robot, (q, qd, qdd, tau), extra=lambda q, qd, qdd: q)


def test_springs_stay_as_the_model_has_them():
    robot = qddot.load("mass_spring_damper")
    fit = identify(robot, excited(robot, 200))
    assert_near(fit.predict(*excited(robot, 50, 9)[:3]), excited(robot, 50, 9)[3])


def test_a_payload_is_found_beside_the_arm(arm):
    robot, noise = arm
    frame = robot.frame_names[-1]
    com, inertia = (0.02, -0.03, 0.08), (0.02, 0.001, 0.0, 0.018, 0.0, 0.012)
    loaded = robot.with_payload(frame, 2.5, com, inertia)
    first, second = excited(robot, 3000, 0, noise), excited(loaded, 3000, 7, noise)
    found = identify_payload(robot, frame, first, second)
    reached = loaded.tree.bodies[-1].inertia.parameters - robot.tree.bodies[-1].inertia.parameters
    body = robot.with_payload(frame, found.mass, found.com.tolist(), found.inertia)
    change = body.tree.bodies[-1].inertia.parameters - robot.tree.bodies[-1].inertia.parameters
    assert abs(found.mass - 2.5) < 4 * found.deviations[0]
    assert found.com == pytest.approx(com, abs=0.01)
    assert np.abs(np.array(change - reached, float)).max() < 0.05
    possible = identify_payload(robot, frame, first, second, consistent=True)
    assert possible.is_possible
    assert f"Payload at {frame!r}: 2.493 ± 0.01 kg, centre of mass" in str(found)
    assert found.to_dict()["deviations"]["m"] == found.deviations[0]
    exact = identify_payload(robot, frame, excited(robot, 300), excited(loaded, 300, 3))
    assert exact.mass == pytest.approx(2.5, rel=1e-8)
    assert exact.com == pytest.approx(com, abs=1e-8)
    with pytest.raises(UnknownName, match="no frame named 'hand'"):
        identify_payload(robot, "hand", first, second)
    with pytest.raises(BadArgument, match="does not move"):
        identify_payload(robot, robot.frame_names[0], first, second)


def test_badly_known_parameters_are_removed(arm):
    robot, noise = arm
    log = excited(robot, 600, 0, noise)
    fit = identify(robot, log)
    assert len(fit.essential(loss=0).values) == len(fit.values)  # every one of them helps
    fewer = fit.essential(ratio=30, loss=0.1)
    assert len(fewer.values) + len(fewer.removed) == len(fit.values)
    assert fewer.removed
    assert fewer.relative_error < 1.1 * fit.relative_error
    worst = max(fewer.relative_deviations) / min(fewer.relative_deviations)
    assert worst <= 30
    assert "removed as badly known" in repr(fewer)
    # what is removed is zero in the robot too, and its torques are those predicted
    B = np.array(fewer.problem.zero)
    assert np.abs(B @ fewer.parameters).max() < 1e-9


def test_cross_validation_sees_what_a_fit_does_not(arm):
    robot, noise = arm
    fit = identify(robot, excited(robot, 100, 0, 3 * noise), blocks=10)
    checked = fit.cross_validation(5)
    assert checked.relative_errors.shape == (5,)
    assert checked.rms.shape == (5, 6)
    assert checked.relative_error > fit.relative_error
    assert "on unseen time" in str(checked)
    short = identify(robot, excited(robot, 13, 0, noise), blocks=2)
    with pytest.raises(BadArgument, match="Without one of 2 parts, the log does not show"):
        short.cross_validation(2)


def test_torques_that_do_not_count_are_left_out(arm):
    robot, _ = arm
    q, qd, qdd, tau = excited(robot, 400)
    counts = np.abs(qd) > 0.3
    spoilt = np.where(counts, tau, 1e4)
    fit = identify(robot, as_log(robot, (q, qd, qdd, spoilt), counts=counts))
    assert_near(fit.values, truth(fit), tolerance=NOISE_FREE)
    robust = identify(robot, as_log(robot, (q, qd, qdd, spoilt), counts=counts), "robust")
    assert_near(robust.values, truth(fit), tolerance=NOISE_FREE)


def test_columns_and_torques_may_be_filtered_alike():
    """Parallel decimation leaves exact torques exact."""
    robot = qddot.load("two_link").with_friction(viscous=2.0, coulomb=5.0)
    log = swinging(2, rate=1000.0)
    tau = robot.inverse_dynamics(log.q, log.qd, log.qdd)
    log = replace(log, joint_names=robot.joint_names, tau=tau)
    fit = identify(robot, log, decimate=100)
    assert fit.count < 500
    assert_near(fit.values, truth(fit), tolerance=NOISE_FREE)
    assert fit.residuals.shape == (len(fit.samples), 2)
    assert np.abs(fit.residuals).max() < 1e-8


def test_joints_of_other_names_are_refused(arm):
    robot, _ = arm
    arrays = excited(robot, 200)
    other = as_log(robot, arrays)
    other.joint_names = ("a", "b", "c", "d", "e", "f")
    with pytest.raises(BadArgument, match="does not have joint 'shoulder_pan_joint'"):
        identify(robot, other)


def test_estimators_have_scikit_learns_habits(arm):
    robot, noise = arm
    log, other = excited(robot, 400, 0, noise), excited(robot, 200, 3)
    for kind in ESTIMATORS:
        estimator = kind(robot, blocks=4)
        assert estimator.get_params()["blocks"] == 4
        with pytest.raises(BadArgument, match=f"{kind.__name__} has not been fitted"):
            estimator.predict(*other[:3])
        assert estimator.fit(*log) is estimator
        assert 0.98 < estimator.score(other) <= 1
        assert estimator.predict(*other[:3]).shape == (200, 6)
        fit = estimator.fitted
        assert len(fit.names) == len(fit.values) == len(fit.deviations)
        assert np.diag(fit.correlation) == pytest.approx(1)
        assert fit.relative_deviations.shape == fit.values.shape
        assert fit.solution.covariance.shape == 2 * fit.values.shape
        assert fit.condition > 1
        assert fit.rms.shape == (6,)
        assert 0 < fit.relative_error < 1


def test_what_a_log_that_hardly_moves_does_not_show_is_told(arm):
    robot, _ = arm
    q, qd, qdd, _ = excited(robot, 200)
    q[:, 2], qd[:, 2], qdd[:, 2] = 0.5, 0, 0
    log = q, qd, qdd, robot.inverse_dynamics(q, qd, qdd)
    with pytest.raises(BadArgument) as error:
        identify(robot, log, unexcited="refuse")
    assert "The log shows 46 of 48 base parameters of robot 'ur5'" in str(error.value)
    assert "does not show elbow_joint.fv, elbow_joint.fs" in str(error.value)
    assert "unexcited='merge'" in str(error.value)
    with pytest.warns(IdentificationWarning, match=UNSEEN):
        fit = identify(robot, log)
    assert len(fit.values) == 46
    assert_near(fit.predict(*log[:3]), log[3], tolerance=1e-6)
    with pytest.raises(BadArgument, match="it must be 'refuse' or 'merge'"):
        identify(robot, log, unexcited="ignore")


def test_wrong_logs_are_refused(arm):
    robot, _ = arm
    q, qd, qdd, tau = excited(robot, 50)
    broken = tau.copy()
    broken[3, 2] = np.nan
    with pytest.raises(BadArgument, match=r"tau has 1 entries .* in row 3 of joint 'elbow_joint'"):
        identify(robot, (q, qd, qdd, broken))
    with pytest.raises(BadArgument, match=r"qd has shape \(50, 5\), but robot 'ur5' has 6 joints"):
        identify(robot, (q, qd[:, :5], qdd, tau))
    with pytest.raises(BadArgument, match="tau has 49 rows, but q has 50"):
        identify(robot, (q, qd, qdd, tau[:-1]))
    with pytest.raises(BadArgument, match="The log has 5 samples, too few for 48 base parameters"):
        identify(robot, tuple(x[:5] for x in (q, qd, qdd, tau)))
    with pytest.raises(BadArgument, match="Give \\(q, qd, qdd, tau\\), not 3 arrays"):
        identify(robot, (q, qd, qdd))
    log = as_log(robot, (q, qd, None, tau))
    with pytest.raises(BadArgument, match="The log has no qdd"):
        identify(robot, log)
    with pytest.raises(BadArgument, match=r"'wieghted'\. Did you mean 'weighted'"):
        identify(robot, (q, qd, qdd, tau), "wieghted")
    log = as_log(robot, (q, qd, qdd, tau))
    log.t = log.t[:-1]
    with pytest.raises(BadArgument, match="one time per row"):
        identify(robot, log)


def test_a_robot_without_effect_has_nothing_to_find():
    robot = qddot.from_dh([{"mass": 1}], "standard")
    fixed = robot.model.with_joints(lambda joint: replace(joint, kind="fixed"))
    with pytest.raises(BadArgument, match="there is nothing to find"):
        identify(qddot.Robot(fixed), tuple(np.zeros((4, 9, 0))))


# all estimators in one table

PLAIN = qddot.load("two_link")
ARM = PLAIN.with_friction(viscous=2.0, coulomb=1.5)


def made(seed):
    return moved(ARM, seconds=8, motion=seed, seed=seed, noise=3.0)


def test_the_figures_are_those_of_the_fits():
    log, other = made(0), made(1)
    table = compare_methods(PLAIN, log, ("weighted", "ordinary"), validate=[other])
    alone = qddot.identify(PLAIN, log)
    first, second = table.methods
    assert first.fit.values == pytest.approx(alone.values)
    assert first.unseen == pytest.approx(alone.cross_validation().relative_error)
    size = np.linalg.norm(other.tau)
    assert first.others == pytest.approx(np.linalg.norm(other.tau - alone.predict(other)) / size)
    assert second.fit.status == "solved"
    assert table.best == min(table.methods, key=lambda each: each.unseen).method
    assert "other logs" in str(table)
    assert table.to_dict()["methods"][0]["relative_error"] == first.fit.relative_error


def test_a_method_that_fails_says_why_and_the_others_go_on(monkeypatch):
    not_installed(monkeypatch, "cvxpy")
    table = compare_methods(ARM, excited(ARM, 200, 0, 1.0), terms=())
    assert [each.method for each in table.methods] == list(METHODS)
    (failed,) = [each for each in table.methods if each.fit is None]
    assert failed.method == "consistent"
    assert "consistent: " in str(table)
    assert "other logs" not in str(table)


def test_what_is_not_shared_is_refused():
    with pytest.raises(BadArgument, match="Not all methods have an option 'belief'"):
        compare_methods(ARM, made(0), belief=2.0)
    with pytest.raises(BadArgument, match="no method 'weihgted'"):
        compare_methods(ARM, made(0), ("weihgted",))
