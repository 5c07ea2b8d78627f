"""Run a sweep: its missing units are computed until none is missing."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from qddot.backends.threads import available_threads
from qddot.errors import BadArgument, CannotWrite, CrewLost, listing
from qddot.progress import inform, percent_done
from qddot.sweeps.executors import Cluster, Crew, Processes, end_of, words_of
from qddot.sweeps.folder import FAILED, Folder, begin, is_whole
from qddot.sweeps.plan import Plan, study_of
from qddot.sweeps.result import Sweep, load_sweep
from qddot.sweeps.study import Study
from qddot.sweeps.unit import Units, pyarrow

AHEAD = 4  # units that are out for each that is computed; at the half of it there are new ones
LOOK = 1.0  # [s] between two looks whether those who compute are still there
BREAKS = 3  # of executors, over one unit or in a row, before it is not tried again in the same way
SHOWN = 3  # files that are no parts


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
        missing = _missing(place, study)
        _compute(place, study, missing, _crew(place, units, len(missing), client, workers))
    return load_sweep(folder)


def _compute(folder: Folder, study: Study, missing: list[int], crew: Crew) -> None:
    """Have the missing units computed, and keep the words of those that failed."""
    failed: dict[int, str] = {}
    try:
        with (
            percent_done(f"sweeping {study.robot.name}", len(missing)) as advance,
            closing(_results(crew, missing)) as results,
        ):
            for unit, data, words in results:
                if words:
                    failed[unit] = words
                elif data is not None:
                    folder.put(folder.part(unit), data)
                advance()
    except KeyboardInterrupt:
        left = sum(not folder.part(unit).exists() for unit in missing)
        inform(
            f"{study.runs.units - left} of {study.runs.units} units are done and kept in {folder};"
        )
        inform("  the same command goes on from there")
        raise
    finally:
        folder.clear_halves()  # of workers that were ended while they wrote
        if failed:
            words = {str(unit): failed[unit] for unit in sorted(failed)}
            folder.put_json(FAILED, words)
    if not failed:
        (folder.path / FAILED).unlink(missing_ok=True)


def _results(crew: Crew, missing: list[int]) -> Generator[tuple[int, bytes | None, str]]:
    """Submit units; yield each as it ends, with a part to be written or with words if it failed.

    An executor of processes breaks when one of them dies. It is replaced, and the units that it had
    are submitted again. Those that had `BREAKS` of them break are computed one after the other,
    which shows by which of them processes die.
    """
    waiting, breaks = deque(missing), Counter[int]()
    starts = 0  # executors in a row that broke before they had a unit
    while waiting:
        alone = breaks[waiting[0]] >= BREAKS
        out: dict[Future, int] = {}
        try:
            with crew.executor(alone) as executor:
                room = 1
                while out or (waiting and alone == (breaks[waiting[0]] >= BREAKS)):
                    if len(out) <= room // 2:
                        room = 1 if alone else max(1, AHEAD * crew.count())
                        for unit in list(islice(waiting, room - len(out))):
                            out[executor.submit(crew.part, unit)] = unit
                            waiting.popleft()
                    done, _ = wait(out, LOOK, FIRST_COMPLETED)
                    if not done or any(future.cancelled() for future in done):
                        crew.look()
                    for future in done:
                        if future.cancelled():  # from outside, or lost with a worker
                            waiting.appendleft(out.pop(future))
                            continue
                        error = future.exception()
                        if isinstance(error, CannotWrite):
                            raise error
                        if error is None:
                            yield out.pop(future), future.result(), ""
                        elif not isinstance(error, BrokenExecutor):
                            yield out.pop(future), None, words_of(error)
                    for future in done & out.keys():
                        future.result()  # which raises
        except BrokenExecutor as error:
            starts = 0 if out else starts + 1
            if starts == BREAKS:
                raise CrewLost(
                    f"Workers die as soon as they start{end_of(error)}.\n"
                    "  Is there enough memory? With --workers 0 this process computes."
                ) from None
            breaks.update(out.values())
            for unit in sorted(out.values(), reverse=True):
                if alone:
                    yield unit, None, f"its worker died {BREAKS + 1} times{end_of(error)}"
                else:
                    waiting.appendleft(unit)


def _crew(folder: Folder, units: Units, missing: int, client: Any, workers: int | None) -> Crew:
    if client is not None:
        return Cluster(units, client)
    if workers == 0:
        return Crew(units.part)
    count = available_threads() if workers is None else workers
    return Processes(units, folder, max(1, min(count, missing)))


def _missing(folder: Folder, study: Study) -> list[int]:
    """Return the units that are not there, whole; files that should not be there are reported."""
    folder.clear_halves()
    found, strange = folder.found()
    runs = study.runs
    missing, broken = [], []
    for unit in range(runs.units):
        path = found.pop(unit, None)
        about = {"qddot.sweep": study.digest, "qddot.unit": str(unit)}
        if path is None:
            missing.append(unit)
        elif not is_whole(path, about, len(runs.of_unit(unit))):
            missing.append(unit)
            broken.append(path.name)
    strange += [path.name for path in found.values()]
    if broken:
        inform(f"warning: {listing(broken, SHOWN)} cannot be read and will be computed again")
    if strange:
        names = listing(strange, SHOWN)
        inform(f"warning: {names} in {folder} is not part of this sweep and is ignored")
    return missing


def _check(client: Any, workers: Any) -> None:
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and (not whole or workers < 0):
        raise BadArgument(f"workers is {workers!r}; give a whole number, 0 for this very process.")
    if client is not None and workers is not None:
        raise BadArgument("Give client or workers, not both: a cluster has workers of its own.")
