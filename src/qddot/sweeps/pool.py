"""Pools that compute units: this process, or several on this machine. `cluster` has another.

A pool is given units and returns, in any order, how each of them ended.
"""

from __future__ import annotations

import pickle
import queue
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from qddot.errors import CannotWrite, CrewLost, QddotError, printable, shorten
from qddot.robot import Robot
from qddot.sweeps.folder import Folder
from qddot.sweeps.study import Study, prepared
from qddot.sweeps.unit import Units
from qddot.workers import Message, Worker, answer_in

AHEAD = 2  # units that a worker has: one in hand, one to go on with
DEATHS = 3  # of workers, in a row or over one unit, before it is not tried again

_opened: list[InThisProcess] = []  # in a worker: what it computes


@dataclass(frozen=True)
class UnitDone:
    """How a unit ended: "done", "failed" with words, or "lost": it must be computed again."""

    unit: int
    how: str
    words: str = ""


class UnitPool(Protocol):
    """What computes units."""

    @property
    def room(self) -> int:
        """How many units it may have at once."""
        ...

    def give(self, unit: int) -> None:
        """Let it compute a unit."""

    def results(self) -> Iterator[UnitDone]:
        """Wait for news, and yield how units went."""
        ...

    def close(self) -> None:
        """End it, also in the middle of a unit."""


class InThisProcess:
    """This process, one unit after the other."""

    room = 1

    def __init__(self, units: Units, folder: Folder):
        self.units, self.folder = units, folder
        self.next = -1

    def give(self, unit: int) -> None:
        self.next = unit

    def results(self) -> Iterator[UnitDone]:
        yield _checked(UnitDone(self.next, *self.computed(self.next)))

    def computed(self, unit: int) -> tuple[str, str]:
        """Compute a unit and write its part; return how that went, and words."""
        try:
            self.folder.put(self.folder.part(unit), self.units.part(unit))
        except CannotWrite as error:
            return "unwritable", str(error)
        except Exception as error:
            return "failed", words_of(error)
        return "done", ""

    def close(self) -> None:
        """Nothing is left to be closed."""


class ProcessPool:
    """ProcessPool on this machine, one thread each; one that dies is replaced."""

    def __init__(self, units: Units, folder: Folder, count: int):
        self.study, self.folder = packed(units.study), folder
        self.room = AHEAD * count
        self.news: queue.SimpleQueue[tuple[UnitWorker, Message]] = queue.SimpleQueue()
        self.deaths = 0  # in a row, of workers that never were ready
        self.blamed: dict[int, int] = {}  # deaths by unit
        self.workers: list[UnitWorker] = []
        try:
            for _ in range(count):
                self._start_worker()
        except BaseException:
            self.close()
            raise

    def give(self, unit: int) -> None:
        """Give a unit to the worker with the fewest units."""
        min(self.workers, key=lambda worker: len(worker.hand)).give(unit)

    def results(self) -> Iterator[UnitDone]:
        """Wait for news of a worker: a unit done, or its death."""
        worker, said = self.news.get()
        if said[0] == "ended":
            yield from self._replaced(worker)
        elif not worker.was_ready:
            answer_in(said)
            worker.was_ready, self.deaths = True, 0
        else:
            yield _checked(UnitDone(worker.hand.pop(0), *answer_in(said)))

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.end()
        self.workers = []

    def _start_worker(self) -> None:
        self.workers.append(UnitWorker(self.folder, self.study, self.news))

    def _replaced(self, worker: UnitWorker) -> Iterator[UnitDone]:
        """Replace a worker that died, and yield how its units ended."""
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
                    "  Is there enough memory? With --workers 0 this process computes."
                )
        self._start_worker()
        for place, unit in enumerate(worker.hand):
            # only the first was being computed
            if worker.was_ready and place == 0:
                self.blamed[unit] = self.blamed.get(unit, 0) + 1
            if self.blamed.get(unit, 0) >= DEATHS:
                yield UnitDone(unit, "failed", f"its worker died {DEATHS} times ({how})")
            else:
                yield UnitDone(unit, "lost")


class UnitWorker(Worker):
    """One process, and the units that it has in hand; the first of them is being computed."""

    def __init__(self, folder: Folder, study: bytes, news: queue.SimpleQueue):
        self.hand: list[int] = []
        self.was_ready = False
        super().__init__(lambda said: news.put((self, said)), quiet=False, one_thread=True)
        self.ask(f"{__name__}:open_study", str(folder.path.absolute()), study)

    def give(self, unit: int) -> None:
        self.hand.append(unit)
        self.ask(f"{__name__}:compute", unit)


def open_study(folder: str, study: bytes) -> None:
    """Make ready, in a worker, what its units need."""
    _opened[:] = [InThisProcess(unpacked(study), Folder(Path(folder)))]


def compute(unit: int) -> tuple[str, str]:
    """Compute a unit, in a worker that has opened its study; return how that went, and words."""
    return _opened[0].computed(unit)


def packed(study: Study) -> bytes:
    """Return a study as bytes from which another process makes it again."""
    return pickle.dumps((dict(study.document), study.robot.model))


def unpacked(data: bytes) -> Units:
    """Return the units of the study in these bytes, which come from our own process."""
    document, model = pickle.loads(data)
    return Units(prepared(document, Robot(model)))


def words_of(error: BaseException) -> str:
    """Return what went wrong with a unit, in a line or two."""
    what = str(error) if isinstance(error, QddotError) else f"{type(error).__name__}: {error}"
    return shorten(printable(what), 500)


def _checked(done: UnitDone) -> UnitDone:
    if done.how == "unwritable":
        raise CannotWrite(done.words)
    return done
