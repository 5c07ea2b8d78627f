"""The compiled front for one state: when it is taken, what it keeps alive, who may call it."""

from __future__ import annotations

import copy
import gc
import inspect
import io
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from faults import no_compiler
from llvmlite.binding import ExecutionEngine
from nearness import LAST_DIGIT
from watching import python_calls

from qddot import Kernel, record
from qddot.backends import fastcall
from qddot.errors import BadArgument

pytestmark = pytest.mark.skipif(
    not fastcall.as_assumed(), reason="this interpreter has no room for compiled functions"
)

PROGRAM = record(
    lambda q, k: {"t": np.sin(q) * k + q[::-1], "s": q @ q, "M": q[:, None] * q},
    "motion",
    q=(3,),
    k=(),
)
Q, K = np.array([0.1, -0.2, 0.3]), np.array(2.0)
EXPECTED = [np.asarray(x, dtype=float) for x in PROGRAM(Q, 2.0)]

# what a call may leave behind: pools and counters of the interpreter, not a byte a call
SLACK = 20_000  # bytes
CALLS = 100_000


def right(found: Any) -> bool:
    pairs = zip(found, EXPECTED, strict=True)
    return all(np.abs(np.asarray(x) - y).max() <= LAST_DIGIT for x, y in pairs)


@pytest.fixture
def general() -> Iterator[list[str]]:
    """Give the list of calls that take the general way, as they happen."""
    with python_calls(Kernel.general) as calls:
        yield calls


# which way is taken


def test_an_exact_call_does_not_enter_the_general_way(general: list[str]):
    kernel = Kernel(PROGRAM)
    assert all(right(kernel(Q, K)) for _ in range(10))
    assert general == []


def swapped(x: np.ndarray) -> np.ndarray:
    return x.astype(x.dtype.newbyteorder())


@pytest.mark.parametrize(
    "q",
    [
        Q.tolist(),
        tuple(Q),
        Q[None, None],
        np.repeat(Q, 2)[::2],
        Q[::-1].copy()[::-1],
        swapped(Q),
        Q.astype(np.longdouble),
        np.frombuffer(b"..." + Q.tobytes(), offset=3),
        Q.view(np.recarray),
        np.ma.masked_array(Q),
        memoryview(Q),
    ],
)
def test_anything_unusual_takes_the_general_way_and_is_right(q: Any, general: list[str]):
    kernel = Kernel(PROGRAM)
    kernel(Q, K)
    found = kernel(q, K)
    assert len(general) == 1
    assert right([np.reshape(x, np.shape(y)) for x, y in zip(found, EXPECTED, strict=True)])


def test_scalars_take_the_general_way(general: list[str]):
    kernel = Kernel(PROGRAM)
    assert right(kernel(Q, K))
    assert right(kernel(Q, 2.0))
    assert right(kernel(Q, np.float64(2)))
    assert len(general) == 2


def test_a_read_only_state_is_as_good_as_any(general: list[str]):
    q = Q.copy()
    q.flags.writeable = False
    assert right(Kernel(PROGRAM)(q, K))
    assert general == []


def test_arrays_of_the_other_precision_are_converted():
    single = Kernel(PROGRAM, np.dtype("float32"))
    found = single(Q.astype("float32"), K.astype("float32"))
    assert [np.asarray(x).dtype.name for x in found[::2]] == ["float32"] * 2
    assert np.allclose(found[0], EXPECTED[0], atol=1e-7)
    assert np.array_equal(single(Q, K)[0], found[0])
    assert np.allclose(Kernel(PROGRAM)(Q.astype("float32"), K)[0], EXPECTED[0], atol=1e-7)


def test_errors_come_through_as_they_are():
    kernel = Kernel(PROGRAM)
    kernel(Q, K)
    with pytest.raises(BadArgument, match=r"q has shape \(2,\)"):
        kernel(Q[:2], K)
    with pytest.raises(BadArgument, match="takes 2 arrays"):
        kernel(Q)
    with pytest.raises(TypeError, match="unexpected keyword"):
        kernel.call(Q, K, speed=1)


def test_results_are_new_arrays_that_own_their_memory():
    kernel = Kernel(PROGRAM)
    first, second = kernel(Q, K), kernel(Q, K)
    assert not np.may_share_memory(first[0], second[0])
    assert first[2].flags.owndata
    assert first[2].flags.writeable
    assert first[2].flags.c_contiguous
    assert type(first) is tuple
    assert type(first[1]) is np.float64


def test_a_result_may_have_any_rank():
    program = record(lambda q: q[:, None, None, None] * np.arange(24.0).reshape(2, 3, 4), q=(2,))
    found = Kernel(program)(np.array([1.0, 2.0]))
    assert np.array_equal(found, program([1.0, 2.0]))


