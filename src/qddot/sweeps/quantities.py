"""What a plan may vary: names, parts, units, nominal values, and how random ones are drawn.

Random numbers depend on the run alone, not on which process computes it and when. Draws come in
blocks of 1024. The generator of a block is seeded by the plan's seed, by the name of what is drawn
and by the block's number, so that draw j of a quantity is the same whatever the size of units, the
number of workers and the other quantities of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from qddot.model.friction import LINEAR
from qddot.model.units import BODY_UNITS, unit_of
from qddot.robot import Robot
from qddot.robot.settings import AXES, Load
from qddot.spatial.inertia import NAMES

BLOCK = 1024  # draws


@dataclass(frozen=True, eq=False)
class PlanQuantity:
    """Something that runs may differ in."""

    name: str
    parts: tuple[str, ...]  # () of a single number
    nominal: np.ndarray  # (1 or one per controller, width); NaN where there is none
    unit: str = ""
    least: float = -np.inf  # below which it makes no sense

    @property
    def width(self) -> int:
        return max(1, len(self.parts))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table that hold it."""
        return tuple(f"{self.name}.{part}" for part in self.parts) or (self.name,)


def of_joints(robot: Robot, name: str, nominal: np.ndarray, what: str) -> PlanQuantity:
    """Return a quantity with one number per joint; `what` says which of a joint's units it has."""
    unit = unit_of(robot.model.free_joints, what)
    return PlanQuantity(name, robot.joint_names, np.atleast_2d(nominal), unit)


def of_motion(
    robot: Robot, q0: np.ndarray, qd0: np.ndarray, torque: np.ndarray
) -> Iterable[PlanQuantity]:
    """Yield where runs start, and the torque that is added to the law's."""
    yield of_joints(robot, "q0", q0, "position")
    yield of_joints(robot, "qd0", qd0, "velocity")
    yield of_joints(robot, "torque", torque, "effort")


def of_symbols(robot: Robot, values: Mapping[str, float]) -> Iterable[PlanQuantity]:
    """Yield the symbols of a robot; those without a value have no nominal one."""
    for name in robot.symbols:
        yield PlanQuantity(name, (), np.array([[float(values.get(name, np.nan))]]))


def of_arm(robot: Robot, payloads: Mapping[str, Load]) -> Iterable[PlanQuantity]:
    """Yield the parameters of a numeric robot: inertias, friction, gravity, payloads."""
    tree = robot.tree
    bodies = tuple(body.name for body in tree.bodies)
    yield PlanQuantity("scale", bodies, np.ones((1, len(bodies))), least=0.0)
    for body in tree.bodies:
        for p, value in zip(NAMES, body.inertia.parameters, strict=True):
            least = 0.0 if p in ("m", "Ixx", "Iyy", "Izz") else -np.inf
            yield _number(f"{body.name}.{p}", float(value), BODY_UNITS[p], least)
    for joint, Ia in zip(tree.joint_names, tree.rotor_inertia, strict=True):
        yield _number(f"{joint}.Ia", float(Ia), robot.model.joint(joint).units.inertia, 0.0)
    for p in LINEAR:
        nominal = np.array([float(getattr(f, p.name)) for f in tree.friction])
        found = of_joints(robot, f"friction.{p.name}", nominal, p.unit)
        yield replace(found, least=0.0 if p.resists else -np.inf)
    gravity = np.array([[float(g) for g in tree.gravity]])
    yield PlanQuantity("gravity", AXES, gravity, "m/s²")
    for frame, (body, _) in tree.frames.items():
        if body >= 0:  # what stands on the base moves nothing
            load = payloads.get(frame, Load())
            yield _number(f"payload.{frame}", load.mass, "kg", 0.0)
            yield PlanQuantity(f"payload.{frame}.com", AXES, np.array([load.com]), "m")
            yield _number(f"payload.{frame}.radius", load.radius, "m", 0.0)


