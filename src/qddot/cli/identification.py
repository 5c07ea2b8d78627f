"""Verbs about parameters from measurements: identifiable, identify."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli import completion, logs
from qddot.cli.log_words import as_options, carried, names_of, one_or_each, sources, weights_of
from qddot.cli.terminal import (
    ENDINGS_OF_ROBOTS,
    AsJson,
    File,
    OptionWords,
    Plot,
    Settings,
    Source,
    choice,
    entry,
    number,
    read_numeric,
    read_robot,
    saves,
    tell,
    vector,
    warn,
    writes,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, listing, printable
from qddot.identification import AUTO, METHODS
from qddot.progress import message_if_slow
from qddot.saving import together

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.identification.result import Fit
    from qddot.identification.runs import MeasuredRun

CutOffOption = Annotated[
    float | None,
    number(
        "Cut-off frequency of the low-pass filter: 10. The one that predicts best if not given.",
        "HERTZ",
    ),
]
SpeedOption = Annotated[
    str,
    vector(
        "Joint speeds [rad/s or m/s] below which torques are left out of the fit, one for "
        "all or per joint: 0.05; 0 leaves out none. 1 % of the top speed if not given."
    ),
]

DelayOption = Annotated[
    float | None,
    number(
        "Delay of the recorded torques after the positions: 0.004; 0 for none. The one found in "
        "the log if not given.",
        "SECONDS",
    ),
]


def log_option(words: str) -> Any:
    return entry(words, "LOG", autocompletion=completion.files(*logs.LOGS), show_default=False)


def identifiable(
    source: Source,
    log: Annotated[
        File, log_option("Show what this log determines. Any states if not given.")
    ] = None,
    terms: logs.TermsOption = "",
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Show which parameters can be determined from torques, and why.

    Some parameters are found alone, some only as sums with others. If the robot has symbols, the
    answer is exact and in these symbols. A log is read, filtered and differentiated as by `qddot
    identify`; parameters that it does not show are listed.

    Examples:
      qddot identifiable ur5 --terms friction
      qddot identifiable two_link_symbolic
    """
    robot = read_robot(source, settings) if log is None else read_numeric(source, settings)
    states = None
    if log is not None:
        states = qddot.identification.prepared(logs.Reading().load(str(log), robot), robot)
    with message_if_slow(f"finding the parameters of {robot.name} that torques show"):
        found = qddot.identifiable(robot, states, terms=_terms(terms))
    tell(as_json, {"robot": robot.name} | found.to_dict(), [str(found)])


@logs.with_log_options
def identify(
    ctx: typer.Context,
    source: Source,
    log: logs.LogFiles,
    reading: logs.Reading,
    method: Annotated[
        str, choice("--method", tuple(METHODS), "The method of the fit")
    ] = "weighted",
    terms: logs.TermsOption = "auto",
    coupled: Annotated[
        str,
        entry(
            "Two joints that one motor turns together, as in wrists: j5,j6. None if not given.",
            "A,B",
        ),
    ] = "",
    decimate: Annotated[
        float | None,
        number(
            "Rows per second that are fitted: 20; 0 for all rows. About the cut-off frequency if "
            "not given.",
            "HERTZ",
        ),
    ] = None,
    unexcited: Annotated[
        str,
        choice(
            "--unexcited",
            ("merge", "refuse"),
            "Parameters that a log shows only together are one parameter, or such a log is refused",
        ),
    ] = "merge",
    cutoff: CutOffOption = None,
    speed: SpeedOption = "",
    delay: DelayOption = None,
    payload: Annotated[
        OptionWords,
        entry(
            "The arm carried an unknown load at this frame while this log was recorded; a "
            "known one with its mass and centre of mass: FILE=tool:2.5,0,0,0.06. May be given "
            "several times.",
            "FILE=FRAME",
        ),
    ] = None,
    weight: Annotated[
        OptionWords,
        entry(
            "What the rows of this log count, beside 1 of the others. May be given several times.",
            "FILE=NUMBER",
        ),
    ] = None,
    gains: Annotated[
        str,
        entry(
            "Torques are what drives report (A), and their gains [N·m/A] are found too: those "
            "that are known, shoulder=0.12; or all, where --payload gives a known load.",
            "JOINT=K,...",
        ),
    ] = "",
    validate: Annotated[
        OptionWords,
        log_option(
            "Test the result on this other log, read the same way. May be given several times. No "
            "test if not given."
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also try every method that needs nothing but logs, and print one table of what "
            "each leaves of torques that were fitted and that were not.",
        ),
    ] = False,
    settings: Settings = None,
    page: Annotated[
        File,
        writes(
            "--page",
            what="A page",
            endings=(".html", ".htm"),
            words="Write a page of tables and figures",
        ),
    ] = None,
    plot: Plot = None,
    output: Annotated[File, saves("A robot", ENDINGS_OF_ROBOTS, "Save the robot found")] = None,
    as_json: AsJson = False,
) -> None:
    """Find a robot's parameters from a log of positions and torques.

    First it is told how the log is understood, as `qddot log` does. The log is then filtered
    without a shift in time and differentiated; torques of joints that hardly move are left out of
    the fit. Parameters that torques do not show keep the values of the robot file.

    Examples:
      qddot control two_link --duration 20 -o log.csv
      qddot identify two_link log.csv --terms friction
      qddot identify two_link log.csv --method consistent -o arm.toml
      qddot identify two_link log.csv --compare
    """
    from qddot.identification.methods_compared import compare_methods
    from qddot.identification.validation import errors_by_run
    from qddot.present.terminal.logs import log_facts, log_lines
    from qddot.present.terminal.results import fit_lines

    robot = reading.arm(read_numeric(source, settings))
    assert robot is not None
    wanted = _terms(terms)
    extra = _coupled(robot, coupled)
    how: dict[str, Any] = {"cutoff": cutoff, "speed": one_or_each("--speed", speed), "delay": delay}

    def read(source: str | dict[str, Any], reading: logs.Reading) -> tuple[Log, Log]:
        raw = reading.load(source, robot)
        return raw, qddot.identification.prepared(raw, robot, terms=wanted, extra=extra, **how)

    if gains and not reading.torque_constants:  # an ampere stays an ampere
        reading = replace(reading, torque_constants="1")
    with message_if_slow("reading the logs"):
        named = sources(log)
        both = [read(source, reading) for source in named]
        alike = replace(reading, rows="", time=None)
        others = [read(name, alike)[1] for name in validate or ()]
    runs = _runs(robot, named, [ready for _, ready in both], payload or (), weight or ())
    if not as_json:
        for raw, _ in both:
            print("\n".join([*log_lines(raw, robot), ""]), flush=True)
    rows = sum(len(ready) for _, ready in both)
    options: dict[str, Any] = {"decimate": _rows(decimate), "unexcited": unexcited}
    options |= {"gains": _gains(gains)} if gains else {}
    with message_if_slow(f"fitting {rows} rows"), warnings_as_options():
        fit = qddot.identify(robot, runs, method, terms=wanted, extra=extra, **options)
    errors = errors_by_run(fit, others)
    table = None
    if compare:
        if gains:
            raise BadArgument("--compare takes torques; give their gains as --torque-constants.")
        shared = options | {"terms": wanted, "extra": extra, "validate": others}
        with message_if_slow("comparing the methods"):
            table = compare_methods(robot, runs, **shared)
    with together(), warnings_as_options():
        if output is not None:
            fit.save(output)
        _draw(fit, [raw for raw, _ in both], errors, page, plot, ctx.find_root().obj)
    told = [log_facts(raw) | {"notes": _notes(ready)} for raw, ready in both]
    facts = fit.to_dict() | {"log": told[0], "logs": told, "validation": errors}
    lines = fit_lines(fit, errors)
    if table is not None:
        facts |= {"comparison": table.to_dict()}
        lines += ["", *str(table).splitlines()]
    tell(as_json, facts, lines, [output, page, plot])


