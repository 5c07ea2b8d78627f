"""One thread a connection, so that nobody waits while another's robot is compiled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any


class Bench:
    """Does one job after the other, in a thread that does not keep the program alive."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple | None] = SimpleQueue()
        threading.Thread(target=self._work, name="studio bench", daemon=True).start()

    async def do(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a job returns, or raise what it raises."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self.jobs.put((loop, future, job, arguments))
        return await future

    def close(self) -> None:
        """End the thread when it has done what it has."""
        self.jobs.put(None)

    def _work(self) -> None:
        while (work := self.jobs.get()) is not None:
            loop, future, job, arguments = work
            if future.cancelled():
                continue
            try:
                done, value = future.set_result, job(*arguments)
            except BaseException as error:  # whoever waits for the job decides what it means
                done, value = future.set_exception, error
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(_settle, future, done, value)


def _settle(future: asyncio.Future, done: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        done(value)
