"""Recording: the program of a plain NumPy function gives what the function gives on floats."""

from __future__ import annotations

import gc
import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nearness import ACCURATE
from numpy.testing import assert_allclose

from qddot.errors import BadArgument
from qddot.program import record, recorded
from qddot.program.optimise import optimised

# the recorder multiplies by reciprocals and moves minus signs: a few roundings an operation

A = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, -1.0], [3.0, 0.25, -1.5]])
W = np.array([0.5, -1.5, 2.0])
Q = np.array([0.3, -1.2, 2.5])
X = np.float64(0.7)

vector = {"q": (3,)}
scalar = {"x": ()}

# what people write, on an array of three numbers
OF_AN_ARRAY: dict[str, Callable[[Any], Any]] = {
    "sum, difference, product, quotient": lambda q: (q + q[::-1] * 2 - 3) / (q * q + 1),
    "a float array on the left": lambda q: W * q + W - q,
    "a float array on the right": lambda q: q * W - W + q / W,
    "a list on either side": lambda q: [1, 2, 3] - q * [1.5, 0, -2],
    "a float array divided": lambda q: W / (q + 10),
    "a negative constant": lambda q: -2.5 * q + -1,
    "broadcasting to a matrix": lambda q: q[:, None] * W + A,
    "broadcasting a scalar": lambda q: q[0] * A,
    "matrix times vector": lambda q: A @ q,
    "vector times matrix": lambda q: q @ A,
    "vector times vector": lambda q: q @ q,
    "recorded matrices": lambda q: np.outer(q, q) @ (A * q),
    "np.dot": lambda q: np.dot(W, q) + q.dot(W),
    "np.sum": lambda q: np.sum(q) + q.sum() + np.sum(A * q, axis=0)[1],
    "np.mean": lambda q: np.mean(q) - q.mean(),
    "np.prod and np.cumsum": lambda q: np.prod(q) * np.cumsum(q),
    "python's sum": lambda q: sum(q) + sum(x * x for x in q),
    "np.cross": lambda q: np.cross(q, W),
    "np.einsum": lambda q: np.einsum("ij,j,i->i", A, q, q),
    "np.trace": lambda q: np.trace(np.outer(q, W)),
    "np.linalg.norm": lambda q: np.linalg.norm(q),
    "np.stack and np.concatenate": lambda q: np.concatenate([np.stack([q[0], q[2]]), W * q, [1]]),
    "np.diag, np.roll and np.diff": lambda q: np.diag(np.roll(q, 1))[:2, :2] @ np.diff(q),
    "np.zeros_like": lambda q: np.zeros_like(q) + q,
    "functions": lambda q: np.sin(q) * np.cos(q) + np.tan(q) - np.tanh(q),
    "more functions": lambda q: np.sqrt(q * q) + np.exp(-q) + np.log(q * q) + np.square(q),
    "angles": lambda q: np.arctan2(q, q[::-1]) + np.arctan2(W, -q) - np.arctan2(-q, -0.0),
    "inverse functions": lambda q: np.arcsin(np.sin(q)) + np.arccos(q / 3) * np.arctan(-q),
    "floor and remainder": lambda q: np.floor(q) + np.floor(-q) * q % 1.5 + np.mod(W, q) - q % -2,
    "np.abs and np.sign": lambda q: np.abs(q) + abs(-q) - np.sign(q) + np.sign(-2 * q),
    "whole powers": lambda q: q**2 - q**3 + q**0 + q**-1 + q**-2 + q**7 + np.power(q, 2),
    "square root as a power": lambda q: (q * q) ** 0.5,
    "np.minimum and np.maximum": lambda q: np.minimum(q, 1) + np.maximum(-q, q[::-1]),
    "np.maximum of floats and recorded": lambda q: np.maximum(W, q) - np.minimum(W, 2 * q),
    "np.max and np.min": lambda q: np.max(q) + q.min() + np.max(A * q) - np.min(A - q, axis=1),
    "np.maximum.accumulate and outer": lambda q: np.maximum.accumulate(q) @ np.minimum.outer(q, W),
    "np.clip": lambda q: np.clip(q, -1, 1) + np.clip(q, W - 1, None) + q.clip(0, 2),
    "np.clip by name": lambda q: np.clip(q, a_min=-1, a_max=0.5) + np.clip(q, 0, np.inf),
    "np.where": lambda q: np.where(q > 0, np.sin(q), 3) + np.where(W > 0, q, -q),
    "every comparison": lambda q: (
        (q < 0.3) * 1 + (q <= 0.3) * 2 + (q > 0.3) * 4 + (q >= 0.3) * 8 + (q == 0.3) * 16 + (q != 0)
    ),
    "comparisons with floats on the left": lambda q: (q > W) * 1 + (q <= W) * 2.0,
    "in place": lambda q: in_place(q.copy()),
    "out=": lambda q: np.sin(q, out=q.copy()),
    "nothing of its argument": lambda q: A,
    "a list": lambda q: [q[0], 1, [q[2]][0]],
    "nested lists": lambda q: [[q[0], 1], [q[1] - q[2], 0]],
}

