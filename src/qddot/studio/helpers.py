"""Who does the work of a studio: a thread for each connection, and helper processes for all.

Nobody waits while another's robot is compiled. A thread cannot be ended: when somebody cancels what
it does, it is left to finish that alone, and another takes its place. Helpers read files of
strangers, simulate and derive: work that may run without end, take all memory, or end the process.
There it can be stopped and spares the connections.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Hashable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from qddot.errors import BadArgument, Defect
from qddot.workers import Message, ResourceLimits, Worker, answer_in

MOST_LEFT = 2  # threads that finish what nobody wants; then whoever cancels waits like everybody
MOST = 4  # helpers at once; who comes later waits
KEPT = 2  # idle ones
LIMITS = ResourceLimits(memory=8 * 10**9, file=500_000_000)

# the functions that a helper may be asked for; each takes what was sent, and a function to tell
# how far it is
JOBS = {
    "read": "qddot.studio.dropped:read_dropped",
    "entry": "qddot.studio.closed_form:entry",
    "drop": "qddot.studio.playing:drop",
    "control": "qddot.studio.controlling:control",
    "live": "qddot.studio.live:live",
    "law": "qddot.studio.controlling:law_facts",
    "log": "qddot.studio.playing:log",
    "report": "qddot.studio.exports:report",
}

Tell = Callable[[str, float | None], Coroutine[Any, Any, None]]


class Helper:
    """One process, in a private folder of its own."""

    def __init__(self) -> None:
        self.loop, self.said = asyncio.get_running_loop(), asyncio.Queue[Message]()
        self.gone = asyncio.Event()
        self.knows: Hashable = None  # what it did last, and may have kept
        self.worker = Worker(self._hear, limits=LIMITS, private=True, plain=False)

    async def ask(self, job: str, arguments: tuple, tell: Tell | None) -> Any:
        """Return what a job gives; `EOFError` if the process ended over it."""
        # in a thread, since a process that is busy does not take much at once
        await asyncio.to_thread(self.worker.ask, JOBS[job], *arguments, tell=True)
        while True:
            said = await self.said.get()
            if said[0] != "progress":
                return answer_in(said)
            if tell is not None:
                await tell(*said[1])

    def _hear(self, said: Message) -> None:
        """Pass on what the process says to the loop; a thread calls this."""
        with suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self.said.put_nowait, said)
            if said[0] == "ended":
                self.loop.call_soon_threadsafe(self.gone.set)


class Helpers:
    """Lends helpers, so that one robot that takes long spares the others."""

    def __init__(self) -> None:
        self.idle: list[Helper] = []
        self.busy: set[Helper] = set()
        self.room = asyncio.Semaphore(MOST)
        self.leaving: set[Helper] = set()  # that were ended and may not be gone yet

    async def warm(self) -> None:
        """Start one before it is needed."""
        if not self.idle:
            self.idle.append(Helper())

    async def ask(
        self,
        job: str,
        *arguments: Any,
        seconds: float,
        tell: Tell | None = None,
        knows: Hashable = None,
        keep: bool = True,
    ) -> Any:
        """Return what a job of `JOBS` gives; after so many seconds its helper is ended.

        `tell` takes its words about how far it is. `knows` is what the job is about: a helper that
        did such a job last is preferred. `keep` lets the helper go on after the job; it does not
        where a stranger's file was read.
        """
        async with self.room:
            helper = self._lent(knows)
            self.busy.add(helper)
            well = False
            try:
                async with asyncio.timeout(seconds):
                    result = await helper.ask(job, arguments, tell)
                well = True
                return result
            except TimeoutError:
                raise BadArgument(
                    f"It took longer than {seconds:g} s and was ended. Take less of it: a shorter "
                    "time, or a robot with fewer joints."
                ) from None
            except EOFError:
                raise BadArgument(
                    "The process that worked on it ended. Usual causes: too little memory, or a "
                    "file that is not what its name says."
                ) from None
            except (BadArgument, Defect):
                well = True  # it said so itself
                raise
            finally:
                self.busy.discard(helper)
                helper.knows = knows
                if well and keep and len(self.idle) < KEPT:
                    self.idle.append(helper)
                else:
                    self._end(helper)

    def end(self) -> None:
        """End all of them, and remove their folders, without waiting for anything."""
        for helper in (*self.idle, *self.busy):
            self._end(helper)
        self.idle.clear()

    async def close(self) -> None:
        """End all of them, and wait until they are gone."""
        self.end()
        for helper in self.leaving:
            await helper.gone.wait()

    def _end(self, helper: Helper) -> None:
        helper.worker.kill()
        self.leaving = {each for each in self.leaving if not each.gone.is_set()} | {helper}

    def _lent(self, knows: Hashable) -> Helper:
        alive = [helper for helper in self.idle if helper.worker.alive]
        for gone in set(self.idle) - set(alive):
            self._end(gone)
        self.idle = alive
        if not alive:
            return Helper()
        fitting = [helper for helper in alive if knows is not None and helper.knows == knows]
        chosen = (fitting or alive)[-1]
        self.idle.remove(chosen)
        return chosen


class Bench:
    """Does one job after the other, in a thread that does not keep the program alive."""

    def __init__(self) -> None:
        self.worker = BenchThread()
        self.left: list[BenchThread] = []

    async def do(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a job returns, or raise what it raises."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self.worker.jobs.put((loop, future, job, arguments))
        try:
            return await future
        except asyncio.CancelledError:
            if self.worker.at is future:
                self._leave()
            raise

    def close(self) -> None:
        """End the thread when it has done what it has."""
        self.worker.jobs.put(None)

    def _leave(self) -> None:
        """Have another thread do what waits behind a job that nobody wants."""
        self.left = [worker for worker in self.left if worker.thread.is_alive()]
        if len(self.left) == MOST_LEFT:
            return
        before, self.worker = self.worker, BenchThread()
        self.left.append(before)
        with suppress(Empty):
            while True:
                self.worker.jobs.put(before.jobs.get_nowait())
        before.jobs.put(None)


class BenchThread:
    """A thread and what it is to do."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple | None] = SimpleQueue()
        self.at: asyncio.Future | None = None  # the job that is being done
        self.thread = threading.Thread(target=self._work, name="studio bench", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        while (work := self.jobs.get()) is not None:
            loop, future, job, arguments = work
            if future.cancelled():
                continue
            self.at = future
            try:
                done, value = future.set_result, job(*arguments)
            except BaseException as error:  # whoever waits for the job decides what it means
                done, value = future.set_exception, error
            self.at = None
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(_settle, future, done, value)


def _settle(future: asyncio.Future, done: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        done(value)
