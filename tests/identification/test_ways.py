"""A log made ready: one filter for all columns, derivatives, delays, saturation, slips."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.made_logs import COUNT, noisy, swinging, torn
from long import long

import qddot
from qddot.errors import BadArgument, IdentificationWarning
from qddot.identification.log import Log
from qddot.identification.preparation import prepared, saturated, slips, trimmed
from qddot.identification.sine_series import SineSeries, Smoother, Way, few_for
from qddot.identification.spectrum import resolution, spectrum

RATE = 200.0


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link").with_friction(viscous=0.5, coulomb=0.3)


def said(log: Log, place: str) -> str:
    return " ".join(note.message for note in log.notes if note.place == place)


def late(log: Log, delay) -> Log:
    """Return a log whose torques were written down later, its ends cut off."""
    tau = SineSeries.of(log.tau, log.step).at(later=-np.asarray(delay))
    return replace(log, tau=tau)[100:-100]


# columns as sines


@given(st.integers(8, 300), st.sampled_from([1, 2, 3, 6]), st.integers(0, 2**32 - 1))
def test_a_column_is_its_sines_at_all_rows_and_at_few(rows, every, seed):
    x = np.random.default_rng(seed).normal(size=(rows, 2)).cumsum(axis=0)
    series = SineSeries.of(x, 0.01, every)
    np.testing.assert_allclose(series.at(), x, rtol=0, atol=1e-10)
    np.testing.assert_allclose(series.at(every=every), x[::every], rtol=0, atol=1e-10)
    assert series.steps % every == 0


@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_sines_are_differentiated_and_shifted_exactly_inside(derivative):
    t = np.arange(2001) / RATE
    w, d = np.array([2.0, 3.0]), np.array([0.0131, -0.2])
    series = SineSeries.of(np.sin(np.multiply.outer(t, w)) + t[:, None], 1 / RATE)
    x = np.multiply.outer(t, w) + w * d
    exact = [np.sin(x) + t[:, None] + d, w * np.cos(x) + 1, -w * w * np.sin(x)][derivative]
    gain = Smoother(swinging(rate=RATE)).gain(Way(20.0))
    found = series.at(gain, derivative, later=d)
    np.testing.assert_allclose(found[200:-200], exact[200:-200], rtol=0, atol=1e-4)
    few = series.at(gain, derivative, every=4, later=d)
    np.testing.assert_allclose(few, found[::4], rtol=0, atol=1e-9)


def test_few_rows_are_taken_at_a_smooth_number():
    assert few_for(1_000_000, 3000) == 324
    assert few_for(100, 3000) == 1


# which way


def test_velocities_that_lag_are_not_used(arm):
    """A controller's low-pass makes measured velocities late; those of the positions predict."""
    from scipy.signal import lfilter

    log = noisy(arm, "counts", rate=RATE)
    qd = np.gradient(log.q, log.step, axis=0)
    good = prepared(replace(log, qd=qd), arm, terms=())
    assert "derivatives of qd" in said(good, "derivatives")
    share = log.step / 0.05
    lagging = replace(log, qd=lfilter([share], [1, share - 1], qd, axis=0))
    found = prepared(lagging, arm, terms=())
    assert "derivatives of q," in said(found, "derivatives")
    assert "by derivatives of q they are predicted to" in said(found, "filter")


def test_a_long_log_keeps_as_many_rows_as_it_needs(arm):
    log = noisy(arm, "white", rate=1000.0, duration=110.0)
    few = prepared(log, arm, cutoff=5.0, terms=())
    assert few.rate == pytest.approx(500.0)
    assert "one of 2 rows kept, 500 Hz: 100 per period of the cut-off" in said(few, "rows")
    part = slice(60_000, 62_000)
    whole = prepared(log[part], arm, cutoff=5.0, delay=0)
    same = np.isin(np.round(few.t, 6), np.round(whole.t, 6))
    rows = np.isin(np.round(whole.t, 6), np.round(few.t, 6))
    inside = slice(100, -100)
    np.testing.assert_allclose(
        few.qd[same][inside], whole.qd[rows][inside], rtol=0, atol=1e-3 * np.abs(whole.qd).max()
    )


# delays


