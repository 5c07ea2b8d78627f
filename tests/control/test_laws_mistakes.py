"""What cannot work is refused when the law is made, in words that say what to do."""

from __future__ import annotations

import numpy as np
import pytest
from made import ARM, PANDA

import qddot
from qddot.control.laws import (
    PD,
    AdaptiveSlotineLi,
    ApproximateJacobian,
    CartesianImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.control.loop import closed_loop
from qddot.errors import BadArgument, NotNumeric, UnknownName

HOME = np.zeros(7)


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        (dict(kp=[1, 2, 3], kd=1), r"kp has shape \(3,\).*\(2,\).*j1, j2"),
        (dict(kp=np.ones((2, 3)), kd=1), r"kp has shape \(2, 3\)"),
        (dict(kp=-5, kd=1), "kp must be positive, and it is -5"),
        (dict(kp=[5, -1], kd=1), "its smallest entry is -1"),
        (dict(kp=5, kd=0), "kd must be positive, and it is 0"),
        (dict(kp=[[1, 2], [2, 1]], kd=1), "its smallest eigenvalue is -1"),
        (dict(kp=[[2, 1], [0, 2]], kd=1), "kp is not symmetric"),
        (dict(kp=np.nan, kd=1), "kp is nan; it must be finite"),
        (dict(kp=5, kd=[1, np.inf]), "kd of 'j2' is inf; it must be finite"),
        (dict(kp="stiff", kd=1), "kp is 'stiff'; give a number"),
    ],
)
def test_gains_that_cannot_work(gains, words):
    with pytest.raises(BadArgument, match="(?s)" + words):
        PD(ARM, **gains, reference=[0, 0])


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ([0, 0, 0], r"reference has shape \(3,\).*j1, j2"),
        ([0, np.nan], "reference of 'j2' is nan"),
        ("home", "reference is 'home'; give an array of 2 numbers"),
    ],
)
def test_references_that_cannot_be(reference, words):
    with pytest.raises(BadArgument, match="(?s)" + words):
        PD(ARM, 1, 1, reference)


def test_a_reference_of_another_arm():
    from qddot.motions import Setpoint

    with pytest.raises(BadArgument, match="reference has 3 entries; it must have 2"):
        PD(ARM, 1, 1, Setpoint([0, 0, 0]))


def test_a_frame_that_does_not_exist():
    with pytest.raises(UnknownName, match="Did you mean 'tool'"):
        OperationalSpace(ARM, "tol", 1, 1, [1, 1])


def test_a_task_that_the_arm_cannot_do():
    with pytest.raises(BadArgument, match=r"(?s)cannot move 'tool' in the 3.*along z.*axes='xy'"):
        OperationalSpace(ARM, "tool", 1, 1, [1, 1, 0])
    one = qddot.load("pendulum")
    with pytest.raises(BadArgument, match=r"(?s)2 directions .* only in 1.*axes='x'"):
        OperationalSpace(one, "tool", 1, 1, [1, 1], axes="xy")
    with pytest.raises(BadArgument, match="only in 0"):
        ApproximateJacobian(ARM, "base", 1, 1, [1, 1], axes="xy")
    turning = dict(orientation=np.eye(3), turning=(1, 1))
    with pytest.raises(BadArgument, match="cannot move"):
        CartesianImpedance(ARM, "tool", 1, 1, [1, 1], axes="xy", **turning)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(axes="xw"), "axes is 'xw'"),
        (dict(axes=""), "axes is ''"),
        (dict(axes="xx"), "axes is 'xx'"),
        (dict(orientation=np.ones((3, 3)), turning=(1, 1)), "give a rotation matrix"),
        (dict(orientation=np.eye(3)), "together"),
        (dict(turning=(1, 1)), "together"),
        (dict(orientation=np.eye(3), turning=(1, -1)), "turning must be positive"),
        (dict(heaviest=-1.0), "heaviest is -1"),
        (dict(posture=[1, 2]), "posture has shape"),
    ],
)
def test_task_options_that_cannot_be(options, words):
    with pytest.raises(BadArgument, match=words):
        OperationalSpace(PANDA, "tool", 1, 1, [0.5, 0, 0.5], **options)


def test_a_law_that_needs_what_the_model_lacks():
    with pytest.raises(NotNumeric, match="with_values"):
        PD(qddot.load("two_link_symbolic"), 1, 1, [0, 0])
    with pytest.raises(BadArgument, match="made from a robot"):
        PD("two_link", 1, 1, [0, 0])
    with pytest.raises(BadArgument, match="no joint that moves"):
        PD(ARM.locked({"j1": 0, "j2": 0}), 1, 1, [])
    with pytest.raises(BadArgument, match="beside a law"):
        MomentumObserver(ARM, 10)


def test_words_that_are_not_known():
    with pytest.raises(BadArgument, match=r"'here'.*'target'"):
        PDGravity(ARM, 1, 1, [0, 0], compensate="there")
    with pytest.raises(BadArgument, match="Did you mean 'sine'"):
        ApproximateJacobian(ARM, "tool", 1, 1, [1, 1], axes="xy", saturation="sin")
    with pytest.raises(BadArgument, match="'base' or 'all'"):
        AdaptiveSlotineLi(ARM, 1, 1, [0, 0], estimate="some")
    with pytest.raises(BadArgument, match="gravity_slope is -1"):
        PDGravity(ARM, 1, 1, [0, 0], gravity_slope=-1)
    with pytest.raises(BadArgument, match="chatter"):
        RobustSaturated(ARM, 1, 1, [0, 0], layer=0)
    with pytest.raises(BadArgument, match="adaptation must be positive"):
        AdaptiveSlotineLi(ARM, 1, 1, [0, 0], adaptation=-1)


def test_an_approximation_with_other_joints():
    with pytest.raises(BadArgument, match="approximate has 7 joints and the robot 2"):
        ApproximateJacobian(ARM, "tool", 1, 1, [1, 1], axes="xy", approximate=PANDA)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(noise_q=0.1), "give rate=1000"),
        (dict(delay=0.1), "give rate=1000"),
        (dict(rate=0), "rate is 0"),
        (dict(rate=100, delay=-1), "delay is -1"),
        (dict(rate=100, noise_q=-1), "noise_q is -1"),
        (dict(rate=100, noise_qd=[1, 2, 3]), "noise_qd has 3 numbers; give 2"),
        (dict(rate=100, noise=(1e-4, 1e-3)), "noise_q= of measured positions and noise_qd="),
        (dict(rate=100, method="rk4"), "leave out method"),
        (dict(duration=-1), "duration is -1"),
        (dict(q0=[0]), "q0 has shape"),
        (dict(wrenches={"tol": np.zeros(6)}, rate=100), "Did you mean 'tool'"),
    ],
)
def test_runs_that_cannot_be(options, words):
    law = PD(ARM, 1, 1, [0, 0])
    with pytest.raises(qddot.QddotError, match=words):
        closed_loop(ARM, law, **(dict(q0=[0, 0], duration=1) | options))


def test_a_run_of_what_is_no_law():
    with pytest.raises(BadArgument, match=r"simulate\(torque=...\)"):
        closed_loop(ARM, lambda t, q, qd: q, q0=[0, 0], duration=1)
    with pytest.raises(BadArgument, match="7 joints"):
        closed_loop(ARM, SlotineLi(PANDA, 1, 1, HOME), q0=[0, 0], duration=1)


def test_a_call_with_the_wrong_shape():
    with pytest.raises(qddot.QddotError, match="q has shape"):
        PD(ARM, 1, 1, [0, 0])(0.0, np.zeros(3), np.zeros(2))
