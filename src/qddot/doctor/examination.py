"""The examination of a robot's description: its problems, and how other engines read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qddot.doctor.compare import PeerComparison, compare
from qddot.doctor.peers import PEERS, Peer
from qddot.errors import BadFile, BadRobot, Problem
from qddot.model.model import Model
from qddot.readers.read import SYMBOLIC, library, model_of, read
from qddot.results import look

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SEVERITIES = ("error", "warning", "note")
UNLIMITED = "taken as unlimited"  # a reader says it of its format, the model of the joint


@dataclass(frozen=True, repr=False)
class Examination:
    """What is wrong with a robot, and how other engines see it."""

    source: str
    model: Model | None  # None if it cannot be used
    problems: tuple[Problem, ...]  # by line
    comparisons: tuple[PeerComparison, ...]

    @property
    def ok(self) -> bool:
        """Whether there are neither errors nor warnings."""
        return not any(problem.severity != "note" for problem in self.problems)

    @property
    def healthy(self) -> bool:
        """The same as `ok`."""
        return self.ok

    def __repr__(self) -> str:
        return "\n".join(line.plain for line in report_lines(self))

    def count(self, severity: str) -> int:
        """Return how many problems there are of one kind."""
        return sum(problem.severity == severity for problem in self.problems)

    def to_dict(self) -> dict[str, Any]:
        """Return the same facts as plain values, for machines."""
        return {
            "source": self.source,
            "robot": self.model.name if self.model else None,
            "usable": self.model is not None,
            "healthy": self.ok,
            "ok": self.ok,
            "problems": [asdict(problem) for problem in self.problems],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
        }


def examine(
    robot: Any,
    peers: Sequence[Peer] = PEERS,
    package_paths: Sequence[str | Path] = (),
    arguments: Mapping[str, Any] | None = None,
) -> Examination:
    """Return every problem of a robot, and a comparison with each peer if it can be used.

    Args:
        robot: A built-in robot's name, a robot file, or a robot.
        peers: The other engines to compare with; none for a quick look.
        package_paths, arguments: Of a file, as `qddot.load` takes them.

    Raises:
        UnknownRobot: If the source is neither a built-in robot nor a file.
        MissingExtra: If reading this kind of file needs a package that is not installed.
    """
    try:
        if isinstance(robot, (str, Path)):
            model = read(robot, package_paths=package_paths, arguments=arguments)
        else:
            model = model_of(robot)
    except (BadFile, BadRobot) as error:
        return Examination(str(robot), None, ordered(error.problems), ())
    named = isinstance(robot, (str, Path))
    source = str(robot) if named else model.name
    path = library().get(source.removesuffix(SYMBOLIC)) or Path(source if named else "")
    found = compare(model, path, peers) if peers else ()
    problems = [p if p.file or not named else p.located(str(path)) for p in model.warnings]
    return Examination(source, model, ordered(problems), found)


def ordered(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the problems by line, at one line the gravest first, each thing said once."""
    unlimited = {p.place for p in problems if p.severity != "note" and UNLIMITED in p.message}
    said = [
        p
        for p in problems
        if not (p.severity == "note" and UNLIMITED in p.message and p.place in unlimited)
    ]
    return tuple(sorted(said, key=lambda p: (p.line or 0, SEVERITIES.index(p.severity))))


def print_examination(examination: Examination, console: Console | None = None) -> None:
    """Print an examination."""
    look("terminal.examination.print_examination")(examination, console)


def report_lines(examination: Examination) -> Iterator[Text]:
    """Return the report, line by line."""
    return look("terminal.examination.report_lines")(examination)