@contextmanager
def warnings_as_options() -> Iterator[None]:
    """Tell warnings and errors in the words of the command line, not of Python."""
    from qddot.errors import IdentificationWarning

    with warnings.catch_warnings(record=True) as said:
        # a solver's own words are left out; the status of the fit says the same
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", IdentificationWarning)
        try:
            yield
        except BadArgument as error:
            if type(error) is not BadArgument:  # others have their own words
                raise
            raise BadArgument(as_options(str(error))) from None
    for warning in said:
        warn(as_options(str(warning.message)))


def _rows(decimate: float | None) -> float | str | None:
    """Return --decimate as Python has it: "auto" where it was not given, None for 0."""
    return "auto" if decimate is None else decimate or None


def _terms(text: str) -> str | tuple[str, ...]:
    if text == AUTO:
        return text
    return names_of("--terms", text, ", ".join(logs.TERMS)) if text else ()


def _coupled(robot: Any, text: str) -> Any:
    from qddot.identification.regression import coupled

    if not text:
        return ()
    names = names_of("--coupled", text, "two joints")
    if len(names) != 2:
        raise BadArgument(f"--coupled names {len(names)} joints; give two: j5,j6.")
    return coupled(robot, *names)


def _runs(
    robot: Any,
    named: Sequence[str | dict[str, Any]],
    logs_read: Sequence[Log],
    payload: Sequence[str],
    weight: Sequence[str],
) -> list[MeasuredRun]:
    """Return the logs as runs, with what was carried in them and what they count."""
    from qddot.identification.runs import MeasuredRun

    loads = carried(payload, robot)
    weights = weights_of(weight)
    files = [set(map(str, s.values())) if isinstance(s, dict) else {s} for s in named]
    for option, given in (("--payload", loads), ("--weight", weights)):
        for file in given:
            if not any(file in each for each in files):
                raise BadArgument(
                    f"{option} names {printable(file)!r}, which is none of the logs.\n"
                    f"  They are: {listing([name for each in files for name in each], 8)}."
                )
    found = []
    for each, log in zip(files, logs_read, strict=True):
        load = next((loads[file] for file in each if file in loads), None)
        share = next((weights[file] for file in each if file in weights), 1.0)
        found.append(MeasuredRun(log, load, share))
    return found


def _gains(text: str) -> dict[str, float]:
    """Return --gains as Python has it: the known ones by joint."""
    found: dict[str, float] = {}
    for part in () if text == "all" else text.split(","):
        joint, equals, said = part.partition("=")
        if not equals:
            raise BadArgument(
                f"--gains {printable(text)!r} is not of the form JOINT=NUMBER,...\n"
                "  Give the gains that are known [N·m/A], or all, to find every one."
            )
        (found[joint.strip()],) = numbers("--gains", said)
    return found


def _draw(
    fit: Fit, raw: Sequence[Log], errors: Any, page: File, plot: File, command: list[str]
) -> None:
    from qddot.plot import fit_page, plot_torques

    if page is not None:
        with message_if_slow("drawing the page"):
            fit_page(fit, page, raw=raw, validation=errors, command=command)
    if plot is not None:
        plot_torques(fit, path=plot)


def _notes(log: Log) -> list[dict[str, str]]:
    return [{"severity": note.severity, "text": str(note)} for note in log.notes]
