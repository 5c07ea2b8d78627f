"""Closed loops: what a run says of its errors, torques and reasons; laws asked at a fixed rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long import long
from made import ARM, SHOULDER
from numpy.testing import assert_allclose, assert_array_equal

import qddot
from qddot.control.laws import PD, AdaptiveSlotineLi, ComputedTorque, MomentumObserver, PDGravity
from qddot.control.loop import closed_loop
from qddot.control.report import rise, rms, settling_time
from qddot.motions import Fourier, Setpoint

HOME = np.array([0.0, 0.3, 0.0, -1.6])
KP, KD = [100, 100, 30, 30], [20, 20, 5, 5]
CALM = [10, 10, 1, 1]  # damping that a slow rate does not turn into shaking
SLOW = PDGravity(ARM, 2000, 1000, [0.5, 0.5])


def wave() -> tuple[Fourier, dict[str, np.ndarray]]:
    a, b = np.random.default_rng(4).uniform(-0.3, 0.3, (2, 4, 3))
    reference = Fourier(HOME, a, b, base_frequency=0.3)
    q, qd, _ = (np.asarray(part, dtype=float) for part in reference.at(0.0))
    return reference, {"q0": q, "qd0": qd}


# what a run says


def test_a_run_holds_errors_torques_and_v():
    run = closed_loop(ARM, SLOW, q0=[0, 0], duration=10)
    k = len(run.t)
    assert run.error.shape == run.tau.shape == (k, 2)
    assert run.V.shape == run.V_rate.shape == (k,)
    assert_allclose(run.error, run.trajectory.q - 0.5)
    assert_array_equal(run.tau, run.trajectory.tau)
    assert run.trajectory.good
    assert run.x is None
    assert "error" in repr(run)


def test_the_printed_figures_are_of_one_error_and_never_add_angles_to_lengths():
    run = closed_loop("scara", "computed_torque", duration=0.1)
    shown = replace(
        run.report,
        rms=np.array([0.3, 0.1, 0.02, 0.3]),
        worst=np.array([0.4, 0.5, 0.04, 0.4]),
        final=np.array([0.3, -0.2, -0.01, 0.3]),
    )
    first = str(shown).splitlines()[0]
    assert "error of j2 0.1 rad (RMS), 0.5 rad (worst), 0.2 rad (final);" in first
    assert "error of j3 0.02 m (RMS), 0.04 m (worst), 0.01 m (final);" in first


def test_a_run_writes_a_film_of_its_motion(tmp_path):
    run = closed_loop(ARM, SLOW, q0=[0, 0], duration=0.2)
    run.animate(tmp_path / "run.html", fps=10)
    assert "<canvas" in (tmp_path / "run.html").read_text()


def test_the_report_has_the_figures_of_the_run():
    run = closed_loop(ARM, SLOW, q0=[0, 0], duration=10)
    report = run.report
    assert_allclose(report.worst, np.abs(run.error).max(axis=0))
    assert_allclose(report.final, run.error[-1])
    assert_allclose(report.peak, np.abs(run.tau).max(axis=0))
    mean = np.trapezoid(run.error**2, run.t, axis=0) / 10
    assert_allclose(report.rms, np.sqrt(mean))
    size = np.linalg.norm(run.error, axis=1)
    assert (size[run.t >= report.settling_time] <= 0.02 * size.max()).all()
    assert np.isinf(report.margin).all()
    assert report.falls
    assert report.sound


def test_errors_may_be_measured_against_another_reference():
    run = closed_loop(ARM, SLOW, Setpoint([0.4, 0.6]), q0=[0, 0], duration=1)
    assert_allclose(run.error, run.trajectory.q - [0.4, 0.6])


def test_a_law_without_v_has_none():
    reference, start = wave()
    run = closed_loop(SHOULDER, PD(SHOULDER, KP, KD, reference), **start, duration=0.2)
    assert run.V is None
    assert run.report.falls is None


def test_effort_limits_are_kept_and_margins_told():
    law = PDGravity(SHOULDER, 5000, 100, HOME)
    cut = closed_loop(SHOULDER, law, q0=HOME + 0.2, duration=0.2, tolerance=1e-8)
    free = closed_loop(SHOULDER, law, q0=HOME + 0.2, duration=0.2, effort="report", tolerance=1e-8)
    assert (np.abs(cut.tau) <= 87 * (1 + 1e-12)).all()
    assert cut.report.margin.min() >= -1e-9
    assert free.report.margin.min() < -100


def test_the_figures_of_known_curves():
    t = np.linspace(0, 1, 2001)
    assert_allclose(rms(t, np.sin(2 * np.pi * t)[:, None]), np.sqrt(0.5), rtol=1e-6)
    assert_allclose(settling_time(t, np.exp(-10 * t)[:, None]), np.log(50) / 10, rtol=0, atol=6e-4)
    assert settling_time(t, np.ones((2001, 1))) is None
    assert rise(np.array([3.0, 2.0, 2.5, 0.0])) == 0.5 / 3
    assert rise(np.array([3.0, 2.0, 1.0])) == 0


# asked at a rate


def test_a_fast_rate_tends_to_the_law_asked_all_the_time():
    """The hold delays by half a period, so the difference falls with the period."""
    exact = closed_loop(ARM, SLOW, q0=[0, 0], duration=2).trajectory.q[-1]
    apart = [
        np.abs(closed_loop(ARM, SLOW, q0=[0, 0], duration=2, rate=rate).trajectory.q[-1] - exact)
        for rate in (250, 500, 1000)
    ]
    sizes = [x.max() for x in apart]
    assert sizes[2] < 1e-3
    assert_allclose(sizes[0] / sizes[1], 2, rtol=0.05)
    assert_allclose(sizes[1] / sizes[2], 2, rtol=0.05)


def test_between_samples_the_motion_is_that_of_held_torques():
    """The same torques, held, in the accurate simulation."""
    law = PDGravity(SHOULDER, KP, CALM, HOME)
    run = closed_loop(SHOULDER, law, q0=HOME + 0.1, duration=0.3, rate=200)
    held = qddot.Samples(run.t, run.tau, between="hold")
    exact = qddot.simulate(SHOULDER, HOME + 0.1, duration=0.3, torque=held)
    assert_allclose(run.trajectory.q[-1], exact.q[-1], rtol=0, atol=1e-9)
    assert_allclose(run.trajectory.qd[-1], exact.qd[-1], rtol=0, atol=1e-8)
    assert run.trajectory.audit.number < 1e-9


def test_a_duration_that_is_no_whole_number_of_periods():
    run = closed_loop(ARM, SLOW, q0=[0, 0], duration=0.0255, rate=100)
    assert_allclose(run.t, [0, 0.01, 0.02, 0.0255])


def test_a_delay_of_whole_periods_is_the_law_on_old_states():
    reference, start = wave()
    law = ComputedTorque(SHOULDER, 100, 20, reference)
    run = closed_loop(SHOULDER, law, **start, duration=0.1, rate=500, delay=0.004)
    q, qd = (x[: len(run.t) - 3] for x in (run.trajectory.q, run.trajectory.qd))
    late = [law(*state) for state in zip(run.t[2:-1], q, qd, strict=True)]
    assert_allclose(run.tau[2:-1], late, rtol=1e-6, atol=1e-6)


def test_a_long_delay_makes_a_stiff_law_unstable():
    reference, start = wave()
    law = ComputedTorque(SHOULDER, 400, 40, reference)
    worst = [
        closed_loop(SHOULDER, law, **start, duration=1.5, rate=1000, delay=delay).report.worst.max()
        for delay in (0.0, 0.1)
    ]
    assert worst[1] > 100 * worst[0]


def test_noise_is_seen_and_comes_from_its_seed():
    law = PDGravity(SHOULDER, KP, KD, HOME)
    runs = [
        closed_loop(
            SHOULDER, law, q0=HOME, duration=0.2, rate=1000, noise_q=1e-3, noise_qd=1e-2, seed=seed
        )
        for seed in (1, 1, 2)
    ]
    assert_array_equal(runs[0].tau, runs[1].tau)
    assert np.abs(runs[0].tau - runs[2].tau).max() > 0
    spread = (runs[0].tau - SHOULDER.gravity_torque(HOME)).std(axis=0)
    assert_allclose(spread, np.hypot(np.array(KP) * 1e-3, np.array(KD) * 1e-2), rtol=0.3)


def test_laws_with_a_state_run_at_a_rate():
    push = np.array([1.0, -2.0, 1.0, 0.5])
    law = MomentumObserver(PDGravity(SHOULDER, KP, KD, HOME), gain=20.0)
    run = closed_loop(SHOULDER, law, q0=HOME, duration=1.5, rate=1000, disturbance=push)
    found = law.residual(run.trajectory.q[-1], run.trajectory.qd[-1], run.x[-1])
    assert_allclose(found, -push, rtol=0, atol=2e-2)
    adaptive = AdaptiveSlotineLi(SHOULDER, 5, KD, HOME, adaptation=0.01)
    run = closed_loop(SHOULDER, adaptive, q0=HOME + 0.05, duration=1.0, rate=1000)
    assert run.x.shape == (len(run.t), len(adaptive.x0))
    assert run.report.falls


@pytest.mark.long
def test_wrenches_that_change_in_time_act_between_samples_too():
    def wrench(t, q, qd):
        return np.array([0, 0, 0, 20 * np.sin(20 * t), 0, 0])

    law = PDGravity(SHOULDER, KP, CALM, HOME)
    run = closed_loop(SHOULDER, law, q0=HOME, duration=0.2, rate=200, wrenches={"tool": wrench})
    held = qddot.Samples(run.t, run.tau, between="hold")
    exact = qddot.simulate(SHOULDER, HOME, duration=0.2, torque=held, wrenches={"tool": wrench})
    assert_allclose(run.trajectory.q[-1], exact.q[-1], rtol=0, atol=1e-9)
    assert run.trajectory.wrenches["tool"].shape == (len(run.t), 6)


@pytest.mark.parametrize("duration", [1, *long(10)])
def test_a_long_sampled_run_has_a_row_a_sample(duration):
    reference, start = wave()
    law = ComputedTorque(SHOULDER, 100, 20, reference)
    real = dict(rate=1000, noise_q=1e-5, noise_qd=1e-4, delay=1e-3)
    run = closed_loop(SHOULDER, law, **start, duration=duration, **real)
    assert len(run.t) == 1000 * duration + 1
    assert run.report.worst.max() < 0.02


def test_a_run_that_runs_away_ends_and_says_so():
    law = PD(ARM, 1e9, 1e9, [0, 0])
    run = closed_loop(ARM, law, q0=[0.1, 0.1], duration=5, rate=100)
    assert not run.trajectory.finished
    assert "ran away" in run.trajectory.status


@pytest.mark.parametrize("rate", [None, *long(1000)])
def test_a_wrong_model_tracks_worse_and_is_named(rate):
    reference, start = wave()
    right = ComputedTorque(SHOULDER, 100, 20, reference)
    loaded = SHOULDER.with_payload("tool", 2.0)
    runs = [closed_loop(arm, right, **start, duration=1, rate=rate) for arm in (SHOULDER, loaded)]
    assert runs[1].report.worst.max() > 10 * runs[0].report.worst.max()
    assert [run.report.sound for run in runs] == [rate is None, False]


def test_a_law_may_be_given_a_wrong_model_of_the_arm():
    arm = qddot.load("two_link")
    heavy = arm.with_payload("tool", 10.0)
    law = ComputedTorque(arm, kp=100, kd=20, reference=[0.3, 0.2])
    right = qddot.control.closed_loop(arm, law, q0=[0, 0], duration=2.0)
    wrong = qddot.control.closed_loop(arm, law, q0=[0, 0], duration=2.0, model=heavy)
    other = ComputedTorque(heavy, kp=100, kd=20, reference=[0.3, 0.2])
    same = qddot.control.closed_loop(arm, other, q0=[0, 0], duration=2.0)
    np.testing.assert_allclose(wrong.trajectory.q, same.trajectory.q, rtol=0, atol=1e-12)
    assert np.abs(wrong.trajectory.q[-1] - right.trajectory.q[-1]).max() > 1e-3
