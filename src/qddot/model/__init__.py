"""What a robot is: frozen data, checked at the border. Knows no algorithms and no files."""

from qddot.model.build import build
from qddot.model.joint import Coupling, Friction, Joint, Limits, Mimic, Motor, Spring
from qddot.model.link import Frame, Inertial, Link, Payload, Placement
from qddot.model.model import Model
from qddot.model.validate import validate

__all__ = [
    "Coupling",
    "Frame",
    "Friction",
    "Inertial",
    "Joint",
    "Limits",
    "Link",
    "Mimic",
    "Model",
    "Motor",
    "Payload",
    "Placement",
    "Spring",
    "build",
    "validate",
]
