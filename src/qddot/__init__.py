"""The equations of motion of any robot arm: derived exactly, proved, compiled, simulated."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qddot.backends.kernel import Kernel
from qddot.errors import QddotError
from qddot.model import Model
from qddot.program import Program, record
from qddot.robot import Robot, RobotWarning, from_dh, load

if TYPE_CHECKING:
    from qddot.equations.derive import derive
    from qddot.equations.proofs import prove

__all__ = [
    "Kernel",
    "Model",
    "Program",
    "QddotError",
    "Robot",
    "RobotWarning",
    "derive",
    "from_dh",
    "load",
    "prove",
    "record",
]
__version__ = "0.1.0"

# exact algebra takes a while to import, so these come when they are first asked for
LATER = {"derive": "qddot.equations.derive", "prove": "qddot.equations.proofs"}


def __getattr__(name: str) -> Any:
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    raise AttributeError(f"module 'qddot' has no attribute {name!r}")
