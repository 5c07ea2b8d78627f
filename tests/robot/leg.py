"""A planar arm with friction, a state of it, and what can be asked of it."""

from inspect import getfullargspec
from typing import Any

import numpy as np

from qddot import Robot, from_dh
from qddot.robot.kernels import compiled

QUANTITIES = {
    name: [a for a in getfullargspec(what.method).args if a in ("q", "qd", "qdd", "tau")]
    for name, what in vars(Robot).items()
    if isinstance(what, compiled)
}


def two_links(**more: Any) -> Robot:
    """Return a planar arm with friction, a motor and a load to take away."""
    rows = [
        {"a": 1.0, "mass": 2.0, "com": [-0.5, 0, 0], "inertia": [0.01, 0.2, 0.2], "name": "hip"},
        {"a": 0.8, "mass": 1.5, "com": [-0.4, 0, 0], "inertia": [0.01, 0.1, 0.1], "name": "knee"},
    ]
    arm = from_dh(rows, "standard", name="leg", gravity=(0, -9.81, 0), **more)
    return arm.with_friction(viscous=[0.5, 0.3], coulomb=0.1)


LEG = two_links()
HIP, KNEE = LEG.joint_names
TIP = LEG.frame_names[-1]
SYMBOLIC = from_dh([{"a": "L1", "mass": "m1", "com": [-0.5, 0, 0]}], "standard", name="pendulum")
Q, QD, QDD = np.array([0.3, -0.7]), np.array([1.0, 0.5]), np.array([-0.2, 2.0])
STATE = {"q": Q, "qd": QD, "qdd": QDD, "tau": QDD}
