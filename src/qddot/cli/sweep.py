"""The verb that runs many motions: sweep."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qddot import progress
from qddot.cli import completion
from qddot.cli.terminal import AsJson, read_numeric, tell
from qddot.errors import BadArgument, printable, shorten

if TYPE_CHECKING:
    from qddot.sweeps.result import Sweep
    from qddot.sweeps.study import Study

TOLD = ("finite", "limits.kept", "ended", "audit", "energy.", "error.", "torque.peak.")
MOST_RUNS = 20_000_000  # of which a summary is made unasked


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
            help="Folder of the results; an unfinished sweep in it goes on.",
        ),
    ] = None,
    client: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address of the scheduler of a Dask cluster: tcp://HOST:8786."
        ),
    ] = "",
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of processes: 4. One per core if not given; 0 computes in this process.",
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
            help="Write a plan for this robot to start from, in place of running one.",
            autocompletion=completion.robots,
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Run many motions, each with what a plan varies.

    Parameters, payloads, friction, starts, gains, targets, noise: one row a run, in Parquet files
    that `qddot.load_sweep(FOLDER)` reads. Whatever stops it (Ctrl-C, a crash, a full disk, a
    cluster that goes away), the same command goes on where it was, to the same bytes. The status
    is 1 if units failed, and they are tried again then.

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
    from qddot.sweeps.plan import study_of

    if check:
        study = study_of(plan)
        tell(as_json, of_study(study), study_lines(study))
        return
    if output is None:
        raise BadArgument("Say where results go: -o FOLDER. Or --check, to only check the plan.")
    _run(plan, output, client, workers, as_json)


def _run(plan: Path, output: Path, client: str, workers: int | None, as_json: bool) -> None:
    from qddot.errors import CannotWrite, CrewLost
    from qddot.sweeps.running import sweep as run

    started = time.monotonic()
    try:
        found = run(plan, output, client=client or None, workers=workers)
    except (CannotWrite, CrewLost) as error:  # not the plan's fault
        progress.write_line(str(error))
        raise typer.Exit(1) from None
    seconds = time.monotonic() - started
    tell(as_json, of_sweep(found, seconds), sweep_lines(found, seconds))
    if not found.complete:
        raise typer.Exit(1)


def of_study(study: Study) -> dict[str, Any]:
    """Return what a plan would run, for machines."""
    return {
        "robot": study.robot.name,
        "runs": study.runs.total,
        "units": study.runs.units,
        "unit": study.runs.unit,
        "engine": study.clock.engine,
        "duration": study.clock.duration,
        "steps": None if study.clock.exact else study.clock.steps,
        "controllers": [each.name for each in study.controllers],
        "varied": {
            line.key: "grid" if line.grid is not None else line.distribution.kind  # type: ignore
            for line in study.runs.variations
        },
        "keep": list(study.kept.families),
    }


def study_lines(study: Study) -> list[str]:
    """Return what a plan would run, for people."""
    facts = of_study(study)
    how = "adaptive steps" if study.clock.exact else f"{study.clock.steps:,} steps"
    lines = [
        f"{facts['robot']}: {facts['runs']:,} runs of {study.clock.duration:g} s ({how}), "
        f"in {facts['units']:,} units of {facts['unit']:,}"
    ]
    if study.controllers[0].law is not None:
        lines.append(f"  controllers: {', '.join(facts['controllers'])}")
    for line in study.runs.variations:
        size = f"{len(line.grid)} values" if line.grid is not None else facts["varied"][line.key]
        lines.append(f"  {line.key}: {size}")
    return [printable(line) for line in [*lines, f"  keeps: {', '.join(facts['keep'])}"]]


def of_sweep(found: Sweep, seconds: float) -> dict[str, Any]:
    """Return how a sweep went, for machines."""
    small = bool(found.parts) and found.runs <= MOST_RUNS
    return {
        "folder": str(found.folder),
        "robot": found.manifest["robot"].get("name"),
        "runs": found.runs,
        "units": found.units,
        "done": found.done,
        "complete": found.complete,
        "failed": {str(unit): words for unit, words in found.failed.items()},
        "seconds": round(seconds, 3),
        "summary": found.summary().to_dict() if small else None,
    }


def sweep_lines(found: Sweep, seconds: float) -> list[str]:
    """Return how a sweep went, for people."""
    lines = []
    told = [name for name in found.columns if name.startswith(TOLD)]
    if found.parts and told and found.runs <= MOST_RUNS:
        heading = ("mean", "p05", "median", "p95", "max")
        spreads = found.summary(told).groups[None]
        width = min(32, max(map(len, told)))
        lines.append(" " * width + "".join(f"{name:>12}" for name in heading))
        for name, spread in spreads.items():
            numbers = "".join(f"{getattr(spread, key):>12.4g}" for key in heading)
            lines.append(f"{shorten(printable(name), width):<{width}}{numbers}")
        lines.append("")
    for unit, words in list(found.failed.items())[:3]:
        lines.append(f"unit {unit} failed: {shorten(words.partition(chr(10))[0], 120)}")
    if found.failed:
        lines.append(f"{len(found.failed)} units failed; the same command tries them again.")
    how = f"{found.done:,} of {found.units:,} units" if not found.complete else "complete"
    lines.append(f"{found.runs:,} runs, {how}, {seconds:.0f} s")
    return [*map(printable, lines), printable(str(found.folder))]
