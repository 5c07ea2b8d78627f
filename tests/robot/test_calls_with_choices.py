"""Calls that name frames, axes, wrenches or results: quick as others, and never each other's."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nearness import ROUND_OFF
from numpy.testing import assert_allclose, assert_array_equal
from robot.leg import LEG, QD, QDD, TIP, Q, two_links
from watching import python_calls

import qddot
from qddot import Robot
from qddot.backends import fastcall
from qddot.errors import BadArgument, QddotError, UnknownName

pytestmark = pytest.mark.skipif(
    not fastcall.as_assumed(), reason="this interpreter has no room for compiled functions"
)

F, G, V, A = np.random.default_rng(1).normal(size=(4, 6))
D = np.array([0.3, -0.2])
POINT = np.array([0.1, 0.2, 0.3])
OTHER = LEG.frame_names[1]
SLACK = 20_000  # bytes that pools and counters of the interpreter may take

CALLS: dict[str, Callable[[Robot], Any]] = {
    "pose": lambda r: r.pose(Q, TIP),
    "pose of a name that is equal": lambda r: r.pose(Q, "".join(list(TIP))),
    "pose by keyword": lambda r: r.pose(Q, frame=TIP),
    "pose, all by keyword": lambda r: r.pose(frame=TIP, q=Q),
    "pose of another": lambda r: r.pose(Q, OTHER),
    "jacobian": lambda r: r.jacobian(Q, TIP),
    "jacobian, local": lambda r: r.jacobian(Q, TIP, "local"),
    "jacobian, axes by keyword": lambda r: r.jacobian(Q, TIP, axes="base"),
    "jacobian_rate": lambda r: r.jacobian_rate(Q, QD, TIP, axes="local"),
    "point_motion": lambda r: r.point_motion(Q, QD, QDD, TIP, POINT),
    "point_motion of the origin": lambda r: r.point_motion(Q, QD, QDD, TIP),
    "coriolis": lambda r: r.coriolis_matrix(Q, QD, form="newton_euler"),
    "keywords": lambda r: r.inverse_dynamics(Q, qdd=QDD, qd=QD),
    "none": lambda r: r.inverse_dynamics(Q, QD, QDD, wrenches=None, out=None),
    "wrench": lambda r: r.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F}),
    "local wrench": lambda r: r.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F}, axes="local"),
    "on the environment": lambda r: r.inverse_dynamics(
        Q, QD, QDD, wrenches={TIP: F}, wrenches_on="environment"
    ),
    "two wrenches": lambda r: r.forward_dynamics(Q, QD, D, wrenches={TIP: F, OTHER: G}),
    "the other way round": lambda r: r.forward_dynamics(Q, QD, D, wrenches={OTHER: G, TIP: F}),
    "disturbance": lambda r: r.bias_torque(Q, QD, disturbance=D),
    "moving base": lambda r: r.inverse_dynamics(Q, QD, QDD, base_motion=(V, A)),
    "all of it": lambda r: r.inverse_dynamics(
        Q, QD, QDD, base_motion=(V, A), disturbance=D, wrenches={TIP: F}
    ),
    "out": lambda r: r.jacobian(Q, TIP, out=np.empty((6, 2))),
    "two out": lambda r: r.inverse_dynamics_derivatives(
        Q, QD, QDD, out=(np.empty((2, 2)), np.empty((2, 2)))
    ),
}


def as_lists(x: Any) -> Any:
    """Return the same arguments in a form that only the general way takes."""
    return x.tolist() if isinstance(x, np.ndarray) else x


class General:
    """A robot whose methods get lists instead of arrays."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*args: Any, **kwargs: Any) -> Any:
            kwargs.pop("out", None)
            for key in ("wrenches", "base_motion"):
                if kwargs.get(key):
                    held = kwargs[key]
                    pairs = {k: as_lists(x) for k, x in held.items()} if key == "wrenches" else held
                    kwargs[key] = pairs if key == "wrenches" else tuple(map(as_lists, held))
            listed = {key: as_lists(x) for key, x in kwargs.items()}
            return getattr(LEG, name)(*map(as_lists, args), **listed)

        return method


