"""The verb that runs many motions: sweep."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from qddot import progress
from qddot.cli import completion
from qddot.cli.terminal import AsJson, read_numeric, tell
from qddot.errors import BadArgument


def sweep(
    plan: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN",
            help="The plan of the sweep: a .toml file.",
            autocompletion=completion.files(".toml"),
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder for the results, needed to run a plan. An unfinished sweep in it is "
            "continued.",
        ),
    ] = None,
    client: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address of the scheduler of a Dask cluster: tcp://HOST:8786. This machine if not "
            "given.",
        ),
    ] = "",
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of processes: 4. One per core if not given; with 0 this process computes.",
            min=0,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only print what the plan would run; compute nothing.")
    ] = False,
    new: Annotated[
        str,
        typer.Option(
            "--new",
            metavar="ROBOT",
            help="Write a first plan for this robot to PLAN, and run nothing.",
            autocompletion=completion.robots,
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Run many simulations, varied as a plan says.

    A plan may vary parameters, payloads, friction, starts, gains, targets and noise. The results
    are Parquet files with one row per run, which `qddot.load_sweep(FOLDER)` reads. If a sweep is
    stopped (Ctrl-C, a crash, a full disk, a lost cluster), the same command continues it, and the
    results are the same bytes. The exit status is 1 if units of the sweep failed; the same command
    tries them again.

    Examples:
      qddot sweep plan.toml --new two_link
      qddot sweep plan.toml --check
      qddot sweep plan.toml -o runs --workers 0
      qddot sweep plan.toml -o runs --json
    """
    if new:
        from qddot.sweeps.plan import write_plan

        write_plan(plan, new, read_numeric(new))
        tell(as_json, {"plan": str(plan)}, [], [plan])
        return
    from qddot.present.terminal.results import study_lines
    from qddot.sweeps.plan import study_of

    if check:
        study = study_of(plan)
        tell(as_json, study.to_dict(), study_lines(study))
        return
    if output is None:
        raise BadArgument(
            "Give a folder for the results, -o FOLDER; or --check, to only check the plan."
        )
    _run(plan, output, client, workers, as_json)


def _run(plan: Path, output: Path, client: str, workers: int | None, as_json: bool) -> None:
    from qddot.errors import CannotWrite, CrewLost
    from qddot.present.terminal.results import MOST_RUNS, sweep_lines
    from qddot.sweeps.running import sweep as run

    started = time.monotonic()
    try:
        found = run(plan, output, client=client or None, workers=workers)
    except (CannotWrite, CrewLost) as error:  # not the plan's fault
        progress.write_line(str(error))
        raise typer.Exit(1) from None
    seconds = time.monotonic() - started
    small = bool(found.parts) and found.runs <= MOST_RUNS
    summary = found.summary().to_dict() if small else None
    facts = found.to_dict() | {"seconds": round(seconds, 3), "summary": summary}
    tell(as_json, facts, sweep_lines(found, seconds))
    if not found.complete:
        raise typer.Exit(1)
