"""Kernels give what the program they came from gives, whatever the arrays they are handed."""

from __future__ import annotations

import math
import platform
import warnings
from collections.abc import Callable
from typing import Any

import faults
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import ACCURATE, SINGLE, assert_close
from numpy.testing import assert_allclose
from translated import SMOOTH

from qddot import Kernel, record
from qddot.backends import kernel as kernels
from qddot.backends import llvm, threads
from qddot.backends.loops import batch_lanes
from qddot.errors import BadArgument
from qddot.program import Program
from qddot.program.operations import OPERATIONS

# fused and in another order than NumPy's
NEAR = {"float64": ACCURATE, "float32": SINGLE}
# one operation: a unit or two in the last place, ours and NumPy's
ONE_OPERATION = {"float64": 1e-15, "float32": 6e-7}
TYPES = tuple(NEAR)
GUARD = -77.0  # what memory that is none of the kernel's business holds


def motion(q: Any, k: Any, R: Any) -> dict[str, Any]:
    """Take and give arrays of several ranks, with rows that are no multiple of four."""
    t = np.sin(q) * k + np.cos(q[::-1]) - q
    return {"t": t, "s": t @ q + k, "M": (R * k) @ R.T, "one": np.ones(2)}


MOTION = record(motion, q=(5,), k=(), R=(2, 3))
SHAPES = {"q": (5,), "k": (), "R": (2, 3)}


def arguments(batch: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, batch + shape).astype(dtype) for shape in SHAPES.values()]


def assert_same(found: Any, expected: Any, dtype: str = "float64") -> None:
    """Assert that several outputs agree, in shape, type and value."""
    for mine, other in zip(found, expected, strict=True):
        assert np.shape(mine) == np.shape(other)
        assert_close(mine, other, NEAR[dtype])


def numbers(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, dtype=float) for array in arrays]


@pytest.fixture(scope="module", params=TYPES)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    return Kernel(MOTION, np.dtype(request.param))


# every operation

OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    **SMOOTH,
    "floor": lambda a, b: np.floor(a),
    "abs": lambda a, b: abs(b),
    "sign": lambda a, b: np.sign(b),
    "min": lambda a, b: np.minimum(a, b),
    "max": lambda a, b: np.maximum(a, b),
    "less": lambda a, b: (a < b) * 1,
    "less_equal": lambda a, b: (a <= b) * 1,
    "select": lambda a, b: np.where(a, b, 2.0),
}
# signs, zeros, equal numbers, the tiny, the large, and what is no number
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, -1e-12, 1e30, math.inf, -math.inf, math.nan])


def test_every_operation_is_tried_here():
    assert OF_TWO.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", OF_TWO)
def test_a_compiled_operation_is_that_of_the_program(name: str, dtype: str):
    program = record(OF_TWO[name], a=(), b=())
    assert name in program.counts()
    small = np.array([1e-3, 1e-8, 3.0, 0.7]) if name in ("tanh", "sin") else np.array([3.0, 0.7])
    a, b = (x.ravel().astype(dtype) for x in np.meshgrid(np.append(EDGES, small), EDGES))
    compiled = Kernel(program, np.dtype(dtype))
    with np.errstate(all="ignore"):
        expected = np.asarray(program(a, b), dtype)
        if name in ("sin", "cos"):  # 1e30 is no angle, see sincos.py
            expected[np.abs(a) > 1e14] = math.nan
    tolerance = {"rtol": ONE_OPERATION[dtype], "atol": 0 if dtype == "float64" else 1e-37}
    assert_allclose(compiled.general(a, b), expected, **tolerance)
    alone = [compiled(x, y) for x, y in zip(boxes(a), boxes(b), strict=True)]
    assert_allclose(np.array(alone, dtype), expected, **tolerance)


