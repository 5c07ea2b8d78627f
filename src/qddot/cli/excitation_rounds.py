"""A search for a motion in rounds, so that a killed one goes on from the best so far."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import qddot
from qddot.cli.terminal import File, warn
from qddot.errors import printable
from qddot.progress import inform

if TYPE_CHECKING:
    from qddot.identification.excitation_result import Excitation

STARTS = 2  # improved between two savings
ROUNDS = 6
APART = 1000  # seeds of two rounds


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
        from qddot.blas_threads import one_thread

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
        ended = "interrupted; this is the best motion so far" if self.interrupted else ""
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
