"""Limits on exact work: it ends between two products of polynomials.

A limit is a time, or a number of products of terms; the latter is the same on every machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PRODUCTS = 1e6  # of two terms each, that a second is good for, about

_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
_left: ContextVar[float] = ContextVar("left", default=math.inf)


class WorkLimitReached(Exception):
    """What was given for exact work is used up, or would be after the next product."""


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Let exact work in this block end with WorkLimitReached at a time of `time.monotonic`."""
    before = _deadline.set(min(deadline, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(before)


@contextmanager
def at_most(products: float) -> Iterator[None]:
    """Let exact work in this block end with WorkLimitReached after so many products of terms."""
    outside = _left.get()
    inside = min(products, outside)
    before = _left.set(inside)
    try:
        yield
    finally:
        used = inside - _left.get()
        _left.reset(before)
        _left.set(outside - used)


def check(products: int) -> None:
    """Raise WorkLimitReached if so many products of terms are more than is left."""
    if (left := _left.get()) < math.inf:
        if products > left:
            raise WorkLimitReached
        _left.set(left - products)
    deadline = _deadline.get()
    if deadline < math.inf and time.monotonic() + products / PRODUCTS > deadline:
        raise WorkLimitReached
