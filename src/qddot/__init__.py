"""The equations of motion of fixed-base robot arms: derived, proved, compiled, simulated."""

from typing import TYPE_CHECKING

import qddot.moved  # noqa: F401  # old names of modules
from qddot.on_demand import on_demand

if TYPE_CHECKING:
    # the rooms
    from qddot import (  # noqa: F401
        certificate,
        control,
        doctor,
        dynamics,
        equations,
        errors,
        exporting,
        formulations,
        identification,
        model,
        plot,
        program,
        simulation,
        spatial,
        studio,
        sweeps,
    )
    from qddot.backends.kernel import Kernel
    from qddot.certificate.certificate import Certificate, certify
    from qddot.equations.derive import derive
    from qddot.equations.proofs import prove
    from qddot.errors import QddotError
    from qddot.exporting.bundle import load_bundle
    from qddot.exporting.export import export
    from qddot.identification.base_parameters import identifiable
    from qddot.identification.excitation import excite
    from qddot.identification.identify import identify
    from qddot.identification.log import Log, load_log
    from qddot.model import Model
    from qddot.present.report.report import report
    from qddot.program import Program, record
    from qddot.robot import Robot, RobotWarning, from_dh, load
    from qddot.robot.casadi import to_casadi
    from qddot.robot.cuda import to_cuda
    from qddot.robot.jax import to_jax
    from qddot.robot.torch import to_torch
    from qddot.simulation.rollout import rollout
    from qddot.simulation.run import Watch
    from qddot.simulation.signals import Samples
    from qddot.simulation.simulate import Interrupted, SimulationWarning, simulate
    from qddot.simulation.trajectory import Trajectory
    from qddot.sweeps.result import Sweep, load_sweep
    from qddot.sweeps.sweep import sweep

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
    "Sweep",
    "Trajectory",
    "Watch",
    "certify",
    "derive",
    "excite",
    "export",
    "from_dh",
    "identifiable",
    "identify",
    "load",
    "load_bundle",
    "load_log",
    "load_sweep",
    "prove",
    "record",
    "report",
    "rollout",
    "simulate",
    "sweep",
    "to_casadi",
    "to_cuda",
    "to_jax",
    "to_torch",
]
__version__ = "0.1.0"

# packages that people import from; dir(qddot) shows them beside the names above
ROOMS = (
    *("certificate", "control", "doctor", "dynamics", "equations", "errors", "exporting"),
    *("formulations", "identification", "model", "plot", "program", "simulation", "spatial"),
    *("studio", "sweeps"),
)
# imports take a while, so these come when they are first asked for
LATER = {
    "load": "qddot.robot",
    "from_dh": "qddot.robot",
    "Robot": "qddot.robot",
    "RobotWarning": "qddot.robot",
    "Model": "qddot.model",
    "Program": "qddot.program",
    "record": "qddot.program",
    "Kernel": "qddot.backends.kernel",
    "QddotError": "qddot.errors",
    "certify": "qddot.certificate.certificate",
    "Certificate": "qddot.certificate.certificate",
    "derive": "qddot.equations.derive",
    "prove": "qddot.equations.proofs",
    "excite": "qddot.identification.excitation",
    "export": "qddot.exporting.export",
    "identifiable": "qddot.identification.base_parameters",
    "identify": "qddot.identification.identify",
    "load_bundle": "qddot.exporting.bundle",
    "load_log": "qddot.identification.log",
    "Log": "qddot.identification.log",
    "simulate": "qddot.simulation.simulate",
    "Interrupted": "qddot.simulation.simulate",
    "SimulationWarning": "qddot.simulation.simulate",
    "Samples": "qddot.simulation.signals",
    "Watch": "qddot.simulation.run",
    "Trajectory": "qddot.simulation.trajectory",
    "report": "qddot.present.report.report",
    "rollout": "qddot.simulation.rollout",
    "sweep": "qddot.sweeps.sweep",
    "load_sweep": "qddot.sweeps.result",
    "Sweep": "qddot.sweeps.result",
    "to_cuda": "qddot.robot.cuda",
    "to_torch": "qddot.robot.torch",
    "to_jax": "qddot.robot.jax",
    "to_casadi": "qddot.robot.casadi",
}


__getattr__, __dir__ = on_demand(__name__, LATER, ROOMS)
