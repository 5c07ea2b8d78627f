"""The equations of motion of any robot arm: derived exactly, proved, compiled, simulated."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qddot.backends.kernel import Kernel
from qddot.errors import QddotError
from qddot.model import Model
from qddot.program import Program, record
from qddot.robot import Robot, RobotWarning, from_dh, load

if TYPE_CHECKING:
    from qddot.certificate.certificate import Certificate, certify
    from qddot.equations.derive import derive
    from qddot.equations.proofs import prove
    from qddot.identification.base_parameters import identifiable
    from qddot.identification.excitation import excite
    from qddot.identification.identify import identify
    from qddot.identification.log import Log, load_log
    from qddot.simulation.rollout import rollout
    from qddot.simulation.run import Watch
    from qddot.simulation.signals import Samples
    from qddot.simulation.simulate import Interrupted, SimulationWarning, simulate
    from qddot.simulation.trajectory import Trajectory

__all__ = [
    "Certificate",
    "Interrupted",
    "Kernel",
    "Log",
    "Model",
    "Program",
    "QddotError",
    "Robot",
    "RobotWarning",
    "Samples",
    "SimulationWarning",
    "Trajectory",
    "Watch",
    "certify",
    "derive",
    "excite",
    "from_dh",
    "identifiable",
    "identify",
    "load",
    "load_log",
    "prove",
    "record",
    "rollout",
    "simulate",
]
__version__ = "0.1.0"

# exact algebra and solvers take a while to import, so these come when they are first asked for
LATER = {
    "certify": "qddot.certificate.certificate",
    "Certificate": "qddot.certificate.certificate",
    "derive": "qddot.equations.derive",
    "prove": "qddot.equations.proofs",
    "excite": "qddot.identification.excitation",
    "identifiable": "qddot.identification.base_parameters",
    "identify": "qddot.identification.identify",
    "load_log": "qddot.identification.log",
    "Log": "qddot.identification.log",
    "simulate": "qddot.simulation.simulate",
    "Interrupted": "qddot.simulation.simulate",
    "SimulationWarning": "qddot.simulation.simulate",
    "Samples": "qddot.simulation.signals",
    "Watch": "qddot.simulation.run",
    "Trajectory": "qddot.simulation.trajectory",
    "rollout": "qddot.simulation.rollout",
}


def __getattr__(name: str) -> Any:
    if name == "control":  # the one room that people import from by its name
        return import_module("qddot.control")
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    raise AttributeError(f"module 'qddot' has no attribute {name!r}")
