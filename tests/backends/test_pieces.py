"""A program in pieces gives what it gives as a whole, to the last bit where nothing is fused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import ROUND_OFF, assert_close
from numpy.testing import assert_array_equal

from qddot import Kernel, load, record
from qddot.backends import llvm, loops, pieces, registers
from qddot.backends.ir import Lanes
from qddot.backends.rows import CHUNK
from qddot.errors import BadArgument
from qddot.program import record_block
from qddot.program.blocks import inlined
from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import OPERATIONS
from qddot.program.ports import Port
from qddot.program.program import Program, Step

INPUTS = (Port("a", (5,)), Port("b", ()), Port("c", (2, 3)))
OUTPUTS = (Port("x", (7,)), Port("y", ()), Port("z", (3, 3)), Port("w", (4,)))
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, -1e-12, 1e30, np.inf, -np.inf, np.nan])
# a product and a sum may be fused, in a piece and not across two
NEVER_FUSED = [op for op in OPERATIONS.values() if op.name != "mul"]


@contextmanager
def in_small_pieces(many: int = 1) -> Iterator[None]:
    """Cut every program, and have few values at hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "LONG", {True: 0, False: 0})
        patch.setattr(pieces, "PIECE", 6)
        patch.setattr(pieces, "MANY", many)
        patch.setattr(registers, "AT_HAND", 6 / llvm.vector_registers())
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


def random_program_of_calls(seed: int, length: int) -> Program:
    """Return a program some of whose steps call a block, with values from anywhere before."""
    rng = np.random.default_rng(seed)
    inputs = (Port("a", ()), Port("b", (2,)), Port("c", ()), Port("d", (3,)))
    ops = [OPERATIONS[name] for name in ("add", "sub", "max", "min", "neg", "abs")]
    steps: list[Step] = []

    def grow(first: int, length: int) -> list[Step]:
        found = []
        for number in range(first, first + length):
            op = ops[rng.integers(len(ops))]
            found.append(Step(op, tuple(int(x) for x in rng.integers(0, number, op.arity))))
        return found

    results = tuple(int(x) for x in rng.integers(0, 7 + 12, 5))
    block = Program("block", inputs, (), tuple(grow(7, 12)), (Port("r", (5,)),), results)
    call, first = BlockCall.of(block), sum(port.size for port in INPUTS)
    known = list(range(first))  # values that are numbers
    for _ in range(length):
        at = first + len(steps)
        if rng.random() < 0.15:
            steps.append(Step(call, tuple(int(x) for x in rng.choice(known, call.arity))))
            parts = rng.permutation(5)[: rng.integers(1, 6)].tolist()
            steps += [Step(CallResult.of(k), (at,)) for k in parts]
            known += range(at + 1, at + 1 + len(parts))
        else:
            op = ops[rng.integers(len(ops))]
            steps.append(Step(op, tuple(int(x) for x in rng.choice(known[-9:], op.arity))))
            known.append(at)
    count = sum(port.size for port in OUTPUTS)
    ends = tuple(int(x) for x in rng.choice(known[-count:], count))
    program = Program("random calls", INPUTS, (), tuple(steps), OUTPUTS, ends)
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


@examples(12)
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 60), small=st.booleans())
def test_calls_give_what_the_straight_line_gives(seed: int, length: int, small: bool):
    # what a call takes lies on the frame, and nothing may be put over it before it is read
    program, given = random_program_of_calls(seed, length), states(3, "float64", seed)
    straight = Kernel(inlined(program)).general(*given)
    with in_small_pieces(many=CHUNK) if small else nullcontext():
        found = Kernel(program).general(*given)
    for mine, other in zip(found, straight, strict=True):
        assert_array_equal(mine, other)


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


def test_a_program_that_does_not_fit_on_the_stack_is_refused():
    with in_small_pieces(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "LARGEST_FRAME", 100)
        with pytest.raises(BadArgument, match=r"random is too long to be compiled: .* values wait"):
            loops.batch_loop(random_program(3, 60), Lanes(4))


def test_fewer_lanes_keep_what_waits_on_the_stack():
    double = record_block(lambda x: 2 * x, x=(500,))
    program = record(lambda x: np.sum(double(double(x))), x=(500,))
    assert registers.most_waiting(program) in range(500, 1501)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for frame in (10**6, 60_000, 20_000):
            patch.setattr(loops, "FRAME", frame)
            found.append(loops.batch_lanes(program, 8, single=False).count)
    assert found == [8, 4, 1]
