"""Loops in machine code give what their programs give, run one after the other."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import ROUND_OFF, SINGLE
from numpy.testing import assert_allclose, assert_array_equal

from qddot import record
from qddot.backends import pieces
from qddot.backends.ir import Lanes
from qddot.backends.iterate import iteration_loop
from qddot.backends.iterated import Given, IteratedKernel, _cut
from qddot.program.program import Iteration, Stage

NEAR = {"float64": ROUND_OFF, "float32": SINGLE}
TYPES = tuple(NEAR)
GUARD = -77.0  # what memory that is none of the kernel's business holds
STATE, CONSTANTS, GIVEN = 5, 3, 2
SHAPES: dict[str, Any] = dict(state=(STATE,), constants=(CONSTANTS,), given=(GIVEN,), t=(), h=())


def turned(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
    """Mix everything; leave the last entry as it is, and swap two."""
    push = given[0] * np.sin(t) + given[1]
    a, b, c, d, e = state
    return np.stack([b + h * push, a, c - h * constants[0] * c, d + h * e * constants[1], e])


def settled(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
    return np.stack([*state[:3], 0.5 * (state[3] + np.cos(state[3]) * constants[2]), state[4]])


def loop(repeats: int = 3) -> Iteration:
    def kept(state: Any, constants: Any) -> dict[str, Any]:
        return {"a": state[:2] * constants[0], "all": state}

    first, second = record(turned, **SHAPES), record(settled, **SHAPES)
    return Iteration(
        "loop",
        record(lambda q, constants: np.concatenate([q, q[:2]]), q=(3,), constants=(CONSTANTS,)),
        (Stage(first), Stage(second, repeats)),
        record(kept, state=(STATE,), constants=(CONSTANTS,)),
    )


def by_hand(
    what: Iteration,
    state: np.ndarray,
    constants: np.ndarray,
    given: np.ndarray,
    every: int,
    h: float,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the last state and the rows that are kept, of all trajectories at once."""
    kept: list[list] = [[] for _ in what.kept.outputs]
    count = len(state)
    for k in range(given.shape[1]):
        for stage in what.stages:
            for _ in range(stage.repeats):
                times = np.full(count, k * h), np.full(count, h)
                state = stage.program(state, constants, given[:, k], *times)
        if (k + 1) % every == 0:
            for rows, row in zip(kept, what.kept(state, constants), strict=True):
                rows.append(row)
    return state, [np.stack(rows, axis=1) for rows in kept]


def arrays(count: int, steps: int, dtype: str = "float64") -> list[np.ndarray]:
    rng = np.random.default_rng(count + steps)
    shapes = ((count, STATE), (count, CONSTANTS), (count, steps, GIVEN))
    return [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]


def run(
    kernel: IteratedKernel, state: Any, constants: Any, given: Any, every: int, h: float
) -> Any:
    """Run a kernel into the middle of larger arrays; return the last state and what was kept."""
    count, steps = given.shape[:2]
    offsets = np.arange(count, dtype=np.int64) * given.strides[0]
    state = state.copy()
    wide = [
        np.full((count, steps // every + 2, port.size), GUARD, kernel.dtype)
        for port in kernel.loop.kept.outputs
    ]
    inner = [array[:, 1:-1] for array in wide]
    kernel.run(
        *(state, constants, Given(given, offsets, given.strides[1]), inner), every=every, h=h
    )
    for array in wide:
        assert (array[:, [0, -1]] == GUARD).all()
    return state, inner


@examples(30)
@given(
    st.integers(1, 21), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3),
    st.sampled_from(TYPES),
)  # fmt: skip
def test_a_compiled_loop_gives_what_its_programs_give(count, rows, every, repeats, dtype):
    what = loop(repeats)
    inputs = arrays(count, rows * every, dtype)
    found = run(IteratedKernel(what, np.dtype(dtype)), *inputs, every, 0.01)
    expected = by_hand(what, *inputs, every, 0.01)
    for mine, other in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True):
        assert_allclose(mine, other, rtol=0, atol=NEAR[dtype])


@pytest.mark.parametrize("count", [1, 9])
def test_a_loop_over_pieces_of_programs_is_the_loop(count: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pieces, "LONG", {True: 0, False: 0})
    monkeypatch.setattr(pieces, "PIECE", 4)
    assert "@pieces" in iteration_loop(loop(), Lanes(4))
    inputs = arrays(count, 4)
    expected = by_hand(loop(), *inputs, 2, 0.1)
    found = run(IteratedKernel(loop()), *inputs, 2, 0.1)
    for mine, other in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True):
        assert_allclose(mine, other, rtol=0, atol=ROUND_OFF)


def pieces_of(rows, every, most):
    count, piece = _cut(rows, every, most)
    return map(piece, range(count))


def test_a_run_in_pieces_is_the_run():
    """The state goes out and in again, and the number of the step with it."""
    inputs = arrays(11, 24)
    kernel = IteratedKernel(loop())
    whole, kept = run(kernel, *inputs, 6, 0.05)
    state, constants, given = inputs
    offsets = np.arange(11, dtype=np.int64) * given.strides[0]
    pieces = [np.empty_like(array) for array in kept]
    for first, row, rows, steps in pieces_of(4, 6, 4):
        code, _ = kernel.code
        assert rows == 1
        places = (ctypes.c_void_p * 2)(*(a.ctypes.data + row * a.strides[1] for a in pieces))
        apart = (ctypes.c_int64 * 2)(*(a.strides[0] for a in pieces))
        code(
            *(state.ctypes.data, constants.ctypes.data, given.ctypes.data, offsets.ctypes.data),
            *(given.strides[1], places, apart, rows, steps, 11, first, 0.05),
        )
    assert_array_equal(state, whole)
    for mine, other in zip(pieces, kept, strict=True):
        assert_array_equal(mine, other)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 100))
def test_pieces_cover_every_step_once(rows, every, most):
    at = 0
    for first, row, some, steps in pieces_of(rows, every, most):
        assert first == at
        assert row == first // every
        assert some * steps <= max(most, 1)
        at += some * steps
    assert at == rows * every


def test_the_time_of_a_step_is_its_number_times_its_length():
    """Not a sum of lengths, which would be off by a little more with every step."""
    clock = record(
        lambda state, constants, given, t, h: t * np.ones(1), **(SHAPES | {"state": (1,)})
    )
    what = Iteration(
        "clock",
        record(lambda q, constants: q, q=(1,), constants=(CONSTANTS,)),
        (Stage(clock),),
        record(lambda state, constants: state, state=(1,), constants=(CONSTANTS,)),
    )
    steps, h = 10_000, 0.1
    given = np.zeros((1, steps, GIVEN))
    _, (seen,) = run(IteratedKernel(what), np.zeros((1, 1)), np.zeros((1, CONSTANTS)), given, 1, h)
    assert_array_equal(seen[0, :, 0], np.arange(steps) * h)


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_the_assembly_holds_each_program_once(lanes):
    """However often a stage repeats: it is a loop, not a longer line."""
    short, long = (len(iteration_loop(loop(repeats), Lanes(lanes))) for repeats in (2, 1000))
    assert long - short < 10