@pytest.mark.parametrize("what", CALLS)
def test_the_second_call_enters_no_python_and_is_right(what: str):
    leg, call = two_links(), CALLS[what]
    expected, first = call(General()), call(leg)  # type: ignore[arg-type]
    with python_calls() as calls:
        again = call(leg)
    assert calls == []
    for found in (first, again):
        assert type(found) is type(expected)
        for x, y in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
            assert_allclose(x, y, rtol=ROUND_OFF, atol=ROUND_OFF)


def test_calls_of_all_layouts_side_by_side_are_never_taken_for_each_other():
    leg = two_links()
    for _ in range(3):
        for call in CALLS.values():
            found, expected = call(leg), call(General())  # type: ignore[arg-type]
            for x, y in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
                assert_allclose(x, y, rtol=ROUND_OFF, atol=ROUND_OFF)


def test_an_array_that_is_given_twice_at_first_is_not_taken_for_one():
    leg, same = two_links(), np.array([0.4, -0.3])
    wrench = np.ones(6)
    leg.inverse_dynamics(same, same, same, base_motion=(wrench, wrench), wrenches={TIP: wrench})
    found = leg.inverse_dynamics(Q, QD, QDD, base_motion=(V, A), wrenches={TIP: F})
    expected = LEG.inverse_dynamics([Q], QD, QDD, base_motion=(V, A), wrenches={TIP: F})[0]
    assert_allclose(found, expected, rtol=ROUND_OFF)


def test_what_is_said_about_mistakes_is_said_after_quick_calls_too():
    leg = two_links()
    for _ in range(2):
        leg.jacobian(Q, TIP)
        leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F})
        with pytest.raises(UnknownName, match="no frame named 'tipp'"):
            leg.jacobian(Q, "tipp")
        with pytest.raises(BadArgument, match="axes is 'wrld'"):
            leg.jacobian(Q, TIP, "wrld")
        with pytest.raises(QddotError, match=r"q has shape \(3,\)"):
            leg.jacobian(np.zeros(3), TIP)
        with pytest.raises(TypeError, match="frame"):
            leg.jacobian(Q)
        with pytest.raises(TypeError, match="multiple values"):
            leg.jacobian(Q, TIP, frame=TIP)
        with pytest.raises(UnknownName, match="no frame named 'x'"):
            leg.inverse_dynamics(Q, QD, QDD, wrenches={"x": F})
        with pytest.raises(BadArgument, match=r"has shape \(5,\)"):
            leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F[:5]})
        with pytest.raises(BadArgument, match="two arrays"):
            leg.inverse_dynamics(Q, QD, QDD, base_motion=(V, V, A))
        with pytest.raises(BadArgument, match="must name the frames"):
            leg.inverse_dynamics(Q, QD, QDD, wrenches=F)
        frame: Any = 3
        with pytest.raises(UnknownName):
            leg.pose(Q, frame)


def test_a_wrench_on_the_environment_is_minus_that_on_the_robot():
    for _ in range(2):
        found = LEG.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F}, wrenches_on="environment")
        assert_allclose(found, LEG.inverse_dynamics(Q, QD, QDD, wrenches={TIP: -F}))


def test_texts_and_dicts_of_other_types_take_the_general_way():
    class Text(str):
        __slots__ = ()

    class Loads(dict):
        pass

    leg = two_links()
    assert_array_equal(leg.pose(Q, TIP), leg.pose(Q, Text(TIP)))
    one = leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F})
    assert_allclose(leg.inverse_dynamics(Q, QD, QDD, wrenches=Loads({TIP: F})), one)
    assert_allclose(leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: F.tolist()}), one)


def test_batches_and_lists_go_along_with_choices():
    leg = two_links()
    leg.jacobian(Q, TIP, "local")
    many = leg.jacobian(np.stack([Q, QD]), TIP, "local")
    assert_allclose(many[0], leg.jacobian(Q, TIP, "local"), rtol=ROUND_OFF)
    assert_allclose(many[1], leg.jacobian(QD.tolist(), TIP, "local"), rtol=ROUND_OFF)
    wide = leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: np.stack([F, G])})
    assert_allclose(wide[1], leg.inverse_dynamics(Q, QD, QDD, wrenches={TIP: G}), rtol=ROUND_OFF)