OF_A_SCALAR: dict[str, Callable[[Any], Any]] = {
    "np.float64 on either side": lambda x: np.float64(2) * x - x / np.float64(3) + np.float64(1),
    "np.float64 on the left of - and /": lambda x: (np.float64(3) - x) / (np.float64(2) / x),
    "np.float32 and np.int64": lambda x: np.float32(0.5) * x + x * np.int64(3),
    "booleans": lambda x: True * x + x * np.True_,
    "an array of no axes": lambda x: x * np.array(2.0) + np.array(1.0),
    "a float array": lambda x: x * W + W / x - A,
    "functions": lambda x: np.sin(x) + np.sqrt(x) - np.exp(x) * np.log(x) + np.tanh(x) ** 2,
    "np.where": lambda x: np.where(x > 0.5, x, -x) + np.where(x >= 0.7, 1, 2) * (x <= 0.7),
    "np.clip": lambda x: np.clip(x, 0, 0.5) + np.clip(x, None, 0.5) + np.clip(x, 0.9, None),
    "np.minimum of scalars": lambda x: np.minimum(x, 0.5) + np.maximum(0.5, x) - np.sign(x),
    "np.stack of scalars": lambda x: np.sign(np.stack([x, -x, 2 * x])),
    "np.polyval": lambda x: np.polyval([1, -2, 3], x),
    "abs and unary plus": lambda x: abs(-x) + +x,
    "a constant": lambda x: -2.5,
    "division by numbers whose reciprocal overflows": lambda x: x * 1e-300 / 1e-310,
    "division by numbers whose reciprocal is subnormal": lambda x: x * 1e300 / 1.7e308,
}


def in_place(q: Any) -> Any:
    q += 1
    q[0] *= 2
    q[1:] = q[1:] - q[:1]
    return q


@pytest.mark.parametrize("what", OF_AN_ARRAY)
def test_the_program_of_a_function_of_an_array_gives_its_values(what: str):
    function = OF_AN_ARRAY[what]
    assert_same(record(function, **vector)(Q), function(Q))


@pytest.mark.parametrize("what", OF_A_SCALAR)
def test_the_program_of_a_function_of_a_scalar_gives_its_values(what: str):
    function = OF_A_SCALAR[what]
    assert_same(record(function, **scalar)(X), function(X))


def test_comparisons_are_exact_where_both_sides_are_equal():
    """np.where(q >= 0, ...) at q = 0, which is where most robots start."""
    program = record(lambda q: np.stack([q < 0, q <= 0, q > 0, q >= 0, q == 0, q != 0]), q=(2,))
    expected = [[0, 0], [1, 1], [0, 0], [1, 1], [1, 1], [0, 0]]
    assert np.array_equal(program([0.0, -0.0]), expected)


def test_comparisons_with_nan_are_false_as_for_floats():
    program = record(lambda x: np.stack([x < 0, x <= 0, x > 0, x >= 0, x == x * 1, x != 0]), x=())
    assert np.array_equal(program(math.nan), [0, 0, 0, 0, 0, 1])


# random expressions: a tree is a leaf or an operation on trees

# floats alone: NumPy's whole numbers wrap around, and have no negative powers
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -0.25, 1 / 3])
LEAVES = st.one_of(NUMBERS, st.sampled_from(["q0", "q1", "q2", "x"]))
UNARY = ("neg", "sin", "cos", "tanh", "exp", "log", "sqrt", "abs", "square", "cube", "inverse")
BINARY = ("add", "sub", "mul", "div", "atan2", "min", "max", "where", "sign")


def trees(leaves: st.SearchStrategy) -> st.SearchStrategy:
    deeper = st.deferred(lambda: tree)
    unary = st.tuples(st.sampled_from(UNARY), deeper)
    binary = st.tuples(st.sampled_from(BINARY), deeper, deeper)
    tree = st.one_of(leaves, unary, binary)
    return tree


