"""What a page needs to move a robot by itself: its kernels in JavaScript, and plain data.

The programs are those that are compiled for this robot elsewhere, lowered to another language; the
page's scripts do what `ArmScene` does with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.backends.javascript import javascript
from qddot.present.figures import style
from qddot.present.figures.arm_scene import EFFECTIVE, FLAT, PULL, ArmScene, arm_scene, pale, plain
from qddot.present.figures.ellipses import LONGEST
from qddot.program.program import Program
from qddot.robot import Robot

MOST_OPERATIONS = 40_000  # of all programs together: about a megabyte of JavaScript
FAST = {True: np.pi, False: 0.5}  # [rad/s], [m/s], where its rate has none
QUANTITIES = (
    *("mass_matrix", "gravity_torque", "potential_energy", "kinetic_energy"),
    *("forward_dynamics", "friction_torque", "velocity_torque"),
)


@dataclass(frozen=True)
class Live:
    """A robot that a page computes with."""

    script: str  # defines KERNELS: functions by the names of quantities
    data: dict[str, Any]
    kernels: tuple[str, ...]


def live_of(robot: Robot) -> Live:
    """Return the robot as JavaScript: as many of its kernels as a page bears.

    Args:
        robot: Whose parameters are numbers.
    """
    scene = arm_scene(robot)
    functions, room = {}, MOST_OPERATIONS
    for name, program in programs(robot, scene):
        room -= len(program)
        if room < 0:
            break
        functions[name] = javascript(program)
    written = ",\n".join(f"{name}: {source}" for name, source in functions.items())
    data = {
        "joints": [joint_facts(robot, i) for i in range(robot.n)],
        "home": robot.home.tolist(),
        "scene": scene_facts(scene),
    }
    return Live(f"const KERNELS = {{\n{written}\n}};\n", data, tuple(functions))


def programs(robot: Robot, scene: ArmScene) -> Iterator[tuple[str, Program]]:
    """Yield the programs of a page, those that it needs most first."""
    yield "points", scene.skeleton.kernel.program
    yield "poses", scene.poses.program
    for quantity in QUANTITIES:
        yield quantity, robot.program(quantity)
    yield "tip_pose", robot.program("pose", frame=robot.tip)
    yield "mobility", robot.program("inverse_effective_mass", frame=robot.tip, axes="linear")
    yield "coriolis_matrix", robot.program("coriolis_matrix")


def joint_facts(robot: Robot, i: int) -> dict[str, Any]:
    """Return what a slider needs to know of a joint."""
    limits, joint = robot.limits, robot.model.free_joints[i]
    low, high = (float(end[i]) for end in limits.span())
    fast = float(limits.velocity[i])
    return {
        "turns": joint.turns,
        "unit": joint.units.position,
        "low": low,
        "high": high,
        "fast": fast if 0 < fast < np.inf else FAST[joint.turns],
        "limited": (low, high) == (limits.lower[i], limits.upper[i]),
    }


def scene_facts(scene: ArmScene) -> dict[str, Any]:
    """Return what of a scene is the same at every q."""
    return {
        "still": scene.still(),
        "lines": [list(line) for line in scene.skeleton.lines],
        "joints": [
            {
                "point": joint.point,
                "index": joint.index,
                "turns": joint.turns,
                "effort": scene.robot.model.joint(joint.name).units.effort,
                "colour": style.colour(joint.index),
                "pale": pale(style.colour(joint.index)),
                "label": f"q{joint.index + 1}",
            }
            for joint in scene.skeleton.joints
        ],
        "axes": plain(scene.axes),
        "centres": plain(scene.centres),
        "halves": plain(scene.halves),
        "heaviest": [float(x) for x in scene.heaviest],
        "massScale": scene.reach_of_mass,
        "thinnest": FLAT * scene.size,
        "longest": LONGEST * scene.size,
        "effective": EFFECTIVE,
        "pull": PULL,
    }
