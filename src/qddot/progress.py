"""Messages on stderr: remarks, errors, and the progress of slow work.

Progress is one line that is drawn again and again, only if stderr is a terminal, and cleared
at the end.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

SLOW = 1.5  # [s] after which progress is shown
REDRAW = 0.1  # [s] between two drawings

_lock = threading.Lock()
_drawn = 0  # characters that stand on the line
_quiet = 0  # how many callers have asked for quiet


def set_quiet(wanted: bool) -> None:
    """Show only results and errors from now on (True), or remarks and progress too (False)."""
    global _quiet
    _quiet = int(wanted)


@contextmanager
def quiet() -> Iterator[None]:
    """Show only results and errors inside this block."""
    global _quiet
    with _lock:
        _quiet += 1
    try:
        yield
    finally:
        with _lock:
            _quiet -= 1


def inform(text: str, *, of_progress: bool = False) -> None:
    """Write a remark on stderr, unless only results and errors are to be shown.

    A remark about progress is written only if stderr is a terminal.
    """
    if not _quiet and (_is_watched() or not of_progress):
        write_line(text)


def write_line(text: str) -> None:
    """Write a line on stderr, after clearing the line of progress."""
    with _lock:
        _clear_line()
        _write(f"qddot: {text}\n")


@contextmanager
def message_if_slow(what: str) -> Iterator[None]:
    """Show on stderr what is being done, if it takes longer than `SLOW`."""
    if not _is_watched():
        yield
        return
    timer = threading.Timer(SLOW, lambda: _draw(f"{what} ..."))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _clear()


@contextmanager
def percent_done(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each step; it shows the percentage done of slow work."""
    started, done, shown = time.monotonic(), 0, 0.0

    def advance() -> None:
        nonlocal done, shown
        done += 1
        now = time.monotonic()
        if now - started > SLOW and now - shown > REDRAW and _is_watched():
            shown = now
            left = (now - started) * (steps - done) / done
            _draw(f"{what} {100 * done // steps} %, about {readable_time(left)} left")

    try:
        yield advance
    finally:
        _clear()


def readable_time(seconds: float) -> str:
    """Return a time as text, in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _draw(text: str) -> None:
    """Replace the line of progress by this text, cut to the width of the terminal."""
    global _drawn
    with _lock:
        line = f"qddot: {text}"[: shutil.get_terminal_size().columns - 1]
        _write(f"\r{line.ljust(_drawn)}")
        _drawn = len(line)


def _clear() -> None:
    with _lock:
        _clear_line()


def _clear_line() -> None:
    global _drawn
    if _drawn:
        _write(f"\r{' ' * _drawn}\r")
        _drawn = 0


def _write(text: str) -> None:
    """Write to stderr, if there is one that takes it: a service may have closed it."""
    with suppress(AttributeError, ValueError, OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_watched() -> bool:
    """Return whether stderr is a terminal and progress is to be shown."""
    try:
        return not _quiet and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
