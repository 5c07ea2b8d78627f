"""Exciting motions as controllers take them: URScript, and a trajectory of ROS 2.

No name of a robot or joint stands in a program; ROS 2 needs the names of joints, as quoted text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.excitation_result import Excitation

LOOK_AHEAD, GAIN = 0.1, 300  # of servoj: [s], and how stiffly it follows
APPROACH = "a=0.5, v=0.3"  # [rad/s², rad/s], on the way to the start
UR_JOINTS = 6


def urscript(motion: Excitation, rate: float, periods: int) -> str:
    """Return a program for a Universal Robots controller: to the start, then point by point.

    Args:
        motion: Of an arm with six joints that turn.
        rate: Points per second [Hz]; 125 suits every controller, 500 those of the e-Series.
        periods: How often the motion is repeated.
    """
    if motion.n != UR_JOINTS or set(motion.units) != {"rad"}:
        raise BadArgument(
            f"URScript moves six joints that turn, and this motion has {motion.n}, in "
            f"{', '.join(dict.fromkeys(motion.units))}.\n  Save it as .csv or .yaml."
        )
    t = motion.times(rate)[1:]
    lines = [
        f"# an exciting motion: {periods} x {motion.period:g} s, {rate:g} points per second",
        "# check the way to the start, and run it slowly first (speed slider)",
        "def exciting_motion():",
        f"  movej({_row(motion.at(0.0)[0])}, {APPROACH})",
        "  turn = 0",
        f"  while turn < {periods}:",
        *(
            f"    servoj({_row(q)}, 0, 0, {1 / rate:.6g}, {LOOK_AHEAD:g}, {GAIN})"
            for q in motion.at(t)[0]
        ),
        "    turn = turn + 1",
        "  end",
        "  stopj(1.0)",
        "end",
        "exciting_motion()",
    ]
    return "\n".join(lines) + "\n"


def ros2_trajectory(motion: Excitation, rate: float, periods: int) -> str:
    """Return a trajectory_msgs/msg/JointTrajectory as YAML, for ros2_control.

    Its controller puts a quintic between two points, by position, velocity and acceleration.
    """
    t = motion.times(rate, periods)
    lines = [
        "# trajectory_msgs/msg/JointTrajectory; the arm must be at the first point. To send it:",
        "# ros2 topic pub --once /joint_trajectory_controller/joint_trajectory "
        'trajectory_msgs/msg/JointTrajectory "$(cat FILE)"',
        f"joint_names: {json.dumps(list(motion.joint_names))}",
        "points:",
    ]
    for at, q, qd, qdd in zip(t, *motion.at(t), strict=True):
        nanoseconds = round(float(at) * 1e9)
        lines += [
            f"- positions: {_row(q)}",
            f"  velocities: {_row(qd)}",
            f"  accelerations: {_row(qdd)}",
            f"  time_from_start: {{sec: {nanoseconds // 10**9}, nanosec: {nanoseconds % 10**9}}}",
        ]
    return "\n".join(lines) + "\n"


def _row(values: np.ndarray | Sequence[float]) -> str:
    """Return numbers in brackets, to a millionth; YAML knows no 1e-05 and no robot needs -0."""
    return "[" + ", ".join(f"{round(float(x), 6) + 0.0:.6f}" for x in values) + "]"


# by ending: what writes it, and how many points per second unless told
PROGRAMS = {
    ".script": (urscript, 125.0),
    ".urscript": (urscript, 125.0),
    ".yaml": (ros2_trajectory, 20.0),
    ".yml": (ros2_trajectory, 20.0),
}