def aliases(robot: Robot) -> dict[str, str]:
    """Return other names of the same: "<joint>.fv" is "friction.viscous.<joint>"."""
    return {
        f"{joint}.{p.column}": f"friction.{p.name}.{joint}"
        for joint in robot.joint_names
        for p in LINEAR
    }


def places(quantities: Sequence[PlanQuantity]) -> dict[str, tuple[str, int | None]]:
    """Return, for every name that may be written, the quantity meant and which part of it."""
    found: dict[str, tuple[str, int | None]] = {}
    for quantity in quantities:
        for i, part in enumerate(quantity.parts):
            found.setdefault(f"{quantity.name}.{part}", (quantity.name, i))
    # what is named as a whole wins: a frame may be called "tool.com"
    return found | {quantity.name: (quantity.name, None) for quantity in quantities}


def _number(name: str, value: float, unit: str, least: float) -> PlanQuantity:
    return PlanQuantity(name, (), np.array([[value]]), unit, least)


@dataclass(frozen=True, eq=False)
class Distribution:
    """How a quantity is drawn; its numbers are arrays that broadcast over its parts."""

    kind: str
    numbers: tuple[np.ndarray, ...]  # of "choice": the options, one row each
    clip: tuple[float, float] | None = None
    shared: bool = False  # one draw for all parts

    def sample(self, rng: np.random.Generator, count: int, width: int) -> np.ndarray:
        """Return draws of shape (count, width)."""
        drawn = SAMPLERS[self.kind](rng, (count, 1 if self.shared else width), *self.numbers)
        drawn = np.broadcast_to(drawn, (count, width))
        return drawn if self.clip is None else np.clip(drawn, *self.clip)

    @property
    def lowest(self) -> float:
        """Below which no draw is."""
        if self.kind == "normal":
            found = -np.inf
        elif self.kind == "lognormal":
            found = 0.0
        else:
            found = min(float(x.min()) for x in self.numbers)
        return found if self.clip is None else max(found, self.clip[0])


def drawn(
    distribution: Distribution, seed: int, name: str, index: np.ndarray, width: int
) -> np.ndarray:
    """Return the draws of these numbers, counted from 0, shape (len(index), width)."""
    found = np.empty((len(index), width))
    blocks = index // BLOCK
    for block in np.unique(blocks):
        rng = generator(seed, name, int(block))
        rows = distribution.sample(rng, BLOCK, width)
        here = blocks == block
        found[here] = rows[index[here] % BLOCK]
    return found


def generator(seed: int, name: str, number: int) -> np.random.Generator:
    """Return the generator of one block of a quantity, or of one run's noise."""
    key = (crc32(name.encode("utf-8")), number)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


Shape = tuple[int, int]


def _uniform(rng: np.random.Generator, shape: Shape, low: np.ndarray, high: np.ndarray):
    return low + (high - low) * rng.random(shape)


def _normal(rng: np.random.Generator, shape: Shape, mean: np.ndarray, spread: np.ndarray):
    return mean + spread * rng.standard_normal(shape)


def _lognormal(rng: np.random.Generator, shape: Shape, median: np.ndarray, spread: np.ndarray):
    return median * np.exp(spread * rng.standard_normal(shape))


def _triangular(
    rng: np.random.Generator, shape: Shape, low: np.ndarray, peak: np.ndarray, high: np.ndarray
):
    u, span = rng.random(shape), high - low
    rising = low + np.sqrt(u * span * (peak - low))
    falling = high - np.sqrt((1 - u) * span * (high - peak))
    return np.where(u * span < peak - low, rising, falling)


def _choice(rng: np.random.Generator, shape: Shape, options: np.ndarray):
    # a row of options is chosen as a whole; single numbers are chosen part by part
    width = shape[1] if options.shape[1] == 1 else 1
    index = rng.integers(len(options), size=(shape[0], width))
    return options[index[:, 0]] if width == 1 else options[index, 0]


SAMPLERS: dict[str, Callable[..., np.ndarray]] = {
    "uniform": _uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "triangular": _triangular,
    "choice": _choice,
}
