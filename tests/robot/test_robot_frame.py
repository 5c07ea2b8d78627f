"""A frame named once, and several quantities of one state in one call."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import weakref
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from long import long
from nearness import ACCURATE, ROUND_OFF, SINGLE
from numpy.testing import assert_allclose, assert_array_equal
from watching import python_calls

import qddot
from qddot import Robot
from qddot.backends import fastcall
from qddot.robot import AllTerms, FrameTerms, RobotFrame

ARM = qddot.load("scara").with_friction(viscous=0.3, coulomb=0.1)
TOOL = ARM.at("tool")
Q, QD, QDD = np.random.default_rng(2).normal(size=(3, ARM.n))
F = np.arange(6.0)
POINT = np.array([0.1, -0.2, 0.3])

# each, and the robot's own way to it
SAME: dict[str, tuple[Any, Any]] = {
    "pose": (lambda: TOOL.pose(Q), lambda: ARM.pose(Q, "tool")),
    "jacobian": (lambda: TOOL.jacobian(Q), lambda: ARM.jacobian(Q, "tool")),
    "local": (lambda: TOOL.jacobian(Q, "local"), lambda: ARM.jacobian(Q, "tool", "local")),
    "jacobian_rate": (
        lambda: TOOL.jacobian_rate(Q, QD, axes="base"),
        lambda: ARM.jacobian_rate(Q, QD, "tool", "base"),
    ),
    "point_motion": (
        lambda: TOOL.point_motion(Q, QD, QDD, POINT),
        lambda: ARM.point_motion(Q, QD, QDD, "tool", POINT),
    ),
    "its origin": (
        lambda: TOOL.point_motion(Q, QD, QDD),
        lambda: ARM.point_motion(Q, QD, QDD, "tool", np.zeros(3)),
    ),
    "effective_mass": (
        lambda: TOOL.effective_mass(Q, "linear"),
        lambda: ARM.effective_mass(Q, "tool", "linear"),
    ),
    "principal_masses": (
        lambda: TOOL.principal_masses(Q, "linear"),
        lambda: ARM.principal_masses(Q, "tool", "linear"),
    ),
    "inverse_dynamics": (
        lambda: TOOL.inverse_dynamics(Q, QD, QDD, F),
        lambda: ARM.inverse_dynamics(Q, QD, QDD, wrenches={"tool": F}),
    ),
    "forward_dynamics": (
        lambda: TOOL.forward_dynamics(Q, QD, QDD, F, axes="local"),
        lambda: ARM.forward_dynamics(Q, QD, QDD, wrenches={"tool": F}, axes="local"),
    ),
    "bias_torque": (
        lambda: TOOL.bias_torque(Q, QD, F),
        lambda: ARM.bias_torque(Q, QD, wrenches={"tool": F}),
    ),
    "all_terms": (lambda: TOOL.all_terms(Q, QD), lambda: ARM.all_terms(Q, QD, "tool")),
}


@pytest.mark.parametrize("what", SAME)
def test_a_frame_says_what_its_robot_says(what: str):
    mine, own = SAME[what]
    found, expected = mine(), own()
    several = isinstance(expected, tuple)
    for x, y in zip(*(z if several else (z,) for z in (found, expected)), strict=True):
        assert_allclose(x, y, rtol=ROUND_OFF, atol=ROUND_OFF)
    if fastcall.as_assumed():
        with python_calls() as calls:
            mine()
        assert calls == []


def test_every_quantity_of_a_frame_has_the_arguments_of_the_robots_without_the_frame():
    for name in (
        "pose",
        "jacobian",
        "jacobian_rate",
        "point_motion",
        "effective_mass",
        "principal_masses",
    ):
        own = dict(inspect.signature(getattr(Robot, name)).parameters)
        del own["frame"]
        mine = inspect.signature(getattr(RobotFrame, name)).parameters
        assert [(p.name, p.default) for p in mine.values()] == [
            (p.name, p.default) for p in own.values()
        ]


def test_a_frame_is_found_once_and_is_plain_data():
    assert ARM.at("tool") is TOOL
    assert (TOOL.robot, TOOL.name) == (ARM, "tool")
    assert repr(TOOL) == "<frame 'tool' of robot 'scara'>"
    TOOL.pose(Q)
    for other in (pickle.loads(pickle.dumps(TOOL)), copy.copy(TOOL), copy.deepcopy(TOOL)):
        assert other == TOOL
        assert set(vars(other)) == {"robot", "name"}
        assert_array_equal(other.pose(Q), TOOL.pose(Q))
    again = pickle.loads(pickle.dumps(TOOL.jacobian))
    assert_array_equal(again(Q), TOOL.jacobian(Q))


def test_a_process_takes_a_method_of_a_frame():
    q = np.random.default_rng(0).normal(size=(3, ARM.n))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(TOOL.pose, q))
    assert_allclose(found, TOOL.pose(q), rtol=ROUND_OFF, atol=ROUND_OFF)


def test_a_robot_and_its_frames_go_together():
    arm = qddot.load("two_link").with_payload("tool", 0.5)
    tool = arm.at("tool")
    tool.pose(np.zeros(2))
    gone = weakref.ref(arm)
    del arm
    gc.collect()
    assert gone() is tool.robot  # a frame keeps its robot
    del tool
    gc.collect()
    assert gone() is None


def test_a_subclass_of_a_robot_is_asked_by_its_frames():
    class Shifted(Robot):
        def pose(self, q: Any, frame: str, *, out: Any = None) -> np.ndarray:
            return super().pose(q, frame, out=out) + 1

    assert_array_equal(Shifted(ARM.model).at("tool").pose(Q), TOOL.pose(Q) + 1)


# several quantities in one call


def check(robot: Robot, q: np.ndarray, qd: np.ndarray, tolerance: float = ACCURATE) -> None:
    """Compare every term with the method of its own."""
    frame = robot.tip
    plain, terms = robot.all_terms(q, qd), robot.all_terms(q, qd, frame)
    assert type(plain) is AllTerms
    assert type(terms) is FrameTerms
    expected = {
        "M": robot.mass_matrix(q),
        "c": robot.velocity_torque(q, qd),
        "g": robot.gravity_torque(q),
        "bias": robot.bias_torque(q, qd),
        "pose": robot.pose(q, frame),
        "J": robot.jacobian(q, frame),
        "drift": (robot.jacobian_rate(q, qd, frame) @ qd[..., None])[..., 0],
    }
    assert terms._fields == tuple(expected)
    for name, value in expected.items():
        size = np.abs(value).max(initial=1.0)
        assert_allclose(getattr(terms, name), value, rtol=0, atol=tolerance * size)
        if name in plain._fields:
            assert_allclose(getattr(plain, name), value, rtol=0, atol=tolerance * size)


@pytest.mark.parametrize(
    "name", ["two_link", "scara", "stanford", *long("panda", "panda_hand", "ur5", "so101")]
)
def test_all_terms_are_those_of_methods_of_their_own(name: str):
    robot = qddot.load(name).with_friction(viscous=0.2, coulomb=0.1)
    q, qd = np.random.default_rng(3).uniform(-2, 2, (2, 20, robot.n))
    check(robot, q, qd)
    check(robot, q[0], qd[0])
    single = robot.with_options(dtype="float32")
    check(single, q[0].astype(np.float32), qd[0].astype(np.float32), SINGLE)


def test_the_terms_share_their_work():
    panda = qddot.load("panda")
    alone = ("mass_matrix", "velocity_torque", "gravity_torque", "bias_torque")
    apart = sum(len(panda.program(name)) for name in alone)
    assert len(panda.program("all_terms")) < 0.65 * apart
    of_frame = ("pose", "jacobian", "jacobian_rate")
    apart += sum(len(panda.program(name, frame="tool")) for name in of_frame)
    assert len(panda.program("all_terms", frame="tool")) < 0.55 * apart


def test_terms_go_where_they_are_wanted():
    out = tuple(np.empty(x.shape) for x in ARM.all_terms(Q, QD))
    for _ in range(3):
        found = ARM.all_terms(Q, QD, out=out)
        assert type(found) is AllTerms
        assert all(x is y for x, y in zip(found, out, strict=True))
    before = [sys.getrefcount(x) for x in out]
    for _ in range(50):
        ARM.all_terms(Q, QD, out=out)
    assert [sys.getrefcount(x) for x in out] == before


def test_terms_are_tuples_as_python_makes_them():
    for terms in (ARM.all_terms(Q, QD), ARM.all_terms(Q, QD)):
        assert terms == AllTerms(*terms)
        assert gc.is_tracked(terms)
        with pytest.raises(TypeError, match="unhashable"):
            hash(terms)
        again = pickle.loads(pickle.dumps(terms))
        assert type(again) is AllTerms
        assert sys.getrefcount(terms.M) == sys.getrefcount(again.M)


def test_the_type_of_the_terms_is_not_used_up():
    ARM.all_terms(Q, QD)
    gc.collect()
    before = sys.getrefcount(AllTerms)
    for _ in range(1000):
        ARM.all_terms(Q, QD)
    assert abs(sys.getrefcount(AllTerms) - before) < 10


def test_computed_torque_with_one_call_tracks_a_motion():
    """τ = M a + bias makes the frame accelerate by J a + drift."""
    terms, a = TOOL.all_terms(Q, QD), np.array([0.3, -0.1, 0.2, 0.5])
    qdd = ARM.forward_dynamics(Q, QD, terms.M @ a + terms.bias)
    assert_allclose(qdd, a, rtol=1e-10)
    acceleration = TOOL.point_motion(Q, QD, qdd)[2]
    assert_allclose(acceleration, (terms.J @ a + terms.drift)[3:], rtol=1e-9)
