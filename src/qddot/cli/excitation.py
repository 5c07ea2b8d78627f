"""Verbs about motions to record: excite."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli import logs
from qddot.cli.terminal import (
    AsJson,
    File,
    OptionWords,
    Plot,
    Settings,
    Source,
    choice,
    number,
    read_numeric,
    saves,
    tell,
    vector,
    warn,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable
from qddot.progress import inform

if TYPE_CHECKING:
    from qddot.identification.excitation_result import Excitation

STARTS = 2  # improved between two savings
ROUNDS = 6
ENDINGS = (".json", ".csv")
CURVES = ("fourier", "spline")
CRITERIA = ("condition", "determinant")
APART = 1000  # seeds of two rounds


def excite(
    source: Source,
    period: Annotated[float, number("Length of the motion: 20.", "SECONDS")] = 10.0,
    harmonics: Annotated[
        int,
        typer.Option(
            metavar="COUNT",
            help="Number of frequencies per joint, multiples of 1/period; at least 2.",
        ),
    ] = 5,
    curve: Annotated[str, choice("--curve", CURVES, "The kind of motion")] = "fourier",
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
        typer.Option(
            "--limits",
            metavar="KEY=VALUE",
            help="Limits in place of the model's, for all joints or per joint: velocity=1.5, "
            "effort=10,20; also acceleration, lower, upper. May be given several times.",
        ),
    ] = None,
    margin: Annotated[float, number("Share of each limit to keep free, from 0 to 1.")] = 0.05,
    workspace: Annotated[
        OptionWords,
        typer.Option(
            metavar="PLACE",
            help="Where a frame must stay [m]: 'tool: z > 0.1'. May be given several times.",
        ),
    ] = None,
    start: Annotated[
        str,
        vector(
            "Positions at the start and the end [rad or m], one per joint: 0,pi/2. Chosen by the "
            "search if not given."
        ),
    ] = "",
    seconds: Annotated[float, number("Time limit of the whole search.", "SECONDS")] = 60.0,
    seed: Annotated[
        int,
        typer.Option(
            metavar="SEED", help="Seed of the random motions that the search starts from."
        ),
    ] = 0,
    rate: Annotated[float, number("Rows per second of a .csv file.", "HERTZ")] = 1000.0,
    settings: Settings = None,
    plot: Plot = None,
    output: Annotated[
        File, saves("A motion", ENDINGS, "Save the motion for a robot controller")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan a motion, within limits, that shows a robot's parameters.

    The motion starts and ends at rest. With -o the best motion so far is saved next to the file
    during the search; if the search was killed, the same command continues from there. Ctrl-C ends
    the search and keeps the best motion so far.

    Examples:
      qddot excite panda --workspace "tool: z > 0.1" --seconds 2 --plot motion.png
      qddot excite ur5 --limits velocity=1 --seconds 1 -o motion.csv
    """
    robot = read_numeric(source, settings)
    choices = {
        "period": period,
        "harmonics": harmonics,
        "curve": curve,
        "criterion": criterion,
        "terms": logs.words("--terms", terms, "friction, offset") if terms else (),
        "limits": _limits(limits or []),
        "margin": margin,
        "workspace": _workspace(workspace or []),
        "start": numbers("--start", start) if start else None,
    }
    search = Rounds(robot, choices, seed, seconds, output)
    motion = search.run()
    if output is not None:
        motion.save(output, rate)
        search.forget()
    if plot is not None:
        motion.plot(plot)
    tell(as_json, _facts(motion), [repr(motion)], [output, plot])


