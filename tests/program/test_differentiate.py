"""Derivatives of programs: of each operation, of their compositions, forward and in reverse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from complex_step import STEP
from hypothesis import example, given
from hypothesis import strategies as st
from nearness import CENTRAL_DIFFERENCE, assert_close
from translated import SMOOTH

from qddot.errors import BadArgument
from qddot.program import Program, record
from qddot.program.differentiate import gradient, jacobian, tangent
from qddot.program.operations import OPERATIONS

H = 1e-5  # of a central difference

# operations with edges: differentiable on either side of them
EDGED: dict[str, Callable[..., Any]] = {
    "floor": lambda a, b: np.floor(a) * b,
    "abs": lambda a, b: abs(a),
    "sign": lambda a, b: np.sign(a) * b,
    "min": lambda a, b: np.minimum(a, b),
    "max": lambda a, b: np.maximum(a, b),
    "less": lambda a, b: (a < b) * a,
    "less_equal": lambda a, b: (a <= b) * b,
    "select": lambda a, b: np.where(a < 0.7, a * b, b),
}
numbers = st.floats(0.1, 2.0)


def test_every_operation_has_a_derivative():
    assert OPERATIONS.keys() == SMOOTH.keys() | EDGED.keys()


@pytest.mark.parametrize("name", SMOOTH)
@given(a=numbers, b=numbers)
def test_the_derivative_of_a_smooth_operation_is_the_complex_step(name: str, a: float, b: float):
    function = SMOOTH[name]
    program = record(function, a=(), b=())
    assert name in program.counts()
    expected = [
        np.imag(function(a + 1j * STEP, b + 0j)) / STEP,
        np.imag(function(a + 0j, b + 1j * STEP)) / STEP,
    ]
    assert_close(derivatives(program, a, b), expected)


@pytest.mark.parametrize("name", EDGED)
@example(a=1.0, b=0.5, sides=(-1, -1))
@given(a=numbers, b=numbers, sides=st.tuples(*[st.sampled_from([-1, 1])] * 2))
def test_the_derivative_beside_an_edge_is_the_finite_difference(
    name: str, a: float, b: float, sides: tuple[int, int]
):
    a, b = a * sides[0], b * sides[1]
    while min(abs(a - b), abs(a - 0.7), abs(a - round(a))) < 10 * H:
        b, a = b + 0.05, a + 0.11  # off the edge
    function = EDGED[name]
    program = record(function, a=(), b=())
    assert name in program.counts()
    expected = [
        (function(a + H, b) - function(a - H, b)) / (2 * H),
        (function(a, b + H) - function(a, b - H)) / (2 * H),
    ]
    assert_close(derivatives(program, a, b), expected, CENTRAL_DIFFERENCE)


@pytest.mark.parametrize("name", [op.name for op in OPERATIONS.values() if op.chooses])
def test_where_two_arguments_are_equal_one_of_the_two_derivatives_is_taken(name: str):
    slopes = derivatives(record(EDGED[name], a=(), b=()), 0.7, 0.7)
    assert slopes in ([1, 0], [0, 1])


def test_at_zero_the_derivatives_of_abs_and_sign_are_zero():
    assert derivatives(record(lambda a, b: abs(a) + np.sign(a), a=(), b=()), 0.0, 1.0) == [0, 0]


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.where(a > 0, np.sqrt(a), b),
        lambda a, b: np.where(a == 0, b, np.sin(a) / a),
        lambda a, b: np.maximum(np.sqrt(a), b),
    ],
)
def test_an_infinite_derivative_that_is_not_chosen_does_no_harm(function: Callable):
    """At a = 0 the other branch is taken; forward, its derivative is taken alone."""
    with np.errstate(all="ignore"):
        assert jacobian(record(function, a=(), b=()), ["a", "b"])(0.0, 1.0) == (0, 1)


# compositions


def arm(q: Any, w: Any, k: Any) -> dict[str, Any]:
    """Use all operations, on arrays, with shared subexpressions and values handed through."""
    s, c = np.sin(q), np.cos(q)
    R = np.stack([[c[0], -s[0]], [s[0], c[0]]])
    p = R @ (w * np.exp(-k * q[:2])) + np.tanh(q[1] * w)
    reach = np.sqrt(p @ p + 1) / np.log(3 + c[2] ** 2)
    return {
        "p": p,
        "table": np.stack([[reach, np.abs(q[2]) * k], [np.maximum(s[1], w[0]), s[2]]]),
        "stop": np.where(q[0] < q[1], reach * k, np.minimum(q[2], w[1])) * np.sign(w[0]),
        "same": q,
        "constant": np.ones((2, 1)),
    }


ARM = record(arm, q=(3,), w=(2,), k=())
OUTPUTS = {"p": (2,), "table": (2, 2), "stop": (), "same": (3,), "constant": (2, 1)}
INPUTS = {"q": (3,), "w": (2,), "k": ()}


@st.composite
def states(draw: st.DrawFn) -> list[Any]:
    """Return q, w and k away from edges, where one derivative is as good as another."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    q, w = rng.choice([-1, 1], 3) * rng.uniform(0.2, 1.5, 3), rng.uniform(0.1, 1.5, 2)
    q[1] += 0.1 if abs(q[0] - q[1]) < 0.05 else 0
    w[0] += 0.2 if abs(np.sin(q[1]) - w[0]) < 0.05 else 0
    w[1] += 0.1 if abs(q[2] - w[1]) < 0.05 else 0
    return [q, w, float(rng.uniform(0.1, 1))]


