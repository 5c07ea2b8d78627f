"""The object users hold: a model bound to its compiled kernels."""

from qddot.robot.robot import Robot, RobotWarning, from_dh, load

__all__ = ["Robot", "RobotWarning", "from_dh", "load"]
