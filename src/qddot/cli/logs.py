"""Logs named on the command line: LOG, or q=positions.csv tau=currents.csv, and how to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qddot.cli import completion
from qddot.cli.terminal import OptionWords, number, vector, warn_each
from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.robot import Robot

QUANTITIES = ("t", "q", "qd", "qdd", "tau")
TERMS = ("friction", "offset", "rotor_inertia", "drift")
LOGS = (".csv", ".parquet", ".npz", ".db3", ".mcap", ".bag")

LogFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="LOG...",
        help="One or more .csv, .parquet or .npz files or ROS bags, which are fitted together; or "
        "one file per quantity: q=FILE tau=FILE.",
        autocompletion=completion.files(*LOGS),
    ),
]
TermsOption = Annotated[
    str,
    typer.Option(
        metavar="A,B,...",
        help=f"What to identify besides the parameters of the model: {', '.join(TERMS)}.",
        autocompletion=completion.several(TERMS),
    ),
]
ColumnsOption = Annotated[
    OptionWords,
    typer.Option(
        metavar="KEY=NAMES",
        help="Which columns hold a quantity, if their names do not say: "
        "tau=current_{number}, q=a1,a2 or qd=none.",
    ),
]
UnitsOption = Annotated[
    OptionWords,
    typer.Option(
        metavar="KEY=UNIT",
        help="Units of the log where they are not SI: q=deg, qd=deg/s, tau=A, t=ms.",
    ),
]
GearOption = Annotated[
    OptionWords,
    typer.Option(
        metavar="A,B,...", help="Gear ratios, motor turns per joint turn: 100,100 or tau=100,100."
    ),
]
CouplingOption = Annotated[
    str,
    typer.Option(
        metavar="MATRIX",
        help="Matrix A of coupled joints, q = A (q_motor / N), rows separated by ';': 1,0;1,1.",
    ),
]
OffsetOption = Annotated[
    str,
    vector(
        "Offset to add to the measured positions [rad or m], one per joint: 0,-pi/2. None if not "
        "given."
    ),
]
ConstantsOption = Annotated[
    str, vector("Torque constants of the joints [N·m/A], for torques given as currents: 0.5,0.3.")
]
RateOption = Annotated[
    float | None, number("Rows per second, of a log without a column of times: 1000.", "HERTZ")
]
TopicOption = Annotated[
    str, typer.Option(metavar="TOPIC", help="Topic of the joint states in a ROS bag.")
]
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


@dataclass(frozen=True)
class Reading:
    """How a log is to be read and made ready."""

    columns: Sequence[str] = field(default_factory=tuple)
    units: Sequence[str] = field(default_factory=tuple)
    gear: Sequence[str] = field(default_factory=tuple)
    coupling: str = ""
    offset: str = ""
    torque_constants: str = ""
    rate: float | None = None
    topic: str = "/joint_states"
    cutoff: float | None = None
    speed: str = ""
    delay: float | None = None

    def read(
        self, source: str | dict[str, str], robot: Robot, terms: Any = (), extra: Any = ()
    ) -> tuple[Log, Log]:
        """Return a log as it was recorded, and ready for regression; its warnings are printed."""
        from qddot.identification.log import load_log
        from qddot.identification.preparation import prepared

        raw = load_log(
            source,
            robot,
            columns={key: _columns(said) for key, said in pairs("--columns", self.columns).items()},
            units={key: _several(said) for key, said in pairs("--units", self.units).items()},
            gear=_gear(self.gear),
            coupling=_matrix(self.coupling),
            offset=_numbers("--offset", self.offset),
            torque_constants=_numbers("--torque-constants", self.torque_constants),
            rate=self.rate,
            topic=self.topic,
        )
        warn_each([str(problem) for problem in raw.warnings], "--json")
        given = numbers("--speed", self.speed) if self.speed else None
        speed = given[0] if given is not None and len(given) == 1 else given
        options: dict[str, Any] = {"terms": terms, "extra": extra, "delay": self.delay}
        return raw, prepared(raw, robot, cutoff=self.cutoff, speed=speed, **options)


def sources(files: Sequence[str]) -> list[str | dict[str, str]]:
    """Return the logs that were named: a file each, or files by quantity, which are one log."""
    found: list[str | dict[str, str]] = []
    for name in files:
        key, equals, path = name.partition("=")
        if not equals or key not in QUANTITIES[1:]:
            found.append(name)
        elif found and isinstance(last := found[-1], dict) and key not in last:
            last[key] = path
        else:
            found.append({key: path})
    return found


def carried(given: Sequence[str], robot: Robot) -> dict[str, Any]:
    """Return --payload FILE=FRAME or FILE=FRAME:MASS[,X,Y,Z] by file: a frame, or a known load."""
    from qddot.model.link import Inertial, Payload

    found: dict[str, Any] = {}
    for text in given:
        file, equals, load = text.rpartition("=")
        if not equals or not file or not load:
            raise BadArgument(
                f"--payload {printable(text)!r} is not of the form FILE=FRAME or "
                "FILE=FRAME:MASS,X,Y,Z.\n  For instance: --payload loaded.csv=tool:2.5,0,0,0.06."
            )
        frame, colon, said = load.partition(":")
        if not colon:
            found[file] = frame
            continue
        values = numbers("--payload", said)
        if len(values) not in (1, 4):
            raise BadArgument(
                f"--payload {printable(text)!r} has {len(values)} numbers after the frame; give "
                "its mass [kg], or its mass and its centre of mass in the frame [m]."
            )
        mass, com = values[0], values[1:] or (0.0, 0.0, 0.0)
        x, y, z = com
        found[file] = Payload(frame, Inertial(mass, (x, y, z)))
    return found


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Return quantity=words, as given several times."""
    found = {}
    for text in given:
        key, equals, words = text.partition("=")
        if not equals or key not in QUANTITIES or not words:
            raise BadArgument(
                f"{option} {printable(text)!r} is not of the form quantity=...\n"
                f"  Quantities are {', '.join(QUANTITIES)}."
            )
        found[key] = words
    return found


def words(option: str, text: str, known: str) -> tuple[str, ...]:
    """Return names with commas between them."""
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise BadArgument(f"{option} names nothing; give {known}.")
    return found


def _columns(said: str) -> Any:
    return None if said == "none" else _several(said)


def _several(said: str) -> str | list[str]:
    return said.split(",") if "," in said else said


def _numbers(option: str, text: str) -> list[float] | None:
    return numbers(option, text) if text else None


def _gear(given: Sequence[str]) -> Any:
    if len(given) == 1 and "=" not in given[0]:
        return numbers("--gear", given[0])
    return {key: numbers("--gear", text) for key, text in pairs("--gear", given).items()} or None


def _matrix(text: str) -> list[list[float]] | None:
    return [numbers("--coupling", row) for row in text.split(";")] if text else None
