"""What a robot is: frozen data, checked at the border. Knows no algorithms and no files."""

from qddot.scalars.expressions import symbol
from qddot.model.validation import build
from qddot.model.friction import Friction
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    SphereShape,
)
from qddot.model.joint import Coupling, Joint, Limits, Mimic, Motor, Spring, Start, Stops, Warming
from qddot.model.link import Frame, Inertial, Link, Payload, Placement
from qddot.model.model import Model
from qddot.model.validation import validate
from qddot.on_demand import on_demand

__all__ = [
    "BoxShape",
    "CapsuleShape",
    "Coupling",
    "CylinderShape",
    "EllipsoidShape",
    "Frame",
    "Friction",
    "Geometry",
    "Inertial",
    "Joint",
    "Limits",
    "Link",
    "MeshShape",
    "Mimic",
    "Model",
    "Motor",
    "Payload",
    "Placement",
    "SphereShape",
    "Spring",
    "Start",
    "Stops",
    "Warming",
    "build",
    "symbol",
    "validate",
]
__getattr__, __dir__ = on_demand(__name__, {}, "shapes")
