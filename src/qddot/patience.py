"""A word on the terminal about work that takes longer than people like to wait in silence."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.5  # [s]


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Say what is being done, on stderr, if it is still being done after a while."""
    if not _is_watched():
        yield
        return
    timer = threading.Timer(PATIENCE, lambda: sys.stderr.write(f"qddot: {what} ...\n"))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def progress(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each step; it tells how far the work is, if it takes long."""
    started, done = time.monotonic(), 0

    def advance() -> None:
        nonlocal done
        done += 1
        if _is_watched() and time.monotonic() - started > PATIENCE:
            sys.stderr.write(f"\rqddot: {what} {100 * done // steps} %")

    yield advance
    if _is_watched() and time.monotonic() - started > PATIENCE:
        sys.stderr.write("\n")


def _is_watched() -> bool:
    """Return whether somebody reads stderr; a service may have none, or a closed one."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
