"""What would otherwise hang for ever fails instead, after much more time than it may ever take."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HANGS = 600  # [s]; refusals take milliseconds


@contextmanager
def ends() -> Iterator[None]:
    """Fail if a block is still at work after ten minutes; where there is no SIGALRM, wait."""

    def fail(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still at work after {HANGS} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def wait_until(something: Callable[[], object]) -> None:
    """Wait until something is so; fail after much more time than that may take."""
    end = time.monotonic() + HANGS
    while not something():
        assert time.monotonic() < end, f"not so after {HANGS} s"
        time.sleep(0.005)
