"""The robot of a connection: as it was read, as it was changed, and ready to be computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.errors import BadArgument, NotNumeric, printable
from qddot.model.friction import LINEAR
from qddot.present.figures.arm_scene import ArmScene, arm_scene
from qddot.robot import Robot
from qddot.studio.state_kernel import state_kernel

MOST_JOINTS = 40  # beyond it compiling takes minutes, and a matrix fits on no screen
HEAVIEST = 1e6  # [kg]
STRONGEST = 1e6  # [m/s²]; a neutron star has more

SLIDERS = tuple(p.name for p in LINEAR if p.usual)  # of friction

Told = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Changes:
    """What a page has changed about a robot. None: as the robot has it."""

    gravity: tuple[float, ...] | None = None  # [m/s²]
    frame: str = ""  # that carries the payload
    mass: float = 0.0  # [kg] of the payload
    friction: tuple[tuple[str, tuple[float, ...]], ...] = ()  # by the name of its parameter

    def applied(self, robot: Robot) -> Robot:
        """Return the changed robot."""
        if self.gravity is not None:
            robot = robot.with_gravity(self.gravity)
        if self.mass:
            robot = robot.with_payload(self.frame, self.mass)
        return robot.with_friction(**dict(self.friction)) if self.friction else robot


@dataclass(frozen=True)
class Arm:
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

    def changed(self, changes: Changes) -> Arm:
        """Return the arm with other changes."""
        same = not changes.mass or changes.frame == self.kernel_frame
        kernel = self.kernel if same else state_kernel(self.robot.tree, changes.frame)
        frame = self.kernel_frame if same else changes.frame
        return replace(self, changes=changes, kernel=kernel, kernel_frame=frame)


def make_arm(label: str, robot: Robot, exact: Robot, tell: Told) -> Arm:
    """Return a robot with its kernels compiled.

    Args:
        label: What the page calls it.
        robot: It, numeric.
        exact: It, for closed forms.
        tell: What to do with words about how far the work is.
    """
    check(robot)
    tip = robot.tip
    tell(f"Compiling the equations of motion of {printable(robot.name)}", 0.2)
    kernel = state_kernel(robot.tree, tip)
    robot.pose(np.zeros(robot.n), tip)
    robot.jacobian(np.zeros(robot.n), tip)
    tell(f"Drawing {printable(robot.name)}", 0.7)
    scene, home = arm_scene(robot), robot.home
    return Arm(label, robot, exact, tip, kernel, tip, scene, home)


def check(robot: Robot) -> None:
    """Refuse a robot that cannot be shown."""
    name = printable(robot.name)
    if robot.symbols:
        raise NotNumeric(f"Robot {name!r}", robot.symbols)
    if not robot.n:
        raise BadArgument(f"Robot {name!r} has no joint that moves, so there is nothing to steer.")
    if robot.n > MOST_JOINTS:
        raise BadArgument(
            f"Robot {name!r} has {robot.n} joints; the studio shows at most {MOST_JOINTS}.\n"
            "  Lock some (robot.locked), or use it from Python, where there is no such limit."
        )
