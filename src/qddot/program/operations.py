"""The operations a program is made of, a row each: name, arity, meaning, derivatives."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from qddot.scalars import Scalar, atan2, balls, floor, namespace, sign


@dataclass(frozen=True)
class Operation:
    """One kind of operation."""

    name: str
    arity: int
    apply: Callable[..., Any]  # on scalars of any kind, and on arrays of them
    partials: Callable[..., tuple[Scalar, ...]]  # of the result r and its arguments: ∂r by each
    commutes: bool = False
    # of what hands one of its last two arguments through: not zero where it is the first. The
    # derivative of the other does not matter then, not even where it is infinite
    chooses: Callable[..., Scalar] | None = None

    def __reduce__(self) -> tuple:
        return named, (self.name,)  # there is one of each; copies and pickles are that one


class Step(NamedTuple):
    """One operation on earlier values."""

    op: Operation
    args: tuple[int, ...]


def _of_namespace(name: str) -> Callable[..., Any]:
    """Return a function of NumPy by its name; of JAX, on arrays of JAX."""

    def function(*args: Any) -> Any:
        return getattr(namespace(*args), name)(*args)

    return function


def less(a: Scalar, b: Scalar) -> Scalar:
    """Return 1 where a < b, else 0; of balls that do not decide it, a ball of both."""
    return _decided(a < b, a >= b) if _of_balls(a, b) else _less(a, b) * 1.0


def less_equal(a: Scalar, b: Scalar) -> Scalar:
    """Return 1 where a ≤ b, else 0; of balls that do not decide it, a ball of both."""
    return _decided(a <= b, a > b) if _of_balls(a, b) else _less_equal(a, b) * 1.0


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller one; NaN if either is."""
    return balls()[0](a).min(b) if _of_balls(a, b) else _minimum(a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger one; NaN if either is."""
    return balls()[0](a).max(b) if _of_balls(a, b) else _maximum(a, b)


def _of_balls(*args: Scalar) -> bool:
    return any(isinstance(x, balls()) for x in args)


def _decided(yes: bool, no: bool) -> Scalar:
    """Return the truth of a comparison of balls: [0, 1] where they do not decide it."""
    (ball,) = balls()
    return ball(1) if yes else ball(0) if no else ball(0.5, 0.5)


def select(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition is not zero, else b; of a ball that is both, a ball of both."""
    if hasattr(condition, "select"):  # a recorded value
        return condition.select(a, b)
    if _of_balls(condition):
        (ball,) = balls()
        either = condition.contains(0) and not condition.is_zero()
        return ball(a).union(ball(b)) if either else b if condition.is_zero() else a
    if hasattr(condition, "__array_namespace__"):
        return namespace(condition).where(condition != 0, a, b)
    return a if condition else b


# by which to multiply lengths below a bound, so that their squares are normal numbers, of float64
# and of float32, which takes 2⁻⁴⁰⁰ for 0 and 2⁴⁰⁰ for ∞
SCALES = (
    *((2.0**-400, 2.0**600), (2.0**-30, 2.0**65), (2.0**30, 1.0), (2.0**400, 2.0**-65)),
    (math.inf, 2.0**-600),
)


def _slopes_of_angle(r: Scalar, y: Scalar, x: Scalar) -> tuple[Scalar, Scalar]:
    """Return (x, −y)/(x² + y²), of x and y times a constant k; zeros at the origin."""
    m, k = np.maximum(abs(x), abs(y)), SCALES[-1][1]
    for bound, scale in SCALES[-2::-1]:
        k = select(less(m, bound), scale, k)
    u, v = x * k, y * k
    d = u * u + v * v
    d = select(d, d, math.inf)
    return u / d * k, v / d * -k


_less, _less_equal = _of_namespace("less"), _of_namespace("less_equal")
_minimum, _maximum = _of_namespace("minimum"), _of_namespace("maximum")
_sin, _cos, _divide = _of_namespace("sin"), _of_namespace("cos"), _of_namespace("divide")

ADD = Operation("add", 2, operator.add, lambda r, a, b: (1, 1), commutes=True)
SUB = Operation("sub", 2, operator.sub, lambda r, a, b: (1, -1))
MUL = Operation("mul", 2, operator.mul, lambda r, a, b: (b, a), commutes=True)
# b may be the constant 0
DIV = Operation("div", 2, _divide, lambda r, a, b: (np.divide(1, b), np.divide(-r, b)))
NEG = Operation("neg", 1, operator.neg, lambda r, a: (-1,))
SIN = Operation("sin", 1, _sin, lambda r, a: (_cos(a),))
COS = Operation("cos", 1, _cos, lambda r, a: (-_sin(a),))
SQRT = Operation("sqrt", 1, _of_namespace("sqrt"), lambda r, a: (0.5 / r,))
EXP = Operation("exp", 1, _of_namespace("exp"), lambda r, a: (r,))
LOG = Operation("log", 1, _of_namespace("log"), lambda r, a: (1 / a,))
TANH = Operation("tanh", 1, _of_namespace("tanh"), lambda r, a: (1 - r * r,))
ATAN2 = Operation("atan2", 2, atan2, _slopes_of_angle)
FLOOR = Operation("floor", 1, floor, lambda r, a: (0,))
ABS = Operation("abs", 1, _of_namespace("abs"), lambda r, a: (sign(a),))
SIGN = Operation("sign", 1, sign, lambda r, a: (0,))
MIN = Operation(
    *("min", 2, minimum, lambda r, a, b: (less(a, b), 1 - less(a, b))), commutes=True, chooses=less
)
MAX = Operation(
    *("max", 2, maximum, lambda r, a, b: (less(b, a), 1 - less(b, a))),
    commutes=True,
    chooses=lambda a, b: less(b, a),
)
# 1.0 where a < b or a ≤ b, else 0.0; and b where a is not zero, else c
LESS = Operation("less", 2, less, lambda r, a, b: (0, 0))
LESS_EQUAL = Operation("less_equal", 2, less_equal, lambda r, a, b: (0, 0))
SELECT = Operation(
    *("select", 3, select, lambda r, c, a, b: (0, select(c, 1, 0), select(c, 0, 1))),
    chooses=lambda c, a, b: c,
)

OPERATIONS = {
    op.name: op
    for op in (
        *(ADD, SUB, MUL, DIV, NEG, SIN, COS, SQRT, EXP, LOG, TANH, ATAN2),
        *(FLOOR, ABS, SIGN, MIN, MAX, LESS, LESS_EQUAL, SELECT),
    )
}


def named(name: str) -> Operation:
    """Return the operation of a name."""
    return OPERATIONS[name]
