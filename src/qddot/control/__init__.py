"""Control: references of arms, laws that follow them, and their stability proofs.

from qddot.control import ComputedTorque, Quintic, closed_loop

`qddot.control(robot, law, ...)` is `closed_loop`, as `qddot control` is on the command line.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.control import laws as laws
    from qddot.control.laws import *
    from qddot.control.laws.adaptive_slotine_li import balanced as balanced
    from qddot.control.laws.feedback import JointLaw as JointLaw, TaskLaw as TaskLaw
    from qddot.control.laws.saturation import SATURATIONS as SATURATIONS
    from qddot.control.loop import (
        ClosedLoop as ClosedLoop,
        InterruptedLoop as InterruptedLoop,
        closed_loop as closed_loop,
    )
    from qddot.control.report import Report as Report
    from qddot.control.tasks import *
    from qddot.control.laws.assumption import wrong_model as wrong_model
    from qddot.motions import *

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.control.laws": (
            "PD AdaptiveApproximateJacobian AdaptiveSlotineLi ApproximateJacobian Assumption "
            "CartesianImpedance ComputedTorque ControlLaw FeedForwardPD JointImpedance "
            "MomentumObserver OperationalSpace PDGravity RobustSaturated SlotineLi TaskTracking"
        ),
        "qddot.control.laws.adaptive_slotine_li": "balanced",
        "qddot.control.laws.feedback": "JointLaw TaskLaw",
        "qddot.control.laws.saturation": "SATURATIONS",
        "qddot.control.loop": "ClosedLoop InterruptedLoop closed_loop",
        "qddot.control.report": "Report",
        "qddot.control.tasks": "ComTask FollowedTasks FrameTask PostureTask TaskVelocity",
        "qddot.control.laws.assumption": "wrong_model",
        "qddot.motions": (
            "AlongPath CartesianArc CartesianBlend CartesianLine CartesianScrew Fourier Move Path "
            "Quintic Reference Repeated SCurve Setpoint Spline TaskReference TimeOptimal "
            "TimedPaths Trapezoidal blended check_limits joints_through time_optimal "
            "time_optimal_batch"
        ),
    },
    "laws",
    verb="closed_loop",
)
