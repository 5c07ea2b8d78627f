"""Where an arm is to be at every instant: q(t), q̇(t), q̈(t) over any scalar, one family per file.

from qddot.motions import Quintic, Fourier, time_optimal
"""

from qddot.motions.cartesian import CartesianArc, CartesianLine
from qddot.motions.fastest import TimeOptimal, time_optimal
from qddot.motions.fourier import Fourier
from qddot.motions.limits import check_limits
from qddot.motions.motion import Reference, TaskReference
from qddot.motions.path import AlongPath, Path
from qddot.motions.quintic import Quintic, Repeated
from qddot.motions.setpoint import Setpoint
from qddot.motions.spline import Spline
from qddot.motions.straight import Move, SCurve, Trapezoidal

__all__ = [
    "AlongPath",
    "CartesianArc",
    "CartesianLine",
    "Fourier",
    "Move",
    "Path",
    "Quintic",
    "Reference",
    "Repeated",
    "SCurve",
    "Setpoint",
    "Spline",
    "TaskReference",
    "TimeOptimal",
    "Trapezoidal",
    "check_limits",
    "time_optimal",
]