def boxes(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays without axes, which is what one state of a scalar is."""
    return [np.array(entry) for entry in x]


def test_numbers_that_are_none_are_data_and_no_warnings():
    program = record(lambda q: np.where(q > 0, np.log(q), 0) + np.sign(q) / q + np.sin(q), q=(4,))
    compiled = Kernel(program)
    q = np.array([1.0, 0.0, -1.0, math.nan])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for found in (compiled(q), compiled.general(q), compiled.general(np.stack([q, q]))[1]):
            assert np.isnan(found).tolist() == [False, True, False, True]


# every number of states


@pytest.mark.parametrize("count", [*range(18), 31, 32, 33, 63, 64, 65, 1000])
def test_any_number_of_states_gives_what_the_program_gives(kernel: Kernel, count: int):
    dtype = kernel.dtype.name
    given = arguments((count,), dtype, count)
    assert_same(kernel.general(*given), MOTION(*numbers(*given)), dtype)


def test_one_state_gives_what_the_program_gives(kernel: Kernel):
    dtype = kernel.dtype.name
    given = arguments((), dtype)
    expected = MOTION(*numbers(*given))
    assert_same(kernel(*given), expected, dtype)
    assert_same(kernel.general(*given), expected, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_long_rows_of_little_work_take_half_of_the_lanes(dtype: str):
    """They go out in blocks that leave room in the nearest cache."""
    single = dtype == "float32"
    widest = 16 if single else 8
    scales = np.arange(1.0, 74).reshape(1, 73)
    long = record(lambda q: q[:, None] * scales, q=(7,))
    much = record(lambda q: sum(np.sin(k + q[:, None] * scales) for k in range(4)), q=(7,))
    found = [batch_lanes(program, 8, single).count for program in (long, much, MOTION)]
    assert found == [widest // 2, *([widest] * 2)]
    assert batch_lanes(long, 4, single=False).count == 4  # never fewer than are transposed at once
    compiled = Kernel(long, np.dtype(dtype))
    for count in (*range(18), 33):
        q = np.random.default_rng(count).normal(size=(count, 7)).astype(dtype)
        memory = np.full((count + 2, 7, 73), GUARD, dtype)
        assert_close(compiled.general(q, out=memory[1:-1]), long(q.astype(float)), NEAR[dtype])
        assert np.all(memory[[0, -1]] == GUARD)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 9, 13])
def test_rows_of_any_length_come_in_and_go_out(size: int, dtype: str):
    """Rows are loaded four entries at a time; these lengths have every kind of rest."""
    scale = np.arange(1.0, size + 1)
    program = record(lambda q: {"a": q[::-1] * scale, "b": q[:1], "c": q}, q=(size,))
    q = np.random.default_rng(size).normal(size=(19, size)).astype(dtype)
    assert_same(Kernel(program, np.dtype(dtype)).general(q), program(q.astype(float)), dtype)


@given(seed=st.integers(0, 2**32 - 1))
def test_batches_broadcast_like_those_of_numpy(seed: int):
    """Any leading axes that fit together; the batch is what NumPy makes of them."""
    rng = np.random.default_rng(seed)
    batch = tuple(int(n) for n in rng.integers(0, 4, rng.integers(0, 4)))
    given = []
    for shape in SHAPES.values():
        own = [n if rng.random() < 0.6 else 1 for n in batch][rng.integers(0, len(batch) + 1) :]
        given.append(rng.uniform(-2, 2, (*own, *shape)))
    leading = [x.shape[: x.ndim - len(s)] for x, s in zip(given, SHAPES.values(), strict=True)]
    whole = np.broadcast_shapes(*leading)
    pairs = zip(given, SHAPES.values(), strict=True)
    expected = MOTION(*(np.broadcast_to(x, whole + shape) for x, shape in pairs))
    assert_same(WIDE.general(*given), expected)


WIDE = Kernel(MOTION)


@pytest.mark.parametrize("batch", [(0,), (0, 3), (3, 0), (1, 0, 2)])
def test_a_batch_of_nothing_gives_nothing(kernel: Kernel, batch: tuple[int, ...]):
    shapes = [x.shape for x in kernel.general(*arguments(batch, kernel.dtype.name))]
    assert shapes == [batch + shape for shape in ((5,), (), (2, 2), (2,))]


def test_many_leading_axes_are_many_leading_axes():
    given = arguments((1,) * 40)
    found = WIDE.general(*given)
    assert [x.shape for x in found] == [(1,) * 40 + tail for tail in ((5,), (), (2, 2), (2,))]
    first = (0,) * 40
    assert_same([x[first] for x in found], MOTION(*(x[first] for x in given)))


def test_a_state_repeated_without_memory_is_not_copied_out():
    """A million times the same state by stride 0: only the result takes memory."""
    q, k, R = arguments(())
    many = np.broadcast_to(q, (100_000, 5))
    t = WIDE.general(many, k, R)[0]
    assert np.array_equal(t, np.broadcast_to(t[0], t.shape))
    assert_same([t[0]], [MOTION(q, k, R)[0]])


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_arrays_without_entries_come_in_and_go_out(shape: tuple[int, ...]):
    """A robot without joints has such arrays."""
    program = record(lambda e, q: {"same": e * 2, "sum": q.sum(), "e": e}, e=shape, q=(2,))
    compiled = Kernel(program)
    for batch in ((), (3,), (2, 0)):
        found = compiled(np.zeros(batch + shape), np.ones((*batch, 2)))
        assert [np.shape(x) for x in found] == [batch + shape, batch, batch + shape]
        assert np.all(np.asarray(found[1]) == 2)
    nothing = Kernel(record(lambda e: e, e=shape))
    assert nothing([np.zeros(shape)] * 3).shape == (3, *shape)
    constant = Kernel(record(lambda e: np.array([1.0, 2.0]), e=shape))
    assert np.array_equal(constant(np.zeros((3, *shape))), [[1, 2]] * 3)


def test_a_program_without_inputs_is_a_constant():
    compiled = Kernel(record(lambda: {"a": np.arange(3.0), "b": 2.0}))
    for found in (compiled(), compiled.general()):
        assert np.array_equal(found[0], [0, 1, 2])
        assert found[1] == 2.0


def test_a_constant_too_large_for_float32_is_infinite():
    assert Kernel(record(lambda x: x * 1e39, x=()), np.dtype("float32"))([1.0]) == [math.inf]


# pieces and threads


@pytest.mark.parametrize("threads", [1, 2, 3, 64])
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 63, 64, 65, 257])
def test_a_batch_in_pieces_is_the_batch_in_one(
    threads: int, count: int, monkeypatch: pytest.MonkeyPatch
):
    """Thresholds so low that every batch is split among threads and into rounds."""
    pieces: list[int] = []
    whole = Kernel._piece

    def counted(self: Kernel, inputs: Any, outputs: Any) -> None:
        pieces.append(len(outputs[0]))
        whole(self, inputs, outputs)

    monkeypatch.setattr(kernels, "WORTH_A_THREAD", 10 * len(MOTION))
    monkeypatch.setattr(kernels, "WORTH_A_WORD", 20 * len(MOTION))
    monkeypatch.setattr(Kernel, "_piece", counted)
    given = arguments((count,), seed=count)
    kernel = Kernel(MOTION, threads=threads)
    assert_same(kernel.general(*given), MOTION(*given))
    assert kernel.at_once == 19
    assert sum(pieces) == (count if count > 19 else 0)
    assert len(pieces) > 1 or count < 40


@pytest.mark.parametrize("batch", [(3, 70), (70, 3), (1, 90), (2, 5, 30)])
def test_pieces_are_cut_along_the_longest_axis(
    batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kernels, "WORTH_A_THREAD", 10)
    q, k, R = arguments(batch)
    k, R = k[..., :1], R[0]  # broadcast along the axis, and without it
    expected = MOTION(q, np.broadcast_to(k, batch), np.broadcast_to(R, (*batch, 2, 3)))
    assert_same(Kernel(MOTION, threads=4).general(q, k, R), expected)


@pytest.mark.parametrize("beyond", [-1, 0, 1, 12_001])
def test_around_the_real_threshold_of_a_second_thread(beyond: int):
    def long(q: Any) -> Any:
        for k in range(250):
            q = q * 0.999 + 0.001 * k
        return q

    program = record(long, q=(2,))
    count = 2 * kernels.WORTH_A_THREAD // len(program) + beyond
    q = np.random.default_rng(count).normal(size=(count, 2))
    alone, two = Kernel(program, threads=1), Kernel(program, threads=2)
    assert np.array_equal(alone.general(q), two.general(q))


def test_an_error_in_another_thread_is_raised_here_after_all_are_done():
    done: list[int] = []

    def piece(k: int) -> None:
        if k == 1:
            raise MemoryError("no room")
        done.append(k)

    with pytest.raises(MemoryError, match="no room"):
        threads.in_rounds("a test", piece, 6, 3)
    assert sorted(done) == [0, 2]
    threads.in_rounds("a test", done.append, 7, 3)
    assert sorted(done[2:]) == list(range(7))


# memory layouts


def layouts(x: np.ndarray) -> dict[str, Any]:
    """Return the same numbers in every layout and type that hold them."""
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), GUARD, x.dtype)
    wide[..., ::2] = x
    tall = np.full((2 * len(x), *x.shape[1:]), GUARD, x.dtype)
    tall[1::2] = x
    read_only = x.copy()
    read_only.flags.writeable = False
    raw = bytearray(3 + x.nbytes)
    raw[3:] = x.tobytes()
    misaligned = np.frombuffer(raw, x.dtype, offset=3).reshape(x.shape)
    assert not misaligned.flags.aligned
    packed = np.zeros(x.shape, [("tag", "u1"), ("x", x.dtype)])  # rows that start at odd places
    packed["x"] = x
    return {
        "as it is": x,
        "every second row": tall[1::2],
        "every second entry": wide[..., ::2],
        "Fortran order": np.asfortranarray(x),
        "rows backwards": x[::-1].copy()[::-1],
        "entries backwards": x[..., ::-1].copy()[..., ::-1],
        "transposed": np.ascontiguousarray(x.T).T,
        "read-only": read_only,
        "misaligned": misaligned,
        "in records": packed["x"],
        "byte-swapped": x.astype(x.dtype.newbyteorder()),
        "long double": x.astype(np.longdouble),
        "lists": x.tolist(),
        "a subclass": x.view(Stubborn),
    }


class Stubborn(np.ndarray):
    """An array that refuses to take part in NumPy's functions."""

    __array_ufunc__ = None


@pytest.mark.parametrize("layout", layouts(np.zeros((2, 5))))
@pytest.mark.parametrize("count", [1, 9])
def test_an_array_in_any_layout_gives_the_same(kernel: Kernel, layout: str, count: int):
    dtype = kernel.dtype.name
    q, k, R = arguments((count,), dtype)
    expected = MOTION(*numbers(q, k, R))
    assert_same(kernel(layouts(q)[layout], k, R), expected, dtype)
    assert_same(kernel(q, k, layouts(R)[layout]), expected, dtype)


@pytest.mark.parametrize("layout", layouts(np.zeros((2, 5))))
def test_one_state_in_any_layout_gives_the_same(kernel: Kernel, layout: str):
    dtype = kernel.dtype.name
    q, k, R = arguments((), dtype)
    expected = MOTION(*numbers(q, k, R))
    found = kernel(layouts(q[None])[layout][0], k, layouts(R)[layout])
    assert_same(found, expected, dtype)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64", "bool", "float16", "float32"])
def test_numbers_of_any_type_are_taken(dtype: str):
    q = np.array([[0, 1, 1, 0, 1], [1, 0, 1, 1, 1]]).astype(dtype)
    assert_same(
        WIDE(q, 2, [[1, 2, 3], [True, 0, 1]]), MOTION(q.astype(float), 2.0, [[1, 2, 3], [1, 0, 1]])
    )


# out


@pytest.mark.parametrize("batch", [(), (1,), (9,), (3, 7)])
def test_out_is_filled_and_returned(kernel: Kernel, batch: tuple[int, ...]):
    dtype = kernel.dtype.name
    given = arguments(batch, dtype)
    out = tuple(np.full(batch + shape, GUARD, dtype) for shape in ((5,), (), (2, 2), (2,)))
    found = kernel(*given, out=out)
    assert all(mine is other for mine, other in zip(found, out, strict=True))
    assert_same(out, MOTION(*numbers(*given)), dtype)


@pytest.mark.parametrize("count", [3, 4000])
def test_several_results_are_arrays_of_their_own(kernel: Kernel, count: int):
    """Also where they lie in one block of memory."""
    given = arguments((count,), kernel.dtype.name)
    found = kernel.general(*given)
    expected = [x.copy() for x in found]
    for k, result in enumerate(found):
        assert result.flags.carray
        result[...] = GUARD
        for mine, other in list(zip(found, expected, strict=True))[k + 1 :]:
            assert np.array_equal(mine, other)


def windows() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Return ways to see a batch of 9 rows of 5 within a larger array of 40 rows of 24."""
    return {
        "rows within": lambda a: a[10:19, 4:9],
        "every third row": lambda a: a[1:28:3, 3:8],
        "every second entry": lambda a: a[2:11, 1:11:2],
        "rows backwards": lambda a: a[20:11:-1, 6:11],
        "entries backwards": lambda a: a[20:29, 10:5:-1],
        "transposed": lambda a: a[4:9, 2:11].T,
        "one column apart": lambda a: a[0:36:4, 0:20:4],
    }


@pytest.mark.parametrize("window", windows())
def test_nothing_is_written_outside_out(kernel: Kernel, window: str):
    dtype = kernel.dtype.name
    program = record(lambda q: np.sin(q) + q[::-1], q=(5,))
    compiled = Kernel(program, kernel.dtype)
    q = arguments((9,), dtype)[0]
    around = np.full((40, 24), GUARD, dtype)
    out = windows()[window](around)
    assert compiled.general(q, out=out) is out
    assert_close(out, program(q.astype(float)), NEAR[dtype])
    out[...] = GUARD
    assert np.all(around == GUARD)


@pytest.mark.parametrize("count", [*range(1, 18), 33])
def test_the_last_block_writes_its_own_states_only(kernel: Kernel, count: int):
    dtype = kernel.dtype.name
    given = arguments((count,), dtype)
    memory = [np.full((count + 40, *s), GUARD, dtype) for s in ((5,), (), (2, 2), (2,))]
    out = tuple(x[20 : 20 + count] for x in memory)
    kernel.general(*given, out=out)
    assert_same(out, MOTION(*numbers(*given)), dtype)
    assert all(np.all(x[:20] == GUARD) and np.all(x[20 + count :] == GUARD) for x in memory)


ROLLED = record(lambda q: np.sin(q[::-1]) * 2 + q[0], q=(5,))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shift", [0, 1, -1, 3, -3, 9])
def test_out_may_lie_over_the_input(shift: int, threads: int, monkeypatch: pytest.MonkeyPatch):
    """out=q, and out a window shifted by some rows, in one piece and in many."""
    monkeypatch.setattr(kernels, "WORTH_A_THREAD", 20)
    monkeypatch.setattr(kernels, "WORTH_A_WORD", 100)
    memory = np.random.default_rng(3).normal(size=(60, 5))
    q, out = memory[10:50], memory[10 + shift : 50 + shift]
    expected = ROLLED(q.copy())
    Kernel(ROLLED, threads=threads).general(q, out=out)
    assert_close(out, expected, NEAR["float64"])


def test_out_may_lie_over_an_input_that_is_broadcast():
    memory = np.random.default_rng(4).normal(size=(20, 5))
    program = record(lambda q, p: q * 2 + p[::-1], q=(5,), p=(5,))
    q, p = memory.copy(), memory[7].copy()
    found = Kernel(program).general(memory, memory[7], out=memory)
    assert_close(found, program(q, np.broadcast_to(p, q.shape)), NEAR["float64"])


def test_out_may_be_a_subclass_of_an_array():
    q = arguments((4,))[0]
    out = np.zeros((4, 5)).view(Stubborn)
    found = Kernel(ROLLED).general(q, out=out)
    assert found is out
    assert_close(np.asarray(out), ROLLED(q), NEAR["float64"])


def read_only() -> np.ndarray:
    array = np.zeros((3, 5))
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (np.zeros((2, 5)), "out is (2, 5); it must be an array of shape (3, 5)."),
        (np.zeros(5), "out is (5,); it must be an array of shape (3, 5)."),
        (np.zeros((1, 3, 5)), "out is (1, 3, 5); it must be an array of shape (3, 5)."),
        ("array", "out is str; it must be an array of shape (3, 5)."),
        (np.zeros((3, 5), "float32"), "out has type float32; it must be float64."),
        (np.zeros((3, 5), ">f8"), "out has type >f8; it must be float64."),
        (np.zeros((3, 5), int), "out has type int64; it must be float64."),
        (read_only(), "out is read-only."),
        ((np.zeros((3, 5)),) * 2, "out has 2 arrays; lambda gives 1."),
        ([], "out has 0 arrays; lambda gives 1."),
    ],
)
def test_an_out_that_cannot_hold_the_result_is_refused(out: Any, words: str):
    with pytest.raises(BadArgument) as caught:
        Kernel(ROLLED)(np.zeros((3, 5)), out=out)
    assert str(caught.value) == words


# what is refused


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1.0, 2.0], "q has shape (2,); it must have shape (..., 5)."),
        (np.zeros((5, 1)), "q has shape (5, 1); it must have shape (..., 5)."),
        (3.0, "q has shape (); it must have shape (..., 5)."),
        (np.zeros((2, 0)), "q has shape (2, 0); it must have shape (..., 5)."),
        ("hello", "q is not an array of real numbers."),
        (None, "q is not an array of real numbers."),
        ([1j] * 5, "q is not an array of real numbers."),
        ([[1, 2], [3]], "q is not an array of real numbers."),
        (np.zeros(5, "M8[s]"), "q is not an array of real numbers."),
        (np.array([None] * 5), "q is not an array of real numbers."),
        ({"q": 1}, "q is not an array of real numbers."),
    ],
)
def test_an_argument_that_cannot_be_right_is_refused(given: Any, words: str):
    with pytest.raises(BadArgument) as caught:
        Kernel(ROLLED)(given)
    assert str(caught.value) == words


def test_batches_that_do_not_fit_together_are_refused():
    q, k, R = arguments((3,))
    with pytest.raises(BadArgument) as caught:
        WIDE(q, k[:2], R)
    assert str(caught.value) == (
        "The batches do not fit together: q (3, 5), k (2,), R (3, 2, 3). "
        "Leading axes must be equal or 1."
    )


def test_the_wrong_number_of_arrays_is_refused():
    with pytest.raises(BadArgument, match=r"motion takes 3 arrays \(q, k, R\), not 2\."):
        WIDE(*arguments(())[:2])


# other processors


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the names are x86's")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v2", "x86-64-v3"])
def test_lesser_processors_give_the_same(
    processor: str, dtype: str, monkeypatch: pytest.MonkeyPatch
):
    """No fused multiply-add, no wide registers: as narrow as a processor of 2003."""
    *_, features = llvm.target()
    if processor.endswith("v3") and "+avx2" not in features:
        pytest.skip("this processor is a lesser one itself")
    faults.processor(monkeypatch, processor)
    program: Program = record(
        lambda q: {"a": np.sin(q) * np.tanh(q), "b": np.exp(q) @ q, "c": np.where(q > 0, q, 1)},
        q=(7,),
    )
    assert llvm.widest_lanes.__wrapped__() == 4
    q = np.random.default_rng(0).normal(size=(21, 7)).astype(dtype)
    compiled = Kernel(program, np.dtype(dtype))
    assert_same(compiled.general(q), program(q.astype(float)), dtype)
    assert_same(compiled(q[0].copy()), program(q[0].astype(float)), dtype)


@pytest.mark.parametrize("function", [np.exp, np.log, np.tanh])
def test_long_programs_give_what_short_ones_do(function: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(llvm, "LONG", 0)
    program = record(lambda q: function(q) + 1, q=(3,))
    q = np.linspace(0.1, 2, 15).reshape(5, 3)
    assert_same([Kernel(program)(q)], [program(q)])
