"""Control: where an arm should go, laws that take it there, and why they do.

from qddot.control import ComputedTorque, Quintic, closed_loop
"""

from qddot.control import laws, references
from qddot.control.closed_loop import ClosedLoop, closed_loop
from qddot.control.laws import (
    PD,
    AdaptiveApproximateJacobian,
    AdaptiveSlotineLi,
    ApproximateJacobian,
    CartesianImpedance,
    ComputedTorque,
    ControlLaw,
    FeedForwardPD,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.control.references import (
    AlongPath,
    CartesianArc,
    CartesianLine,
    Fourier,
    Path,
    Quintic,
    Reference,
    SCurve,
    Setpoint,
    TaskReference,
    TimeOptimal,
    Trapezoidal,
    check_limits,
    time_optimal,
)
from qddot.on_demand import on_demand

__all__ = [
    "PD",
    "AdaptiveApproximateJacobian",
    "AdaptiveSlotineLi",
    "AlongPath",
    "ApproximateJacobian",
    "CartesianArc",
    "CartesianImpedance",
    "CartesianLine",
    "ClosedLoop",
    "ComputedTorque",
    "ControlLaw",
    "FeedForwardPD",
    "Fourier",
    "JointImpedance",
    "MomentumObserver",
    "OperationalSpace",
    "PDGravity",
    "Path",
    "Quintic",
    "Reference",
    "RobustSaturated",
    "SCurve",
    "Setpoint",
    "SlotineLi",
    "TaskReference",
    "TimeOptimal",
    "Trapezoidal",
    "check_limits",
    "closed_loop",
    "laws",
    "references",
    "time_optimal",
]
__getattr__, __dir__ = on_demand(__name__, {}, ("report", "wrong_model"))