def value(tree: Any, of: dict[str, Any]) -> Any:
    """Return what a tree stands for, over any kind of number."""
    if not isinstance(tree, tuple):
        return of[tree] if isinstance(tree, str) else tree
    name, *arguments = tree
    return OPERATIONS[name](of, *(value(argument, of) for argument in arguments))


# divisors, roots and logarithms stay away from their singularities, conditions from round-off
OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": lambda of, a: -a,
    "sin": lambda of, a: np.sin(a),
    "cos": lambda of, a: np.cos(a),
    "tanh": lambda of, a: np.tanh(a),
    "exp": lambda of, a: np.exp(np.sin(a)),
    "log": lambda of, a: np.log(1 + a * a),
    "sqrt": lambda of, a: np.sqrt(a * a + 0.5),
    "abs": lambda of, a: abs(a),
    "square": lambda of, a: np.sin(a) ** 2,
    "cube": lambda of, a: np.cos(a) ** 3,
    "inverse": lambda of, a: (1 + a * a) ** -1,
    "add": lambda of, a, b: a + b,
    "sub": lambda of, a, b: a - b,
    "mul": lambda of, a, b: a * b,
    "div": lambda of, a, b: a / (2 + b * b),
    "atan2": lambda of, a, b: np.arctan2(a, 2 + b * b),
    "min": lambda of, a, b: np.minimum(a, b),
    "max": lambda of, a, b: np.maximum(a, b),
    "where": lambda of, a, b: np.where(of["q0"] > of["x"], a, b),
    "sign": lambda of, a, b: np.sign(of["q1"]) * a + b,
}


def size(tree: Any, of: dict[str, float]) -> float:
    """Return how large an intermediate result can have been, at least 1, by which errors grow."""
    if not isinstance(tree, tuple):
        return max(abs(of[tree] if isinstance(tree, str) else tree), 1.0)
    name, *arguments = tree
    parts = [size(argument, of) for argument in arguments]
    grows = {
        "mul": math.prod(parts),
        "div": math.prod(parts),
        "atan2": math.prod(parts),
        "log": parts[0] * parts[0],
    }
    # sums at most add up; of a bounded function, the argument's error is what counts
    return max(grows.get(name, 0), 2 * sum(parts)) * (3 if name == "exp" else 1)


@given(tree=trees(LEAVES), seed=st.integers(0, 2**32 - 1))
def test_the_program_of_any_expression_gives_its_values(tree: Any, seed: int):
    def function(q: Any, x: Any) -> Any:
        return value(tree, {"q0": q[0], "q1": q[1], "q2": q[2], "x": x})

    rng = np.random.default_rng(seed)
    q, x = rng.uniform(-2, 2, 3), rng.uniform(-2, 2)
    given = {"q0": q[0], "q1": q[1], "q2": q[2], "x": x}
    allowed = ACCURATE * size(tree, given)
    assume(math.isfinite(allowed))  # products of products leave the range of floats
    program = record(function, q=(3,), x=())
    for same_program in (program, optimised(program)):
        difference = abs(float(same_program(q, x)) - float(function(q, x)))
        assert difference <= allowed


# what is folded


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (lambda x, y: x + 0, 0),
        (lambda x, y: 0 + x, 0),
        (lambda x, y: x - 0.0, 0),
        (lambda x, y: x * 1, 0),
        (lambda x, y: x * -1 * -1, 0),
        (lambda x, y: x * 0 + y, 0),
        (lambda x, y: x / 1, 0),
        (lambda x, y: x - x + y, 0),
        (lambda x, y: x / x + 0 * y, 0),
        (lambda x, y: 0 / x + y, 0),
        (lambda x, y: x**1, 0),
        (lambda x, y: x**0 * y, 0),
        (lambda x, y: 0 - (0 - x), 0),
        (lambda x, y: np.negative(-x), 0),
        (lambda x, y: +x, 0),
        (lambda x, y: -x, 1),
        (lambda x, y: x**2, 1),
        (lambda x, y: x**4, 2),
        (lambda x, y: -x + y, 1),
        (lambda x, y: -x * -y, 1),
        (lambda x, y: abs(-x), 1),
        (lambda x, y: np.stack([x - y, y - x]), 2),  # one difference, one minus
        (lambda x, y: (x - y) * (y - x), 3),  # difference, product, minus
        (lambda x, y: (x - y) / (y - x), 0),  # −1
        (lambda x, y: np.sin(x) + np.sin(-x), 0),
        (lambda x, y: np.cos(x) - np.cos(-x), 0),
        (lambda x, y: x * y - y * x, 0),
        (lambda x, y: np.minimum(x, y) - np.minimum(y, x), 0),
        (lambda x, y: np.minimum(x, np.inf) + np.maximum(-np.inf, y), 1),
        (lambda x, y: np.where(x > 0, y, y), 0),
        (lambda x, y: np.sin(x) * np.sin(x) + np.sin(x), 3),
        (lambda x, y: np.stack([np.sin(x + y), np.cos(y + x)]), 3),
        (lambda x, y: x * 2 - 2 * x, 0),
        (lambda x, y: np.sin(x) * 0 + 1, 0),  # what nobody needs is left out
    ],
)
def test_a_folded_expression_has_as_few_operations(function: Callable, operations: int):
    program = record(function, x=(), y=())
    assert len(program) == operations, str(program)
    assert_same(program(0.3, -1.7), function(0.3, -1.7))


