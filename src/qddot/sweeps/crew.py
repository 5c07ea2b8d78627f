"""Who computes units: this process, or processes on this machine. A cluster is in `cluster`.

A crew is given units and tells, in any order, how each went.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from qddot.errors import QddotError
from qddot.saving import CannotWrite
from qddot.sweeps.folder import Folder
from qddot.sweeps.unit import Units
from qddot.sweeps.worker import ALIVE, LENGTH, ONE_THREAD, computed, packed

AHEAD = 2  # units that a worker has: one in hand, one to go on with
DEATHS = 3  # of workers, in a row or over one unit, before it is not tried again
START = "import sys; sys.path[:] = {path!r}; from qddot.sweeps.worker import main; main()"


class CrewLost(QddotError, RuntimeError):
    """Workers that cannot be reached or kept alive. What was finished is on disk."""


@dataclass(frozen=True)
class Done:
    """How a unit went: "done", "failed" with words, or "lost", to be given to somebody else."""

    unit: int
    how: str
    words: str = ""


class Crew(Protocol):
    """Who computes units."""

    @property
    def room(self) -> int:
        """How many units it may have at once."""
        ...

    def give(self, unit: int) -> None:
        """Let it compute a unit."""

    def results(self) -> Iterator[Done]:
        """Wait for news, and yield how units went."""
        ...

    def close(self) -> None:
        """Let go of it, whatever it has in hand."""


class Alone:
    """This process, one unit after the other."""

    room = 1

    def __init__(self, units: Units, folder: Folder):
        self.units, self.folder = units, folder
        self.next = -1

    def give(self, unit: int) -> None:
        self.next = unit

    def results(self) -> Iterator[Done]:
        found = computed(self.units, self.folder, self.next)
        yield _checked(Done(self.next, found["is"], found.get("words", "")))

    def close(self) -> None:
        """Nothing is left to be closed."""


class Processes:
    """Processes on this machine, one thread each; one that dies is replaced."""

    def __init__(self, units: Units, folder: Folder, count: int):
        self.study, self.folder = packed(units.study), folder
        self.room = AHEAD * count
        self.news: queue.SimpleQueue[tuple[Worker, dict[str, Any] | None]] = queue.SimpleQueue()
        self.deaths = 0  # in a row, of workers that never were ready
        self.blamed: dict[int, int] = {}  # deaths by unit
        self.workers: list[Worker] = []
        try:
            for _ in range(count):
                self._hire()
        except BaseException:
            self.close()
            raise

    def give(self, unit: int) -> None:
        """Give a unit to whoever has least to do."""
        min(self.workers, key=lambda worker: len(worker.hand)).give(unit)

    def results(self) -> Iterator[Done]:
        """Wait for news of a worker: a unit done, or its death."""
        worker, said = self.news.get()
        if said is None:
            yield from self._buried(worker)
        elif said["is"] == ALIVE:
            self.deaths = 0
        else:
            worker.hand.remove(said["unit"])
            yield _checked(Done(said["unit"], said["is"], said.get("words", "")))

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.end()
        self.workers = []

    def _hire(self) -> None:
        self.workers.append(Worker(self.folder, self.study, self.news))

    def _buried(self, worker: Worker) -> Iterator[Done]:
        """Replace a worker that died, and tell what it had in hand."""
        if worker not in self.workers:
            return
        self.workers.remove(worker)
        how = worker.end()
        self.folder.clear_halves(worker.process.pid)
        if not worker.was_ready:
            self.deaths += 1
            if self.deaths >= DEATHS:
                raise CrewLost(
                    f"Workers die as soon as they start ({how}).\n"
                    "  Is there memory enough? --workers 0 computes in this very process."
                )
        self._hire()
        for place, unit in enumerate(worker.hand):
            # only the first was being computed
            if worker.was_ready and place == 0:
                self.blamed[unit] = self.blamed.get(unit, 0) + 1
            if self.blamed.get(unit, 0) >= DEATHS:
                yield Done(unit, "failed", f"its worker died {DEATHS} times ({how})")
            else:
                yield Done(unit, "lost")


class Worker:
    """One process, and what it has in hand."""

    def __init__(self, folder: Folder, study: bytes, news: queue.SimpleQueue):
        self.hand: list[int] = []
        self.was_ready = False
        start = START.format(path=sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD},
            # Ctrl-C is for the one who started it, also before it can say that it ignores it
            process_group=0 if os.name == "posix" else None,
        )
        with suppress(OSError):  # one that died at once is noticed by its silence
            for block in (os.fsencode(os.path.abspath(folder.path)), study):
                self._stdin.write(LENGTH.pack(len(block)) + block)
            self._stdin.flush()
        threading.Thread(target=self._hear, args=(news,), daemon=True).start()

    @property
    def _stdin(self) -> Any:
        return self.process.stdin

    def give(self, unit: int) -> None:
        self.hand.append(unit)
        with suppress(OSError):
            self._stdin.write(b"%d\n" % unit)
            self._stdin.flush()

    def end(self) -> str:
        """End the process; return how it ended, in words."""
        with suppress(OSError):
            self.process.kill()
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]
        return f"signal {-code}" if code < 0 else f"status {code}"

    def _hear(self, news: queue.SimpleQueue) -> None:
        with suppress(OSError, ValueError):
            for line in self.process.stdout or ():
                said = json.loads(line)
                self.was_ready = True
                news.put((self, said))
        news.put((self, None))


def _checked(done: Done) -> Done:
    if done.how == "unwritable":
        raise CannotWrite(done.words)
    return done