# when it is compiled


def test_looking_at_a_function_compiles_nothing(monkeypatch: pytest.MonkeyPatch):
    no_compiler(monkeypatch)
    call = Kernel(PROGRAM).call
    assert call.__name__ == "motion"
    assert "motion" in repr(call)


def test_a_batch_does_not_compile_the_code_for_one_state(monkeypatch: pytest.MonkeyPatch):
    kernel = Kernel(PROGRAM)
    kernel(np.stack([Q, Q]), K)
    kernel([Q.tolist()], 2)
    assert "one_state" not in vars(kernel)
    kernel(Q, K)
    _, front, _ = kernel.call.__self__
    assert len(front.links) == 1
    assert "one_state" in vars(kernel)


def test_one_state_does_not_compile_the_code_for_batches(monkeypatch: pytest.MonkeyPatch):
    kernel = Kernel(PROGRAM)
    assert right(kernel(Q, K))
    assert "gufunc" not in vars(kernel)


def test_a_function_that_was_kept_becomes_quick_with_the_first_call(general: list[str]):
    """As in f = robot.inverse_dynamics before a loop."""
    call = Kernel(PROGRAM).call
    assert all(right(call(Q, K)) for _ in range(3))
    assert general == []


def test_signature_and_text_are_those_of_the_general_way():
    call = Kernel(PROGRAM).call
    assert str(inspect.signature(call)) == "(*arrays, out=None)"
    assert call.__doc__ == inspect.getdoc(Kernel.general)


def test_what_an_interpreter_without_room_gets_is_the_general_way(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fastcall, "as_assumed", lambda: False)
    kernel = Kernel(PROGRAM)
    assert kernel.call == kernel.general
    assert right(kernel(Q, K))


@pytest.mark.parametrize("stderr", [None, "closed"])
def test_a_process_without_stderr_compiles_as_well(
    stderr: str | None, monkeypatch: pytest.MonkeyPatch
):
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stderr", stream if stderr else None)
    kernel = Kernel(PROGRAM)
    assert right(kernel(Q, K))
    assert right(kernel.general(Q, K))


# memory


@pytest.mark.parametrize(
    "arrays",
    [(Q, K), (Q.tolist(), 2.0), (np.stack([Q] * 3), K)],
    ids=["exact", "general", "batch"],
)
def test_calls_leave_nothing_behind(arrays: tuple):
    kernel = Kernel(PROGRAM)
    count = CALLS if arrays[0] is Q else CALLS // 50
    assert leaked(lambda: kernel(*arrays), count) < SLACK


def test_failing_calls_leave_nothing_behind():
    kernel = Kernel(PROGRAM)
    kernel(Q, K)

    def fail() -> None:
        for arrays in ((Q[:2], K), (Q,), (Q, "k"), (Q, np.zeros((2, 2)), K)):
            with pytest.raises(BadArgument):
                kernel(*arrays)

    assert leaked(fail, 300) < SLACK


def test_arguments_are_not_held_after_a_call():
    kernel = Kernel(PROGRAM)
    q, k = Q.copy(), K.copy()
    before = sys.getrefcount(q), sys.getrefcount(k)
    for _ in range(100):
        kernel(q, k)
        kernel(q, [2.0])
    assert (sys.getrefcount(q), sys.getrefcount(k)) == before


def test_results_are_held_by_their_owner_alone():
    made, plain = Kernel(PROGRAM)(Q, K), (np.zeros(3), 1.5, np.zeros((3, 3)))
    counts = [[sys.getrefcount(x) for x in results] for results in (made, plain)]
    assert counts[0][::2] == counts[1][::2]
    alone, other = Kernel(record(lambda q: q * 2, q=(3,)))(Q), np.zeros(3)
    assert sys.getrefcount(alone) == sys.getrefcount(other)


def test_the_types_of_arrays_are_not_used_up():
    """Every new array borrows the type and the dtype, and has to give them back."""
    kernel = Kernel(PROGRAM)
    kernel(Q, K)
    before = sys.getrefcount(np.ndarray), sys.getrefcount(np.dtype(np.float64))
    for _ in range(10_000):
        kernel(Q, K)
    after = sys.getrefcount(np.ndarray), sys.getrefcount(np.dtype(np.float64))
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 100


def leaked(call: Any, count: int) -> int:
    """Return the bytes that many calls leave allocated, NumPy's included."""
    for _ in range(10):
        call()
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            call()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


# what lives how long


