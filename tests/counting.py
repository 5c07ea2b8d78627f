"""How much work something is, counted in calls of functions: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Assert that a block calls functions, of Python or C, at most so many times."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert count <= calls, f"{count} calls, of at most {calls}"
