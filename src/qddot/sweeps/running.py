"""Run a sweep: its missing units are computed until none is missing.

They are submitted to executors of `concurrent.futures`: this process, processes of this machine, or
the workers of a Dask cluster.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import (
    AbstractContextManager,
    ExitStack,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import lru_cache, partial
from importlib.metadata import version
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from qddot.backends.threads import available_threads
from qddot.errors import BadArgument, CrewLost, MissingExtra, QddotError, printable, shorten
from qddot.progress import inform, percent_done, quiet
from qddot.robot import Robot
from qddot.sweeps.folder import FAILED, Folder, begin, missing_units
from qddot.sweeps.plan import Plan, study_of
from qddot.sweeps.result import Sweep, load_sweep
from qddot.sweeps.study import Study, prepared
from qddot.sweeps.unit import Units, pyarrow
from qddot.workers import ONE_THREAD

AHEAD = 4  # units that are out for each worker
LOOK = 1.0  # [s] between two looks whether those who compute are still there
BREAKS = 3  # of executors, over one unit or in a row, before it is not tried again in the same way
CONNECT = 15  # [s]
SAFE = {
    # a Python imports nothing from the folder where it is started
    "PYTHONSAFEPATH": "1",
    # loky's tracker of semaphores tells that other processes were killed
    "PYTHONWARNINGS": "ignore::UserWarning:loky.backend.resource_tracker",
}

Opened = tuple[Executor, Callable[[], int]]  # and how many workers it has
Opening = Callable[[bool], AbstractContextManager[Opened]]  # for units one after the other, or not
Computing = Callable[[int], bytes]  # returns the part of a unit
Computed = tuple[int, bytes | str]  # a unit, with its part or with words if it failed


def sweep(
    plan: Plan | Mapping[str, Any] | str | Path,
    folder: str | Path,
    *,
    client: Any = None,
    workers: int | None = None,
) -> Sweep:
    """Return a sweep, all of its units computed and kept in a folder.

    A sweep that was interrupted, killed or that lost its cluster continues when it is called
    again with the same plan and folder, and ends with the same bytes.

    Args:
        plan: The path of a TOML file, a dict with the same keys, or a `Plan`; see docs/sweeps.md.
        folder: Where it is kept; made if missing, refused if it holds a sweep of another plan.
        client: A `dask.distributed.Client`, or the address of a scheduler: its workers compute.
        workers: Number of processes of this machine; one per core if not given; with 0 this process
            computes.

    Returns:
        The sweep; `sweep.failed` has the units that raised, with their words. They are tried again
        by the next call.

    Raises:
        BadPlan: With every problem of the plan.
        CannotWrite, CrewLost: If the disk is full, or the cluster is lost. Finished units are kept.

    Example:
        >>> import qddot
        >>> plan = {"robot": "pendulum", "duration": 1.0, "vary": {"q0": {"grid": [0.1, 0.2]}}}
        >>> qddot.sweep(plan, "swings", workers=0).complete  # doctest: +SKIP
        True
    """
    _check(client, workers)
    pyarrow()
    study = study_of(plan)
    place, units = Folder(folder), Units(study)
    place.make()
    with place.held():
        begin(place, units)
        missing = missing_units(place, study)
        with closing(_results(missing, *_crew(units, len(missing), client, workers))) as results:
            _keep(place, study, missing, results)
    return load_sweep(folder)


def _keep(folder: Folder, study: Study, missing: list[int], results: Iterable[Computed]) -> None:
    """Write the missing units as they are computed, and the words of those that failed."""
    failed: dict[int, str] = {}
    try:
        with percent_done(f"sweeping {study.robot.name}", len(missing)) as advance:
            for unit, found in results:
                if isinstance(found, str):
                    failed[unit] = found
                else:
                    folder.put(folder.part(unit), found)
                advance()
    except KeyboardInterrupt:
        left = sum(not folder.part(unit).exists() for unit in missing)
        inform(
            f"{study.runs.units - left} of {study.runs.units} units are done and kept in {folder};"
        )
        inform("  the same command goes on from there")
        raise
    finally:
        if failed:
            folder.put_json(FAILED, {str(unit): failed[unit] for unit in sorted(failed)})
        else:
            (folder.path / FAILED).unlink(missing_ok=True)


def _crew(
    units: Units, missing: int, client: Any, workers: int | None
) -> tuple[Computing, Opening]:
    """Return what computes a unit, and what opens an executor for it."""
    study = units.study
    if client is None and workers == 0:
        return units.part, lambda alone: nullcontext((AtOnce(), int))
    part = partial(part_of, pickle.dumps((dict(study.document), study.robot.model)))
    if client is not None:
        return part, lambda alone: cluster(client)
    count = min(workers or available_threads(), missing)
    return part, lambda alone: processes(1 if alone else count)


def _results(missing: list[int], part: Computing, opened: Opening) -> Generator[Computed]:
    """Have units computed; yield each of them as it ends.

    An executor of processes breaks when one of them dies. It is replaced, and the units that it had
    are submitted again. Those that had `BREAKS` of them break are computed one after the other at
    last, which shows by which of them processes die.
    """
    left, breaks = dict.fromkeys(missing), Counter[int]()
    starts = 0  # executors in a row that broke before they had a unit
    while left:
        waiting = deque(unit for unit in left if breaks[unit] < BREAKS)
        alone = not waiting
        waiting = waiting or deque(left)
        out: dict[Future, int] = {}
        try:
            with opened(alone) as (executor, count):
                while waiting or out:
                    room = 1 if alone else max(1, AHEAD * count())
                    while waiting and len(out) < room:
                        unit = waiting.popleft()
                        out[executor.submit(part, unit)] = unit
                    for future in wait(out, LOOK, FIRST_COMPLETED).done:
                        if future.cancelled():  # from outside, or lost with a worker
                            waiting.append(out.pop(future))
                            continue
                        error = future.exception()
                        if isinstance(error, BrokenExecutor):
                            raise error
                        yield out[future], words_of(error) if error else future.result()
                        del left[out.pop(future)]
        except BrokenExecutor as error:
            starts = 0 if out else starts + 1
            if starts == BREAKS:
                raise CrewLost(
                    f"Workers die as soon as they start{end_of(error)}.\n"
                    "  Is there enough memory? With --workers 0 this process computes."
                ) from None
            breaks.update(out.values())
            for unit in out.values() if alone else ():
                yield unit, f"its worker died {BREAKS + 1} times{end_of(error)}"
                del left[unit]


class AtOnce(Executor):
    """This process: a unit is computed when it is submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def processes(count: int) -> Iterator[Opened]:
    """Open processes of this machine, one thread each."""
    try:
        from loky import ProcessPoolExecutor
    except ImportError:
        raise MissingExtra("A sweep in several processes", "loky", "sweeps") from None
    # workers wait for the end of a pipe that only this process holds: however it ends, they do
    theirs, ours = Pipe(duplex=False)
    with theirs, ours, ExitStack() as stack:
        with _started_safely():
            pool = ProcessPoolExecutor(
                count, initializer=begin_worker, initargs=(theirs,), env={**ONE_THREAD, **SAFE}
            )
            stack.callback(pool.shutdown, kill_workers=True)
            started = pool.submit(os.getpid)
        started.result()
        yield pool, lambda: count


