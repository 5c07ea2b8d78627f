"""Where an arm is to be at every instant: q(t), q̇(t), q̈(t) over any scalar, one family per file.

from qddot.motions import Quintic, Fourier, time_optimal
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.motions.cartesian import CartesianArc as CartesianArc, CartesianLine as CartesianLine
    from qddot.motions.cartesian_blend import CartesianBlend as CartesianBlend, blended as blended
    from qddot.motions.cartesian_screw import CartesianScrew as CartesianScrew
    from qddot.motions.fastest import (
        TimedPaths as TimedPaths,
        TimeOptimal as TimeOptimal,
        time_optimal as time_optimal,
        time_optimal_batch as time_optimal_batch,
    )
    from qddot.motions.following import joints_through as joints_through
    from qddot.motions.fourier import Fourier as Fourier
    from qddot.motions.motion import (
        Reference as Reference,
        TaskReference as TaskReference,
        check_limits as check_limits,
    )
    from qddot.motions.path import AlongPath as AlongPath, Path as Path
    from qddot.motions.quintic import Quintic as Quintic, Repeated as Repeated
    from qddot.motions.setpoint import Setpoint as Setpoint
    from qddot.motions.spline import Spline as Spline
    from qddot.motions.straight import Move as Move, SCurve as SCurve, Trapezoidal as Trapezoidal

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.motions.cartesian": "CartesianArc CartesianLine",
        "qddot.motions.cartesian_blend": "CartesianBlend blended",
        "qddot.motions.cartesian_screw": "CartesianScrew",
        "qddot.motions.fastest": "TimeOptimal TimedPaths time_optimal time_optimal_batch",
        "qddot.motions.following": "joints_through",
        "qddot.motions.fourier": "Fourier",
        "qddot.motions.motion": "Reference TaskReference check_limits",
        "qddot.motions.path": "AlongPath Path",
        "qddot.motions.quintic": "Quintic Repeated",
        "qddot.motions.setpoint": "Setpoint",
        "qddot.motions.spline": "Spline",
        "qddot.motions.straight": "Move SCurve Trapezoidal",
    },
)