def test_a_function_outlives_the_kernel_it_came_from():
    kernel = Kernel(PROGRAM)
    kernel(Q, K)
    call, gufunc = kernel.call, kernel.gufunc
    del kernel
    gc.collect()
    assert right(call(Q, K))
    assert right(call(Q.tolist(), 2))
    assert right(gufunc(Q, K))


def test_a_gufunc_outlives_everything_else():
    gufunc = Kernel(PROGRAM).gufunc
    gc.collect()
    assert right(gufunc(Q, K))
    assert [x.shape[0] for x in gufunc(np.stack([Q] * 9), K)] == [9] * 3


def test_compiled_code_goes_with_the_last_that_needs_it():
    """Thousands of variants of a robot must not fill the memory with code nobody can call."""

    def engines() -> int:
        gc.collect()
        return sum(type(each) is ExecutionEngine for each in gc.get_objects())

    before = engines()
    kernel = Kernel(PROGRAM)
    call, gufunc = kernel.call, kernel.gufunc
    call(Q, K)
    assert engines() == before + 3  # of the batch, of one state, of its call
    del kernel
    assert engines() == before + 3
    del call, gufunc
    assert engines() == before


def test_making_and_dropping_kernels_does_not_crash():
    for _ in range(30):
        kernel = Kernel(PROGRAM)
        assert right(kernel(Q, K))
        assert right(kernel.general(Q, K))
        del kernel
        gc.collect(0)


def test_code_outlives_the_finalizers_of_a_cycle_that_calls_it():
    """The collector finalizes a cycle in any order, and a crash is no way to say so."""
    said: list[Any] = []

    class Caller:
        def __init__(self) -> None:
            self.kernel, self.itself = Kernel(PROGRAM), self
            self.batch, self.one = self.kernel.general(Q, K), self.kernel(Q, K)

        def __del__(self) -> None:
            said.append(right(self.kernel(Q, K)) and right(self.kernel.general(Q, K)))

    Caller()
    gc.collect()
    assert said == [True]


def test_a_single_number_has_the_same_type_whichever_way_it_was_computed():
    for dtype in (np.float64, np.float32):
        kernel = Kernel(record(lambda q: -(q @ q), q=(3,)), np.dtype(dtype))
        for q in (Q.astype(dtype), np.zeros(3, dtype)):
            short, long = kernel(q), kernel.general(q)
            assert type(short) is type(long) is dtype
            assert short.tobytes() == long.tobytes()


def test_a_kernel_is_pickled_and_copied_without_its_code():
    kernel = Kernel(PROGRAM, threads=2)
    kernel(Q, K)
    kernel.general(Q, K)
    for other in (pickle.loads(pickle.dumps(kernel)), copy.copy(kernel), copy.deepcopy(kernel)):
        assert other == kernel
        assert "call" not in vars(other)
        assert right(other(Q, K))


# threads and processes


def test_many_threads_may_make_the_first_call_at_once():
    kernel = Kernel(PROGRAM)
    start = threading.Barrier(8)
    found: list[bool] = []

    def work() -> None:
        start.wait()
        for _ in range(200):
            found.append(right(kernel(Q, K)))
        found.append(right([x[0] for x in kernel(Q[None], K)]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 * 201
    assert all(found)


FORK = """
import os, threading
import numpy as np
from qddot import Kernel, record
from qddot.backends import kernel as kernels

kernels.WORTH_A_THREAD = 10
program = record(lambda q: np.sin(q) * 2, q=(3,))
kernel = Kernel(program, threads=2)
q = np.arange(3000.0).reshape(1000, 3)
expected = kernel(q)                    # the threads of the parent are running now
assert [t for t in threading.enumerate() if t.name.startswith("qddot")]
for _ in range(5):
    child = os.fork()
    if child == 0:
        same = np.array_equal(kernel(q), expected) and np.array_equal(kernel(q[0]), expected[0])
        fresh = Kernel(program, threads=2)
        os._exit(0 if same and np.array_equal(fresh(q), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
assert np.array_equal(kernel(q), expected)
"""

POOL = """
import multiprocessing
import numpy as np
from qddot import Kernel, record
from qddot.backends import kernel as kernels

kernels.WORTH_A_THREAD = 10
kernel = Kernel(record(lambda q: np.sin(q) * 2, q=(3,)), threads=2)

def work(seed):
    q = np.random.default_rng(seed).normal(size=(100, 3))
    return bool(np.allclose(kernel(q), np.sin(q) * 2))

if __name__ == "__main__":
    assert work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(pool.map(work, range(20)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("code", [FORK, POOL], ids=["os.fork", "multiprocessing"])
def test_a_forked_process_computes_after_threads_were_used(code: str):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