def test_zeros_in_a_matrix_cost_nothing():
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    program = record(lambda q: turn @ (turn @ (turn @ (turn @ q))), q=(3,))
    assert len(program) == 0
    assert program.results == (0, 1, 2)


def test_zero_times_anything_is_zero_even_infinity():
    """The one place where a program is not the function it came from, and says so."""
    assert record(lambda x: 0 * x + 1, x=())(math.inf) == 1
    assert record(lambda x: x - x, x=())(math.nan) == 0
    assert "0·x is 0" in (recorded.__doc__ or "")


def test_division_by_the_constant_zero_is_infinite_or_no_number():
    """As for floats in arrays: what a singular robot's accelerations are."""
    program = record(lambda q: np.stack([q[0] / 0, q[1] / 0, q[2] / 0.0]), q=(3,))
    with np.errstate(all="ignore"):
        assert np.array_equal(program([1.0, -1.0, 0.0]), [np.inf, -np.inf, np.nan], equal_nan=True)


def test_shared_subexpressions_are_recorded_once_across_outputs():
    def function(q: Any) -> Any:
        s = np.sin(q[0] * q[1])
        return {"a": s + 1, "b": np.sin(q[1] * q[0]) * 2, "c": s}

    assert record(function, q=(2,)).counts() == {"mul": 2, "sin": 1, "add": 1}


# inputs and outputs


def test_a_tuple_gives_several_outputs_and_a_dict_names_them():
    program = record(lambda q: (q[0], A * q[1]), q=(2,))
    assert [(p.name, p.shape) for p in program.outputs] == [("out0", ()), ("out1", (3, 3))]
    first, second = program([2.0, 3.0])
    assert first == 2.0
    assert np.array_equal(second, 3 * A)
    named = record(lambda q: {"half": q / 2, "sum": q.sum()}, q=(2,))
    assert [(p.name, p.shape) for p in named.outputs] == [("half", (2,)), ("sum", ())]


def test_a_program_is_named_after_its_function():
    def torque(q: Any) -> Any:
        return q

    assert record(torque, q=(1,)).name == "torque"
    assert record(lambda q: q, q=(1,)).name == "lambda"
    assert record(torque, "force", q=(1,)).name == "force"


def test_arguments_are_handed_over_by_name():
    def difference(a: Any, b: Any) -> Any:
        return a - 2 * b

    assert record(difference, b=(), a=())(1.0, 10.0) == 10.0 - 2 * 1.0
    assert record(lambda *both: both[0] - 2 * both[1], b=(), a=())(1.0, 10.0) == 1.0 - 2 * 10.0


def test_shapes_of_any_rank_come_in_and_go_out():
    program = record(lambda T: T.transpose(2, 0, 1) * 2, T=(2, 3, 4))
    T = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(program(T), 2 * T.transpose(2, 0, 1))


def test_a_function_without_arguments_is_a_constant():
    assert np.array_equal(record(lambda: A)(), A)


def test_constants_that_are_not_finite_are_data():
    def function(x: Any) -> Any:
        inverse = np.float64(1) / np.float64(0)
        return np.stack([x * inverse, x - math.inf, x * math.nan, x / math.inf, math.nan])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program = record(function, x=())
    assert np.array_equal(program(2.0), [np.inf, -np.inf, np.nan, 0, np.nan], equal_nan=True)


