"""The robots that every connection may ask for by name, compiled once for all of them."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

from qddot.errors import BadArgument, UnknownRobot
from qddot.readers.read import SYMBOLIC, built_in_names, library, read
from qddot.robot import Robot
from qddot.studio.arm import ShownArm, Told, check, make_arm

KEPT = 6  # compiled robots


class Library:
    """The built-in robots, and the one that the studio was started with."""

    def __init__(self, given: str | Path | Robot | None = None):
        self.label: str | None = None  # of the robot given
        self.given: Robot | None = None
        if isinstance(given, Robot):
            self.label, self.given = given.name, given
        elif given is not None:
            name = str(given)
            known = name in built_in_names()
            self.label = name if known else os.path.basename(name)
            self.given = None if known else Robot(read(given))
        if self.given is not None:
            check(self.given)
        self.arms: OrderedDict[str, ShownArm] = OrderedDict()
        self.lock = threading.Lock()
        self.at_work: dict[str, threading.Lock] = {}  # who wants the same robot, waits for it
        self.list: list[dict[str, str]] = []

    def robots(self) -> list[dict[str, str]]:
        """Return names and descriptions of what there is."""
        if not self.list:
            found = [read(name) for name in library()]
            words = {model.name: model.description for model in found}
            first = []
            if self.given is not None and self.label is not None:
                first = [{"name": self.label, "description": self.given.model.description}]
            self.list = first + [
                {"name": name, "description": words.get(name.removesuffix(SYMBOLIC), "")}
                for name in built_in_names()
                if name != self.label or self.given is None
            ]
        return self.list

    def arm(self, name: str, tell: Told) -> ShownArm:
        """Return a robot of the library, compiled."""
        if name != self.label and name not in built_in_names():  # a file is dropped, never named
            raise UnknownRobot(name, built_in_names())
        with self.lock:
            own = self.at_work.setdefault(name, threading.Lock())
        with own:
            arm = self.arms.get(name) or self._made(name, tell)
            with self.lock:
                self.arms[name] = arm
                self.arms.move_to_end(name)
                while len(self.arms) > KEPT:
                    self.arms.popitem(last=False)
            return arm

    def _made(self, name: str, tell: Told) -> ShownArm:
        if self.given is not None and name == self.label:
            return make_arm(name, self.given, self.given, tell)
        exact = Robot(read(name))
        robot = exact
        if exact.symbols:  # numbers are those of its numeric twin
            robot = Robot(read(name.removesuffix(SYMBOLIC)))
        if robot.symbols:
            raise BadArgument(f"{name} has symbols without a value: {', '.join(robot.symbols)}.")
        return make_arm(name, robot, exact, tell)
