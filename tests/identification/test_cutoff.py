"""The cut-off is the one that predicts, whatever colour the noise has, and deviations are true."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import NOISES, measured, noisy
from long import long, one_in

import qddot
from qddot.identification.held_out import LogJudge, cutoff
from qddot.identification.preparation import prepared
from qddot.identification.sine_series import Way
from qddot.identification.spectrum import candidates, suggested

LOW_PASSED = [kind for kind in NOISES if kind != "white"]
KINDS = [*NOISES, "counts", "ripple", "controller"]
HIGHEST = 12.0  # [Hz], of a motion that ends at 0.8 Hz


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link").with_friction(viscous=0.5, coulomb=0.3)


def scores(robot, fit):
    """Return errors of base parameters in units of their deviations."""
    values = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    truth = fit.problem.B @ [values[name] for name in fit.problem.regression.names]
    return (fit.values - truth) / fit.deviations


@pytest.mark.parametrize("kind", one_in(6, KINDS))
def test_the_cutoff_is_near_the_motion_whatever_colour_the_noise_has(arm, kind):
    log = noisy(arm, kind)
    for robot in (arm, None):
        found = cutoff(log, robot)
        assert 1 < float(found) < HIGHEST
        assert "predicts held-out torques" in found.why
        assert "motion up to" in str(found)
    assert "by the model of 'two_link'" in cutoff(log, arm).why


def test_the_spectrum_alone_takes_low_passed_noise_for_motion(arm):
    assert float(suggested(noisy(arm, "first order, 150 Hz"))) > 100


@pytest.mark.parametrize(
    "kind", ["first order, 150 Hz", *long("Butterworth, 150 Hz", "controller")]
)
def test_parameters_are_within_their_deviations_by_default(arm, kind):
    z = []
    for seed in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a good log raises no doubt
            fit = qddot.identify(arm, noisy(arm, kind, seed=seed), terms=())
        assert fit.status == "solved"
        assert fit.decimated == pytest.approx(fit.log.bandwidth)
        assert "which the spectrum suggests" in fit.to_dict()["filter"]
        z.append(scores(arm, fit))
    assert np.sqrt(np.mean(np.square(z))) < 1.6
    assert np.abs(z).max() < 4.5


@pytest.mark.long
@pytest.mark.parametrize(("name", "rate"), [("two_link", 100), ("ur5", 1000), ("panda", 1000)])
@pytest.mark.parametrize("kind", KINDS)
def test_parameters_of_larger_arms_are_within_their_deviations(name, rate, kind):
    if rate == 100 and kind in NOISES and (NOISES[kind] or (0, 0))[1] > 50:
        pytest.skip("at 100 Hz there is nothing above 50 Hz")
    robot = qddot.load(name).with_friction(viscous=0.5, coulomb=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        level = replace(noisy(robot, "white", rate=rate, seed=1))
        log = level if kind == "white" else noisy(robot, "counts" if rate == 100 else kind, seed=1)
        fit = qddot.identify(robot, log, terms=())
    z = scores(robot, fit)
    assert np.sqrt(np.mean(z**2)) < 1.7
    assert np.mean(np.abs(z) < 1.96) > 0.8


def test_every_row_of_a_filtered_log_is_fitted_only_when_asked_for(arm):
    log = prepared(noisy(arm, "first order, 150 Hz"), arm)
    with pytest.warns(qddot.errors.IdentificationWarning, match="Give decimate="):
        every = qddot.identify(arm, log, decimate=None, terms=())
    assert every.decimated is None
    few = qddot.identify(arm, log, terms=())
    assert few.count < every.count / 100
    assert few.relative_error_of_rows == pytest.approx(every.relative_error, rel=0.05)
    assert f"{100 * few.relative_error_of_rows:.3g} % on every row" in repr(few)


def test_a_log_without_torques_is_judged_by_its_spectrum_and_says_so(arm):
    log = replace(noisy(arm, "white"), tau=None)
    found = cutoff(log, arm)
    assert float(found) == float(suggested(log))
    assert found.why.endswith("by the spectrum of the positions alone")


def test_held_out_errors_rise_on_both_sides_of_the_best(arm):
    log = noisy(arm, "first order, 150 Hz")
    found = LogJudge(log, arm).judged([Way(float(f)) for f in candidates(log)])
    mean = found.errors.mean(axis=1)
    assert mean[0] > 100 * mean[found.best]
    assert mean[-1] > 100 * mean[found.best]
    assert found.frequencies[found.lowest] <= found.frequencies[found.best]


def test_only_some_rows_of_a_long_log_are_looked_at(arm, monkeypatch):
    seen = []
    columns = qddot.identification.regression.Regression.columns
    kind = qddot.identification.regression.Regression
    monkeypatch.setattr(kind, "columns", lambda s, x: seen.append(len(x)) or columns(s, x))
    LogJudge(noisy(arm, duration=100.0), arm).judged([Way(1.0), Way(5.0)])
    assert sum(seen) < 3 * 3000


def test_a_real_tx40_and_a_real_ur10_keep_the_cutoff_they_had():
    robot, terms = qddot.load("ur10"), ("friction", "offset", "rotor_inertia")
    log = qddot.load_log(measured("ur10_bag") / "ur10_exciting_trajectory.db3", robot)
    assert float(cutoff(log, robot, terms)) == float(cutoff(log)) == float(suggested(log))
