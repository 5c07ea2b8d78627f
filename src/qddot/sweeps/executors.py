"""What computes the units of a sweep: this process, processes of this machine, a Dask cluster.

Each opens executors of `concurrent.futures`; the loop of `running` submits `part` with the number
of a unit to them.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import lru_cache, partial
from importlib.metadata import version
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from qddot import progress
from qddot.errors import (
    BadArgument,
    CannotWrite,
    CrewLost,
    MissingExtra,
    QddotError,
    printable,
    shorten,
)
from qddot.robot import Robot
from qddot.sweeps.folder import Folder
from qddot.sweeps.study import Study, prepared
from qddot.sweeps.unit import Units, pyarrow
from qddot.workers import ONE_THREAD

CONNECT = 15  # [s]
SAFE = "PYTHONSAFEPATH"  # with it, a Python imports nothing from the folder where it is started
FILTERS = "PYTHONWARNINGS"
SILENT = "ignore::UserWarning:loky.backend.resource_tracker"  # it tells that others were killed

_making = threading.Lock()


class Crew:
    """What computes units: `part` of a unit returns its bytes, or None if it has written them.

    Without workers it is this process.
    """

    def __init__(self, part: Callable[[int], bytes | None], workers: int = 0):
        self.part, self.workers = part, workers

    def executor(self, alone: bool) -> AbstractContextManager[Executor]:
        """Open an executor for some units, or for those that are computed one after the other."""
        return nullcontext(AtOnce())

    def count(self) -> int:
        """Return how many workers there are, or threads of workers."""
        return self.workers

    def look(self) -> None:
        """Raise CrewLost if nobody is there any more."""


class AtOnce(Executor):
    """This process: a unit is computed when it is submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Crew):
    """Processes of this machine, one thread each, which write parts themselves."""

    def __init__(self, units: Units, folder: Folder, workers: int):
        study, place = packed(units.study), str(folder.path.absolute())
        super().__init__(partial(part_of, study, folder=place), workers)

    @contextmanager
    def executor(self, alone: bool) -> Iterator[Executor]:
        try:
            from loky import ProcessPoolExecutor
        except ImportError:
            raise MissingExtra("A sweep in several processes", "loky", "sweeps") from None
        # workers wait for the end of a pipe that only this process holds: however it ends, they do
        theirs, ours = Pipe(duplex=False)
        pool = None
        with theirs, ours, warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="loky")  # how it starts and ends processes
            try:
                with _started_safely():
                    pool = ProcessPoolExecutor(
                        1 if alone else self.workers,
                        initializer=begin_worker,
                        initargs=(theirs,),
                        env={**ONE_THREAD, SAFE: "1"},
                    )
                    started = pool.submit(os.getpid)
                started.result()
                yield pool
            finally:
                if pool is not None:
                    pool.shutdown(kill_workers=True)


@contextmanager
def _started_safely() -> Iterator[None]:
    """Start processes here that hear no Ctrl-C and import nothing from the working directory.

    Raises:
        CrewLost: If the system does not let processes be started.
    """
    before, mask = {name: os.environ.get(name) for name in (SAFE, FILTERS)}, None
    filters = filter(None, [before[FILTERS], SILENT])
    os.environ.update({SAFE: "1", FILTERS: ",".join(filters)})
    try:
        if hasattr(signal, "pthread_sigmask"):  # not on Windows
            resource_tracker.ensure_running()  # whose start would unblock signals
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # is inherited
        yield
    # no room for one more, no semaphores, or this is a process that may have no others
    except (OSError, NotImplementedError, AssertionError) as error:
        raise CrewLost(
            f"No other process can be started here ({shorten(words_of(error), 120)}).\n"
            "  With --workers 0 this process computes."
        ) from None
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def begin_worker(parent: Connection) -> None:
    """Have this process ignore Ctrl-C, and end with the one that started it."""

    def wait_for_the_end() -> None:
        with suppress(EOFError, OSError):
            parent.recv_bytes()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=wait_for_the_end, daemon=True).start()


