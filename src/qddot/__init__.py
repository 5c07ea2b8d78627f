"""The equations of motion of any robot arm: derived exactly, proved, compiled, simulated."""

from qddot.errors import QddotError
from qddot.model import Model
from qddot.robot import Robot, from_dh, load

__all__ = ["Model", "QddotError", "Robot", "from_dh", "load"]
__version__ = "0.1.0"
