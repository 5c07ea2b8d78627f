"""A program run on balls holds what it gives on every number in them, conditions included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb
from nearness import LAST_DIGIT

from qddot import record
from qddot.program import Program, atan2, floor, wrapped_angle
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Step

CONDITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a choice": lambda a, b: np.where(a < b, np.sin(a), b * b),
    "choices in choices": lambda a, b: np.where(a <= 0, np.where(b > 0, a, -b), a * b),
    "a product of masks": lambda a, b: np.where((a > 0) * (b > a), 1 + a, b - 1),
    "smallest and largest": lambda a, b: np.minimum(a, b * b) - np.maximum(0.3, a - b),
    "signs": lambda a, b: np.sign(a) * b + abs(b) + np.clip(a, -0.2, b),
    "angles": lambda a, b: atan2(a, b) * np.where(b < 0, -1, 1) + wrapped_angle(3 * a),
    "whole parts": lambda a, b: floor(a) + (b % 1) * a,
}


def boxes(count: int) -> np.ndarray:
    """Return middles and half-widths of two numbers; many hold zero, some are points."""
    rng = np.random.default_rng(6)
    middle = rng.normal(size=(count, 2)) * rng.choice([0.05, 1, 3], (count, 1))
    half = 10 ** rng.uniform(-4, 0.3, (count, 2)) * rng.choice([0, 1, 1], (count, 2))
    return np.stack([middle, half], axis=1)


def assert_holds(program: Program, of: int = 40) -> None:
    """Assert that balls hold values at points inside, up to the rounding of these."""
    rng = np.random.default_rng(7)
    for middle, half in boxes(of):
        ball = program(*(arb(float(m), float(h)) for m, h in zip(middle, half, strict=True)))
        inside = middle + half * np.append(rng.uniform(-1, 1, (30, 2)), [[0, 0]], axis=0)
        with np.errstate(all="ignore"):
            values = np.array([float(program(*point)) for point in inside])
        for value in values[np.isfinite(values)]:
            room = arb(value, LAST_DIGIT * 10 * max(abs(value), 1))
            assert ball.overlaps(room) or not ball.is_finite()


@pytest.mark.parametrize("what", CONDITIONS)
def test_conditions_that_a_box_does_not_decide_take_both_ways(what: str):
    assert_holds(record(CONDITIONS[what], a=(), b=()))


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_ball_holds_what_an_operation_gives_on_each_number_in_it(name: str):
    operation = OPERATIONS[name]
    args = ((0, 1), (1, 0, 1))[operation.arity == 3] if operation.arity > 1 else (0,)
    ports = (Port("a", ()), Port("b", ()))
    assert_holds(Program(name, ports, (), (Step(operation, args),), (Port("y", ()),), (2,)))


def test_what_a_box_decides_takes_one_way():
    program = record(lambda a, b: np.where(a < b, a, 100.0), a=(), b=())
    assert float(program(arb(1, 0.1), arb(2, 0.1)).upper()) < 1.2
    assert float(program(arb(3, 0.1), arb(2, 0.1))) == 100
    assert float(program(arb(2, 0.1), arb(2, 0.1)).upper()) >= 100
