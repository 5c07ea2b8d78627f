"""The equations of motion of fixed-base robot arms: derived, proved, compiled, simulated.

What `dir(qddot)` shows, and what `dir` shows of each package there, is public.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot import (
        certificate as certificate,
        control as control,
        doctor as doctor,
        dynamics as dynamics,
        equations as equations,
        errors as errors,
        exporting as exporting,
        formulations as formulations,
        identification as identification,
        model as model,
        motions as motions,
        plot as plot,
        program as program,
        simulation as simulation,
        spatial as spatial,
        studio as studio,
        sweeps as sweeps,
        workspace as workspace,
    )
    from qddot.backends.kernel import Kernel as Kernel
    from qddot.certificate import Certificate as Certificate, certify as certify
    from qddot.equations import derive as derive, prove as prove
    from qddot.errors import (
        IdentificationWarning as IdentificationWarning,
        Interrupted as Interrupted,
        QddotError as QddotError,
        QddotWarning as QddotWarning,
        RobotWarning as RobotWarning,
        SimulationWarning as SimulationWarning,
        TooLarge as TooLarge,
    )
    from qddot.exporting import export as export
    from qddot.identification import (
        Log as Log,
        excite as excite,
        identifiable as identifiable,
        identify as identify,
        load_log as load_log,
    )
    from qddot.model import Model as Model
    from qddot.program import Program as Program, record as record
    from qddot.present.report.report import report as report
    from qddot.readers.solids import inertia_of as inertia_of
    from qddot.robot import (
        Robot as Robot,
        from_dh as from_dh,
        from_screws as from_screws,
        load as load,
        show as show,
    )
    from qddot.robot.functions import (
        to_casadi as to_casadi,
        to_cuda as to_cuda,
        to_jax as to_jax,
        to_torch as to_torch,
    )
    from qddot.simulation import (
        Samples as Samples,
        Trajectory as Trajectory,
        Watch as Watch,
        rollout as rollout,
        simulate as simulate,
    )
    from qddot.speed import bench as bench
    from qddot.sweeps import Sweep as Sweep, load_sweep as load_sweep, sweep as sweep

__version__ = "0.2.0"

# imports take a while, so these come when they are first asked for
__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.backends.kernel": "Kernel",
        "qddot.certificate": "Certificate certify",
        "qddot.equations": "derive prove",
        "qddot.errors": (
            "IdentificationWarning Interrupted QddotError QddotWarning RobotWarning "
            "SimulationWarning TooLarge"
        ),
        "qddot.exporting": "export",
        "qddot.identification": "Log excite identifiable identify load_log",
        "qddot.model": "Model",
        "qddot.program": "Program record",
        "qddot.present.report.report": "report",
        "qddot.readers.solids": "inertia_of",
        "qddot.robot": "Robot from_dh from_screws load show",
        "qddot.robot.functions": "to_casadi to_cuda to_jax to_torch",
        "qddot.simulation": "Samples Trajectory Watch rollout simulate",
        "qddot.speed": "bench",
        "qddot.sweeps": "Sweep load_sweep sweep",
    },
    "certificate control doctor dynamics equations errors exporting formulations identification "
    "model motions plot program simulation spatial studio sweeps workspace",
)
