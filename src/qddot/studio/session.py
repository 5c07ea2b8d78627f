"""One connection's questions, answered: its robot, its state, what it played last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.errors import BadArgument
from qddot.robot import Robot
from qddot.robot_formats import read_endings
from qddot.studio import exports
from qddot.studio.dropped import check_name
from qddot.studio.helpers import Bench, Helpers, Tell
from qddot.studio.library import (
    HEAVIEST,
    STRONGEST,
    Changes,
    Library,
    ShownArm,
    Told,
    make_arm,
)
from qddot.studio.messages import Question, encoded
from qddot.studio.playing import LOG_ENDINGS, law_list, log_ending
from qddot.studio.state import (
    State,
    friction_parameters,
    now,
    quantities,
    robot_facts,
    state_of,
)

SHORTEST, LONGEST = 0.01, 60.0  # [s] of a motion
TO_READ, TO_DERIVE, TO_PLAY, TO_REPORT = 30.0, 30.0, 90.0, 300.0  # [s] that helpers may take
SHARE = 0.6  # of the time for a move; the rest shows how it settles
SPARE = 1.05  # of the shortest time for a move
MATRICES = ("M", "C", "c", "g")
LONG = ("motion", "file")  # answers of up to some megabytes


@dataclass(frozen=True)
class Played:
    """The motion played last."""

    csv: bytes
    arm: ShownArm  # that moved
    simulated: bool  # and not measured


class Stale(Exception):
    """A question about a robot that another has replaced meanwhile."""


class Session:
    """What a connection has: nothing of it is another's.

    Its robots are numbered. A question may name the number of the robot it is about (`arm`), and
    every answer about a robot has it, so that neither side takes one robot's numbers for another's.
    """

    def __init__(self, library: Library, helpers: Helpers):
        self.library, self.helpers = library, helpers
        self.bench = Bench()
        self._arm: ShownArm | None = None
        self.number = 0  # of the robot
        self.state: State | None = None  # on the screen
        self.played: Played | None = None
        self.answers: dict[str, Callable[[Question, Tell], Awaitable[dict[str, Any]]]] = {
            "welcome": self.welcome,
            "robot": self.robot,
            "file": self.file,
            "set": self.set,
            "at": self.at,
            "equation": self.equation,
            "play": self.play,
            "export": self.export,
        }

    async def answer(self, question: Question, tell: Tell) -> dict[str, Any]:
        """Return the answer to a question.

        Raises:
            QddotError: With words for the page.
            Stale: If it is about a robot that is no longer there.
        """
        if question.has("arm") and question.fields["arm"] != self.number:
            raise Stale
        number = self.number
        answer = await self.answers[question.do](question, tell)
        return answer if answer["is"] == "robot" else answer | {"arm": number}

    async def text(self, answer: dict[str, Any]) -> str:
        """Return an answer as JSON; a long one must not keep others waiting meanwhile."""
        if answer["is"] in LONG:
            return await self.bench.do(encoded, answer)
        return encoded(answer)

    def close(self) -> None:
        self.bench.close()

    @property
    def arm(self) -> ShownArm:
        if self._arm is None:
            raise BadArgument("There is no robot yet. Choose one, or drop a robot file.")
        return self._arm

    # what there is

    async def welcome(self, question: Question, tell: Tell) -> dict[str, Any]:
        return {
            "is": "welcome",
            "version": version("qddot"),
            "robots": await self.bench.do(self.library.robots),
            "laws": await self.bench.do(law_list),
            "robot": self.library.label,
            "robot_suffixes": list(read_endings()),
            "log_suffixes": list(LOG_ENDINGS),
        }

    async def robot(self, question: Question, tell: Tell) -> dict[str, Any]:
        name = question.text("name")
        return await self._opened(self.library.arm, name, told=threaded(tell))

    async def file(self, question: Question, tell: Tell) -> dict[str, Any]:
        name = question.text("name")
        check_name(name)
        data = question.data()
        model = await self.helpers.ask("read", name, data, seconds=TO_READ, tell=tell, keep=False)
        robot = Robot(model)
        return await self._opened(make_arm, robot.name, robot, robot, told=threaded(tell))

    async def _opened(
        self, make: Callable[..., ShownArm], *arguments: Any, told: Told
    ) -> dict[str, Any]:
        arm = await self.bench.do(make, *arguments, told)
        facts = await self.bench.do(robot_facts, arm)
        self._arm, self.state, self.played = arm, None, None
        self.number += 1
        return facts | {"arm": self.number}

    async def set(self, question: Question, tell: Tell) -> dict[str, Any]:
        question.only("arm", "gravity", "payload", "friction")
        changes = changed(self.arm, question)
        arm = await self.bench.do(self.arm.changed, changes)
        facts = await self.bench.do(robot_facts, arm)
        self._arm = arm
        return facts | {"arm": self.number}

    # what it is like now

    async def at(self, question: Question, tell: Tell) -> dict[str, Any]:
        arm = self.arm
        state = state_of(question, arm.robot.n)
        frame = frame_name(arm.robot, question.text("frame", arm.tip))
        drawn = question.flag("ellipsoid"), question.flag("torques")
        answer = await self.bench.do(now, arm, state, frame, *drawn)
        self.state = state
        return answer

    async def equation(self, question: Question, tell: Tell) -> dict[str, Any]:
        arm, n = self.arm, self.arm.robot.n
        matrix = question.choice("matrix", MATRICES)
        place = [question.whole("row", n)]
        if matrix in "MC":
            place.append(question.whole("column", n))
        state = self._state(arm)
        values = await self.bench.do(quantities, arm, state)
        found = await self.helpers.ask(
            *("entry", arm.exact_now, matrix, place, state.q, state.qd),
            seconds=TO_DERIVE,
            tell=tell,
            knows=(arm.label, arm.changes),
        )
        where = {"matrix": matrix, "row": place[0], "column": place[1] if place[1:] else None}
        return {"is": "equation", **where, "value": values[matrix][tuple(place)], **found}

    # what happens

    async def play(self, question: Question, tell: Tell) -> dict[str, Any]:
        what = question.choice("what", ("drop", "control", "log"))
        arm, number = self.arm, self.number
        if what == "log":
            log_ending(question.text("name"))
            arguments: tuple = (question.text("name"), question.data())
        else:
            state = state_of(question, arm.robot.n)
            seconds = question.number("duration", SHORTEST, LONGEST)
            arguments = (state.q, state.qd, seconds, question.flag("stops"))
            if what == "control":
                arguments = (controlled(arm, question, state.q, seconds), *arguments[:3])
        answer, csv = await self.helpers.ask(
            *(what, arm.now, *arguments), seconds=TO_PLAY, tell=tell, keep=what != "log"
        )
        if number == self.number:  # else another robot came while this one was simulated
            self.played = Played(csv, arm, what != "log")
        return answer

    async def export(self, question: Question, tell: Tell) -> dict[str, Any]:
        what = question.choice("what", exports.KINDS)
        arm, name, played = self.arm, self.arm.now.name, self.played
        if what == "report":
            fits = played is not None and played.simulated and played.arm is arm
            motion = played.csv if played is not None and fits else None
            data = await self.helpers.ask("report", arm.now, motion, seconds=TO_REPORT, tell=tell)
            return exports.file_answer(exports.file_name(name, ".html"), data)
        if what == "toml":
            data = await self.bench.do(exports.toml_of, arm)
            return exports.file_answer(exports.file_name(name, ".toml"), data)
        if played is not None:
            return exports.file_answer(exports.file_name(name, "_motion.csv"), played.csv)
        data = await self.bench.do(exports.state_csv, arm, self._state(arm))
        return exports.file_answer(exports.file_name(name, "_state.csv"), data)

    def _state(self, arm: ShownArm) -> State:
        """Return the state on the screen."""
        rest = 0 * arm.home
        return self.state or State(arm.home, rest, rest)


def changed(arm: ShownArm, question: Question) -> Changes:
    """Return the changes of an arm with those that a question asks for."""
    changes, n = arm.changes, arm.robot.n
    if question.has("gravity"):
        gravity = question.numbers("gravity", 3, most=STRONGEST)
        changes = replace(changes, gravity=tuple(gravity.tolist()))
    if (payload := question.part("payload", None)) is not None:
        payload.only("frame", "mass")
        frame = frame_name(arm.robot, payload.text("frame", arm.tip))
        changes = replace(changes, frame=frame, mass=payload.number("mass", 0, HEAVIEST))
    if (friction := question.part("friction", None)) is not None:
        names = [p.name for p in friction_parameters(arm)]
        friction.only(*names)
        given = {name: friction.each(name, n) for name in names}
        new = {name: tuple(x.tolist()) for name, x in given.items() if x is not None}
        changes = replace(changes, friction=tuple({**dict(changes.friction), **new}.items()))
    return changes


def controlled(arm: ShownArm, question: Question, q: np.ndarray, seconds: float) -> dict[str, Any]:
    """Return the description of a control; a move whose duration is left open fits into the run.

    It takes most of the time, and more where the joints cannot go so fast: from rest to rest the
    velocity of a move rises to 15/8 of the mean one.
    """
    control = question.part("control")
    reference = control.part("reference", None)
    if reference is None or reference.fields.get("kind") != "move" or reference.has("duration"):
        return dict(control.fields)
    far = np.abs(reference.numbers("joints", arm.robot.n) - q)
    fastest = float((far / arm.robot.limits.velocity).max())
    duration = max(SHARE * seconds, SPARE * 15 / 8 * fastest)
    return {**control.fields, "reference": {**reference.fields, "duration": duration}}


def threaded(tell: Tell) -> Told:
    """Return the same for a thread that does not run the loop."""
    loop = asyncio.get_running_loop()

    def told(text: str, part: float | None = None) -> None:
        asyncio.run_coroutine_threadsafe(tell(text, part), loop)

    return told
