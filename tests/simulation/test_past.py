"""Late measurements: states of a while ago, between the kept ones."""

import numpy as np
import pytest

from qddot.simulation.past import Past


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
