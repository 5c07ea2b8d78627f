"""A limit on the time that exact work takes: it ends between two products of polynomials."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PRODUCTS = 2e6  # of two terms each, that a second is good for at least

_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


class OutOfTime(Exception):
    """The time that was given for exact work is over, or would be after the next product."""


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Let exact work in this block end with OutOfTime at a time of `time.monotonic`."""
    before = _deadline.set(min(deadline, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(before)


def check(products: int) -> None:
    """Raise OutOfTime if so many products of terms do not fit into what is left."""
    deadline = _deadline.get()
    if deadline < math.inf and time.monotonic() + products / PRODUCTS > deadline:
        raise OutOfTime
