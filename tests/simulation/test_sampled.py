"""Late measurements: states of a while ago, between the kept ones."""

import numpy as np
import pytest

from qddot.simulation.acting import Past, sampled


def cubic(t, start):
    """Return q and q̇ of a motion whose positions are cubics of time, one joint."""
    return start + t - 2 * t**2 + 3 * t**3, 1 - 4 * t + 9 * t**2


def kept(delay, steps, h=0.1):
    """Return what three arms have seen after so many steps."""
    starts = np.array([[0.0], [1.0], [2.0]])
    past = Past(*(x + 0 * starts for x in cubic(0.0, starts)), h, np.array(delay))
    for k in range(1, steps + 1):
        past.keep(*(x + 0 * starts for x in cubic(k * h, starts)))
    return starts, past.seen()


@pytest.mark.parametrize("delay", [(0.0, 0.0, 0.0), (0.2, 0.03, 0.0), (0.451, 0.3, 0.1)])
def test_each_arm_is_seen_at_its_own_delay_and_cubics_exactly(delay):
    starts, (q, qd) = kept(delay, steps=23)
    when = 2.3 - np.array(delay)[:, None]
    expected = cubic(when, starts)
    np.testing.assert_allclose(q, expected[0], rtol=1e-12)
    np.testing.assert_allclose(qd, expected[1], rtol=1e-12)


def test_before_the_start_an_arm_stands_as_it_did_at_the_start():
    starts, (q, qd) = kept((0.5, 0.2, 0.0), steps=2)
    np.testing.assert_allclose(q[:2], starts[:2])
    np.testing.assert_allclose(qd[:2], 1.0)
    assert q[2] == pytest.approx(cubic(0.2, 2.0)[0])


def drifting(count, end=np.inf, fails_after=np.inf):
    """Return the samples of a loop whose arm moves at the torque that a controller asks."""
    past = Past(np.zeros((1, 1)), np.ones((1, 1)), 0.5, np.zeros(1))

    def asked(t, q, qd, x):
        return 2.0 + x[0], np.array([float(q[0, 0])])

    def moved(t, tau, length):
        q, qd = past.now
        past.keep(q + length * tau, qd)
        return t < fails_after

    loop = sampled(past, asked, moved, np.zeros(1), period=0.5, count=count, end=end)
    return [(t, float(tau), float(x[0]), float(past.now[0][0, 0])) for t, tau, x, _ in loop]


def test_a_sampled_loop_holds_torques_and_steps_its_own_state():
    """q⁺ = q + T τ, x⁺ = x + T q with τ = 2 + x; at the end nobody is asked any more."""
    expected = [(0.0, 2.0, 0.0, 0.0), (0.5, 2.0, 0.0, 1.0), (1.0, 2.5, 0.5, 2.0)]
    assert drifting(3) == [*expected, (1.5, 2.5, 1.5, 3.25)]


def test_the_last_sample_may_be_shorter_and_a_failed_one_is_the_last():
    assert drifting(2, end=0.75)[-1] == (0.75, 2.0, 0.25, 1.5)
    assert [t for t, *_ in drifting(9, fails_after=0.9)] == [0.0, 0.5, 1.0]
