"""Control laws, one per file: what each does, what it relies on, and why it is stable."""

from qddot.control.laws.adaptive_slotine_li import AdaptiveSlotineLi
from qddot.control.laws.approximate_jacobian import AdaptiveApproximateJacobian, ApproximateJacobian
from qddot.control.laws.assumption import Assumption
from qddot.control.laws.cartesian_impedance import CartesianImpedance
from qddot.control.laws.computed_torque import ComputedTorque
from qddot.control.laws.feed_forward import FeedForwardPD
from qddot.control.laws.joint_impedance import JointImpedance
from qddot.control.laws.law import ControlLaw
from qddot.control.laws.momentum_observer import MomentumObserver
from qddot.control.laws.operational_space import OperationalSpace
from qddot.control.laws.pd import PD
from qddot.control.laws.pd_gravity import PDGravity
from qddot.control.laws.robust import RobustSaturated
from qddot.control.laws.slotine_li import SlotineLi
from qddot.control.laws.task_tracking import TaskTracking

__all__ = [
    "PD",
    "AdaptiveApproximateJacobian",
    "AdaptiveSlotineLi",
    "ApproximateJacobian",
    "Assumption",
    "CartesianImpedance",
    "ComputedTorque",
    "ControlLaw",
    "FeedForwardPD",
    "JointImpedance",
    "MomentumObserver",
    "OperationalSpace",
    "PDGravity",
    "RobustSaturated",
    "SlotineLi",
    "TaskTracking",
]
