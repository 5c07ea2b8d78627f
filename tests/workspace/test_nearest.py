"""The nearest singular position: distances that are known, factors of det J, redundant arms."""

import numpy as np
import pytest
from nearness import assert_near
from numpy.testing import assert_allclose

import qddot
from qddot.errors import BadArgument
from qddot.workspace import nearest_singularity

ARM = qddot.load("two_link_point")
PUMA = qddot.load("puma560")


@pytest.mark.parametrize("q2", [0.8, 2.0, -0.1, 1e-7])
def test_two_links_are_stretched_or_folded(q2):
    found = nearest_singularity(ARM, [0.3, q2], "tool", "linear")
    assert_allclose(found.distance, min(abs(q2), np.pi - abs(q2)), rtol=0, atol=1e-9)
    assert_near(found.q[0], 0.3)
    tip = ARM.pose(found.q, "tool")[:2, 3]
    if np.linalg.norm(tip) > 1:  # stretched: it cannot move outwards
        assert_allclose(np.abs(found.borne[:2]), np.abs(tip) / 2, rtol=0, atol=1e-6)


@pytest.mark.long
def test_a_puma_loses_its_shoulder_before_its_wrist():
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    found = nearest_singularity(PUMA, q, "tool")
    factors = qddot.derive(PUMA).to_function("singularities", frame="tool")
    assert np.abs(factors(found.q)[1:]).min() < 1e-9
    side = np.linspace(-0.7, 0.7, 1401)  # all of det J's factors by brute force
    q2, q3 = np.meshgrid(side, side)
    grid = np.tile(q, (q2.size, 1))
    grid[:, 1] += q2.ravel()
    grid[:, 2] += q3.ravel()
    shoulder = factors(grid)[:, 3].reshape(q2.shape)
    change = np.sign(shoulder[:, 1:]) != np.sign(shoulder[:, :-1])
    nearest = min(np.hypot(q2, q3)[:, 1:][change].min(), q[4])  # or the wrist, sin q5 = 0
    assert_allclose(found.distance, nearest, rtol=0, atol=2e-3)
    assert found.agreed > 1


def test_a_redundant_arm_takes_two_conditions():
    """Three links in a plane are singular where both angles between them are 0 or π."""
    arm = qddot.from_dh([{"a": length} for length in (1, 0.8, 0.5)], "standard")
    found = nearest_singularity(arm, [0.2, 0.5, 0.7], arm.tip, "linear")
    assert_allclose(found.q, [0.2, 0, 0], rtol=0, atol=1e-8)
    found = nearest_singularity(arm, [0.2, 2.9, 0.7], arm.tip, "linear")
    assert_allclose(found.q, [0.2, np.pi, 0], rtol=0, atol=1e-8)


def test_it_stays_within_the_limits():
    panda = qddot.load("panda")
    q = [0.1, -0.6, 0.2, -2.2, 0.3, 1.6, 0.8]
    found = nearest_singularity(panda, q, "tool", "linear")
    assert (found.q >= panda.limits.lower).all()
    assert (found.q <= panda.limits.upper).all()
    J = panda.jacobian(found.q, "tool")[3:]
    assert np.linalg.svd(J, compute_uv=False)[-1] < 1e-9
    assert_allclose(found.borne @ J, 0, rtol=0, atol=1e-9)
    with pytest.raises(BadArgument, match=r"smallest singular value that they met is 0\.\d"):
        nearest_singularity(panda, q, "tool", "angular", starts=8)


def test_a_singular_position_is_its_own_nearest():
    found = nearest_singularity(ARM, [0.3, 0.0], "tool", "linear")
    assert found.distance < 1e-9
    assert "no joint has to move" in str(found)
    assert "Local: a nearer one may exist." in str(found)