def test_more_choices_than_are_kept_are_right_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fastcall, "MOST_LAYOUTS", 2)
    leg = two_links()
    for frame in LEG.frame_names * 2:
        assert_array_equal(leg.pose(Q, frame), LEG.pose(Q, frame))
    assert len(leg.pose.__self__[1].links) == 2


# results that are given


def test_a_result_goes_where_it_is_wanted_and_comes_back():
    leg, out = two_links(), np.empty(2)
    for _ in range(3):
        assert leg.inverse_dynamics(Q, QD, QDD, out=out) is out
    before = sys.getrefcount(out)
    for _ in range(100):
        leg.inverse_dynamics(Q, QD, QDD, out=out)
    assert sys.getrefcount(out) == before
    assert_array_equal(out, LEG.inverse_dynamics(Q, QD, QDD))


def test_results_may_overwrite_what_they_are_computed_from():
    leg, memory = two_links(), np.zeros(4)
    leg.inverse_dynamics(Q, QD, QDD, out=np.empty(2))
    for start in range(3):
        memory[start : start + 2] = QD
        found = leg.inverse_dynamics(Q, memory[start : start + 2], QDD, out=memory[1:3])
        assert_array_equal(found, LEG.inverse_dynamics(Q, QD, QDD))


def test_a_result_that_does_not_fit_is_refused():
    leg = two_links()
    leg.inverse_dynamics(Q, QD, QDD, out=np.empty(2))
    fixed = np.empty(2)
    fixed.flags.writeable = False
    for out, words in (
        (fixed, "read-only"),
        (np.empty(3), "must be an array of shape"),
        (np.empty(2, np.float32), "must be float64"),
        ([0.0, 0.0], "out has 2 arrays"),
    ):
        with pytest.raises(BadArgument, match=words):
            leg.inverse_dynamics(Q, QD, QDD, out=out)


# memory and threads


def test_nothing_is_left_of_many_calls():
    leg, held = two_links(), [Q, F, V, A, TIP, D]
    calls = list(CALLS.values())
    for call in calls * 2:
        call(leg)
    gc.collect()
    before = [sys.getrefcount(x) for x in held]
    tracemalloc.start()
    try:
        gc.collect()
        start = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            for call in calls:
                call(leg)
        gc.collect()
        left = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    assert left < SLACK
    assert [sys.getrefcount(x) for x in held] == before


def test_texts_live_as_long_as_what_compares_with_them():
    leg = two_links()
    for _ in range(2):
        leg.pose(Q, "".join(list(TIP)))
    gc.collect()
    junk = ["x" * k for k in range(2000)]  # takes the place of anything that was let go
    assert_array_equal(leg.pose(Q, TIP), LEG.pose(Q, TIP))
    assert len(junk) == 2000


def test_threads_may_bring_new_choices_at_once():
    leg, start = two_links(), threading.Barrier(6)
    found: list[bool] = []

    def work(number: int) -> None:
        start.wait()
        for k in range(60):
            frame = LEG.frame_names[(k + number) % len(LEG.frame_names)]
            found.append(np.array_equal(leg.pose(Q, frame), LEG.pose(Q, frame)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [True] * 360


def test_a_robot_with_links_goes_when_nobody_needs_it():
    def engines() -> int:
        from llvmlite.binding import ExecutionEngine

        gc.collect()
        return sum(type(each) is ExecutionEngine for each in gc.get_objects())

    rows = [{"a": 0.4321, "mass": 1.0}, {"a": 0.1234, "mass": 1.0}]  # nobody else has this arm
    arm = qddot.from_dh(rows, "standard")
    before = engines()
    for frame in arm.frame_names:
        arm.pose(np.zeros(2), frame)
    assert engines() > before
    del arm
    assert engines() <= before
