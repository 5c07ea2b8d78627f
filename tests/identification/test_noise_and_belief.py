"""Estimators that know more: the colour of noise, what was believed before, the order of time."""

from dataclasses import replace

import numpy as np
import pytest
from identification.made_logs import lasting_and_coarse
from long import long

import qddot
from qddot.errors import BadArgument, UnknownName
from qddot.identification.likelihood import Colour, colour, stretches
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
    known = np.arange(len(e))
    found = colour(e, known)
    assert found.predictors[2] == pytest.approx([1.2, -0.5], abs=0.02)
    fresh = found.whitened(e[:, None], known)[:, 0]
    assert np.corrcoef(fresh[1:], fresh[:-1])[0, 1] == pytest.approx(0, abs=0.02)
    assert np.std(fresh) == pytest.approx(1, rel=0.02)
    assert colour(rng.normal(size=5000), np.arange(5000), 0).order == 0


def test_the_first_rows_of_a_stretch_are_whitened_by_what_they_know():
    """The rows of an autoregression of order 1: cov = σ²/(1 − a²) a^|s − t|."""
    a, k = 0.8, 6
    cov = a ** np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (1 - a * a)
    model = Colour((np.zeros(0), np.array([a])), np.array([1, 1 - a * a]))
    W = model.whitened(np.eye(k), np.minimum(np.arange(k), 1))
    assert W @ cov @ W.T == pytest.approx(np.eye(k), abs=1e-12)


def test_stretches_end_where_torques_do_not_count_and_where_runs_do():
    one = log(0, white)[:6]
    counts = np.ones((6, 2), bool)
    counts[2, 0] = False
    parted = replace(one, counts=counts, run=np.array([0, 0, 0, 0, 1, 1]), runs=("a", "b"))
    assert stretches(parted, 0).tolist() == [0, 1, -1, 0, 0, 1]
    assert stretches(parted, 1).tolist() == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize(
    ("method", "noise"),
    [("weighted", lasting), *long(("likely", white), ("weighted", white), ("likely", lasting))],
)
@pytest.mark.parametrize(("logs", "least", "most"), [(20, 0.87, 1.0), *long((400, 0.93, 0.97))])
def test_intervals_hold_whatever_the_colour_of_the_noise(method, noise, logs, least, most):
    """95 % intervals hold the truth of made logs as often as they say, and are no wider."""
    held, off, said = [], [], []
    for seed in range(100, 100 + logs):
        fit = qddot.identify(PRIOR, log(seed, noise), method, **TERMS)
        low, high = fit.intervals().T
        held.append((low <= truth(fit)) & (truth(fit) <= high))
        off.append(fit.values - truth(fit))
        said.append(fit.deviations)
    assert least <= np.mean(held) <= most
    ratio = np.mean(said, axis=0) / np.sqrt(np.mean(np.square(off), axis=0))
    assert np.all(ratio < (1.2 if logs > 100 else 2.0))


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


@pytest.mark.long
def test_lasting_noise_costs_less_when_its_colour_is_known():
    def error(method):
        fits = [qddot.identify(PRIOR, log(seed, lasting), method, **TERMS) for seed in range(8)]
        return np.mean([(fit.values - truth(fit)) ** 2 for fit in fits], axis=0)

    dry = [1, 3]  # of friction: the columns that jump
    assert np.all(error("likely")[-4:][dry] < 0.3 * error("weighted")[-4:][dry])


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


def test_row_after_row_gives_what_all_rows_together_give():
    first, second = log(1, white), log(2, white)
    fit = qddot.identify(PRIOR, first, **TERMS)
    online = fit.online()
    online.run(second)
    s = fit.solution
    # the same noise for both, and the first log's own covariance before the second
    Y = fit.problem.regression.columns(second)[..., list(fit.problem.base.columns.kept)]
    root = np.linalg.inv(np.linalg.cholesky(s.covariance))
    A = np.vstack([root, *(Y[:, i] / s.noise[i] for i in range(2))])
    d = np.concatenate([root @ s.beta, *(second.tau[:, i] / s.noise[i] for i in range(2))])
    assert online.values == pytest.approx(np.linalg.lstsq(A, d, rcond=None)[0], rel=1e-8, abs=1e-8)
    assert online.deviations == pytest.approx(np.sqrt(np.diag(np.linalg.inv(A.T @ A))), rel=1e-6)