@dataclass
class Rounds:
    """A search in rounds, each of a few starts of its own, the best motion saved after each."""

    robot: qddot.Robot
    choices: dict[str, Any]
    seed: int
    seconds: float
    output: File
    best: Excitation | None = None
    done: int = 0
    spent: float = 0.0  # [s]
    interrupted: bool = False

    @property
    def beside(self) -> File:
        """Where the best motion so far is kept."""
        return self.output and self.output.with_name(f"{self.output.name}.part.json")

    @property
    def mark(self) -> str:
        """The identity of this search: a digest of the robot and every choice."""
        said = repr((self.robot.model, sorted(self.choices.items()), self.seed))
        return hashlib.sha256(said.encode()).hexdigest()

    def run(self) -> Excitation:
        """Return the best motion of all rounds, or of as many as there was time for."""
        from qddot.identification.grouping import one_thread

        self.resume()
        while self.best is None or (self.done < ROUNDS and self.spent < self.seconds):
            began = time.monotonic()
            try:
                with one_thread():  # its matrices are small: threads would wait for each other
                    found = self.round()
                self.spent += time.monotonic() - began
                self.take(found)
                self.interrupted = "interrupted" in found.status
                if self.interrupted:
                    break
                self.done += 1
                self.save()
            except KeyboardInterrupt:  # in a round, or while the best of them is saved
                if self.best is None:
                    raise
                self.interrupted = True
                break
        assert self.best is not None
        ended = "interrupted" if self.interrupted else ""
        ended = ended or ("improved all of them" if self.done == ROUNDS else "time ran out")
        status = f"{STARTS * self.done} of {STARTS * ROUNDS} starts in {self.spent:.1f} s: {ended}"
        how = {**self.best.how, "rounds": self.done, "seconds": round(self.spent, 3)}
        return replace(self.best, status=status, how=how, finished=self.done == ROUNDS)

    def round(self) -> Excitation:
        """Return the best motion of a few starts that no other round has."""
        return qddot.excite(
            self.robot,
            **self.choices,
            starts=STARTS,
            seconds=self.seconds - self.spent,
            seed=self.seed + APART * self.done,
        )

    def take(self, found: Excitation) -> None:
        """Keep the better motion, and the best random one to compare with."""
        if self.best is None:
            self.best = found
            return
        better = min(self.best, found, key=_value)
        random = min(self.best.random_condition, found.random_condition)
        self.best = replace(better, random_condition=random)

    def save(self) -> None:
        """Keep the best motion so far beside the output, whole or not at all."""
        if self.beside is None or self.best is None:
            return
        how = {**self.best.how, "mark": self.mark, "done": self.done, "spent": self.spent}
        replace(self.best, how=how, finished=False).save(self.beside)
        inform(
            f"{STARTS * self.done} of {STARTS * ROUNDS} starts, condition number "
            f"{self.best.condition:.4g}; so far in {printable(str(self.beside))}",
            of_progress=True,
        )

    def resume(self) -> None:
        """Go on from what a killed search has left, if it was the same search."""
        from qddot.identification.excitation_result import Excitation

        if self.beside is None or not self.beside.is_file():
            return
        shown = printable(str(self.beside))
        try:
            kept = Excitation.load(self.beside, self.robot)
            how = dict(kept.how)
            mark, done, spent = how.pop("mark"), int(how.pop("done")), float(how.pop("spent"))
        except (ValueError, KeyError, TypeError):
            warn(f"{shown} cannot be read and will be replaced.")
            return
        if mark != self.mark:
            warn(f"{shown} is of another search and will be replaced.")
            return
        self.best, self.done, self.spent = replace(kept, how=how), done, spent
        inform(
            f"going on from {shown}: {STARTS * self.done} starts in {self.spent:.1f} s, "
            f"condition number {self.best.condition:.4g}"
        )

    def forget(self) -> None:
        """Take away what was kept beside the output, now that that is there."""
        if self.beside is not None:
            self.beside.unlink(missing_ok=True)


def _value(motion: Excitation) -> float:
    return float(motion.history[-1, 1]) if len(motion.history) else float("inf")


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


def _facts(motion: Excitation) -> dict[str, Any]:
    from qddot.identification.excitation_files import facts_of

    facts = facts_of(motion)
    del facts["history"]
    return facts | {"gain": motion.gain}