@given(state=states())
def test_the_jacobian_of_a_composition_is_the_finite_difference(state: list[Any]):
    slopes = jacobian(ARM, ["q", "w", "k"])
    found = dict(zip([p.name for p in slopes.outputs], slopes(*state), strict=True))
    for number, (wrt, shape) in enumerate(INPUTS.items()):
        for at in np.ndindex(shape):
            plus, minus = (list(state), list(state))
            plus[number] = moved(state[number], at, H)
            minus[number] = moved(state[number], at, -H)
            pairs = zip(ARM(*plus), ARM(*minus), strict=True)
            for name, (high, low) in zip(OUTPUTS, pairs, strict=True):
                expected = (np.asarray(high) - np.asarray(low)) / (2 * H)
                slope = np.asarray(found[f"d{name}_d{wrt}"])[(..., *at)]
                assert_close(slope, expected, CENTRAL_DIFFERENCE)


@given(state=states())
def test_the_gradient_of_each_output_is_a_row_of_the_jacobian(state: list[Any]):
    wrt = ["q", "k"]
    slopes, pulled = jacobian(ARM, wrt), gradient(ARM, wrt)
    found = dict(zip([p.name for p in slopes.outputs], slopes(*state), strict=True))
    for name, shape in OUTPUTS.items():
        for at in np.ndindex(shape):
            weights = {key: np.zeros(s) for key, s in OUTPUTS.items()}
            weights[name][at] = 1
            bars = pulled(*state, *weights.values())
            for bar, by in zip(bars, wrt, strict=True):
                assert_close(bar, np.asarray(found[f"d{name}_d{by}"])[at])


@given(state=states(), seed=st.integers(0, 2**32 - 1))
def test_a_gradient_is_linear_in_its_weights(state: list[Any], seed: int):
    """bar_x = Σ weight · ∂output/∂x, over all outputs at once."""
    rng = np.random.default_rng(seed)
    weights = {name: rng.normal(size=shape) for name, shape in OUTPUTS.items()}
    (bar,) = (gradient(ARM, ["w"])(*state, *weights.values()),)
    slopes = jacobian(ARM, ["w"])(*state)
    rows = zip(weights.values(), slopes, strict=True)
    expected = sum(np.tensordot(weight, slope, weight.ndim) for weight, slope in rows)
    assert_close(bar, expected)


@given(state=states(), seed=st.integers(0, 2**32 - 1))
def test_a_tangent_is_the_jacobian_times_the_rates(state: list[Any], seed: int):
    rng = np.random.default_rng(seed)
    rates = {name: rng.normal(size=shape) for name, shape in INPUTS.items() if name != "w"}
    pushed = tangent(ARM, list(rates))
    slopes = iter(jacobian(ARM, list(rates))(*state))
    for found in pushed(*state, *rates.values()):
        expected = sum(np.tensordot(next(slopes), rate, rate.ndim) for rate in rates.values())
        assert_close(found, expected)


@given(state=states(), seed=st.integers(0, 2**32 - 1))
def test_what_is_pushed_forward_and_what_is_pulled_back_fit_together(state: list[Any], seed: int):
    """Weights · (J rates) = (Jᵀ weights) · rates, of the derivatives of derivatives too."""
    rng = np.random.default_rng(seed)
    program, given = ARM, state
    for _ in range(2):
        names = [port.name for port in program.inputs]
        rates, weights = (
            [rng.normal(size=port.shape) for port in ports]
            for ports in (program.inputs, program.outputs)
        )
        push, pull = tangent(program, names), gradient(program, names)
        forward = [np.asarray(x) for x in push(*given, *rates)]
        back = [np.asarray(x) for x in pull(*given, *weights)]
        left = sum(np.sum(w * x) for w, x in zip(weights, forward, strict=True))
        right = sum(np.sum(x * r) for x, r in zip(back, rates, strict=True))
        scale = sum(np.sum(np.abs(x * r)) for x, r in zip(back, rates, strict=True))
        assert abs(left - right) <= 1e-12 * max(scale, 1)
        program, given = pull, [*given, *weights]


