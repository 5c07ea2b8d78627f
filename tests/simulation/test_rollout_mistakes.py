"""What cannot be right about a rollout is refused, in words that say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made import ARM

import qddot
from qddot.errors import BadArgument, NotNumeric, QddotError, UnknownName, WrongShape


def law(t: Any, q: Any, qd: Any, x: Any, target: Any, gain: Any) -> dict[str, Any]:
    return {"tau": gain * (target - q) - qd + x + t, "xd": target - q}


PID = qddot.record(law, "pid", t=(), q=(2,), qd=(2,), x=(2,), target=(2,), gain=())
WRONG: dict[str, tuple[dict[str, Any], type[QddotError], str]] = {
    "shape": (dict(q0=[1.0, 2.0, 3.0]), WrongShape, r"q0 has shape \(3,\), but robot 'two_link'"),
    "rates": (dict(qd0=[1.0]), WrongShape, "qd0 has shape"),
    "words": (dict(q0="up"), BadArgument, "q0 is not an array of real numbers"),
    "NaN": (
        dict(q0=[[0, 0], [0, np.nan]]),
        BadArgument,
        r"q0 of joint 'j2' is nan at index \(1,\)",
    ),
    "infinite": (dict(qd0=[np.inf, 0]), BadArgument, "qd0 of joint 'j1' is inf; it must be finite"),
    "NaN torque": (dict(torque=[0, np.nan]), BadArgument, "torque of joint 'j2' is nan"),
    "torque": (dict(torque=[1.0] * 3), WrongShape, "torque has shape"),
    "torques": (dict(torques=np.zeros((9, 2))), BadArgument, r"must have shape \(..., 10, 2\)"),
    "NaN torques": (
        dict(torques=np.full((3, 10, 2), np.nan)),
        BadArgument,
        r"torques of joint 'j1' is nan at index \(0, 0\)",
    ),
    "both": (dict(torque=[0, 0], torques=np.zeros((10, 2))), BadArgument, "not both"),
    "function": (dict(torque=lambda q: q), BadArgument, r"Record it:\n  torque=qddot.record\(f"),
    "method": (dict(method="rk5"), BadArgument, "method is 'rk5'; .* Did you mean 'rk4'"),
    "exact": (dict(friction="exact"), BadArgument, "qddot.simulate follows exact dry friction"),
    "friction": (dict(friction="none"), BadArgument, "must be 'smooth'"),
    "step": (dict(step=0.0), BadArgument, r"step is 0.0; give a positive number \[s\]"),
    "no step": (dict(step=np.nan), BadArgument, "step is nan"),
    "smoothing": (dict(smoothing=-1), BadArgument, "smoothing is -1; give a positive number"),
    "steps": (dict(steps=0), BadArgument, "steps is 0; give a whole number, 1 or more"),
    "half a step": (dict(steps=2.5), BadArgument, "steps is 2.5"),
    "every": (dict(every=0), BadArgument, "every is 0"),
    "not the last": (dict(every=0.04), BadArgument, "Take steps=8 or steps=12"),
    "half a row": (dict(every=0.025), BadArgument, "Take every=0.02 or every=0.03"),
    "two lengths": (dict(duration=0.1), BadArgument, "one of the two"),
    "no length": (dict(steps=None), BadArgument, "one of the two"),
    "half a step of time": (
        dict(steps=None, duration=0.025),
        BadArgument,
        "no multiple of the step of 0.01 s.\n  Take duration=0.02 or duration=0.03",
    ),
    "batches": (
        dict(q0=np.zeros((3, 2)), qd0=np.zeros((4, 2))),
        BadArgument,
        r"q0 \(3,\), qd0 \(4,\). These axes",
    ),
    "parameter": (
        dict(parameters={"j2.mass": 1.0}),
        UnknownName,
        "has no parameter named 'j2.mass'. Did you mean 'j2.m",
    ),
    "NaN parameter": (
        dict(parameters={"j2.m": np.nan}),
        BadArgument,
        "'j2.m' is nan; it must be finite",
    ),
    "list": (dict(parameters=[1.0]), BadArgument, "give it by name, like parameters="),
    "no law": (dict(inputs={"x": 1}), BadArgument, "There is no recorded controller"),
    "missing": (dict(torque=PID), BadArgument, r"also takes x, target, gain; .*\n.*\(..., 2\)"),
    "extra": (
        dict(torque=PID, inputs={"gains": 1, "x": [0, 0], "target": [0, 0]}),
        BadArgument,
        "inputs has 'gains'. Did you mean 'gain'",
    ),
    "input": (
        dict(torque=PID, inputs={"gain": 1, "x": [0, 0, 0], "target": [0, 0]}),
        BadArgument,
        r"input 'x' has shape \(3,\); it must have shape \(..., 2\)",
    ),
    "law of another": (
        dict(torque=qddot.record(lambda q: q, q=(3,))),
        BadArgument,
        r"does not fit a robot with 2 joints: its input 'q' has shape \(3,\), not \(2,\)",
    ),
    "no rate": (
        dict(torque=qddot.record(lambda x: x, x=(2,))),
        BadArgument,
        r"its own state x has shape \(2,\) and its rate xd none",
    ),
    "no tau": (
        dict(torque=qddot.record(lambda q: {"a": q, "b": q}, q=(2,))),
        BadArgument,
        "it gives a, b, and none of them is named 'tau'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named(case):
    change, kind, words = WRONG[case]
    call = dict(q0=[0.1, 0.2], steps=10, step=0.01) | change
    with pytest.raises(kind, match=words):
        qddot.rollout(ARM, **call)


def test_a_robot_with_symbols_needs_their_values():
    robot = qddot.load("two_link_symbolic")
    with pytest.raises(NotNumeric, match=r"robot\.with_values"):
        qddot.rollout(robot, [0.1, 0.2], steps=10, step=0.01)
    with pytest.raises(NotNumeric, match="it depends on I1"):
        qddot.rollout(robot, [0.1, 0.2], steps=10, step=0.01, parameters={"m1": 1.0})
    with pytest.raises(UnknownName, match=r"no symbol named 'j1\.m'"):
        qddot.rollout(robot, [0.1, 0.2], steps=10, step=0.01, parameters={"j1.m": 1.0})


def test_a_robot_that_cannot_move_is_refused():
    stiff = ARM.locked({"j1": 0, "j2": 0})
    with pytest.raises(BadArgument, match="has no joint that moves"):
        qddot.rollout(stiff, [], steps=10, step=0.01)