class Cluster(Crew):
    """The workers of a Dask scheduler, which need nothing of this machine's disk."""

    def __init__(self, units: Units, client: Any):
        super().__init__(partial(part_of, packed(units.study)))
        self.given, self.told = client, False
        self.client: Any = None

    @contextmanager
    def executor(self, alone: bool) -> Iterator[Executor]:
        with client_of(self.given) as self.client:
            check_versions(self.client)
            # no `retries`: a unit that raises would raise again; one whose worker dies is given
            # to another anyway
            executor = self.client.get_executor(pure=False)
            try:
                yield executor
            except QddotError:
                raise
            except Exception as error:
                raise self._lost(f" ({shorten(words_of(error), 120)})") from None
            finally:
                if self.client.status == "running":
                    with suppress(Exception):
                        executor.shutdown(wait=False)

    def count(self) -> int:
        return sum(self.client.nthreads().values())

    def look(self) -> None:
        comm = getattr(self.client, "scheduler_comm", None)
        if self.client.status != "running" or comm is None or comm.comm.closed():
            raise self._lost()
        if not self.told and not self.count():
            self.told = True
            progress.inform("the cluster has no workers; waiting for some")

    def _lost(self, why: str = "") -> CrewLost:
        return CrewLost(
            f"The Dask scheduler is gone{why}.\n"
            "  All finished units are kept. Start a scheduler, then give the same command "
            "again: it goes on."
        )


@contextmanager
def client_of(given: Any) -> Iterator[Any]:
    """Give a client: the user's, or one of the scheduler at an address, which is then closed."""
    if not isinstance(given, str):
        if not hasattr(given, "get_executor") or not hasattr(given, "nthreads"):
            raise BadArgument(
                f"client is {shorten(repr(given))}; give a dask.distributed.Client or an address."
            )
        if getattr(given, "asynchronous", False):
            raise BadArgument("client is asynchronous; give one that is not: Client(address).")
        yield given
        return
    try:
        from distributed import Client
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise MissingExtra("A sweep on a cluster", "dask[distributed]", "cluster") from None
    with silence_logging_cmgr(logging.CRITICAL + 1):  # tracebacks of lost connections
        try:
            client = Client(given, timeout=CONNECT, set_as_default=False)
        except Exception as error:
            raise BadArgument(
                f"No Dask scheduler answers at {printable(given)!r} "
                f"({shorten(words_of(error).partition(chr(10))[0], 120)}).\n"
                "  Start one with `dask scheduler`, and give the address that it prints: "
                "tcp://HOST:8786."
            ) from None
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=2)


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


def part_of(study: bytes, unit: int, folder: str = "") -> bytes | None:
    """Return the part of a unit, or write it into a folder: what a worker does.

    Raises:
        CannotWrite: If the disk is full.
        QddotError: With words for anything else, which every process can read.
    """
    with progress.quiet():  # the worker may be a thread of the process that asks
        try:
            with _making:  # threads of one worker make it once
                units = _units(study)
            data = units.part(unit)
            if not folder:
                return data
            place = Folder(Path(folder))
            place.put(place.part(unit), data)
        except CannotWrite:
            raise
        except Exception as error:
            raise QddotError(words_of(error)) from None
    return None


@lru_cache(maxsize=4)
def _units(study: bytes) -> Units:
    document, model = pickle.loads(study)
    return Units(prepared(document, Robot(model)))


def packed(study: Study) -> bytes:
    """Return a study as bytes from which another process makes it again."""
    return pickle.dumps((dict(study.document), study.robot.model))


def words_of(error: BaseException) -> str:
    """Return what went wrong with a unit, in a line or two."""
    what = str(error) if isinstance(error, QddotError) else f"{type(error).__name__}: {error}"
    return shorten(printable(what), 500)


def end_of(error: BrokenExecutor) -> str:
    """Return how a worker ended, " (signal 9)", as far as its executor says."""
    codes = [int(code) for code in re.findall(r"\((-?\d+)\)", str(error))]
    if not codes:
        return ""
    return f" (signal {-codes[0]})" if codes[0] < 0 else f" (status {codes[0]})"
