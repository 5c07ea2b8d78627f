"""A program of its own that does for the studio what takes long or may go wrong.

    python -m qddot.studio.helper

It reads files of strangers, simulates and derives: work that may run without end, take all
memory, or end the process. So it is done here, where it can be stopped and spares the connections.
Jobs come on standard input and answers go to standard output; the current folder is private and
goes with the process.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from typing import Any, BinaryIO

from qddot.errors import QddotError
from qddot.studio.frames import packed, received

MEMORY = 8 * 10**9  # [bytes] of address space
LARGEST_FILE = 500_000_000  # [bytes] that may be written

# the functions that a helper may be asked for; each takes what was sent, and a function to tell
# how far it is
JOBS = {
    "read": "qddot.studio.dropped:read_dropped",
    "entry": "qddot.studio.entries:entry",
    "drop": "qddot.studio.playing:drop",
    "control": "qddot.studio.playing:control",
    "log": "qddot.studio.playing:log",
    "report": "qddot.studio.exports:report",
}


def main() -> None:
    """Do the jobs that come, one after the other, until nobody sends any."""
    # what libraries print goes nowhere, the answers have the stream to themselves
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the studio ends its helpers itself
    limit_resources()
    warnings.simplefilter("ignore")
    jobs: SimpleQueue[tuple[str, tuple]] = SimpleQueue()
    threading.Thread(target=listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        name, arguments = jobs.get()
        answers.write(packed(done(name, arguments, answers)))
        answers.flush()


def listen(stream: BinaryIO, jobs: SimpleQueue) -> None:
    """Take jobs; when the studio is gone, end at once whatever is being done."""
    with suppress(EOFError):
        while True:
            jobs.put(received(stream))
    shutil.rmtree(os.getcwd(), ignore_errors=True)
    os._exit(0)


def done(name: str, arguments: tuple, answers: BinaryIO) -> tuple[str, Any]:
    """Return how a job went: ("done", what it gave) or ("problem", words)."""

    def tell(text: str, part: float | None = None) -> None:
        answers.write(packed(("progress", (text, part))))
        answers.flush()

    try:
        return "done", job(name)(*arguments, tell=tell)
    except QddotError as error:
        return "problem", str(error)
    except MemoryError:
        return "problem", "There was not enough memory for it. Take a smaller robot or file."
    except RecursionError:
        return "problem", "It is nested too deeply to be worked on."
    except Exception as error:
        return "defect", f"{type(error).__name__}: {error}"


def job(name: str) -> Callable[..., Any]:
    module, _, function = JOBS[name].partition(":")
    return getattr(import_module(module), function)


def limit_resources() -> None:
    """Take from this process what no robot needs."""
    try:
        import resource
    except ImportError:  # not on every system
        return
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):  # where the limit is lower already
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
