"""Robots with all masses or all lengths times a factor: what a law may wrongly take an arm for."""

import numpy as np
import pytest
from made import ARM, PANDA
from numpy.testing import assert_allclose

from qddot.errors import BadArgument
from qddot.robot.settings import changed

Q = np.array([0.1, -0.5, 0.2, -2.0, 0.3, 1.5, 0.4])


def test_masses_scale_every_inertia_and_torque_alike():
    heavy = PANDA.with_scale(masses=1.1)
    bare = PANDA.without("rotor_inertia")
    assert_allclose(heavy.without("rotor_inertia").mass_matrix(Q), 1.1 * bare.mass_matrix(Q))
    assert_allclose(heavy.gravity_torque(Q), 1.1 * PANDA.gravity_torque(Q), rtol=0, atol=1e-12)
    assert_allclose(heavy.pose(Q, "tool"), PANDA.pose(Q, "tool"))


def test_lengths_scale_where_every_frame_is_and_turn_none():
    long = PANDA.with_scale(lengths=1.2)
    wanted = PANDA.pose(Q, "tool")
    wanted[:3, 3] *= 1.2
    assert_allclose(long.pose(Q, "tool"), wanted, rtol=0, atol=1e-12)
    assert long.mass == PANDA.mass


def test_payloads_keep_their_mass_and_go_where_the_frame_goes():
    scaled = ARM.with_payload("tool", 3.0).with_scale(masses=2, lengths=0.5)
    assert float(scaled.mass) == pytest.approx(2 * float(ARM.mass) + 3)
    assert ARM.with_scale(masses=2).with_scale(masses=0.5) == ARM


def test_a_setting_says_the_same_and_what_is_no_factor_is_refused():
    settings = {"scale.masses": 1.1, "scale.lengths": 0.9, "payload.tool": 2.0}
    wanted = ARM.with_scale(1.1, 0.9).with_payload("tool", 2.0)
    assert_allclose(
        changed(ARM, settings).gravity_torque([0.3, 0.4]), wanted.gravity_torque([0.3, 0.4])
    )
    for wrong in (0, -1):
        with pytest.raises(BadArgument, match=r"masses is .*; it must be a factor above 0"):
            ARM.with_scale(masses=wrong)