@pytest.mark.parametrize(
    ("rate", "delay"), [(1000.0, 0.0037), *long((125.0, -0.002), (30.0, 0.01), (4000.0, 0.0004))]
)
def test_a_delay_is_found_to_a_fraction_of_a_row_and_removed(arm, rate, delay):
    log = late(noisy(arm, "counts", rate=rate, duration=30.0), delay)
    found = prepared(log, arm, terms=())
    words = said(found, "delay")
    value, sure = (float(words.split()[k]) for k in (2, 4))
    assert abs(value - 1000 * delay) < max(4 * sure, 0.1)
    assert sure < 200 / rate
    assert "were shifted back; torques of pieces that were not fitted" in words
    both = [prepared(log, arm, terms=(), delay=d) for d in (0, delay)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that torques come late
        fits = [qddot.identify(arm, ready, terms=()) for ready in both]
    own = qddot.identify(arm, found, terms=())
    assert own.relative_error < 0.9 * fits[0].relative_error
    assert own.relative_error == pytest.approx(fits[1].relative_error, rel=0.1)


def test_no_delay_is_removed_where_there_is_none(arm):
    found = prepared(noisy(arm, "counts", rate=RATE), arm, terms=())
    assert "no delay of the torques is seen" in said(found, "delay")
    assert not said(prepared(noisy(arm, "counts", rate=RATE), arm, delay=0), "delay")


def test_joints_may_have_delays_of_their_own(arm):
    log = late(noisy(arm, "counts", rate=500.0), [0.0, 0.006])
    assert "ms after the positions" in said(prepared(log, arm, terms=()), "delay")
    given = prepared(log, arm, terms=(), delay=[0.0, 0.006])
    assert qddot.identify(arm, given, terms=()).relative_error < 0.004
    with pytest.raises(BadArgument, match="less than half the log"):
        prepared(log, arm, delay=100.0)


# torques that do not count


def test_a_torque_that_is_cut_off_does_not_count_and_the_reason_is_kept(arm):
    log = noisy(arm, "counts", rate=RATE, torque=1e-3)
    limit = 0.8 * np.abs(log.tau[:, 0]).max()
    cut = replace(log, tau=np.column_stack([np.clip(log.tau[:, 0], -limit, limit), log.tau[:, 1]]))
    flat = saturated(cut.tau)
    np.testing.assert_array_equal(flat[:, 0], np.abs(log.tau[:, 0]) >= limit)
    assert not flat[:, 1].any()
    found = prepared(cut, arm, terms=())
    assert set(found.reasons) == {"saturated", "slow"}
    np.testing.assert_array_equal(sum(found.reasons.values()), ~found.counts)
    assert "% saturated" in said(found, "rows")
    fits = [qddot.identify(arm, ready, terms=()) for ready in (found, replace(found, counts=None))]
    truth = fits[0].problem.B @ arm.parameters
    errors = [np.linalg.norm(fit.values - truth) for fit in fits]
    assert errors[0] < errors[1] / 3
    assert set(fits[0].log.reasons) == {"saturated", "slow"}
    assert "saturated" in fits[0].samples.reasons


def test_peaks_that_are_only_rounded_or_held_are_not_saturated():
    t = np.arange(4000) / 1000
    x = np.sin(2 * np.pi * t) + 0.3 * np.sin(9 * t)
    rng = np.random.default_rng(0)
    rounded, held = np.round(x, 2), np.repeat(x[::10], 10)
    noise = np.round(x + 0.02 * rng.normal(size=len(t)), 2)
    assert not saturated(np.column_stack([x, rounded, held, noise, 0 * x])).any()


def test_rows_of_a_gap_and_slow_rows_are_told_apart():
    log = swinging()
    found = trimmed(qddot.identification.resampled(torn(log, 200, 300)))
    assert set(found.reasons) == {"gap", "slow"}
    assert found.reasons["gap"].sum() == 200
    assert "% in gaps" in said(found, "rows")
    unsaid = replace(log, counts=np.abs(log.qd) > 1)
    assert set(unsaid.reasons) == {"other"}


# what sensors do


def test_steps_of_an_encoder_are_seen_and_said(arm):
    log = noisy(arm, "counts", rate=RATE)
    np.testing.assert_allclose(resolution(log.q), COUNT, rtol=1e-9)
    np.testing.assert_allclose(resolution(np.round(log.q, 4)), 1e-4, rtol=1e-9)
    assert not resolution(noisy(arm, rate=RATE).q).any()
    assert not resolution(np.zeros((100, 1))).any()
    assert "steps (j1 0.000383, j2 0.000383)" in said(prepared(log), "encoder")
    floor = COUNT**2 / 12 / (RATE / 2)
    assert np.all(spectrum(log).floor >= 0.999 * floor)


def test_what_else_is_wrong_with_a_log_is_not_taken_for_a_delay(arm):
    log = noisy(arm, "counts", rate=RATE)
    turned = replace(log, tau=log.tau * [1, -1])
    ready = prepared(turned, arm, terms=())
    assert "shifted back" not in said(ready, "delay")
    with pytest.warns(IdentificationWarning, match="its torque has the other sign"):
        qddot.identify(arm, ready, terms=())


def test_a_slip_of_the_recording_is_bridged_and_told(arm):
    log = noisy(arm, "counts", rate=RATE)
    tau, q = log.tau.copy(), log.q.copy()
    tau[777, 1], q[999, 0] = 1e6, -300.0
    with pytest.warns(IdentificationWarning) as told:
        spoilt = prepared(replace(log, tau=tau, q=q), arm, terms=())
    said = " ".join(str(each.message) for each in told)
    assert "row 778 of joint 'j2', 1e+06" in said
    assert "row 1000 of joint 'j1', -300" in said
    clean = prepared(log, arm, terms=())
    assert np.abs(spoilt.tau - clean.tau).max() < 0.2 * np.std(clean.tau)
    assert not slips(log.tau).any()
    assert not slips(log.q).any()
