"""What a model says and a format has no words for, said before and in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from qddot.errors import listing
from qddot.model import Coupling, Joint, Model, Motor
from qddot.model.folding import numeric
from qddot.model.friction import PARAMETERS, Friction
from qddot.model.joint import Start, Stops
from qddot.model.model import GRAVITY, mapped
from qddot.scalars import Scalar
from qddot.scalars.expressions import free_symbols

FRICTION = ("viscous", "coulomb")  # what every format has of it


@dataclass(frozen=True)
class Holds:
    """What a format has words for, of what not every format has."""

    gravity: bool = False
    rotors: bool = False
    springs: bool = False
    velocities: bool = True
    homes: bool = False
    actuators: bool = False  # which joints have a motor
    couplings: bool = False  # their springs, dampers, rotors and dry friction
    couplings_rub: tuple[str, ...] = ()  # the parameters of friction that couplings have


def lost_in(model: Model, holds: Holds) -> list[str]:
    """Return what a model says and a format cannot."""
    model = mapped(model, _plain)
    # a file without actuators says nothing about motors
    some = holds.actuators and any(joint.actuated for joint in model.free_joints)
    holds = replace(holds, actuators=some)
    lost = []
    if model.gravity != GRAVITY and not holds.gravity:
        lost.append(f"gravity {', '.join(str(x) for x in model.gravity)}")
    for joint in model.joints:
        lost += [f"joint {joint.name!r}: {what}" for what in _lost_at(joint, holds)]
    for coupling in model.couplings:
        joints = listing([repr(name) for name in coupling.joints], most=10)
        if what := [words for words, there in _parts(coupling, holds).items() if there]:
            lost.append(f"the coupling of joints {joints}: {', '.join(what)}")
    return lost


def _parts(coupling: Coupling, holds: Holds) -> dict[str, bool]:
    """Return what a coupling may have that the format has not, in words, and whether it has it."""
    of_shaft, kept = coupling.friction, holds.couplings
    plain = Friction(**{name: getattr(of_shaft, name) for name in holds.couplings_rub})
    return {
        "a spring": bool(coupling.stiffness) and not kept,
        "a damper": bool(coupling.damping) and not kept,
        "a motor": coupling.motor != Motor() and not kept,
        "friction": of_shaft != (plain if kept else Friction()),
    }


def _lost_at(joint: Joint, holds: Holds) -> Iterator[str]:
    if joint.motor.rotor_inertia and not holds.rotors:
        yield f"its rotor inertia ({joint.motor.reflected} after the gear)"
    if joint.spring.stiffness and not holds.springs:
        yield f"its spring (stiffness {joint.spring.stiffness})"
    if joint.spring.harmonics:
        yield f"the harmonics of its spring ({len(joint.spring.harmonics)})"
    limits = joint.limits
    for p in PARAMETERS:
        value = getattr(joint.friction, p.name)
        if p.name not in FRICTION and value != p.default:
            yield f"its {p.meaning} ({value})"
    if joint.warming.changes:
        yield f"how its friction changes with temperature, from {joint.warming.reference} °C on"
    if joint.locked is not None:
        yield f"that it could move (it is held at {joint.locked}, and written as fixed)"
    if joint.kind == "continuous" and (limits.lower, limits.upper) != (None, None):
        yield "its position limits, because it is continuous"
    if limits.velocity is not None and not holds.velocities:
        yield f"its largest velocity ({limits.velocity})"
    if joint.home is not None and not holds.homes:
        yield f"its home ({joint.home})"
    if not joint.actuated and not holds.actuators:
        yield "that it has no motor"
    if joint.start != Start():
        yield f"its start ({joint.start.q})"
    if joint.stops != Stops():
        yield f"its stops ({joint.stops.lower} to {joint.stops.upper})"


def _plain(x: Scalar) -> Scalar:
    """Return the number that an expression without symbols is."""
    return x if free_symbols(x) else numeric(x)
