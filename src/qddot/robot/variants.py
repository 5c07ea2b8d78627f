"""Robots made from robots: other gravity, payloads, friction, locked joints. None is changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from qddot.errors import (
    BadArgument,
    Problem,
    RobotWarning,
    UnknownName,
    first_lines,
    listing,
    shorten,
)
from qddot.model import Friction, Inertial, Joint, Model, Motor, Payload, Placement, Spring, Warming
from qddot.model.arguments import moments, scalar, scalars
from qddot.model.friction import PARAMETERS
from qddot.model.nearest_inertia import CHANGED
from qddot.model.validation import checked
from qddot.scalars import Scalar
from qddot.scalars.expressions import has_value

MOST_TOLD = 5
REMOVABLE = ("friction", "rotor_inertia", "springs", "payloads", "gravity")


def tell(doubts: Sequence[Problem], stacklevel: int) -> None:
    """Warn of what is doubtful about a robot: all that was changed in it, of the rest five."""
    lines = [str(p) for p in doubts if CHANGED in p.message]
    lines += [str(p) for p in doubts if CHANGED not in p.message]
    most = max(MOST_TOLD, sum(CHANGED in p.message for p in doubts))
    if lines:
        text = "\n  ".join(["", *first_lines(lines, most + 1, "; see robot.warnings")])
        warnings.warn(text, RobotWarning, stacklevel=stacklevel)


@dataclass(frozen=True)
class Variants:
    """What holds a model and can return itself with another one."""

    model: Model

    def with_gravity(self, gravity: Sequence[Scalar]) -> Self:
        """Return the robot under another gravity [m/s²], in base axes."""
        vector = scalars("gravity", gravity, 3)
        return self._varied(lambda model: replace(model, gravity=vector))

    def with_values(self, values: Mapping[Any, Any] | None = None, /, **named: float) -> Self:
        """Return the robot with numbers for its symbols: with_values(m1=2.0, L1=0.5).

        A symbol that has a number (`values`), as those of a textbook robot such as "two_link",
        gets another one; the rest stays. A dict may hold them instead, by name or by SymPy's
        symbol: with_values({m1: 2.0}).
        """
        given = {str(name): value for name, value in (values or {}).items()} | named
        plain = {name: scalar(name, value) for name, value in given.items()}
        return self._told(self._with_model(checked(self.model.with_values(plain))))

    def with_payload(
        self,
        frame: str,
        mass: Scalar,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] = (0, 0, 0, 0, 0, 0),
    ) -> Self:
        """Return the robot carrying a body at a frame.

        Args:
            frame: The frame that carries it, and in which the rest is given.
            mass: Its mass [kg].
            com: Its centre of mass [m].
            inertia: About its centre of mass [kg·m²]: Ixx, Iyy, Izz, or Ixx, Ixy, Ixz, Iyy, Iyz,
                Izz, or a 3×3 matrix.
        """
        self.model.frame(frame)
        centre = scalars("com", com, 3)
        load = Payload(frame, Inertial(scalar("mass", mass), centre, moments(inertia)))
        return self._told(
            self._varied(lambda model: replace(model, payloads=(*model.payloads, load)))
        )

    def with_friction(
        self,
        viscous: Sequence[Scalar] | Scalar | None = None,
        coulomb: Sequence[Scalar] | Scalar | None = None,
        static: Sequence[Scalar] | Scalar | None = None,
        stribeck_velocity: Sequence[Scalar] | Scalar | None = None,
        offset: Sequence[Scalar] | Scalar | None = None,
        asymmetry: Sequence[Scalar] | Scalar | None = None,
    ) -> Self:
        """Return the robot with other friction at its joints; what is not given stays.

        Args:
            viscous, coulomb, static, stribeck_velocity, offset, asymmetry: One value for all
                joints, or one a joint in the order of `joint_names`. See `qddot.model.Friction`.
        """
        here = locals()
        given = {p.name: here[p.name] for p in PARAMETERS}
        lists = {k: self._each(k, v) for k, v in given.items() if v is not None}
        index = {name: i for i, name in enumerate(self.model.joint_names)}

        def rubbed(joint: Joint) -> Joint:
            if joint.name not in index:
                return joint
            values = {key: values[index[joint.name]] for key, values in lists.items()}
            return replace(joint, friction=replace(joint.friction, **values))

        return self._varied(lambda model: model.with_joints(rubbed))

    def with_scale(self, masses: Scalar = 1, lengths: Scalar = 1) -> Self:
        """Return the robot with all masses and lengths times a factor, such as a wrong model has.

        Args:
            masses: Of mass and inertia of every link, payloads not counted; 1.1 is 10 % too heavy.
            lengths: Of the distances from joint to joint and to frames. Centres of mass and
                inertias stay where they are in their links.
        """
        given = {"masses": scalar("masses", masses), "lengths": scalar("lengths", lengths)}
        for name, factor in given.items():
            if has_value(factor) and not float(factor) > 0:
                raise BadArgument(f"{name} is {float(factor):g}; it must be a factor above 0: 1.1.")

        def longer(placement: Placement) -> Placement:
            x, y, z = placement.xyz
            factor = given["lengths"]
            return replace(placement, xyz=(factor * x, factor * y, factor * z))

        def scaled(model: Model) -> Model:
            model = model.with_joints(lambda joint: replace(joint, origin=longer(joint.origin)))
            frames = tuple(replace(f, placement=longer(f.placement)) for f in model.frames)
            links = tuple(replace(link, inertial=heavier(link.inertial)) for link in model.links)
            return replace(model, frames=frames, links=links)

        def heavier(own: Inertial) -> Inertial:
            inertia = tuple(given["masses"] * x for x in own.inertia)
            return replace(own, mass=given["masses"] * own.mass, inertia=inertia)

        return self._told(self._varied(scaled))

    def with_temperature(self, temperature: Sequence[Scalar] | Scalar) -> Self:
        """Return the robot with the friction that its joints have at a temperature.

        That of a joint changes as its `warming` says, and the result is given at that temperature:

            Fᵥ(T) = Fᵥ + a (T − T₀)        Fₛ(T) = Fₛ + b (T − T₀)

        Args:
            temperature: T [°C], one for all joints, or one a joint in the order of `joint_names`.
        """
        each = dict(
            zip(self.model.joint_names, self._each("temperature", temperature), strict=True)
        )

        def warmed(joint: Joint) -> Joint:
            if joint.name not in each or not joint.warming.changes:
                return joint
            T = each[joint.name]
            friction = joint.warming.at(T, joint.friction)
            for key in ("viscous", "coulomb"):
                value = getattr(friction, key)
                if has_value(value) and value < 0:
                    raise BadArgument(
                        f"At {T} °C the {key} friction of joint {shorten(joint.name)!r} would be "
                        f"{float(value):.3g}: it would create energy.\n  Its warming was found "
                        f"near {joint.warming.reference} °C; take a temperature nearer to that."
                    )
            return replace(joint, friction=friction, warming=replace(joint.warming, reference=T))

        return self._varied(lambda model: model.with_joints(warmed))

    def without(self, *what: str) -> Self:
        """Return the robot that lacks something: friction, rotor_inertia, springs, payloads or
        gravity."""
        robot = self
        for name in what:
            if name not in REMOVABLE:
                raise UnknownName("part that can be left out", name, self.model.name, REMOVABLE)
            robot = robot._lacking(name)
        return robot

    def locked(self, positions: Mapping[str, Scalar]) -> Self:
        """Return the robot with some joints held at a position; they leave q."""
        if not hasattr(positions, "items"):
            raise BadArgument(
                f"locked takes joints and their positions, like {{'j1': 0.5}}, not {positions!r}."
            )
        for name in positions:
            if name not in self.model.joint_names:
                raise UnknownName(
                    "joint that moves by itself", name, self.model.name, self.model.joint_names
                )

        def held(joint: Joint) -> Joint:
            if joint.name not in positions:
                return joint
            return replace(joint, locked=scalar(joint.name, positions[joint.name]))

        return self._varied(lambda model: model.with_joints(held))

    def _told(self, changed: Self) -> Self:
        """Return the changed robot; what is doubtful about it and was not before is warned of."""
        doubts = [p for p in changed.model.warnings if p.severity == "warning"]
        tell([p for p in doubts if p not in self.model.warnings], stacklevel=4)
        return changed

    def _with_model(self, model: Model) -> Self:
        return replace(self, model=model)

    def _varied(self, change: Callable[[Model], Model]) -> Self:
        return self._with_model(checked(self.model.varied(change)))

    def _lacking(self, name: str) -> Self:
        if name == "payloads":
            return self._varied(lambda model: replace(model, payloads=()))
        if name == "gravity":
            return self._varied(lambda model: replace(model, gravity=(0, 0, 0)))
        parts = {
            "friction": {"friction": Friction(), "warming": Warming()},
            "rotor_inertia": {"motor": Motor()},
            "springs": {"spring": Spring()},
        }
        lost = {
            "friction": {"damping": 0, "friction": Friction()},
            "rotor_inertia": parts["rotor_inertia"],
            "springs": {"stiffness": 0, "rest": 0},
        }[name]

        def bare(model: Model) -> Model:
            model = model.with_joints(lambda joint: replace(joint, **parts[name]))
            couplings = (replace(coupling, **lost) for coupling in model.couplings)
            return replace(model, couplings=tuple(couplings))

        return self._varied(bare)

    def _each(self, what: str, value: Sequence[Scalar] | Scalar) -> list[Scalar]:
        if isinstance(value, str) or not hasattr(value, "__len__"):
            return [scalar(what, value)] * self.model.n
        values = [scalar(what, x) for x in value]
        if len(values) != self.model.n:
            raise BadArgument(
                f"{what} has {len(values)} values, but robot {self.model.name!r} has "
                f"{self.model.n} joints.\n"
                f"  In order: {listing(self.model.joint_names)}."
            )
        return values
