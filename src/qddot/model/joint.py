"""Joints and what acts in them: limits, motors, springs, and the friction of `friction.py`.

Every torque here enters one equation, the same in all of qddot:

    M q̈ + C q̇ + g + Fᵥ q̇ + Fₛ sgn(q̇) + f₀ + K (q − q₀) = τ + Jᵀ f_ext
"""

from __future__ import annotations

from dataclasses import dataclass, field

from qddot.model.friction import Friction
from qddot.model.joints import ENDLESS, MOTIONS
from qddot.model.link import Placement
from qddot.model.units import ANGLE, LENGTH, JointUnits
from qddot.scalars import Scalar

FIXED = "fixed"
UNLIMITED = 1e9  # in a format that asks for a limit: this much, or more, is none


@dataclass(frozen=True)
class Limits:
    """How far, how fast, how strong. None where nothing is said."""

    lower: Scalar | None = None  # [rad] or [m]
    upper: Scalar | None = None
    velocity: Scalar | None = None  # [rad/s] or [m/s]
    effort: Scalar | None = None  # [N·m] or [N]


@dataclass(frozen=True)
class Motor:
    """A motor behind a gear. Its rotor adds Iₐ = gear² · rotor_inertia to the joint's inertia."""

    rotor_inertia: Scalar = 0  # [kg·m²] at the motor's side, [kg] for a linear motor
    gear: Scalar = 1  # turns of the motor per turn of the joint

    @property
    def reflected(self) -> Scalar:
        """The inertia of the rotor as its joint feels it, gear² · rotor_inertia."""
        return self.gear * self.gear * self.rotor_inertia


@dataclass(frozen=True)
class Spring:
    """A spring that pulls a joint towards its rest position, and springs or weights on levers.

    The torque that holds it is

        k (q − rest) + Σ (a cos mq + b sin mq)
    """

    stiffness: Scalar = 0  # [N·m/rad] or [N/m]
    rest: Scalar = 0  # [rad] or [m]
    harmonics: tuple[tuple[Scalar, Scalar, Scalar], ...] = ()  # m, a and b [N·m] of each lever

    @property
    def acts(self) -> bool:
        """Whether there is any."""
        return bool(self.stiffness or self.harmonics)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier · q_leader + offset."""

    joint: str
    multiplier: Scalar = 1
    offset: Scalar = 0


@dataclass(frozen=True)
class Start:
    """How a simulation begins if nobody says: where, how fast, and between which stops."""

    q: Scalar = 0  # [rad] or [m]
    qd: Scalar = 0  # [rad/s] or [m/s]
    lower: Scalar | None = None  # of such a run alone; limits need not be stops
    upper: Scalar | None = None


@dataclass(frozen=True)
class Joint:
    """A joint between two links. The child's frame is the joint's frame, moved by q."""

    name: str
    kind: str  # of `MOTIONS`, or FIXED
    parent: str
    child: str
    origin: Placement = Placement()  # X_PJ
    axis: tuple[Scalar, Scalar, Scalar] = (1, 0, 0)
    limits: Limits = Limits()
    friction: Friction = Friction()
    motor: Motor = Motor()
    spring: Spring = Spring()
    mimic: Mimic | None = None
    locked: Scalar | None = None  # held at this position
    home: Scalar | None = None  # where it stands if nobody says
    line: int | None = field(default=None, compare=False, repr=False)
    pitch: Scalar = 0  # [m/rad] of a screw
    start: Start = Start()

    @property
    def moves(self) -> bool:
        """Whether it has motion of its own or follows another's."""
        return self.kind != FIXED and self.locked is None

    @property
    def turns(self) -> bool:
        """Whether its velocity is one of an angle."""
        motion = MOTIONS.get(self.kind)
        return motion is not None and motion.velocity[0].unit == "rad/s"

    @property
    def role(self) -> str:
        """What its position is to the equations, if it is one number: "angle", "length", ..."""
        motion = MOTIONS.get(self.kind)
        return motion.configuration[0].role if motion is not None and motion.nq == 1 else ""

    @property
    def endless(self) -> bool:
        """Whether it turns for ever, whatever its limits say."""
        return self.kind in ENDLESS

    @property
    def units(self) -> JointUnits:
        """The units of its position, velocity, effort and so on."""
        return ANGLE if self.turns else LENGTH

    @property
    def ends(self) -> tuple[Scalar | None, Scalar | None]:
        """Its lowest and highest position; a continuous joint has none, whatever its limits say."""
        return (None, None) if self.endless else (self.limits.lower, self.limits.upper)


@dataclass(frozen=True)
class Coupling:
    """A spring and a damper between two joints, pulling q_first − q_second towards `rest`.

    The torque on the first joint, and with the opposite sign on the second:

        −k (q₁ − q₂ − rest) − d (q̇₁ − q̇₂)
    """

    first: str
    second: str
    stiffness: Scalar = 0
    damping: Scalar = 0
    rest: Scalar = 0
    line: int | None = field(default=None, compare=False, repr=False)
