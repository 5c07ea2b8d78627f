"""What a fit is good for, what the model lacks, a log simulated."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import waving
from identification.test_trust import one_way

import qddot
from qddot.identification.preparation import prepared
from qddot.identification.residual_patterns import explained, residual_patterns
from qddot.identification.usefulness import payload_deviation
from qddot.present.pages.fit import fit_page
from qddot.present.terminal.results import fit_lines

ARM = qddot.load("two_link").with_friction(viscous=5.0, coulomb=20.0)
PRIOR = qddot.load("two_link")
TERMS = {"terms": ("friction", "offset")}


def log(more=None, seed=0, noise=1.0, seconds=20.0):
    """Return a log of the arm at 50 Hz; `more(t, q, qd, tau)` is what no model has."""
    t = np.arange(round(50 * seconds)) / 50
    q, qd, qdd = waving(2, t, seed=5)
    tau = ARM.inverse_dynamics(q, qd, qdd)
    tau = tau + (0 if more is None else more(t, q, qd, tau))
    tau = tau + np.random.default_rng(seed).normal(0, noise, q.shape)
    return qddot.Log(ARM.joint_names, t, q, qd, qdd, tau)


def arrays(**how):
    """Return the same as arrays, of which nothing is doubted."""
    made = log(**how)
    return made.q, made.qd, made.qdd, made.tau


@pytest.fixture(scope="module")
def fit():
    return qddot.identify(PRIOR, log(), **TERMS)


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
    noisy = qddot.identify(ARM, arrays(noise=200.0), **TERMS)  # the file is the arm itself
    assert noisy.uses[0].startswith("do not use: 2")
    assert noisy.uses[0].endswith("% with the robot's file")


def test_a_load_of_one_deviation_is_as_far_as_fits_of_other_noise_lie_apart():
    """The mass that many logs of the empty arm seem to carry spreads by what one fit says."""
    fits = [qddot.identify(PRIOR, arrays(seed=seed), **TERMS) for seed in range(30)]
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
    "position": lambda t, q, qd, tau: [0, 30] * np.abs(q),
    "rate": lambda t, q, qd, tau: [0, 30] * np.exp(-((qd / 0.3) ** 2)) * np.sign(qd),
    "load": lambda t, q, qd, tau: [0, 0.1] * np.abs(tau) * np.sign(qd),
    "time": lambda t, q, qd, tau: [0, 3] * np.minimum(t, 10)[:, None],
}


@pytest.mark.parametrize("variable", LACKS)
def test_what_the_model_lacks_is_on_top(variable):
    fit = qddot.identify(PRIOR, log(LACKS[variable]), **TERMS)
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
        unsure = qddot.identify(PRIOR, ready, unexcited="merge", **TERMS)
    advice = "qddot excite ROBOT --after LOG"
    assert fit_lines(unsure, [])[-1].endswith(advice)
    sure = replace(fit, solution=replace(fit.solution, covariance=1e-12 * np.eye(len(fit.values))))
    assert advice not in "".join(fit_lines(sure, []))
    fit_page(unsure, tmp_path / "a.html")
    assert advice in (tmp_path / "a.html").read_text(encoding="utf-8")
