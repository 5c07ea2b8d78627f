"""Signals: no shift in time, errors as stated, and a record of what was done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.made_logs import measured, swinging, torn
from measured_logs import staubli_tx40

import qddot
from qddot.errors import BadArgument
from qddot.identification import decimation
from qddot.identification.decimation import decimated, equations, few_rows
from qddot.identification.log import Log, load_log
from qddot.identification.preparation import prepared, trimmed
from qddot.identification.regression import coupled
from qddot.identification.signals import differentiated, filtered, resampled
from qddot.identification.spectrum import spectrum

SLOPES = 1e-9  # round-off divided by the square of a step
NOISE = 1e-4  # [rad]


def of(t: np.ndarray, *columns: np.ndarray) -> Log:
    q = np.column_stack(columns)
    return Log(tuple(f"j{k}" for k in range(q.shape[1])), t, q)


def inside(x: np.ndarray, share: float = 0.1) -> np.ndarray:
    m = int(share * len(x))
    return x[m:-m]


# resampling


@given(st.lists(st.floats(-2, 2), min_size=4, max_size=4), st.integers(0, 2**32 - 1))
def test_resampling_is_exact_on_cubic_polynomials(coefficients, seed):
    t = (np.arange(200) + np.random.default_rng(seed).uniform(-0.4, 0.4, 200)) / 200
    log = resampled(of(t, np.polyval(coefficients, t)), 300.0)
    assert log.even
    np.testing.assert_allclose(log.q[:, 0], np.polyval(coefficients, log.t), rtol=0, atol=1e-8)


def test_resampling_to_a_lower_rate_does_not_alias():
    t = np.arange(4000) / 1000
    slow, fast = np.sin(2 * np.pi * t), np.sin(2 * np.pi * 95 * t)
    log = resampled(of(t, slow + fast), 100.0)  # 95 Hz would come back as 5 Hz
    assert log.rate == pytest.approx(100)
    np.testing.assert_allclose(
        inside(log.q[:, 0] - np.sin(2 * np.pi * log.t)), 0, rtol=0, atol=1e-3
    )


def test_what_falls_into_a_gap_does_not_count():
    log = swinging()
    whole = resampled(torn(log, 200, 300))
    assert whole.even
    assert len(whole) == len(log)
    assert whole.counts is not None
    np.testing.assert_array_equal(np.flatnonzero(~whole.counts[:, 0]), np.arange(200, 300))
    assert "in gaps do not count" in str(whole.notes[-1])


# the spectrum and the cut-off


def test_the_spectrum_has_the_power_of_the_signal():
    log = swinging(rate=200.0, duration=30.0)
    found = spectrum(log)
    power = np.trapezoid(found.power, found.frequency, axis=0)
    np.testing.assert_allclose(power, log.q.var(axis=0), rtol=0.05)
    at = found.frequency[found.power.argmax(axis=0)]
    np.testing.assert_allclose(at, [0.4, 0.7], rtol=0, atol=0.1)


def test_the_noise_floor_is_that_of_the_noise():
    log = swinging(rate=500.0, duration=20.0)
    noisy = replace(log, q=log.q + NOISE * np.random.default_rng(1).standard_normal(log.q.shape))
    white = NOISE**2 / (log.rate / 2)  # its power, spread over all frequencies
    np.testing.assert_allclose(spectrum(noisy).floor, white, rtol=0.3)


# filters


@given(st.floats(0.5, 40.0), st.floats(0, 6))
def test_the_filter_has_no_phase_and_keeps_half_at_the_cutoff(frequency, phase):
    t = np.arange(4000) / 500
    log = filtered(of(t, np.sin(2 * np.pi * frequency * t + phase)), 20.0)
    ratio = np.tan(np.pi * frequency / 500) / np.tan(np.pi * 20.0 / 500)
    gain = 1 / (1 + ratio**8)  # |H|², of a filter of order four run twice
    exact = gain * np.sin(2 * np.pi * frequency * t + phase)
    np.testing.assert_allclose(inside(log.q[:, 0] - exact), 0, rtol=0, atol=1e-5)


def test_the_filter_keeps_what_it_is_not_asked_to_filter():
    log = swinging()
    found = filtered(log, 5.0, what=("q",))
    assert found.tau is log.tau
    assert "q filtered at 5 Hz" in str(found.notes[-1])


def test_uneven_rows_and_impossible_cutoffs_are_refused():
    log = swinging()
    uneven = replace(log, t=log.t + 1e-3 * np.sin(np.arange(len(log))))
    for task in (spectrum, filtered, differentiated):
        with pytest.raises(BadArgument, match=r"Make them even first: resampled\(log\)"):
            task(uneven)
    with pytest.raises(BadArgument, match="only what is slower than 100 Hz"):
        filtered(log, 150.0)
    with pytest.raises(BadArgument, match="positive number"):
        filtered(log, -1.0)


# derivatives


@pytest.mark.parametrize("rate", [50.0, 100.0, 400.0])
def test_derivatives_are_those_of_the_motion_but_for_the_ends(rate):
    log = swinging(1, rate)
    found = differentiated(replace(log, qd=None, qdd=None))
    assert found.q is log.q
    np.testing.assert_allclose(inside(found.qd), inside(log.qd), rtol=0, atol=1e-4)
    np.testing.assert_allclose(inside(found.qdd), inside(log.qdd), rtol=0, atol=1e-2)
    assert "qd and qdd are derivatives of q" in str(found.notes[-1])


def test_measured_velocities_are_kept_and_differentiated():
    log = swinging()
    found = differentiated(replace(log, qdd=None))
    assert found.qd is log.qd
    np.testing.assert_allclose(inside(found.qdd), inside(log.qdd), rtol=0, atol=1e-2)


# trimming and decimation


def test_trimming_cuts_rest_and_ends_and_lets_slow_joints_not_count():
    log = swinging()
    assert log.qd is not None
    still = {name: np.pad(x, ((300, 300), (0, 0)), "edge") for name, x in log.arrays()}
    for name in ("qd", "qdd"):
        still[name][:300], still[name][-300:] = 0, 0
    resting = replace(log, t=np.arange(len(log) + 600) / 200, **still)
    found = trimmed(resting)
    assert len(found) == len(log)
    assert found.counts is not None
    np.testing.assert_array_equal(found.counts, np.abs(log.qd) > 0.01 * np.abs(log.qd).max(axis=0))
    assert 0.97 < found.counts.mean() < 1
    assert len(trimmed(log, ends=0.5)) == pytest.approx(len(log) - 200, abs=2)
    with pytest.raises(BadArgument, match="nothing is left of it"):
        trimmed(log, speed=1e3)
    with pytest.raises(BadArgument, match="no velocities"):
        trimmed(replace(log, qd=None))


def test_decimation_keeps_what_is_slow_and_shifts_nothing():
    t = np.arange(5001) / 1000
    slow, fast = np.sin(2 * np.pi * t), np.sin(2 * np.pi * 60 * t)
    y = few_rows(np.column_stack([slow, fast]), 20)
    at = t[100::20][: len(y)]
    np.testing.assert_allclose(y[:, 0], np.sin(2 * np.pi * at), rtol=0, atol=2e-3)
    assert np.abs(y[:, 1]).max() < 5e-3


def test_the_equations_still_hold_after_parallel_decimation():
    robot = qddot.load("two_link")
    log = swinging(2, rate=1000.0)
    tau = robot.inverse_dynamics(log.q, log.qd, log.qdd)
    log = replace(log, joint_names=robot.joint_names, tau=tau)
    rows = equations(log, columns_of(robot), 50.0)
    assert rows.Y.shape[0] == pytest.approx(4.0 * 50 - 10, abs=2)
    np.testing.assert_allclose(rows.Y @ robot.parameters, rows.tau, rtol=0, atol=SLOPES)
    np.testing.assert_array_equal(decimated(log, 50.0).tau, rows.tau)


def test_pieces_of_the_equations_are_those_of_the_whole(monkeypatch):
    robot = qddot.load("two_link")
    log = swinging(2, rate=1000.0)
    whole = equations(log, columns_of(robot), 50.0)
    monkeypatch.setattr(decimation, "AT_ONCE", 2 * len(robot.parameter_names) * 20 * 25)
    pieces = []
    columns = columns_of(robot)
    parts = equations(log, lambda part: pieces.append(part) or columns(part), 50.0)
    assert len(pieces) > 4
    for name in ("t", "Y", "tau", "counts"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=0, atol=1e-12)


def test_a_log_that_is_not_ready_or_too_short_is_refused():
    log = swinging()
    with pytest.raises(BadArgument, match="no qdd; take prepared"):
        equations(replace(log, qdd=None), lambda log: np.ones((len(log), 2, 1)))
    with pytest.raises(BadArgument, match="none is left at 1 Hz"):
        equations(log, lambda log: np.ones((len(log), 2, 1)), 1.0)
    with pytest.raises(BadArgument, match="none is left"):
        decimated(log, 1.0)


def columns_of(robot):
    """Return the robot's regressor as a function of a log."""
    return lambda log: robot.regressor(log.q, log.qd, log.qdd)


