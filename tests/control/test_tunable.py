"""A law with its gains as inputs is the law with its gains as numbers."""

from dataclasses import replace

import numpy as np
import pytest
from made import ARM
from numpy.testing import assert_allclose

from qddot.control.spec import described_control, laws
from qddot.control.tunable import Tunable

Q, QD = np.array([0.5, 0.7]), np.array([0.3, -0.2])


@pytest.mark.parametrize("kind", laws())
def test_turned_gains_give_the_torques_and_the_v_of_that_law(kind):
    control = {"law": kind, "reference": {"kind": "setpoint", "joints": [0.6, 0.8]}}
    arm = ARM.with_friction(viscous=[3, 4])
    law = described_control(control, arm, Q).law
    tunable = Tunable(law, arm)
    assert tunable.names
    other = replace(law, **{name: 3 * getattr(law, name) for name in tunable.names})
    state = (Q, QD, *([law.x0] if len(law.x0) else []))
    for each in (law, other):
        assert tunable.fits(each)
        turned = tunable.with_gains(each)
        assert_allclose(np.hstack(turned(0.1, *state)), np.hstack(each(0.1, *state)), rtol=1e-9)
        V = tunable.lyapunov(each, *(np.array([x]) for x in (0.1, *state)))
        program = each.lyapunov(arm)
        assert (V is None) == (program is None)
        if program is not None:
            assert_allclose(V[0], program(0.1, *state), rtol=1e-9)


def test_other_kinds_of_gains_do_not_fit():
    control = {"law": "robust", "reference": {"kind": "setpoint", "joints": [0.6, 0.8]}}
    law = described_control(control, ARM, Q).law
    tunable = Tunable(law, ARM)
    assert not tunable.fits(replace(law, layer=0.5))
    assert not tunable.fits(replace(law, kd=np.array([[2.0, 1.0], [1.0, 2.0]])))
