"""Six-dimensional algebra of rigid bodies: vectors, rotations, poses, inertias. Knows no robots."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.spatial import inertia as inertia
    from qddot.spatial.inertia import Inertia as Inertia, euler as euler, from_euler as from_euler
    from qddot.spatial.pose import Pose as Pose
    from qddot.spatial.rotation import (
        about_axis as about_axis,
        from_quaternion as from_quaternion,
        from_rpy as from_rpy,
        to_rpy as to_rpy,
    )
    from qddot.spatial.vector import (
        cross as cross,
        cross_force as cross_force,
        cross_motion as cross_motion,
        join as join,
        skew as skew,
        split as split,
    )
    from qddot.spatial.moments import Moments as Moments

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.spatial.inertia": "Inertia euler from_euler",
        "qddot.spatial.pose": "Pose",
        "qddot.spatial.rotation": "about_axis from_quaternion from_rpy to_rpy",
        "qddot.spatial.vector": "cross cross_force cross_motion join skew split",
        "qddot.spatial.moments": "Moments",
    },
    "inertia",
)
