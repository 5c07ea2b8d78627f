"""Programs as data: evaluated, printed, counted, named by their content, saved and read back."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import HANDFUL
from numpy.testing import assert_allclose

from qddot.errors import BadArgument, BadFile
from qddot.program import Program, record
from qddot.program.operations import OPERATIONS
from qddot.program.optimise import without_dead_code
from qddot.program.program import Step


def everything(q: Any, x: Any) -> dict[str, Any]:
    """Use every operation there is."""
    a, b = q[0], q[1]
    return {
        "smooth": np.stack([np.sin(a) / b, np.cos(a - b), np.tanh(a) * x, -np.sqrt(b * b + x)]),
        "growing": np.exp(a) + np.log(b * b),
        "angles": np.arctan2(a, b) + np.floor(x),
        "edges": np.stack([[abs(a), np.sign(b)], [np.minimum(a, b), np.maximum(a, x)]]),
        "choice": np.where(a < b, np.where(a <= x, 1.5, a), -b),
    }


PROGRAM = record(everything, q=(2,), x=())
SAVED = PROGRAM.to_json()


def test_every_operation_is_used_here():
    assert PROGRAM.counts().keys() == OPERATIONS.keys()


def test_counts_add_up_to_the_length():
    assert sum(PROGRAM.counts().values()) == len(PROGRAM) == len(PROGRAM.steps)


@given(numbers=st.lists(st.floats(0.1, 3), min_size=3, max_size=3))
def test_a_program_computes_what_its_function_does(numbers: list[float]):
    q, x = np.array(numbers[:2]), numbers[2]
    for mine, expected in zip(PROGRAM(q, x), everything(q, x).values(), strict=True):
        assert_allclose(mine, expected, rtol=HANDFUL, atol=HANDFUL)


def test_batches_run_along_leading_axes():
    rng = np.random.default_rng(0)
    q, x = rng.uniform(0.1, 3, (4, 1, 2)), rng.uniform(0.1, 3, (5,))
    together = PROGRAM(q, x)
    assert [part.shape for part in together] == [(4, 5, 4), (4, 5), (4, 5), (4, 5, 2, 2), (4, 5)]
    for i, j in np.ndindex(4, 5):
        for batch, single in zip(together, PROGRAM(q[i, 0], x[j]), strict=True):
            assert_allclose(batch[i, j], single, rtol=HANDFUL)


def test_a_constant_output_of_a_batch_is_repeated():
    program = record(lambda q: np.stack([q[0], 2.0]), q=(1,))
    assert np.array_equal(program([[1.0], [3.0]]), [[1, 2], [3, 2]])


def test_complex_numbers_run_through_smooth_programs():
    program = record(lambda x: np.sin(x) * np.exp(x) / (x + 2), x=())
    z = 0.3 + 0.4j
    assert_allclose(program(z), np.sin(z) * np.exp(z) / (z + 2), rtol=HANDFUL)


@pytest.mark.parametrize("shape", [(3,), (1,), (), (2, 1), (2, 3)])
def test_an_array_of_the_wrong_shape_is_refused(shape: tuple[int, ...]):
    with pytest.raises(BadArgument) as caught:
        PROGRAM(np.zeros(shape), 1.0)
    assert str(caught.value) == f"q has shape {shape}; it must have shape (..., 2)."


def test_the_wrong_number_of_arrays_is_refused():
    with pytest.raises(BadArgument, match=r"everything takes 2 arrays \(q, x\), not 1\."):
        PROGRAM([1.0, 2.0])


def test_a_program_prints_one_operation_a_line():
    program = record(lambda q, x: {"a": np.sin(q[1]) * 2.5 - x, "b": q}, q=(2,), x=())
    assert str(program).splitlines() == [
        "t0 = sin(q[1])",
        "t1 = mul(t0, 2.5)",
        "t2 = sub(t1, x[0])",
        "a[0] = t2",
        "b[0] = q[0]",
        "b[1] = q[1]",
    ]


# saving


def test_a_saved_program_is_read_back_exactly(tmp_path: Path):
    PROGRAM.save(tmp_path / "program.json")
    assert Program.load(tmp_path / "program.json") == PROGRAM
    assert Program.load(str(tmp_path / "program.json")).digest == PROGRAM.digest


@given(st.lists(st.floats(), min_size=1, max_size=4))
def test_every_constant_is_read_back_to_the_last_bit(constants: list[float]):
    program = record(lambda: np.array(constants))
    again = Program.from_json(program.to_json())
    before, after = (np.array(p.constants).tobytes() for p in (program, again))
    # of NaN there are many; that it is one is what counts
    assert before == after or any(map(math.isnan, constants))
    assert np.array_equal(program(), again(), equal_nan=True)


def damaged(**changes: Any) -> str:
    return json.dumps(json.loads(SAVED) | changes)


STEPS = json.loads(SAVED)["steps"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        SAVED[: len(SAVED) // 2],
        SAVED.replace("0x", "zz", 1),
        damaged(format=2),
        damaged(name=None, inputs=None),
        damaged(inputs=[["q", [2]]]),
        damaged(inputs=[["q", [-2]], ["x", [-1]]]),
        damaged(inputs=[["q", 2], ["x", []]]),
        damaged(constants=["0x1p99999"]),
        damaged(constants=[1.0]),
        damaged(steps=[["launch", 0]]),
        damaged(steps=[[["sin"], 0]]),
        damaged(steps=[["sin", 0, 1]]),
        damaged(steps=[["add", 0]]),
        damaged(steps=[["sin", -1], *STEPS[1:]]),
        damaged(steps=[["sin", 10**6], *STEPS[1:]]),
        damaged(steps=[*STEPS[1:], STEPS[0]]),
        damaged(steps=STEPS[:-1]),
        damaged(outputs=[["smooth", [4]]]),
        damaged(outputs=[], results=[]),
        damaged(results=[10**9] * 10),
        damaged(results=[-1] * 10),
        damaged(results=[0]),
    ],
)
def test_a_damaged_file_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "program.json"
    path.write_text(text)
    with pytest.raises(BadFile) as caught:
        Program.load(path)
    assert str(path) in str(caught.value)
    assert "it is not a saved program" in str(caught.value)
    assert "Save it again with program.save(path)." in str(caught.value)


def test_a_file_of_bytes_is_refused(tmp_path: Path):
    path = tmp_path / "program.json"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(BadFile, match="it is not a saved program"):
        Program.load(path)


@given(st.data())
def test_a_file_with_one_byte_changed_is_refused_or_a_program(data: st.DataObject):
    """Whatever a damaged file holds, what comes out can be run without looking out of bounds."""
    at = data.draw(st.integers(0, len(SAVED) - 1))
    letter = data.draw(st.sampled_from('0123456789-"[]{},:nulx'))
    text = SAVED[:at] + letter + SAVED[at + 1 :]
    try:
        program = Program.from_json(text)
    except BadFile:
        return
    program.check()
    last = program.first_step + len(program.steps)
    assert all(0 <= i < last for step in program.steps for i in step.args)


def test_check_refuses_a_reference_forward():
    op = PROGRAM.steps[0].op
    first = Step(op, (PROGRAM.first_step,) * op.arity)
    with pytest.raises(ValueError, match="step"):
        replace(PROGRAM, steps=(first, *PROGRAM.steps[1:])).check()


def test_programs_are_pickled_and_copied_whole():
    assert pickle.loads(pickle.dumps(PROGRAM)) == PROGRAM
    assert copy.deepcopy(PROGRAM) == PROGRAM
    assert copy.deepcopy(OPERATIONS["less"]) is OPERATIONS["less"]


# the digest


def test_the_digest_is_the_same_in_every_process():
    code = (
        "import numpy as np; from qddot import record; "
        "print(record(lambda q: np.sin(q) + 0.1, q=(3,)).digest)"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {record(lambda q: np.sin(q) + 0.1, q=(3,)).digest}


@pytest.mark.parametrize(
    "other",
    [
        lambda q, x: q[0] * 2.5 + x,
        lambda q, x: q[1] * 2.5000000000000004 + x,
        lambda q, x: q[1] * 2.5 - x,
        lambda q, x: x + q[1] * 2.5 + 0 * q[0] + 1,
        lambda q, x: {"other": q[1] * 2.5 + x},
        lambda q, x: [q[1] * 2.5 + x],
    ],
)
def test_a_program_that_differs_has_another_digest(other: Any):
    program = record(lambda q, x: q[1] * 2.5 + x, q=(2,), x=())
    assert record(other, q=(2,), x=()).digest != program.digest


def test_the_name_is_no_part_of_the_digest():
    assert replace(PROGRAM, name="other").digest == PROGRAM.digest


# dead code


@given(seed=st.integers(0, 10**6))
def test_without_dead_code_nothing_changes_but_the_length(seed: int):
    """A program with operations that nobody needs put in anywhere is cleaned to the same values."""
    rng = random.Random(seed)
    first, steps, place = PROGRAM.first_step, [], list(range(PROGRAM.first_step))
    for step in PROGRAM.steps:
        while rng.random() < 0.3:
            steps.append(Step(OPERATIONS["mul"], (rng.randrange(first + len(steps)), 0)))
        steps.append(Step(step.op, tuple(place[i] for i in step.args)))
        place.append(first + len(steps) - 1)
    padded = replace(PROGRAM, steps=tuple(steps), results=tuple(place[i] for i in PROGRAM.results))
    padded.check()
    assert without_dead_code(padded) == PROGRAM
