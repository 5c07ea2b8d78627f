"""Verbs about a log alone, log and contact; and how every verb reads the logs that it names.

A log is named as LOG, or as q=positions.csv tau=currents.csv.
A verb that `with_log_options` wraps takes an option for each field of `Reading`, and gets one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from qddot.cli import completion, log_words
from qddot.cli.terminal import (
    AsJson,
    File,
    OptionWords,
    Plot,
    Settings,
    Source,
    entry,
    number,
    read_numeric,
    saves,
    tell,
    vector,
    warn,
    warn_each,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, BadLog, listing, printable
from qddot.progress import message_if_slow
from qddot.robot_formats import read_endings

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.robot import Robot

TERMS = ("friction", "offset", "rotor_inertia")
LOGS = (
    *(".csv", ".tsv", ".txt", ".dat", ".parquet", ".npz", ".npy", ".mat", ".h5", ".hdf5"),
    *(".db3", ".mcap", ".bag"),
)
LogFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="LOG...",
        help="One or more files of text, Parquet, NumPy, MATLAB or HDF5, or ROS bags, "
        "which are fitted together, FILE:1-1000 for some of the rows; or one file per "
        "quantity: q=FILE tau=FILE,FILE t=FILE.",
        autocompletion=completion.files(*LOGS),
    ),
]
TermsOption = Annotated[
    str,
    entry(
        f"What to identify besides the parameters of the model: {', '.join(TERMS)}, of one "
        "joint j1.Ia; auto: friction, offset, and what predicts torques better that were not "
        "fitted.",
        "A,B,...",
        autocompletion=completion.several(TERMS),
    ),
]


@dataclass(frozen=True)
class Reading:
    """How a log is to be read, in the words of the command line: the options of every such verb."""

    columns: Annotated[
        OptionWords,
        entry(
            "Which columns hold a quantity, if their names do not say: "
            "tau=current_{number}, q=a1,a2, 'q=1-7 tau=8-14' by number, q=data.q for an array, or "
            "qd=none.",
            "KEY=NAMES",
        ),
    ] = None
    joints: Annotated[
        OptionWords,
        entry(
            "The joints in the order of the log's columns, other joints of the robot being "
            "held at home: j2,j1; or which is which, ROBOT'S=LOG'S: j1=axis1.",
            "A,B,...",
        ),
    ] = None
    units: Annotated[
        OptionWords,
        entry("Units of the log where they are not SI: q=deg, qd=deg/s, tau=A, t=ms.", "KEY=UNIT"),
    ] = None
    gear: Annotated[
        OptionWords,
        entry("Gear ratios, motor turns per joint turn: 100,100 or tau=100,100.", "A,B,..."),
    ] = None
    coupling: Annotated[
        str,
        entry(
            "Matrix A of coupled joints, q = A (q_motor / N), rows separated by ';': 1,0;1,1.",
            "MATRIX",
        ),
    ] = ""
    offset: Annotated[
        str,
        vector(
            "Offset to add to the measured positions [rad or m], one per joint: 0,-pi/2. None if "
            "not given."
        ),
    ] = ""
    torque_constants: Annotated[
        str,
        vector("Torque constants of the joints [N·m/A], for torques given as currents: 0.5,0.3."),
    ] = ""
    rate: Annotated[
        float | None, number("Rows per second, of a log without a column of times: 1000.", "HERTZ")
    ] = None
    rows: Annotated[
        str,
        entry(
            "Rows to take, counted from 1: 1-10000, or 10001- for the others. All if not given.",
            "FIRST-LAST",
            show_default=False,
        ),
    ] = ""
    time: Annotated[
        File,
        entry(
            "A file of the times, if they have one of their own.",
            "FILE",
            autocompletion=completion.files(*LOGS),
        ),
    ] = None
    topic: Annotated[
        str,
        entry(
            "Topic of a ROS bag: /franka_state. That of its joint states if not given.",
            "TOPIC",
            show_default=False,
        ),
    ] = ""

    def options(self) -> dict[str, Any]:
        """Return the same as what `load_log` takes."""
        columns = log_words.pairs("--columns", self.columns or ())
        units = log_words.pairs("--units", self.units or ())
        return {
            "columns": {key: log_words.columns_of(said) for key, said in columns.items()},
            "joints": log_words.joints_of(self.joints or ()),
            "units": {key: log_words.units_of(said) for key, said in units.items()},
            "gear": log_words.gear_of(self.gear or ()),
            "coupling": log_words.matrix_of(self.coupling),
            "offset": log_words.numbers_of("--offset", self.offset),
            "torque_constants": log_words.one_or_each("--torque-constants", self.torque_constants),
            "rate": self.rate,
            "rows": log_words.rows_of(self.rows),
            "time": self.time,
            "topic": self.topic,
        }

    def arm(self, robot: Robot | None) -> Robot | None:
        """Return the robot with the joints that --joints does not name held at home."""
        named = log_words.joints_of(self.joints or ())
        if robot is None or not isinstance(named, list) or not set(named) < set(robot.joint_names):
            return robot
        held = [name for name in robot.joint_names if name not in named]
        warn(f"held at home, since --joints does not name them: {listing(held, 20)}")
        home = dict(zip(robot.joint_names, robot.home.tolist(), strict=True))
        return robot.locked({name: home[name] for name in held})

    def load(self, source: str | dict[str, Any], robot: Robot | None) -> Log:
        """Return one of `log_words.sources` as it was recorded; its warnings are printed."""
        from qddot.identification.log import load_log

        path, rows = log_words.with_rows(source) if isinstance(source, str) else (source, "")
        how = self.options()
        if rows:
            how["rows"] = log_words.rows_of(rows)
        try:
            log = load_log(path, robot, **how)
        except BadLog as error:
            told = log_words.as_options
            found = [
                replace(each, message=told(each.message), remedy=told(each.remedy))
                for each in error.problems
            ]
            raise BadLog(error.args[0], found) from None
        except BadArgument as error:
            raise BadArgument(log_words.as_options(str(error))) from None
        warn_each([log_words.as_options(str(problem)) for problem in log.warnings], "--json")
        return log


def with_log_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that takes the options of logs too, and gets them as `reading`."""
    own, more = (get_type_hints(each, include_extras=True) for each in (verb, Reading))

    @wraps(verb)
    def shared(**given: Any) -> None:
        said = {name: given.pop(name) for name in more}
        verb(**given, reading=Reading(**said))

    del own["reading"]
    found = [inspect.signature(verb).parameters[name] for name in own if name != "return"]
    found += inspect.signature(Reading).parameters.values()
    hints = own | more
    shared.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in found]
    )
    shared.__annotations__ = hints
    return shared


