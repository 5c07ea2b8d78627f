"""Verbs about parameters from measurements: identifiable, identify."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli import logs
from qddot.cli.settings import changed
from qddot.cli.terminal import AsJson, Source, echo_json, read_model, warn
from qddot.errors import BadArgument, NotNumeric
from qddot.patience import patience
from qddot.saving import check_place

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.identification.result import Fit

ROBOTS = (".toml", ".urdf")
File = Path | None
Terms = Annotated[
    str, typer.Option(help="Besides what the model has: friction, offset, rotor_inertia.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="payload.tool=2, m1=3, gravity=0,0,-1.62.")
]
LogFile = Annotated[File, typer.Option(help="What this log shows, instead of any states.")]


def identifiable(
    source: Source,
    log: LogFile = None,
    terms: Terms = "",
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Say which parameters of a robot torques can tell, alone or together, and why not more.

    With symbols in the robot the answer is exact and in these symbols. A log is read, filtered and
    differentiated as `qddot identify` does it; what it does not show is listed.

    Example:  qddot identifiable ur5 --terms friction
    """
    robot = changed(qddot.Robot(read_model(source)), settings or [])
    states = None
    if log is not None:
        if robot.symbols:
            raise NotNumeric(robot.name, robot.symbols)
        states = logs.Reading().read([str(log)], robot)[1]
    with patience(f"looking at what torques tell of {robot.name}"):
        found = qddot.identifiable(robot, states, terms=_terms(terms))
    if as_json:
        echo_json({"robot": robot.name} | found.to_dict())
    else:
        typer.echo(str(found))


def identify(
    source: Source,
    log: logs.LogFiles,
    method: Annotated[
        str, typer.Option(help="weighted, ordinary, robust, consistent, ridge or total.")
    ] = "weighted",
    terms: Terms = "friction,offset",
    coupled: Annotated[
        str, typer.Option(help="Two joints that one motor turns together, as in wrists: j5,j6.")
    ] = "",
    decimate: Annotated[
        float | None, typer.Option(help="Rows a second to fit [Hz], about the cut-off; else all.")
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Take what the log shows, where that is not all.")
    ] = False,
    columns: logs.Columns = None,
    units: logs.Units = None,
    gear: logs.Gear = None,
    coupling: logs.Coupling = "",
    offset: logs.Offset = "",
    torque_constants: logs.Constants = "",
    rate: logs.Rate = None,
    topic: logs.Topic = "/joint_states",
    cutoff: logs.CutOff = None,
    slow: logs.Slow = "",
    settings: Settings = None,
    validate: Annotated[
        File, typer.Option(help="Another log, read the same way, to test the result on.")
    ] = None,
    output: Annotated[
        File, typer.Option("--output", "-o", help="Save the robot found: .toml or .urdf.")
    ] = None,
    page: Annotated[File, typer.Option(help="A page with tables and figures: .html.")] = None,
    plot: Annotated[File, typer.Option(help="Draw torques, measured and predicted: .png.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the parameters of a robot from a log of positions and torques.

    The log is filtered without a shift in time and differentiated; torques of joints that hardly
    move do not count. Where torques do not tell, the robot found keeps what its file says.

    Example:  qddot identify ur10 log.csv --method consistent -o arm.toml
    """
    from qddot.identification.result import IdentificationWarning

    _check_places(output, page, plot)
    robot = changed(qddot.Robot(read_model(source)), settings or [])
    if robot.symbols:
        raise NotNumeric(robot.name, robot.symbols)
    reading = logs.Reading(
        *(columns or (), units or (), gear or ()),
        *(coupling, offset, torque_constants, rate, topic, cutoff, slow),
    )
    wanted = _terms(terms)
    extra = _coupled(robot, coupled)
    with patience("reading the log"):
        raw, ready = reading.read(log, robot)
        other = None if validate is None else reading.read([str(validate)], robot)[1]
    with patience(f"fitting {len(ready)} rows"):
        unexcited = "merge" if merge else "refuse"
        options: dict[str, Any] = {"extra": extra, "decimate": decimate, "unexcited": unexcited}
        # a solver's own words are left out; the status of the fit says the same
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", IdentificationWarning)
            fit = qddot.identify(robot, ready, method, terms=wanted, **options)
    for each in said:
        if issubclass(each.category, IdentificationWarning):
            warn(str(each.message).replace("Give decimate=", "Take --decimate "))
    errors = None if other is None else _errors(fit, other)
    written = _written(fit, raw, ready, errors, output, page, plot)
    if as_json:
        facts = fit.to_dict() | {"log": _log_facts(raw, ready)}
        facts |= {} if errors is None else {"validation": errors}
        echo_json(facts | {"files": [str(path) for path in written]})
        return
    for line in report(fit, ready, errors):
        typer.echo(line)
    for path in written:
        typer.echo(f"{path}")


def _check_places(output: File, page: File, plot: File) -> None:
    """Refuse files that could not be written before the fit, not after it."""
    from qddot.plot.figure_file import FIGURES

    wanted = [(output, "A robot", ROBOTS), (plot, "A figure", FIGURES)]
    for path, what, known in wanted:
        if path is not None:
            check_place(path, what, known)
    if page is not None:
        check_place(page, "A page", (".html", ".htm"))


def _terms(text: str) -> tuple[str, ...]:
    return logs.words("--terms", text, "friction, offset, rotor_inertia") if text else ()


def _coupled(robot: Any, text: str) -> Any:
    from qddot.identification.extra_columns import coupled

    if not text:
        return ()
    names = logs.words("--coupled", text, "two joints")
    if len(names) != 2:
        raise BadArgument(f"--coupled names {len(names)} joints; give two: j5,j6.")
    return coupled(robot, *names)


def _errors(fit: Fit, log: Log) -> dict[str, Any]:
    """Return how far a fit is from another log, where its torques count."""
    from qddot.identification.figures import errors_on

    return errors_on(fit, log)


def _written(
    fit: Fit,
    raw: Log,
    ready: Log,
    errors: dict[str, Any] | None,
    output: File,
    page: File,
    plot: File,
) -> list[Path]:
    from qddot.identification import figures
    from qddot.identification.result import IdentificationWarning

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", IdentificationWarning)
        if output is not None:
            for text in fit.save(output):
                warn(text)
    for warning in said:
        if issubclass(warning.category, IdentificationWarning):
            warn(str(warning.message))
    if page is not None:
        with patience("drawing the page"):
            figures.page(fit, page, log=ready, raw=raw, validation=errors, command=sys.argv[1:])
    if plot is not None:
        figures.plot_torques(fit, path=plot)
    return [path for path in (output, page, plot) if path is not None]


def _log_facts(raw: Log, ready: Log) -> dict[str, Any]:
    return {
        "source": raw.source,
        "rows": len(raw),
        "duration": raw.duration,
        "rate": raw.rate,
        "notes": [{"severity": note.severity, "text": str(note)} for note in ready.notes],
    }


def report(fit: Fit, log: Log, errors: dict[str, Any] | None) -> list[str]:
    """Return what a fit came to, for people: how well, which values, what was done to the log."""
    lines = [*repr(fit).splitlines(), "", *fit.table().splitlines(), ""]
    lines += [f"{note.severity}: {note}" for note in log.notes if note.severity == "note"]
    if errors is not None:
        lines += [
            "",
            f"on the other log: relative torque error {100 * errors['relative_error']:.3g} %",
        ]
    if not fit.is_possible:
        lines += [
            "",
            "No robot has these values; --method consistent finds the nearest that can be.",
        ]
    return lines
