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
from qddot.scalars.expressions import has_value

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
class Warming:
    """How friction changes with a joint's temperature T; at T₀ it is what the joint says:

    Fᵥ(T) = Fᵥ + a (T − T₀)        Fₛ(T) = Fₛ + b (T − T₀)
    """

    reference: Scalar = 20  # T₀ [°C]
    viscous: Scalar = 0  # a [N·m·s/rad/°C] or [N·s/m/°C]
    coulomb: Scalar = 0  # b [N·m/°C] or [N/°C]

    @property
    def changes(self) -> bool:
        """Whether any of it depends on the temperature."""
        return bool(self.viscous or self.coulomb)

    def at(self, temperature: Scalar, friction: Friction) -> Friction:
        """Return the friction at a temperature [°C]."""
        warmer = temperature - self.reference
        changed = {
            "viscous": friction.viscous + self.viscous * warmer,
            "coulomb": friction.coulomb + self.coulomb * warmer,
        }
        return friction.refitted(changed)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier · q_leader + offset."""

    joint: str
    multiplier: Scalar = 1
    offset: Scalar = 0


@dataclass(frozen=True)
class Start:
    """How a simulation begins if nobody says: where, and how fast."""

    q: Scalar = 0  # [rad] or [m]
    qd: Scalar = 0  # [rad/s] or [m/s]


@dataclass(frozen=True)
class Stops:
    """Where a joint is stopped, by what pushes back; limits need not be stops."""

    lower: Scalar | None = None  # [rad] or [m]
    upper: Scalar | None = None
    restitution: Scalar = 0  # share of its velocity with which the joint leaves a stop, 0 to 1


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
    stops: Stops = Stops()
    warming: Warming = Warming()
    actuated: bool = True  # whether a motor drives it, if it has a coordinate of its own

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
    """What acts between joints, along a combination of theirs: w = Σ rᵢ qᵢ.

    A spring and a damper pull w towards `rest`; a motor turns with w and rubs with a friction of
    its own. By virtual work each joint feels rᵢ times the torque that holds w:

        k (w − rest) + d ẇ + Iₐ ẅ + f(ẇ)
    """

    joints: tuple[str, ...]
    stiffness: Scalar = 0
    damping: Scalar = 0
    rest: Scalar = 0
    ratios: tuple[Scalar, ...] = (1, -1)  # one for each joint
    friction: Friction = Friction()
    motor: Motor = Motor()
    line: int | None = field(default=None, compare=False, repr=False)

    @property
    def is_shaft(self) -> bool:
        """Whether something turns or rubs along it."""
        return self.motor != Motor() or self.friction != Friction()

    @property
    def combination(self) -> str:
        """The combination in short: "j5+j6", "j5-j6", "j4+2*j5"."""
        terms = zip(self.joints, self.ratios, strict=False)
        return "".join(_term(*each) for each in terms).removeprefix("+")


def _term(joint: str, ratio: Scalar) -> str:
    if not has_value(ratio):
        return f"+({ratio})*{joint}"
    size = abs(float(ratio))
    return f"{'-' if ratio < 0 else '+'}{'' if size == 1 else f'{size:g}*'}{joint}"
