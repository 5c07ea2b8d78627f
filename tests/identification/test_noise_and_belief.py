"""What fits know besides the rows: the colour of noise, and what was believed before."""

from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import lasting_and_coarse
from long import long

import qddot
from qddot.errors import BadArgument, UnknownName
from qddot.identification.noise_colour import autocovariances, colour_of, stretches
from qddot.identification.solution import weighted

ARM = qddot.load("two_link").with_friction(viscous=5.0, coulomb=2.0)
PRIOR = qddot.load("two_link")
TERMS = {"terms": ("friction",)}
RATE, SECONDS = 50, 30


def log(seed, noise):
    """Return a log of the arm; `noise` makes what is added to the torques, shape (k, 2)."""
    t = np.arange(RATE * SECONDS) / RATE
    w = 2 * np.pi * np.array([0.21, 0.37, 0.55])[:, None, None]
    a = np.random.default_rng(7).normal(0, 0.6, (3, 1, 2))
    s, c = np.sin(w * t[:, None]), np.cos(w * t[:, None])
    q, qd, qdd = (a * s).sum(axis=0), (a * w * c).sum(axis=0), (-a * w * w * s).sum(axis=0)
    tau = ARM.inverse_dynamics(q, qd, qdd) + noise(np.random.default_rng(seed), len(t))
    return qddot.Log(ARM.joint_names, t, q, qd, qdd, tau)


def white(rng, k):
    return rng.normal(0, 3.0, (k, 2))


def lasting(rng, k, a=0.95):
    e = rng.normal(0, 1.0, (k, 2))
    for t in range(1, k):
        e[t] += a * e[t - 1]
    return e


def truth(fit):
    full = fit.problem.regression
    values = dict(zip(ARM.parameter_names, ARM.parameters, strict=True))
    return fit.problem.B @ np.array([values.get(name, 0.0) for name in full.names])


def test_the_colour_of_made_noise_is_found():
    rng = np.random.default_rng(0)
    e = rng.normal(size=40_000)
    for t in range(2, len(e)):
        e[t] += 1.2 * e[t - 1] - 0.5 * e[t - 2]
    r = autocovariances(e, np.arange(len(e)))
    found = colour_of(r, len(e))
    assert found.order >= 2
    assert found.predictor[:2] == pytest.approx([1.2, -0.5], abs=0.02)
    assert found.left * r[0] == pytest.approx(1, rel=0.04)
    assert colour_of(autocovariances(rng.normal(size=5000), np.arange(5000)), 5000).order == 0


def test_stretches_end_where_torques_do_not_count_and_where_runs_do():
    one = log(0, white)[:6]
    counts = np.ones((6, 2), bool)
    counts[2, 0] = False
    parted = replace(one, counts=counts, run=np.array([0, 0, 0, 0, 1, 1]), runs=("a", "b"))
    assert stretches(parted, 0).tolist() == [0, 1, -1, 0, 0, 1]
    assert stretches(parted, 1).tolist() == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("noise", [lasting, *long(white)])
@pytest.mark.parametrize(("logs", "least", "most"), [(20, 0.87, 1.0), *long((400, 0.93, 0.97))])
def test_intervals_hold_whatever_the_colour_of_the_noise(noise, logs, least, most):
    """95 % intervals hold the truth of made logs as often as they say, and are no wider."""
    held, off, said, jackknife = [], [], [], []
    for seed in range(100, 100 + logs):
        fit = qddot.identify(PRIOR, log(seed, noise), **TERMS)
        jackknife.append(fit.cross_validation(10).deviations)
        low, high = fit.intervals().T
        held.append((low <= truth(fit)) & (truth(fit) <= high))
        off.append(fit.values - truth(fit))
        said.append(fit.deviations)
    assert least <= np.mean(held) <= most
    ratio = np.mean(said, axis=0) / np.sqrt(np.mean(np.square(off), axis=0))
    assert np.all(ratio < (1.2 if logs > 100 else 2.0))
    assert np.sqrt(np.mean(np.square(np.divide(off, jackknife)))) < 1.5


def test_what_parameters_take_of_slow_noise_is_counted():
    """In 250 rows twelve parameters take much of noise that lasts; deviations know it."""
    fits = []
    for seed in range(40):
        few = log(seed, lasting)[::6]
        fits.append(qddot.identify(PRIOR, few, terms=("friction", "offset")))
    off = np.array([fit.values - truth(fit) for fit in fits])
    ratio = np.mean([fit.deviations for fit in fits], axis=0) / np.sqrt(np.mean(off**2, axis=0))
    assert 0.85 < np.exp(np.mean(np.log(ratio))) < 1.2
    fit = fits[0]
    white = np.sqrt(np.diag(weighted(fit.problem).covariance))
    assert np.all(fit.deviations[:2] > 1.5 * white[:2])  # slow columns
    # of a t distribution, not of a normal one
    low, high = fit.intervals().T
    assert np.all((high - low) / 2 > 1.965 * fit.deviations)


@pytest.mark.parametrize(("logs", "least", "most"), long((250, 0.93, 0.97)))
def test_intervals_hold_on_filtered_logs(logs, least, most):
    """The whole chain: filter, derivatives, decimation, fit; 12 parameters of each log."""
    off, said, held = [], [], []
    for seed in range(logs):
        fit = qddot.identify(PRIOR, lasting_and_coarse(ARM, seed), terms=("friction", "offset"))
        low, high = fit.intervals().T
        off.append(fit.values - truth(fit))
        said.append((high - low) / 2)
        held.append(abs(off[-1]) <= said[-1])
    assert least <= np.mean(held) <= most
    assert np.all(np.mean(held, axis=0) >= 0.90)
    assert np.all(np.mean(said, axis=0) < 2 * 1.96 * np.std(off, axis=0))


def test_a_data_sheet_goes_before_the_file_and_the_log_before_both():
    data = log(1, white)
    vague = qddot.identify(PRIOR, data, "bayes", belief=1e3, **TERMS)
    weighted = qddot.identify(PRIOR, data, "weighted", **TERMS)
    assert vague.values == pytest.approx(weighted.values, rel=1e-3, abs=1e-2)
    sheet = qddot.identify(PRIOR, data, "bayes", known={"j1.m": (44.0, 0.1)}, **TERMS)
    told = {row["name"]: row for row in sheet.posterior()}
    assert told["j1.m"]["value"] == pytest.approx(44.0, abs=0.3)
    assert told["j1.m"]["deviation"] < 0.11
    # torques say nothing of this mass, much of viscous friction
    assert told["j1.fv"]["deviation"] < 0.3 * told["j1.fv"]["deviation_before"]
    with pytest.raises(UnknownName, match=r"no parameter named 'j9\.m'"):
        qddot.identify(PRIOR, data, "bayes", known={"j9.m": (1, 1)}, **TERMS)
    with pytest.raises(BadArgument, match="how far it may be off"):
        qddot.identify(PRIOR, data, "bayes", known={"j1.m": (1, 0)}, **TERMS)
    with pytest.raises(BadArgument, match="take method='bayes'"):
        weighted.posterior()
