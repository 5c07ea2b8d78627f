"""Methods with a compiled short cut: looking at them costs nothing, calling them no Python."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import pickle
import pydoc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nearness import ROUND_OFF, SINGLE
from numpy.testing import assert_allclose
from robot.leg import HIP, KNEE, LEG, QD, QDD, QUANTITIES, TIP, Q, two_links
from watching import python_calls

import qddot
from qddot import Kernel, Robot
from qddot.robot import robot_of
from qddot.robot.kernels import compiled

# looking costs nothing


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> Robot:
    """Return a robot of which nothing may be recorded or compiled."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a kernel was made")

    robot = Robot(qddot.load("panda").model)
    monkeypatch.setattr(Robot, "_kernel", refuse)
    return robot


@pytest.mark.parametrize(
    "look",
    [
        dir,
        repr,
        str,
        hash,
        vars,
        inspect.getmembers,
        lambda robot: robot._repr_html_(),
        lambda robot: robot == qddot.load("panda"),
        lambda robot: [hasattr(robot, name) for name in QUANTITIES],
        lambda robot: [callable(getattr(robot, name)) for name in QUANTITIES],
        lambda robot: [repr(getattr(robot, name)) for name in QUANTITIES],
        lambda robot: pickle.loads(pickle.dumps(robot)),
        copy.copy,
        copy.deepcopy,
        dataclasses.asdict,
        dataclasses.fields,
        dataclasses.replace,
        lambda robot: robot.with_options(threads=1).with_gravity((0, 0, 0)),
        lambda robot: pydoc.render_doc(robot.inverse_dynamics),
        lambda robot: pydoc.render_doc(Robot),
        lambda robot: robot.parameter_names,
    ],
)
def test_looking_at_a_robot_compiles_nothing(look: Callable, untouched: Robot):
    look(untouched)


def test_the_fixture_sees_a_kernel_being_made(untouched: Robot):
    with pytest.raises(AssertionError, match="a kernel was made"):
        untouched.mass_matrix(np.zeros(7))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_has_a_signature_and_a_text_on_class_and_object(quantity: str):
    method, call = getattr(Robot, quantity), getattr(LEG, quantity)
    on_class, on_object = inspect.signature(method), inspect.signature(call)
    assert list(on_class.parameters) == ["self", *on_object.parameters]
    assert list(on_object.parameters)[: len(QUANTITIES[quantity])] == list(QUANTITIES[quantity])
    assert inspect.getdoc(call) == inspect.getdoc(method)
    assert (inspect.getdoc(call) or "").startswith("Return ")
    assert call.__name__ == method.__name__ == quantity


def test_help_shows_signature_and_text():
    for what in (Robot.inverse_dynamics, LEG.inverse_dynamics):
        text = pydoc.plain(pydoc.render_doc(what))
        assert "inverse_dynamics(" in text
        assert "qdd" in text
        assert "wrenches" in text
        assert "Return the joint torques that produce the accelerations qdd." in text
        assert "Joint torques [N·m] or forces [N], shape (..., n)." in text


# the short cut of a robot


def test_exact_calls_never_enter_python_and_all_others_do():
    leg = two_links()
    expected = leg.inverse_dynamics(Q, QD, QDD)
    with python_calls() as calls:
        leg.inverse_dynamics(Q, QD, QDD)
    assert calls == []
    tip_load = {TIP: [0] * 6}
    for given, more in (
        ((list(Q), QD, QDD), {}),
        ((Q, QD), {"qdd": list(QDD)}),
        ((Q, QD, QDD), {"wrenches": tip_load}),
        ((Q, QD, QDD), {"base_motion": (np.zeros(6), [0] * 6)}),
        ((Q[None, None], QD, QDD), {}),
    ):
        with python_calls(Kernel.general) as calls:
            found = leg.inverse_dynamics(*given, **more)
        assert len(calls) == 1
        assert_allclose(found.reshape(2), expected, rtol=ROUND_OFF)


