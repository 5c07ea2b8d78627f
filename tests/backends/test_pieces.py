"""A program in pieces gives what it gives as a whole, to the last bit where nothing is fused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import ROUND_OFF, assert_close
from numpy.testing import assert_array_equal

from qddot import Kernel, load
from qddot.backends import llvm, loops, pieces
from qddot.backends.ir import Lanes
from qddot.program.operations import OPERATIONS
from qddot.program.ports import Port
from qddot.program.program import Program, Step

INPUTS = (Port("a", (5,)), Port("b", ()), Port("c", (2, 3)))
OUTPUTS = (Port("x", (7,)), Port("y", ()), Port("z", (3, 3)), Port("w", (4,)))
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, -1e-12, 1e30, np.inf, -np.inf, np.nan])
# a product and a sum may be fused, in a piece and not across two
NEVER_FUSED = [op for op in OPERATIONS.values() if op.name != "mul"]


@contextmanager
def in_small_pieces() -> Iterator[None]:
    """Cut every program, and have few values at hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "LONG", {True: 0, False: 0})
        patch.setattr(pieces, "PIECE", 6)
        patch.setattr(pieces, "AT_HAND", 6 / llvm.vector_registers())
        yield


def random_program(seed: int, length: int) -> Program:
    """Return operations on values from anywhere before, of which most are near."""
    rng = np.random.default_rng(seed)
    constants = (0.0, -2.5, 1e-3, 3.0)
    first = sum(port.size for port in INPUTS) + len(constants)

    def before(number: int) -> int:
        back = int(rng.geometric(0.15)) if rng.random() < 0.7 else int(rng.integers(1, number + 1))
        return max(0, number - back)

    steps = []
    for number in range(first, first + length):
        op = NEVER_FUSED[rng.integers(len(NEVER_FUSED))]
        steps.append(Step(op, tuple(before(number) for _ in range(op.arity))))
    count = sum(port.size for port in OUTPUTS)
    results = tuple(before(first + length) for _ in range(count))
    program = Program("random", INPUTS, constants, tuple(steps), OUTPUTS, results)
    program.check()
    return program


def states(count: int, dtype: str, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    found = [rng.uniform(-2, 2, (count, *port.shape)) for port in INPUTS]
    for array in found:
        special = rng.random(array.shape) < 0.1
        array[special] = rng.choice(EDGES, special.sum())
    return [array.astype(dtype) for array in found]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@examples(12)
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 90), count=st.integers(1, 20))
def test_pieces_give_what_the_whole_gives(dtype: str, seed: int, length: int, count: int):
    program, given = random_program(seed, length), states(count, dtype, seed)
    whole = Kernel(program, np.dtype(dtype)).general(*given)
    with in_small_pieces():
        kernel = Kernel(program, np.dtype(dtype))
        found, alone = kernel.general(*given), kernel(*(x[0] for x in given))
    for mine, one, other in zip(found, alone, whole, strict=True):
        assert_array_equal(mine, other)
        assert_array_equal(one, other[0])


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "regressor"])
def test_a_robot_in_pieces_moves_as_it_does(quantity: str):
    program = load("scara").program(quantity)
    rng = np.random.default_rng(1)
    given = [rng.uniform(-2, 2, (19, *port.shape)) for port in program.inputs]
    whole = Kernel(program).general(*given)
    with in_small_pieces():
        assert_close(Kernel(program).general(*given), whole, ROUND_OFF)
        text = loops.batch_loop(program, Lanes(4))
    assert text.count(llvm.NEXT_MODULE) == text.count("define void @piece") > 2


def test_pieces_are_kept_on_the_disk_and_fetched_again(cache_dir: Path):
    program, given = random_program(3, 60), states(5, "float64", 3)
    with in_small_pieces():
        first = Kernel(program).general(*given)
        files = sorted(cache_dir.iterdir())
        assert len(files) > 2
        files[1].unlink()  # one that is missing is made again
        again = Kernel(program).general(*given)
    assert sorted(cache_dir.iterdir()) == files
    for mine, other in zip(again, first, strict=True):
        assert_array_equal(mine, other)
