"""The equations of motion of any robot arm: derived exactly, proved, compiled, simulated."""

from qddot.backends.kernel import Kernel
from qddot.errors import QddotError
from qddot.model import Model
from qddot.program import Program, record
from qddot.robot import Robot, RobotWarning, from_dh, load

__all__ = [
    "Kernel",
    "Model",
    "Program",
    "QddotError",
    "Robot",
    "RobotWarning",
    "from_dh",
    "load",
    "record",
]
__version__ = "0.1.0"