# the whole


def test_preparation_gives_rates_from_jittery_noisy_positions_and_records_what_it_did():
    exact = swinging(rate=500.0, duration=10.0)
    rng = np.random.default_rng(3)
    t = exact.t + rng.uniform(0, 2e-4, len(exact))
    w = 2 * np.pi * np.array([0.4, 0.7])
    x = np.multiply.outer(t, w)
    noisy = Log(("a", "b"), t, np.sin(x) + NOISE * rng.standard_normal(x.shape), tau=np.cos(x))
    log = prepared(noisy)
    assert log.even
    assert log.qd is not None
    assert log.qdd is not None
    np.testing.assert_allclose(log.qd, w * np.cos(np.multiply.outer(log.t, w)), rtol=0, atol=0.02)
    error = log.qdd + w * w * np.sin(np.multiply.outer(log.t, w))
    assert np.sqrt((error**2).mean()) < 0.02 * np.sqrt((log.qdd**2).mean())
    said = "\n".join(map(str, log.notes))
    for words in ("resampled", "zero phase", "derivatives of q", "do not count"):
        assert words in said
    few = prepared(noisy, keep=50.0)
    assert few.rate == pytest.approx(50, rel=1e-4)
    assert "one of 10 rows kept" in str(few.notes[-1])


def test_a_gap_is_bridged_without_swinging_out():
    log = swinging(rate=200.0)
    rng = np.random.default_rng(0)
    noisy = replace(log, q=log.q + 5e-3 * rng.standard_normal(log.q.shape))
    found = resampled(torn(noisy, 300, 360))  # 0.3 s are missing
    assert np.abs(found.q - log.q)[300:360].max() < 0.05
    np.testing.assert_allclose(found.q[:300], noisy.q[:300], rtol=0, atol=1e-12)


USUAL = ("friction", "offset", "rotor_inertia")


def test_the_torques_of_a_real_tx40_are_explained_as_well_as_in_the_literature():
    robot, log = staubli_tx40(measured("staubli_tx40"))
    log = prepared(log)
    assert log.duration == pytest.approx(7.4, abs=0.05)  # then it stands still
    wrist = coupled(robot, "joint_5", "joint_6")
    fits = [
        qddot.identify(robot, log, "ordinary", terms=USUAL, extra=extra, decimate=50.0)
        for extra in (wrist, {})
    ]
    assert fits[0].relative_error < 0.052
    assert fits[1].relative_error > 0.1


@pytest.mark.parametrize(("speed", "most"), [(0.0, 0.065), (None, 0.057)])
def test_the_torques_of_a_real_ur10_are_explained_as_well_as_in_the_literature(speed, most):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    robot = qddot.load("ur10")
    log = load_log(measured("ur10_bag") / "ur10_exciting_trajectory.db3", robot)
    ready = replace(prepared(log, speed=speed), bandwidth=None)  # every row is fitted
    assert qddot.identify(robot, ready, "ordinary", terms=USUAL).relative_error < most