@contextmanager
def _started_safely() -> Iterator[None]:
    """Start processes here that hear no Ctrl-C and import nothing from the working directory."""
    before, mask = dict(os.environ), None
    os.environ.update(SAFE)
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        resource_tracker.ensure_running()  # whose start would unblock signals
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # is inherited
    try:
        yield
    finally:
        for name in SAFE:
            del os.environ[name]
        os.environ.update(before)
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


@contextmanager
def cluster(given: Any) -> Iterator[Opened]:
    """Open the workers of a Dask scheduler, which need nothing of this machine's disk."""
    told = False

    def threads() -> int:
        nonlocal told
        if client.status != "running":
            raise ConnectionError("connection lost")
        count = sum(client.nthreads().values())
        if not count and not told:
            told = True
            inform("the cluster has no workers; waiting for some")
        return count

    with _client(given) as client:
        _check_versions(client)
        # no `retries`: a unit that raises would raise again; one whose worker dies is given to
        # another anyway
        executor = client.get_executor(pure=False)
        try:
            yield executor, threads
        except QddotError:
            raise
        except Exception as error:
            raise CrewLost(
                f"The Dask scheduler is gone ({shorten(words_of(error), 120)}).\n"
                "  All finished units are kept. Start a scheduler, then give the same command "
                "again: it goes on."
            ) from None
        finally:
            with suppress(Exception):
                executor.shutdown(wait=False)


@contextmanager
def _client(given: Any) -> Iterator[Any]:
    """Give a client: the user's, or one of the scheduler at an address, which is then closed."""
    if not isinstance(given, str):
        if not hasattr(given, "get_executor") or getattr(given, "asynchronous", False):
            raise BadArgument(
                f"client is {shorten(repr(given))}; give an address, or a dask.distributed.Client "
                "that is not asynchronous."
            )
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


def _check_versions(client: Any) -> None:
    """Refuse workers that cannot import qddot, or have another version of it."""
    own = version("qddot")
    try:
        others = {f"have qddot {other}" for other in client.run(_version).values() if other != own}
    except Exception as error:
        others = {f"cannot use qddot: {shorten(words_of(error), 160)}"}
    if others:
        raise BadArgument(
            f"Workers of the cluster {', '.join(sorted(others))}\n  Install qddot {own}, as here, "
            "and pyarrow on every one of them: pip install 'qddot[cluster]'."
        )


def _version() -> str:
    pyarrow()
    return version("qddot")


def part_of(study: bytes, unit: int) -> bytes:
    """Return the part of a unit: what a worker does.

    Whatever was raised comes as a `QddotError` with words for it, which every process can read.
    """
    with quiet():  # the worker may be a thread of the process that asks
        try:
            return _units(study).part(unit)
        except Exception as error:
            raise QddotError(words_of(error)) from None


@lru_cache(maxsize=4)
def _units(study: bytes) -> Units:
    document, model = pickle.loads(study)
    return Units(prepared(document, Robot(model)))


def words_of(error: BaseException) -> str:
    """Return what went wrong with a unit, in a line or two."""
    what = str(error) if isinstance(error, QddotError) else f"{type(error).__name__}: {error}"
    return shorten(printable(what), 500)


def end_of(error: BrokenExecutor) -> str:
    """Return how a worker ended, " (SIGKILL(-9))", as far as its executor says."""
    codes = re.findall(r"\w+\(-?\d+\)", str(error))
    return f" ({codes[0]})" if codes else ""


def _check(client: Any, workers: Any) -> None:
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and (not whole or workers < 0):
        raise BadArgument(f"workers is {workers!r}; give a whole number, 0 for this very process.")
    if client is not None and workers is not None:
        raise BadArgument("Give client or workers, not both: a cluster has workers of its own.")
