"""What a page is told about a robot when it is opened or changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import printable
from qddot.studio.arm import SLIDERS, Arm

MOST_WARNINGS = 20


def robot_facts(arm: Arm) -> dict[str, Any]:
    """Return the answer "robot"."""
    robot, model = arm.now, arm.now.model
    limits = robot.limits
    span = np.stack(limits.span(), axis=-1).tolist()
    joints = [
        {
            "name": printable(joint.name),
            "unit": joint.units.position,
            "turns": joint.turns,
            "low": limited(limits.lower[i]),
            "high": limited(limits.upper[i]),
            "span": span[i],
            "velocity": limited(limits.velocity[i]),
            "effort": limited(limits.effort[i]),
        }
        for i, joint in enumerate(model.free_joints)
    ]
    warnings = [str(problem) for problem in robot.warnings]
    more = len(warnings) - MOST_WARNINGS
    return {
        "is": "robot",
        "name": printable(arm.label),
        "description": printable(model.description),
        "n": robot.n,
        "joints": joints,
        "frames": list(robot.frame_names),
        "tip": arm.tip,
        "gravity": arm.gravity,
        "mass": float(robot.mass),
        "payload": {"frame": arm.changes.frame or arm.tip, "mass": arm.changes.mass},
        "friction": {
            name: [float(getattr(joint.friction, name)) for joint in model.free_joints]
            for name in SLIDERS
        },
        "symbolic": bool(arm.exact.symbols),
        "warnings": warnings[:MOST_WARNINGS] + ([f"... and {more} more"] if more > 0 else []),
        "q": arm.home,
        "scene_still": arm.scene.still(),
    }


def limited(x: float) -> float | None:
    """Return a limit, None where there is none."""
    return float(x) if np.isfinite(x) else None
