"""`python -m qddot.worker_process`: the process that a `Worker` of `workers` starts and asks."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from typing import IO

from qddot import progress
from qddot.errors import QddotError
from qddot.workers import Conditions, Message, ResourceLimits, packed, received


def serve() -> None:
    """Call the functions that we are asked for, one after the other, until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # questions and answers go where nobody else reads or prints
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        conditions: Conditions = received(asked)
    except EOFError:
        return
    progress.set_quiet(True)
    warnings.simplefilter("ignore")
    jobs: queue.SimpleQueue[tuple[str, tuple, bool]] = queue.SimpleQueue()
    own = os.getcwd() if conditions.private else None
    threading.Thread(target=_listen, args=(asked, jobs, own), daemon=True).start()
    while True:
        _answer(answers, _called(*jobs.get(), conditions.limits, answers))


def _listen(asked: IO[bytes], jobs: queue.SimpleQueue, own: str | None) -> None:
    """Take what is asked; when nobody is there any more, end at once whatever is being done."""
    with suppress(EOFError):
        while True:
            jobs.put(received(asked))
    if own is not None:
        shutil.rmtree(own, ignore_errors=True)
    os._exit(0)


def _called(
    job: str, arguments: tuple, tells: bool, limits: ResourceLimits, answers: IO[bytes]
) -> Message:
    """Return how the call of a function went."""

    def tell(text: str, part: float | None = None) -> None:
        _answer(answers, ("progress", (text, part)))

    try:
        module, _, name = job.partition(":")
        function = getattr(import_module(module), name)
        limits.apply()  # after the import, which may need more than the work
        return "done", function(*arguments, **({"tell": tell} if tells else {}))
    except QddotError as error:
        return "problem", str(error)
    except MemoryError:
        return "problem", "There was not enough memory for it. Take a smaller robot or file."
    except RecursionError:
        return "problem", "It is nested too deeply to be worked on."
    except Exception as error:
        return "defect", f"{type(error).__name__}: {error}"


def _answer(answers: IO[bytes], said: Message) -> None:
    try:
        answers.write(packed(said))
        answers.flush()
    except OSError:  # nobody is there any more
        os._exit(0)


if __name__ == "__main__":
    serve()
