"""The model: a tree of links and joints as somebody described it, frozen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Any, TypeVar

from qddot.errors import BadArgument, Problem, UnknownName, listing
from qddot.model.joint import Coupling, Joint
from qddot.model.joints import MOTIONS
from qddot.model.link import Frame, Link, Payload
from qddot.results import in_notebook
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, free_symbols

GRAVITY = (0, 0, -9.81)  # [m/s²], in base axes

T = TypeVar("T")


@dataclass(frozen=True)
class Model:
    """A robot as written: every link, joint and frame, depth-first in the order of its file.

    Made by `build`, which checks it; whatever is computed from it is computed elsewhere.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    payloads: tuple[Payload, ...] = ()
    gravity: tuple[Scalar, Scalar, Scalar] = GRAVITY
    description: str = ""
    source: str = ""
    licence: str = ""
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)  # that it was read from, if any
    # what a URDF file says to ROS, <ros2_control> and <transmission>: XML, written again as it is
    urdf_parts: tuple[str, ...] = field(default=(), compare=False, repr=False)
    # what numbers were put into: the model with symbols, and their values
    valued: tuple[Model, Mapping[str, Scalar]] | None = field(
        default=None, compare=False, repr=False
    )

    _repr_html_ = in_notebook("robots.robot_html")

    @cached_property
    def free_joints(self) -> tuple[Joint, ...]:
        """The joints that own a coordinate: neither fixed, locked nor following another."""
        return tuple(j for j in self.joints if j.moves and j.mimic is None)

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return len(self.free_joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names behind the entries of q, in order."""
        return tuple(joint.name for joint in self.free_joints)

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """The names behind the entries of q: a joint's, with a suffix where it has several."""
        return tuple(
            f"{joint.name}{entry.suffix}"
            for joint in self.free_joints
            for entry in MOTIONS[joint.kind].configuration
        )

    @cached_property
    def position_units(self) -> tuple[str, ...]:
        """The units of the entries of q: "rad", "m", or "" of a number without one."""
        return tuple(
            entry.unit for joint in self.free_joints for entry in MOTIONS[joint.kind].configuration
        )

    @property
    def nq(self) -> int:
        """How many numbers a configuration has."""
        return len(self.position_names)

    def need_single_numbers(self, what: str) -> None:
        """Raise BadArgument unless every joint's position is one number, which `what` needs."""
        if self.nq != self.n:
            raise BadArgument(
                f"{what} takes joints whose position is one number each; those of {self.name!r} "
                f"are {listing(self.position_names)}."
            )

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Every name that `pose` and `jacobian` take: links, then further frames."""
        return tuple(link.name for link in self.links) + tuple(f.name for f in self.frames)

    @property
    def mass(self) -> Scalar:
        """The mass of everything, payloads included [kg]."""
        return sum(part.inertial.mass for part in (*self.links, *self.payloads))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The names of the parameters that have no value yet."""
        return tuple(sorted({name for x in scalars(self) for name in free_symbols(x)}))

    @cached_property
    def values(self) -> Mapping[str, Scalar]:
        """The numbers that its symbols were given, by name; `with_values` can give others."""
        if self.valued is None:
            return {}
        symbolic, values = self.valued
        # a model that was changed since, by other ways than `varied`, has forgotten its symbols
        return values if symbolic._with_numbers(values) == self else {}

    def joint(self, name: str) -> Joint:
        """Return the joint of this name."""
        return self._named("joint", name, self.joints)

    def link(self, name: str) -> Link:
        """Return the link of this name."""
        return self._named("link", name, self.links)

    def frame(self, name: str) -> Frame:
        """Return the frame of this name; a link is its own frame."""
        if name in {link.name for link in self.links}:
            return Frame(name, name)
        if name in self.frame_names:
            return self._named("frame", name, self.frames)
        raise UnknownName("frame", name, self.name, self.frame_names)

    def _named(self, kind: str, name: str, things: tuple[Any, ...]) -> Any:
        for thing in things:
            if thing.name == name:
                return thing
        raise UnknownName(kind, name, self.name, [thing.name for thing in things])

    def to_dict(self) -> dict[str, Any]:
        """Return what there is to say about a robot as plain data; symbols stand as text."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "licence": self.licence,
            "n": self.n,
            "mass": _plain(self.mass),
            "gravity": [_plain(x) for x in self.gravity],
            "symbols": list(self.symbols),
            "values": {name: _plain(x) for name, x in self.values.items()},
            "joints": [self._joint_dict(joint) for joint in self.joints],
            "frames": list(self.frame_names),
            "warnings": [str(p) for p in self.warnings if p.severity == "warning"],
        }

    def _joint_dict(self, joint: Joint) -> dict[str, Any]:
        limits, inertial = joint.limits, self.link(joint.child).inertial
        lower, upper = joint.ends
        return {
            "name": joint.name,
            "type": joint.kind,
            "parent": joint.parent,
            "child": joint.child,
            "axis": [_plain(x) for x in joint.axis],
            "lower": _plain(lower),
            "upper": _plain(upper),
            "velocity": _plain(limits.velocity),
            "effort": _plain(limits.effort),
            "actuated": joint.actuated,
            "follows": joint.mimic.joint if joint.mimic else None,
            "locked": _plain(joint.locked),
            "mass": _plain(inertial.mass),
            "com": [_plain(x) for x in inertial.com],
            "inertia": [_plain(x) for x in inertial.inertia],
        }

    def with_values(self, values: Mapping[str, Scalar]) -> Model:
        """Return the model with symbols replaced by numbers, by others where they had some."""
        symbolic = self.valued[0] if self.valued and self.values else self
        for name in values:
            if name not in symbolic.symbols:
                raise UnknownName("symbol", name, self.name, symbolic.symbols or ["no symbols"])
        every = {**self.values, **values}
        return replace(symbolic._with_numbers(every), valued=(symbolic, every))

    def _with_numbers(self, values: Mapping[str, Scalar]) -> Model:
        return mapped(self, lambda x: x.substitute(values) if isinstance(x, Expression) else x)

    def varied(self, change: Callable[[Model], Model]) -> Model:
        """Return the model changed, and with it the one with symbols that it came from."""
        after = change(self)
        if self.valued is None or not self.values:
            return after
        symbolic = change(self.valued[0])
        left = {name: x for name, x in self.values.items() if name in symbolic.symbols}
        return replace(after, valued=(symbolic, left))

    def with_joints(self, change: Callable[[Joint], Joint]) -> Model:
        """Return the model with every joint changed in the same way."""
        return replace(self, joints=tuple(change(joint) for joint in self.joints))


def _plain(x: Scalar | None) -> float | int | str | None:
    """Return a scalar as JSON can hold it: an expression with symbols as text."""
    if x is None or isinstance(x, (int, float)):
        return x
    return str(x) if free_symbols(x) else float(x)


@cache
def data_fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a dataclass in which its data are; None of any other type."""
    if not is_dataclass(kind):
        return None
    return tuple(item.name for item in fields(kind) if item.compare)


def scalars(thing: Any) -> Iterator[Scalar]:
    """Yield every number and expression in a piece of model data."""
    waiting = [thing]
    while waiting:
        part = waiting.pop()
        names = data_fields(type(part))
        if names is not None:
            waiting += [getattr(part, name) for name in reversed(names)]
        elif isinstance(part, tuple):
            waiting += reversed(part)
        elif part is not None and not isinstance(part, (str, bool)):
            yield part


def mapped(thing: T, change: Callable[[Scalar], Scalar]) -> T:
    """Return the same piece of model data with every number and expression changed.

    What has nothing in it that changes is returned as it is.
    """
    names = data_fields(type(thing))
    if names is not None:
        before = {name: getattr(thing, name) for name in names}
        after = {name: mapped(value, change) for name, value in before.items()}
        changed = {name: value for name, value in after.items() if value is not before[name]}
        return replace(thing, **changed) if changed else thing  # type: ignore[type-var]  # a dataclass
    if isinstance(thing, tuple):
        parts = tuple(mapped(part, change) for part in thing)
        same = all(new is old for new, old in zip(parts, thing, strict=True))
        return thing if same else parts  # type: ignore[return-value]  # a tuple of the same shape
    if thing is None or isinstance(thing, (str, bool)):
        return thing
    return change(thing)
