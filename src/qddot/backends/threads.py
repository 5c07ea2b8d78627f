"""The threads of this process, and how a piece of work is handed to them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

from qddot.progress import percent_done


def in_rounds(what: str, piece: Callable[[int], None], count: int, threads: int) -> None:
    """Run piece(0), piece(1), ..., in rounds of so many threads at once.

    Between two rounds the interpreter hears Ctrl-C, and the terminal is told how far it is.
    """
    with percent_done(what, -(-count // threads)) as advance:
        for k in range(0, count, threads):
            # this thread does a share too: it is awake already
            more = range(k + 1, min(k + threads, count))
            others = [_pool(os.getpid()).submit(piece, j) for j in more]
            try:
                piece(k)
            finally:
                wait(others)  # whatever happens, nobody writes on behind our back
            for other in others:
                other.result()
            advance()


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of one process; a forked child gets its own."""
    return ThreadPoolExecutor(available_threads(), thread_name_prefix="qddot")


@cache
def available_threads() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
