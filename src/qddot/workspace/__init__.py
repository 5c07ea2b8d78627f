"""Where a frame gets to, how well it moves there, and where its singular positions are.

`qddot.workspace(robot, "tool")` is `reachable`.
"""

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
    from qddot.workspace.orientations import Dexterity as Dexterity, dexterity_at as dexterity_at
    from qddot.workspace.places import Workspace as Workspace
    from qddot.workspace.reachable_set import reachable as reachable

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.workspace.ellipsoids": (
            "FrameEllipsoid acceleration_ellipsoid force_ellipsoid velocity_ellipsoid"
        ),
        "qddot.workspace.nearest": "NearestSingularity nearest_singularity",
        "qddot.workspace.orientations": "Dexterity dexterity_at",
        "qddot.workspace.places": "Workspace",
        "qddot.workspace.reachable_set": "reachable",
    },
    verb="reachable",
)
