"""Where an arm should be at every instant: one family of motions a file."""

from qddot.control.references.cartesian import CartesianArc, CartesianLine
from qddot.control.references.fastest import TimeOptimal, time_optimal
from qddot.control.references.fourier import Fourier
from qddot.control.references.limits import check_limits
from qddot.control.references.path import AlongPath, Path
from qddot.control.references.quintic import Quintic
from qddot.control.references.reference import Reference, TaskReference
from qddot.control.references.setpoint import Setpoint
from qddot.control.references.straight import SCurve, Trapezoidal

__all__ = [
    "AlongPath",
    "CartesianArc",
    "CartesianLine",
    "Fourier",
    "Path",
    "Quintic",
    "Reference",
    "SCurve",
    "Setpoint",
    "TaskReference",
    "TimeOptimal",
    "Trapezoidal",
    "check_limits",
    "time_optimal",
]
