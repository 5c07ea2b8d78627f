"""The object users hold: a model bound to its compiled kernels."""

from qddot.errors import RobotWarning
from qddot.robot.linearisation import Linearisation, Mode
from qddot.robot.loading import from_dh, from_screws, load, robot_of
from qddot.robot.robot import Robot
from qddot.robot.robot_frame import RobotFrame
from qddot.robot.terms import AllTerms, FrameTerms
from qddot.robot.loading import show

__all__ = [
    "AllTerms",
    "FrameTerms",
    "Linearisation",
    "Mode",
    "Robot",
    "RobotFrame",
    "RobotWarning",
    "from_dh",
    "from_screws",
    "load",
    "robot_of",
    "show",
]
