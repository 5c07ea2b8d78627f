"""Verbs about motions to record: excite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli import completion, logs
from qddot.cli.log_words import names_of
from qddot.cli.terminal import (
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
    saves,
    tell,
    vector,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable
from qddot.progress import message_if_slow

if TYPE_CHECKING:
    from qddot.identification.excitation_result import Excitation
    from qddot.identification.log import Log

ENDINGS = (".json", ".csv")
CRITERIA = ("condition", "determinant")


def excite(
    source: Source,
    period: Annotated[float, number("Length of the motion: 20.", "SECONDS")] = 10.0,
    harmonics: Annotated[
        int, entry("Number of frequencies per joint, multiples of 1/period; at least 2.", "COUNT")
    ] = 5,
    criterion: Annotated[
        str,
        choice(
            "--criterion",
            CRITERIA,
            "What to minimise: the condition number, or the volume of the confidence ellipsoid",
        ),
    ] = "condition",
    terms: logs.TermsOption = "friction,offset",
    limits: Annotated[
        OptionWords,
        entry(
            "Limits in place of the model's, for all joints or per joint: velocity=1.5, "
            "effort=10,20; also acceleration, lower, upper. May be given several times.",
            "KEY=VALUE",
        ),
    ] = None,
    margin: Annotated[float, number("Share of each limit to keep free, from 0 to 1.")] = 0.05,
    workspace: Annotated[
        OptionWords,
        entry("Where a frame must stay [m]: 'tool: z > 0.1'. May be given several times.", "PLACE"),
    ] = None,
    collision: Annotated[
        bool, typer.Option("--collision", help="Links must not touch each other.")
    ] = False,
    radius: Annotated[
        OptionWords,
        entry(
            "Radius of the links, for all or for one: 0.06, forearm=0.05; 0 leaves one out. "
            "5 % of the reach if not given. May be given several times.",
            "METRES",
        ),
    ] = None,
    floor: Annotated[
        float | None, number("Height that links stay above, in base axes: 0.", "METRES")
    ] = None,
    apart: Annotated[
        float, number("Distance that links keep from each other and the floor.", "METRES")
    ] = 0.01,
    start: Annotated[
        str,
        vector(
            "Positions at the start and the end [rad or m], one per joint: 0,pi/2. Chosen by the "
            "search if not given."
        ),
    ] = "",
    seconds: Annotated[float, number("Time limit of the whole search.", "SECONDS")] = 60.0,
    seed: Annotated[
        int, entry("Seed of the random motions that the search starts from.", "SEED")
    ] = 0,
    payload: Annotated[
        OptionWords,
        entry(
            "A load with which the motion is made once more, and which is to be found too: "
            "tool=2, or with its centre of mass [m] tool=2,0,0,0.05. May be given several times.",
            "FRAME=KG",
        ),
    ] = None,
    after: Annotated[
        OptionWords,
        entry(
            "A log that was recorded before: the motion is to show what it does not. May be "
            "given several times.",
            "LOG",
            autocompletion=completion.files(*logs.LOGS),
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        float | None, number("Rows per second of a .csv file: 500. 1000 if not given.", "HERTZ")
    ] = None,
    periods: Annotated[int, entry("How often a file has the motion.", "COUNT")] = 1,
    settings: Settings = None,
    plot: Plot = None,
    output: Annotated[
        File, saves("A motion", ENDINGS, "Save the motion for a robot controller")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan a motion, within limits, that shows a robot's parameters.

    The motion starts and ends at rest. Ctrl-C ends the search and keeps the best motion so far.

    Examples:
      qddot excite panda --workspace "tool: z > 0.1" --seconds 2 --plot motion.png
      qddot excite ur5 --limits velocity=1 --seconds 1 -o motion.csv
      qddot excite ur5 --collision --floor 0 --seconds 2 -o motion.csv
    """
    robot = read_numeric(source, settings)
    choices = {
        "period": period,
        "harmonics": harmonics,
        "criterion": criterion,
        "terms": _terms(terms),
        "limits": _limits(limits or []),
        "margin": margin,
        "workspace": _workspace(workspace or []),
        "payloads": _payloads(payload or []),
        "after": _after(after or [], robot, terms),
        "collision": _radii(radius or []) or collision,
        "floor": floor,
        "apart": apart,
        "start": numbers("--start", start) if start else None,
    }
    motion = qddot.excite(robot, **choices, seconds=seconds, seed=seed)
    if output is not None:
        motion.save(output, rate, periods)
    if plot is not None:
        motion.plot(plot)
    tell(as_json, _facts(motion), [repr(motion)], [output, plot])


def _limits(given: list[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadArgument(f"--limits {printable(text)!r} is not of the form velocity=1.5.")
        values = numbers(f"--limits {key}", value)
        found[key] = values[0] if len(values) == 1 else values
    return found or None


def _workspace(given: list[str]) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    for text in given:
        frame, colon, words = text.rpartition(":")
        if not colon:
            raise BadArgument(
                f"--workspace {printable(text)!r} is not of the form 'tool: z > 0.1'."
            )
        found.setdefault(frame.strip(), []).append(words.strip())
    return found or None


def _radii(given: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        link, equals, value = text.rpartition("=")
        values = numbers(f"--radius {link}".strip(), value)
        if len(values) != 1 or (equals and not link):
            raise BadArgument(f"--radius {printable(text)!r} is neither 0.06 nor forearm=0.05.")
        found[link or "*"] = values[0]
    return found


def _payloads(given: list[str]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for text in given:
        frame, equals, value = text.rpartition("=")
        if not equals:
            raise BadArgument(f"--payload {printable(text)!r} is not of the form tool=2.")
        mass, *com = numbers(f"--payload {frame}", value)
        found.append((frame, mass, tuple(com)) if com else (frame, mass))
    return found


def _after(paths: list[str], robot: qddot.Robot, terms: str) -> list[Log]:
    from qddot.identification.preparation import prepared

    with message_if_slow("reading the log"):
        raw = [logs.Reading().load(path, robot) for path in paths]
        return [prepared(log, robot, terms=_terms(terms)) for log in raw]


def _terms(text: str) -> tuple[str, ...]:
    return names_of("--terms", text, "friction, offset") if text else ()


def _facts(motion: Excitation) -> dict[str, Any]:
    from qddot.identification.excitation_files import facts_of

    facts = facts_of(motion)
    del facts["history"]
    return facts | {"gain": motion.gain}
