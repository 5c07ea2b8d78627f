"""A robot with every field that a TOML file can have, and the smallest robot there is."""

import math
import tomllib
from pathlib import Path

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

FULL = Path(__file__).with_name("full.toml").read_text(encoding="utf-8")

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
