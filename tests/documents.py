"""A robot with every field that a TOML file can have, and the smallest robot there is."""

import math
import tomllib

from qddot.model import (
    Coupling,
    Frame,
    Friction,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    Model,
    Motor,
    Payload,
    Placement,
    Spring,
)
from qddot.readers.document import read_document
from qddot.readers.toml import line_finder
from qddot.scalars.expressions import PI_EXPRESSION, symbol

pi = PI_EXPRESSION

FULL = """\
name = "full"
description = "everything"
source = "a test"
licence = "none"
gravity = [0, "-g", 0]

[[link]]
name = "base"
mass = 3

[[link]]
name = "arm"
mass = "m"
com = [0.1, "c", 0]
inertia = [0.2, 0.01, 0.02, 0.3, 0.03, 0.4]
inertia_rpy = [0, "pi/2", 0]

[[link]]
name = "hand"
mass = 0.5
inertia = [0.2, 0.3, 0.4]

[[joint]]
name = "shoulder"
type = "revolute"
parent = "base"
child = "arm"
xyz = [0, 0, "h"]
rpy = [0, 0, "90*deg"]
axis = [0, 1, 0]
limits = { lower = -1, upper = "pi", velocity = 2.5, effort = 80 }
friction = { viscous = 0.1, coulomb = 0.2, static = 0.3, stribeck_velocity = 0.01, offset = -0.1 }
motor = { rotor_inertia = 2e-4, gear = 100 }
spring = { stiffness = 5, rest = 0.2 }

[[joint]]
name = "wrist"
type = "P"
parent = "arm"
child = "hand"
quaternion = [1, 0, 0, 1]
axis = [0, 0, 1]
mimic = { joint = "shoulder", multiplier = -2, offset = 0.5 }
locked = 0.25

[[frame]]
name = "tip"
link = "hand"
xyz = [0, 0, 0.1]

[[payload]]
frame = "tip"
mass = 2
com = [0, 0, 0.05]

[[coupling]]
joints = ["shoulder", "wrist"]
stiffness = 7
damping = 0.5
rest = 0.1
"""

EXPECTED = Model(
    "full",
    links=(
        Link("base", Inertial(3)),
        Link(
            "arm",
            Inertial(
                symbol("m"),
                (0.1, symbol("c"), 0),
                (0.2, 0.01, 0.02, 0.3, 0.03, 0.4),
                (0, pi / 2, 0),
            ),
        ),
        Link("hand", Inertial(0.5, inertia=(0.2, 0, 0, 0.3, 0, 0.4))),
    ),
    joints=(
        Joint(
            *("shoulder", "revolute", "base", "arm"),
            origin=Placement((0, 0, symbol("h")), (0, 0, pi / 2)),
            axis=(0, 1, 0),
            limits=Limits(-1, pi, 2.5, 80),
            friction=Friction(0.1, 0.2, 0.3, 0.01, -0.1),
            motor=Motor(2e-4, 100),
            spring=Spring(5, 0.2),
        ),
        Joint(
            *("wrist", "prismatic", "arm", "hand"),
            origin=Placement((0, 0, 0), (0, 0, math.pi / 2)),
            axis=(0, 0, 1),
            mimic=Mimic("shoulder", -2, 0.5),
            locked=0.25,
        ),
    ),
    frames=(Frame("tip", "hand", Placement((0, 0, 0.1))),),
    couplings=(Coupling(("shoulder", "wrist"), 7, 0.5, 0.1),),
    payloads=(Payload("tip", Inertial(2, (0, 0, 0.05))),),
    gravity=(0, -symbol("g"), 0),
    description="everything",
    source="a test",
    licence="none",
)
SMALLEST = """\
[[link]]
name = "arm"
[[joint]]
name = "j"
type = "continuous"
parent = "base"
child = "arm"
"""


def read_text(text: str, name: str = "robot") -> Model:
    """Return the robot of a TOML text."""
    return read_document(tomllib.loads(text), name, line_finder(text))
