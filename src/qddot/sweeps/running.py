"""Run a sweep: its missing units are computed until none is missing."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qddot.backends.threads import available_threads
from qddot.errors import BadArgument, listing
from qddot.progress import inform, percent_done
from qddot.sweeps.folder import FAILED, Folder, begin, is_whole
from qddot.sweeps.plan import Plan, study_of
from qddot.sweeps.pool import InThisProcess, ProcessPool, UnitPool
from qddot.sweeps.result import Sweep, load_sweep
from qddot.sweeps.study import Study
from qddot.sweeps.unit import Units, pyarrow

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
        if missing:
            _compute(place, units, missing, client, workers)
        else:
            _tell_failures(place, {})
    return load_sweep(folder)


def _compute(
    folder: Folder, units: Units, missing: list[int], client: Any, workers: int | None
) -> None:
    """Have the missing units computed, and keep the words of those that failed."""
    study, failed = units.study, {}
    waiting, out = deque(missing), 0
    pool = _crew(folder, units, len(missing), client, workers)
    try:
        with percent_done(f"sweeping {study.robot.name}", len(missing)) as advance:
            while waiting or out:
                while waiting and out < pool.room:
                    pool.give(waiting.popleft())
                    out += 1
                for done in pool.results():
                    out -= 1
                    if done.how == "lost":
                        waiting.appendleft(done.unit)
                        continue
                    if done.how == "failed":
                        failed[done.unit] = done.words
                    advance()
    except KeyboardInterrupt:
        left = len(waiting) + out
        inform(
            f"{study.runs.units - left} of {study.runs.units} units are done and kept in {folder};"
        )
        inform("  the same command goes on from there")
        raise
    finally:
        pool.close()
        folder.clear_halves()  # of workers that were ended while they wrote
        _tell_failures(folder, failed)


def _crew(folder: Folder, units: Units, missing: int, client: Any, workers: int | None) -> UnitPool:
    if client is not None:
        from qddot.sweeps.cluster import Cluster

        return Cluster(units, folder, client)
    if workers == 0:
        return InThisProcess(units, folder)
    count = available_threads() if workers is None else workers
    return ProcessPool(units, folder, max(1, min(count, missing)))


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


def _tell_failures(folder: Folder, failed: dict[int, str]) -> None:
    """Keep the words of units that failed beside the parts."""
    path = folder.path / FAILED
    if failed:
        folder.put_json(FAILED, {str(unit): words for unit, words in sorted(failed.items())})
    elif path.exists():
        os.unlink(path)


def _check(client: Any, workers: Any) -> None:
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and (not whole or workers < 0):
        raise BadArgument(f"workers is {workers!r}; give a whole number, 0 for this very process.")
    if client is not None and workers is not None:
        raise BadArgument("Give client or workers, not both: a cluster has workers of its own.")