@pytest.mark.parametrize(
    "name",
    [
        name
        for owner in Robot.__mro__
        for name, what in vars(owner).items()
        if isinstance(what, compiled)
    ],
)
def test_every_compiled_method_of_a_robot_is_quick(name: str):
    """A method that computes, where it should say what is to be computed, is not."""
    known = {"q": Q, "qd": QD, "qdd": QDD, "tau": QDD, "frame": TIP, "axes": "linear"}
    known |= {"wrench": np.zeros(6), "X": LEG.pose(Q, TIP)}
    given = inspect.signature(getattr(LEG, name)).parameters.values()
    masses = name in ("effective_mass", "principal_masses")
    arguments = [
        known.get(p.name, QD)
        for p in given
        if p.default is p.empty or (p.name == "axes" and masses and p.kind != p.KEYWORD_ONLY)
    ]
    getattr(LEG, name)(*arguments)
    with python_calls() as calls:
        getattr(LEG, name)(*arguments)
    assert calls == []


def test_a_built_in_robot_is_one_robot_and_a_file_is_read_again(tmp_path):
    assert qddot.load("two_link") is robot_of("two_link")
    qddot.load("two_link").save(tmp_path / "arm.toml")
    first = qddot.load(tmp_path / "arm.toml")
    qddot.load("pendulum").save(tmp_path / "arm.toml")
    assert first.n == 2
    assert qddot.load(tmp_path / "arm.toml").n == 1


def test_what_is_made_of_a_robot_is_made_once_per_choice_and_not_copied():
    robot, made = Robot(qddot.load("pendulum").model), []
    for what, choice in (("a", 1), ("a", 2), ("b", 1), ("a", 1)):
        assert robot.cached(what, choice, lambda: made.append(0) or len(made)) >= 1
    assert len(made) == 3
    assert robot.cached("a", 2, list) == 2
    for other in (copy.copy(robot), pickle.loads(pickle.dumps(robot)), robot.with_options()):
        assert other.cached("a", 2, list) == []


def test_a_robot_is_pickled_and_copied_without_its_kernels():
    tau = LEG.inverse_dynamics(Q, QD, QDD)
    for other in (pickle.loads(pickle.dumps(LEG)), copy.copy(LEG), copy.deepcopy(LEG)):
        assert other == LEG
        assert hash(other) == hash(LEG)
        assert set(vars(other)) == {"model", "threads", "dtype"}
        assert np.array_equal(other.inverse_dynamics(Q, QD, QDD), tau)


def test_a_function_outlives_its_robot_and_both_are_let_go():
    leg = two_links()
    call = leg.inverse_dynamics
    expected = call(Q, QD, QDD)
    alive = weakref.ref(leg)
    del leg
    gc.collect()
    assert np.array_equal(call(Q, QD, QDD), expected)
    assert_allclose(call([Q, Q], QD, QDD)[1], expected, rtol=ROUND_OFF)
    del call
    gc.collect()
    assert alive() is None


def test_a_subclass_may_extend_a_quantity():
    class Doubled(Robot):
        def gravity_torque(self, q: Any, *, out: Any = None) -> np.ndarray:
            return 2 * super().gravity_torque(q, out=out)

    doubled = Doubled(LEG.model)
    for _ in range(2):
        assert_allclose(doubled.gravity_torque(Q), 2 * LEG.gravity_torque(Q), rtol=ROUND_OFF)


def test_the_effective_mass_in_single_precision_is_that_in_double():
    single = LEG.with_options(dtype="float32").effective_mass(Q.astype(np.float32), TIP)
    double = LEG.effective_mass(Q, TIP)
    assert_allclose(single, double, rtol=0, atol=1000 * SINGLE * np.abs(double).max())


def test_a_robot_without_joints_left_has_empty_jacobians():
    statue = LEG.locked({HIP: 0.1, KNEE: 0.2})
    none = np.zeros(0)
    for axes in ("world", "local", "base"):
        assert statue.jacobian(none, TIP, axes).shape == (6, 0)
        assert statue.jacobian_rate(none, none, TIP, axes).shape == (6, 0)


def test_many_threads_may_ask_a_new_robot_at_once():
    leg = two_links()
    expected = LEG.inverse_dynamics(Q, QD, QDD)
    start = threading.Barrier(6)
    found: list[np.ndarray] = []

    def work(number: int) -> None:
        start.wait()
        for _ in range(50):
            found.append(leg.inverse_dynamics(Q, QD, QDD))
            found.append(leg.inverse_dynamics([Q], QD, QDD)[0])
        leg.mass_matrix(np.zeros((number + 1, 2)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 600
    assert_allclose(found, np.broadcast_to(expected, (600, 2)), rtol=ROUND_OFF)
