"""Batches through the compiled front: which are taken, that all are right, what they hold."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import tracemalloc
import warnings
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from watching import python_calls

from qddot import Kernel, record
from qddot.backends import fastcall
from qddot.backends import kernel as kernels
from qddot.errors import BadArgument

pytestmark = pytest.mark.skipif(
    not fastcall.as_assumed(), reason="this interpreter has no room for compiled functions"
)

PROGRAM = record(
    lambda q, k, R: {"t": np.sin(q) * k + q[::-1], "s": q @ q / k, "M": R @ R.T},
    "motion",
    q=(5,),
    k=(),
    R=(2, 3),
)
ONE = record(lambda q, p: np.sin(q[::-1]) * 2 + p[0], "one", q=(5,), p=(5,))
COUNTS = [1, 2, 7, 8, 9, 100]
SLACK = 20_000  # bytes that pools and counters of the interpreter may take


class Found(NamedTuple):
    t: Any
    s: Any
    M: Any


def arguments(*batch: int, dtype: str = "float64") -> list[np.ndarray]:
    rng = np.random.default_rng(len(batch))
    return [rng.uniform(-2, 2, (*batch, *port.shape)).astype(dtype) for port in PROGRAM.inputs]


def by_gufunc(kernel: Kernel, *arrays: Any) -> Any:
    """Return what the loop gives when NumPy calls it."""
    with np.errstate(all="ignore"):
        return kernel.gufunc(*(np.array(x, kernel.dtype, order="C") for x in arrays))


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, np.ndarray):
        found, expected = [found], [expected]
    pairs = list(zip(found, expected, strict=True))
    return all(x.shape == y.shape and x.dtype == y.dtype for x, y in pairs) and all(
        x.tobytes() == y.tobytes() for x, y in pairs
    )


# which batches are taken


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", COUNTS)
def test_rows_enter_no_python_and_are_those_of_the_gufunc(count: int, dtype: str):
    kernel = Kernel(PROGRAM, np.dtype(dtype), results=Found)
    q, k, R = arguments(count, dtype=dtype)
    for given in ((q, k, R), (q, k[:1].reshape(()), R), (q[0], k, R[0]), (q[0], k[0:1][0], R)):
        given = [np.asarray(x) for x in given]
        kernel.call(*given)
        with python_calls() as calls:
            found = kernel.call(*given)
        assert calls == []
        assert type(found) is Found
        assert same(found, by_gufunc(kernel, *given))
        assert all(x.flags.owndata and x.flags.writeable for x in found)


def test_results_go_where_they_are_wanted():
    kernel, given = Kernel(PROGRAM), arguments(9)
    expected = by_gufunc(kernel, *given)
    out = tuple(np.full_like(x, np.nan) for x in expected)
    for _ in range(2):
        with python_calls(Kernel.general) as calls:
            found = kernel.call(*given, out=out)
        assert calls == []
        assert all(x is y for x, y in zip(found, out, strict=True))
        assert same(out, expected)
        for x in out:
            x[...] = np.nan


def test_arrays_that_were_pickled_are_as_good_as_any():
    kernel, given = Kernel(PROGRAM), pickle.loads(pickle.dumps(arguments(9)))
    assert all(x.dtype is not kernel.dtype for x in given)
    for some in (given, [np.array(x[0]) for x in given], pickle.loads(pickle.dumps(given))):
        kernel.call(*some)
        with python_calls() as calls:
            kernel.call(*some)
        assert calls == []


def test_a_batch_that_is_worth_threads_takes_the_general_way(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernels, "WORTH_A_THREAD", 10 * len(PROGRAM))
    kernel = Kernel(PROGRAM, threads=2)
    assert kernel.at_once == 19
    for count in (19, 20, 41):
        with python_calls(Kernel.general) as calls:
            found = kernel.call(*arguments(count))
        assert len(calls) == (count > 19)
        assert same(found, by_gufunc(kernel, *arguments(count)))


# anything else


def swapped(x: np.ndarray) -> np.ndarray:
    return x.astype(x.dtype.newbyteorder())


def misaligned(x: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"..." + x.tobytes(), offset=3).reshape(x.shape)


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def every_second(x: np.ndarray) -> np.ndarray:
    return np.repeat(x, 2, axis=0)[::2]


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": np.ndarray.tolist,
    "tuple": lambda x: tuple(x),
    "every second": every_second,
    "columns": np.asfortranarray,
    "backwards": lambda x: x[::-1].copy()[::-1],
    "swapped": swapped,
    "misaligned": misaligned,
    "read-only": read_only,
    "long double": lambda x: x.astype(np.longdouble),
    "subclass": lambda x: x.view(np.recarray),
    "masked": np.ma.masked_array,
}


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_in_any_layout_give_the_same(layout: str, count: int):
    kernel, given = Kernel(PROGRAM), arguments(count)
    expected = by_gufunc(kernel, *given)
    for _ in range(2):
        for at in range(3):
            some = list(given)
            some[at] = LAYOUTS[layout](some[at])
            assert same(kernel.call(*some), expected)


@pytest.mark.parametrize(
    "batches",
    [
        [(2, 3), (2, 3), (2, 3)],
        [(2, 3), (1,), ()],
        [(2, 3), (3,), (1, 1)],
        [(6,), (1,), (6,)],
        [(2, 1), (3,), ()],
        [(1, 1), (), (1,)],
        [(0,), (), (1,)],
        [(2, 0), (1,), ()],
        [(1,), (0,), ()],
    ],
)
def test_any_batches_that_fit_together_give_what_numpy_makes_of_them(batches: list):
    kernel = Kernel(PROGRAM, results=Found)
    rng = np.random.default_rng(3)
    given = [
        rng.uniform(-1, 1, batch + port.shape)
        for batch, port in zip(batches, PROGRAM.inputs, strict=True)
    ]
    for _ in range(2):
        found = kernel.call(*given)
        assert type(found) is Found
        assert same(found, by_gufunc(kernel, *given))


@pytest.mark.parametrize("shift", [0, 1, -1, 5, -5, 20, 45, -45])
@pytest.mark.parametrize("which", [0, 1])
def test_results_may_overwrite_what_they_are_computed_from(shift: int, which: int):
    kernel = Kernel(ONE)
    memory = np.random.default_rng(4).normal(size=600)
    given = [memory[100:145].reshape(9, 5), np.random.default_rng(5).normal(size=(9, 5))]
    given = given[::-1] if which else given
    out = memory[100 + shift : 145 + shift].reshape(9, 5)
    kernel.call(*map(np.copy, given), out=np.empty((9, 5)))
    expected = by_gufunc(kernel, *map(np.copy, given))
    assert kernel.call(*given, out=out) is out
    assert same(out, expected)


def test_results_may_overwrite_a_state_that_stands_for_all():
    kernel, memory = Kernel(ONE), np.random.default_rng(4).normal(size=(20, 5))
    expected = by_gufunc(kernel, memory.copy(), memory[7].copy())
    kernel.call(memory.copy(), memory[7].copy(), out=np.empty((20, 5)))
    assert same(kernel.call(memory.copy(), memory[7], out=memory), expected)


def test_numbers_that_are_none_are_data_and_no_warnings():
    kernel, (q, k, R) = Kernel(PROGRAM), arguments(9)
    k[3], q[4], R[5] = 0.0, np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert same(kernel.call(q, k, R), by_gufunc(kernel, q, k, R))
            assert same(kernel.call(q.tolist(), k, R), by_gufunc(kernel, q, k, R))


# mistakes


def test_what_is_said_about_mistakes_is_said_after_quick_calls_too():
    kernel, (q, k, R) = Kernel(PROGRAM), arguments(4)
    out = tuple(np.empty((4, *port.shape)) for port in PROGRAM.outputs)
    t, s, M = out
    for _ in range(2):
        kernel.call(q, k, R)
        kernel.call(q, k, R, out=out)
        for arrays, words in (
            ((q[:, :4].copy(), k, R), r"q has shape \(4, 4\)"),
            ((q, k, R[:3]), "batches do not fit"),
            ((q, k), "takes 3 arrays"),
            ((q, k, "R"), "not an array of real numbers"),
            ((q + 1j, k, R), "not an array of real numbers"),
        ):
            with pytest.raises(BadArgument, match=words):
                kernel.call(*arrays)
        wrong: tuple[tuple[Any, str], ...] = (
            ((t[:3], s, M), "must be an array of shape"),
            ((t, s), "out has 2 arrays"),
            ((t, s, M, M), "out has 4 arrays"),
            (t, "out has 1 arrays"),
            ((t, s, read_only(M)), "read-only"),
            ((t, s.astype("f4"), M), "must be float64"),
        )
        for given, words in wrong:
            with pytest.raises(BadArgument, match=words):
                kernel.call(q, k, R, out=given)


def test_one_state_and_another_number_of_results_are_refused_too():
    kernel, (q, k, R) = Kernel(PROGRAM), [np.array(x[0]) for x in arguments(1)]
    t, s, M = (np.empty(port.shape) for port in PROGRAM.outputs)
    for out in (t, (t, s), (t, s, M, M)):
        for _ in range(2):
            with pytest.raises(BadArgument, match="out has"):
                kernel.call(q, k, R, out=out)


# memory and threads


@pytest.mark.parametrize("enough", [0, 10**9], ids=["others may run", "alone"])
def test_calls_hold_and_leave_nothing(enough: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fastcall, "WORTH_LETTING_GO", enough)
    kernel, given = Kernel(PROGRAM), arguments(6)
    out = tuple(np.empty((6, *port.shape)) for port in PROGRAM.outputs)
    held = [*given, *out, np.ndarray]

    def calls() -> None:
        assert kernel.call(*given)[0].shape == (6, 5)
        kernel.call(*given, out=out)
        kernel.call(given[0].tolist(), *given[1:])

    for _ in range(5):
        calls()
    gc.collect()
    before = [sys.getrefcount(x) for x in held]
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            calls()
        gc.collect()
        left = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    assert left < SLACK
    after = [sys.getrefcount(x) for x in held]
    assert after[:-1] == before[:-1]
    assert abs(after[-1] - before[-1]) < 100
    alone, plain = kernel.call(*given)[0], np.zeros((6, 5))
    assert sys.getrefcount(alone) == sys.getrefcount(plain)


def test_arrays_live_on_while_other_threads_let_go_of_them(monkeypatch: pytest.MonkeyPatch):
    """Those in a dict belong to it, and another thread may change it during a call."""
    import qddot

    monkeypatch.setattr(fastcall, "WORTH_LETTING_GO", 0)
    robot, count = qddot.Robot(qddot.load("two_link").model), 400
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, count, robot.n))
    loads = {robot.tip: np.ones((count, 6))}
    expected = robot.inverse_dynamics(q, qd, qdd, wrenches=loads)
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            loads[robot.tip] = np.ones((count, 6))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        right = [
            np.array_equal(robot.inverse_dynamics(q, qd, qdd, wrenches=loads), expected)
            for _ in range(300)
        ]
    finally:
        done.set()
        thread.join()
    assert all(right)


def test_a_kernel_that_has_computed_goes_at_once_with_its_last_user():
    kernel = Kernel(PROGRAM)
    kernel.general(*(x.tolist() for x in arguments(6)))
    alive = weakref.ref(kernel)
    del kernel
    assert alive() is None
