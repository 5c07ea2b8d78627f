"""A limit of time for work that has none of its own."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 3.0  # [s] until work that went on is stopped once more


class TimeUp(KeyboardInterrupt):
    """Work that took longer than it may.

    Like Ctrl-C, so that what keeps what it has on Ctrl-C does so here as well.
    """


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeUp in this thread if the work inside takes longer; between two steps of Python."""
    thread = threading.get_ident()
    over, one_at_a_time = threading.Event(), threading.Lock()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            with one_at_a_time:
                if not over.is_set():
                    _raise_in(thread, TimeUp)
            wait = AGAIN

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        _end(over, one_at_a_time, thread)


def _end(over: threading.Event, one_at_a_time: threading.Lock, thread: int) -> None:
    """Stop the watch, and take back what it has raised but what has not arrived yet."""
    late = False
    while not over.is_set():
        try:
            with one_at_a_time:
                over.set()
                _raise_in(thread, None)
        except TimeUp:  # it arrived here; the watch must still be stopped
            late = True
    if late:
        raise TimeUp


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    raised = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