def test_derivatives_of_derivatives_find_names_that_are_free():
    program = record(lambda q: np.sin(q[0]), q=(1,))
    third, values = program, [np.array([0.4])]
    for k in range(1, 6):
        third, values = gradient(third, ["q"]), [*values, np.ones(third.outputs[0].shape)]
        wave = (np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x))[k % 4]
        assert_close(third(*values), [wave(0.4)])
    pushed = tangent(tangent(program, ["q"]), ["q"])
    assert [port.name for port in pushed.inputs] == ["q", "dot_q", "dot_dot_q"]


def test_the_derivative_of_a_division_by_zero_is_infinite_not_an_error():
    program = record(lambda x: x / 0.0, x=(1,))
    one = np.ones(1)
    for found in (
        jacobian(program, ["x"])(one),
        gradient(program, ["x"])(one, one),
        tangent(program, ["x"])(one, one),
    ):
        assert np.all(found == np.inf)


def test_the_second_derivative_is_the_derivative_of_the_derivative():
    program = record(lambda x: np.sin(x) * np.exp(x), x=())
    second = jacobian(jacobian(program, ["x"]), ["x"])
    assert_close(second(0.4), 2 * math.cos(0.4) * math.exp(0.4))


def test_the_jacobian_of_a_linear_map_is_its_matrix_and_has_no_operations():
    A = np.arange(6.0).reshape(2, 3)
    slopes = jacobian(record(lambda q: A @ q, q=(3,)), ["q"])
    assert len(slopes) == 0
    assert np.array_equal(slopes(np.zeros(3)), A)


def test_a_gradient_costs_a_small_multiple_of_its_program():
    """Reverse: one sweep, however many inputs there are."""
    program = record(lambda q: np.sum(np.sin(q) * np.cos(q[::-1]) * q), q=(50,))
    assert len(gradient(program, ["q"])) < 5 * len(program)


def test_derivatives_are_named_after_output_and_input():
    slopes = jacobian(ARM, ["k", "q"])
    ports = {port.name: port.shape for port in slopes.outputs}
    assert ports["dtable_dk"] == (2, 2)
    assert ports["dtable_dq"] == (2, 2, 3)
    assert [port.name for port in slopes.outputs][:2] == ["dp_dk", "dp_dq"]
    assert slopes.inputs == ARM.inputs
    pulled = gradient(ARM, ["q"])
    assert [port.name for port in pulled.inputs][3:] == [f"bar_{name}" for name in OUTPUTS]
    assert [(port.name, port.shape) for port in pulled.outputs] == [("bar_q", (3,))]


@pytest.mark.parametrize("derive", [jacobian, gradient])
def test_an_unknown_input_is_refused_with_those_there_are(derive: Callable):
    with pytest.raises(BadArgument) as caught:
        derive(ARM, ["q", "tau"])
    assert str(caught.value) == "arm has no input 'tau'. It has: q, w, k."


# replaying


@given(state=states())
def test_a_program_replayed_on_floats_has_its_own_values(state: list[Any]):
    q, w, k = state
    for mine, own in zip(ARM.pack(ARM.results_at([*q, *w, k])), ARM(*state), strict=True):
        assert_close(mine, own)


def test_replayed_comparisons_are_numbers_that_can_be_added():
    program = record(lambda a, b: (a < b) + (a <= b) + (a < 2 * b), a=(), b=())
    assert program.results_at([1.0, 2.0]) == [3]


def derivatives(program: Program, a: float, b: float) -> list[float]:
    """Return ∂/∂a and ∂/∂b, the same forward and in reverse."""
    forward = [float(x) for x in jacobian(program, ["a", "b"])(a, b)]
    reverse = [float(x) for x in gradient(program, ["a", "b"])(a, b, 1.0)]
    assert_close(forward, reverse)
    return forward


def moved(x: Any, at: tuple[int, ...], by: float) -> Any:
    x = np.array(x, dtype=float)
    x[at] += by
    return x if x.ndim else float(x)