def test_what_is_old_is_forgotten():
    fit = qddot.identify(PRIOR, log(1, white), **TERMS)
    online = fit.online(memory=5.0)
    heavier = ARM.with_friction(viscous=9.0, coulomb=2.0)
    data = log(2, white)
    changed = heavier.inverse_dynamics(data.q, data.qd, data.qdd)
    online.run(replace(data, tau=changed))
    at = fit.names.index("j1.fv")
    assert online.values[at] == pytest.approx(9.0, abs=0.1)
    again = qddot.identify(PRIOR, replace(data, tau=changed), "recursive", memory=5.0, **TERMS)
    assert again.values[at] == pytest.approx(9.0, abs=0.01)
    with pytest.raises(BadArgument, match="memory is 0"):
        fit.online(memory=0)
    with pytest.raises(BadArgument, match="2 joints"):
        online.update(*np.zeros((3, 2)), np.zeros(3))


def test_the_command_undoes_what_noise_of_positions_does():
    """Noise in q̈ makes inertias too small; with the command as the instrument they are not."""
    clean = log(1, lambda rng, k: np.zeros((k, 2)))
    rng = np.random.default_rng(3)
    noisy = replace(clean, qdd=clean.qdd + rng.normal(0, 2.0, clean.q.shape))
    fit = qddot.identify(PRIOR, noisy, **TERMS)
    command = (clean.t, clean.q)
    better = qddot.identify(PRIOR, noisy, "instrumental", command=command, **TERMS)
    at = fit.names.index("j2.Izz")
    true = truth(fit)[at]
    assert fit.values[at] < 0.8 * true
    assert better.values[at] == pytest.approx(true, abs=3 * better.deviations[at])
    assert better.deviations[at] < 0.1 * true
    with pytest.raises(BadArgument, match="the log has no commanded one"):
        qddot.identify(PRIOR, noisy, "instrumental", **TERMS)
    recorded = replace(noisy, commands=(command,))  # as a log has it that was read
    assert np.array_equal(
        qddot.identify(PRIOR, recorded, "instrumental", **TERMS).values, better.values
    )
    short = clean[:200]
    with pytest.raises(BadArgument, match="Give the command of the whole log"):
        qddot.identify(PRIOR, noisy, "instrumental", command=short, **TERMS)


def test_several_logs_have_a_command_each():
    """Half a log each, by its own clock, is the whole log."""
    clean = log(1, lambda rng, k: np.zeros((k, 2)))
    rng = np.random.default_rng(3)
    noisy = replace(clean, qdd=clean.qdd + rng.normal(0, 2.0, clean.q.shape))
    command = (clean.t, clean.q)
    whole = qddot.identify(PRIOR, noisy, "instrumental", command=command, **TERMS)
    halves = [noisy[:800], noisy[800:]]
    both = qddot.identify(PRIOR, halves, "instrumental", command=[command, command], **TERMS)
    assert both.values == pytest.approx(whole.values, rel=1e-9)
    recorded = [replace(half, commands=(command,)) for half in halves]
    same = qddot.identify(PRIOR, recorded, "instrumental", **TERMS)
    assert same.values == pytest.approx(whole.values, rel=1e-9)
    with pytest.raises(BadArgument, match="There are 2 logs; give a list"):
        qddot.identify(PRIOR, halves, "instrumental", command=(clean.t, clean.q, 0), **TERMS)
    with pytest.raises(BadArgument, match=r"log of .* has no commanded one"):
        qddot.identify(PRIOR, [recorded[0], halves[1]], "instrumental", **TERMS)


def test_what_is_forgotten_is_not_known():
    """Deviations with a memory are as far as fits of other noise lie apart."""
    fits = [
        qddot.identify(PRIOR, log(seed, white), "recursive", memory=3.0, **TERMS)
        for seed in range(25)
    ]
    apart = np.std([fit.values for fit in fits], axis=0)
    said = np.sqrt(np.mean([fit.deviations**2 for fit in fits], axis=0))
    assert np.median(apart / said) == pytest.approx(1, abs=0.15)
    whole = qddot.identify(PRIOR, log(0, white), **TERMS)
    assert np.all(said > 1.5 * whole.deviations)