# what cannot be recorded says so


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: 1 if x > 0 else 2, "no truth value"),
        (lambda x: 1 if x == 0 else 2, "np.where(condition, a, b)"),
        (lambda x: x > 0 and x < 1, "the program must be the same for every state"),
        (lambda x: 0 < x < 1, "no truth value"),
        (lambda x: max(x, 1), "np.maximum"),
        (lambda x: np.sign(np.array([x, 1.0])), "np.stack"),
        (lambda x: math.sin(x), "Use NumPy functions, not those of math"),
        (lambda x: float(x), "no number yet"),
        (lambda x: int(x), "no number yet"),
        (lambda x: np.array([x, 1.0], dtype=float), "np.zeros(n, dtype=object)"),
        (lambda x: put(np.zeros(3), x), "arrays of objects"),
        (lambda x: np.hypot(x, 1), "np.hypot cannot be recorded"),
        (lambda x: np.rint(x), "These can, and what NumPy makes of them: absolute, add,"),
        (lambda x: np.linalg.solve(x * np.eye(2), W[:2]), "np.linalg.solve cannot be recorded"),
        (lambda x: np.linalg.inv(x * np.eye(2)), "np.linalg.inv cannot be recorded"),
        (lambda x: np.interp(x, [0, 1], [2, 3]), "np.interp cannot be recorded"),
        (lambda x: np.select([x * W > 0], [W]), "np.select cannot be recorded"),
        (lambda x: np.logical_and(x * W > 0, W > 0), "np.logical_and cannot be recorded"),
        (lambda x: np.sort(x * W), "no truth value"),
        (lambda x: x**1.5, "only be raised to a constant whole power"),
        (lambda x: x**x, "only be raised to a constant whole power"),
        (lambda x: x**math.inf, "only be raised to a constant whole power"),
        (lambda x: 2.0 ** (x * W), "np.power cannot be recorded"),
        (lambda x: x * 10**400, "not a real number that a float can hold"),
        (lambda x: None, "returns None in 'out'"),
        (lambda x: "torque", "returns 'torque' in 'out'"),
        (lambda x: {"a": x, "b": 1j}, "returns 1j in 'b'"),
        (lambda x: [[x], [x, x]], "it must return real numbers"),
        (lambda x: (), "must return something"),
        (lambda x: {}, "must return something"),
    ],
)
def test_what_cannot_be_recorded_is_refused_in_words(function: Callable, words: str):
    with pytest.raises(BadArgument) as caught:
        record(function, **scalar)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * (1 + 2j),
        lambda x: x * Fraction(1, 3),
        lambda x: "a" + x,
        lambda x: None / x,
        lambda x: x // 2,
        lambda x: x % None,
        lambda x: None % x,
        lambda x: (x > 0) & (x < 1),
        lambda x: [1, 2][x],
    ],
)
def test_operators_that_values_do_not_have_are_type_errors(function: Callable):
    with pytest.raises(TypeError):
        record(function, **scalar)


def test_a_value_of_another_recording_is_refused():
    kept: list[Any] = []
    record(lambda x: kept.append(x) or x, x=())
    foreign = kept[0]
    for function in (
        lambda x: x + foreign,
        lambda x: foreign * x,
        lambda x: x / foreign,
        lambda x: np.minimum(x, foreign),
        lambda x: np.where(x > 0, foreign, 1),
        lambda x: foreign,
    ):
        with pytest.raises(BadArgument, match="of another recording"):
            record(function, x=())


@pytest.mark.parametrize("shape", [3, (2, -1), (1.5,), "ab", None])
def test_a_shape_that_is_none_is_refused(shape: Any):
    with pytest.raises(BadArgument, match="; give its shape as a tuple"):
        record(lambda q: q, q=shape)


def put(array: Any, x: Any) -> Any:
    array[0] = x
    return array


def assert_same(mine: Any, expected: Any) -> None:
    mine, expected = np.asarray(mine, dtype=float), np.asarray(expected, dtype=float)
    assert mine.shape == expected.shape
    scale = max(1.0, np.abs(expected).max(initial=0))
    assert_allclose(mine, expected, rtol=ACCURATE, atol=ACCURATE * scale)


@pytest.mark.parametrize("on", [True, False])
def test_recording_leaves_the_garbage_collector_as_it_was(on: bool):
    seen = []
    before = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        record(lambda x: seen.append(gc.isenabled()) or x, **scalar)
        assert gc.isenabled() is on
        with pytest.raises(BadArgument):
            record(lambda x: 1 if x else 2, **scalar)
        assert gc.isenabled() is on
        assert seen == [False]
    finally:
        (gc.enable if before else gc.disable)()
