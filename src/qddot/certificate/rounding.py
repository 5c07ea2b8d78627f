"""Rounding: how far a robot's floats, and what kernels make of them, can be from the true numbers.

**Numbers.** A robot is described in decimals and angles; a kernel holds floats that were computed
from these. Here a robot is folded over balls (`arb` of python-flint: a midpoint and a radius that
is proved) to seventy digits, so that when the recorder asks for a float, what that float leaves out
is known and noted.

**Results**, anywhere in a box, before a kernel is run. Every value of the recorded program gets its
largest magnitude m and its largest error e over the box. An operation passes the errors of its
arguments on and adds its own rounding, at most u = 2⁻⁵³ of its result (N. Higham, *Accuracy and
Stability of Numerical Algorithms*, 2002, chapter 2):

    a ± b:   m = m_a + m_b        e = e_a + e_b + u (m + e_a + e_b)
    a b:     m = m_a m_b          e = m_a e_b + m_b e_a + e_a e_b + u (m + …)
    sin, cos:  m = 1              e = e_a + 3u      (the inline ones are within 1.5 units)

A fused multiply-add rounds once where two operations would round twice, so the same numbers hold
whether the compiler fuses or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

import numpy as np
from flint import arb

from qddot.equations.values import ball_of
from qddot.model.folding import exact, fold
from qddot.model.model import Model
from qddot.model.tree import Tree
from qddot.program.program import Program
from qddot.program.recorded import Recorded
from qddot.scalars import (
    Scalar,
    acos,
    asin,
    atan2,
    atan2_of,
    constant_sincos,
    floor,
    sincos,
    sqrt,
    wrapped_angle,
)

NOTHING = 1e-60  # the radius of a ball that differs from zero by rounding at 256 bits only
U = 2.0**-53
TINY = 1e-300  # what is lost where a product underflows, with room to spare
OUTWARD = 1 + 1e-12  # the few roundings of these formulas themselves


class Ledger(dict[float, float]):
    """By the magnitude of each float that stands for a number: how far off it is at most."""

    def note(self, ball: arb) -> float:
        """Return the float that stands for a number, and note how far off it is.

        The recorder leaves out factors 1 and terms 0, so a number that is only nearly one of
        these is stood for by a neighbour.
        """
        x = float(ball.mid())
        if x in (0.0, 1.0, -1.0) and not (ball - arb(x)).is_zero():
            x = math.nextafter(x, math.inf)
        error = above(abs(ball - arb(x)))
        self[abs(x)] = max(self.get(abs(x), 0.0), error)
        return x


@total_ordering
class BallScalar:
    """A number in a ball. What is zero to seventy digits is taken as zero."""

    __slots__ = ("ball", "ledger")

    def __init__(self, ball: arb, ledger: Ledger):
        self.ball, self.ledger = ball, ledger

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        if isinstance(other, Recorded):
            a, b = (other, float(self)) if swapped else (float(self), other)
            return operation(a, b)
        if not isinstance(other, (BallScalar, int, float, np.integer)):
            return NotImplemented
        ball = ball_in(other)
        result = operation(ball, self.ball) if swapped else operation(self.ball, ball)
        # nothing at seventy digits is nothing; a wide ball around zero is a number not well known
        nothing = result.contains(arb(0)) and float(result.rad()) < NOTHING
        return 0 if nothing else BallScalar(result, self.ledger)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b, swapped=True)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> BallScalar:
        return BallScalar(-self.ball, self.ledger)

    def __abs__(self) -> BallScalar:
        return BallScalar(abs(self.ball), self.ledger)

    def __float__(self) -> float:
        return self.ledger.note(self.ball)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (BallScalar, int, float)):
            return bool((self.ball - ball_in(other)).is_zero())
        return NotImplemented

    def __lt__(self, other: Any) -> bool:
        return bool(self.ball < ball_in(other))

    __hash__ = None  # type: ignore[assignment]  # balls that overlap have no order to sort them by


@sincos.register
def _(x: BallScalar) -> tuple[Scalar, Scalar]:
    s, c = x.ball.sin_cos()
    return BallScalar(s, x.ledger), BallScalar(c, x.ledger)


@constant_sincos.register
def _(x: BallScalar) -> tuple[Scalar, Scalar]:
    """As of floats: the float nearest to a right angle means the right angle."""
    s, c = constant_sincos(float(x.ball.mid()))
    return (s, c) if isinstance(s, int) and isinstance(c, int) else sincos(x)


@sqrt.register
def _(x: BallScalar) -> BallScalar:
    return BallScalar(x.ball.sqrt(), x.ledger)


@atan2_of.register
def _(kind: BallScalar, y: Scalar, x: Scalar) -> Scalar:
    if isinstance(y, Recorded) or isinstance(x, Recorded):
        return atan2(*(float(a) if a is kind else a for a in (y, x)))
    return BallScalar(atan2(ball_in(y), ball_in(x)), kind.ledger)


for function in (asin, acos, floor, wrapped_angle):
    function.register(BallScalar, lambda x, of=function: BallScalar(of(x.ball), x.ledger))


def exact_tree(model: Model, ledger: Ledger) -> Tree:
    """Return the moving bodies of a robot over balls; call it within `many_digits`."""

    def known(x: Scalar) -> Scalar:
        if isinstance(x, int):
            return x
        ball = ball_of(exact(x))
        whole = ball.unique_fmpz() if ball.is_exact() else None
        return (
            int(whole)
            if whole is not None and abs(int(whole)) < 2**53
            else BallScalar(ball, ledger)
        )

    return fold(model, known)


def ball_in(x: Any) -> arb:
    """Return the ball of a number of a tree, which may be a plain one."""
    return x.ball if isinstance(x, BallScalar) else arb(int(x) if isinstance(x, np.integer) else x)


def above(ball: arb) -> float:
    """Return a float that is not below a ball."""
    x = float(ball.upper())
    return x if arb(x) >= ball else math.nextafter(x, math.inf)


def below(ball: arb) -> float:
    """Return a float that is not above a ball."""
    x = float(ball.lower())
    return x if arb(x) <= ball else math.nextafter(x, -math.inf)


@dataclass(frozen=True)
class Rounding:
    """Of each result of a program: its largest magnitude and its largest error."""

    magnitude: np.ndarray
    error: np.ndarray


def rounding(
    program: Program, largest: Sequence[float] | np.ndarray, constants: Mapping[float, float]
) -> Rounding:
    """Return what rounding can do to the results of a program of sums, products, sines and cosines.

    `largest` is the largest magnitude of each input; the inputs themselves are exact. The constants
    are, by magnitude, how far each is from the number it stands for.
    """
    values = [(float(x), 0.0) for x in largest]
    values += [(abs(c), constants.get(abs(c), 0.0)) for c in program.constants]
    for step in program.steps:
        (a, ea), *rest = (values[i] for i in step.args)
        name = step.op.name
        if name == "neg":
            values.append((a, ea))
            continue
        if name in ("sin", "cos"):
            values.append((1.0, (ea + 3 * U) * OUTWARD))
            continue
        ((b, eb),) = rest
        if name in ("add", "sub"):
            m, e = a + b, ea + eb
        elif name == "mul":
            m, e = a * b, a * eb + b * ea + ea * eb
        else:
            raise AssertionError(f"no field is made of {name}")
        values.append((m * OUTWARD, (e + U * (m + e)) * OUTWARD + TINY))
    found = np.array([values[i] for i in program.results], dtype=float).reshape(-1, 2)
    return Rounding(found[:, 0] + found[:, 1], found[:, 1])


def enclosure(
    program: Program, q: Sequence[float] | np.ndarray, constants: Mapping[float, float]
) -> list[arb]:
    """Return balls that hold the true results at one q: the program, run on balls."""
    values = [arb(float(x)) for x in q]
    values += [arb(c, constants.get(abs(c), 0.0)) for c in program.constants]
    for step in program.steps:
        a, *rest = (values[i] for i in step.args)
        values.append(BALLS[step.op.name](a, *rest))
    return [values[i] for i in program.results]


BALLS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
}
