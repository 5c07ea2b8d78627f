"""Where a frame gets to, how well it moves there, and where its singular positions are."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.workspace.ellipsoids import (
        FrameEllipsoid as FrameEllipsoid,
        acceleration_ellipsoid as acceleration_ellipsoid,
        force_ellipsoid as force_ellipsoid,
        velocity_ellipsoid as velocity_ellipsoid,
    )
    from qddot.workspace.nearest import (
        NearestSingularity as NearestSingularity,
        nearest_singularity as nearest_singularity,
    )
    from qddot.workspace.reachable_set import Workspace as Workspace, reachable as reachable

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.workspace.ellipsoids": (
            "FrameEllipsoid acceleration_ellipsoid force_ellipsoid velocity_ellipsoid"
        ),
        "qddot.workspace.nearest": "NearestSingularity nearest_singularity",
        "qddot.workspace.reachable_set": "Workspace reachable",
    },
)
