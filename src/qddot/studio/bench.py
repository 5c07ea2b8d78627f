"""One thread a connection, so that nobody waits while another's robot is compiled.

A thread cannot be ended. When somebody cancels what it does, it is left to finish that alone, and
another takes its place.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

MOST_LEFT = 2  # threads that finish what nobody wants; then whoever cancels waits like everybody


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
