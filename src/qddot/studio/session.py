"""One connection's questions, answered: its robot, its state, what it played last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from qddot.checks import frame_name
from qddot.errors import BadArgument
from qddot.robot import Robot
from qddot.robot_formats import read_endings
from qddot.studio import exports
from qddot.studio.controlled import Controlled, controlled
from qddot.studio.dragging import PARTS, dragged, grip, pose_of, solutions
from qddot.studio.dropped import check_name
from qddot.studio.helpers import Bench, Helpers, Tell
from qddot.studio.library import HEAVIEST, STRONGEST, Changes, Library, ShownArm, Told, make_arm
from qddot.studio.messages import FAR, Question, encoded
from qddot.studio.playing import LOG_ENDINGS, STOP, log_ending
from qddot.studio.script import controlled_script, drop_script
from qddot.studio.state import State, friction_parameters, now, quantities, robot_facts, state_of

SHORTEST, LONGEST = 0.01, 60.0  # [s] of a motion
PIECE, LONGEST_LIVE = (0.01, 1.0), 600.0  # [s] of a live run: a piece, all of it
TO_READ, TO_DERIVE, TO_PLAY, TO_REPORT = 30.0, 30.0, 90.0, 300.0  # [s] that helpers may take
MATRICES = ("M", "C", "c", "g")
STATE = ("arm", "frame", "q", "qd", "qdd")  # what a question about a state has
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
        self.hand = Bench()  # what is compiled for a hand, while the sliders go on
        self._arm: ShownArm | None = None
        self.number = 0  # of the robot
        self.state: State | None = None  # on the screen
        self.played: Played | None = None
        self.loop: Any = None  # where a live loop is
        self.stepping = False  # whether a piece of it is being computed
        self.answers: dict[str, Callable[[Question, Tell], Awaitable[dict[str, Any]]]] = {
            "welcome": self.welcome,
            "robot": self.robot,
            "file": self.file,
            "set": self.set,
            "at": self.at,
            "grip": self.grip,
            "drag": self.drag,
            "solutions": self.solutions,
            "equation": self.equation,
            "law": self.law,
            "play": self.play,
            "live": self.live,
            "script": self.script,
            "export": self.export,
        }

    async def answer(self, question: Question, tell: Tell) -> dict[str, Any]:
        """Return the answer to a question.

        A `QddotError` has words for the page; `Stale` is a question about a robot that is no longer
        there.
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
        self.hand.close()

    @property
    def arm(self) -> ShownArm:
        if self._arm is None:
            raise BadArgument("There is no robot yet. Choose one, or drop a robot file.")
        return self._arm

    # what there is

    async def welcome(self, question: Question, tell: Tell) -> dict[str, Any]:
        from qddot.studio.controlling import law_list, reference_list

        return {
            "is": "welcome",
            "version": version("qddot"),
            "robots": await self.bench.do(self.library.robots),
            "laws": await self.bench.do(law_list),
            "references": await self.bench.do(reference_list),
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
        self._arm, self.state, self.played, self.loop = arm, None, None, None
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
        frame, drawn = self._shown(question)
        answer = await self.bench.do(now, arm, state, frame, *drawn)
        self.state = state
        return answer

    def _shown(self, question: Question) -> tuple[str, tuple[bool, bool]]:
        """Return the frame that a question is about, and what is drawn."""
        frame = frame_name(self.arm.robot, question.text("frame", self.arm.tip))
        return frame, (question.flag("ellipsoid"), question.flag("torques"))

    async def grip(self, question: Question, tell: Tell) -> dict[str, Any]:
        question.only("arm", "frame")
        return await self.hand.do(grip, self.arm, self._shown(question)[0])

    async def drag(self, question: Question, tell: Tell) -> dict[str, Any]:
        question.only(*STATE, "pose", "part", "anywhere", "ellipsoid", "torques")
        arm, state, X = self.arm, state_of(question, self.arm.robot.n), pose_of(question)
        frame, drawn = self._shown(question)
        how = question.choice("part", PARTS), question.flag("anywhere")
        there, told = await self.bench.do(dragged, arm, state, frame, X, *how)
        answer = await self.bench.do(now, arm, there, frame, *drawn)
        self.state = there
        return answer | {"is": "dragged", **told}

    async def solutions(self, question: Question, tell: Tell) -> dict[str, Any]:
        question.only("arm", "frame", "q", "pose", "free", "joint")
        arm, X = self.arm, pose_of(question)
        q = question.numbers("q", arm.robot.n)
        given = question.number("free", -FAR, FAR) if question.has("free") else None
        joint = question.whole("joint", arm.robot.n) if question.has("joint") else None
        return await self.hand.do(solutions, arm, self._shown(question)[0], X, q, given, joint)

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
            arguments: tuple = (arm.now, question.text("name"), question.data())
        elif what == "control":
            arguments = (self._controlled(question),)
        else:
            state, seconds = self._start(question)
            arguments = (arm.now, state.q, state.qd, seconds, question.flag("stops"))
        answer, csv = await self.helpers.ask(
            *(what, *arguments), seconds=TO_PLAY, tell=tell, keep=what != "log"
        )
        if number == self.number:  # else another robot came while this one was simulated
            self.played = Played(csv, arm, what != "log")
        return answer

    async def law(self, question: Question, tell: Tell) -> dict[str, Any]:
        run = self._controlled(question)
        return await self.helpers.ask("law", run, seconds=TO_DERIVE, tell=tell)

    async def live(self, question: Question, tell: Tell) -> dict[str, Any]:
        seconds, number = question.number("seconds", *PIECE), self.number
        if question.flag("again"):
            self.loop = None
        if self.stepping:
            raise BadArgument("A piece of the live run is being computed already.")
        if self.loop is not None and self.loop.t + seconds > LONGEST_LIVE:
            raise BadArgument(f"A live run lasts {LONGEST_LIVE:g} s at most. Start it again.")
        self.stepping = True
        try:
            asked = self._controlled(question), self.loop, seconds
            answer, loop = await self.helpers.ask(
                "live", *asked, seconds=TO_PLAY, tell=tell, knows=("live", id(self))
            )
        finally:
            self.stepping = False
        if number == self.number:
            self.loop = loop
        return answer

    async def script(self, question: Question, tell: Tell) -> dict[str, Any]:
        if question.choice("what", ("drop", "control")) == "control":
            text = controlled_script(self._controlled(question))
        else:
            state, seconds = self._start(question)
            stops = STOP if question.flag("stops") else None
            text = drop_script(self.arm, state.q, state.qd, seconds, stops)
        return {"is": "script", "text": text}

    def _start(self, question: Question) -> tuple[State, float]:
        """Return where a run starts and how long it lasts [s]."""
        state = state_of(question, self.arm.robot.n)
        return state, question.number("duration", SHORTEST, LONGEST)

    def _controlled(self, question: Question) -> Controlled:
        state, seconds = self._start(question)
        return controlled(self.arm, question, state.q, state.qd, seconds)

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


def threaded(tell: Tell) -> Told:
    """Return the same for a thread that does not run the loop."""
    loop = asyncio.get_running_loop()

    def told(text: str, part: float | None = None) -> None:
        asyncio.run_coroutine_threadsafe(tell(text, part), loop)

    return told
