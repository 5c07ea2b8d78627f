"""A Dask cluster as pool: its workers compute parts, this process writes them.

The workers need qddot and nothing of this machine's disk. A part travels as bytes; as many units
are out at a time as keep every worker thread busy, so that memory is bounded on both sides.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from qddot import progress
from qddot.errors import BadArgument, CrewLost, MissingExtra, printable, shorten
from qddot.sweeps.folder import Folder
from qddot.sweeps.pool import AHEAD, UnitDone, packed, unpacked, words_of
from qddot.sweeps.unit import Units, pyarrow

CONNECT = 15  # [s]
FETCH = 60  # [s]
LOOK = 1.0  # [s] between two looks whether the scheduler is still there
IDLE = 60.0  # [s] after which it is said that there are no workers
CLOSED = ("closed", "closing", "newly-created")

_making = threading.Lock()


class Cluster:
    """The workers of a Dask scheduler."""

    def __init__(self, units: Units, folder: Folder, client: Any):
        self.folder, self.study = folder, packed(units.study)
        self.own = isinstance(client, str)  # a client of ours is closed, others' are not
        self.silenced = silenced() if self.own else {}
        self.news: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.out: dict[int, Any] = {}
        self.waited = 0.0
        self.threads, self.counted = 0, float("-inf")
        self.client: Any = None
        try:
            self.client = connected(client) if self.own else checked(client)
            check_versions(self.client)
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        """As many units as there are threads, and some to go on with."""
        now = time.monotonic()
        if now > self.counted + LOOK:
            with suppress(Exception):  # a scheduler that is gone is noticed elsewhere
                self.threads = sum(self.client.nthreads().values())
            self.counted = now
        return max(1, AHEAD * self.threads)

    def give(self, unit: int) -> None:
        """Submit a unit."""
        try:
            future = self.client.submit(part_of, self.study, unit, pure=False)
        except Exception as error:
            raise self._lost(error) from None
        self.out[unit] = future
        future.add_done_callback(lambda done, unit=unit: self.news.put((unit, done)))

    def results(self) -> Iterator[UnitDone]:
        """Wait for a unit; look now and then whether the cluster is still there."""
        try:
            unit, future = self.news.get(timeout=LOOK)
        except queue.Empty:
            self._look()
            return
        self.waited = 0.0
        if self.out.pop(unit, None) is None:
            return
        data = self._fetched(future)
        if data is not None:
            self.folder.put(self.folder.part(unit), data)
            yield UnitDone(unit, "done")
        elif future.status == "error":
            yield UnitDone(unit, "failed", words_of(future.exception()))
        else:  # cancelled from outside, or lost with a worker or with the scheduler
            self._look()
            yield UnitDone(unit, "lost")
        future.release()

    def close(self) -> None:
        """Take back what is not begun, and the client if it is ours."""
        with suppress(Exception):
            if self.out and self.client.status == "running":
                self.client.cancel(list(self.out.values()), force=True)
        self.out = {}
        if self.own:
            with suppress(Exception):
                self.client.close(timeout=2)
        for logger, level in self.silenced.items():
            logger.setLevel(level)

    def _fetched(self, future: Any) -> bytes | None:
        """Return the part that a worker has; None where it has none any more."""
        with suppress(Exception):
            return future.result(timeout=FETCH) if future.status == "finished" else None
        return None

    def _look(self) -> None:
        """Raise if the scheduler is gone; say so, once, if it has no workers."""
        comm = getattr(self.client, "scheduler_comm", None)
        gone = self.client.status in CLOSED or comm is None or comm.comm.closed()
        if gone:
            raise self._lost(None)
        self.waited += LOOK
        if IDLE <= self.waited < IDLE + LOOK and not self.threads:
            progress.inform("the cluster has no workers; waiting for some")

    def _lost(self, error: Exception | None) -> CrewLost:
        why = "" if error is None else f" ({shorten(printable(words_of(error)), 120)})"
        return CrewLost(
            f"The Dask scheduler is gone{why}.\n"
            "  All finished units are kept. Start a scheduler, then give the same command "
            "again: it goes on."
        )


def silenced() -> dict[logging.Logger, int]:
    """Keep Dask from writing tracebacks of lost connections; return what it wrote before."""
    with suppress(ImportError):
        import distributed  # noqa: F401  # which makes its loggers
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    found = {logger: logger.level for logger in map(logging.getLogger, ["distributed", *names])}
    for logger in found:
        logger.setLevel(logging.CRITICAL + 1)
    return found


def connected(address: str) -> Any:
    """Return a client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("A sweep on a cluster", "dask[distributed]", "cluster") from None
    try:
        return Client(address, timeout=CONNECT, set_as_default=False)
    except Exception as error:
        raise BadArgument(
            f"No Dask scheduler answers at {printable(address)!r} "
            f"({shorten(printable(words_of(error)).partition(chr(10))[0], 120)}).\n"
            "  Start one with `dask scheduler`, and give the address that it prints: "
            "tcp://HOST:8786."
        ) from None


def checked(client: Any) -> Any:
    """Return a client of the user's, if it can be waited for."""
    if not hasattr(client, "submit") or not hasattr(client, "nthreads"):
        raise BadArgument(
            f"client is {shorten(repr(client))}; give a dask.distributed.Client or an address."
        )
    if getattr(client, "asynchronous", False):
        raise BadArgument("client is asynchronous; give one that is not: Client(address).")
    return client


def part_of(study: bytes, unit: int) -> bytes:
    """Return the part of a unit: what a worker of the cluster computes."""
    from threadpoolctl import threadpool_limits

    with progress.quiet():  # the worker may be a thread of the process that asks
        with _making:  # threads of one worker make it once
            units = _units(study)
        with threadpool_limits(1):
            return units.part(unit)


@lru_cache(maxsize=4)
def _units(study: bytes) -> Units:
    return unpacked(study)


def check_versions(client: Any) -> None:
    """Refuse workers that cannot import qddot, or have another version of it."""
    own = version("qddot")
    try:
        found = client.run(_version)
    except Exception as error:
        raise BadArgument(
            f"The workers of the cluster cannot use qddot: {shorten(words_of(error), 160)}\n"
            f"  Install qddot {own} and pyarrow on every one of them: pip install 'qddot[cluster]'."
        ) from None
    others = {other for other in found.values() if other != own}
    if others:
        raise BadArgument(
            f"Workers of the cluster have qddot {', '.join(sorted(map(str, others)))}, and this "
            f"process has {own}.\n  Install one version everywhere."
        )


def _version() -> str:
    pyarrow()
    return version("qddot")
