"""What a fit says of itself is so: its status, its deviations, its file, its figure."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np
import pytest
from identification.excited import as_log, excited
from identification.made_logs import moved
from made import PANDA, UR5

import qddot
from qddot import plot
from qddot.errors import IdentificationWarning
from qddot.identification.log import Log
from qddot.identification.payload import PayloadFit
from qddot.identification.preparation import prepared
from qddot.identification.residual_patterns import explained, residual_patterns
from qddot.identification.solution import repeats
from qddot.identification.usefulness import payload_deviation
from qddot.present.figures.parameters import short
from qddot.present.pages.fit import fit_page
from qddot.present.terminal.results import fit_lines

identify = partial(qddot.identify, terms=())  # what is not asked for is not there

TERMS = ("friction", "offset")


def one_way(seed=0):
    """Return a log in which the second joint rests for 0.5 s and then turns one way only."""
    arm = qddot.load("two_link").with_friction(viscous=5.0, coulomb=2.0, offset=0.3)
    t = np.arange(5001) / 1000
    w = 2 * np.pi * np.array([0.6, 1.3])
    x = np.outer(t, w)
    u = np.clip(t - 0.5, 0, None)
    q = np.column_stack([np.sin(x).sum(1), 0.3 * u**2])
    qd = np.column_stack([(w * np.cos(x)).sum(1), 0.6 * u])
    qdd = np.column_stack([-(w**2 * np.sin(x)).sum(1), 0.6 * (t > 0.5)])
    rng = np.random.default_rng(seed)
    tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.5, q.shape)
    return qddot.Log(arm.joint_names, t, q + rng.normal(0, 1e-5, q.shape), tau=tau)


@pytest.mark.parametrize("method", ["weighted", "consistent"])
@pytest.mark.parametrize("decimate", ["auto", None])
def test_merging_groups_what_the_rows_that_count_do_not_tell_apart(method, decimate):
    if method == "consistent":
        pytest.importorskip("cvxpy")
    log, robot = prepared(one_way(), cutoff=20.0), qddot.load("two_link")
    options = {"terms": TERMS, "unexcited": "merge", "decimate": decimate}
    said = "joint 'j2' turns one way only, so Coulomb friction and"
    with pytest.warns(IdentificationWarning, match=said):
        fit = identify(robot, log, method, **options)
    assert len(fit.values) == 11
    assert fit.condition < 100
    assert fit.status == "solved"
    values = dict(zip(fit.names, fit.values, strict=True))
    assert values["j2.fs + j2.f0"] == pytest.approx(2.3, abs=0.3)


def test_an_absurd_solution_is_not_called_solved():
    robot = qddot.load("two_link")
    q, qd, qdd, tau = excited(robot, 200)
    good = identify(robot, (q, qd, qdd, tau))
    assert good.trusted
    assert good.verdict == "explains the torques very well"
    absurd = replace(good, solution=replace(good.solution, beta=100 * good.values))
    assert not absurd.trusted
    assert absurd.status.startswith("not trusted: relative torque error 9")
    assert absurd.verdict == "is worse than no model at all"
    badly = replace(good)
    object.__setattr__(badly, "condition", 4e15)
    assert "not trusted: condition number 4e+15, above 1e+07" in repr(badly)
    assert badly.to_dict()["trusted"] is False


@pytest.mark.parametrize(
    ("share", "words"), [(0.25, "badly: do not rely"), (0.8, "does not explain"), (0.15, "roughly")]
)
def test_a_large_error_gets_a_verdict_in_words(share, words):
    robot = qddot.load("two_link")
    q, qd, qdd, tau = excited(robot, 400)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=tau.shape)
    noise *= share / np.sqrt(1 - share**2) * np.linalg.norm(tau) / np.linalg.norm(noise)
    fit = identify(robot, (q, qd, qdd, tau + noise), "ordinary")
    assert words in repr(fit)
    assert words in fit.to_dict()["verdict"]


def test_rows_that_repeat_each_other_are_counted_once():
    rng = np.random.default_rng(0)
    white = rng.normal(size=(6000, 1))
    slow = np.convolve(rng.normal(size=6019), np.ones(20), "valid")[:, None]
    log = Log(("a", "b"), np.arange(6000.0), np.zeros((6000, 2)))
    found = repeats(log, np.hstack([white, slow]))
    assert found[0] == pytest.approx(1, abs=0.3)
    assert found[1] == pytest.approx(20, rel=0.3)  # Σ ρ_k of a moving mean of 20


def test_deviations_that_the_residual_contradicts_are_not_told():
    robot = qddot.load("two_link").with_friction(viscous=2.0, coulomb=5.0)
    t = np.arange(600)[:, None] * 0.01
    w = np.array([2.1, 3.7])
    q, qd, qdd = np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    lasting = 50 * np.sin(0.7 * t + np.array([0.0, 1.0]))  # two minutes would show it, 6 s do not
    fit = identify(robot, as_log(robot, (q, qd, qdd, tau + lasting)), unexcited="merge")
    assert np.isnan(fit.deviations).all()
    assert "deviations are not given: the residual lasts up to" in repr(fit)
    assert " -" in fit.table()
    assert fit.to_dict()["base_parameters"][0]["deviation"] is None


def test_a_saved_robot_says_log_method_error_and_day_and_not_what_is_no_longer_true(tmp_path):
    robot = PANDA
    assert "kg" in robot.model.description or robot.model.description
    log = qddot.Log(robot.joint_names, np.arange(400) / 100, *excited(robot, 400, noise=0.1))
    log = replace(log, source="/home/somebody/logs/monday.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = identify(robot, log)
        fit.save(tmp_path / "found.toml")
    found = qddot.load(tmp_path / "found.toml").model
    assert robot.model.description not in found.description
    for words in (
        *("WeightedLeastSquares", "monday.csv", date.today().isoformat()),
        *(" base parameters from 400 samples", "relative torque error"),
    ):
        assert words in found.description
    assert robot.model.source in found.description  # for what was not measured
    assert found.source == "qddot, from monday.csv"
    assert "somebody" not in (tmp_path / "found.toml").read_text(encoding="utf-8")


def test_a_urdf_warns_of_what_it_loses_and_of_the_price(tmp_path):
    robot = qddot.load("two_link").with_friction(viscous=5.0, coulomb=2.0, offset=8.0)
    fit = identify(robot, excited(robot, 300, noise=0.5))
    with pytest.warns(
        IdentificationWarning, match="A URDF file has no place for friction offset"
    ) as told:
        fit.save(tmp_path / "arm.urdf")
    text = str(next(w.message for w in told if "URDF" in str(w.message)))
    before, after = (float(x) for x in re.findall(r"([\d.e+-]+) %", text))
    q, qd, qdd, tau = excited(robot, 300, noise=0.5)
    written = qddot.load(tmp_path / "arm.urdf").with_gravity(robot.model.gravity)
    left = tau - written.inverse_dynamics(q, qd, qdd)
    assert after == pytest.approx(100 * np.linalg.norm(left) / np.linalg.norm(tau), rel=0.02)
    assert after > 2 * before
    assert text.endswith("Save as .toml to keep it.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit.save(tmp_path / "arm.toml")


def test_a_load_that_cannot_be_is_told_and_so_is_the_remedy():
    values = np.array([1.0, 0, 0, 0, 0.01, 0, 0, -0.042, 0, 0.01])
    fit = identify(qddot.load("two_link"), excited(qddot.load("two_link"), 60))
    load = PayloadFit("tool", values, 1e-6 * np.eye(10), fit)
    assert "No body has these numbers" in str(load)
    assert "consistent=True finds the nearest" in str(load)
    assert "No body has these numbers" in load._repr_html_()
    fine = replace(load, parameters=np.array([1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.01]))
    assert "No body" not in str(fine)


def test_a_value_at_its_bound_has_no_share_of_a_hundred_million_per_cent():
    robot = qddot.load("two_link")
    fit = identify(robot, excited(robot, 100, noise=1.0), terms=("viscous",))
    k = fit.names.index("j1.fv")
    beta = fit.values.copy()
    beta[k] = 4.86e-9
    bound = replace(fit, solution=replace(fit.solution, beta=beta))
    line = next(line for line in bound.table().splitlines() if line.startswith("j1.fv"))
    assert line.endswith("> 1000")
    assert "e+" not in line


def test_the_figure_of_parameters_says_where_its_axis_is_logarithmic_and_keeps_names_apart():
    robot = UR5
    fit = identify(robot, excited(robot, 300, noise=0.1), terms=TERMS)
    axes = plot.plot_parameters(fit).axes
    bent = [a for a in axes if a.get_xscale() == "asinh"]
    assert bent
    assert all("logarithmic beyond" in a.get_xlabel() for a in bent)
    for a in axes:
        names = [text.get_text() for text in a.get_yticklabels()]
        assert len(set(names)) == len(names)
    assert short("panda_joint4.Izz + 0.0825·panda_joint5.mx - panda_joint6.Iyy") == (
        "panda_joint4.Izz + 2 more"
    )
    assert short("a_very_long_name_of_a_joint_of_an_arm.Izz + b.m").endswith("arm.Izz + 1 more")


# what a fit is good for, and what the model lacks

ARM = qddot.load("two_link").with_friction(viscous=5.0, coulomb=20.0)
PRIOR = qddot.load("two_link")


log = partial(moved, ARM, rate=50.0, seconds=20.0, motion=5)


def arrays(**how):
    """Return the same as arrays, of which nothing is doubted."""
    made = log(**{"noise": 1.0} | how)
    return made.q, made.qd, made.qdd, made.tau


@pytest.fixture(scope="module")
def fit():
    return qddot.identify(PRIOR, log(noise=1.0), terms=TERMS)


def test_a_good_fit_is_good_for_feed_forward_and_says_how_heavy_a_load_it_notices(fit):
    feed, load, *_ = fit.uses
    assert feed.startswith("good for feed-forward: 0.")
    assert "% with the robot's file)" in feed
    assert load.startswith("payload within ")
    assert "good for feed-forward" in repr(fit)
    assert fit.to_dict()["uses"] == list(fit.uses)


def test_what_cannot_be_used_is_said_first(fit):
    beta = 3 * fit.values
    bad = replace(fit, solution=replace(fit.solution, beta=beta))
    assert bad.uses[0].startswith("do not use: relative torque error 2")
    noisy = qddot.identify(ARM, arrays(noise=200.0), terms=TERMS)  # the file is the arm itself
    assert noisy.uses[0].startswith("do not use: 2")
    assert noisy.uses[0].endswith("% with the robot's file")


@pytest.mark.parametrize("method", ["weighted", "ordinary", "robust", "bayes"])
def test_a_log_that_the_file_explains_exactly_has_nothing_to_refuse(method):
    """What is left is rounding, in which no fit is better or worse than another."""
    fit = qddot.identify("two_link", excited(qddot.load("two_link"), 400), method=method)
    assert fit.uses[0].startswith("the robot file already explains this log: ")
    assert "do not use" not in repr(fit)
    assert fit.ok
    assert fit.to_dict()["uses"] == list(fit.uses)
    assert fit.robot.with_friction(viscous=1.0)  # friction of rounding is no negative one


@pytest.mark.parametrize("noise", [1e-12, 1e-8, 1e-4, 1e-2, 1.0, 10.0])
@pytest.mark.parametrize("digits", [4, 6, 17])
def test_noise_and_digits_alone_do_not_make_a_fit_worse_than_a_right_file(noise, digits):
    rounded = [[float(f"{x:.{digits}g}") for x in np.ravel(a)] for a in arrays(noise=noise)]
    log = [np.reshape(a, (-1, ARM.n)) for a in rounded]
    fit = qddot.identify(ARM, tuple(log), terms=TERMS)
    assert not any("do not use" in use for use in fit.uses)
    q, qd, qdd = log[:3]
    worse = PRIOR.inverse_dynamics(q, qd, qdd)
    wrong = qddot.identify(ARM, (q, qd, qdd, worse), terms=TERMS)  # of another robot
    assert wrong.uses[0].startswith("good for feed-forward: ")


def test_a_load_of_one_deviation_is_as_far_as_fits_of_other_noise_lie_apart():
    """The mass that many logs of the empty arm seem to carry spreads by what one fit says."""
    fits = [qddot.identify(PRIOR, arrays(seed=seed), terms=TERMS) for seed in range(30)]
    heavier = ARM.with_payload(ARM.tip, 1.0)
    names = fits[0].problem.regression.names
    kilogram = [
        dict(zip(robot.parameter_names, robot.parameters, strict=True)) for robot in (heavier, ARM)
    ]
    phi = np.array([kilogram[0].get(n, 0) - kilogram[1].get(n, 0) for n in names])
    d = fits[0].problem.B @ phi
    x = np.linalg.solve(fits[0].solution.covariance, d)
    masses = [fit.values @ x / (d @ x) for fit in fits]
    said = np.mean([payload_deviation(fit) for fit in fits])
    assert 0.9 * np.std(masses) < said < 1.6 * np.std(masses)  # the larger of two estimates
    assert payload_deviation(fits[0], "base") == np.inf


def test_errors_of_joints_are_told_before_fitted_and_not_fitted(fit):
    (run,) = fit.runs
    for i, name in enumerate(ARM.joint_names):
        each = run["joints"][name]
        assert each["fitted"] == pytest.approx(fit.relative_errors[i])
        assert each["fitted"] < each["unseen"] < 2 * each["fitted"]
        before = PRIOR.inverse_dynamics(fit.log.q, fit.log.qd, fit.log.qdd)
        left = np.linalg.norm((fit.log.tau - before)[:, i]) / np.linalg.norm(fit.log.tau[:, i])
        assert each["before"] == pytest.approx(left)


LACKS = {
    "position": lambda t, q, qd, qdd: [0, 30] * np.abs(q),
    "rate": lambda t, q, qd, qdd: [0, 30] * np.exp(-((qd / 0.3) ** 2)) * np.sign(qd),
    "load": lambda t, q, qd, qdd: [0, 0.1] * np.abs(ARM.inverse_dynamics(q, qd, qdd)) * np.sign(qd),
    "time": lambda t, q, qd, qdd: [0, 3] * np.minimum(t, 10)[:, None],
}


@pytest.mark.parametrize("variable", LACKS)
def test_what_the_model_lacks_is_on_top(variable):
    fit = qddot.identify(PRIOR, log(more=LACKS[variable], noise=1.0), terms=TERMS)
    first = fit.patterns[0]
    assert (first.joint, first.variable) == ("j2", variable)
    assert first.share > 0.3
    assert str(first) in fit.to_dict()["patterns"]


def test_noise_goes_with_nothing(fit):
    assert len(fit.patterns) == 8
    assert not any(pattern.shows for pattern in fit.patterns)
    assert residual_patterns(fit, fit.log[:30]) == []
    slow = np.convolve(np.random.default_rng(0).normal(size=1049), np.ones(50), "valid")
    x = np.sin(np.arange(1000) / 40)
    assert explained(x, slow, x > 2)[0] < 0.05


def test_what_is_known_badly_is_left_to_a_motion_that_excite_plans(tmp_path, fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ready = prepared(one_way(), cutoff=20.0)
        unsure = qddot.identify(PRIOR, ready, terms=TERMS, unexcited="merge")
    advice = "qddot excite ROBOT --after LOG"
    assert fit_lines(unsure, [])[-1].endswith(advice)
    sure = replace(fit, solution=replace(fit.solution, covariance=1e-12 * np.eye(len(fit.values))))
    assert advice not in "".join(fit_lines(sure, []))
    fit_page(unsure, tmp_path / "a.html")
    assert advice in (tmp_path / "a.html").read_text(encoding="utf-8")
