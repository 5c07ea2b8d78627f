"""The operations a program is made of: their names, arities and meaning on floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Operation:
    """One kind of operation."""

    name: str
    arity: int
    numpy: Callable[..., Any]
    commutes: bool = False

    def __reduce__(self) -> tuple:
        return named, (self.name,)  # there is one of each; copies and pickles are that one


ADD = Operation("add", 2, np.add, commutes=True)
SUB = Operation("sub", 2, np.subtract)
MUL = Operation("mul", 2, np.multiply, commutes=True)
DIV = Operation("div", 2, np.divide)
NEG = Operation("neg", 1, np.negative)
SIN = Operation("sin", 1, np.sin)
COS = Operation("cos", 1, np.cos)
SQRT = Operation("sqrt", 1, np.sqrt)
EXP = Operation("exp", 1, np.exp)
LOG = Operation("log", 1, np.log)
TANH = Operation("tanh", 1, np.tanh)
ABS = Operation("abs", 1, np.abs)
SIGN = Operation("sign", 1, np.sign)
MIN = Operation("min", 2, np.minimum, commutes=True)
MAX = Operation("max", 2, np.maximum, commutes=True)
# 1.0 where a < b or a ≤ b, else 0.0; and b where a is not zero, else c
LESS = Operation("less", 2, lambda a, b: np.where(np.less(a, b), 1.0, 0.0))
LESS_EQUAL = Operation("less_equal", 2, lambda a, b: np.where(np.less_equal(a, b), 1.0, 0.0))
SELECT = Operation("select", 3, lambda a, b, c: np.where(np.not_equal(a, 0), b, c))

OPERATIONS = {
    op.name: op
    for op in (
        *(ADD, SUB, MUL, DIV, NEG, SIN, COS, SQRT, EXP, LOG, TANH),
        *(ABS, SIGN, MIN, MAX, LESS, LESS_EQUAL, SELECT),
    )
}


def named(name: str) -> Operation:
    """Return the operation of a name."""
    return OPERATIONS[name]
