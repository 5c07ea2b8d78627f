"""A word on the terminal about work that takes longer than people like to wait in silence.

It stands on one line of stderr, only where that is a terminal, and is wiped away in the end.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 1.5  # [s]
REDRAW = 0.1  # [s] between two drawings

_lock = threading.Lock()
_drawn = 0  # characters that stand on the line
_silent = 0  # how many have asked for silence


def silence(wanted: bool) -> None:
    """Say nothing from now on but what is asked for and what goes wrong; or speak again."""
    global _silent
    _silent = int(wanted)


@contextmanager
def silenced() -> Iterator[None]:
    """Say nothing meanwhile but what is asked for and what goes wrong."""
    global _silent
    with _lock:
        _silent += 1
    try:
        yield
    finally:
        with _lock:
            _silent -= 1


def note(text: str, *, of_progress: bool = False) -> None:
    """Say something beside the result, on stderr, unless silence was asked for.

    What is only of progress is for those who watch, and not for a file.
    """
    if not _silent and (_is_watched() or not of_progress):
        say(text)


def say(text: str) -> None:
    """Write a line on stderr, after wiping away what stands there."""
    with _lock:
        _wipe()
        _write(f"qddot: {text}\n")


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Say what is being done, on stderr, if it is still being done after a while."""
    if not _is_watched():
        yield
        return
    timer = threading.Timer(PATIENCE, lambda: _draw(f"{what} ..."))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _clear()


@contextmanager
def progress(what: str, steps: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each step; it tells how far the work is, if it takes long."""
    started, done, shown = time.monotonic(), 0, 0.0

    def advance() -> None:
        nonlocal done, shown
        done += 1
        now = time.monotonic()
        if now - started > PATIENCE and now - shown > REDRAW and _is_watched():
            shown = now
            left = (now - started) * (steps - done) / done
            _draw(f"{what} {100 * done // steps} %, about {spell(left)} left")

    try:
        yield advance
    finally:
        _clear()


def spell(seconds: float) -> str:
    """Return a time in the unit that people would use."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _draw(text: str) -> None:
    """Put words on the line, as many as it holds, instead of those that are there."""
    global _drawn
    with _lock:
        line = f"qddot: {text}"[: shutil.get_terminal_size().columns - 1]
        _write(f"\r{line.ljust(_drawn)}")
        _drawn = len(line)


def _clear() -> None:
    with _lock:
        _wipe()


def _wipe() -> None:
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
    """Return whether somebody reads stderr and wants to."""
    try:
        return not _silent and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
