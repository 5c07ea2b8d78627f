"""Exported laws: the target is an input, however it was given; observers see applied torques."""

from __future__ import annotations

import numpy as np
import pytest
from made import ARM

import qddot
from qddot.control.laws import (
    PD,
    AdaptiveSlotineLi,
    ApproximateJacobian,
    CartesianImpedance,
    ComputedTorque,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.exporting.functions import commanded
from qddot.motions import Setpoint

TOLD = ["position", "velocity", "acceleration"]
LAWS = {
    "pd": lambda at: PD(ARM, 100, 10, at),
    "pd gravity": lambda at: PDGravity(ARM, 100, 10, at),
    "computed torque": lambda at: ComputedTorque(ARM, 100, 10, at),
    "slotine-li": lambda at: SlotineLi(ARM, 5, 10, at),
    "adaptive": lambda at: AdaptiveSlotineLi(ARM, 5, 10, at),
    "robust": lambda at: RobustSaturated(ARM, 5, 10, at, gravity=1),
    "impedance": lambda at: JointImpedance(ARM, 100, 10, at),
    "cartesian": lambda at: CartesianImpedance(ARM, "tool", 100, 10, at, axes="xy"),
    "operational": lambda at: OperationalSpace(ARM, "tool", 100, 10, at, axes="xy"),
    "approximate": lambda at: ApproximateJacobian(ARM, "tool", 100, 10, at, axes="xy"),
    "observer": lambda at: MomentumObserver(PDGravity(ARM, 100, 10, at), 30.0),
}


@pytest.mark.parametrize("name", LAWS)
def test_an_array_and_a_set_point_are_one_target(name):
    """They have the same program, in which the place is an input."""
    array, setpoint = (commanded(LAWS[name](at)) for at in ([0.3, 0.2], Setpoint([0.3, 0.2])))
    assert array.digest == setpoint.digest
    assert [port.name for port in array.inputs][-3:] == TOLD
    elsewhere = commanded(LAWS[name]([-0.4, 0.9]))
    assert elsewhere.digest == array.digest


def test_an_exported_law_told_a_place_is_the_law_made_with_it():
    rng = np.random.default_rng(0)
    q, qd, place = rng.uniform(-1, 1, (3, 2))
    for name in ("pd gravity", "cartesian", "robust"):
        program, law = commanded(LAWS[name]([0.1, 0.1])), LAWS[name](place)
        found = program(0.0, q, qd, place, np.zeros(2), np.zeros(2))
        np.testing.assert_allclose(np.asarray(found, float), law(0.0, q, qd), rtol=1e-12)


def test_an_exported_observer_integrates_the_torques_that_were_applied(tmp_path):
    law = MomentumObserver(PDGravity(ARM, 100, 10, [0.3, 0.2]), 30.0)
    program = commanded(law)
    assert [port.name for port in program.inputs] == ["t", "q", "qd", "x", "applied", *TOLD]
    q, qd, applied = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    x, place, still = law.start(q, qd), np.array([0.3, 0.2]), np.zeros(2)
    asked, rate = (np.asarray(y, float) for y in law.define(0.0, q, qd, x))
    tau, xd = program(0.0, q, qd, x, applied, place, still, still)
    np.testing.assert_allclose(np.asarray(tau, float), asked, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(xd, float) - rate, applied - asked, rtol=1e-9)
    qddot.export(ARM, tmp_path, functions=[law])
    assert "const double applied[2]" in (tmp_path / "two_link.h").read_text()
