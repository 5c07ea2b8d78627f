"""The robots of a studio: as they were read, as a page changed them, and ready to be computed.

Everything about one state is one program, with gravity and a payload as inputs, so that nothing is
compiled again when a slider changes one of them. Friction is a formula per joint, added outside.
Those that every connection may ask for by name are compiled once for all of them.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.coriolis import coriolis_matrix, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.friction import with_friction_laws
from qddot.dynamics.regroup import aligned
from qddot.dynamics.rnea import gravity_torque, inverse_dynamics
from qddot.errors import BadArgument, NotNumeric, UnknownRobot, printable
from qddot.model.friction import Friction
from qddot.model.tree import BASE, Tree
from qddot.present.figures.arm_scene import ArmScene, arm_scene
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.readers.read import SYMBOLIC, built_in_names, library, read
from qddot.robot import Robot
from qddot.scalars import Scalar
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN
from qddot.spatial.rotation import IDENTITY

MOST_JOINTS = 40  # beyond it compiling takes minutes, and a matrix fits on no screen
KEPT = 6  # compiled robots
HEAVIEST = 1e6  # [kg]
STRONGEST = 1e6  # [m/s²]; a neutron star has more
OUTPUTS = ("M", "C", "c", "g", "tau", "kinetic", "potential")

Told = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Changes:
    """What a page has changed about a robot. None: as the robot has it."""

    gravity: tuple[float, ...] | None = None  # [m/s²]
    frame: str = ""  # that carries the payload
    mass: float = 0.0  # [kg] of the payload
    friction: tuple[tuple[str, tuple[float, ...]], ...] = ()  # by the name of its parameter
    # of what a law takes the arm for alone
    masses: float = 1.0  # a factor
    lengths: float = 1.0

    def applied(self, robot: Robot) -> Robot:
        """Return the changed robot."""
        if (self.masses, self.lengths) != (1.0, 1.0):
            robot = robot.with_scale(self.masses, self.lengths)
        if self.gravity is not None:
            robot = robot.with_gravity(self.gravity)
        if self.mass:
            robot = robot.with_payload(self.frame, self.mass)
        return robot.with_friction(**dict(self.friction)) if self.friction else robot


@dataclass(frozen=True)
class ShownArm:
    """A robot whose kernels are compiled. Frozen: a change makes another, with the same kernels."""

    label: str  # what the page calls it
    robot: Robot  # as it was read, numeric
    exact: Robot  # the same for closed forms: its parameters may be symbols
    tip: str  # the frame at its end
    kernel: Kernel
    kernel_frame: str  # that the kernel's load hangs from
    scene: ArmScene
    home: np.ndarray  # (n,), where it stands while nobody moves it
    changes: Changes = field(default_factory=Changes)
    now: Robot = field(init=False)  # as it is now

    def __post_init__(self) -> None:
        object.__setattr__(self, "now", self.changes.applied(self.robot))

    @property
    def exact_now(self) -> Robot:
        """The robot as it is now, for closed forms."""
        return self.changes.applied(self.exact)

    @property
    def gravity(self) -> np.ndarray:
        """Gravity as it is now [m/s²]."""
        return np.array([float(x) for x in self.now.model.gravity])

    def changed(self, changes: Changes) -> ShownArm:
        """Return the arm with other changes."""
        same = not changes.mass or changes.frame == self.kernel_frame
        kernel = self.kernel if same else state_kernel(self.robot.tree, changes.frame)
        frame = self.kernel_frame if same else changes.frame
        return replace(self, changes=changes, kernel=kernel, kernel_frame=frame)


def make_arm(label: str, robot: Robot, exact: Robot, tell: Told) -> ShownArm:
    """Return a numeric robot with its kernels compiled; `exact` is it for closed forms."""
    check(robot)
    tip = robot.tip
    tell(f"Compiling the equations of motion of {printable(robot.name)}", 0.2)
    kernel = state_kernel(robot.tree, tip)
    robot.pose(np.zeros(robot.n), tip)
    robot.jacobian(np.zeros(robot.n), tip)
    tell(f"Drawing {printable(robot.name)}", 0.7)
    scene, home = arm_scene(robot), robot.start.q if robot.start.given else robot.home
    return ShownArm(label, robot, exact, tip, kernel, tip, scene, home)


def check(robot: Robot) -> None:
    """Refuse a robot that cannot be shown."""
    name = printable(robot.name)
    if robot.symbols:
        raise NotNumeric(f"Robot {name!r}", robot.symbols)
    if not robot.n:
        raise BadArgument(f"Robot {name!r} has no joint that moves, so there is nothing to steer.")
    robot.model.need_single_numbers("The studio")
    if robot.n > MOST_JOINTS:
        raise BadArgument(
            f"Robot {name!r} has {robot.n} joints; the studio shows at most {MOST_JOINTS}.\n"
            "  Lock some (robot.locked), or use it from Python, where there is no such limit."
        )


def state_kernel(tree: Tree, frame: str) -> Kernel:
    """Return a kernel of q, qd, qdd, gravity and load: the mass of a point at a frame [kg].

    It gives M, C, c, g, τ without friction, and both energies, in this order.
    """
    n, short = tree.n, aligned(tree)

    def state(q: Any, qd: Any, qdd: Any, gravity: Any, load: Any) -> dict[str, Any]:
        now = replace(loaded(short, frame, load), gravity=tuple(gravity))
        return {
            "M": mass_matrix(now, q),
            "C": coriolis_matrix(now, q, qd),
            "c": velocity_torque(now, q, qd),
            "g": gravity_torque(now, q),
            "tau": inverse_dynamics(now, q, qd, qdd),
            "kinetic": kinetic_energy(now, q, qd),
            "potential": potential_energy(now, q),
        }

    shapes = {"q": (n,), "qd": (n,), "qdd": (n,), "gravity": (3,), "load": ()}
    kernel = Kernel(optimised(record(state, "state", **shapes)))
    rest = np.zeros(n)
    kernel(rest, rest, rest, np.zeros(3), np.array(0.0))  # which compiles it
    return kernel


def loaded(tree: Tree, frame: str, load: Scalar) -> Tree:
    """Return a tree that carries a mass at a frame and has no friction."""
    tree = with_friction_laws(tree, lambda law: Friction())
    body, X_BF = tree.frame(frame)
    if body == BASE:
        return tree
    point = Inertia(load, ORIGIN, 0 * IDENTITY).seen_from(X_BF)
    bodies = list(tree.bodies)
    bodies[body] = replace(bodies[body], inertia=bodies[body].inertia + point)
    return replace(tree, bodies=tuple(bodies))


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