@with_log_options
def log(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG... [ROBOT]",
            help="A log, or one file per quantity: q=FILE tau=FILE t=FILE; then the robot whose "
            "joints it has, if any.",
            autocompletion=completion.files(*LOGS),
        ),
    ],
    reading: Reading,
    settings: Settings = None,
    output: Annotated[
        File,
        saves("A picture", (".html", ".htm", ".png", ".svg", ".pdf"), "Draw the log, or a page"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how a log is understood: columns, units, rate and gaps.

    Nothing is fitted; -o draws it. With a robot, its joints are looked for by name. The options
    are those of `qddot identify`, so that what is right here is right there.

    Examples:
      qddot control two_link --duration 5 -o log.csv
      qddot log log.csv
      qddot log log.csv two_link --rows 1-200 -o log.html
    """
    from qddot.present.terminal.logs import log_facts, log_lines

    *names, last = files
    robot = read_numeric(last, settings) if names and is_robot(last) else None
    if settings and robot is None:
        raise BadArgument("--set changes a robot, and none is named.\n  Name it after the log.")
    robot = reading.arm(robot)
    with message_if_slow("reading the log"):
        sources = log_words.sources(files if robot is None else names)
        if len(sources) > 1:
            raise BadArgument(f"There are {len(sources)} logs; name one, or q=FILE tau=FILE.")
        found = reading.load(sources[0], robot)
    if output is not None:
        from qddot.plot import log_page, plot_log

        if output.suffix.lower() in (".html", ".htm"):
            log_page(found, output, command=ctx.find_root().obj)
        else:
            plot_log(found, path=output)
    tell(as_json, log_facts(found), log_lines(found, robot), [output])


@with_log_options
def contact(
    source: Source,
    log: LogFiles,
    reading: Reading,
    free: Annotated[
        str,
        entry(
            "A log in which nothing touches the arm, or seconds of LOG: free.csv, 0:5.",
            "LOG",
            show_default=False,
        ),
    ] = "",
    gain: Annotated[
        float | None,
        number(
            "Gain of the momentum observer: 50. 30, or what the log allows, if not given.", "1/S"
        ),
    ] = None,
    false_alarms: Annotated[
        float, number("Probability that contacts are found in the log though there are none.")
    ] = 0.01,
    online: Annotated[
        bool,
        typer.Option("--online", help="Observe as while the arm moves, with the delay of that."),
    ] = False,
    cutoff: Annotated[
        float | None,
        number(
            "Cut-off frequency of the low-pass filter: 20. Four times that of the observer if not "
            "given.",
            "HERTZ",
        ),
    ] = None,
    settings: Settings = None,
    plot: Plot = None,
    output: Annotated[File, saves("External torques", (".csv",), "Save them over time")] = None,
    as_json: AsJson = False,
) -> None:
    """Find what pushed an arm while a log was recorded.

    A momentum observer compares the torques of the log with those that the model needs. A contact
    is where they differ more than in a motion without contact, which --free names.

    Examples:
      qddot control two_link --duration 20 -o log.csv
      qddot contact two_link log.csv --free 0:10
    """
    from qddot.identification.observer import external_torque

    robot = reading.arm(read_numeric(source, settings))
    assert robot is not None
    if not free:
        raise BadArgument(
            "Nothing says how large torques are without contact.\n"
            "  Give --free LOG, a log in which nothing touches the arm, or --free 0:5, seconds."
        )
    named = log_words.sources(log)
    if len(named) > 1:
        raise BadArgument(f"{len(named)} logs are given; give one at a time.")
    with message_if_slow("reading the log"):
        recorded = reading.load(named[0], robot)
        quiet = _span(free) or replace(reading, rows="", time=None).load(free, robot)
    found = external_torque(
        robot,
        recorded,
        free=quiet,
        gain=gain,
        cutoff=cutoff,
        false_alarms=false_alarms,
        online=online,
    )
    if output is not None:
        found.save(output)
    if plot is not None:
        found.plot(plot)
    tell(as_json, {"robot": robot.name} | found.to_dict(), [repr(found)], [output, plot])


def _span(text: str) -> tuple[float, float] | None:
    """Return the seconds that "0:5" names; None where it is a file."""
    start, colon, end = text.partition(":")
    if not colon or "/" in text or "\\" in text:
        return None
    first, last = numbers("--free", f"{start},{end}")
    if not first < last:
        raise BadArgument(f"--free {printable(text)!r} ends before it begins; give 0:5.")
    return first, last


def is_robot(word: str) -> bool:
    """Return whether a word names a robot: a built-in one or a robot file."""
    from qddot.readers.read import built_in_names

    return word in built_in_names() or word.lower().endswith(tuple(read_endings()))
