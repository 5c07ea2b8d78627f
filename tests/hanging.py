"""What would hang for ever fails instead, with the place where it hangs.

Every test has this limit, by conftest.py, so that no test needs a limit of its own. It is for what
never ends: a test that needs a fair part of it on an idle machine is too long.
"""

from __future__ import annotations

import faulthandler
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

HANGS = 120  # [s] for a test, and for what is cleared away after it
SHARED = 300  # [s] for what is set up before it, which many tests use
LONG = 1800  # [s] for those that `make test-all` and `make fuzz` run
DEAF = 30  # [s] more, and who hears nothing is ended: compiled code that goes round and round


@contextmanager
def ends(seconds: float, told: int) -> Iterator[None]:
    """Fail if a block is still at work after some seconds.

    Args:
        seconds: How long it may take. Where there is no SIGALRM, or the block does not come back to
            Python, the process ends a little later.
        told: The file descriptor that is then told where every thread is.
    """

    def fail(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"still at work after {seconds} s")

    faulthandler.dump_traceback_later(seconds + DEAF, exit=True, file=told)
    heard = hasattr(signal, "SIGALRM")
    if heard:
        before = signal.signal(signal.SIGALRM, fail)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if heard:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def wait_until(something: Callable[[], object]) -> None:
    """Wait until something is so; if it never is, the limit of the test ends the wait."""
    while not something():
        time.sleep(0.005)
